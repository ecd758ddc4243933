/* Samples: fields by name. */
#include "harness.h"

STK_TEST(sample_finds_its_fields_by_name)
{
    const stk_field  fields[] = {{.name = "image"}, {.name = "label"}};
    const stk_sample sample = {.fields = fields, .field_count = 2}, none = {0};
    EXPECT(stk_sample_field(&sample, "label") == &fields[1]);
    EXPECT(!stk_sample_field(&sample, "lab"));
    EXPECT(!stk_sample_field(&none, "label"));
}

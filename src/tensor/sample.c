/* Samples: finding a field. */
#include <stoker/sample.h>

/* Samples have a handful of fields, so a walk beats a table. */
const stk_field *stk_sample_field(const stk_sample *sample, const char *name)
{
    for (size_t i = 0; i < sample->field_count; i++)
        if (strcmp(sample->fields[i].name, name) == 0) return &sample->fields[i];
    return NULL;
}

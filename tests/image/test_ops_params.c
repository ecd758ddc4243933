/* Parameters by text: what is taken, what is refused and how it is said. */
#include "ops_support.h"

#include <locale.h>

#include <stdio.h>

static const char *const minimal[][2] = {
    /* what must be given */
    {"crop", "width=3 height=2"},      {"centre_crop", "size=8"},  {"random_crop", "size=8"},
    {"random_resized_crop", "size=8"}, {"resize", "size=8"},       {"rotate", "degrees=10"},
    {"brightness", "factor=1.5"},      {"contrast", "factor=0,2"}, {"saturation", "factor=1"},
    {"hue", "shift=-0.1,0.1"},         {"gamma", "gamma=2.2"},     {"posterize", "bits=3"},
    {"sharpness", "factor=2"},         {"cutout", "size=8"},       {"cast", "dtype=float32"},
    {"layout", "order=nchw"},          {"normalize", "std=1"},
};

static const char *minimal_text(const stk_image_op *op)
{
    for (size_t i = 0; i < COUNT_OF(minimal); i++)
        if (strcmp(minimal[i][0], op->name) == 0) return minimal[i][1];
    return "";
}

STK_TEST(operations_are_found_by_name_and_the_list_ends)
{
    size_t count = 0;
    for (const stk_image_op *op; (op = stk_image_op_at(count)); count++) {
        EXPECT(stk_image_op_find(op->name) == op);
        EXPECT(op->help && op->help[0]);
        EXPECT_INT_EQ(1, !!op->geometry + !!op->pixels + !!op->output);
    }
    EXPECT(count >= 14);
    EXPECT(!stk_image_op_at(SIZE_MAX));
    EXPECT(!stk_image_op_find("cropp"));
}

STK_TEST(every_table_is_sound)
{
    const stk_image_op *op;
    for (size_t k = 0; (op = stk_image_op_at(k)); k++)
        for (size_t i = 0; i < op->parameter_count; i++) {
            const stk_param *p = &op->parameters[i];
            EXPECT(p->help && p->help[0]);
            EXPECT(p->offset < op->params_bytes);
            EXPECT((p->kind == STK_PARAM_ENUM) == !!p->choices);
            EXPECT(p->min <= p->max);
        }
}

STK_TEST(the_text_of_parameters_gives_the_same_again)
{
    const stk_image_op *op;
    for (size_t i = 0; (op = stk_image_op_at(i)); i++) {
        char  text[1024], again[1024];
        void *params = params_of(op, minimal_text(op));
        stk_image_params_text(op, params, text, sizeof text);
        void *second = params_of(op, text);
        EXPECT_STR_EQ(text, stk_image_params_text(op, second, again, sizeof again));
        EXPECT_MEM_EQ(params, second, op->params_bytes);
        free(second);
        free(params);
    }
}

STK_TEST(text_has_the_defaults_and_the_fewest_digits)
{
    char                text[256];
    const stk_image_op *op = stk_image_op_find("random_resized_crop");
    void               *params = params_of(op, " size=224,192\tarea=0.1,1\n");
    EXPECT_STR_EQ("size=224,192 area=0.1,1 aspect=0.75,1.3333333333333333 filter=bilinear like=pil "
                  "antialias=false",
                  stk_image_params_text(op, params, text, sizeof text));
    EXPECT_STR_EQ("size=224,19", stk_image_params_text(op, params, text, 12));
    EXPECT_STR_EQ("", stk_image_params_text(op, params, text, 1));
    free(params);
    op = stk_image_op_find("pad");
    params = params_of(op, "fill=1,2,3 padding=2 left=1");
    EXPECT_STR_EQ("padding=2 left=1 top=-1 right=-1 bottom=-1 border=constant fill=1,2,3",
                  stk_image_params_text(op, params, text, sizeof text));
    free(params);
}

STK_TEST(unknown_names_are_refused_with_the_nearest)
{
    expect_refused(STK_E_INVALID, "crop", "widht=3",
                   "crop has no parameter widht; did you mean "
                   "width?");
    expect_refused(STK_E_INVALID, "crop", "colour=3", "crop has no parameter colour");
    expect_refused(STK_E_INVALID, "resize", "size=3 filter=billinear",
                   "filter=billinear is none of: nearest bilinear bicubic area lanczos");
    expect_refused(STK_E_INVALID, "resize", "size=3 filter=", "is none of");
    expect_refused(STK_E_INVALID, "resize", "size=3 filter=nearest bilinear",
                   "bilinear must be a parameter with its value: name=value");
}

STK_TEST(what_is_missing_or_given_twice_is_named)
{
    expect_refused(STK_E_INVALID, "crop", "width=3", "height must be given");
    expect_refused(STK_E_INVALID, "crop", "width=3 height=2 width=3", "width is given twice");
    expect_refused(STK_E_INVALID, "resize", "", "give size, or width and height");
    expect_refused(STK_E_INVALID, "resize", "width=3", "give size, or width and height");
    expect_refused(STK_E_INVALID, "resize", "size=3 width=3 height=3", "give size, or width");
    expect_refused(STK_E_INVALID, "normalize", "mean=0.5", "give mean and std, or preset=");
    expect_refused(STK_E_INVALID, "normalize", "preset=imagenet std=1", "leave out the one");
}

STK_TEST(numbers_out_of_bounds_and_no_numbers_are_refused)
{
    static const char *const cases[][3] = {
        {"crop", "width=0 height=2", "width=0 is out of bounds: it must be from 1 to 65535"},
        {"crop", "width=65536 height=2", "out of bounds"},
        {"crop", "width=1e300 height=2", "out of bounds"},
        {"crop", "width=2.5 height=2", "width=2.5 must be a whole number"},
        {"crop", "width=1,2 height=2", "must be one number"},
        {"crop", "width=nan height=2", "must be one number"},
        {"crop", "width=inf height=2", "must be one number"},
        {"crop", "width=3x height=2", "must be one number"},
        {"crop", "width= height=2", "must be one number"},
        {"crop", "x=-1 width=3 height=2", "x=-1 is out of bounds"},
        {"centre_crop", "size=1,2,3", "must be one number, or two with a comma between"},
        {"centre_crop", "size=1,", "must be one number"},
        {"centre_crop", "size=1.5", "size=1.5,1.5 must be whole numbers"},
        {"pad", "fill=1,2", "or three with commas between"},
        {"pad", "fill=256", "from 0 to 255"},
        {"random_crop", "size=3 pad_if_needed=yes", "pad_if_needed=yes must be true or false"},
        {"random_resized_crop", "size=3 area=1,0.08", "the first must not be above the second"},
        {"random_resized_crop", "size=3 area=0,1", "out of bounds"},
        {"random_resized_crop", "size=3 like=opencv antialias=true", "never antialiases"},
        {"rotate", "degrees=30,-30", "the first must not be above"},
        {"affine", "scale=0", "out of bounds"},
        {"normalize", "std=0.1,0,0.1", "std=0.1,0,0.1 must be above 0"},
        {"pad_channels", "count=5", "from 1 to 4"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        expect_refused(STK_E_INVALID, cases[i][0], cases[i][1], cases[i][2]);
    expect_refused(STK_E_LIMIT, "centre_crop", "size=65535", "pixels in all");
}

STK_TEST(an_endless_item_is_refused)
{
    char text[4096];
    memset(text, '1', sizeof text);
    memcpy(text, "size=", 5);
    text[sizeof text - 1] = 0;
    expect_refused(STK_E_LIMIT, "centre_crop", text, "has 4095 characters, more than 511");
}

static stk_status parse_each(void *context, stk_error *err)
{
    const stk_image_op *op;
    (void)context;
    for (size_t i = 0; (op = stk_image_op_at(i)); i++) {
        void *params;
        STK_TRY(stk_image_params_parse(&params, op, minimal_text(op), err));
        free(params);
    }
    return STK_OK;
}

STK_TEST(parsing_survives_every_failed_allocation)
{
    stk_test_fail_each_allocation(parse_each, NULL);
}

/* The part of the page under "## name", as text of its own. */
static char *section_of(const stk_bytes page, const char *name)
{
    char heading[64];
    snprintf(heading, sizeof heading, "\n## %s\n", name);
    char *text = strndup((const char *)page.data, page.size);
    char *begin = strstr(text, heading);
    if (!begin) fail_msg("docs/images/operations.md has no section %s", name);
    begin += strlen(heading);
    char *end = strstr(begin, "\n## ");
    if (end) *end = 0;
    memmove(text, begin, strlen(begin) + 1);
    return text;
}

/* "`area` | `0.08,1` |": a table's row begins with the name and its default. */
STK_TEST(every_operation_and_parameter_is_documented_with_its_default)
{
    const stk_bytes     page = stk_test_read_file(STK_TEST_DATA "/../../docs/images/operations.md");
    const stk_image_op *op;
    for (size_t k = 0; (op = stk_image_op_at(k)); k++) {
        char *section = section_of(page, op->name);
        for (size_t i = 0; i < op->parameter_count; i++) {
            const stk_param *p = &op->parameters[i];
            char             row[128];
            snprintf(row, sizeof row,
                     p->default_value ? "\n| `%s` | `%s` |" : "\n| `%s` | required |", p->name,
                     p->default_value);
            if (!strstr(section, row))
                fail_msg("docs/images/operations.md: %s lacks the row %s", op->name, row + 1);
        }
        free(section);
    }
}

/* "0.08,1" is two numbers also where people write 0,08. */
STK_TEST(parameters_do_not_depend_on_the_locale)
{
    static const char *const locales[] = {"C", "de_DE.UTF-8", "de_DE.utf8"};
    const stk_image_op      *op = stk_image_op_find("random_resized_crop");
    for (size_t i = 0; i < COUNT_OF(locales); i++) {
        char text[400];
        if (!setlocale(LC_ALL, locales[i])) continue;
        void *params = params_of(op, "size=8 area=0.08,0.5");
        EXPECT_CONTAINS("area=0.08,0.5", stk_image_params_text(op, params, text, sizeof text));
        free(params);
    }
    setlocale(LC_ALL, "C");
}

#include "pipeline_support.h"

/* Takes over the inputs. */
static stk_dataset *zipped(stk_dataset *a, stk_dataset *b, stk_dataset *c)
{
    stk_dataset *const inputs[] = {a, b, c};
    stk_dataset       *data;
    stk_error          err;
    EXPECT_OK(stk_dataset_zip(&data, inputs, c ? 3 : 2, &err));
    stk_dataset_unref(a);
    stk_dataset_unref(b);
    stk_dataset_unref(c);
    return data;
}

static stk_dataset *failing(stk_dataset *data, int64_t on)
{
    APPLY(data, map, stk_test_fail_on(on), NULL);
    return data;
}

static stk_dataset *endless(stk_dataset *data)
{
    APPLY(data, repeat, -1);
    return data;
}

STK_TEST(zip_stops_at_the_shortest) /* 41 */
{
    stk_test_watchdog(60);
    EXPECT_GIVES("(0 10) (1 11) (2 12) .", zipped(RANGE(3), stk_test_range(10, 20, 1), NULL));
    EXPECT_GIVES("(10 0) (11 1) .", zipped(stk_test_range(10, 20, 1), RANGE(2), NULL));
    EXPECT_GIVES("(0 0 0) (1 1 0) .", zipped(RANGE(2), RANGE(4), endless(RANGE(1))));
    EXPECT_GIVES(".", zipped(RANGE(0), endless(RANGE(1)), NULL));
}

STK_TEST(zip_flattens_values_of_several)
{
    EXPECT_GIVES("(0 5 0) (1 6 1) .",
                 zipped(zipped(RANGE(2), stk_test_range(5, 9, 1), NULL), RANGE(3), NULL));
}

STK_TEST(zip_keeps_its_inputs_in_step_after_an_error) /* 4 */
{
    EXPECT_GIVES("(0 10 0) !invalid_argument (2 12 2) !invalid_argument (4 14 4) .",
                 zipped(failing(RANGE(5), 1), stk_test_range(10, 20, 1), failing(RANGE(5), 3)));
}

STK_TEST(an_error_beside_an_end)
{
    EXPECT_GIVES("(0 0) (1 1) .", zipped(RANGE(2), failing(RANGE(5), 2), NULL));
    EXPECT_GIVES("(0 0) (1 1) !invalid_argument .", zipped(failing(RANGE(5), 2), RANGE(2), NULL));
}

STK_TEST(cardinality_of_zip) /* 41 */
{
    stk_dataset *data = zipped(endless(RANGE(2)), RANGE(3), RANGE(4));
    EXPECT_INT_EQ(3, stk_dataset_cardinality(data));
    stk_dataset_unref(data);
    data = zipped(endless(RANGE(2)), endless(RANGE(3)), NULL);
    EXPECT_INT_EQ(STK_CARDINALITY_INFINITE, stk_dataset_cardinality(data));
    stk_dataset_unref(data);
    stk_dataset *unknown = RANGE(4);
    APPLY(unknown, filter, stk_test_divides(1));
    data = zipped(endless(RANGE(2)), unknown, NULL);
    EXPECT_INT_EQ(STK_CARDINALITY_UNKNOWN, stk_dataset_cardinality(data));
    stk_dataset_unref(data);
}

/* Numbers without names: map gives them names of their own. */
static stk_dataset *named(const char *name)
{
    const stk_value_spec    value = {.name = name, .dtype = STK_DTYPE_I64, .rank_known = true};
    const stk_element_spec  spec = {.known = true, .count = 1, .values = &value};
    const stk_function_info like = *stk_function_info_of(stk_test_add(1));
    stk_function_info       info = like;
    stk_function           *function;
    stk_error               err;
    stk_dataset            *data = RANGE(3);
    info.output = &spec;
    EXPECT_OK(stk_function_new(&function, &info, &err));
    APPLY(data, map, function, NULL);
    stk_function_unref(function);
    return data;
}

STK_TEST(zip_keeps_names_that_only_one_value_has)
{
    stk_dataset            *data = zipped(named("image"), RANGE(2), named("label"));
    const stk_element_spec *spec = stk_dataset_spec(data);
    EXPECT_INT_EQ(3, spec->count);
    EXPECT_STR_EQ("image", spec->values[0].name);
    EXPECT_STR_EQ("1", spec->values[1].name);
    EXPECT_STR_EQ("label", spec->values[2].name);
    stk_dataset_unref(data);
    data = zipped(named("image"), named("image"), named("label"));
    spec = stk_dataset_spec(data);
    EXPECT_STR_EQ("0", spec->values[0].name);
    EXPECT_STR_EQ("1", spec->values[1].name);
    EXPECT_STR_EQ("label", spec->values[2].name);
    stk_dataset_unref(data);
}

STK_TEST(zip_of_nothing_is_refused)
{
    stk_error    err;
    stk_dataset *data;
    EXPECT_REFUSED(STK_E_INVALID, "there are 0 inputs; give at least 1",
                   stk_dataset_zip(&data, NULL, 0, &err));
    assert_null(data);
}

STK_TEST(zip_by_number) /* 74 */
{
    stk_error    err;
    stk_element *element;
    stk_dataset *data = zipped(RANGE(5), stk_test_range(10, 14, 1), NULL);
    EXPECT_OK(stk_dataset_at(data, 3, &element, &err));
    EXPECT_INT_EQ(13, *(const int64_t *)stk_value_data(stk_element_value(element, 1)));
    stk_element_unref(element);
    EXPECT_REFUSED(STK_E_RANGE, "element 4 was asked for; the shortest input has 4",
                   stk_dataset_at(data, 4, &element, &err));
    stk_dataset_unref(data);
}

STK_TEST(damaged_checkpoints_of_zip_are_harmless)
{
    stk_test_watchdog(60);
    stk_test_damage(zipped(failing(RANGE(5), 2), RANGE(2), NULL), 3);
}

static stk_status build(stk_dataset **out, stk_error *err)
{
    stk_dataset *inputs[2] = {NULL, NULL};
    stk_status   st = stk_dataset_range(&inputs[0], 0, 4, 1, err);
    if (!st) st = stk_dataset_range(&inputs[1], 0, 6, 1, err);
    if (!st) st = stk_dataset_zip(out, inputs, 2, err);
    stk_dataset_unref(inputs[0]);
    stk_dataset_unref(inputs[1]);
    return st;
}

STK_TEST(zip_survives_want_of_memory)
{
    stk_test_without_memory(build, 4);
}

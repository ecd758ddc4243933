/* What is known of the datasets that elements become: flat_map and interleave pass it on. */
#include "random_lines.h"

#include "pipeline/plan/operator.h"
#include "pipeline_support.h"

#include <stdio.h>
#include <string.h>

/* Takes over data. */
static void expect_spec(const char *expected, stk_dataset *data)
{
    char text[512];
    EXPECT_STR_EQ(expected, stk_element_spec_text(stk_dataset_spec(data), text, sizeof text));
    stk_dataset_unref(data);
}

/* function is taken over. */
static stk_dataset *flat(stk_dataset *data, stk_function *function)
{
    APPLY(data, flat_map, function);
    stk_function_unref(function);
    return data;
}

static stk_dataset *pairs(void)
{
    stk_dataset *data = RANGE(5);
    APPLY(data, batch, 3, NULL);
    APPLY(data, enumerate, 0);
    return data;
}

STK_TEST(built_in_expansions_know_what_they_give)
{
    stk_error     err;
    stk_function *f;
    EXPECT_OK(stk_function_range_to(&f, 0, &err));
    expect_spec("(0: int64[])", flat(RANGE(3), f));
    EXPECT_OK(stk_function_copies(&f, 0, &err));
    expect_spec("(0: int64[], 1: int64[-1])", flat(pairs(), f));
    EXPECT_OK(stk_function_slices(&f, &err));
    stk_dataset *rows = RANGE(6);
    APPLY(rows, batch, 2, &(stk_batch_options){.drop_remainder = true});
    APPLY(rows, batch, 3, NULL);
    expect_spec("(0: int64[2])", flat(rows, f));
    EXPECT_OK(stk_function_slices(&f, &err));
    stk_dataset *ragged = stk_test_vectors(2, (size_t[]){1, 2}, (int64_t[]){1, 2, 3});
    APPLY(ragged, ragged_batch, 2, NULL);
    expect_spec("(0: int64[-1])", flat(ragged, f));
    EXPECT_OK(stk_dataset_files(&rows, NULL, STK_TEST_DATA "/tfrecord", NULL, &err));
    EXPECT_OK(stk_function_tfrecord(&f, 0, NULL, NULL, NULL, &err));
    expect_spec("(record: bytes[])", flat(stk_dataset_ref(rows), f));
    EXPECT_OK(stk_function_text(&f, 0, NULL, NULL, NULL, &err));
    APPLY(rows, interleave, f, NULL);
    stk_function_unref(f);
    expect_spec("(line: bytes[])", rows);
}

STK_TEST(windows_know_what_is_in_them)
{
    stk_error     err;
    stk_function *f;
    stk_dataset  *data = pairs();
    APPLY(data, window, 2, NULL);
    expect_spec("(window: dataset of (0: int64[], 1: int64[-1]))", stk_dataset_ref(data));
    EXPECT_OK(stk_function_flatten(&f, STK_ALL_VALUES, &err));
    expect_spec("(0: int64[], 1: int64[-1])", flat(stk_dataset_ref(data), f));
    APPLY(data, window, 2, NULL);
    expect_spec("(window: dataset of (window: dataset of (0: int64[], 1: int64[-1])))", data);
}

STK_TEST(windows_of_windows_know_eight_levels)
{
    stk_error     err;
    stk_dataset  *data = RANGE(3);
    stk_function *f;
    EXPECT_OK(stk_function_flatten(&f, STK_ALL_VALUES, &err));
    for (int i = 0; i < 100; i++)
        APPLY(data, window, 1, NULL);
    for (int i = 0; i < 8; i++) {
        EXPECT(stk_dataset_spec(data)->known);
        APPLY(data, flat_map, f);
    }
    EXPECT(stk_dataset_spec(data)->known);
    EXPECT_INT_EQ(STK_VALUE_DATASET, stk_dataset_spec(data)->values[0].kind);
    APPLY(data, flat_map, f);
    EXPECT(!stk_dataset_spec(data)->known);
    for (int i = 0; i < 91; i++)
        APPLY(data, flat_map, f);
    stk_function_unref(f);
    EXPECT_STR_EQ("0 1 2 .", stk_test_run(data, NULL, 0));
    stk_dataset_unref(data);
}

STK_TEST(windows_of_unlike_elements_are_like_each_other)
{
    stk_error    err;
    stk_dataset *inputs[] = {pairs(), RANGE(3), RANGE(2)}, *all;
    for (size_t i = 0; i < 3; i++)
        APPLY(inputs[i], window, 2, NULL);
    EXPECT_OK(stk_dataset_concatenate(&all, inputs, 2, &err));
    expect_spec("(window: dataset)", all);
    EXPECT_OK(stk_dataset_concatenate(&all, inputs + 1, 2, &err));
    expect_spec("(window: dataset of (0: int64[]))", all);
    EXPECT_OK(stk_dataset_zip(&all, inputs + 1, 2, &err));
    expect_spec("(0: dataset of (0: int64[]), 1: dataset of (0: int64[]))", all);
    for (size_t i = 0; i < 3; i++)
        stk_dataset_unref(inputs[i]);
}

static stk_status in_threes(void *context, stk_dataset **data, stk_error *err)
{
    const bool *refuse = context;
    if (refuse && *refuse)
        return stk_fail(err, STK_E_INVALID, "test", NULL, "not before it is really there");
    return stk_dataset_batch(data, 3, &(stk_batch_options){.drop_remainder = true}, err);
}

STK_TEST(stages_on_inner_datasets_say_what_comes_out)
{
    stk_error     err;
    stk_function *f;
    bool          refuse = true;
    EXPECT_OK(stk_function_pipeline(&f, &(stk_pipeline_info){.apply = in_threes}, &err));
    stk_dataset *data = RANGE(7);
    APPLY(data, window, 3, NULL);
    data = flat(data, f);
    expect_spec("(0: int64[3])", stk_dataset_ref(data));
    EXPECT_GIVES("[0 1 2] [3 4 5] .", data);
    const stk_pipeline_info refusing = {.apply = in_threes, .context = &refuse};
    EXPECT_OK(stk_function_pipeline(&f, &refusing, &err));
    data = RANGE(7);
    APPLY(data, window, 3, NULL);
    data = flat(data, f);
    expect_spec("(?)", stk_dataset_ref(data));
    refuse = false;
    EXPECT_GIVES("[0 1 2] [3 4 5] .", data);
}

STK_TEST(declared_elements_of_inner_datasets_are_held_to_it)
{
    const stk_value_spec   value = {.name = "row", .dtype = STK_DTYPE_F32, .rank_known = true};
    const stk_element_spec spec = {.known = true, .count = 1, .values = &value};
    stk_error              err;
    stk_function          *f;
    EXPECT_OK(
        stk_function_pipeline(&f, &(stk_pipeline_info){.apply = in_threes, .output = &spec}, &err));
    stk_dataset *data = RANGE(6);
    APPLY(data, window, 3, NULL);
    data = flat(data, f);
    expect_spec("(row: float32[])", stk_dataset_ref(data));
    EXPECT_GIVES("!wrong_type !wrong_type .", data);
}

static stk_status build(stk_dataset **out, stk_error *err)
{
    stk_function *f = NULL;
    STK_TRY(stk_dataset_range(out, 0, 6, 1, err));
    stk_status st = stk_dataset_window(out, 3, NULL, err);
    if (!st) st = stk_function_pipeline(&f, &(stk_pipeline_info){.apply = in_threes}, err);
    if (!st) st = stk_dataset_flat_map(out, f, err);
    stk_function_unref(f);
    return st;
}

STK_TEST(inner_specs_survive_want_of_memory)
{
    stk_test_watchdog(60);
    stk_test_without_memory(build, 2);
}

static void count_unknown(const stk_dataset *data, int *stages, int *unknown)
{
    ++*stages;
    *unknown += !data->spec.known;
    for (size_t i = 0; i < data->input_count; i++)
        count_unknown(data->inputs[i], stages, unknown);
}

enum { PLANS = 2000, MOST_STAGES = 8 };

/* Random plans whose functions say what they give, or are the library's. */
STK_TEST(no_stage_of_a_random_plan_forgets_what_its_elements_are)
{
    uint64_t draws = 11;
    int      stages = 0, unknown = 0, plans = 0;
    for (int i = 0; i < PLANS; i++) {
        char text[STK_LINE_TEXT];
        stk_test_random_line(text, &draws, MOST_STAGES);
        stk_line    *line = stk_line_parse(text, NULL);
        stk_dataset *data = stk_line_build(line);
        const int    before = unknown;
        count_unknown(data, &stages, &unknown);
        if (unknown > before && plans++ < 5) print_message("%s\n", text);
        stk_dataset_unref(data);
        stk_line_free(line);
    }
    print_message("%d of %d stages in %d of %d plans\n", unknown, stages, plans, PLANS);
    EXPECT_INT_EQ(0, unknown);
}

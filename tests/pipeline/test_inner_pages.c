/* The examples of the pages on stages over inner datasets and on sampling, as they stand there. */
#include "pipeline_support.h"

static stk_dataset *built(stk_status (*build)(stk_dataset **out, stk_error *err))
{
    stk_error    err;
    stk_dataset *data;
    EXPECT_OK(build(&data, &err));
    return data;
}

static stk_status flat_map(stk_dataset **out, stk_error *err)
{
    stk_dataset  *data;
    stk_function *copies;
    STK_TRY(stk_dataset_range(&data, 1, 4, 1, err));
    STK_TRY(stk_function_copies(&copies, 0, err));
    STK_TRY(stk_dataset_flat_map(&data, copies, err));
    stk_function_unref(copies);
    *out = data;
    return STK_OK;
}

static stk_status interleave(stk_dataset **out, stk_error *err)
{
    stk_dataset  *data;
    stk_function *copies;
    STK_TRY(stk_dataset_range(&data, 1, 5, 1, err));
    STK_TRY(stk_function_copies(&copies, 0, err));
    STK_TRY(stk_dataset_interleave(&data, copies, &(stk_interleave_options){.cycle = 2, .block = 2},
                                   err));
    stk_function_unref(copies);
    *out = data;
    return STK_OK;
}

static stk_status window(stk_dataset **out, stk_error *err)
{
    stk_dataset *data;
    STK_TRY(stk_dataset_range(&data, 0, 7, 1, err));
    STK_TRY(stk_dataset_window(&data, 3, &(stk_window_options){.shift = 2, .stride = 1}, err));
    *out = data;
    return STK_OK;
}

static stk_status in_fours(void *context, stk_dataset **data, stk_error *err)
{
    (void)context;
    return stk_dataset_batch(data, 4, NULL, err);
}

static stk_status batched_windows(stk_dataset **out, stk_error *err)
{
    stk_function *function;
    STK_TRY(window(out, err));
    STK_TRY(stk_function_pipeline(
        &function, &(stk_pipeline_info){.details = "batch 4", .apply = in_fours}, err));
    STK_TRY(stk_dataset_flat_map(out, function, err));
    stk_function_unref(function);
    return STK_OK;
}

static stk_status group_by_window(stk_dataset **out, stk_error *err)
{
    stk_dataset  *data;
    stk_function *key, *reduce;
    STK_TRY(stk_dataset_range(&data, 0, 10, 1, err));
    STK_TRY(stk_function_modulo(&key, 0, 2, err));
    STK_TRY(stk_function_pipeline(
        &reduce, &(stk_pipeline_info){.details = "batch 4", .apply = in_fours}, err));
    STK_TRY(stk_dataset_group_by_window(&data, key, reduce, 4, NULL, err));
    stk_function_unref(key);
    stk_function_unref(reduce);
    *out = data;
    return STK_OK;
}

static stk_status bucket_by_length(stk_dataset **out, stk_error *err)
{
    static const int64_t boundaries[] = {3, 5}, sizes[] = {2, 2, 2};
    static const size_t  lengths[] = {1, 4, 2, 3, 6};
    static const int64_t numbers[] = {1, 4, 4, 4, 4, 2, 2, 3, 3, 3, 6, 6, 6, 6, 6, 6};
    stk_dataset         *data = stk_test_vectors(5, lengths, numbers);
    stk_function        *length;
    STK_TRY(stk_function_length(&length, 0, err));
    STK_TRY(stk_dataset_bucket_by_length(&data, length,
                                         &(stk_bucket_options){.boundaries = boundaries,
                                                               .boundary_count = 2,
                                                               .batch_sizes = sizes,
                                                               .batch_size_count = 3},
                                         err));
    stk_function_unref(length);
    *out = data;
    return STK_OK;
}

static stk_status choose_from(stk_dataset **out, stk_error *err)
{
    stk_dataset *inputs[2], *choices, *data;
    STK_TRY(stk_dataset_range(&inputs[0], 0, 10, 1, err));
    STK_TRY(stk_dataset_range(&inputs[1], 100, 110, 1, err));
    STK_TRY(stk_dataset_range(&choices, 0, 2, 1, err));
    STK_TRY(stk_dataset_repeat(&choices, 3, err));
    STK_TRY(stk_dataset_choose_from(&data, inputs, 2, choices, NULL, err));
    stk_dataset_unref(inputs[0]);
    stk_dataset_unref(inputs[1]);
    stk_dataset_unref(choices);
    *out = data;
    return STK_OK;
}

static stk_status sample_from(stk_dataset **out, stk_error *err)
{
    static const double      weights[] = {0.9, 0.1};
    const stk_sample_options options = {
        .weights = weights, .weight_count = 2, .stop_on_empty = true, .seeded = true, .seed = 7};
    stk_dataset *inputs[2], *data;
    STK_TRY(stk_dataset_range(&inputs[0], 0, 100, 1, err));
    STK_TRY(stk_dataset_range(&inputs[1], 100, 200, 1, err));
    STK_TRY(stk_dataset_sample_from(&data, inputs, 2, &options, err));
    stk_dataset_unref(inputs[0]);
    stk_dataset_unref(inputs[1]);
    *out = data;
    return STK_OK;
}

static stk_status rejection_resample(stk_dataset **out, stk_error *err)
{
    static const double        target[] = {0.5, 0, 0.5}, initial[] = {0.4, 0.2, 0.4};
    const stk_resample_options options = {.target = target, .initial = initial, .class_count = 3};
    stk_dataset               *data;
    stk_function              *class_of;
    STK_TRY(stk_dataset_range(&data, 0, 9, 1, err));
    STK_TRY(stk_function_modulo(&class_of, 0, 3, err));
    STK_TRY(stk_dataset_rejection_resample(&data, class_of, &options, err));
    stk_function_unref(class_of);
    *out = data;
    return STK_OK;
}

STK_TEST(examples_of_the_pages_give_what_the_pages_say)
{
    EXPECT_GIVES("1 2 2 3 3 3 .", built(flat_map));
    EXPECT_GIVES("1 2 2 3 3 3 4 4 4 4 .", built(interleave));
    EXPECT_GIVES("<0 1 2> <2 3 4> <4 5 6> <6> .", built(window));
    EXPECT_GIVES("[0 1 2] [2 3 4] [4 5 6] [6] .", built(batched_windows));
    EXPECT_GIVES("[0 2 4 6] [1 3 5 7] [8] [9] .", built(group_by_window));
    EXPECT_GIVES("[[1 0][2 2]] [[4 4 4 4][3 3 3 0]] [[6 6 6 6 6 6]] .", built(bucket_by_length));
    EXPECT_GIVES("0 100 1 101 2 102 .", built(choose_from));
    EXPECT_GIVES("0 2 3 5 6 8 .", built(rejection_resample));
    stk_dataset *sampled = built(sample_from);
    EXPECT_STR_EQ("0 1 100 2 3 4 5 6 101 102 7 8 ...", stk_test_run(sampled, NULL, 12));
    stk_dataset_unref(sampled);
}

static stk_dataset *from_yaml(const char *yaml)
{
    stk_error    err;
    stk_dataset *data;
    EXPECT_OK(stk_recipe_read(&data, stk_bytes_text(yaml), "page.yaml", NULL, &err));
    return data;
}

STK_TEST(recipes_of_the_pages_give_what_the_pages_say)
{
    EXPECT_GIVES("1 2 2 3 3 3 .", from_yaml("data:\n"
                                            "- range: {start: 1, stop: 4}\n"
                                            "- flat_map: copies\n"));
    EXPECT_GIVES(
        "1 2 2 3 3 3 4 4 4 4 .",
        from_yaml("data:\n"
                  "- range: {start: 1, stop: 5}\n"
                  "- interleave: {function: copies, cycle: 2, block: 2, parallel: auto}\n"));
    EXPECT_GIVES("[0 1 2] [2 3 4] [4 5 6] [6] .",
                 from_yaml("data:\n"
                           "- range: 7\n"
                           "- window: {size: 3, shift: 2}\n"
                           "- flat_map: {function: flatten, then: [batch: 3]}\n"));
    EXPECT_GIVES("[0 2 4 6] [1 3 5 7] [8] [9] .",
                 from_yaml("data:\n"
                           "- range: 10\n"
                           "- group_by_window: {key: {modulo: 2}, size: 4, reduce: [batch: 4]}\n"));
    EXPECT_GIVES("0 100 1 101 2 102 .",
                 from_yaml("data:\n"
                           "- choose_from:\n"
                           "    inputs: [[range: 10], [range: {start: 100, stop: 110}]]\n"
                           "    choices: [range: 2, repeat: 3]\n"));
    EXPECT_GIVES("0 2 3 5 6 8 .",
                 from_yaml("data:\n"
                           "- range: 9\n"
                           "- rejection_resample: {class_of: {modulo: 3}, target: [0.5, 0, 0.5], "
                           "initial: [0.4, 0.2, 0.4]}\n"));
    stk_dataset *sampled =
        from_yaml("data:\n"
                  "- sample_from:\n"
                  "    inputs: [[range: 100], [range: {start: 100, stop: 200}]]\n"
                  "    weights: [0.9, 0.1]\n"
                  "    stop_on_empty: true\n"
                  "    seed: 7\n");
    EXPECT_STR_EQ("0 1 100 2 3 4 5 6 101 102 7 8 ...", stk_test_run(sampled, NULL, 12));
    stk_dataset_unref(sampled);
}

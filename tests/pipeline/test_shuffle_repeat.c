#include "pipeline/operators/shuffle.h"
#include "pipeline_support.h"

#include <stdlib.h>
#include <string.h>

static const stk_shuffle_options seed_1 = {.seed = 1, .seeded = true};

/* input shuffled and repeated: as two stages, or as one. */
static stk_dataset *build(stk_dataset *input, int64_t buffer, const stk_shuffle_options *options,
                          int64_t count, bool fused)
{
    stk_error err;
    APPLY(input, shuffle, buffer, options);
    if (!fused) {
        APPLY(input, repeat, count);
        return input;
    }
    stk_dataset *made;
    EXPECT_OK(stk_shuffle_repeat_make(&made, input, count, &err));
    stk_dataset_unref(input);
    return made;
}

static char *run(stk_dataset *data, size_t limit)
{
    const stk_iterator_options options = {
        .threads = 1, .seed = 7, .passes_off = STK_PASS_SHUFFLE_REPEAT};
    char *text = strdup(stk_test_run(data, &options, limit));
    stk_dataset_unref(data);
    return text;
}

static stk_dataset *with_errors(int64_t count)
{
    stk_dataset *data = RANGE(count);
    APPLY(data, map, stk_test_fail_on(0), NULL);
    APPLY(data, map, stk_test_fail_on(3), NULL);
    APPLY(data, map, stk_test_fail_on(count - 1), NULL);
    return data;
}

static void expect_same(bool errors, int64_t size, int64_t buffer,
                        const stk_shuffle_options *options, int64_t count)
{
    stk_dataset *a = build(errors ? with_errors(size) : RANGE(size), buffer, options, count, false);
    stk_dataset *b = build(errors ? with_errors(size) : RANGE(size), buffer, options, count, true);
    if (count >= 0) EXPECT_INT_EQ(stk_dataset_cardinality(a), stk_dataset_cardinality(b));
    char *plain = run(a, count < 0 ? 100 : 0), *fused = run(b, count < 0 ? 100 : 0);
    EXPECT_STR_EQ(plain, fused);
    free(plain);
    free(fused);
}

STK_TEST(the_fused_stage_gives_exactly_what_the_two_give) /* 59, 60, 75 */
{
    static const int64_t sizes[] = {0, 1, 2, 5, 10, 11}, buffers[] = {1, 2, 5, 10, 100, -2};
    static const int64_t counts[] = {0, 1, 2, 5, -1};
    for (size_t i = 0; i < COUNT_OF(sizes); i++)
        for (size_t j = 0; j < COUNT_OF(buffers); j++)
            for (size_t k = 0; k < COUNT_OF(counts); k++)
                for (int errors = 0; errors < 2; errors++) {
                    expect_same(errors, sizes[i], buffers[j], &seed_1, counts[k]);
                    expect_same(errors, sizes[i], buffers[j], NULL, counts[k]);
                }
}

STK_TEST(the_fused_stage_is_restored_at_every_place) /* 72, 73 */
{
    stk_test_watchdog(100);
    const stk_shuffle_options same = {.seed = 3, .seeded = true, .same_each_epoch = true};
    for (int errors = 0; errors < 2; errors++) {
        stk_dataset *data = build(errors ? with_errors(7) : RANGE(7), 4, &same, 3, true);
        char        *text = run(stk_dataset_ref(data), 0);
        EXPECT_GIVES(text, data);
        free(text);
        data = build(errors ? with_errors(4) : RANGE(4), 50, &same, -1, true);
        text = run(stk_dataset_ref(data), 30);
        EXPECT_BEGINS(30, text, data);
        free(text);
    }
}

/* An input whose passes have 0, 0, 0, 0, 1, 0, 0, 2 elements. */
static stk_status copies_of_epoch(void *context, const stk_call *call, const stk_element *element,
                                  bool *keep, stk_error *err)
{
    static const int64_t sizes[] = {0, 0, 0, 0, 1, 0, 0, 2};
    (void)context, (void)err;
    *keep = stk_test_number(element) < sizes[call->epoch % COUNT_OF(sizes)];
    return STK_OK;
}

STK_TEST(epochs_may_be_of_any_size_or_empty) /* 61 */
{
    char *text[2];
    for (int fused = 0; fused < 2; fused++) {
        stk_dataset *data = RANGE(5);
        APPLY(data, filter, stk_test_test("by_epoch", copies_of_epoch, NULL));
        text[fused] = run(build(data, 10, &seed_1, 8, fused), 0);
    }
    EXPECT_STR_EQ(text[0], text[1]);
    EXPECT(strcmp(text[0], "0 0 1 .") == 0 || strcmp(text[0], "0 1 0 .") == 0);
    free(text[0]);
    free(text[1]);
    EXPECT_GIVES(".", build(RANGE(0), 10, NULL, -1, true)); /* and without end over nothing ends */
}

/* Counts what is read of the input. */
static stk_status count_calls(void *context, const stk_call *call, stk_element **element,
                              stk_error *err)
{
    (void)call, (void)element, (void)err;
    ++*(int *)context;
    return STK_OK;
}

STK_TEST(later_epochs_fill_the_buffer_early_but_at_most_three_are_in_it) /* 60 */
{
    int           read = 0;
    stk_error     err;
    stk_iterator *it;
    stk_dataset  *data = RANGE(4);
    APPLY(data, map, stk_test_map("count", count_calls, &read, 0),
          &(stk_map_options){.parallel = 1});
    data = build(data, 100, &seed_1, -1, true);
    EXPECT_OK(stk_iterator_start(
        &it, data, &(stk_iterator_options){.threads = 1, .passes_off = STK_PASS_ALL}, &err));
    int seen[4] = {0};
    for (int i = 0; i < 40; i++) {
        stk_element *element;
        EXPECT_OK(stk_iterator_next(it, &element, &err));
        EXPECT(read <= (i / 4 + 3) * 4);
        if (i % 4 == 3) EXPECT(read > i + 1);
        seen[stk_test_number(element)]++;
        stk_element_unref(element);
        if (i % 4 == 3)
            for (int k = 0; k < 4; k++)
                EXPECT_INT_EQ(i / 4 + 1, seen[k]);
    }
    stk_iterator_free(it);
    stk_dataset_unref(data);
}

/* The n-th call of all, once. */
typedef struct once {
    int calls, at;
} once;

static stk_status fail_once(void *context, const stk_call *call, stk_element **element,
                            stk_error *err)
{
    once *o = context;
    (void)call;
    (void)element;
    if (__atomic_fetch_add(&o->calls, 1, __ATOMIC_RELAXED) != o->at) return STK_OK;
    return stk_fail(err, STK_E_IO, "test", NULL, "failed once");
}

/* The buffer holds several epochs: an error of the third was given with the last one of all. */
STK_TEST(an_error_that_is_met_epochs_early_is_given)
{
    enum { COUNT = 5, EPOCHS = 8 };
    for (int at = 0; at < COUNT * EPOCHS; at++) {
        once                       o = {.at = at};
        int                        good = 0, bad = 0;
        stk_dataset               *data = RANGE(COUNT);
        stk_iterator              *it;
        stk_error                  err;
        const stk_iterator_options options = {
            .threads = 1, .seed = 3, .passes_off = STK_PASS_CACHE};
        APPLY(data, map, stk_test_map("fail_once", fail_once, &o, 0), NULL);
        APPLY(data, shuffle, 100, NULL);
        APPLY(data, repeat, EPOCHS);
        EXPECT_OK(stk_iterator_start(&it, data, &options, &err));
        for (;;) {
            stk_element *element;
            stk_status   st = stk_iterator_next(it, &element, &err);
            if (!st && !element) break;
            good += !st;
            bad += st == STK_E_IO;
            if (st) EXPECT_INT_EQ(at / COUNT, good / COUNT);
            if (!st) stk_element_unref(element);
        }
        EXPECT_INT_EQ(1, bad);
        EXPECT_INT_EQ(COUNT * EPOCHS - 1, good);
        stk_iterator_free(it);
        stk_dataset_unref(data);
    }
}

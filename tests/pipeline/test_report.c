#include "pipeline_support.h"

#include <string.h>
#include <time.h>

static uint64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static stk_status spin(void *ns, const stk_call *call, stk_element **element, stk_error *err)
{
    (void)call;
    (void)element;
    (void)err;
    const uint64_t end = now_ns() + (uint64_t)(uintptr_t)ns;
    while (now_ns() < end) {
    }
    return STK_OK;
}

static stk_function *spin_for(uintptr_t ns)
{
    return stk_test_map("spin", spin, (void *)ns, 0);
}

/* Draws count elements, sleeping before each. */
static void run_for(stk_dataset *data, int threads, int count, long sleep_ns,
                    stk_iterator_report *report)
{
    const stk_iterator_options options = {.threads = threads, .seed = 7};
    const struct timespec      pause = {.tv_nsec = sleep_ns};
    stk_error                  err;
    stk_iterator              *it;
    EXPECT_OK(stk_iterator_start(&it, data, &options, &err));
    for (int i = 0; i < count; i++) {
        stk_element *element;
        if (sleep_ns) nanosleep(&pause, NULL);
        EXPECT_OK(stk_iterator_next(it, &element, &err));
        assert_non_null(element);
        stk_element_unref(element);
    }
    stk_iterator_read_report(it, report);
    stk_iterator_free(it);
    stk_dataset_unref(data);
}

STK_TEST(a_report_before_the_first_element_says_so)
{
    stk_iterator_report report;
    run_for(RANGE(3), 1, 0, 0, &report);
    EXPECT_INT_EQ(0, report.elements);
    EXPECT_STR_EQ("nothing was given yet", report.limit);
    EXPECT_STR_EQ("none", report.io.backend);
}

static const stk_function_stats *operation(const stk_iterator_report *report, const char *name)
{
    for (size_t i = 0; i < report->operation_count; i++)
        if (strcmp(report->operations[i].name, name) == 0) return &report->operations[i];
    return NULL;
}

STK_TEST(the_slow_function_of_a_fused_stage_is_told_by_name)
{
    enum { ITEMS = 2000, SLOW_NS = 50000, QUICK_NS = 5000 };
    for (int threads = 1; threads <= 3; threads++) {
        stk_iterator_report report;
        stk_dataset        *data = RANGE(ITEMS);
        APPLY(data, map, stk_test_map("quick", spin, (void *)(uintptr_t)QUICK_NS, 0), NULL);
        APPLY(data, map, stk_test_map("slow", spin, (void *)(uintptr_t)SLOW_NS, 0), NULL);
        APPLY(data, batch, 20, NULL);
        run_for(data, threads, ITEMS / 20, 0, &report);
        const stk_function_stats *slow = operation(&report, "slow");
        const stk_function_stats *quick = operation(&report, "quick");
        assert_non_null(slow);
        assert_non_null(quick);
        EXPECT(slow->items > 0.9 * ITEMS && slow->items <= ITEMS);
        EXPECT(slow->busy_ns > quick->busy_ns);
        EXPECT(slow->busy_ns >= 0.8 * ITEMS * SLOW_NS);
    }
}

STK_TEST(stages_are_told_source_first_with_what_they_did)
{
    stk_iterator_report report;
    stk_dataset        *data = RANGE(1000);
    APPLY(data, map, spin_for(1000), NULL);
    APPLY(data, batch, 10, NULL);
    run_for(data, 2, 100, 0, &report);
    EXPECT_INT_EQ(100, report.elements);
    EXPECT_INT_EQ(2, report.threads);
    EXPECT_INT_EQ(2, report.stage_count);
    const stk_operator_stats *source = &report.stages[0], *apply = &report.stages[1];
    EXPECT_STR_EQ("range(0, 1000, 1)", source->name);
    EXPECT_INT_EQ(STK_STAGE_READ, source->stage);
    EXPECT_INT_EQ(1, source->depth);
    EXPECT(source->items >= 1000 - 64 && source->items <= 1000); /* counted in sixty-fours */
    EXPECT(!source->runs_ahead);
    EXPECT_STR_EQ("fused_map(spin, batch 10)", apply->name);
    EXPECT_INT_EQ(STK_STAGE_PREPROCESS, apply->stage);
    EXPECT_INT_EQ(0, apply->depth);
    EXPECT_INT_EQ(100, apply->items);
    EXPECT(apply->runs_ahead);
    EXPECT(apply->busy_ns >= 1000000);
    EXPECT(apply->bytes >= 100 * 80);
    EXPECT(apply->queue_limit > 0);
    EXPECT(report.bytes == apply->bytes);
    EXPECT(report.memory.ceiling_bytes > 0);
    EXPECT(report.first_seconds > 0 && report.first_seconds <= report.seconds);
    EXPECT(report.wait_seconds <= report.seconds);
}

STK_TEST(a_queue_is_full_before_a_slow_consumer_and_empty_behind_a_slow_map)
{
    stk_iterator_report report;
    for (int threads = 1; threads <= 3; threads += 2) {
        stk_dataset *data = RANGE(1000);
        APPLY(data, map, spin_for(2000000), NULL);
        run_for(data, threads, 60, 0, &report);
        const stk_operator_stats *queue = &report.stages[1];
        EXPECT(queue->queue_empty > 0.2 && queue->queue_full < 0.2);
        EXPECT(queue->queue_mean < 0.7 * (double)queue->queue_limit);
    }
    stk_dataset *data = RANGE(1000);
    APPLY(data, map, spin_for(1000), NULL);
    APPLY(data, prefetch, 4);
    run_for(data, 3, 60, 3000000, &report);
    const stk_operator_stats *queue = &report.stages[report.stage_count - 1];
    EXPECT_STR_EQ("prefetch(4)", queue->name);
    EXPECT(queue->queue_full > 0.5 && queue->queue_empty < 0.3);
    EXPECT(queue->queue_mean > 2 && queue->queue_mean <= 4);
    EXPECT_INT_EQ(4, queue->queue_limit);
    EXPECT(queue->blocked_ns > 60 * 3000000 / 2);
}

static bool gives_batches(stk_dataset *data, int count)
{
    stk_iterator_report report;
    run_for(data, 2, count, 0, &report);
    return report.batches;
}

STK_TEST(a_report_knows_whether_elements_are_batches)
{
    stk_error    err;
    stk_dataset *data = RANGE(40);
    for (int i = 0; i < 20; i++) /* a name far longer than there is room for */
        APPLY(data, map, spin_for(1), NULL);
    EXPECT(!gives_batches(stk_dataset_ref(data), 40));
    APPLY(data, batch, 4, NULL);
    APPLY(data, prefetch, 2);
    EXPECT(gives_batches(stk_dataset_ref(data), 10));
    EXPECT_OK(stk_dataset_unbatch(&data, &err));
    EXPECT(!gives_batches(stk_dataset_ref(data), 40));
    APPLY(data, batch, 4, NULL);
    APPLY(data, map, spin_for(1), NULL);
    EXPECT(gives_batches(data, 10));
}

STK_TEST(names_of_stages_have_no_parameters_of_functions)
{
    stk_iterator_report report;
    stk_dataset        *data = RANGE(4);
    APPLY(data, map, stk_test_add(1), NULL);
    APPLY(data, map, stk_test_add(2), NULL);
    run_for(data, 1, 4, 0, &report);
    EXPECT_STR_EQ("fused_map(add, add)", report.stages[1].name);
}

STK_TEST(a_stage_without_a_queue_is_told_its_own_time_only)
{
    stk_iterator_report report;
    stk_dataset        *data = RANGE(64);
    APPLY(data, map, spin_for(200000), (&(stk_map_options){.parallel = 1}));
    APPLY(data, prefetch, 0);
    run_for(data, 1, 16, 0, &report);
    EXPECT_INT_EQ(3, report.stage_count);
    EXPECT(report.stages[0].busy_ns < 1000000);
    EXPECT(report.stages[1].busy_ns >= 16 * 200000);
    EXPECT(report.stages[2].busy_ns < 1000000);
}

STK_TEST(the_busiest_stage_is_named_as_the_limit)
{
    stk_iterator_report report;
    stk_dataset        *data = RANGE(200);
    APPLY(data, map, spin_for(200000), NULL);
    run_for(data, 1, 150, 0, &report);
    EXPECT_CONTAINS("S2 fused_map(spin) limits: ", report.limit);
    EXPECT_CONTAINS("% of the threads' time; at half its cost the rate would rise by ",
                    report.limit);
}

STK_TEST(a_slow_consumer_is_named_as_the_limit)
{
    stk_iterator_report report;
    run_for(RANGE(100), 1, 40, 2000000, &report);
    EXPECT_CONTAINS("the consumer limits: it waited ", report.limit);
}

STK_TEST(errors_are_counted)
{
    stk_iterator_report report;
    stk_error           err;
    stk_iterator       *it;
    stk_element        *element;
    stk_dataset        *data = stk_test_range(0, 5, 1);
    EXPECT_OK(stk_dataset_map(&data, stk_test_fail_on(2), NULL, &err));
    EXPECT_OK(stk_iterator_start(&it, data, &(stk_iterator_options){.threads = 1}, &err));
    for (int i = 0; i < 6; i++) {
        if (stk_iterator_next(it, &element, &err) == STK_OK) stk_element_unref(element);
    }
    stk_iterator_read_report(it, &report);
    EXPECT_INT_EQ(4, report.elements);
    EXPECT_INT_EQ(1, report.stages[1].errors);
    EXPECT_INT_EQ(4, report.stages[1].items);
    stk_iterator_free(it);
    stk_dataset_unref(data);
}

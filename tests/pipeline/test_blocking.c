/* Work that waits: on the engines, beside the threads that compute. */
#include "base/clock.h"
#include "base/threads.h"
#include "pipeline/operators/fused_map.h"
#include "pipeline/operators/operators.h"
#include "pipeline/runtime/run_io.h"
#include "pipeline/runtime/run_node.h"
#include "pipeline_support.h"

#include <unistd.h>

/* What slept and where. */
typedef struct sleeper {
    unsigned us;
    int      sleeping, peak, calls; /* atomic */
    bool     on_engine;             /* atomic: every call was on a thread of an engine */
} sleeper;

static bool is_engine_thread(void)
{
    char name[16] = "";
    pthread_getname_np(pthread_self(), name, sizeof name);
    return strcmp(name, "stk-reader") == 0;
}

static void sleep_once(sleeper *s)
{
    const int now = __atomic_add_fetch(&s->sleeping, 1, __ATOMIC_SEQ_CST);
    int       peak = __atomic_load_n(&s->peak, __ATOMIC_SEQ_CST);
    while (peak < now && !__atomic_compare_exchange_n(&s->peak, &peak, now, false, __ATOMIC_SEQ_CST,
                                                      __ATOMIC_SEQ_CST)) {
    }
    if (!is_engine_thread()) __atomic_store_n(&s->on_engine, false, __ATOMIC_SEQ_CST);
    usleep(s->us);
    __atomic_add_fetch(&s->calls, 1, __ATOMIC_SEQ_CST);
    __atomic_sub_fetch(&s->sleeping, 1, __ATOMIC_SEQ_CST);
}

/* x -> x + 1 after a while; 3 is an error. */
static stk_status wait_and_add(void *context, const stk_call *call, stk_element **element,
                               stk_error *err)
{
    (void)call;
    sleep_once(context);
    const int64_t number = stk_test_number(*element);
    if (number == 3) return stk_fail(err, STK_E_INVALID, "wait", NULL, "3 is refused");
    STK_TRY(stk_element_make_unique(element, err));
    stk_value_i64(stk_element_edit(*element, 0), number + 1);
    return STK_OK;
}

static stk_function *waiting(sleeper *s)
{
    s->on_engine = true;
    return stk_test_map("wait", wait_and_add, s, STK_FUNCTION_BLOCKING);
}

/* A source that waits for each of its numbers. */
typedef struct source_params {
    sleeper *sleeper;
    int64_t  count;
} source_params;

static stk_status next_number(stk_node *node, stk_element **out, stk_error *err)
{
    const source_params *p = node->plan->params;
    int64_t             *given = node->state;
    if (*given == p->count) return STK_OK;
    sleep_once(p->sleeper);
    STK_TRY(stk_element_new(out, 1, err));
    stk_value_i64(stk_element_edit(*out, 0), (*given)++);
    return STK_OK;
}

static const stk_operator op_waiting_source = {
    .name = "waiting_source",
    .stage = STK_STAGE_READ,
    .traits = STK_OPERATOR_BLOCKING,
    .params_bytes = sizeof(source_params),
    .state_bytes = sizeof(int64_t),
    .next = next_number,
};

static stk_dataset *waiting_source(sleeper *s, int64_t count)
{
    stk_error           err;
    stk_dataset        *data;
    const source_params p = {s, count};
    s->on_engine = true;
    EXPECT_OK(stk_dataset_make(&data, &op_waiting_source, &p, NULL, 0, &err));
    return data;
}

static double seconds_to_run(stk_dataset *data, const stk_iterator_options *options)
{
    const uint64_t begin = stk_clock_ns();
    stk_test_run(data, options, 0);
    return (double)(stk_clock_ns() - begin) * 1e-9;
}

STK_TEST(two_hundred_calls_of_20_ms_take_less_than_a_second)
{
    stk_test_watchdog(120);
    sleeper      s = {.us = 20000};
    stk_dataset *data = stk_test_range(10, 210, 1);
    APPLY(data, map, waiting(&s), NULL);
    const double seconds = seconds_to_run(data, &(stk_iterator_options){.threads = 2});
    print_message("200 calls of 20 ms: %.3f s, %d at a time\n", seconds, s.peak);
    EXPECT(seconds < 1.0);
    EXPECT_INT_EQ(200, s.calls);
    EXPECT(s.on_engine);
    stk_dataset_unref(data);
}

STK_TEST(a_waiting_map_keeps_order_errors_and_place)
{
    sleeper      s = {.us = 100};
    stk_dataset *data = RANGE(9);
    APPLY(data, map, waiting(&s), NULL);
    EXPECT_GIVES("1 2 3 !invalid_argument 5 6 7 8 9 .", data);
    EXPECT(s.on_engine);
}

STK_TEST(no_more_calls_at_a_time_than_asked_for)
{
    sleeper               s = {.us = 2000};
    const stk_map_options options = {.parallel = 3};
    stk_dataset          *data = stk_test_range(10, 60, 1);
    APPLY(data, map, waiting(&s), &options);
    stk_test_run(data, NULL, 0);
    EXPECT_INT_EQ(50, s.calls);
    EXPECT(s.peak > 1 && s.peak <= 3);
    stk_dataset_unref(data);
}

STK_TEST(io_flight_limits_the_calls)
{
    sleeper      s = {.us = 500};
    stk_dataset *data = stk_test_range(10, 60, 1);
    APPLY(data, map, waiting(&s), NULL);
    stk_test_run(data, &(stk_iterator_options){.io_depth = 2}, 0);
    EXPECT_INT_EQ(2, s.peak);
    stk_dataset_unref(data);
}

STK_TEST(the_report_tells_of_the_engine)
{
    sleeper      s = {.us = 500};
    stk_dataset *data = stk_test_range(10, 40, 1);
    APPLY(data, map, waiting(&s), NULL);
    stk_error           err;
    stk_iterator       *it;
    stk_element        *element;
    stk_iterator_report report;
    EXPECT_OK(stk_iterator_start(&it, data, &(stk_iterator_options){.io_depth = 3}, &err));
    for (int i = 0; i < 30; i++) {
        EXPECT_OK(stk_iterator_next(it, &element, &err));
        stk_element_unref(element);
    }
    stk_iterator_read_report(it, &report);
    EXPECT(report.io.requests >= 29); /* the last may not be accounted for yet */
    EXPECT(report.io.latency_ns > 400000);
    EXPECT_INT_EQ(3, report.io.limit);
    EXPECT(strcmp(report.io.backend, "none") != 0);
    stk_iterator_free(it);
    stk_dataset_unref(data);
}

STK_TEST(relaxed_order_gives_all_of_them)
{
    sleeper               s = {.us = 300};
    const stk_map_options options = {.order = STK_ORDER_RELAXED};
    stk_dataset          *data = stk_test_range(10, 110, 1);
    APPLY(data, map, waiting(&s), &options);
    stk_error     err;
    stk_iterator *it;
    stk_element  *element;
    int64_t       sum = 0;
    EXPECT_OK(stk_iterator_start(&it, data, NULL, &err));
    for (int i = 0; i < 100; i++) {
        EXPECT_OK(stk_iterator_next(it, &element, &err));
        sum += stk_test_number(element);
        stk_element_unref(element);
    }
    EXPECT_INT_EQ(100 * 11 + 99 * 50, sum);
    EXPECT_OK(stk_iterator_next(it, &element, &err));
    EXPECT(element == NULL);
    stk_iterator_free(it);
    stk_dataset_unref(data);
}

STK_TEST(elements_of_a_batch_are_called_for_at_once)
{
    sleeper                    s = {.us = 5000};
    stk_fused_function         step = {.function = waiting(&s), .salt = 1};
    const stk_fused_map_params params = {
        .steps = &step, .count = 1, .parallel = STK_AUTO, .batch = 16};
    stk_error    err;
    stk_dataset *range = stk_test_range(10, 74, 1), *data;
    EXPECT_OK(stk_fused_map_make(&data, &params, range, &err));
    const double seconds = seconds_to_run(data, NULL);
    EXPECT(seconds < 64 * 0.005);
    EXPECT(s.peak > 1);
    EXPECT(s.on_engine);
    stk_dataset_unref(range);
    s.us = 50;
    EXPECT_GIVES("[11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26] "
                 "[27 28 29 30 31 32 33 34 35 36 37 38 39 40 41 42] "
                 "[43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58] "
                 "[59 60 61 62 63 64 65 66 67 68 69 70 71 72 73 74] .",
                 data);
}

STK_TEST(a_source_that_waits_is_pulled_while_the_consumer_computes)
{
    sleeper      s = {.us = 5000};
    stk_dataset *data = waiting_source(&s, 20);
    APPLY(data, prefetch, 8);
    stk_error     err;
    stk_iterator *it;
    stk_element  *element;
    EXPECT_OK(stk_iterator_start(&it, data, &(stk_iterator_options){.threads = 1}, &err));
    const uint64_t begin = stk_clock_ns();
    for (int i = 0; i < 20; i++) {
        EXPECT_OK(stk_iterator_next(it, &element, &err));
        EXPECT_INT_EQ(i, stk_test_number(element));
        stk_element_unref(element);
        usleep(5000); /* the consumer's own work */
    }
    /* 200 ms one after the other. */
    EXPECT(stk_clock_ns() - begin < 170000000);
    EXPECT(s.on_engine);
    stk_iterator_free(it);
    stk_dataset_unref(data);
}

STK_TEST(prefetch_pulls_exactly_as_far_as_it_may) /* 52 */
{
    sleeper      s = {.us = 10};
    stk_dataset *data = waiting_source(&s, 100);
    APPLY(data, prefetch, 5);
    stk_error     err;
    stk_iterator *it;
    stk_element  *element;
    EXPECT_OK(stk_iterator_start(&it, data, NULL, &err));
    for (int i = 0; i < 10; i++) {
        EXPECT_OK(stk_iterator_next(it, &element, &err));
        stk_element_unref(element);
    }
    for (int i = 0; i < 200 && __atomic_load_n(&s.calls, __ATOMIC_SEQ_CST) < 15; i++)
        usleep(1000);
    usleep(20000);
    EXPECT_INT_EQ(15, __atomic_load_n(&s.calls, __ATOMIC_SEQ_CST));
    stk_iterator_free(it);
    stk_dataset_unref(data);
}

/* Pulls that wait for calls that wait for pulls, with one turn for calls. */
STK_TEST(waiting_stages_upon_waiting_stages_never_wait_in_a_circle)
{
    sleeper      s = {.us = 20}, t = {.us = 20}, u = {.us = 20};
    stk_dataset *data = waiting_source(&s, 6);
    APPLY(data, prefetch, 2);
    APPLY(data, map, stk_test_add(10), NULL);
    APPLY(data, map, waiting(&t), NULL);
    APPLY(data, prefetch, 1);
    APPLY(data, map, waiting(&u), NULL);
    APPLY(data, prefetch, -1);
    APPLY(data, repeat, 2);
    for (int flight = 0; flight < 3; flight++)
        EXPECT_STR_EQ("12 13 14 15 16 17 12 13 14 15 16 17 .",
                      stk_test_run(data, &(stk_iterator_options){.io_depth = flight}, 0));
    EXPECT_GIVES("12 13 14 15 16 17 12 13 14 15 16 17 .", data);
}

STK_TEST(more_waiting_stages_than_pulls_still_run)
{
    enum { SOURCES = STK_RUN_PULLS_MAX + 20 };
    static stk_dataset *sources[SOURCES];
    sleeper             s = {.us = 1};
    stk_error           err;
    stk_dataset        *data;
    stk_iterator       *it;
    stk_element        *element;
    for (int i = 0; i < SOURCES; i++) {
        sources[i] = waiting_source(&s, 3);
        EXPECT_OK(stk_dataset_prefetch(&sources[i], 1, &err));
    }
    EXPECT_OK(stk_dataset_zip(&data, sources, SOURCES, &err));
    EXPECT_OK(stk_iterator_start(&it, data, NULL, &err));
    for (int i = 0; i < 3; i++) {
        EXPECT_OK(stk_iterator_next(it, &element, &err));
        EXPECT_INT_EQ(SOURCES, stk_element_count(element));
        EXPECT_INT_EQ(i, *(const int64_t *)stk_value_data(stk_element_value(element, SOURCES - 1)));
        stk_element_unref(element);
    }
    EXPECT_OK(stk_iterator_next(it, &element, &err));
    EXPECT(element == NULL);
    EXPECT(!s.on_engine);
    stk_iterator_free(it);
    stk_dataset_unref(data);
    for (int i = 0; i < SOURCES; i++)
        stk_dataset_unref(sources[i]);
}

STK_TEST(freeing_in_the_middle_waits_for_what_is_under_way_only)
{
    for (int taken = 0; taken < 4; taken++) {
        sleeper      s = {.us = 10000}, t = {.us = 10000};
        stk_dataset *data = waiting_source(&s, 100000);
        APPLY(data, prefetch, 4);
        APPLY(data, map, waiting(&t), NULL);
        stk_error     err;
        stk_iterator *it;
        stk_element  *element;
        EXPECT_OK(stk_iterator_start(&it, data, NULL, &err));
        for (int i = 0; i < taken; i++) {
            EXPECT_OK(stk_iterator_next(it, &element, &err));
            stk_element_unref(element);
        }
        const uint64_t begin = stk_clock_ns();
        stk_iterator_free(it);
        EXPECT(stk_clock_ns() - begin < 500000000);
        EXPECT_INT_EQ(0, s.sleeping);
        EXPECT_INT_EQ(0, t.sleeping);
        stk_dataset_unref(data);
    }
}

typedef struct canceller {
    stk_cancel cancel;
    stk_thread thread;
} canceller;

static void *cancel_soon(void *context)
{
    usleep(30000);
    stk_cancel_request(&((canceller *)context)->cancel);
    return NULL;
}

STK_TEST(a_request_to_stop_ends_the_wait)
{
    sleeper      s = {.us = 1000000};
    stk_dataset *data = waiting_source(&s, 3);
    APPLY(data, prefetch, 4);
    canceller     c = {0};
    stk_error     err;
    stk_iterator *it;
    stk_element  *element;
    EXPECT_OK(stk_iterator_start(&it, data, &(stk_iterator_options){.cancel = &c.cancel}, &err));
    EXPECT_OK(stk_thread_start(&c.thread, "cancel", cancel_soon, &c, &err));
    const uint64_t begin = stk_clock_ns();
    EXPECT_STATUS(STK_E_CANCELLED, stk_iterator_next(it, &element, &err));
    EXPECT(stk_clock_ns() - begin < 600000000);
    stk_thread_join(&c.thread);
    stk_iterator_free(it);
    stk_dataset_unref(data);
}

#include "base/limits.h"
#include "pipeline/plan/operator.h"
#include "pipeline_support.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>

/* n -> n % 100 numbers from n - n % 100 on: 203 gives 200 201 202. */
static stk_status counted(void *context, const stk_call *call, const stk_element *element,
                          stk_dataset **out, stk_error *err)
{
    (void)context;
    (void)call;
    const int64_t number = stk_test_number(element), count = number % 100;
    return stk_dataset_range(out, number - count, number, 1, err);
}

/* The same through a map. */
static stk_status counted_and_mapped(void *map, const stk_call *call, const stk_element *element,
                                     stk_dataset **out, stk_error *err)
{
    STK_TRY(counted(NULL, call, element, out, err));
    return stk_dataset_map(out, map, NULL, err);
}

/* Fails on element n. */
static stk_status counted_unless(void *n, const stk_call *call, const stk_element *element,
                                 stk_dataset **out, stk_error *err)
{
    if (stk_test_number(element) == (int64_t)(intptr_t)n)
        return stk_fail(err, STK_E_NOTFOUND, "open", NULL, "there is no %" PRId64,
                        stk_test_number(element));
    return counted(NULL, call, element, out, err);
}

static stk_function *counts(void)
{
    return stk_test_expand("counted", counted, NULL);
}

/* Sequential and with every kind of parallelism: the order is the same. */
static void expect_order(const char *text, size_t count, const int64_t *inputs, int64_t repeat,
                         stk_function *function, int64_t cycle, int64_t block)
{
    const int64_t parallel[] = {0, 1, cycle, STK_AUTO};
    stk_test_watchdog(120);
    for (size_t i = 0; i < COUNT_OF(parallel); i++) {
        const stk_interleave_options options = {
            .cycle = cycle, .block = block, .parallel = parallel[i]};
        stk_dataset *data = stk_test_numbers(count, inputs);
        APPLY(data, repeat, repeat);
        APPLY(data, interleave, function, &options);
        EXPECT_GIVES(text, data);
    }
}
#define EXPECT_ORDER(text, function, cycle, block, ...)                                            \
    expect_order(text, sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t),                         \
                 (int64_t[]){__VA_ARGS__}, 1, function, cycle, block)

STK_TEST(interleave_refills_a_dry_slot_on_its_next_visit) /* 14, 15, 20 */
{
    EXPECT_ORDER("100 200 101 102 300 301 .", counts(), 2, 1, 103, 201, 302);
}

STK_TEST(interleave_ends_a_visit_when_the_slot_runs_dry) /* 14, 16, 20 */
{
    EXPECT_ORDER("100 101 200 102 300 301 .", counts(), 2, 2, 103, 201, 302);
}

STK_TEST(interleave_takes_blocks) /* 17, 20 */
{
    EXPECT_ORDER("100 101 102 103 200 201 202 203 104 105 204 205 300 301 302 303 400 401 402 403 "
                 "304 305 404 405 500 501 502 503 504 505 .",
                 counts(), 2, 4, 106, 206, 306, 406, 506);
}

STK_TEST(an_empty_input_costs_a_turn) /* 18, 20 */
{
    EXPECT_ORDER("400 401 600 402 601 403 602 603 604 605 .", counts(), 2, 1, 404, 500, 606);
}

STK_TEST(interleave_goes_on_over_repeated_inputs) /* 19, 20 */
{
    expect_order("4 5 4 5 4 5 4 5 5 6 6 4 6 4 6 4 6 4 6 5 6 5 6 5 6 5 6 5 6 6 .", 3,
                 (int64_t[]){4, 5, 6}, 2, stk_test_copies(), 2, 1);
}

STK_TEST(a_cycle_of_one_is_flat_map) /* 13 */
{
    EXPECT_ORDER("1 2 2 3 3 3 .", stk_test_copies(), 1, 1, 1, 2, 3);
}

STK_TEST(interleave_agrees_with_tensorflow) /* 14, 20: computed with TensorFlow 2.21 */
{
    static const struct {
        size_t      count;
        int64_t     inputs[8];
        int64_t     cycle, block;
        const char *text;
    } cases[] = {
        {2, {3, 105}, 2, 4, "0 1 2 100 101 102 103 104 ."},
        {2, {1, 100}, 2, 4, "0 ."},
        {5, {1, 104, 201, 300, 401}, 5, 4, "0 100 101 102 103 200 400 ."},
        {3, {1, 100, 200}, 2, 2, "0 ."},
        {3, {1, 102, 203}, 2, 2, "0 100 101 200 201 202 ."},
        {7, {1, 101, 202, 300, 403, 502, 600}, 5, 3, "0 100 200 201 400 401 402 500 501 ."},
        {2, {2, 103}, 3, 4, "0 1 100 101 102 ."},
        {4, {0, 101, 205, 303}, 5, 3, "100 200 201 202 300 301 302 203 204 ."},
        {5, {5, 100, 203, 302, 400}, 4, 1, "0 200 300 1 201 301 2 202 3 4 ."},
        {4, {3, 107, 203, 301}, 3, 3, "0 1 2 100 101 102 200 201 202 103 104 105 300 106 ."},
        {2, {2, 103}, 3, 2, "0 1 100 101 102 ."},
        {2, {1, 102}, 4, 2, "0 100 101 ."},
        {5, {5, 104, 201, 300, 400}, 4, 3, "0 1 2 100 101 102 200 3 4 103 ."},
        {4, {1, 101, 204, 300}, 2, 4, "0 100 200 201 202 203 ."},
        {6,
         {1, 100, 204, 302, 401, 505},
         5,
         2,
         "0 200 201 300 301 400 500 501 202 203 502 503 504 ."},
        {5,
         {7, 107, 207, 303, 400},
         3,
         1,
         "0 100 200 1 101 201 2 102 202 3 103 203 4 104 204 5 105 205 6 106 206 300 301 302 ."},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        expect_order(cases[i].text, cases[i].count, cases[i].inputs, 1, counts(), cases[i].cycle,
                     cases[i].block);
}

STK_TEST(an_error_of_the_input_has_its_place_in_interleave) /* 23: as TensorFlow's */
{
    const int64_t parallel[] = {0, 2, STK_AUTO};
    for (size_t i = 0; i < COUNT_OF(parallel); i++) {
        const stk_interleave_options options = {.cycle = 2, .parallel = parallel[i]};
        stk_dataset                 *data = NUMBERS(3, 103, 203, 303, 403);
        APPLY(data, map, stk_test_fail_on(203), NULL);
        APPLY(data, interleave, counts(), &options);
        EXPECT_GIVES("0 100 1 101 2 102 !invalid_argument 300 400 301 401 302 402 .", data);
    }
}

STK_TEST(an_error_inside_an_input_has_its_place_and_costs_no_turn) /* 23: as TensorFlow's */
{
    EXPECT_ORDER("0 1 100 !invalid_argument 102 2 200 201 300 301 202 302 .",
                 stk_test_expand("counted", counted_and_mapped, stk_test_fail_on(101)), 2, 2, 3,
                 103, 203, 303);
}

STK_TEST(an_error_of_the_function_has_its_place_in_interleave) /* 23: as TensorFlow's */
{
    EXPECT_ORDER("0 1 !not_found 200 201 2 202 300 301 302 .",
                 stk_test_expand("counted", counted_unless, (void *)103), 2, 2, 3, 103, 203, 303);
}

STK_TEST(errors_only_and_nothing_at_all_end) /* 3, 23 */
{
    EXPECT_ORDER("!not_found !not_found .", stk_test_expand("counted", counted_unless, (void *)103),
                 3, 2, 103, 103);
    EXPECT_ORDER(".", counts(), 3, 2, 100, 200, 300, 400, 500);
}

typedef struct nested {
    stk_function *function;
    int64_t       parallel;
} nested;

/* n -> an interleave of its own over three inputs. */
static stk_status interleaved(void *context, const stk_call *call, const stk_element *element,
                              stk_dataset **out, stk_error *err)
{
    (void)call;
    const nested                *inside = context;
    const int64_t                base = stk_test_number(element) * 1000;
    const stk_interleave_options options = {.cycle = 2, .parallel = inside->parallel};
    *out = NUMBERS(base + 3, base + 102, base + 204);
    stk_status st = stk_dataset_interleave(out, inside->function, &options, err);
    return st ? st : stk_dataset_prefetch(out, 2, err);
}

STK_TEST(interleave_inside_interleave_keeps_its_order)
{
    stk_test_watchdog(120);
    for (int i = 0; i < 4; i++) {
        nested                       inside = {counts(), i % 2 ? STK_AUTO : 0};
        const stk_interleave_options outer = {.cycle = 2, .parallel = i / 2 ? STK_AUTO : 0};
        stk_dataset                 *data = NUMBERS(1, 2, 3);
        APPLY(data, interleave, stk_test_expand("interleaved", interleaved, &inside), &outer);
        APPLY(data, prefetch, 3);
        EXPECT_GIVES("1000 2000 1100 2100 1001 2001 1101 2101 1002 2002 1200 2200 1201 2201 1202 "
                     "2202 1203 2203 3000 3100 3001 3101 3002 3200 3201 3202 3203 .",
                     data);
    }
}

STK_TEST(more_slots_than_inputs_cost_nothing) /* 22 */
{
    EXPECT_ORDER("100 200 101 102 .", counts(), 1048576, 1, 103, 201);
}

/* How many calls run at a time, and how many there were. */
typedef struct crowd {
    int now, most, calls; /* atomic */
} crowd;

static stk_status linger(void *context, const stk_call *call, stk_element **element, stk_error *err)
{
    (void)call;
    (void)element;
    (void)err;
    crowd    *c = context;
    const int now = __atomic_add_fetch(&c->now, 1, __ATOMIC_SEQ_CST);
    int       most = __atomic_load_n(&c->most, __ATOMIC_SEQ_CST);
    while (now > most && !__atomic_compare_exchange_n(&c->most, &most, now, false, __ATOMIC_SEQ_CST,
                                                      __ATOMIC_SEQ_CST)) {
    }
    nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
    __atomic_fetch_sub(&c->now, 1, __ATOMIC_SEQ_CST);
    __atomic_fetch_add(&c->calls, 1, __ATOMIC_SEQ_CST);
    return STK_OK;
}

/* Through a map that is not parallel by itself. */
static stk_status counted_and_mapped_singly(void *map, const stk_call *call,
                                            const stk_element *element, stk_dataset **out,
                                            stk_error *err)
{
    STK_TRY(counted(NULL, call, element, out, err));
    return stk_dataset_map(out, map, &(stk_map_options){.parallel = 1}, err);
}

static int most_at_a_time(int64_t parallel, int threads, unsigned traits)
{
    crowd                        c = {0};
    const stk_interleave_options options = {.cycle = 4, .parallel = parallel};
    stk_function                *map = stk_test_map("linger", linger, &c, traits);
    stk_dataset                 *data = NUMBERS(5, 105, 205, 305);
    APPLY(data, interleave, stk_test_expand("slow", counted_and_mapped_singly, map), &options);
    EXPECT_STR_EQ("0 100 200 300 1 101 201 301 2 102 202 302 3 103 203 303 4 104 204 304 .",
                  stk_test_run(data, &(stk_iterator_options){.threads = threads}, 0));
    stk_dataset_unref(data);
    EXPECT_INT_EQ(20, c.calls);
    return c.most;
}

STK_TEST(the_open_datasets_run_at_the_same_time)
{
    stk_test_watchdog(60);
    EXPECT_INT_EQ(1, most_at_a_time(0, 4, 0));
    EXPECT(most_at_a_time(STK_AUTO, 4, 0) >= 2);
    /* What waits does so on the I/O engine, however few threads compute. */
    EXPECT(most_at_a_time(STK_AUTO, 1, STK_FUNCTION_BLOCKING) >= 2);
}

static stk_status counted_and_noted(void *calls, const stk_call *call, const stk_element *element,
                                    stk_dataset **out, stk_error *err)
{
    ++*(int *)calls;
    return counted(NULL, call, element, out, err);
}

STK_TEST(inputs_are_opened_before_their_turn_only_where_that_is_wanted)
{
    stk_error                  err;
    stk_iterator              *it;
    stk_element               *element;
    const stk_iterator_options run = {.threads = 4, .passes_off = STK_PASS_PREFETCH};
    for (int parallel = 0; parallel < 4; parallel++) {
        int                          calls = 0;
        const stk_interleave_options options = {.cycle = 3, .parallel = parallel};
        stk_dataset                 *data = RANGE(90);
        APPLY(data, skip, 5);
        APPLY(data, interleave, stk_test_expand("noted", counted_and_noted, &calls), &options);
        EXPECT_OK(stk_iterator_start(&it, data, &run, &err));
        EXPECT_OK(stk_iterator_next(it, &element, &err));
        stk_element_unref(element);
        /* One in its slot; of the others as many as may run, and two more, but none that would
         * find no slot for long. */
        static const int expected[] = {1, 4, 5, 5};
        EXPECT_INT_EQ(expected[parallel], calls);
        stk_iterator_free(it);
        stk_dataset_unref(data);
    }
}

STK_TEST(stopping_interleave_at_any_time_leaves_nothing_behind)
{
    stk_test_watchdog(60);
    for (size_t taken = 0; taken < 30; taken++) {
        stk_error                    err;
        stk_iterator                *it;
        const stk_interleave_options options = {.cycle = 4, .parallel = STK_AUTO};
        stk_dataset                 *data = NUMBERS(9, 109, 209, 309, 409, 509);
        APPLY(data, repeat, -1);
        APPLY(data, interleave, counts(), &options);
        const stk_iterator_options run = {.threads = 1 + (int)taken % 4};
        EXPECT_OK(stk_iterator_start(&it, data, &run, &err));
        for (size_t i = 0; i < taken; i++) {
            stk_element *element;
            EXPECT_OK(stk_iterator_next(it, &element, &err));
            stk_element_unref(element);
        }
        stk_iterator_free(it);
        stk_dataset_unref(data);
    }
}

STK_TEST(a_cancelled_interleave_stops)
{
    stk_error     err;
    stk_iterator *it;
    stk_element  *element;
    stk_cancel    cancel = {0};
    stk_dataset  *data = NUMBERS(9, 109, 209);
    APPLY(data, repeat, -1);
    APPLY(data, interleave, counts(), &(stk_interleave_options){.cycle = 2, .parallel = 2});
    const stk_iterator_options run = {.threads = 2, .cancel = &cancel};
    EXPECT_OK(stk_iterator_start(&it, data, &run, &err));
    EXPECT_OK(stk_iterator_next(it, &element, &err));
    stk_element_unref(element);
    stk_cancel_request(&cancel);
    EXPECT_STATUS(STK_E_CANCELLED, stk_iterator_next(it, &element, &err));
    stk_iterator_free(it);
    stk_dataset_unref(data);
}

static void expect_refusal(const stk_interleave_options *options, const char *message)
{
    stk_error    err;
    stk_dataset *data = RANGE(5);
    EXPECT_STATUS(STK_E_INVALID, stk_dataset_interleave(&data, counts(), options, &err));
    EXPECT_CONTAINS(message, err.message);
    stk_dataset_unref(data);
}

STK_TEST(interleave_refuses_senseless_parameters) /* 22 */
{
    expect_refusal(&(stk_interleave_options){.cycle = -2}, "cycle is -2");
    expect_refusal(&(stk_interleave_options){.cycle = 1048577}, "cycle is 1048577");
    expect_refusal(&(stk_interleave_options){.cycle = 2, .block = -1}, "block is -1");
    expect_refusal(&(stk_interleave_options){.cycle = 2, .block = 1048577}, "block is 1048577");
    expect_refusal(&(stk_interleave_options){.cycle = 2, .parallel = -2}, "parallel is -2");
    expect_refusal(&(stk_interleave_options){.cycle = 2, .parallel = 3},
                   "parallel is 3 but only 2 datasets are open");
    stk_error    err;
    stk_dataset *data = RANGE(5);
    EXPECT_STATUS(STK_E_INVALID, stk_dataset_interleave(&data, stk_test_add(1), NULL, &err));
    EXPECT_CONTAINS("expand function", err.message);
    stk_dataset_unref(data);
}

static void expect_plan(const stk_interleave_options *options, const char *part)
{
    stk_error    err;
    stk_blob     text;
    stk_dataset *data = RANGE(5);
    stk_blob_init(&text, NULL, STK_MEMORY_INDEX);
    APPLY(data, interleave, counts(), options);
    EXPECT_OK(data->op->describe(data, &text, &err));
    EXPECT_OK(stk_blob_append(&text, "", 1, &err));
    EXPECT_CONTAINS(part, (const char *)text.data);
    stk_blob_release(&text);
    stk_dataset_unref(data);
}

STK_TEST(interleave_chooses_its_cycle_by_cores) /* 21 */
{
    const int64_t cores = stk_limits_cores();
    const int64_t one = cores < 1 ? cores : 1;
    char          part[64];
    snprintf(part, sizeof part, "cycle %" PRId64 ",", cores);
    expect_plan(NULL, part);
    expect_plan(&(stk_interleave_options){.parallel = 1000}, part);
    snprintf(part, sizeof part, "cycle %" PRId64 ",", (cores + 2) / 3);
    expect_plan(&(stk_interleave_options){.parallel = STK_AUTO}, part);
    snprintf(part, sizeof part, "cycle %" PRId64 ",", one);
    expect_plan(&(stk_interleave_options){.parallel = 1}, part);
}

STK_TEST(interleave_does_not_know_its_number) /* 24 */
{
    stk_dataset *data = RANGE(5);
    APPLY(data, interleave, counts(), NULL);
    EXPECT_INT_EQ(STK_CARDINALITY_UNKNOWN, stk_dataset_cardinality(data));
    stk_dataset_unref(data);
    data = NUMBERS(2, 101);
    APPLY(data, repeat, -1);
    APPLY(data, interleave, counts(), &(stk_interleave_options){.cycle = 2, .parallel = STK_AUTO});
    EXPECT_INT_EQ(STK_CARDINALITY_INFINITE, stk_dataset_cardinality(data));
    EXPECT_BEGINS(9, "0 100 1 0 100 1 0 100 1 ...", data);
}

STK_TEST(interleaves_that_give_other_orders_have_other_fingerprints)
{
    static const stk_interleave_options all[] = {{.cycle = 2},
                                                 {.cycle = 3},
                                                 {.cycle = 2, .block = 2},
                                                 {.cycle = 2, .order = STK_ORDER_RELAXED}};
    uint64_t                            seen[COUNT_OF(all)];
    for (size_t i = 0; i < COUNT_OF(all); i++) {
        stk_dataset *data = RANGE(5);
        APPLY(data, interleave, counts(), &all[i]);
        seen[i] = stk_dataset_fingerprint(data);
        stk_dataset_unref(data);
        for (size_t k = 0; k < i; k++)
            EXPECT(seen[i] != seen[k]);
    }
}

/* Numbers seen, each once; relaxed order promises no more. */
static void take_all(stk_iterator *it, size_t most, char *seen, size_t capacity)
{
    stk_error    err;
    stk_element *element;
    for (size_t i = 0; i < most; i++) {
        EXPECT_OK(stk_iterator_next(it, &element, &err));
        if (!element) return;
        const int64_t number = stk_test_number(element);
        stk_element_unref(element);
        if (number < 0 || (size_t)number >= capacity || seen[number]++) fail();
    }
}

/* Relaxed by itself, or because the pipeline is. */
static stk_dataset *relaxed_data(bool pipeline)
{
    const stk_interleave_options options = {
        .cycle = 3, .block = 2, .parallel = STK_AUTO, .order = pipeline ? 0 : STK_ORDER_RELAXED};
    stk_dataset *data = NUMBERS(20, 107, 200, 333, 401, 512, 640);
    APPLY(data, interleave, counts(), &options);
    if (pipeline) APPLY(data, options, &(stk_pipeline_options){.order = STK_ORDER_RELAXED});
    return data;
}

static void expect_complete(const char *seen)
{
    static const int64_t inputs[] = {20, 107, 200, 333, 401, 512, 640};
    for (size_t i = 0; i < COUNT_OF(inputs); i++)
        for (int64_t k = 0; k < 100; k++)
            EXPECT_INT_EQ(k < inputs[i] % 100, seen[inputs[i] / 100 * 100 + k]);
}

STK_TEST(relaxed_interleave_gives_each_element_once)
{
    stk_test_watchdog(60);
    for (int threads = 1; threads <= 4; threads++) {
        char                       seen[1000] = {0};
        stk_error                  err;
        stk_iterator              *it;
        stk_dataset               *data = relaxed_data(threads % 2);
        const stk_iterator_options options = {.threads = threads};
        EXPECT_OK(stk_iterator_start(&it, data, &options, &err));
        take_all(it, 1000, seen, sizeof seen);
        expect_complete(seen);
        stk_iterator_free(it);
        stk_dataset_unref(data);
    }
}

STK_TEST(relaxed_interleave_is_exact_across_checkpoints)
{
    stk_test_watchdog(60);
    for (size_t taken = 0; taken < 115; taken += 7) {
        char                       seen[1000] = {0};
        stk_error                  err;
        stk_iterator              *it;
        stk_blob                   saved;
        stk_dataset               *data = relaxed_data(taken % 2);
        const stk_iterator_options before = {.threads = 3}, after = {.threads = 2};
        stk_blob_init(&saved, NULL, STK_MEMORY_INDEX);
        EXPECT_OK(stk_iterator_start(&it, data, &before, &err));
        take_all(it, taken, seen, sizeof seen);
        EXPECT_OK(stk_iterator_save(it, &saved, &err));
        stk_iterator_free(it);
        EXPECT_OK(stk_iterator_start(&it, data, &after, &err));
        EXPECT_OK(stk_iterator_restore(it, stk_blob_bytes(&saved), &err));
        take_all(it, 1000, seen, sizeof seen);
        expect_complete(seen);
        stk_iterator_free(it);
        stk_blob_release(&saved);
        stk_dataset_unref(data);
    }
}

STK_TEST(damaged_checkpoints_of_interleave_are_harmless)
{
    stk_test_watchdog(120);
    for (int64_t parallel = STK_AUTO; parallel <= 1; parallel++) {
        stk_dataset *data = NUMBERS(3, 105, 9, 202, 304);
        APPLY(data, map, stk_test_fail_on(9), NULL);
        APPLY(data, interleave, counts(),
              &(stk_interleave_options){.cycle = 2, .block = 2, .parallel = parallel});
        stk_test_damage(data, 3);
    }
}

static stk_function *counting;

static stk_status build(stk_dataset **out, stk_error *err)
{
    STK_TRY(stk_dataset_range(out, 2, 6, 1, err));
    return stk_dataset_interleave(out, counting, &(stk_interleave_options){.cycle = 3}, err);
}

STK_TEST(interleave_survives_every_failing_allocation)
{
    counting = counts();
    stk_test_without_memory(build, 14);
}

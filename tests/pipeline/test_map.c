#include "values_support.h"

STK_TEST(map_keeps_order_and_number) /* 11 */
{
    stk_dataset *data = RANGE(10);
    APPLY(data, map, stk_test_multiply(3), NULL);
    EXPECT_INT_EQ(10, stk_dataset_cardinality(data));
    EXPECT_GIVES("0 3 6 9 12 15 18 21 24 27 .", data);
}

STK_TEST(an_error_has_its_place_and_iteration_goes_on) /* 4 */
{
    for (int64_t parallel = 0; parallel <= 2; parallel++) {
        stk_dataset *data = NUMBERS(1, 2, 3, 4, 5);
        APPLY(data, map, stk_test_fail_on(4), &(stk_map_options){.parallel = parallel});
        EXPECT_GIVES("1 2 3 !invalid_argument 5 .", data);
    }
}

STK_TEST(maps_filters_batches_and_repeats_go_together)
{
    stk_dataset *data = RANGE(20);
    APPLY(data, map, stk_test_add(1), NULL);
    APPLY(data, filter, stk_test_divides(3));
    APPLY(data, map, stk_test_multiply(2), NULL);
    APPLY(data, batch, 4, NULL);
    APPLY(data, repeat, 2);
    APPLY(data, prefetch, 2);
    EXPECT_GIVES("[6 12 18 24] [30 36] [6 12 18 24] [30 36] .", data);
}

STK_TEST(a_thousand_elements_through_three_stages)
{
    stk_dataset *data = RANGE(5000);
    APPLY(data, map, stk_test_add(1), NULL);
    APPLY(data, batch, 1000, NULL);
    stk_error     err;
    stk_iterator *it;
    EXPECT_OK(stk_iterator_start(&it, data, NULL, &err));
    for (int i = 0; i < 5; i++) {
        stk_element *batch;
        EXPECT_OK(stk_iterator_next(it, &batch, &err));
        const int64_t *numbers = stk_value_data(stk_element_value(batch, 0));
        for (int k = 0; k < 1000; k++)
            EXPECT_INT_EQ(i * 1000 + k + 1, numbers[k]);
        stk_element_unref(batch);
    }
    stk_iterator_free(it);
    stk_dataset_unref(data);
}

static stk_status dawdle(void *context, const stk_call *call, stk_element **element, stk_error *err)
{
    (void)context;
    (void)element;
    (void)err;
    for (volatile int i = 0; i < (int)(call->index * 7919 % 13) * 3000; i++) {
    }
    return STK_OK;
}

/* Takes everything; whether it came in order, and whether each number came once. */
static void take_numbers(stk_dataset *data, unsigned count, bool *in_order, bool *once)
{
    stk_error     err;
    stk_iterator *it;
    unsigned      seen[1024] = {0}, given = 0;
    *in_order = true;
    EXPECT_OK(stk_iterator_start(&it, data, &(stk_iterator_options){.threads = 4}, &err));
    for (;; given++) {
        stk_element *element;
        EXPECT_OK(stk_iterator_next(it, &element, &err));
        if (!element) break;
        *in_order = *in_order && stk_test_number(element) == given;
        seen[stk_test_number(element)]++;
        stk_element_unref(element);
    }
    *once = given == count;
    for (unsigned i = 0; i < count; i++)
        *once = *once && seen[i] == 1;
    stk_iterator_free(it);
    stk_dataset_unref(data);
}

STK_TEST(relaxed_order_keeps_the_elements_and_exact_order_their_places) /* 11 */
{
    stk_test_watchdog(60);
    for (stk_order order = STK_ORDER_DEFAULT; order <= STK_ORDER_RELAXED; order++) {
        bool         in_order, once;
        stk_dataset *data = RANGE(1000);
        APPLY(data, map, stk_test_map("dawdle", dawdle, NULL, 0),
              &(stk_map_options){.order = order});
        take_numbers(data, 1000, &in_order, &once);
        EXPECT(once);
        EXPECT(in_order || order == STK_ORDER_RELAXED);
    }
}

/* Gives each element the number of calls so far. */
typedef struct counter {
    int64_t calls;
    int     inside, most_inside;
} counter;

static stk_status number_it(void *context, const stk_call *call, stk_element **element,
                            stk_error *err)
{
    (void)call;
    counter  *c = context;
    const int inside = __atomic_add_fetch(&c->inside, 1, __ATOMIC_SEQ_CST);
    if (inside > c->most_inside) c->most_inside = inside;
    STK_TRY(stk_element_make_unique(element, err));
    stk_value_i64(stk_element_edit(*element, 0), c->calls++);
    __atomic_sub_fetch(&c->inside, 1, __ATOMIC_SEQ_CST);
    return STK_OK;
}

static stk_status save_counter(void *context, stk_blob *out, stk_error *err)
{
    return stk_blob_append(out, &((counter *)context)->calls, sizeof(int64_t), err);
}

static stk_status restore_counter(void *context, stk_bytes saved, stk_error *err)
{
    if (saved.size != sizeof(int64_t))
        return stk_fail(err, STK_E_DATALOSS, "test", NULL, "%zu bytes", saved.size);
    memcpy(&((counter *)context)->calls, saved.data, saved.size);
    return STK_OK;
}

static stk_function *counting(counter *c, bool saved)
{
    stk_error               err;
    stk_function           *function;
    const stk_function_info info = {.name = "number_it",
                                    .traits = STK_FUNCTION_STATEFUL,
                                    .context = c,
                                    .map = number_it,
                                    .save = saved ? save_counter : NULL,
                                    .restore = saved ? restore_counter : NULL};
    EXPECT_OK(stk_function_new(&function, &info, &err));
    return function;
}

STK_TEST(a_stateful_map_keeps_its_state_across_repeat_and_runs_alone) /* 76 */
{
    for (int threads = 1; threads <= 8; threads *= 2) {
        counter       c = {0};
        stk_function *function = counting(&c, false);
        stk_dataset  *data = RANGE(3);
        APPLY(data, map, function, &(stk_map_options){.parallel = 8});
        APPLY(data, repeat, 3);
        EXPECT_STR_EQ("0 1 2 3 4 5 6 7 8 .",
                      stk_test_run(data, &(stk_iterator_options){.threads = threads}, 0));
        EXPECT_INT_EQ(1, c.most_inside);
        stk_dataset_unref(data);
        stk_function_unref(function);
    }
}

STK_TEST(the_state_of_a_function_is_part_of_a_checkpoint) /* 72, 76 */
{
    stk_error     err;
    stk_iterator *it;
    stk_blob      saved;
    counter       c = {0};
    stk_function *function = counting(&c, true);
    stk_dataset  *data = RANGE(4);
    PUT(data, map, function, NULL);
    PUT(data, repeat, 2);
    PUT(data, prefetch, 3);
    EXPECT_OK(stk_iterator_start(&it, data, &(stk_iterator_options){.threads = 3}, &err));
    stk_blob_init(&saved, NULL, STK_MEMORY_INDEX);
    for (int64_t i = 0; i < 8; i++) {
        if (i == 5) EXPECT_OK(stk_iterator_save(it, &saved, &err));
        stk_element *element;
        EXPECT_OK(stk_iterator_next(it, &element, &err));
        EXPECT_INT_EQ(i, stk_test_number(element));
        stk_element_unref(element);
    }
    EXPECT_OK(stk_iterator_restore(it, stk_blob_bytes(&saved), &err));
    for (int64_t i = 5; i < 8; i++) {
        stk_element *element;
        EXPECT_OK(stk_iterator_next(it, &element, &err));
        EXPECT_INT_EQ(i, stk_test_number(element));
        stk_element_unref(element);
    }
    stk_iterator_free(it);
    stk_blob_release(&saved);
    stk_dataset_unref(data);
    stk_function_unref(function);
}

STK_TEST(a_function_with_state_but_no_save_cannot_be_in_a_checkpoint)
{
    stk_error     err;
    stk_iterator *it;
    stk_blob      saved;
    counter       c = {0};
    stk_function *function = counting(&c, false);
    stk_dataset  *data = RANGE(4);
    PUT(data, map, function, NULL);
    EXPECT_OK(stk_iterator_start(&it, data, NULL, &err));
    stk_blob_init(&saved, NULL, STK_MEMORY_INDEX);
    EXPECT_STATUS(STK_E_UNSUPPORTED, stk_iterator_save(it, &saved, &err));
    EXPECT_CONTAINS("give it both", err.message);
    stk_iterator_free(it);
    stk_blob_release(&saved);
    stk_dataset_unref(data);
    stk_function_unref(function);
}

STK_TEST(map_by_number_and_past_the_end) /* 74 */
{
    stk_error    err;
    stk_element *element;
    stk_dataset *data = RANGE(3);
    PUT(data, map, stk_test_multiply(5), NULL);
    EXPECT_OK(stk_dataset_at(data, 2, &element, &err));
    EXPECT_INT_EQ(10, stk_test_number(element));
    stk_element_unref(element);
    EXPECT_STATUS(STK_E_RANGE, stk_dataset_at(data, 3, &element, &err));
    stk_dataset_unref(data);
}

STK_TEST(map_refuses_what_makes_no_sense)
{
    stk_error    err;
    stk_dataset *data = RANGE(3);
    EXPECT_STATUS(STK_E_INVALID, stk_dataset_map(&data, stk_test_divides(2), NULL, &err));
    EXPECT_CONTAINS("no map function", err.message);
    const stk_map_options options = {.parallel = -2};
    EXPECT_STATUS(STK_E_INVALID, stk_dataset_map(&data, stk_test_add(1), &options, &err));
    EXPECT_CONTAINS("parallel is -2", err.message);
    stk_dataset_unref(data);
}

static stk_status swallow(void *context, const stk_call *call, stk_element **element,
                          stk_error *err)
{
    (void)context;
    (void)err;
    if (call->index != 1) return STK_OK;
    stk_element_unref(*element);
    *element = NULL;
    return STK_OK;
}

STK_TEST(a_map_that_leaves_no_element_does_not_end_the_data) /* 6 */
{
    stk_dataset *data = RANGE(3);
    APPLY(data, map, stk_test_map("swallow", swallow, NULL, 0), NULL);
    EXPECT_GIVES("0 !invalid_argument 2 .", data);
}

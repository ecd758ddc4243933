#include "pipeline_support.h"

#include "pipeline/iterator/iterator_internal.h"
#include "pipeline/operators/options.h"

static stk_dataset *with(stk_dataset *data, stk_order order, unsigned passes_off)
{
    const stk_pipeline_options options = {.order = order, .passes_off = passes_off};
    APPLY(data, options, &options);
    return data;
}

STK_TEST(options_change_no_element)
{
    stk_test_watchdog(60);
    stk_dataset *data = RANGE(4);
    APPLY(data, map, stk_test_fail_on(2), NULL);
    data = with(data, STK_ORDER_EXACT, STK_PASS_ALL);
    EXPECT_INT_EQ(4, stk_dataset_cardinality(data));
    APPLY(data, repeat, 2);
    EXPECT_GIVES("0 1 !invalid_argument 3 0 1 !invalid_argument 3 .", data);
}

STK_TEST(the_outermost_setting_wins)
{
    stk_dataset *data = with(RANGE(4), STK_ORDER_RELAXED, STK_PASS_NOOP);
    APPLY(data, map, stk_test_add(1), NULL);
    EXPECT_INT_EQ(STK_ORDER_RELAXED, stk_options_of(data).order);
    EXPECT_INT_EQ(STK_PASS_NOOP, stk_options_of(data).passes_off);
    data = with(data, STK_ORDER_DEFAULT, STK_PASS_CACHE);
    EXPECT_INT_EQ(STK_ORDER_RELAXED, stk_options_of(data).order);
    EXPECT_INT_EQ(STK_PASS_CACHE, stk_options_of(data).passes_off);
    data = with(data, STK_ORDER_EXACT, 0);
    EXPECT_INT_EQ(STK_ORDER_EXACT, stk_options_of(data).order);
    EXPECT_INT_EQ(STK_PASS_CACHE, stk_options_of(data).passes_off);
    stk_dataset_unref(data);
}

STK_TEST(settings_of_any_input_count)
{
    stk_dataset *inputs[] = {RANGE(3), with(RANGE(3), STK_ORDER_RELAXED, 0)}, *data;
    stk_error    err;
    EXPECT_OK(stk_dataset_zip(&data, inputs, 2, &err));
    EXPECT_INT_EQ(STK_ORDER_RELAXED, stk_options_of(data).order);
    stk_dataset_unref(inputs[0]);
    stk_dataset_unref(inputs[1]);
    stk_dataset_unref(data);
}

STK_TEST(the_iterator_follows_the_options)
{
    stk_error     err;
    stk_iterator *it;
    stk_dataset  *data = with(RANGE(4), STK_ORDER_RELAXED, STK_PASS_NOOP);
    APPLY(data, batch, 2, NULL);
    EXPECT_OK(
        stk_iterator_start(&it, data, &(stk_iterator_options){.passes_off = STK_PASS_CACHE}, &err));
    EXPECT(it->relaxed);
    EXPECT_INT_EQ(STK_PASS_ALL & ~(STK_PASS_NOOP | STK_PASS_CACHE), it->passes);
    stk_iterator_free(it);
    stk_dataset_unref(data);
}

/* All elements once; a stage that says exact stays so. */
STK_TEST(relaxed_order_keeps_the_elements) /* 11 */
{
    stk_error     err;
    stk_iterator *it;
    stk_dataset  *data = RANGE(500);
    char          seen[500] = {0};
    APPLY(data, map, stk_test_add(0), &(stk_map_options){.parallel = 4});
    data = with(data, STK_ORDER_RELAXED, 0);
    EXPECT_OK(stk_iterator_start(&it, data, &(stk_iterator_options){.threads = 4}, &err));
    for (int i = 0; i < 500; i++) {
        stk_element *element;
        EXPECT_OK(stk_iterator_next(it, &element, &err));
        seen[stk_test_number(element)]++;
        stk_element_unref(element);
    }
    for (int i = 0; i < 500; i++)
        EXPECT_INT_EQ(1, seen[i]);
    stk_iterator_free(it);
    stk_dataset_unref(data);
    data = RANGE(50);
    APPLY(data, map, stk_test_add(0), &(stk_map_options){.order = STK_ORDER_EXACT});
    data = with(data, STK_ORDER_RELAXED, 0);
    EXPECT_GIVES("0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 "
                 "30 31 32 33 34 35 36 37 38 39 40 41 42 43 44 45 46 47 48 49 .",
                 data);
}

STK_TEST(options_refuses_what_there_is_not)
{
    stk_error    err;
    stk_dataset *data = RANGE(3);
    EXPECT_REFUSED(
        STK_E_INVALID, "the order is 7; it is 0 (default), 1 (exact) or 2 (relaxed)",
        stk_dataset_options(&data, &(stk_pipeline_options){.order = (stk_order)7}, &err));
    EXPECT_REFUSED(
        STK_E_INVALID, "passes 0x8000 are to be off",
        stk_dataset_options(&data, &(stk_pipeline_options){.passes_off = 1 << 15}, &err));
    stk_dataset_unref(data);
}

STK_TEST(elements_by_number_go_through_options) /* 74 */
{
    stk_error    err;
    stk_element *element;
    stk_dataset *data = with(RANGE(3), STK_ORDER_DEFAULT, 0);
    EXPECT_OK(stk_dataset_at(data, 2, &element, &err));
    EXPECT_INT_EQ(2, stk_test_number(element));
    stk_element_unref(element);
    EXPECT_STATUS(STK_E_RANGE, stk_dataset_at(data, 3, &element, &err));
    stk_dataset_unref(data);
}

#include "pipeline_support.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static stk_dataset *unique(stk_dataset *data)
{
    stk_error err;
    EXPECT_OK(stk_dataset_unique(&data, &err));
    return data;
}

static stk_status to_text(void *context, const stk_call *call, stk_element **element,
                          stk_error *err)
{
    (void)context;
    char text[32];
    snprintf(text, sizeof text, "n%" PRId64, stk_test_number(*element));
    stk_element *made;
    STK_TRY(stk_element_new(&made, 1, err));
    stk_status st =
        stk_value_bytes(stk_element_edit(made, 0), call->ledger, stk_bytes_text(text), err);
    if (st) {
        stk_element_unref(made);
        return st;
    }
    stk_element_unref(*element);
    *element = made;
    return STK_OK;
}

static stk_status to_float(void *context, const stk_call *call, stk_element **element,
                           stk_error *err)
{
    (void)context;
    (void)call;
    STK_TRY(stk_element_make_unique(element, err));
    stk_value_f32(stk_element_edit(*element, 0), 1);
    return STK_OK;
}

STK_TEST(unique_gives_the_first_of_equals) /* 47 */
{
    stk_test_watchdog(60);
    EXPECT_GIVES("1 2 4 3 .", unique(NUMBERS(1, 2, 4, 3, 2, 1)));
    EXPECT_GIVES("7 .", unique(NUMBERS(7, 7, 7)));
    EXPECT_GIVES(".", unique(RANGE(0)));
    stk_dataset *data = NUMBERS(1, 2, 1);
    APPLY(data, map, stk_test_map("to_text", to_text, NULL, 0), NULL);
    EXPECT_GIVES("'n1' 'n2' .", unique(data));
}

STK_TEST(unique_compares_vectors_with_their_shapes)
{
    EXPECT_GIVES("[1 2] [3 4] [] [1] .",
                 unique(stk_test_vectors(6, (size_t[]){2, 2, 2, 0, 1, 0},
                                         (int64_t[]){1, 2, 3, 4, 1, 2, 1})));
}

STK_TEST(unique_leaves_errors_in_their_places) /* 4 */
{
    stk_dataset *data = NUMBERS(1, 2, 4, 3, 2, 1);
    APPLY(data, map, stk_test_fail_on(4), NULL);
    EXPECT_GIVES("1 2 !invalid_argument 3 .", unique(data));
}

STK_TEST(unique_begins_anew_in_every_pass)
{
    stk_dataset *data = unique(NUMBERS(1, 1, 2));
    APPLY(data, repeat, 2);
    EXPECT_GIVES("1 2 1 2 .", data);
    data = NUMBERS(1, 1, 2);
    APPLY(data, repeat, 3);
    data = unique(data);
    EXPECT_INT_EQ(STK_CARDINALITY_UNKNOWN, stk_dataset_cardinality(data));
    EXPECT_GIVES("1 2 .", data);
}

STK_TEST(unique_refuses_other_types) /* 47 */
{
    const stk_value_spec   value = {.name = "x", .dtype = STK_DTYPE_F32, .rank_known = true};
    const stk_element_spec spec = {.known = true, .count = 1, .values = &value};
    stk_function_info      info = {.name = "to_float", .map = to_float, .output = &spec};
    stk_function          *function;
    stk_error              err;
    stk_dataset           *data = RANGE(3);
    EXPECT_OK(stk_function_new(&function, &info, &err));
    APPLY(data, map, function, NULL);
    EXPECT_REFUSED(STK_E_TYPE, "the value is float32; unique compares dense int32, int64 and bytes",
                   stk_dataset_unique(&data, &err));
    EXPECT_STR_EQ("x", err.where);
    stk_function_unref(function);
    stk_dataset_unref(data);
    data = RANGE(3);
    APPLY(data, enumerate, 0);
    EXPECT_REFUSED(STK_E_TYPE, "the elements have 2 values; unique compares elements of 1 value",
                   stk_dataset_unique(&data, &err));
    stk_dataset_unref(data);
    data = RANGE(2); /* the type shows only when it runs */
    APPLY(data, map, stk_test_map("to_float", to_float, NULL, 0), NULL);
    EXPECT_GIVES("!wrong_type !wrong_type .", unique(data));
}

/* The set grows many times over. */
STK_TEST(unique_remembers_many)
{
    stk_error     err;
    stk_iterator *it;
    stk_dataset  *data = RANGE(20000);
    APPLY(data, repeat, 2);
    data = unique(data);
    EXPECT_OK(stk_iterator_start(&it, data, NULL, &err));
    for (int64_t i = 0;; i++) {
        stk_element *element;
        EXPECT_OK(stk_iterator_next(it, &element, &err));
        if (!element) {
            EXPECT_INT_EQ(20000, i);
            break;
        }
        EXPECT_INT_EQ(i, stk_test_number(element));
        stk_element_unref(element);
    }
    stk_ledger_report report;
    stk_ledger_read(stk_iterator_ledger(it), &report);
    EXPECT(report.lines[STK_MEMORY_CACHE].peak_bytes > 20000 * 14);
    stk_iterator_free(it);
    stk_dataset_unref(data);
}

STK_TEST(unique_stops_at_the_ceiling)
{
    stk_error     err;
    stk_iterator *it;
    stk_element  *element = NULL;
    stk_ledger   *ledger;
    stk_dataset  *data = unique(RANGE(1000000));
    EXPECT_OK(stk_ledger_new(&ledger, 200000, &err));
    const stk_iterator_options options = {.threads = 1, .ledger = ledger};
    EXPECT_OK(stk_iterator_start(&it, data, &options, &err));
    stk_status st;
    int64_t    given = 0;
    while ((st = stk_iterator_next(it, &element, &err)) == STK_OK && element) {
        stk_element_unref(element);
        given++;
    }
    EXPECT_INT_EQ(STK_E_CEILING, st);
    EXPECT(given > 500);
    EXPECT_STR_EQ("unique", err.component);
    EXPECT_CONTAINS("no memory to remember one more value beside", err.message);
    stk_iterator_free(it);
    stk_ledger_report report;
    stk_ledger_read(ledger, &report);
    EXPECT_INT_EQ(0, report.bytes);
    stk_ledger_unref(ledger);
    stk_dataset_unref(data);
}

STK_TEST(damaged_checkpoints_of_unique_are_harmless)
{
    stk_dataset *data = NUMBERS(1, 2, 1);
    APPLY(data, map, stk_test_map("to_text", to_text, NULL, 0), NULL);
    stk_test_damage(unique(data), 2);
    stk_test_damage(unique(NUMBERS(5, 6, 5, 7)), 2);
}

static stk_status build(stk_dataset **out, stk_error *err)
{
    STK_TRY(stk_dataset_range(out, 0, 100, 1, err));
    return stk_dataset_unique(out, err);
}

STK_TEST(unique_survives_want_of_memory)
{
    stk_test_without_memory(build, 100);
}

#include "pipeline_support.h"

#include <string.h>

static stk_element *number(int64_t n)
{
    stk_element *element;
    stk_error    err;
    EXPECT_OK(stk_element_new(&element, 1, &err));
    stk_value_i64(stk_element_edit(element, 0), n);
    return element;
}

static stk_status set_number(stk_element **element, int64_t n, stk_error *err)
{
    STK_TRY(stk_element_make_unique(element, err));
    stk_value_i64(stk_element_edit(*element, 0), n);
    return STK_OK;
}

/* The running sum; fails on the number in context, after it has changed the state. */
static stk_status sum(void *bad, const stk_call *call, stk_element **state, stk_element **element,
                      stk_error *err)
{
    (void)call;
    const int64_t value = stk_test_number(*element);
    const int64_t total = stk_test_number(*state) + value;
    STK_TRY(set_number(state, total, err));
    if (bad && value == *(int64_t *)bad)
        return stk_fail(err, STK_E_INVALID, "sum", NULL, "the number is bad");
    return set_number(element, total, err);
}

static stk_dataset *scanned(stk_dataset *data, stk_scan_fn scan, void *context)
{
    stk_element *first = number(0);
    APPLY(data, scan, first, stk_test_scan("scan", scan, context));
    stk_element_unref(first);
    return data;
}

STK_TEST(scan_passes_its_state_on) /* 46 */
{
    stk_test_watchdog(60);
    stk_dataset *data = scanned(NUMBERS(1, 2, 3), sum, NULL);
    EXPECT_INT_EQ(3, stk_dataset_cardinality(data));
    EXPECT_GIVES("1 3 6 .", data);
    EXPECT_GIVES(".", scanned(RANGE(0), sum, NULL));
    data = scanned(NUMBERS(1, 2, 3), sum, NULL);
    APPLY(data, repeat, 2);
    EXPECT_GIVES("1 3 6 1 3 6 .", data);
}

STK_TEST(an_error_leaves_the_state_as_it_was) /* 4, 46 */
{
    static int64_t bad = 2;
    EXPECT_GIVES("0 1 !invalid_argument 4 8 13 .", scanned(RANGE(6), sum, &bad));
    stk_dataset *data = RANGE(6);
    APPLY(data, map, stk_test_fail_on(2), NULL);
    EXPECT_GIVES("0 1 !invalid_argument 4 8 13 .", scanned(data, sum, NULL));
}

/* The state is a vector that gets longer by one. */
static stk_status grow(void *context, const stk_call *call, stk_element **state,
                       stk_element **element, stk_error *err)
{
    (void)context;
    const stk_value *old = stk_element_value(*state, 0);
    const int64_t    count = old->shape.rank == 1 ? old->shape.dim[0] : 0;
    const stk_shape  shape = stk_shape_1d(count + 1);
    stk_element     *longer;
    void            *data;
    STK_TRY(stk_element_new(&longer, 1, err));
    stk_status st = stk_value_dense(stk_element_edit(longer, 0), call->ledger, STK_DTYPE_I64,
                                    &shape, &data, err);
    if (st) {
        stk_element_unref(longer);
        return st;
    }
    memcpy(data, stk_value_data(old), (size_t)count * sizeof(int64_t));
    ((int64_t *)data)[count] = stk_test_number(*element);
    stk_element_unref(*state);
    stk_element_unref(*element);
    *state = longer;
    *element = stk_element_ref(longer);
    return STK_OK;
}

STK_TEST(the_state_may_grow) /* 46 */
{
    EXPECT_GIVES("[5] [5 6] [5 6 7] [5 6 7 8] .", scanned(stk_test_range(5, 9, 1), grow, NULL));
}

static stk_status change_type(void *context, const stk_call *call, stk_element **state,
                              stk_element **element, stk_error *err)
{
    (void)context;
    (void)call;
    (void)element;
    STK_TRY(stk_element_make_unique(state, err));
    stk_value_f32(stk_element_edit(*state, 0), 1);
    return STK_OK;
}

static stk_status lose(void *which, const stk_call *call, stk_element **state,
                       stk_element **element, stk_error *err)
{
    (void)call;
    (void)err;
    stk_element **lost = which ? state : element;
    stk_element_unref(*lost);
    *lost = NULL;
    return STK_OK;
}

static stk_status double_state(void *context, const stk_call *call, stk_element **state,
                               stk_element **element, stk_error *err)
{
    (void)context;
    (void)call;
    (void)element;
    stk_element_unref(*state);
    *state = NULL;
    return stk_element_new(state, 2, err);
}

static void expect_first_error(stk_dataset *data, stk_status status, const char *part)
{
    stk_error     err;
    stk_iterator *it;
    stk_element  *element;
    EXPECT_OK(stk_iterator_start(&it, data, NULL, &err));
    EXPECT_REFUSED(status, part, stk_iterator_next(it, &element, &err));
    EXPECT_STR_EQ("element 0 of epoch 0", err.where);
    stk_iterator_free(it);
    stk_dataset_unref(data);
}

STK_TEST(the_state_keeps_its_types) /* 46 */
{
    expect_first_error(scanned(RANGE(3), change_type, NULL), STK_E_TYPE,
                       "value 0 of the state became float32; it was int64 at the beginning");
    expect_first_error(scanned(RANGE(3), double_state, NULL), STK_E_TYPE,
                       "a state of 2 values; it began with 1");
    expect_first_error(scanned(RANGE(3), lose, "state"), STK_E_TYPE, "left no state");
    EXPECT_GIVES("!wrong_type !wrong_type .", scanned(RANGE(2), change_type, NULL));
    EXPECT_GIVES("!invalid_argument !invalid_argument .", scanned(RANGE(2), lose, NULL));
}

STK_TEST(scan_refuses_other_functions_and_no_state)
{
    stk_error    err;
    stk_dataset *data = RANGE(3);
    stk_element *first = number(0);
    EXPECT_REFUSED(STK_E_INVALID, "the function is no scan function",
                   stk_dataset_scan(&data, first, stk_test_add(1), &err));
    EXPECT_REFUSED(STK_E_INVALID, "there is no first state",
                   stk_dataset_scan(&data, NULL, stk_test_scan("sum", sum, NULL), &err));
    stk_element_unref(first);
    stk_dataset_unref(data);
}

STK_TEST(scans_from_other_states_have_other_fingerprints)
{
    stk_dataset *a = scanned(RANGE(3), sum, NULL), *b = RANGE(3);
    stk_element *first = number(1);
    APPLY(b, scan, first, stk_test_scan("scan", sum, NULL));
    EXPECT(stk_dataset_fingerprint(a) != stk_dataset_fingerprint(b));
    EXPECT_GIVES("1 2 4 .", b);
    stk_element_unref(first);
    stk_dataset_unref(a);
}

STK_TEST(damaged_checkpoints_of_scan_are_harmless)
{
    stk_test_watchdog(60);
    stk_test_damage(scanned(RANGE(6), grow, NULL), 3);
}

static stk_status build(stk_dataset **out, stk_error *err)
{
    static stk_function *function; /* made once, outside of what is counted */
    stk_element         *first;
    if (!function) function = stk_test_scan("sum", sum, NULL);
    STK_TRY(stk_dataset_range(out, 0, 6, 1, err));
    STK_TRY(stk_element_new(&first, 1, err));
    stk_value_i64(stk_element_edit(first, 0), 0);
    stk_status st = stk_dataset_scan(out, first, function, err);
    stk_element_unref(first);
    return st;
}

STK_TEST(scan_survives_want_of_memory)
{
    stk_error    err;
    stk_dataset *data;
    EXPECT_OK(build(&data, &err));
    stk_dataset_unref(data);
    stk_test_without_memory(build, 6);
}

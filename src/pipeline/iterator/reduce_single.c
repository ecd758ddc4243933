/* Complete runs: reduces a dataset to one element, or reads its only element. */
#include "pipeline/iterator/iterator_internal.h"
#include "pipeline/support/invoke.h"

static stk_status reduce_all(stk_iterator *it, stk_element **state, const stk_element *first,
                             const stk_function *function, stk_error *err)
{
    const stk_run_options *options = stk_run_options_of(it->run);
    for (uint64_t index = 0;; index++) {
        stk_element *element;
        STK_TRY(stk_iterator_next(it, &element, err));
        if (!element) return STK_OK;
        const stk_call call = {.ledger = options->ledger,
                               .cancel = options->cancel,
                               .seed = it->seed.seed,
                               .epoch = it->seed.generation,
                               .index = index};
        stk_status     st = stk_call_scan(function, &call, first, state, &element, err);
        stk_element_unref(element);
        if (st) return st;
    }
}

/* Works on a second reference, so that a failure leaves the caller's state as it was. */
stk_status stk_dataset_reduce(stk_dataset *data, stk_element **state, stk_function *function,
                              const stk_iterator_options *options, stk_error *err)
{
    const stk_function_info *info = stk_function_info_of(function);
    if (!info->scan)
        return stk_fail(err, STK_E_INVALID, "reduce", info->name,
                        "the function is no scan function; give one that has a scan callback");
    if (!*state)
        return stk_fail(err, STK_E_INVALID, "reduce", info->name,
                        "there is no first state; give an element");
    STK_TRY(stk_function_accepts_state(function, *state, stk_dataset_spec(data), err));
    stk_iterator *it;
    STK_TRY(stk_iterator_start(&it, data, options, err));
    stk_element *now = stk_element_ref(*state);
    stk_status   st = reduce_all(it, &now, *state, function, err);
    stk_iterator_free(it);
    stk_element_unref(st ? now : *state);
    if (!st) *state = now;
    return st;
}

static stk_status draw_only(stk_iterator *it, stk_element **out, stk_error *err)
{
    stk_element *second;
    STK_TRY(stk_iterator_next(it, out, err));
    if (!*out)
        return stk_fail(err, STK_E_INVALID, "single", NULL,
                        "the dataset has no elements; it must have exactly 1");
    STK_TRY(stk_iterator_next(it, &second, err));
    if (!second) return STK_OK;
    stk_element_unref(second);
    return stk_fail(err, STK_E_INVALID, "single", NULL,
                    "the dataset has more than 1 element; it must have exactly 1");
}

stk_status stk_dataset_single(stk_dataset *data, stk_element **out,
                              const stk_iterator_options *options, stk_error *err)
{
    stk_iterator *it;
    *out = NULL;
    STK_TRY(stk_iterator_start(&it, data, options, err));
    stk_status st = draw_only(it, out, err);
    stk_iterator_free(it);
    if (!st) return STK_OK;
    stk_element_unref(*out);
    *out = NULL;
    return st;
}

/* Nested datasets. */
#include "pipeline/support/nested.h"

#include "pipeline/element/spec.h"
#include "pipeline/support/invoke.h"

static stk_status start_queue(stk_nested *inner, stk_node *outer, uint64_t capacity, stk_error *err)
{
    static const stk_node_queue_ops ops = {0};
    const stk_node_queue_options    options = {.node = outer,
                                               .input = inner->node,
                                               .ops = &ops,
                                               .capacity = capacity,
                                               .by_halves = true,
                                               .blocking =
                                                   inner->node->plan->traits & STK_OPERATOR_BLOCKING};
    return stk_node_queue_start(&inner->queue, &options, err);
}

/* Opens what the element makes; a queue is still held, so that it can be restored. */
static stk_status make(stk_nested *inner, stk_node *outer, const stk_function *function,
                       stk_element *element, uint64_t number, uint64_t capacity, stk_error *err)
{
    *inner = (stk_nested){.function = function, .element = element, .number = number};
    const stk_call call = stk_node_call(outer, number);
    stk_dataset   *data = NULL;
    stk_status     st = stk_call_expand(function, &call, element, &data, err);
    if (!st) st = stk_node_open_inner(&inner->node, outer, data, number, err);
    stk_dataset_unref(data);
    if (!st && capacity) st = start_queue(inner, outer, capacity, err);
    if (st) stk_nested_close(inner);
    return st;
}

stk_status stk_nested_open(stk_nested *inner, stk_node *outer, const stk_function *function,
                           stk_element *element, uint64_t number, uint64_t capacity, stk_error *err)
{
    STK_TRY(make(inner, outer, function, element, number, capacity, err));
    if (inner->queue) stk_node_queue_begin(inner->queue);
    return STK_OK;
}

stk_status stk_nested_next(stk_nested *inner, stk_element **out, stk_error *err)
{
    STK_TRY(inner->queue ? stk_node_queue_next(inner->queue, out, err)
                         : stk_node_next(inner->node, out, err));
    const stk_function_info *info = stk_function_info_of(inner->function);
    if (!*out || !info->output || info->output_of) return STK_OK;
    stk_status st = stk_spec_check(info->output, *out, info->name, err);
    if (!st) return STK_OK;
    stk_element_unref(*out);
    *out = NULL;
    return st;
}

/* The queue goes first: a thread may still be pulling at the node. */
void stk_nested_close(stk_nested *inner)
{
    stk_node_queue_free(inner->queue);
    stk_node_free(inner->node);
    stk_element_unref(inner->element);
    *inner = (stk_nested){0};
}

stk_status stk_nested_save_fresh(const stk_nested *inner, stk_state_out *out, stk_error *err)
{
    STK_TRY(stk_state_put_u64(out, inner->number, err));
    return stk_state_put_element(out, inner->element, err);
}

stk_status stk_nested_save(const stk_nested *inner, stk_state_out *out, stk_error *err)
{
    STK_TRY(stk_nested_save_fresh(inner, out, err));
    return inner->queue ? stk_node_queue_save(inner->queue, out, err)
                        : stk_node_save(inner->node, out, err);
}

/* The element is passed to a user function, so it must satisfy the spec. */
static stk_status remake(stk_nested *inner, stk_node *outer, const stk_function *function,
                         const stk_element_spec *spec, uint64_t capacity, stk_state_in *in,
                         stk_error *err)
{
    stk_element *element;
    uint64_t     number;
    stk_error    reason;
    STK_TRY(stk_state_get_u64(in, &number, err));
    STK_TRY(stk_state_get_element(in, &element, err));
    if (!element) return stk_state_damaged(in, "an element is missing", err);
    if (stk_spec_check(spec, element, in->component, &reason)) {
        stk_element_unref(element);
        return stk_state_damaged(in, reason.message, err);
    }
    return make(inner, outer, function, element, number, capacity, err);
}

stk_status stk_nested_restore_fresh(stk_nested *inner, stk_node *outer,
                                    const stk_function *function, const stk_element_spec *spec,
                                    uint64_t capacity, stk_state_in *in, stk_error *err)
{
    STK_TRY(remake(inner, outer, function, spec, capacity, in, err));
    if (inner->queue) stk_node_queue_begin(inner->queue);
    return STK_OK;
}

stk_status stk_nested_restore(stk_nested *inner, stk_node *outer, const stk_function *function,
                              const stk_element_spec *spec, uint64_t capacity, stk_state_in *in,
                              stk_error *err)
{
    STK_TRY(remake(inner, outer, function, spec, capacity, in, err));
    stk_status st = inner->queue ? stk_node_queue_restore(inner->queue, in, err)
                                 : stk_node_restore(inner->node, in, err);
    if (st) {
        stk_nested_close(inner);
        return st;
    }
    if (inner->queue) stk_node_queue_begin(inner->queue);
    return STK_OK;
}

stk_status stk_expand_check(stk_dataset *data, const stk_function *function,
                            const stk_element_spec *input, stk_error *err)
{
    const stk_function_info *info = stk_function_info_of(function);
    if (!info->expand)
        return stk_fail(err, STK_E_INVALID, data->op->name, info->name,
                        "the function makes no dataset of an element; give an expand function");
    return stk_dataset_set_output(data, function, input, err);
}

unsigned stk_expand_traits(const stk_function *function)
{
    const unsigned traits = stk_function_info_of(function)->traits;
    return (traits & (STK_FUNCTION_RANDOM | STK_FUNCTION_STATEFUL) ? STK_OPERATOR_RANDOM : 0) |
           (traits & STK_FUNCTION_BLOCKING ? STK_OPERATOR_BLOCKING : 0) | STK_OPERATOR_FOLLOWS;
}

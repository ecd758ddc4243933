/* Several inputs, one of which is pulled at a time. */
#include "pipeline/support/pick.h"

#include "pipeline/element/spec.h"

stk_status stk_pick_check(stk_dataset *data, size_t count, stk_error *err)
{
    if (!count)
        return stk_fail(err, STK_E_INVALID, data->op->name, NULL,
                        "there is no dataset to take from; give at least one");
    STK_TRY(stk_dataset_set_spec(data, &data->inputs[0]->spec, err));
    for (size_t i = 1; i < count; i++) {
        const stk_element_spec so_far = data->spec;
        STK_TRY(stk_spec_relax(&data->spec, &so_far, &data->inputs[i]->spec, data->op->name,
                               &data->arena, err));
    }
    return STK_OK;
}

stk_status stk_pick_next(stk_node *node, size_t index, stk_element **out, stk_error *err)
{
    STK_TRY(stk_node_next(node->inputs[index], out, err));
    if (!*out) stk_node_close_input(node, index);
    return STK_OK;
}

size_t stk_pick_open(const stk_node *node, size_t count)
{
    size_t open = 0;
    for (size_t i = 0; i < count; i++)
        open += node->inputs[i] != NULL;
    return open;
}

stk_status stk_pick_save(stk_node *node, stk_state_out *out, stk_error *err)
{
    for (size_t i = 0; i < node->plan->input_count; i++) {
        STK_TRY(stk_state_put_u64(out, node->inputs[i] != NULL, err));
        if (node->inputs[i]) STK_TRY(stk_node_save(node->inputs[i], out, err));
    }
    return STK_OK;
}

stk_status stk_pick_restore(stk_node *node, stk_state_in *in, stk_error *err)
{
    for (size_t i = 0; i < node->plan->input_count; i++) {
        bool open;
        STK_TRY(stk_state_get_bool(in, &open, err));
        if (open)
            STK_TRY(stk_node_restore(node->inputs[i], in, err));
        else
            stk_node_close_input(node, i);
    }
    return STK_OK;
}

/* shuffle_repeat: fuses a repeated shuffle into one operator, which fills its buffer with the next
 * epoch while it drains the current one: no pause between epochs. */
#include "pipeline/operators/repeat.h"
#include "pipeline/operators/shuffle.h"
#include "pipeline/passes/pass.h"

static stk_status rewrite(stk_dataset *data, bool root, stk_dataset **out, stk_error *err)
{
    (void)root;
    const stk_repeat_params *p = data->params;
    if (data->op == &stk_operator_repeat && p->count != 0 &&
        data->inputs[0]->op == &stk_operator_shuffle)
        return stk_shuffle_repeat_make(out, data->inputs[0], p->count, err);
    *out = stk_dataset_ref(data);
    return STK_OK;
}

const stk_pass_info stk_pass_shuffle_repeat = {
    .pass = STK_PASS_SHUFFLE_REPEAT, .name = "shuffle_repeat", .rewrite = rewrite};

/* noop: drops operators without effect. */
#include "pipeline/operators/map.h"
#include "pipeline/operators/prefetch.h"
#include "pipeline/operators/repeat.h"
#include "pipeline/operators/shard.h"
#include "pipeline/operators/skip.h"
#include "pipeline/operators/take.h"
#include "pipeline/passes/pass.h"

#include <stoker/functions.h>

/* A user function could have the same name. */
static bool is_identity(const stk_function *function)
{
    const stk_function_info *info = stk_function_info_of(function);
    stk_function            *known;
    if (strcmp(info->name, "identity") != 0 || stk_function_identity(&known, NULL)) return false;
    const bool same = stk_function_info_of(known)->map == info->map;
    stk_function_unref(known);
    return same;
}

/* prefetch(0) next to the consumer is a wish: that nothing runs ahead. Settings were read before
 * the passes run. */
static bool changes_nothing(const stk_dataset *data, bool root)
{
    const stk_operator *op = data->op;
    const void         *p = data->params;
    if (op == &stk_operator_take) return ((const stk_take_params *)p)->count < 0;
    if (op == &stk_operator_skip) return ((const stk_skip_params *)p)->count == 0;
    if (op == &stk_operator_repeat) return ((const stk_repeat_params *)p)->count == 1;
    if (op == &stk_operator_shard) return ((const stk_shard_params *)p)->shards == 1;
    if (op == &stk_operator_prefetch) return !root && ((const stk_prefetch_params *)p)->count == 0;
    if (op == &stk_operator_map) return is_identity(((const stk_map_params *)p)->function);
    return op == &stk_operator_options;
}

static stk_status rewrite(stk_dataset *data, bool root, stk_dataset **out, stk_error *err)
{
    (void)err;
    *out = stk_dataset_ref(changes_nothing(data, root) ? data->inputs[0] : data);
    return STK_OK;
}

const stk_pass_info stk_pass_noop = {.pass = STK_PASS_NOOP, .name = "noop", .rewrite = rewrite};

/* shuffle_repeat: repeat over shuffle as one operator. While an epoch is drained the next one
 * already fills the slots that become free, so that the consumer does not wait for a full buffer at
 * each epoch's begin. shuffle_epochs.c runs it; only passes make it. */
#include "base/checked.h"
#include "pipeline/operators/shuffle.h"
#include "pipeline/operators/shuffle_epochs.h"

#include <inttypes.h>

static stk_status check(stk_dataset *data, stk_error *err)
{
    return stk_dataset_set_spec(data, &data->inputs[0]->spec, err);
}

static int64_t cardinality(const stk_dataset *data)
{
    const int64_t times = ((const stk_shuffle_params *)data->params)->count;
    const int64_t count = data->inputs[0]->cardinality;
    int64_t       product;
    if (times == 0 || count == 0) return 0;
    if (times < 0) return STK_CARDINALITY_INFINITE;
    if (count < 0) return count;
    return stk_mul_overflows_i64(times, count, &product) ? STK_CARDINALITY_INFINITE : product;
}

static stk_status describe(const stk_dataset *data, stk_blob *out, stk_error *err)
{
    const stk_shuffle_params *p = data->params;
    STK_TRY(stk_operator_shuffle.describe(data, out, err));
    return p->count < 0 ? stk_describe(out, err, ", for ever")
                        : stk_describe(out, err, ", %" PRId64 " epochs", p->count);
}

static unsigned traits_of(const stk_dataset *data)
{
    return stk_operator_shuffle.traits_of(data);
}

const stk_operator stk_operator_shuffle_repeat = {
    .name = "shuffle_repeat",
    .stage = STK_STAGE_PREPROCESS,
    .traits = STK_OPERATOR_LAZY_INPUTS,
    .params_bytes = sizeof(stk_shuffle_params),
    .check = check,
    .cardinality = cardinality,
    .describe = describe,
    .traits_of = traits_of,
    .state_bytes = sizeof(stk_shuffle_state),
    .open = stk_shuffle_run_open,
    .next = stk_shuffle_run_next,
    .close = stk_shuffle_run_close,
    .save = stk_shuffle_run_save,
    .restore = stk_shuffle_run_restore,
};

stk_status stk_shuffle_repeat_make(stk_dataset **out, stk_dataset *shuffle, int64_t count,
                                   stk_error *err)
{
    stk_shuffle_params p = *(const stk_shuffle_params *)shuffle->params;
    p.salt = shuffle->salt;
    p.count = count;
    STK_TRY(stk_dataset_make(out, &stk_operator_shuffle_repeat, &p, shuffle->inputs, 1, err));
    (*out)->resource = stk_resource_ref(shuffle->resource); /* its drawn seed */
    return STK_OK;
}

/* shuffle: elements of a buffer in random order. shuffle_epochs.c runs it. */
#include "pipeline/operators/shuffle.h"

#include "pipeline/operators/shuffle_epochs.h"
#include "pipeline/operators/shuffle_seed.h"

#include <inttypes.h>

static stk_status check(stk_dataset *data, stk_error *err)
{
    const stk_shuffle_params *p = data->params;
    if (p->buffer < 1 && p->buffer != STK_BUFFER_EPOCH)
        return stk_fail(err, STK_E_INVALID, "shuffle", NULL,
                        "the buffer is %" PRId64
                        " elements; give 1 or more, or -2 for the whole epoch",
                        p->buffer);
    if (stk_shuffle_seed_is_drawn(&p->options)) STK_TRY(stk_implicit_seed_attach(data, err));
    return stk_dataset_set_spec(data, &data->inputs[0]->spec, err);
}

static int64_t cardinality(const stk_dataset *data)
{
    return data->inputs[0]->cardinality;
}

static stk_status describe(const stk_dataset *data, stk_blob *out, stk_error *err)
{
    const stk_shuffle_params *p = data->params;
    if (p->buffer == STK_BUFFER_EPOCH)
        STK_TRY(stk_describe(out, err, "the whole epoch"));
    else
        STK_TRY(stk_describe(out, err, "%" PRId64, p->buffer));
    if (p->options.seeded) STK_TRY(stk_describe(out, err, ", seed %" PRIu64, p->options.seed));
    return p->options.same_each_epoch ? stk_describe(out, err, ", the same each epoch") : STK_OK;
}

static unsigned traits_of(const stk_dataset *data)
{
    return ((const stk_shuffle_params *)data->params)->options.same_each_epoch
               ? 0
               : STK_OPERATOR_RANDOM;
}

const stk_operator stk_operator_shuffle = {
    .name = "shuffle",
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

stk_status stk_dataset_shuffle(stk_dataset **data, int64_t buffer,
                               const stk_shuffle_options *options, stk_error *err)
{
    stk_shuffle_params p = {.buffer = buffer, .count = 1};
    if (options) p.options = *options;
    return stk_dataset_append(data, &stk_operator_shuffle, &p, err);
}

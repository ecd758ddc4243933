/* batch: stacks elements of equal shapes. */
#include "pipeline/operators/batch.h"

#include "pipeline/element/spec.h"
#include "pipeline/support/batch_builder.h"
#include "pipeline/support/stack.h"

#include <inttypes.h>
#include <stoker/dataset_operators.h>

static stk_status check(stk_dataset *data, stk_error *err)
{
    const stk_batch_params *p = data->params;
    if (p->size < 1)
        return stk_fail(err, STK_E_INVALID, "batch", NULL,
                        "the batch size is %" PRId64 "; it must be at least 1", p->size);
    return stk_spec_batched(&data->spec, &data->inputs[0]->spec, p->drop_remainder ? p->size : -1,
                            &data->arena, err);
}

static int64_t cardinality(const stk_dataset *data)
{
    const stk_batch_params *p = data->params;
    return stk_batch_builder_batches(data->inputs[0]->cardinality, p->size, p->drop_remainder);
}

static stk_status describe(const stk_dataset *data, stk_blob *out, stk_error *err)
{
    const stk_batch_params *p = data->params;
    return stk_describe(out, err, "%" PRId64 "%s", p->size, p->drop_remainder ? ", drop" : "");
}

/* An input of unknown length shows its end only when pulled past it. */
static stk_status gather_at(const stk_dataset *data, uint64_t first, stk_ledger *ledger,
                            stk_batch_builder *gather, stk_error *err)
{
    const int64_t size = ((const stk_batch_params *)data->params)->size;
    const int64_t inputs = data->inputs[0]->cardinality;
    for (int64_t i = 0; i < size; i++) {
        stk_element *element;
        if (inputs >= 0 && first + (uint64_t)i >= (uint64_t)inputs) return STK_OK;
        stk_status st =
            stk_dataset_read(data->inputs[0], first + (uint64_t)i, ledger, &element, err);
        if (st == STK_E_RANGE && i && inputs < 0) return STK_OK;
        if (st) return st;
        STK_TRY(stk_batch_builder_keep(gather, element, "batch", err));
    }
    return STK_OK;
}

static stk_status at(const stk_dataset *data, uint64_t index, stk_ledger *ledger, stk_element **out,
                     stk_error *err)
{
    const stk_batch_params *p = data->params;
    const int64_t           batches = data->cardinality;
    if (batches >= 0 && index >= (uint64_t)batches)
        return stk_fail(err, STK_E_RANGE, "batch", NULL,
                        "batch %" PRIu64 " was asked for; there are %" PRId64, index, batches);
    if (index > UINT64_MAX / (uint64_t)p->size - 1)
        return stk_fail(err, STK_E_RANGE, "batch", NULL,
                        "batch %" PRIu64 " of %" PRId64 " elements each is past any end", index,
                        p->size);
    stk_batch_builder gather = {0};
    stk_status        st = gather_at(data, index * (uint64_t)p->size, ledger, &gather, err);
    if (!st && gather.count < (uint64_t)p->size && p->drop_remainder)
        st =
            stk_fail(err, STK_E_RANGE, "batch", NULL,
                     "batch %" PRIu64 " has only %zu elements and is dropped", index, gather.count);
    if (!st)
        st = stk_stack(out, gather.elements, gather.count, &(stk_batch_memory){.ledger = ledger},
                       err);
    stk_batch_builder_release(&gather);
    return st;
}

static stk_status next(stk_node *node, stk_element **out, stk_error *err)
{
    const stk_batch_params *p = node->plan->params;
    stk_batch_builder      *gather = STK_STATE(stk_batch_builder, node);
    bool                    complete;
    stk_status              st = stk_batch_builder_fill(
                     gather, node, p->size, p->after_map ? STK_ERRORS_LOSE_THE_BATCH : STK_ERRORS_END_THE_BATCH,
                     &complete, err);
    if (!st && gather->count && (complete || !p->drop_remainder))
        st = stk_stack(out, gather->elements, gather->count,
                       &(stk_batch_memory){
                           .ledger = gather->ledger,
                           .kind = stk_run_options_of(node->run)->batch_memory,
                       },
                       err);
    stk_batch_builder_clear(gather);
    return st;
}

/* Values of one shape fail in no batch. */
static unsigned traits_of(const stk_dataset *data)
{
    const stk_element_spec *spec = &data->inputs[0]->spec;
    for (size_t i = 0; spec->known && i < spec->count; i++) {
        const stk_value_spec *value = &spec->values[i];
        if (value->kind != STK_VALUE_DENSE || !value->dtype || !value->rank_known) return 0;
        for (int d = 0; d < value->shape.rank; d++)
            if (value->shape.dim[d] < 0) return 0;
    }
    return spec->known ? STK_OPERATOR_JUMPS : 0;
}

static stk_status discard(stk_node *node, uint64_t count, uint64_t *discarded, stk_error *err)
{
    const stk_batch_params *p = node->plan->params;
    const uint64_t          size = (uint64_t)p->size, max = UINT64_MAX / size;
    if (!node->plan->jumps) return stk_node_discard_each(node, count, discarded, err);
    while (*discarded < count) {
        const uint64_t wanted = count - *discarded < max ? count - *discarded : max;
        uint64_t       passed;
        STK_TRY(stk_node_discard(node->inputs[0], wanted * size, &passed, err));
        *discarded += passed / size + (passed % size && !p->drop_remainder);
        if (passed < wanted * size) return STK_OK;
    }
    return STK_OK;
}

const stk_operator stk_operator_batch = {
    .name = "batch",
    .stage = STK_STAGE_PREPROCESS,
    .params_bytes = sizeof(stk_batch_params),
    .check = check,
    .cardinality = cardinality,
    .describe = describe,
    .traits_of = traits_of,
    .at = at,
    .state_bytes = sizeof(stk_batch_builder),
    .next = next,
    .close = stk_batch_builder_close,
    .save = stk_node_save_input,
    .restore = stk_node_restore_input,
    .discard = discard,
};

stk_status stk_dataset_batch(stk_dataset **data, int64_t size, const stk_batch_options *options,
                             stk_error *err)
{
    if (stk_batch_is_ragged(&(*data)->spec)) return stk_batch_ragged(data, size, options, err);
    const stk_batch_params p = {.size = size,
                                .drop_remainder = options && options->drop_remainder,
                                .after_map = (*data)->op == &stk_operator_map};
    return stk_dataset_append(data, &stk_operator_batch, &p, err);
}

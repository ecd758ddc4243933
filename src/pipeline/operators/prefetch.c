/* prefetch: runs ahead of the consumer. */
#include "pipeline/operators/prefetch.h"

#include "pipeline/runtime/node_queue.h"

#include <inttypes.h>
#include <stoker/dataset_operators.h>

typedef struct state {
    stk_node_queue *queue; /* NULL when nothing is to be fetched ahead */
} state;

static stk_status check(stk_dataset *data, stk_error *err)
{
    const stk_prefetch_params *p = data->params;
    if (p->count < STK_AUTO)
        return stk_fail(err, STK_E_INVALID, "prefetch", NULL,
                        "the number of elements is %" PRId64
                        "; give 0 or more, or -1 for as many as help",
                        p->count);
    return stk_dataset_set_spec(data, &data->inputs[0]->spec, err);
}

static int64_t cardinality(const stk_dataset *data)
{
    return data->inputs[0]->cardinality;
}

static stk_status describe(const stk_dataset *data, stk_blob *out, stk_error *err)
{
    const stk_prefetch_params *p = data->params;
    return p->count == STK_AUTO ? stk_describe(out, err, "auto")
                                : stk_describe(out, err, "%" PRId64, p->count);
}

static stk_status at(const stk_dataset *data, uint64_t index, stk_ledger *ledger, stk_element **out,
                     stk_error *err)
{
    return stk_dataset_read(data->inputs[0], index, ledger, out, err);
}

static stk_status open(stk_node *node, stk_error *err)
{
    const stk_prefetch_params *p = node->plan->params;
    if (p->count == 0) return STK_OK;
    static const stk_node_queue_ops ops = {0};
    const stk_node_queue_options    options = {.node = node,
                                               .input = node->inputs[0],
                                               .ops = &ops,
                                               .capacity = p->count > 0 ? (uint64_t)p->count : 0,
                                               .blocking = node->plan->inputs[0]->traits &
                                                           STK_OPERATOR_BLOCKING};
    return stk_node_queue_start(&STK_STATE(state, node)->queue, &options, err);
}

static stk_status next(stk_node *node, stk_element **out, stk_error *err)
{
    stk_node_queue *queue = STK_STATE(state, node)->queue;
    return queue ? stk_node_queue_next(queue, out, err) : stk_node_pull(node, out, err);
}

static void close(stk_node *node)
{
    stk_node_queue_free(STK_STATE(state, node)->queue);
}

static stk_status save(stk_node *node, stk_state_out *out, stk_error *err)
{
    stk_node_queue *queue = STK_STATE(state, node)->queue;
    return queue ? stk_node_queue_save(queue, out, err) : stk_node_save_input(node, out, err);
}

static stk_status restore(stk_node *node, stk_state_in *in, stk_error *err)
{
    stk_node_queue *queue = STK_STATE(state, node)->queue;
    return queue ? stk_node_queue_restore(queue, in, err) : stk_node_restore_input(node, in, err);
}

/* Prefetched elements are returned as they are. */
static stk_status discard(stk_node *node, uint64_t count, uint64_t *discarded, stk_error *err)
{
    stk_node_queue *queue = STK_STATE(state, node)->queue;
    if (!queue) return stk_node_discard(node->inputs[0], count, discarded, err);
    return stk_node_queue_can_skip(queue) ? stk_node_queue_skip(queue, count, discarded, err)
                                          : stk_node_discard_each(node, count, discarded, err);
}

const stk_operator stk_operator_prefetch = {
    .name = "prefetch",
    .stage = STK_STAGE_PREPROCESS,
    .traits = STK_OPERATOR_RUNS_AHEAD | STK_OPERATOR_JUMPS,
    .params_bytes = sizeof(stk_prefetch_params),
    .check = check,
    .cardinality = cardinality,
    .describe = describe,
    .at = at,
    .state_bytes = sizeof(state),
    .open = open,
    .next = next,
    .close = close,
    .save = save,
    .restore = restore,
    .discard = discard,
};

stk_status stk_dataset_prefetch(stk_dataset **data, int64_t count, stk_error *err)
{
    const stk_prefetch_params p = {.count = count};
    return stk_dataset_append(data, &stk_operator_prefetch, &p, err);
}

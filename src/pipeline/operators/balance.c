/* balance: draws the elements of an input with random access so that all classes appear equally
 * often. Like global_shuffle it stores no order, only the index lists of the classes. */
#include "base/balanced_order.h"
#include "base/hash.h"
#include "pipeline/operators/operators.h"
#include "pipeline/operators/shuffle_seed.h"

#include <inttypes.h>

typedef struct params {
    stk_shuffle_options options;
    stk_dataset        *input; /* as it was written, as of global_shuffle */
    stk_balance         balance;
    uint64_t            labels; /* a fingerprint of them */
} params;

typedef struct state {
    stk_permutation order;
    uint64_t        seed; /* of classes: the same in all epochs, to go on where the last ended */
    uint64_t        given;
} state;

static void release_params(void *untyped)
{
    params *p = untyped;
    stk_balance_release(&p->balance);
    stk_dataset_unref(p->input);
}

static stk_status check_input(const stk_dataset *input, stk_error *err)
{
    if (!input->op->at || input->traits & STK_OPERATOR_RANDOM)
        return stk_fail(err, STK_E_UNSUPPORTED, "balance", input->op->name,
                        "elements cannot be had by number through %s; put balance before it",
                        input->op->name);
    for (size_t i = 0; i < input->input_count; i++)
        STK_TRY(check_input(input->inputs[i], err));
    return STK_OK;
}

static stk_status check(stk_dataset *data, stk_error *err)
{
    const params  *p = data->params;
    const uint64_t labels = p->balance.begin[p->balance.classes];
    STK_TRY(check_input(p->input, err));
    if (p->input->cardinality < 0 || (uint64_t)p->input->cardinality != labels)
        return stk_fail(err, STK_E_INVALID, "balance", p->input->op->name,
                        "there are %" PRIu64 " labels for %" PRId64 " elements; there must be one "
                        "for each",
                        labels, p->input->cardinality);
    if (!p->options.seeded) STK_TRY(stk_implicit_seed_attach(data, err));
    return stk_dataset_set_spec(data, &p->input->spec, err);
}

static int64_t cardinality(const stk_dataset *data)
{
    return (int64_t)stk_balance_epoch(&((const params *)data->params)->balance);
}

static stk_status describe(const stk_dataset *data, stk_blob *out, stk_error *err)
{
    const params *p = data->params;
    STK_TRY(stk_describe(out, err, "%" PRIu64 " of each of %" PRIu64 " classes, labels %016" PRIx64,
                         p->balance.each, p->balance.classes, p->labels));
    return p->options.seeded ? stk_describe(out, err, ", seed %" PRIu64, p->options.seed) : STK_OK;
}

static unsigned traits_of(const stk_dataset *data)
{
    const params *p = data->params;
    return STK_OPERATOR_RANDOM | (stk_dataset_traits_below(p->input) & STK_OPERATOR_BLOCKING) |
           (p->input->jumps ? STK_OPERATOR_JUMPS : 0);
}

/* same_each_epoch: always the first's. */
static uint64_t epoch_of(const stk_node *node)
{
    return STK_PARAMS(params, node)->options.same_each_epoch ? 0 : node->epoch;
}

static stk_status open(stk_node *node, stk_error *err)
{
    const params *p = node->plan->params;
    state        *s = node->state;
    stk_node      first = *node;
    (void)err;
    first.epoch = first.lineage = 0;
    s->seed = stk_shuffle_seed_of(node->plan, &p->options, node->plan->salt, &first);
    s->order = stk_balance_order(
        &p->balance, stk_shuffle_seed_of(node->plan, &p->options, node->plan->salt, node), 0);
    return STK_OK;
}

static stk_status set_epoch(stk_element **element, uint64_t epoch, stk_error *err)
{
    stk_origin from = *stk_element_origin(*element);
    if (from.epoch == epoch) return STK_OK;
    from.epoch = epoch;
    STK_TRY(stk_element_make_unique(element, err));
    stk_element_set_origin(*element, &from);
    return STK_OK;
}

static stk_status next(stk_node *node, stk_element **out, stk_error *err)
{
    const params *p = node->plan->params;
    state        *s = node->state;
    if (s->given == s->order.count) return STK_OK;
    const uint64_t index =
        stk_balance_at(&p->balance, &s->order, s->seed, epoch_of(node), s->given++);
    STK_TRY(stk_dataset_read(p->input, index, stk_run_options_of(node->run)->ledger, out, err));
    const stk_status st = set_epoch(out, node->epoch, err);
    if (st) stk_element_unref(*out);
    return st;
}

static stk_status save(stk_node *node, stk_state_out *out, stk_error *err)
{
    if (stk_shuffle_seed_is_drawn(&STK_PARAMS(params, node)->options))
        STK_TRY(stk_state_put_u64(out, stk_implicit_seed_get(node->plan), err));
    return stk_state_put_u64(out, STK_STATE(state, node)->given, err);
}

static stk_status restore(stk_node *node, stk_state_in *in, stk_error *err)
{
    state   *s = STK_STATE(state, node);
    uint64_t drawn;
    if (stk_shuffle_seed_is_drawn(&STK_PARAMS(params, node)->options)) {
        STK_TRY(stk_state_get_u64(in, &drawn, err));
        stk_implicit_seed_set(node->plan, drawn);
        STK_TRY(open(node, err));
    }
    return stk_state_get_count(in, s->order.count, &s->given, err);
}

static stk_status discard(stk_node *node, uint64_t count, uint64_t *discarded, stk_error *err)
{
    (void)err;
    state *s = STK_STATE(state, node);
    *discarded = count < s->order.count - s->given ? count : s->order.count - s->given;
    s->given += *discarded;
    return STK_OK;
}

const stk_operator stk_operator_balance = {
    .name = "balance",
    .stage = STK_STAGE_READ,
    .traits = STK_OPERATOR_LAZY_INPUTS,
    .params_bytes = sizeof(params),
    .release_params = release_params,
    .check = check,
    .cardinality = cardinality,
    .describe = describe,
    .traits_of = traits_of,
    .state_bytes = sizeof(state),
    .open = open,
    .next = next,
    .save = save,
    .restore = restore,
    .discard = discard,
};

stk_status stk_dataset_balance(stk_dataset **data, const int64_t *labels, uint64_t count,
                               int64_t classes, const stk_shuffle_options *options, stk_error *err)
{
    params p = {.labels = stk_hash64(1, labels, count * sizeof *labels)};
    if (options) p.options = *options;
    STK_TRY(stk_balance_init(&p.balance, labels, count, classes, err));
    p.input = stk_dataset_ref(*data);
    return stk_dataset_append(data, &stk_operator_balance, &p, err);
}

/* global_shuffle: all elements of an input with random access, in the order of a permutation that
 * is computed, not stored. */
#include "base/permutation.h"
#include "pipeline/operators/operators.h"
#include "pipeline/operators/shuffle_seed.h"

#include <inttypes.h>

typedef struct params {
    stk_shuffle_options options;
    /* The original input: passes turn its maps into operators that run ahead, without random
     * access. */
    stk_dataset *input;
} params;

typedef struct state {
    stk_permutation order;
    uint64_t        given;
} state;

static void release_params(void *untyped)
{
    stk_dataset_unref(((params *)untyped)->input);
}

static stk_status check_input(const stk_dataset *input, stk_error *err)
{
    if (!input->op->at)
        return stk_fail(err, STK_E_UNSUPPORTED, "global_shuffle", input->op->name,
                        "elements cannot be had by number through %s; put global_shuffle before it,"
                        " or use shuffle",
                        input->op->name);
    if (input->traits & STK_OPERATOR_RANDOM)
        return stk_fail(err, STK_E_UNSUPPORTED, "global_shuffle", input->op->name,
                        "%s is random or has state, and by number it would give the same in every "
                        "epoch; put global_shuffle before it",
                        input->op->name);
    for (size_t i = 0; i < input->input_count; i++)
        STK_TRY(check_input(input->inputs[i], err));
    return STK_OK;
}

static stk_status check(stk_dataset *data, stk_error *err)
{
    const params *p = data->params;
    STK_TRY(check_input(p->input, err));
    if (p->input->cardinality < 0)
        return stk_fail(err, STK_E_UNSUPPORTED, "global_shuffle", p->input->op->name,
                        "the number of elements is %s; it must be known",
                        p->input->cardinality == STK_CARDINALITY_INFINITE ? "infinite"
                                                                          : "not known");
    if (!p->options.seeded) STK_TRY(stk_implicit_seed_attach(data, err));
    return stk_dataset_set_spec(data, &p->input->spec, err);
}

static int64_t cardinality(const stk_dataset *data)
{
    return ((const params *)data->params)->input->cardinality;
}

static stk_status describe(const stk_dataset *data, stk_blob *out, stk_error *err)
{
    const params *p = data->params;
    if (p->options.seeded) STK_TRY(stk_describe(out, err, "seed %" PRIu64, p->options.seed));
    return p->options.same_each_epoch ? stk_describe(out, err, ", the same each epoch") : STK_OK;
}

static unsigned traits_of(const stk_dataset *data)
{
    const params *p = data->params;
    return (p->options.same_each_epoch ? 0 : STK_OPERATOR_RANDOM) |
           (stk_dataset_traits_below(p->input) & STK_OPERATOR_BLOCKING) |
           (p->input->jumps ? STK_OPERATOR_JUMPS : 0);
}

static stk_permutation order_of(const stk_dataset *data, uint64_t seed)
{
    return stk_permutation_of((uint64_t)((const params *)data->params)->input->cardinality, seed,
                              0);
}

/* Of the first epoch, and without an iterator: unseeded ones have the order drawn when they were
 * made. */
static stk_status at(const stk_dataset *data, uint64_t index, stk_ledger *ledger, stk_element **out,
                     stk_error *err)
{
    const params  *p = data->params;
    const uint64_t count = (uint64_t)p->input->cardinality;
    if (index >= count)
        return stk_fail(err, STK_E_RANGE, "global_shuffle", NULL,
                        "element %" PRIu64 " was asked for; there are %" PRIu64, index, count);
    const stk_node        first = {0};
    const uint64_t        seed = p->options.seeded
                                     ? stk_shuffle_seed_of(data, &p->options, data->salt, &first)
                                     : stk_implicit_seed_get(data);
    const stk_permutation order = order_of(data, seed);
    return stk_dataset_read(p->input, stk_permutation_at(&order, index), ledger, out, err);
}

static stk_status open(stk_node *node, stk_error *err)
{
    (void)err;
    STK_STATE(state, node)->order =
        order_of(node->plan, stk_shuffle_seed_of(node->plan, &STK_PARAMS(params, node)->options,
                                                 node->plan->salt, node));
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
    state *s = STK_STATE(state, node);
    if (s->given == s->order.count) return STK_OK;
    const uint64_t index = stk_permutation_at(&s->order, s->given++);
    STK_TRY(stk_dataset_read(STK_PARAMS(params, node)->input, index,
                             stk_run_options_of(node->run)->ledger, out, err));
    const stk_status st = set_epoch(out, node->epoch, err);
    if (st) stk_element_unref(*out);
    return st;
}

/* An implicit seed is part of the position, as the dataset may be remade before it is restored. */
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

const stk_operator stk_operator_global_shuffle = {
    .name = "global_shuffle",
    .stage = STK_STAGE_READ,
    .traits = STK_OPERATOR_LAZY_INPUTS,
    .params_bytes = sizeof(params),
    .release_params = release_params,
    .check = check,
    .cardinality = cardinality,
    .describe = describe,
    .traits_of = traits_of,
    .at = at,
    .state_bytes = sizeof(state),
    .open = open,
    .next = next,
    .save = save,
    .restore = restore,
    .discard = discard,
};

stk_status stk_dataset_global_shuffle(stk_dataset **data, const stk_shuffle_options *options,
                                      stk_error *err)
{
    params p = {.input = stk_dataset_ref(*data)};
    if (options) p.options = *options;
    return stk_dataset_append(data, &stk_operator_global_shuffle, &p, err);
}

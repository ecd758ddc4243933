/* sample_from: the next element of an input drawn by weight. */
#include "pipeline/operators/operators.h"
#include "pipeline/support/pick.h"
#include "pipeline/support/seeds.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <stoker/dataset_operators.h>

typedef struct params {
    double  *weights; /* one per input */
    bool     stop_on_empty, seeded, same_each_epoch;
    uint64_t seed;
} params;

typedef struct state {
    uint64_t seed;
    uint64_t draws; /* so far */
} state;

static void release_params(void *untyped)
{
    free(((params *)untyped)->weights);
}

static stk_status check(stk_dataset *data, stk_error *err)
{
    const params *p = data->params;
    double        sum = 0;
    for (size_t i = 0; i < data->input_count; i++) {
        if (!(p->weights[i] >= 0) || isinf(p->weights[i]))
            return stk_fail(err, STK_E_INVALID, "sample_from", NULL,
                            "the weight of dataset %zu is %g; it must be 0 or more", i,
                            p->weights[i]);
        sum += p->weights[i];
    }
    if (isinf(sum))
        return stk_fail(err, STK_E_INVALID, "sample_from", NULL,
                        "the weights of %zu datasets add up to more than %g; give smaller ones",
                        data->input_count, DBL_MAX);
    return stk_pick_check(data, data->input_count, err);
}

/* Inputs of weight 0 are never drawn. */
static int64_t cardinality(const stk_dataset *data)
{
    const params *p = data->params;
    size_t        drawn = 0, infinite = 0;
    int64_t       last = 0;
    for (size_t i = 0; i < data->input_count; i++) {
        if (p->weights[i] == 0) continue;
        last = data->inputs[i]->cardinality;
        drawn++;
        infinite += last == STK_CARDINALITY_INFINITE;
    }
    if (drawn < 2) return last;
    if (p->stop_on_empty ? infinite == drawn : infinite > 0) return STK_CARDINALITY_INFINITE;
    return STK_CARDINALITY_UNKNOWN;
}

static stk_status describe(const stk_dataset *data, stk_blob *out, stk_error *err)
{
    const params *p = data->params;
    STK_TRY(stk_describe(out, err, "weights"));
    for (size_t i = 0; i < data->input_count; i++)
        STK_TRY(stk_describe_real(out, p->weights[i], err));
    if (p->stop_on_empty) STK_TRY(stk_describe(out, err, ", stop"));
    if (p->seeded) STK_TRY(stk_describe(out, err, ", seed %" PRIu64, p->seed));
    return p->same_each_epoch ? stk_describe(out, err, ", same each epoch") : STK_OK;
}

static stk_status open(stk_node *node, stk_error *err)
{
    (void)err;
    const params *p = node->plan->params;
    STK_STATE(state, node)->seed = stk_draw_seed(node, p->seeded, p->seed, p->same_each_epoch);
    return STK_OK;
}

static double weight_of(const stk_node *node, size_t index)
{
    return node->inputs[index] ? STK_PARAMS(params, node)->weights[index] : 0;
}

/* One of the open inputs, by weight: an exhausted one leaves its share to the others. False when
 * none has any weight. */
static bool draw(stk_node *node, size_t *index)
{
    state       *s = STK_STATE(state, node);
    const size_t count = node->plan->input_count;
    double       sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += weight_of(node, i);
    if (!(sum > 0)) return false;
    double left = stk_draw(s->seed, s->draws++) * sum;
    for (size_t i = 0; i < count; i++) {
        const double weight = weight_of(node, i);
        if (weight == 0) continue;
        *index = i; /* the last one, should rounding leave a rest */
        left -= weight;
        if (left < 0) break;
    }
    return true;
}

static stk_status next(stk_node *node, stk_element **out, stk_error *err)
{
    size_t index = 0;
    while (draw(node, &index)) {
        STK_TRY(stk_pick_next(node, index, out, err));
        if (*out || STK_PARAMS(params, node)->stop_on_empty) return STK_OK;
    }
    return STK_OK;
}

static stk_status save(stk_node *node, stk_state_out *out, stk_error *err)
{
    STK_TRY(stk_state_put_u64(out, STK_STATE(state, node)->draws, err));
    return stk_pick_save(node, out, err);
}

static stk_status restore(stk_node *node, stk_state_in *in, stk_error *err)
{
    STK_TRY(stk_state_get_u64(in, &STK_STATE(state, node)->draws, err));
    return stk_pick_restore(node, in, err);
}

const stk_operator stk_operator_sample_from = {
    .name = "sample_from",
    .stage = STK_STAGE_PREPROCESS,
    .traits = STK_OPERATOR_RANDOM,
    .params_bytes = sizeof(params),
    .release_params = release_params,
    .check = check,
    .cardinality = cardinality,
    .describe = describe,
    .state_bytes = sizeof(state),
    .open = open,
    .next = next,
    .save = save,
    .restore = restore,
};

stk_status stk_dataset_sample_from(stk_dataset **out, stk_dataset *const *inputs, size_t count,
                                   const stk_sample_options *options, stk_error *err)
{
    static const stk_sample_options defaults = {0};
    *out = NULL;
    if (!options) options = &defaults;
    if (options->weights && options->weight_count != count)
        return stk_fail(err, STK_E_INVALID, "sample_from", NULL,
                        "there are %zu inputs and %zu weights; give one weight per input", count,
                        options->weight_count);
    params p = {.weights = calloc(count ? count : 1, sizeof(double)),
                .stop_on_empty = options->stop_on_empty,
                .seeded = options->seeded,
                .same_each_epoch = options->same_each_epoch,
                .seed = options->seed};
    if (!p.weights)
        return stk_fail(err, STK_E_NOMEM, "sample_from", NULL, "no memory for %zu weights", count);
    for (size_t i = 0; i < count; i++)
        p.weights[i] = options->weights ? options->weights[i] : 1;
    return stk_dataset_make(out, &stk_operator_sample_from, &p, inputs, count, err);
}

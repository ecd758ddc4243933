/* rejection_resample: drops elements until their classes have a target distribution. */
#include "pipeline/operators/operators.h"
#include "pipeline/runtime/function_state.h"
#include "pipeline/support/invoke.h"
#include "pipeline/support/seeds.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <stoker/dataset_operators.h>

/* As if so many of each class had been seen before the first: no estimate is 0. TensorFlow's. */
enum { SMOOTHING = 10 };

typedef struct params {
    stk_function *class_of;
    double       *target;
    double       *initial; /* NULL: estimated while running */
    size_t        class_count;
    uint64_t      seed;
    bool          seeded;
} params;

typedef struct state {
    uint64_t  seed;
    uint64_t  index; /* of the next input */
    uint64_t *seen;  /* of each class, where it is estimated */
} state;

static void release_params(void *untyped)
{
    params *p = untyped;
    stk_function_unref(p->class_of);
    free(p->target);
    free(p->initial);
}

static stk_status check_distribution(const char *what, const double *fractions, size_t count,
                                     stk_error *err)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        if (!(fractions[i] >= 0) || isinf(fractions[i]))
            return stk_fail(err, STK_E_INVALID, "rejection_resample", NULL,
                            "the %s share of class %zu is %g; it must be 0 or more", what, i,
                            fractions[i]);
        sum += fractions[i];
    }
    if (sum > 0 && !isinf(sum)) return STK_OK;
    return stk_fail(err, STK_E_INVALID, "rejection_resample", NULL,
                    "the %s shares of %zu classes add up to %g; at least one must be above 0, and "
                    "the sum finite",
                    what, count, sum);
}

static stk_status check(stk_dataset *data, stk_error *err)
{
    const params            *p = data->params;
    const stk_function_info *info = stk_function_info_of(p->class_of);
    if (!info->key)
        return stk_fail(err, STK_E_INVALID, "rejection_resample", info->name,
                        "the function is no key function; give one that says an element's class");
    STK_TRY(stk_dataset_accepts(data, p->class_of, &data->inputs[0]->spec, err));
    STK_TRY(check_distribution("target", p->target, p->class_count, err));
    if (p->initial) STK_TRY(check_distribution("initial", p->initial, p->class_count, err));
    for (size_t i = 0; p->initial && i < p->class_count; i++)
        if (p->initial[i] == 0 && p->target[i] > 0)
            return stk_fail(err, STK_E_INVALID, "rejection_resample", NULL,
                            "class %zu shall have a share of %g, but its initial share is 0", i,
                            p->target[i]);
    return stk_dataset_set_spec(data, &data->inputs[0]->spec, err);
}

static stk_status describe(const stk_dataset *data, stk_blob *out, stk_error *err)
{
    const params *p = data->params;
    STK_TRY(stk_describe_function(out, p->class_of, err));
    STK_TRY(stk_describe(out, err, ", target"));
    for (size_t i = 0; i < p->class_count; i++)
        STK_TRY(stk_describe_real(out, p->target[i], err));
    if (p->initial) STK_TRY(stk_describe(out, err, ", initial"));
    for (size_t i = 0; p->initial && i < p->class_count; i++)
        STK_TRY(stk_describe_real(out, p->initial[i], err));
    return p->seeded ? stk_describe(out, err, ", seed %" PRIu64, p->seed) : STK_OK;
}

static stk_status open(stk_node *node, stk_error *err)
{
    const params *p = node->plan->params;
    state        *s = STK_STATE(state, node);
    s->seed = stk_draw_seed(node, p->seeded, p->seed, false);
    if (p->initial) return STK_OK;
    s->seen = calloc(p->class_count, sizeof *s->seen);
    if (!s->seen)
        return stk_fail(err, STK_E_NOMEM, "rejection_resample", NULL, "no memory for %zu classes",
                        p->class_count);
    return STK_OK;
}

static double fraction_of(const params *p, const state *s, size_t class)
{
    return p->initial ? p->initial[class] : (double)(s->seen[class] + SMOOTHING);
}

/* The class that is rarest relative to its target is always kept, others in proportion. Scales of
 * both distributions cancel. TensorFlow also mixes in elements of a second epoch to keep more; then
 * an element can appear twice, which must not happen. */
static double keep_rate(const params *p, const state *s, size_t class)
{
    double max = 0;
    for (size_t i = 0; i < p->class_count; i++)
        if (p->target[i] > 0) max = fmax(max, p->target[i] / fraction_of(p, s, i));
    return p->target[class] > 0 ? p->target[class] / fraction_of(p, s, class) / max : 0;
}

static stk_status decide(stk_node *node, const stk_element *element, bool *keep, stk_error *err)
{
    const params  *p = node->plan->params;
    state         *s = STK_STATE(state, node);
    const uint64_t index = s->index++;
    const stk_call call = stk_node_call(node, index);
    int64_t class;
    STK_TRY(stk_call_key(p->class_of, &call, element, &class, err));
    if (class < 0 || (uint64_t) class >= p->class_count) {
        char where[256];
        return stk_fail(err, STK_E_INVALID, "rejection_resample",
                        stk_element_where(element, where, sizeof where),
                        "the class is %" PRId64 "; there are %zu, from 0", class, p->class_count);
    }
    if (s->seen) s->seen[class]++;
    *keep = stk_draw(s->seed, index) < keep_rate(p, s, (size_t) class);
    return STK_OK;
}

static stk_status next(stk_node *node, stk_element **out, stk_error *err)
{
    for (;;) {
        STK_TRY(stk_node_check(node, err));
        STK_TRY(stk_node_pull(node, out, err));
        if (!*out) return STK_OK;
        bool       keep = false;
        stk_status st = decide(node, *out, &keep, err);
        if (!st && keep) return STK_OK;
        stk_element_unref(*out);
        *out = NULL;
        if (st) return st;
    }
}

static void close(stk_node *node)
{
    free(STK_STATE(state, node)->seen);
}

static stk_status save(stk_node *node, stk_state_out *out, stk_error *err)
{
    const params *p = node->plan->params;
    const state  *s = STK_STATE(state, node);
    STK_TRY(stk_state_put_u64(out, s->index, err));
    for (size_t i = 0; s->seen && i < p->class_count; i++)
        STK_TRY(stk_state_put_u64(out, s->seen[i], err));
    STK_TRY(stk_function_save(p->class_of, out, err));
    return stk_node_save_input(node, out, err);
}

static stk_status restore(stk_node *node, stk_state_in *in, stk_error *err)
{
    const params *p = node->plan->params;
    state        *s = STK_STATE(state, node);
    STK_TRY(stk_state_get_u64(in, &s->index, err));
    for (size_t i = 0; s->seen && i < p->class_count; i++)
        STK_TRY(stk_state_get_count(in, s->index, &s->seen[i], err));
    STK_TRY(stk_function_restore(p->class_of, in, err));
    return stk_node_restore_input(node, in, err);
}

const stk_operator stk_operator_rejection_resample = {
    .name = "rejection_resample",
    .stage = STK_STAGE_PREPROCESS,
    .traits = STK_OPERATOR_RANDOM,
    .params_bytes = sizeof(params),
    .release_params = release_params,
    .check = check,
    .describe = describe,
    .state_bytes = sizeof(state),
    .open = open,
    .next = next,
    .close = close,
    .save = save,
    .restore = restore,
};

static double *copy_fractions(const double *fractions, size_t count)
{
    double *copy = malloc((count ? count : 1) * sizeof *copy);
    if (copy && count) memcpy(copy, fractions, count * sizeof *copy);
    return copy;
}

stk_status stk_dataset_rejection_resample(stk_dataset **data, stk_function *class_of,
                                          const stk_resample_options *options, stk_error *err)
{
    if (!options || !options->target)
        return stk_fail(err, STK_E_INVALID, "rejection_resample", NULL,
                        "no target shares were given; give one for each class");
    const size_t count = options->class_count;
    params       p = {.class_of = stk_function_ref(class_of),
                      .target = copy_fractions(options->target, count),
                      .initial = options->initial ? copy_fractions(options->initial, count) : NULL,
                      .class_count = count,
                      .seed = options->seed,
                      .seeded = options->seeded};
    if (!p.target || (options->initial && !p.initial)) {
        release_params(&p);
        return stk_fail(err, STK_E_NOMEM, "rejection_resample", NULL, "no memory for %zu classes",
                        count);
    }
    return stk_dataset_append(data, &stk_operator_rejection_resample, &p, err);
}

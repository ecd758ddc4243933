/* Fuses two operators. Invariants: values, order, positions of errors, and the random numbers of
 * every function, which depend on the element's index in the operator's input. */
#include "pipeline/passes/pass_fuse.h"

#include "pipeline/operators/fused_map.h"
#include "pipeline/operators/map.h"

#include <stdlib.h>

/* A stage as fused_map would have it. */
typedef struct view {
    const stk_fused_function *steps;
    size_t                    count;
    int64_t                   parallel;
    stk_order                 order;
    stk_fused_function        own; /* of a filter */
} view;

static const stk_function_info *info_of(const view *v, size_t step)
{
    return stk_function_info_of(v->steps[step].function);
}

/* False when data is neither fused_map nor filter, or makes batches. */
static bool look(const stk_dataset *data, view *v)
{
    if (data->op == &stk_operator_filter) {
        const stk_filter_params *p = data->params;
        *v = (view){.count = 1, .parallel = STK_AUTO, .order = STK_ORDER_EXACT};
        v->own = (stk_fused_function){.function = p->function, .salt = data->salt};
        v->steps = &v->own;
        return true;
    }
    if (data->op != &stk_operator_fused_map) return false;
    const stk_fused_map_params *p = data->params;
    *v = (view){.steps = p->steps, .count = p->count, .parallel = p->parallel, .order = p->order};
    return !p->batch;
}

stk_fusible stk_fusible_of(const stk_dataset *data)
{
    view        v;
    stk_fusible of = {0};
    if (!look(data, &v)) return of;
    of.any = true;
    for (size_t i = 0; i < v.count; i++) {
        const stk_function_info *info = info_of(&v, i);
        if (info->traits & STK_FUNCTION_STATEFUL) return (stk_fusible){0};
        if (info->test)
            of.tests = true;
        else
            of.maps = true;
    }
    return of;
}

static unsigned traits_of(const view *v)
{
    unsigned traits = 0;
    for (size_t i = 0; i < v->count; i++)
        traits |= info_of(v, i)->traits;
    return traits;
}

static bool has_random_test(const view *v)
{
    for (size_t i = 0; i < v->count; i++)
        if (info_of(v, i)->test && info_of(v, i)->traits & STK_FUNCTION_RANDOM) return true;
    return false;
}

/* A filter indexes its good inputs, a map all results; after a filter indices are denser. Functions
 * without random numbers ignore the index. */
static bool keeps_numbers(const view *lower, const view *upper, bool lower_tests)
{
    if (has_random_test(lower) || has_random_test(upper)) return false;
    return !lower_tests || !(traits_of(upper) & STK_FUNCTION_RANDOM);
}

/* Functions that wait run elsewhere than those that compute. */
static bool run_alike(const view *lower, const view *upper)
{
    return !((traits_of(lower) ^ traits_of(upper)) & STK_FUNCTION_BLOCKING);
}

static int64_t lower_of(int64_t a, int64_t b)
{
    if (a == STK_AUTO) return b;
    return b == STK_AUTO || a < b ? a : b;
}

static stk_status join(stk_dataset **out, const view *lower, const view *upper, stk_order order,
                       stk_dataset *input, stk_error *err)
{
    stk_fused_map_params p = {.count = lower->count + upper->count,
                              .parallel = lower_of(lower->parallel, upper->parallel),
                              .order = order};
    p.steps = calloc(p.count, sizeof *p.steps);
    if (!p.steps) return stk_fail(err, STK_E_NOMEM, "optimise", NULL, "no memory for a plan");
    for (size_t i = 0; i < p.count; i++)
        p.steps[i] = i < lower->count ? lower->steps[i] : upper->steps[i - lower->count];
    stk_status st = stk_fused_map_make(out, &p, input, err);
    free(p.steps);
    return st;
}

/* A filter says nothing about order: it takes what comes. */
stk_status stk_fuse(stk_dataset **out, const stk_dataset *upper, stk_error *err)
{
    *out = NULL;
    const stk_dataset *lower = upper->inputs[0];
    view               above, below;
    if (!look(upper, &above) || !look(lower, &below)) return STK_OK;
    const stk_fusible of_above = stk_fusible_of(upper), of_below = stk_fusible_of(lower);
    if (of_above.maps && of_below.maps && above.order != below.order) return STK_OK;
    if (!run_alike(&below, &above) || !keeps_numbers(&below, &above, of_below.tests)) return STK_OK;
    const stk_order order = of_above.maps ? above.order : below.order;
    return join(out, &below, &above, order, lower->inputs[0], err);
}

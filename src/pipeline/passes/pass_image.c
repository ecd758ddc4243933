/* image: joins consecutive functions on one image into one, which decodes only the needed region in
 * as few passes over the pixels as possible. */
#include "pipeline/functions/image_function.h"
#include "pipeline/operators/fused_map.h"
#include "pipeline/passes/pass.h"

#include <stdlib.h>

/* The steps of fused_map, joined as far as they go. What was joined is owned here. */
typedef struct joining {
    stk_fused_function *steps;
    size_t              count;
} joining;

static void release(joining *j)
{
    for (size_t i = 0; i < j->count; i++) {
        stk_function_unref(j->steps[i].function);
        free(j->steps[i].salts);
    }
    free(j->steps);
}

/* A copy of step that is owned here. */
static stk_status add(joining *j, const stk_fused_function *step, stk_error *err)
{
    stk_fused_function *to = &j->steps[j->count];
    const size_t        count = step->salt_count ? step->salt_count : 1;
    *to = (stk_fused_function){.salt = step->salt, .salts = calloc(count, sizeof *to->salts)};
    if (!to->salts) return stk_fail(err, STK_E_NOMEM, "optimise", NULL, "no memory for a plan");
    to->salt_count = count;
    memcpy(to->salts, step->salts ? step->salts : &step->salt, count * sizeof *to->salts);
    to->function = stk_function_ref(step->function);
    j->count++;
    return STK_OK;
}

/* step becomes part of the last one. */
static stk_status join(joining *j, const stk_fused_function *step, stk_error *err)
{
    stk_fused_function *last = &j->steps[j->count - 1];
    const size_t        more = step->salt_count ? step->salt_count : 1;
    uint64_t           *salts = realloc(last->salts, (last->salt_count + more) * sizeof *salts);
    if (!salts) return stk_fail(err, STK_E_NOMEM, "optimise", NULL, "no memory for a plan");
    memcpy(salts + last->salt_count, step->salts ? step->salts : &step->salt, more * sizeof *salts);
    last->salts = salts;
    stk_function *joined;
    STK_TRY(stk_image_function_joined(&joined, last->function, step->function, err));
    stk_function_unref(last->function);
    last->function = joined;
    last->salt_count += more;
    return STK_OK;
}

static stk_status join_all(joining *j, const stk_fused_map_params *p, stk_error *err)
{
    j->steps = calloc(p->count ? p->count : 1, sizeof *j->steps);
    if (!j->steps) return stk_fail(err, STK_E_NOMEM, "optimise", NULL, "no memory for a plan");
    for (size_t i = 0; i < p->count; i++) {
        const bool joins = j->count && stk_image_functions_join(j->steps[j->count - 1].function,
                                                                p->steps[i].function);
        STK_TRY(joins ? join(j, &p->steps[i], err) : add(j, &p->steps[i], err));
    }
    return STK_OK;
}

static stk_status rewrite(stk_dataset *data, bool root, stk_dataset **out, stk_error *err)
{
    (void)root;
    *out = NULL;
    joining    j = {0};
    stk_status st = STK_OK;
    if (data->op == &stk_operator_fused_map) {
        stk_fused_map_params p = *(const stk_fused_map_params *)data->params;
        const size_t         before = p.count;
        st = join_all(&j, &p, err);
        p.steps = j.steps;
        p.count = j.count;
        if (!st && j.count < before) st = stk_fused_map_make(out, &p, data->inputs[0], err);
    }
    release(&j);
    if (!st && !*out) *out = stk_dataset_ref(data);
    return st;
}

const stk_pass_info stk_pass_image = {.pass = STK_PASS_IMAGE, .name = "image", .rewrite = rewrite};

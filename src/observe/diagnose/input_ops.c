/* Finds the most expensive operation of preprocessing. */
#include "observe/diagnose/context.h"

#include <math.h>

/* Below this fraction operations are about equal. */
static const double costly = 0.2;

void stk_diagnosis_ctx_show_input_ops(stk_diagnosis_ctx *c)
{
    const stk_profile          *p = c->profile;
    const stk_profile_input_op *top = NULL;
    double                      all = 0;
    if (c->fraction[STK_STAGE_PREPROCESS].value < STK_FRACTION_WORTH) return;
    for (size_t i = 0; i < p->input_op_count; i++) {
        const stk_profile_input_op *one = &p->input_ops[i];
        all += fmax(0, one->busy_ns);
        if (!top || one->busy_ns > top->busy_ns) top = one;
    }
    if (!top || top->busy_ns < costly * all) return;
    stk_diagnosis_ctx_show(c, "of what prepares batches, %s takes %.0f %%: %.1f us each", top->name,
                           100 * top->busy_ns / all, top->busy_ns / fmax(1, top->items) * 1e-3);
}

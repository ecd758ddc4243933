/* Which operation of the input takes most of the time that preparing takes. */
#include "observe/diagnose/context.h"

#include <math.h>

/* Less says nothing: all are alike. */
static const double dear = 0.2;

void stk_diagnosis_ctx_show_input_ops(stk_diagnosis_ctx *c)
{
    const stk_profile          *p = c->profile;
    const stk_profile_input_op *most = NULL;
    double                      all = 0;
    if (c->share[STK_STAGE_PREPROCESS].value < STK_SHARE_WORTH) return;
    for (size_t i = 0; i < p->input_op_count; i++) {
        const stk_profile_input_op *one = &p->input_ops[i];
        all += fmax(0, one->busy_ns);
        if (!most || one->busy_ns > most->busy_ns) most = one;
    }
    if (!most || most->busy_ns < dear * all) return;
    stk_diagnosis_ctx_show(c, "of what prepares batches, %s takes %.0f %%: %.1f us each",
                           most->name, 100 * most->busy_ns / all,
                           most->busy_ns / fmax(1, most->items) * 1e-3);
}

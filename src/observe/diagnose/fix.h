/* Creates fixes: prediction, text, and settings that apply them. */
#ifndef STK_OBSERVE_DIAGNOSE_FIX_H
#define STK_OBSERVE_DIAGNOSE_FIX_H

#include "observe/diagnose/context.h"

/* A longer path does not fit into a line and becomes DATA. A word includes its quotes. */
enum { STK_FIX_PATH = 100, STK_FIX_WORD = 112 };

/* Each function adds a fix with this name and empty texts, if the gain is large enough. NULL if it
 * is not, or the list is full. */

/* From a simulation, widened by the known error of predictions. */
stk_fix *stk_diagnosis_ctx_fix(stk_diagnosis_ctx *c, stk_stage stage, const char *name,
                               const stk_what_if *what);
/* Between two simulations. */
stk_fix *stk_diagnosis_ctx_fix_between(stk_diagnosis_ctx *c, stk_stage stage, const char *name,
                                       const stk_what_if *weak, const stk_what_if *strong);
/* An upper bound without a prediction. */
stk_fix *stk_diagnosis_ctx_fix_at_most(stk_diagnosis_ctx *c, stk_stage stage, const char *name,
                                       const stk_what_if *what);
/* From a rate estimated by other means. */
stk_fix *stk_diagnosis_ctx_fix_rate(stk_diagnosis_ctx *c, stk_stage stage, const char *name,
                                    stk_estimate rate);
/* Without a gain. */
stk_fix *stk_diagnosis_ctx_fix_unpredicted(stk_diagnosis_ctx *c, stk_stage stage, const char *name);

/* Widens a rate's interval by the error of predictions. */
stk_estimate stk_diagnosis_ctx_widen(const stk_diagnosis_ctx *c, stk_estimate rate);

void stk_fix_describe(stk_fix *fix, const char *format, ...) STK_PRINTF(2, 3); /* sets the title */
void stk_fix_because(stk_fix *fix, const char *format, ...) STK_PRINTF(2, 3);  /* sets the reason */
void stk_fix_code(stk_fix *fix, const char *format, ...) STK_PRINTF(2, 3);
void stk_fix_set(stk_fix *fix, const char *format, ...) STK_PRINTF(2, 3); /* appends a NAME=VALUE */
void stk_fix_recipe(stk_fix *fix, const char *format, ...) STK_PRINTF(2, 3);
/* Sets command: "stoker train DATA FLAGS". */
void stk_fix_train(const stk_diagnosis_ctx *c, stk_fix *fix, const char *format, ...)
    STK_PRINTF(3, 4);
/* Sets command and data: "stoker pack DATA DATA-SUFFIX FLAGS". */
void stk_fix_pack(const stk_diagnosis_ctx *c, stk_fix *fix, const char *suffix, const char *flags);

#endif

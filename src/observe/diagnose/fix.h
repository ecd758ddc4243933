/* How fixes are made: foretold, worded, and with what carries them out. */
#ifndef STK_OBSERVE_DIAGNOSE_FIX_H
#define STK_OBSERVE_DIAGNOSE_FIX_H

#include "observe/diagnose/context.h"

/* A longer path does not fit into a line: DATA stands for it. A word is one with its quotes. */
enum { STK_FIX_PATH = 100, STK_FIX_WORD = 112 };

/* Each adds a fix with this name when it is worth it, with texts for the caller to fill; NULL when
 * it is not, or when there is no room. */

/* By what the replay says, and how far that was off in runs. */
stk_fix *stk_diagnosis_ctx_fix(stk_diagnosis_ctx *c, stk_stage stage, const char *name,
                               const stk_what_if *what);
/* Anything between two replays. */
stk_fix *stk_diagnosis_ctx_fix_between(stk_diagnosis_ctx *c, stk_stage stage, const char *name,
                                       const stk_what_if *weak, const stk_what_if *strong);
/* A bound from above: nothing is said of less. */
stk_fix *stk_diagnosis_ctx_fix_at_most(stk_diagnosis_ctx *c, stk_stage stage, const char *name,
                                       const stk_what_if *what);
/* For a rate that is known otherwise. */
stk_fix *stk_diagnosis_ctx_fix_rate(stk_diagnosis_ctx *c, stk_stage stage, const char *name,
                                    stk_estimate rate);
/* Without any number. */
stk_fix *stk_diagnosis_ctx_fix_unpredicted(stk_diagnosis_ctx *c, stk_stage stage, const char *name);

/* The interval of a rate with the error of the replay itself. */
stk_estimate stk_diagnosis_ctx_widen(const stk_diagnosis_ctx *c, stk_estimate rate);

void stk_fix_describe(stk_fix *fix, const char *format, ...) STK_PRINTF(2, 3); /* title */
void stk_fix_because(stk_fix *fix, const char *format, ...) STK_PRINTF(2, 3);  /* why */
void stk_fix_code(stk_fix *fix, const char *format, ...) STK_PRINTF(2, 3);
void stk_fix_set(stk_fix *fix, const char *format, ...) STK_PRINTF(2, 3); /* one NAME=VALUE more */
void stk_fix_recipe(stk_fix *fix, const char *format, ...) STK_PRINTF(2, 3);
/* command: "stoker train DATA FLAGS". */
void stk_fix_train(const stk_diagnosis_ctx *c, stk_fix *fix, const char *format, ...)
    STK_PRINTF(3, 4);
/* command and data: "stoker pack DATA DATA-SUFFIX FLAGS". */
void stk_fix_pack(const stk_diagnosis_ctx *c, stk_fix *fix, const char *suffix, const char *flags);

#endif

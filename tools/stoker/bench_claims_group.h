/* Trials that are timed in turn, and the rows of claims that come of them. */
#ifndef STK_TOOLS_BENCH_CLAIMS_GROUP_H
#define STK_TOOLS_BENCH_CLAIMS_GROUP_H

#include "bench_claims.h"

enum { STK_GROUP_TRIALS = 6 };

/* Trials that cannot be had here say why, in the rows that are of them. */
typedef struct stk_claim_group {
    stk_claims *claims;
    cli_trial   trials[STK_GROUP_TRIALS];
    bool        open[STK_GROUP_TRIALS];
    char        why[STK_GROUP_TRIALS][STK_CLAIM_TEXT];
    size_t      count;
} stk_claim_group;

void stk_group_release(stk_claim_group *g);

/* Adds steps of the claims' recipe with settings: pairs of key and value, NULL at the end. Only
 * Ctrl-C is an error, here and below. */
STK_NODISCARD stk_status stk_group_add(stk_claim_group *g, bool inference,
                                       const char *const *settings, stk_error *err);
STK_NODISCARD stk_status stk_group_add_dense(stk_claim_group *g, int64_t rows, int64_t in,
                                             int64_t width, stk_error *err);
/* Pictures and their number are chosen for the machine. */
STK_NODISCARD stk_status stk_group_add_convolutions(stk_claim_group *g, stk_layout layout,
                                                    int depth, int channels, unsigned passes_off,
                                                    stk_error *err);
/* Adds one that only a GPU could do. */
void stk_group_add_none(stk_claim_group *g);

STK_NODISCARD stk_status stk_group_run(stk_claim_group *g, stk_error *err);

/* The row of trial after beside trial before; lent. */
stk_claim *stk_group_compare(stk_claim_group *g, size_t before, size_t after, const stk_claim *row);
/* Says what was compared: "resnet50, batch 64, 224 x 224, fp16: WHAT". */
void stk_group_describe(stk_claim *row, const cli_trial *trial, const char *what);

#endif

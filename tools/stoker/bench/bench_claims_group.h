/* Trials that are timed in turn, and the rows of claims that come of them. */
#ifndef CLI_TOOLS_BENCH_CLAIMS_GROUP_H
#define CLI_TOOLS_BENCH_CLAIMS_GROUP_H

#include "bench_claims.h"

enum { CLI_GROUP_TRIALS = 6 };

/* Trials that cannot be had here say why, in the rows that are of them. */
typedef struct cli_claim_group {
    cli_claims *claims;
    cli_trial   trials[CLI_GROUP_TRIALS];
    bool        open[CLI_GROUP_TRIALS];
    char        why[CLI_GROUP_TRIALS][CLI_CLAIM_TEXT];
    size_t      count;
} cli_claim_group;

void cli_group_release(cli_claim_group *g);

/* Adds steps of the claims' recipe with settings: pairs of key and value, NULL at the end. Only
 * Ctrl-C is an error, here and below. */
STK_NODISCARD stk_status cli_group_add(cli_claim_group *g, bool inference,
                                       const char *const *settings, stk_error *err);
STK_NODISCARD stk_status cli_group_add_dense(cli_claim_group *g, int64_t rows, int64_t in,
                                             int64_t width, stk_error *err);
/* Images and their number are chosen for the machine. */
STK_NODISCARD stk_status cli_group_add_convolutions(cli_claim_group *g, stk_layout layout,
                                                    int depth, int channels, unsigned passes_off,
                                                    stk_error *err);
/* Adds one that only a GPU could do. */
void cli_group_add_none(cli_claim_group *g);

STK_NODISCARD stk_status cli_group_run(cli_claim_group *g, stk_error *err);

/* The row of trial after beside trial before; lent. */
cli_claim *cli_group_compare(cli_claim_group *g, size_t before, size_t after, const cli_claim *row);
/* Says what was compared: "resnet50, batch 64, 224 x 224, fp16: WHAT". */
void cli_group_describe(cli_claim *row, const cli_trial *trial, const char *what);

#endif

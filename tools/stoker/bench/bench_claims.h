/* What articles claim about the speed of training, measured here. */
#ifndef CLI_TOOLS_BENCH_CLAIMS_H
#define CLI_TOOLS_BENCH_CLAIMS_H

#include "bench_trial.h"
#include "terminal.h"

#include <stoker/json.h>

enum { CLI_CLAIMS_MOST = 24, CLI_CLAIM_CURVE = 4, CLI_CLAIM_TEXT = 256 };

/* One claim: that something is so many times faster than something else. */
typedef struct cli_claim {
    const char *key;                      /* "precision.fp16" */
    const char *claim;                    /* "fp16 instead of fp32" */
    const char *theirs;                   /* "2 to 3 times" */
    double      least, most;              /* the ratios that agree with it; most 0: any above */
    char        compared[CLI_CLAIM_TEXT]; /* what was measured: "resnet50, batch 64, ..." */
    const char *why;                      /* the likely reason, said where it does not hold */
    bool        measured;
    cli_spread  ratio;                /* of rates */
    double      before, after;        /* rates */
    const char *unit;                 /* "img/s", or "GFLOP/s" of single layers */
    char        note[CLI_CLAIM_TEXT]; /* why it was not measured */
} cli_claim;

typedef struct cli_claim_point {
    int64_t batch;
    double  images_per_s, share; /* of the most that the device computes; -1: not known */
} cli_claim_point;

typedef struct cli_claims {
    stk_train_recipe recipe; /* as the flags say, not settled, but for what is below */
    bool             large;  /* a GPU: sizes are those of the articles */
    char             machine[CLI_CLAIM_TEXT];
    int64_t          batch;
    size_t           windows;
    double           seconds; /* of a window */
    double           peak;    /* floating-point operations a second; -1: not known */
    cli_claim        rows[CLI_CLAIMS_MOST];
    size_t           count;
    cli_claim_point  curve[CLI_CLAIM_CURVE];
    size_t           points;
} cli_claims;

/* Groups of claims that are measured together. Names are NULL past the end. */
const char              *cli_claim_group_name(size_t index);
STK_NODISCARD stk_status cli_claim_group_measure(cli_claims *claims, size_t index, stk_error *err);

typedef enum cli_claim_verdict {
    CLI_CLAIM_NOT_MEASURED,
    CLI_CLAIM_NOISE, /* windows are too far apart to say */
    CLI_CLAIM_HOLDS,
    CLI_CLAIM_DOES_NOT,
    CLI_CLAIM_VERDICTS
} cli_claim_verdict;

cli_claim_verdict cli_claim_judge(const cli_claim *claim);

/* Graphs of single layers with their gradients, from input x, against input target. */
stk_status cli_claim_dense(stk_graph **out, int64_t rows, int64_t in, int64_t width,
                           stk_error *err);
/* depth convolutions of 3 x 3 with norms, channels to channels, on images of side x side. */
stk_status cli_claim_convolutions(stk_graph **out, stk_layout layout, int depth, int64_t batch,
                                  int64_t side, int channels, stk_error *err);

void cli_claims_print(const cli_claims *claims, const cli_style *style);
void cli_claims_json(stk_json_writer *json, const cli_claims *claims);

#endif

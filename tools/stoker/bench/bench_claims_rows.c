/* The claims, in groups of things that are timed in turn. */
#include "bench_claims_group.h"

#include <stdio.h>
#include <stoker/profiler.h>
#include <string.h>

static const char *const all_off = "simplify fuse layout schedule reuse record";

static stk_status precision(cli_claim_group *g, stk_error *err)
{
    static const char *const names[] = {"fp32", "tf32", "bf16", "fp16"};
    static const cli_claim   rows[] = {
          {0},
          {.key = "precision.tf32",
           .claim = "tf32 instead of fp32",
           .theirs = "no number",
           .least = 1.05,
           .why = "what is not a product takes most of the time"},
          {.key = "precision.bf16",
           .claim = "mixed precision, bf16",
           .theirs = "2 to 3 times",
           .least = 2,
           .why = "this machine computes little faster in bf16"},
          {.key = "precision.fp16",
           .claim = "mixed precision, fp16",
           .theirs = "2 to 3 times",
           .least = 2,
           .why = "memory limits it, and that has half the bytes to carry, not less"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const bool here = g->claims->large || i == 0 || i == 2;
        if (here)
            STK_TRY(cli_group_add(g, false,
                                  (const char *const[]){"train.precision", names[i], NULL}, err));
        else
            cli_group_add_none(g);
    }
    STK_TRY(cli_group_run(g, err));
    for (size_t i = 1; i < sizeof names / sizeof *names; i++)
        cli_group_describe(cli_group_compare(g, 0, i, &rows[i]), &g->trials[i], "beside fp32");
    return STK_OK;
}

static stk_status eight(cli_claim_group *g, stk_error *err)
{
    const int64_t          n = g->claims->large ? 4096 : 256;
    const char            *precision = stk_train_recipe_word(&g->claims->recipe, "train.precision");
    static const cli_claim rows[] = {
        {.key = "eight.batch",
         .claim = "a batch that is a multiple of 8",
         .theirs = "5 times (4,096 instead of 4,095)",
         .least = 4,
         .why = "the number of rows may be any: only their length decides how they are loaded"},
        {.key = "eight.neurons",
         .claim = "neurons that are a multiple of 8",
         .theirs = "tensor cores or none",
         .least = 1.5,
         .why = "kernels for odd lengths are nearly as fast here"},
        {.key = "eight.channels",
         .claim = "channels that are a multiple of 8",
         .theirs = "tensor cores or none",
         .least = 1.5,
         .why = "channels are padded to multiples of 8 where a kernel wants it"}};
    STK_TRY(cli_group_add_dense(g, n - 1, n, n, err));
    STK_TRY(cli_group_add_dense(g, n, n, n, err));
    STK_TRY(cli_group_add_dense(g, n, n, n - 1, err));
    STK_TRY(cli_group_add_convolutions(g, STK_LAYOUT_NHWC, 1, 63, 0, err));
    STK_TRY(cli_group_add_convolutions(g, STK_LAYOUT_NHWC, 1, 64, 0, err));
    STK_TRY(cli_group_run(g, err));
    cli_claim *made[] = {cli_group_compare(g, 0, 1, &rows[0]), cli_group_compare(g, 2, 1, &rows[1]),
                         cli_group_compare(g, 3, 4, &rows[2])};
    for (int i = 0; i < 2; i++)
        snprintf(made[i]->compared, CLI_CLAIM_TEXT,
                 "a dense layer of %lld with its gradients, %s: %s %lld beside %lld", (long long)n,
                 precision, i ? "neurons" : "rows", (long long)n, (long long)n - 1);
    snprintf(made[2]->compared, CLI_CLAIM_TEXT,
             "a 3 x 3 convolution and norm with their gradients, %s: 64 channels beside 63",
             precision);
    return STK_OK;
}

static double share_of(const cli_claims *c, const cli_trial *trial)
{
    if (c->peak <= 0) return -1;
    return cli_trial_rate(trial).median / trial->work * cli_trial_flops(trial) / c->peak;
}

static void find_peak(cli_claims *c, const cli_trial *trial)
{
    stk_machine_peaks limits = {-1, -1, -1, -1, -1, -1};
    const char       *backend = stk_train_bench_backend(trial->bench);
    if (c->large)
        stk_profiler_probe_device(&limits, backend,
                                  stk_train_recipe_word(&trial->recipe, "train.precision"));
    else if (strcmp(backend, "cpu") == 0)
        stk_profile_probe(&limits, stk_train_bench_threads(trial->bench), NULL);
    c->peak = limits.flops;
}

/* More and more images a step, up to 4 times as many as usual; then a lighter network with the
 * most of them. */
static stk_status add_batches(cli_claim_group *g, stk_error *err)
{
    char text[24] = "";
    for (int i = CLI_CLAIM_CURVE - 1; i >= 0; i--) {
        const int64_t images = g->claims->batch * 4 >> 2 * i;
        snprintf(text, sizeof text, "%lld", (long long)(images ? images : 1));
        STK_TRY(cli_group_add(g, false, (const char *const[]){"data.batch", text, NULL}, err));
    }
    return cli_group_add(
        g, false, (const char *const[]){"data.batch", text, "model.name", "mobilenet_v2", NULL},
        err);
}

static void tell_curve(cli_claim_group *g)
{
    static const cli_claim larger = {.key = "batch.larger",
                                     .claim = "a larger batch",
                                     .theirs = "faster up to what fits (4 to 864)",
                                     .least = 1.05,
                                     .why = "the smallest batch keeps the machine busy already"};
    cli_claims            *c = g->claims;
    cli_trial             *first = &g->trials[0], *last = &g->trials[CLI_CLAIM_CURVE - 1];
    char                   what[64];
    if (last->bench) find_peak(c, last);
    for (size_t i = 0; i < CLI_CLAIM_CURVE; i++)
        if (g->open[i])
            c->curve[c->points++] =
                (cli_claim_point){g->trials[i].recipe.data.batch,
                                  cli_trial_rate(&g->trials[i]).median, share_of(c, &g->trials[i])};
    cli_claim *row = cli_group_compare(g, 0, CLI_CLAIM_CURVE - 1, &larger);
    snprintf(what, sizeof what, "beside batch %lld", (long long)first->recipe.data.batch);
    cli_group_describe(row, last, what);
}

/* Their rates of operations, not of images. */
static void tell_heavier(cli_claim_group *g)
{
    static const cli_claim heavier = {.key = "batch.heavier",
                                      .claim = "a heavier network uses more of the machine",
                                      .theirs = "95 % (ResNet-50), 85 % (MobileNetV2)",
                                      .least = 1.05,
                                      .why = "the lighter one uses as much"};
    const size_t           heavy = CLI_CLAIM_CURVE - 1, light = CLI_CLAIM_CURVE;
    cli_claim             *row = cli_group_compare(g, light, heavy, &heavier);
    cli_group_describe(row, &g->trials[heavy], "beside mobilenet_v2");
    if (!row->measured) return;
    const double after = cli_trial_flops(&g->trials[heavy]) / g->trials[heavy].work;
    const double before = cli_trial_flops(&g->trials[light]) / g->trials[light].work;
    const double more = after / before;
    row->ratio.median *= more;
    row->ratio.low *= more;
    row->ratio.high *= more;
    row->before *= before / 1e9;
    row->after *= after / 1e9;
    row->unit = "GFLOP/s";
}

static stk_status batch(cli_claim_group *g, stk_error *err)
{
    STK_TRY(add_batches(g, err));
    STK_TRY(cli_group_run(g, err));
    tell_curve(g);
    tell_heavier(g);
    return STK_OK;
}

static stk_status graph_mode(cli_claim_group *g, stk_error *err)
{
    static const char *const few = "2";
    static const cli_claim   rows[] = {
          {.key = "graph.small",
           .claim = "a graph instead of operation by operation, small operations",
           .theirs = "10 times (contrived)",
           .least = 9,
           .why = "theirs times work that its graph leaves out, since nobody uses the result"},
          {.key = "graph.record",
           .claim = "launches recorded as one, small operations",
           .theirs = "microseconds an operation",
           .least = 1.05,
           .why = "launches are hidden behind what is computed"},
          {.key = "graph.large",
           .claim = "launches recorded as one, large operations",
           .theirs = "negligible (ResNet-50)",
           .most = 1.05,
           .why = "operations are not large enough here"}};
    STK_TRY(cli_group_add(g, false, (const char *const[]){"data.batch", few, NULL}, err));
    STK_TRY(cli_group_add(
        g, false, (const char *const[]){"data.batch", few, "knobs.passes_off", all_off, NULL},
        err));
    if (g->claims->large) {
        STK_TRY(cli_group_add(
            g, false, (const char *const[]){"data.batch", few, "knobs.passes_off", "capture", NULL},
            err));
        STK_TRY(cli_group_add(g, false, (const char *const[]){NULL}, err));
        STK_TRY(cli_group_add(g, false, (const char *const[]){"knobs.passes_off", "capture", NULL},
                              err));
    } else {
        for (int i = 0; i < 3; i++)
            cli_group_add_none(g);
    }
    STK_TRY(cli_group_run(g, err));
    cli_group_describe(cli_group_compare(g, 1, 0, &rows[0]), &g->trials[0],
                       "beside no pass at all");
    cli_group_describe(cli_group_compare(g, 2, 0, &rows[1]), &g->trials[0],
                       "beside one launch an operation");
    cli_group_describe(cli_group_compare(g, 4, 3, &rows[2]), &g->trials[3],
                       "beside one launch an operation");
    return STK_OK;
}

static stk_status fused(cli_claim_group *g, stk_error *err)
{
    static const char *const off[] = {"knobs.passes_off", "fuse", NULL}, *const on[] = {NULL};
    static const cli_claim rows[] = {
        {.key = "fused.training",
         .claim = "fused batch norm, training",
         .theirs = "12 to 30 % faster",
         .least = 1.12,
         .why = "norms are kernels of their own in both; fusing saves passes over memory only"},
        {.key = "fused.inference",
         .claim = "convolution and norm in one, inference",
         .theirs = "less to compute and to move",
         .least = 1.05,
         .why = "what is moved limits nothing here"}};
    for (int inference = 0; inference < 2; inference++) {
        STK_TRY(cli_group_add(g, inference, off, err));
        STK_TRY(cli_group_add(g, inference, on, err));
    }
    STK_TRY(cli_group_run(g, err));
    cli_group_describe(cli_group_compare(g, 0, 1, &rows[0]), &g->trials[1],
                       "beside no fusing of anything");
    cli_group_describe(cli_group_compare(g, 2, 3, &rows[1]), &g->trials[3],
                       "forward only, beside no fusing");
    return STK_OK;
}

static stk_status layout(cli_claim_group *g, stk_error *err)
{
    enum { DEPTH = 4, CHANNELS = 64 };
    static const cli_claim rows[] = {
        {.key = "layout.nchw",
         .claim = "NCHW instead of NHWC",
         .theirs = "the best for cuDNN",
         .least = 1,
         .why = "kernels here, as tensor cores, want NHWC: NCHW pays for its transposes"},
        {.key = "layout.rewritten",
         .claim = "NCHW that is rewritten to NHWC",
         .theirs = "no number: in the making then",
         .least = 0.95,
         .why = "some transposes are left"}};
    static const char *const what[] = {"every transpose kept (simplify off in both)",
                                       "with all passes"};
    for (int on = 0; on < 2; on++) {
        const unsigned off = on ? 0 : STK_GRAPH_PASS_SIMPLIFY;
        STK_TRY(cli_group_add_convolutions(g, STK_LAYOUT_NHWC, DEPTH, CHANNELS, off, err));
        STK_TRY(cli_group_add_convolutions(g, STK_LAYOUT_NCHW, DEPTH, CHANNELS, off, err));
    }
    for (size_t i = 1; i < g->count; i++)
        g->trials[i].work = g->trials[0].work; /* transposes are no work */
    STK_TRY(cli_group_run(g, err));
    for (size_t i = 0; i < 2; i++) {
        cli_claim *row = cli_group_compare(g, 2 * i, 2 * i + 1, &rows[i]);
        snprintf(row->compared, CLI_CLAIM_TEXT,
                 "4 convolutions of 64 channels with norms and gradients, %s: NCHW beside NHWC, %s",
                 stk_train_recipe_word(&g->claims->recipe, "train.precision"), what[i]);
    }
    return STK_OK;
}

static stk_status resize(cli_claim_group *g, stk_error *err)
{
    static const cli_claim rows[] = {
        {.key = "resize.half",
         .claim = "images of half the side",
         .theirs = "4 times in theory",
         .least = 3.6,
         .why = "updates, and kernels that are small by then, take as long as before"},
        {.key = "resize.quarter",
         .claim = "images of a quarter of the side",
         .theirs = "16 times at best",
         .least = 14.4,
         .why = "updates, and kernels that are small by then, take as long as before"}};
    const long long side = (long long)g->claims->recipe.data.size;
    char            text[24];
    for (int i = 0; i < 3; i++) {
        snprintf(text, sizeof text, "%lld", side >> i);
        STK_TRY(cli_group_add(g, false, (const char *const[]){"data.size", text, NULL}, err));
    }
    STK_TRY(cli_group_run(g, err));
    snprintf(text, sizeof text, "beside %lld", side);
    for (size_t i = 0; i < 2; i++)
        cli_group_describe(cli_group_compare(g, 0, i + 1, &rows[i]), &g->trials[i + 1], text);
    return STK_OK;
}

/* Of the host's processor, whatever trains. */
static stk_status processor(cli_claim_group *g, stk_error *err)
{
    static const cli_claim   rows[] = {{.key = "cpu.threads",
                                        .claim = "CPU: as many threads as cores",
                                        .theirs = "the recommended number",
                                        .least = 1.2,
                                        .why = "there is one core, or others use them"},
                                       {.key = "cpu.library",
                                        .claim = "CPU: an optimised library, inference",
                                        .theirs = "2 times and more (MKL-DNN)",
                                        .least = 2,
                                        .why = "the network is too small for it"}};
    static const char *const common[] = {"train.precision", "fp32"};
    const char *const all[] = {"knobs.backend", "cpu", "model.name", "resnet20", "data.size", "32",
                               "data.batch",    "16",  common[0],    common[1],  NULL};
    const char *const one[] = {"knobs.backend",
                               "cpu",
                               "model.name",
                               "resnet20",
                               "data.size",
                               "32",
                               "data.batch",
                               "16",
                               common[0],
                               common[1],
                               "knobs.threads",
                               "1",
                               NULL};
    const char *const plain[] = {
        "knobs.backend", "ref",     "model.name",    "lenet", "data.size", "28", "data.batch", "8",
        common[0],       common[1], "knobs.threads", "1",     NULL};
    const char *const library[] = {
        "knobs.backend", "cpu",     "model.name",    "lenet", "data.size", "28", "data.batch", "8",
        common[0],       common[1], "knobs.threads", "1",     NULL};
    STK_TRY(cli_group_add(g, false, one, err));
    STK_TRY(cli_group_add(g, false, all, err));
    STK_TRY(cli_group_add(g, true, plain, err));
    STK_TRY(cli_group_add(g, true, library, err));
    STK_TRY(cli_group_run(g, err));
    char what[64];
    snprintf(what, sizeof what, "%d threads beside 1",
             g->open[1] ? stk_train_bench_threads(g->trials[1].bench) : 0);
    cli_group_describe(cli_group_compare(g, 0, 1, &rows[0]), &g->trials[1], what);
    cli_group_describe(cli_group_compare(g, 2, 3, &rows[1]), &g->trials[3],
                       "oneDNN beside plain C, 1 thread, forward only");
    return STK_OK;
}

static const struct {
    const char *name;
    stk_status (*measure)(cli_claim_group *g, stk_error *err);
} groups[] = {{"precision", precision}, {"eight", eight},  {"batch", batch},
              {"graph", graph_mode},    {"fused", fused},  {"layout", layout},
              {"resize", resize},       {"cpu", processor}};

const char *cli_claim_group_name(size_t index)
{
    return index < sizeof groups / sizeof *groups ? groups[index].name : NULL;
}

stk_status cli_claim_group_measure(cli_claims *claims, size_t index, stk_error *err)
{
    cli_claim_group  g = {.claims = claims};
    const stk_status st = groups[index].measure(&g, err);
    cli_group_release(&g);
    return st;
}

cli_claim_verdict cli_claim_judge(const cli_claim *claim)
{
    static const double noisy = 2; /* times between slow and fast windows */
    if (!claim->measured) return CLI_CLAIM_NOT_MEASURED;
    if (claim->ratio.high > noisy * claim->ratio.low) return CLI_CLAIM_NOISE;
    const double ratio = claim->ratio.median;
    return ratio >= claim->least && (claim->most <= 0 || ratio <= claim->most) ? CLI_CLAIM_HOLDS
                                                                               : CLI_CLAIM_DOES_NOT;
}

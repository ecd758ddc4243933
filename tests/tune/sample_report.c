/* Reports of searches that never were. */
#include "tune/sample_report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct sample_trial {
    const char       *action, *title, *key, *from, *to;
    stk_stage         stage;
    stk_tune_class    kind;
    stk_tune_decision decision;
    double            predicted, gain, half; /* gain and half the width of its interval */
    const char       *reason;
} sample_trial;

static const double unknown = -2;

static const sample_trial kept_trials[STK_SAMPLE_TUNE_KEPT] = {
    {"pack", "read packed records instead of 48,211 small files", "data.path", "/data/birds",
     "/data/birds.tune/pack", STK_STAGE_READ, STK_TUNE_EXACT, STK_TUNE_KEPT, 0.38, 0.331, 0.03,
     "faster by 30 % or more in every comparison"},
    {"batch", "double the batch", "data.batch", NULL, "64", STK_STAGE_COMPUTE, STK_TUNE_LEARNING,
     STK_TUNE_KEPT, 0.12, 0.148, 0.021,
     "faster, and accuracy after 3 epochs is 0.871 against 0.869"},
    {"decode-size", "decode JPEG at a quarter of its size", "data.size", NULL, "160",
     STK_STAGE_PREPROCESS, STK_TUNE_LEARNING, STK_TUNE_KEPT, 0.2, 0.172, 0.024,
     "faster, and accuracy after 3 epochs is 0.868 against 0.871"},
    {"cache", "keep decoded images in memory", "data.cache", NULL, "memory", STK_STAGE_PREPROCESS,
     STK_TUNE_EXACT, STK_TUNE_KEPT, 0.15, 0.121, 0.018, "shown to be faster by 1 % or more"},
    {"precision", "compute in half precision", "train.precision", "fp32", "bf16", STK_STAGE_COMPUTE,
     STK_TUNE_LEARNING, STK_TUNE_KEPT, -2, 0.094, 0.015,
     "faster, and accuracy after 3 epochs is 0.870 against 0.868"},
    {"threads", "use three more threads for the input", "knobs.threads", "5", "8",
     STK_STAGE_PREPROCESS, STK_TUNE_EXACT, STK_TUNE_KEPT, 0.05, 0.062, 0.012,
     "shown to be faster by 1 % or more"},
    {"prefetch", "prepare four more batches ahead", "knobs.prefetch", "4", "8",
     STK_STAGE_HOST_TO_DEVICE, STK_TUNE_EXACT, STK_TUNE_KEPT, 0.02, 0.031, 0.009,
     "shown to be faster by 1 % or more"},
    {"callback", "write metrics every 50 steps", "output.log_every", "1", "50", STK_STAGE_OUTPUT,
     STK_TUNE_EXACT, STK_TUNE_KEPT, 0.03, 0.022, 0.008, "shown to be faster by 1 % or more"},
    {"checkpoint", "write checkpoints on a thread of their own", "output.apart", "false", "true",
     STK_STAGE_WRITE, STK_TUNE_EXACT, STK_TUNE_KEPT, 0.02, 0.019, 0.006,
     "shown to be faster by 1 % or more"},
    {"fuse", "join normalisation and the first convolution", "knobs.fuse", "off", "on",
     STK_STAGE_COMPUTE, STK_TUNE_EQUAL, STK_TUNE_KEPT, 0.01, 0.016, 0.005,
     "shown to be faster by 1 % or more"},
};

static const sample_trial dropped_trials[] = {
    {"shuffle", "shuffle among fewer images", "data.shuffle", NULL, "4096", STK_STAGE_READ,
     STK_TUNE_EQUAL, STK_TUNE_NO_GAIN, 0.03, 0.002, 0.006,
     "gains at most 0.8 %, which is less than 1 %"},
    {"io-depth", "keep 64 reads in flight", "knobs.io_depth", "16", "64", STK_STAGE_READ,
     STK_TUNE_EXACT, STK_TUNE_NO_GAIN, 0.06, 0.004, 0.005,
     "gains at most 0.9 %, which is less than 1 %"},
    {"threads", "use twelve threads for the input", "knobs.threads", "8", "12",
     STK_STAGE_PREPROCESS, STK_TUNE_EXACT, STK_TUNE_SLOWER, 0.04, -0.058, 0.014,
     "slower: threads of the input take cores from compute"},
    {"batch", "double the batch again", "data.batch", "64", "128", STK_STAGE_COMPUTE,
     STK_TUNE_LEARNING, STK_TUNE_REFUSED, 0.08, 0.071, 0.016,
     "accuracy after 3 epochs is 0.851 against 0.870: 1.9 points less, and 0.5 are allowed"},
    {"precision", "compute in fp16", "train.precision", "bf16", "fp16", STK_STAGE_COMPUTE,
     STK_TUNE_LEARNING, STK_TUNE_FAILED, 0.02, -2, 0,
     "cuda: the backend has no fp16 convolutions of 3 channels"},
    {"prefetch", "prepare sixteen batches ahead", "knobs.prefetch", "8", "16",
     STK_STAGE_HOST_TO_DEVICE, STK_TUNE_EXACT, STK_TUNE_UNDECIDED, 0.01, 0.009, 0.013,
     "it may be between -0.4 % and +2.2 %"},
    {"resident", "keep all images on the device", "data.resident", "off", "on",
     STK_STAGE_HOST_TO_DEVICE, STK_TUNE_EQUAL, STK_TUNE_FAILED, 0.4, -2, 0,
     "memory: 21.4 GB do not fit into 16 GB"},
};

static stk_status set_up(stk_tune_trial *trial, const sample_trial *from, int number, double rate,
                         stk_error *err)
{
    const bool measured = from->gain >= -1;
    *trial = (stk_tune_trial){
        .number = number,
        .stage = from->stage,
        .kind = from->kind,
        .predicted = {from->predicted, from->predicted * 0.8, from->predicted * 1.3},
        .observations = measured ? 6 + (size_t)(0.1 / (0.01 + from->half)) : 0,
        .rate_before = measured ? rate : 0,
        .rate_after = measured ? rate * (1 + from->gain) : 0,
        .gain = {from->gain, from->gain - from->half, from->gain + from->half},
        .decision = from->decision,
        .seconds = measured ? 14 + 60 * from->predicted * from->predicted + number % 7 * 3 : 2.3,
    };
    snprintf(trial->action, sizeof trial->action, "%s", from->action);
    snprintf(trial->title, sizeof trial->title, "%s", from->title);
    snprintf(trial->reason, sizeof trial->reason, "%s", from->reason);
    if (from->from) STK_TRY(stk_tune_setting_set(&trial->before, from->key, from->from, err));
    return stk_tune_setting_set(&trial->change, from->key, from->to, err);
}

static stk_status add_trials(stk_tune_report *out, size_t count, stk_error *err)
{
    out->trials = calloc(count, sizeof *out->trials);
    if (!out->trials) return stk_fail(err, STK_E_NOMEM, "sample", NULL, "no memory for trials");
    out->trial_count = count;
    return STK_OK;
}

static void fill(stk_tune_report *out, const char *kind, const char *subject)
{
    stk_tune_report_init(out);
    snprintf(out->kind, sizeof out->kind, "%s", kind);
    snprintf(out->subject, sizeof out->subject, "%s", subject);
    snprintf(out->unit, sizeof out->unit, "samples");
    snprintf(out->version, sizeof out->version, "0.9.0");
    snprintf(out->host, sizeof out->host, "node17");
    snprintf(out->processor, sizeof out->processor, "AMD EPYC 7543 32-Core Processor");
    snprintf(out->started, sizeof out->started, "2025-03-14T09:26:53Z");
    snprintf(out->objective, sizeof out->objective, "samples per second");
    out->cores = 8;
    out->least = 0.01;
    out->budget_s = 1200;
    out->gain = (stk_estimate){unknown, unknown, unknown};
}

static void add_limits(stk_tune_report *out)
{
    out->limit_base = (stk_tune_limit){
        .known = true, .exposed = {0.01, 0.34, 0.29, 0.03, 0.28, 0, 0.01, 0.03, 0.01}};
    out->limit_best = (stk_tune_limit){
        .known = true, .exposed = {0.015, 0.02, 0.12, 0.015, 0.81, 0, 0.01, 0.005, 0.005}};
    snprintf(out->limit_base.verdict, STK_TUNE_LINE,
             "S1 read limits: 34 %% of a step waits for storage, in small files");
    snprintf(out->limit_best.verdict, STK_TUNE_LINE,
             "S4 compute limits, as it should: 81 %% of a step computes");
}

static void add_advice(stk_tune_report *out)
{
    static const struct {
        const char  *text;
        stk_estimate gain;
    } advice[] = {
        {"Train on a GPU: compute is 81 % of a step now, and this machine has none.", {4.1, 2, 7}},
        {"Put the data on a local disk: it lies on a network mount that gives 110 MB/s.",
         {0.08, 0.03, 0.12}},
        {"Leave more cores to this run: two others use half of the machine.", {-2, -2, -2}},
    };
    out->advice_count = sizeof advice / sizeof *advice;
    for (size_t i = 0; i < out->advice_count; i++) {
        snprintf(out->advice[i].text, STK_TUNE_LINE, "%s", advice[i].text);
        out->advice[i].gain = advice[i].gain;
    }
}

static void add_energy(stk_tune_report *out)
{
    out->base_joules = 0.214;
    out->best_joules = 0.101;
    for (size_t i = 0; i < out->trial_count; i++)
        if (out->trials[i].rate_after > 0) {
            out->trials[i].joules_before = 0.2;
            out->trials[i].joules_after = 0.2 / (1 + out->trials[i].gain.value);
        }
}

/* Kept ones among dropped ones, as a search meets them. */
static stk_status add_sample_trials(stk_tune_report *out, stk_error *err)
{
    enum { ALL = STK_SAMPLE_TUNE_KEPT + STK_SAMPLE_TUNE_DROPPED };
    const size_t kinds = sizeof dropped_trials / sizeof *dropped_trials;
    double       rate = out->base_rate;
    STK_TRY(add_trials(out, ALL, err));
    for (size_t i = 0, kept = 0, dropped = 0; i < ALL; i++) {
        const bool          keep = i % 3 == 0;
        const sample_trial *from = keep ? &kept_trials[kept++] : &dropped_trials[dropped++ % kinds];
        stk_tune_trial     *trial = &out->trials[i];
        STK_TRY(set_up(trial, from, (int)i + 1, rate, err));
        if (!keep) continue;
        rate = trial->rate_after;
        STK_TRY(stk_tune_setting_set(&out->best, from->key, from->to, err));
    }
    return STK_OK;
}

stk_status stk_sample_tune(stk_tune_report *out, stk_error *err)
{
    fill(out, "recipe", "/data/birds");
    out->seconds = 842;
    out->noise = 0.018;
    out->base_rate = 1210;
    out->best_rate = 2904;
    out->gain = (stk_estimate){1.4, 1.31, 1.49};
    STK_TRY(add_sample_trials(out, err));
    add_limits(out);
    add_advice(out);
    add_energy(out);
    snprintf(out->ended, sizeof out->ended,
             "nothing is left that is predicted to gain 1 %% or more");
    return STK_OK;
}

stk_status stk_sample_tune_none(stk_tune_report *out, stk_error *err)
{
    fill(out, "program", "python3 train.py --workers {workers} --batch {batch}");
    out->seconds = 312;
    out->noise = 0.006;
    out->base_rate = out->best_rate = 87.4;
    STK_TRY(add_trials(out, 3, err));
    for (size_t i = 0; i < out->trial_count; i++)
        STK_TRY(set_up(&out->trials[i], &dropped_trials[i], (int)i + 1, out->base_rate, err));
    snprintf(out->ended, sizeof out->ended, "all values of all knobs were tried");
    return STK_OK;
}

void stk_sample_tune_empty(stk_tune_report *out)
{
    fill(out, "recipe", "/data/birds");
}

static void fill_line(char *line, size_t capacity, const char *begin)
{
    const size_t used = (size_t)snprintf(line, capacity, "%s", begin);
    for (size_t i = used; i + 1 < capacity; i++)
        line[i] = i % 9 == 8 ? ' ' : 'w';
    if (used < capacity) line[capacity - 1] = 0;
}

static stk_status make_nasty(stk_tune_trial *trial, size_t number, double rate, stk_error *err)
{
    const sample_trial from = {.action = STK_SAMPLE_TUNE_NASTY,
                               .title = STK_SAMPLE_TUNE_NASTY,
                               .key = number % 2 ? "data.path" : "</script>",
                               .from = STK_SAMPLE_TUNE_NASTY,
                               .to = STK_SAMPLE_TUNE_NASTY,
                               .stage = (stk_stage)(number % STK_STAGE_COUNT),
                               .kind = (stk_tune_class)(number % 3),
                               .decision = (stk_tune_decision)(number % 6),
                               .predicted = unknown,
                               .gain = number % 6 ? -0.02 : 0.02,
                               .half = 0.01,
                               .reason = ""};
    STK_TRY(set_up(trial, &from, (int)number + 1, rate, err));
    if (number % 4 == 0) trial->gain = (stk_estimate){0.4, -1, (double)INFINITY};
    fill_line(trial->reason, sizeof trial->reason, STK_SAMPLE_TUNE_NASTY);
    if (number % 5 == 0) fill_line(trial->title, sizeof trial->title, "");
    if (number % 7 == 0) memset(trial->title, 'x', sizeof trial->title - 1);
    return STK_OK;
}

stk_status stk_sample_tune_nasty(stk_tune_report *out, size_t trials, stk_error *err)
{
    fill(out, "program", STK_SAMPLE_TUNE_NASTY);
    fill_line(out->subject, sizeof out->subject, STK_SAMPLE_TUNE_NASTY);
    snprintf(out->processor, sizeof out->processor, "%s", STK_SAMPLE_TUNE_NASTY);
    out->base_rate = 1e7;
    out->seconds = 5000;
    out->noise = (double)NAN;
    STK_TRY(add_trials(out, trials, err));
    for (size_t i = 0; i < trials; i++)
        STK_TRY(make_nasty(&out->trials[i], i, out->base_rate, err));
    STK_TRY(stk_tune_setting_set(&out->best, "workers", STK_SAMPLE_TUNE_NASTY, err));
    out->advice_count = 1;
    fill_line(out->advice[0].text, STK_TUNE_LINE, STK_SAMPLE_TUNE_NASTY);
    out->advice[0].gain = (stk_estimate){unknown, unknown, unknown};
    return STK_OK;
}

/* The six faults, as multiples of what a clean step takes, and whether they are found. */
#include "bench_cases.h"

#include "signals.h"

#include <math.h>
#include <stdlib.h>
#include <stoker/profiler.h>
#include <string.h>

/* One run: its profile judged. */
typedef struct outcome {
    stk_profile   profile;
    stk_diagnosis diagnosis;
} outcome;

/* So many copies more, to learn what one takes. */
static const double copies_tried = 500;

typedef struct study {
    const char *name, *expected;
    stk_stage   stage;
    void (*fault)(const cli_clean_run *clean, stk_inject *inject); /* NULL: another batch */
    bool (*tells)(const stk_fix *fix); /* the fix that takes it away; NULL: the limit does */
} study;

static int64_t small_batch(const cli_clean_run *clean)
{
    return clean->batch >= 32 ? clean->batch / 32 : 1;
}

/* A quarter of the bytes that the clean run takes. */
static void slow_reads(const cli_clean_run *clean, stk_inject *inject)
{
    inject->read_bytes_per_s = fmax(1e4, clean->rate * clean->bytes_a_sample / 4 / clean->scale);
}

/* Threads beside training have as long as a step; together they shall take four. */
static void heavy_preprocessing(const cli_clean_run *clean, stk_inject *inject)
{
    const double steps = clean->helpers > 0 ? 4 * (clean->helpers + 1) : 3;
    inject->preprocess_s = fmin(10, clean->scale * steps * clean->step_s / (double)clean->batch);
}

static void large_copies(const cli_clean_run *clean, stk_inject *inject)
{
    inject->copy_times = fmin(1e6, ceil(clean->scale * clean->step_s / 2 / clean->copy_s));
}

static void slow_operation(const cli_clean_run *clean, stk_inject *inject)
{
    (void)clean;
    inject->op_times = 2;
}

static void slow_callback(const cli_clean_run *clean, stk_inject *inject)
{
    inject->callback_s = fmin(10, clean->scale * 1.5 * clean->step_s);
}

static bool tells_batch(const stk_fix *fix)
{
    return strstr(fix->command, "--batch ") != NULL;
}

static bool tells_operation(const stk_fix *fix)
{
    return strstr(fix->title, "injected") || strstr(fix->why, "injected");
}

static const study studies[CLI_CASES] = {
    {"small batch", "S4, a larger batch is a fix", STK_STAGE_COMPUTE, NULL, tells_batch},
    {"slow reading", "S1 read", STK_STAGE_READ, slow_reads, NULL},
    {"heavy preprocessing", "S2 preprocess", STK_STAGE_PREPROCESS, heavy_preprocessing, NULL},
    {"large copies", "S3 host to device", STK_STAGE_HOST_TO_DEVICE, large_copies, NULL},
    {"one slow operation", "S4, the operation is a fix", STK_STAGE_COMPUTE, slow_operation,
     tells_operation},
    {"slow callback", "S7 output", STK_STAGE_OUTPUT, slow_callback, NULL},
};

static bool is_wanted(const char *only, size_t index)
{
    const char number = (char)('1' + index);
    return !only || strchr(only, number);
}

bool cli_cases_are_numbers(const char *only)
{
    for (size_t i = 0; only[i]; i++)
        if (i % 2 ? only[i] != ',' : only[i] < '1' || only[i] > '0' + CLI_CASES) return false;
    return strlen(only) % 2 == 1;
}

static stk_status measure(const cli_cases *c, const cli_train_job *job, outcome *out,
                          stk_error *err)
{
    const stk_profiler_options how = {.seconds = c->seconds,
                                      .steps = c->steps,
                                      .extra_seconds = fmin(5, c->seconds / 2),
                                      .inject = &job->inject,
                                      .no_trace = true,
                                      .cancel = cli_signals_token()};
    stk_profiler_result       *result = calloc(1, sizeof *result);
    if (!result) return stk_fail(err, STK_E_NOMEM, "bench", NULL, "no memory for a profile");
    stk_status st = stk_profiler_run(result, &job->recipe, &job->data, &how, err);
    if (!st && result->interrupted)
        st = stk_fail(err, STK_E_CANCELLED, "bench", NULL, "was stopped");
    if (!st) {
        *out = (outcome){result->profile, result->diagnosis};
        stk_profile_init(&result->profile);
    }
    stk_profiler_result_release(result);
    free(result);
    return st;
}

/* One run with other flags or a fault; out is to be released when the code is CLI_EXIT_OK. */
static int run_once(cli_cases *c, const stk_inject *inject, int64_t batch, outcome *out)
{
    cli_train_values flags = *c->flags;
    cli_train_job    job;
    stk_error        err;
    char             text[32];
    *out = (outcome){0};
    stk_profile_init(&out->profile);
    if (batch) snprintf(text, sizeof text, "%lld", (long long)batch);
    if (batch) flags.batch = text;
    flags.quiet = true;
    cli_train_job_init(&job);
    int code = cli_train_job_prepare(&job, c->call, &flags, c->data);
    if (!code) {
        if (inject) job.inject = *inject;
        snprintf(c->model, sizeof c->model, "%s", job.recipe.model.name);
        c->clean.batch = batch ? c->clean.batch : job.recipe.data.batch;
        if (measure(c, &job, out, &err)) code = cli_train_job_error(c->call, &err);
    }
    cli_train_job_release(&job);
    if (code) stk_profile_release(&out->profile);
    return code;
}

static double rate_of(const outcome *o)
{
    return o->profile.measured_ns > 0 ? o->profile.samples / o->profile.measured_ns * 1e9 : 0;
}

static double a_step(const outcome *o, int stage)
{
    return o->profile.steps > 0 ? o->profile.stages[stage].exposed_ns / o->profile.steps * 1e-9 : 0;
}

static int run_clean(cli_cases *c)
{
    cli_clean_run *clean = &c->clean;
    outcome        o;
    const int      code = run_once(c, NULL, 0, &o);
    if (code) return code;
    const stk_profile_stage *read = &o.profile.stages[STK_STAGE_READ];
    clean->rate = rate_of(&o);
    clean->step_s = o.profile.measured_ns / fmax(1, o.profile.steps) * 1e-9;
    clean->bytes_a_sample = fmax(1, read->bytes / fmax(1, read->items));
    clean->helpers = fmax(0, o.profile.stages[STK_STAGE_PREPROCESS].servers);
    snprintf(c->clean_verdict, sizeof c->clean_verdict, "%s", o.diagnosis.verdict);
    stk_profile_release(&o.profile);
    return CLI_EXIT_OK;
}

/* What a copy takes depends on the machine and the batch: one run tells. */
static int learn_copies(cli_cases *c)
{
    const stk_inject inject = {.copy_times = copies_tried};
    outcome          o;
    const int        code = run_once(c, &inject, 0, &o);
    if (code) return code;
    c->clean.copy_s = fmax(1e-9, a_step(&o, STK_STAGE_HOST_TO_DEVICE) / copies_tried);
    stk_profile_release(&o.profile);
    return CLI_EXIT_OK;
}

static const stk_fix *find_fix(const study *s, const stk_diagnosis *d)
{
    for (size_t i = 0; s->tells && i < d->fix_count; i++)
        if (s->tells(&d->fixes[i])) return &d->fixes[i];
    return NULL;
}

static void judge(const study *s, const outcome *o, cli_case_result *to)
{
    const stk_diagnosis *d = &o->diagnosis;
    const stk_fix       *fix = find_fix(s, d);
    to->rate = rate_of(o);
    to->predicted = -1;
    to->right = d->limit.stage == s->stage && (!s->tells || fix);
    snprintf(to->verdict, sizeof to->verdict, "%s", d->verdict);
    if (fix) to->predicted = fix->samples_per_s.value;
    for (size_t i = 0; !s->tells && i < d->limit_count; i++)
        if (d->limits[i].stage == s->stage) to->predicted = d->limits[i].if_removed.value;
}

/* The batch that the fix names is run for real. */
static int run_larger_batch(cli_cases *c, const stk_diagnosis *d, cli_case_result *to)
{
    const stk_fix *fix = find_fix(&studies[0], d);
    const char    *at = fix ? strstr(fix->command, "--batch ") : NULL;
    const int64_t  batch = at ? strtoll(at + strlen("--batch "), NULL, 10) : 0;
    outcome        o;
    if (batch < 1) return CLI_EXIT_OK;
    const int code = run_once(c, NULL, batch, &o);
    if (code) return code;
    to->measured = rate_of(&o);
    stk_profile_release(&o.profile);
    return CLI_EXIT_OK;
}

static int run_case(cli_cases *c, const study *s)
{
    cli_case_result *to = &c->list[c->count];
    stk_inject       inject = {0};
    const int64_t    batch = s->fault ? 0 : small_batch(&c->clean);
    char             text[80];
    outcome          o;
    *to = (cli_case_result){.name = s->name, .expected = s->expected, .measured = c->clean.rate};
    if (s->fault == large_copies) {
        const int code = learn_copies(c);
        if (code) return code;
    }
    if (s->fault) s->fault(&c->clean, &inject);
    if (s->fault)
        snprintf(to->fault, sizeof to->fault, "--inject %s",
                 stk_inject_text(&inject, text, sizeof text));
    else
        snprintf(to->fault, sizeof to->fault, "--batch %lld", (long long)batch);
    int code = run_once(c, &inject, batch, &o);
    if (code) return code;
    judge(s, &o, to);
    if (!s->fault) code = run_larger_batch(c, &o.diagnosis, to);
    stk_profile_release(&o.profile);
    c->count++;
    return code;
}

int cli_cases_run(cli_cases *c, const char *only)
{
    char note[96];
    if (!c->flags->quiet) cli_notice_begin("the clean run ...");
    int code = run_clean(c);
    for (size_t i = 0; !code && i < CLI_CASES; i++) {
        if (!is_wanted(only, i)) continue;
        snprintf(note, sizeof note, "case %zu: %s ...", i + 1, studies[i].name);
        if (!c->flags->quiet) cli_notice_begin(note);
        code = run_case(c, &studies[i]);
    }
    cli_notice_end();
    return code;
}

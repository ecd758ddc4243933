/* stoker bench train: training against its parts. */
#include "bench_gate_subjects.h"
#include "format.h"
#include "json_out.h"
#include "signals.h"
#include "spread.h"
#include "stage_table.h"
#include "terminal.h"
#include "train_job.h"
#include "train_report.h"
#include "train_trace.h"

#include <stoker/diagnosis.h>
#include <stoker/train_bench.h>
#include <string.h>

typedef struct values {
    cli_train_values train;
    double           seconds;
    const char      *color, *trace;
    cli_gate_values  gate;
} values;

static const values defaults = {.seconds = 20};

static const cli_option options[] = {
    {CLI_OPTION(values, seconds, "seconds", NUMBER, "S"), .letter = 's', .least = 0.1, .most = 1e6,
     .group = "How long", .help = "for all three together, in rounds of each in turn (default 20)"},
    CLI_GATE_OPTIONS(values, gate),
    {CLI_OPTION(values, color, "color", CHOICE, "WHEN"), .choice = cli_color_choice,
     .group = "What to show", .help = "colours: auto (on a terminal), always, never"},
    CLI_TRACE_OPTION(values, trace),
    CLI_TRAIN_OPTIONS(values, train),
};

enum { ROUNDS = 5, PARTS = 3, WARMUP = 3 };

static const char *const part_names[PARTS] = {"together", "compute", "input"};

typedef struct session {
    const cli_invocation *call;
    const cli_train_job  *job;
    stk_train_bench      *bench;
    stk_tracer           *tracer; /* NULL: none */
    int64_t               steps;  /* with input, so far */
    double                rates[PARTS][ROUNDS];
    cli_spread            spread[PARTS]; /* in img/s */
    stk_profile           profile;       /* of the complete step */
    stk_diagnosis         diagnosis;     /* of profile */
} session;

static stk_status step(session *s, int part, stk_error *err)
{
    STK_TRY(stk_train_bench_step(s->bench, (stk_train_bench_part)part, err));
    if (part == STK_TRAIN_BENCH_BOTH && s->tracer) stk_tracer_step(s->tracer, s->steps++);
    return STK_OK;
}

static stk_status step_for(session *s, int part, double seconds, double *rate, stk_error *err)
{
    const double begin = cli_seconds_now();
    double       now = begin;
    int64_t      steps = 0;
    do {
        STK_TRY(stk_cancel_check(cli_signals_token(), "bench", err));
        STK_TRY(step(s, part, err));
        steps++;
        now = cli_seconds_now();
    } while (now - begin < seconds);
    *rate = (double)(steps * s->job->recipe.data.batch) / (now - begin);
    return STK_OK;
}

/* The first quarter consumes leftovers of an earlier part, such as full queues. */
static stk_status measure(session *s, double seconds, stk_error *err)
{
    const double slice = seconds / (ROUNDS * PARTS);
    double       unused;
    for (int i = 0; i < WARMUP; i++)
        STK_TRY(step(s, STK_TRAIN_BENCH_BOTH, err));
    for (int round = 0; round < ROUNDS; round++)
        for (int part = 0; part < PARTS; part++) {
            STK_TRY(step_for(s, part, slice / 4, &unused, err));
            STK_TRY(step_for(s, part, slice * 3 / 4, &s->rates[part][round], err));
        }
    for (int part = 0; part < PARTS; part++)
        s->spread[part] = cli_spread_of(s->rates[part], ROUNDS);
    STK_TRY(stk_train_bench_profile(s->bench, &s->profile, err));
    return stk_diagnose(&s->diagnosis, &s->profile, err);
}

static double slower(const session *s)
{
    const double compute = s->spread[STK_TRAIN_BENCH_COMPUTE].median;
    const double input = s->spread[STK_TRAIN_BENCH_INPUT].median;
    return compute < input ? compute : input;
}

static bool input_limits(const session *s)
{
    return s->spread[STK_TRAIN_BENCH_INPUT].median < s->spread[STK_TRAIN_BENCH_COMPUTE].median;
}

static double ratio(const session *s)
{
    return slower(s) > 0 ? s->spread[STK_TRAIN_BENCH_BOTH].median / slower(s) : 0;
}

/* Too few steps allow no diagnosis; the parts alone are still reported. */
static bool is_judged(const session *s)
{
    return s->diagnosis.samples_per_s.value >= 0;
}

/* The bottleneck of the complete step may be a stage that neither part has: all-reduce, writing, a
 * callback. */
static const char *limit_name(const session *s)
{
    if (is_judged(s)) return stk_stage_name(s->diagnosis.limit.stage);
    return input_limits(s) ? "input" : "compute";
}

static const char *limit_hint(const session *s)
{
    const stk_stage stage = s->diagnosis.limit.stage;
    const bool      judged = is_judged(s);
    if (judged ? stage == STK_STAGE_READ || stage == STK_STAGE_PREPROCESS : input_limits(s))
        return "'stoker bench input' says which stage of it";
    if (judged ? stage == STK_STAGE_COMPUTE : true)
        return "'stoker bench compute MODEL --ops' says which operation of it";
    return "'stoker profile' says why, and what each fix would give";
}

/* On a busy machine the numbers vary, and the output should say so. */
static bool noisy(const session *s)
{
    for (int part = 0; part < PARTS; part++)
        if (s->spread[part].high > 1.5 * s->spread[part].low) return true;
    return false;
}

static void print_rate(const session *s, int part)
{
    char a[CLI_FORMAT_CAPACITY], b[CLI_FORMAT_CAPACITY], c[CLI_FORMAT_CAPACITY];
    printf("  %s alone: %s img/s (%s to %s)\n", part_names[part],
           cli_format_count(a, (uint64_t)(s->spread[part].median + 0.5)),
           cli_format_count(b, (uint64_t)(s->spread[part].low + 0.5)),
           cli_format_count(c, (uint64_t)(s->spread[part].high + 0.5)));
}

static void print_text(const session *s, const cli_style *style)
{
    const stk_train_recipe *r = &s->job->recipe;
    char                    a[CLI_FORMAT_CAPACITY], reason[400];
    printf("%s%s img/s%s together, %.0f %% of what %s does alone\n", style->bold,
           cli_format_count(a, (uint64_t)(s->spread[0].median + 0.5)), style->plain, 100 * ratio(s),
           input_limits(s) ? "input" : "compute");
    print_rate(s, STK_TRAIN_BENCH_COMPUTE);
    print_rate(s, STK_TRAIN_BENCH_INPUT);
    printf("  %s, batch %lld, %lld x %lld; %s; medians of %d rounds\n",
           r->model.trivial ? "trivial model" : r->model.name, (long long)r->data.batch,
           (long long)r->data.size, (long long)r->data.size, stk_train_bench_backend(s->bench),
           ROUNDS);
    cli_stage_table_print(&s->profile, style);
    cli_train_print_faults(stdout, &s->job->inject);
    printf("Threads: %s\n", cli_train_job_reason(s->job, "threads", reason, sizeof reason));
    printf("Cache: %s\n", stk_train_bench_cache(s->bench));
    printf("Limit: %s; %s\n", is_judged(s) ? s->diagnosis.verdict : limit_name(s), limit_hint(s));
    if (noisy(s))
        printf(
            "Rounds differ by more than half: something else uses the cores, or --seconds is too "
            "short\n");
}

static void write_part(stk_json_writer *json, const session *s, int part)
{
    stk_json_key(json, part_names[part]);
    stk_json_object(json);
    stk_json_pair_double(json, "images_per_s", s->spread[part].median);
    stk_json_pair_double(json, "images_per_s_p10", s->spread[part].low);
    stk_json_pair_double(json, "images_per_s_p90", s->spread[part].high);
    stk_json_object_end(json);
}

static int print_json(const session *s)
{
    const stk_train_recipe *r = &s->job->recipe;
    cli_json_out            out;
    stk_json_writer        *json = &out.writer;
    char                    reason[400], faults[STK_PROFILE_LINE];
    cli_json_out_begin(&out);
    stk_json_object(json);
    stk_json_pair_string(json, "data", r->data.path);
    stk_json_pair_string(json, "model", r->model.trivial ? "trivial" : r->model.name);
    stk_json_pair_int(json, "batch", r->data.batch);
    stk_json_pair_int(json, "size", r->data.size);
    stk_json_pair_string(json, "backend", stk_train_bench_backend(s->bench));
    stk_json_pair_int(json, "threads", stk_train_bench_threads(s->bench));
    stk_json_pair_int(json, "input_threads", r->knobs.input_threads);
    stk_json_pair_string(json, "threads_reason",
                         cli_train_job_reason(s->job, "threads", reason, sizeof reason));
    stk_json_pair_string(json, "inject", stk_inject_text(&s->job->inject, faults, sizeof faults));
    stk_json_pair_double(json, "images_per_s", s->spread[0].median);
    stk_json_pair_double(json, "ratio", ratio(s));
    stk_json_pair_bool(json, "noisy", noisy(s));
    stk_json_pair_string(json, "slower_part", input_limits(s) ? "input" : "compute");
    stk_json_pair_string(json, "limit", limit_name(s));
    if (is_judged(s)) {
        stk_json_pair_string(json, "cause", stk_cause_name(s->diagnosis.limit.cause));
        stk_json_pair_string(json, "verdict", s->diagnosis.verdict);
    }
    stk_json_pair_string(json, "cache", stk_train_bench_cache(s->bench));
    for (int part = 0; part < PARTS; part++)
        write_part(json, s, part);
    cli_stage_table_json(json, &s->profile);
    stk_json_object_end(json);
    return cli_json_out_end(&out, s->call);
}

static int bench(session *s)
{
    const values                 *v = s->call->values;
    const cli_style               style = cli_style_for(stdout, v->color);
    const stk_train_bench_options how = {.cancel = cli_signals_token(),
                                         .trace = s->tracer ? stk_tracer_trace(s->tracer) : NULL,
                                         .inject = &s->job->inject};
    stk_error                     err;
    stk_status st = stk_train_bench_open(&s->bench, &s->job->recipe, &s->job->data, &how, &err);
    if (!v->train.quiet) cli_notice_begin("measuring ...");
    if (!st && s->tracer) stk_tracer_follow(s->tracer, stk_train_bench_meter(s->bench));
    if (!st) st = measure(s, v->seconds, &err);
    cli_notice_end();
    if (st) return cli_train_job_error(s->call, &err);
    if (v->train.json) return print_json(s);
    print_text(s, &style);
    return CLI_EXIT_OK;
}

static void log_line(void *context, const char *line)
{
    (void)context;
    fprintf(stderr, "%s\n", line);
}

static void print_more(FILE *out, int width)
{
    cli_train_trace_print(out, width);
    cli_train_print_models(out, width);
}

static int run_gate(const cli_invocation *call, const cli_train_job *job)
{
    const values       *v = call->values;
    const cli_gate_call gate = {.call = call,
                                .values = &v->gate,
                                .seconds = v->seconds,
                                .json = v->train.json,
                                .quiet = v->train.quiet,
                                .color = v->color};
    return cli_gate_train(&gate, job);
}

static int run(const cli_invocation *call)
{
    const values *v = call->values;
    cli_train_job job;
    int           code;
    const bool    gated = cli_gate_wanted(call, &v->gate, v->trace ? "--trace" : NULL, &code);
    if (code) return code;
    session s = {.call = call, .job = &job};
    stk_profile_init(&s.profile);
    cli_train_job_init(&job);
    code = cli_train_job_prepare(&job, call, &v->train,
                                 call->operand_count ? call->operands[0] : NULL);
    if (!code && !gated)
        code = cli_train_trace_start(&s.tracer, call, v->trace, &job.recipe, ".", false, log_line,
                                     NULL);
    if (!code) code = gated ? run_gate(call, &job) : bench(&s);
    stk_profile_release(&s.profile);
    (void)cli_train_trace_end(s.tracer, call);
    stk_train_bench_free(s.bench);
    stk_tracer_free(s.tracer);
    cli_train_job_release(&job);
    return code;
}

const cli_command cli_command_bench_train = {
    .name = "bench train",
    .summary = "training as a whole beside compute alone and input alone",
    .operands = "[DATA]",
    .description =
        "Runs steps of training on DATA with their input, then the same steps on generated "
        "images, "
        "then the input alone, in rounds of each in turn. Tells how close the whole comes to the "
        "slower of its parts, and how the cores were shared out. Nothing is written but what "
        "--trace asks for (trace.json.gz, here) and --save names, and nothing is learnt.",
    .examples = "stoker bench train packed/ --model resnet18\n"
                "stoker bench train photos/ --trivial-model --seconds 10\n"
                "stoker bench train --recipe recipes/imagenet.yaml packed/ --json\n"
                "stoker bench train packed/ --against base.json --fail-below 0.97",
    .least_operands = 0,
    .most_operands = 1,
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .defaults = &defaults,
    .value_bytes = sizeof defaults,
    .print_more_help = print_more,
    .run = run,
};

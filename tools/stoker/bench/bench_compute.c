/* stoker bench compute: the speed of a network without input. */
#include "bench_compute_report.h"
#include "bench_gate_subjects.h"
#include "bench_options.h"
#include "bench_resolve.h"
#include "bench_sweep.h"
#include "json_out.h"
#include "signals.h"
#include "train_flags.h"

#include <stdlib.h>
#include <unistd.h>

typedef struct values {
    cli_train_values train;
    int64_t          classes, steps, warmup, window, fit_mb;
    bool             inference, ops;
    double           seconds;
    const char      *color, *batches, *plot;
    cli_gate_values  gate;
} values;

static const values defaults = {.warmup = 3, .seconds = 10};

enum { STEPS_MAX = 200, STEPS_MIN = 5, TIMED_STEPS = 10 };

static const cli_option options[] = {
    CLI_TRAIN_TEXT_OPTION(values, train.batch, "batch", "N", "The step",
                          "images of a step (default 128; 32 for images of over 64 pixels)"),
    CLI_TRAIN_TEXT_OPTION(values, batches, "batches", "FROM..TO", "The step",
                          "one after the other instead, each twice the last: 4..512, or 4..max "
                          "until half of the memory would be full"),
    CLI_TRAIN_TEXT_OPTION(values, train.size, "size", "N", "The step",
                          "pixels of a side (default: the network's)"),
    {CLI_OPTION(values, classes, "classes", INTEGER, "N"), .least = 0, .most = 1e6,
     .group = "The step", .help = "default 0: the network's"},
    CLI_TRAIN_TEXT_OPTION(values, train.width, "width", "X", "The step",
                          "times its channels (default 1)"),
    CLI_TRAIN_WORD_OPTION(values, train.optimizer, "optimizer", "NAME", cli_choice_optimizer,
                          "The step", "sgd, nesterov, adamw, lars or lamb (default nesterov)"),
    CLI_TRAIN_WORD_OPTION(
        values, train.precision, "precision", "P", cli_choice_precision, "The step",
        "of convolutions and matrix products: fp32, tf32, bf16 or fp16 (default: fp16 on "
        "a GPU, else fp32)"),
    {CLI_OPTION(values, inference, "inference", FLAG, NULL), .group = "The step",
     .help = "forward only, without gradients and update"},
    {CLI_OPTION(values, train.set, "set", LIST, "SECTION.KEY=VALUE"), .group = "The step",
     .help = "any key of a training recipe, such as knobs.passes_off=fuse"},
    {CLI_OPTION(values, steps, "steps", INTEGER, "N"), .letter = 'n', .least = 0, .most = 1e6,
     .group = "How long",
     .help = "steps that count (default 0: as many as --seconds holds, from 5 to 200)"},
    {CLI_OPTION(values, seconds, "seconds", NUMBER, "S"), .letter = 's', .least = 0.1, .most = 1e6,
     .group = "How long",
     .help = "for all steps, for all batches of --batches, or for all rounds of --save and "
             "--against (default 10)"},
    {CLI_OPTION(values, warmup, "warmup", INTEGER, "N"), .least = 0, .most = 1e6,
     .group = "How long", .help = "steps before them (default 3)"},
    {CLI_OPTION(values, window, "window", INTEGER, "N"), .least = 0, .most = 1e6,
     .group = "How long",
     .help = "so many steps in a row between two looks at the clock, on images that the device has "
             "already (default 0: each step is fed and waited for)"},
    CLI_GATE_OPTIONS(values, gate),
    CLI_BENCH_MACHINE_OPTIONS(values, train),
    {CLI_OPTION(values, train.eager, "eager", FLAG, NULL), .group = "Machine",
     .help = "operation by operation, unoptimised"},
    {CLI_OPTION(values, ops, "ops", FLAG, NULL), .group = "What to show",
     .help = "the time of every operation and of each kind of them, in some steps more; how near "
             "each is to what the machine gives"},
    {CLI_OPTION(values, fit_mb, "fit-mb", INTEGER, "N"), .least = 0, .most = 1e9,
     .group = "What to show",
     .help = "also the largest batch whose plan fits into so many MB of memory"},
    {CLI_OPTION(values, plot, "plot", FILE, "FILE"), .group = "What to show",
     .help = "with --batches: write the curve to this file, .svg or .png"},
    CLI_BENCH_SHOW_OPTIONS(values, color, train),
};

/* Upper bound of measurements: of steps, or of windows of steps. */
static size_t rounds_of(const values *v)
{
    const int64_t of = v->window ? v->window : 1;
    return v->steps ? (size_t)((v->steps + of - 1) / of) : STEPS_MAX;
}

static bool enough(const values *v, size_t done, double seconds)
{
    if (v->steps) return done >= rounds_of(v);
    return done >= STEPS_MAX || (done >= STEPS_MIN && seconds > v->seconds);
}

static stk_status step(stk_train_bench *bench, stk_error *err)
{
    STK_TRY(stk_cancel_check(cli_signals_token(), "bench", err));
    return stk_train_bench_step(bench, STK_TRAIN_BENCH_COMPUTE, err);
}

/* Runs one step or a window; *seconds: per step. */
static stk_status time_steps(stk_train_bench *bench, int64_t window, double *seconds,
                             stk_error *err)
{
    const double begin = cli_seconds_now();
    STK_TRY(stk_cancel_check(cli_signals_token(), "bench", err));
    STK_TRY(window ? stk_train_bench_window(bench, window, err) : step(bench, err));
    *seconds = (cli_seconds_now() - begin) / (double)(window ? window : 1);
    return STK_OK;
}

static stk_status measure(cli_compute_report *report, const values *v, stk_error *err)
{
    const size_t capacity = rounds_of(v);
    double       seconds;
    report->times = calloc(capacity, sizeof *report->times);
    if (!report->times)
        return stk_fail(err, STK_E_NOMEM, "bench", NULL, "no memory for %zu times", capacity);
    for (int64_t i = 0; i < v->warmup; i++)
        STK_TRY(step(report->bench, err));
    if (v->window) STK_TRY(time_steps(report->bench, 1, &seconds, err));
    for (const double begin = cli_seconds_now();
         !enough(v, report->count, cli_seconds_now() - begin);) {
        STK_TRY(time_steps(report->bench, v->window, &seconds, err));
        report->times[report->count++] = seconds;
    }
    report->spread = cli_spread_of(report->times, report->count);
    return STK_OK;
}

/* Runs after the measurement: it reads the clock twice per operation. */
static stk_status time_operations(cli_compute_report *report, stk_error *err)
{
    stk_program *program = stk_train_bench_program(report->bench);
    size_t       steps = report->count < TIMED_STEPS ? report->count : TIMED_STEPS;
    stk_program_time(program, true);
    for (size_t i = 0; i < steps; i++)
        STK_TRY(step(report->bench, err));
    stk_program_time(program, false);
    return STK_OK;
}

static stk_status work(cli_compute_report *report, const values *v, stk_error *err)
{
    const stk_train_bench_options how = {.inference = v->inference};
    if (v->ops) cli_bench_peaks_measure(&report->peaks, report->recipe);
    const double begin = cli_seconds_now();
    STK_TRY(stk_train_bench_open(&report->bench, report->recipe, NULL, &how, err));
    report->compile_seconds = cli_seconds_now() - begin;
    STK_TRY(measure(report, v, err));
    if (v->ops) STK_TRY(time_operations(report, err));
    if (!v->fit_mb) return STK_OK;
    return stk_train_largest_batch(report->recipe, v->inference, (uint64_t)v->fit_mb * 1000000,
                                   &report->largest_batch, &report->largest_plan, err);
}

static int print(const cli_invocation *call, const cli_compute_report *report)
{
    const values   *v = call->values;
    const cli_style style = cli_style_for(stdout, v->color);
    cli_json_out    json;
    if (!v->train.json) {
        cli_compute_report_print(report, &style);
        return CLI_EXIT_OK;
    }
    cli_json_out_begin(&json);
    cli_compute_report_json(&json.writer, report);
    return cli_json_out_end(&json, call);
}

/* Half of the machine's memory: the rest is for data and other programs. */
static uint64_t memory_to_use(void)
{
    const long pages = sysconf(_SC_PHYS_PAGES), bytes = sysconf(_SC_PAGE_SIZE);
    return pages > 0 && bytes > 0 ? (uint64_t)pages * (uint64_t)bytes / 2 : 0;
}

static int print_sweep(const cli_invocation *call, const cli_sweep *sweep)
{
    const values   *v = call->values;
    const cli_style style = cli_style_for(stdout, v->color);
    cli_json_out    json;
    stk_error       err;
    if (v->plot && cli_sweep_plot(sweep, v->plot, &err))
        return cli_report_error(call->command, &err, NULL);
    if (!v->train.json) {
        cli_sweep_print(sweep, &style);
        return CLI_EXIT_OK;
    }
    cli_json_out_begin(&json);
    cli_sweep_json(&json.writer, sweep);
    return cli_json_out_end(&json, call);
}

static int run_sweep(const cli_invocation *call, stk_train_recipe *recipe)
{
    enum { ABOUT = 8 };
    const values *v = call->values;
    stk_error     err;
    cli_sweep     sweep = {.recipe = recipe,
                           .inference = v->inference,
                           .seconds = v->seconds / ABOUT,
                           .memory = memory_to_use()};
    if (!cli_sweep_read(v->batches, &sweep.first, &sweep.last))
        return cli_report_usage(call->command,
                                "--batches is not FROM..TO, such as 4..512 or 4..max", NULL);
    stk_status st = cli_bench_resolve(recipe, v->classes, &err);
    if (!v->train.quiet) cli_notice_begin("measuring ...");
    if (!st) st = cli_sweep_run(&sweep, &err);
    cli_notice_end();
    return st ? cli_report_recipe(call->command, &err, NULL) : print_sweep(call, &sweep);
}

/* What of the flags does not go with a base; NULL: nothing. */
static const char *conflict_of(const values *v)
{
    return v->batches  ? "--batches"
           : v->ops    ? "--ops"
           : v->fit_mb ? "--fit-mb"
           : v->steps  ? "--steps"
                       : NULL;
}

static int run_gate(const cli_invocation *call, stk_train_recipe *recipe)
{
    const values       *v = call->values;
    const cli_gate_call gate = {.call = call,
                                .values = &v->gate,
                                .seconds = v->seconds,
                                .json = v->train.json,
                                .quiet = v->train.quiet,
                                .color = v->color};
    stk_error           err;
    if (cli_bench_resolve(recipe, v->classes, &err))
        return cli_report_recipe(call->command, &err, NULL);
    return cli_gate_compute(&gate, recipe, v->inference, v->window);
}

static int run(const cli_invocation *call)
{
    const values      *v = call->values;
    cli_train_values   flags = v->train;
    stk_train_recipe   recipe;
    cli_compute_report report = {
        .recipe = &recipe, .inference = v->inference, .ops = v->ops, .window = v->window};
    stk_error err;
    stk_train_recipe_init(&recipe);
    flags.model = call->operands[0];
    int        code;
    const bool gated = cli_gate_wanted(call, &v->gate, conflict_of(v), &code);
    if (!code) code = cli_train_flags_apply(call, &flags, NULL, &recipe);
    if (code) return code;
    if (gated) return run_gate(call, &recipe);
    if (v->batches) return run_sweep(call, &recipe);
    stk_status st = cli_bench_resolve(&recipe, v->classes, &err);
    if (!v->train.quiet) cli_notice_begin("measuring ...");
    if (!st) st = work(&report, v, &err);
    cli_notice_end();
    code = st ? cli_report_recipe(call->command, &err, NULL) : print(call, &report);
    stk_train_bench_free(report.bench);
    free(report.times);
    return code;
}

const cli_command cli_command_bench_compute = {
    .name = "bench compute",
    .summary = "how fast a network computes a step, on images that are there already",
    .operands = "MODEL",
    .description = "Compiles a step of training of the network MODEL as 'stoker train' does, and "
                   "runs it on generated images: the most that any input could feed. Tells the "
                   "median time of a step, how far steps are apart, images and floating-point "
                   "operations per second, and the memory.",
    .examples = "stoker bench compute resnet18 --batch 32\n"
                "stoker bench compute resnet20 --ops\n"
                "stoker bench compute resnet50 --inference --batch 1 --json\n"
                "stoker bench compute resnet18 --fit-mb 8000\n"
                "stoker bench compute resnet20 --batches 4..max --plot batches.svg",
    .least_operands = 1,
    .most_operands = 1,
    .operand_choice = cli_choice_model,
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .defaults = &defaults,
    .value_bytes = sizeof defaults,
    .print_more_help = cli_train_print_models,
    .run = run,
};

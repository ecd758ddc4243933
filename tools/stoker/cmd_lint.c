/* stoker lint: checks a step, its recipe and its data for wasted time. */
#include "health_text.h"
#include "json_out.h"
#include "lint_text.h"
#include "signals.h"
#include "spread.h"
#include "train_job.h"

#include <stdlib.h>
#include <stoker/train_bench.h>
#include <string.h>

typedef struct values {
    cli_train_values train;
    double           seconds;
    int64_t          images;
    bool             all, strict;
    const char      *color;
} values;

static const values defaults = {.images = 2000};

static const cli_option options[] = {
    {CLI_OPTION(values, seconds, "seconds", NUMBER, "S"), .letter = 's', .least = 0, .most = 1e6,
     .group = "How it judges",
     .help = "run steps on generated images for so long and judge operations by their times "
             "(default 0: by what they compute and move)"},
    {CLI_OPTION(values, images, "images", INTEGER, "N"), .renamed_from = "pictures", .least = 0,
     .most = 1e15, .group = "How it judges",
     .help = "images to decode and compare, spread over the data (default 2000; 0: none)"},
    {CLI_OPTION(values, all, "all", FLAG, NULL), .letter = 'a', .group = "How it judges",
     .help = "decode and compare every image"},
    {CLI_OPTION(values, strict, "strict", FLAG, NULL), .group = "How it judges",
     .help = "exit with 1 when anything is found, for scripts (default: findings are no failure)"},
    {CLI_OPTION(values, color, "color", CHOICE, "WHEN"), .choice = cli_color_choice,
     .group = "What to show", .help = "colours: auto (on a terminal), always, never"},
    CLI_TRAIN_OPTIONS(values, train),
};

enum { STEPS_MAX = 4096 };

/* Steps of the recipe and of its bfloat16 variant if that is a candidate, interleaved. */
typedef struct trial {
    stk_train_bench *bench, *half; /* half: or NULL */
    stk_train_recipe half_recipe;
    double           seconds[2][STEPS_MAX];
    size_t           count;
} trial;

static stk_status open_half(trial *t, const cli_train_job *job, stk_error *err)
{
    t->half_recipe = job->recipe;
    t->half_recipe.knobs.steps_in_flight = 0; /* interleaved steps must not stay in flight */
    STK_TRY(stk_train_recipe_set(&t->half_recipe, "train.precision", "bf16", "lint", err));
    return stk_train_bench_open(&t->half, &t->half_recipe, NULL, NULL, err);
}

static stk_status step(stk_train_bench *bench, double *seconds, stk_error *err)
{
    const double begin = cli_seconds_now();
    STK_TRY(stk_cancel_check(cli_signals_token(), "lint", err));
    STK_TRY(stk_train_bench_step(bench, STK_TRAIN_BENCH_COMPUTE, err));
    *seconds = cli_seconds_now() - begin;
    return STK_OK;
}

/* The first step touches new memory and is not counted. */
static stk_status measure(trial *t, double seconds, stk_error *err)
{
    double unused;
    STK_TRY(step(t->bench, &unused, err));
    if (t->half) STK_TRY(step(t->half, &unused, err));
    stk_program_time(stk_train_bench_program(t->bench), true);
    const double begin = cli_seconds_now();
    do {
        STK_TRY(step(t->bench, &t->seconds[0][t->count], err));
        if (t->half) STK_TRY(step(t->half, &t->seconds[1][t->count], err));
        t->count++;
    } while (cli_seconds_now() - begin < seconds && t->count < STEPS_MAX);
    return STK_OK;
}

static stk_status try_steps(trial *t, const cli_train_job *job, double seconds,
                            stk_lint_machine *machine, stk_error *err)
{
    if (seconds <= 0) return STK_OK;
    if (machine->bf16 && job->recipe.train.precision == STK_PRECISION_FP32)
        STK_TRY(open_half(t, job, err));
    STK_TRY(measure(t, seconds, err));
    if (t->half)
        machine->bf16_speed = cli_spread_of(t->seconds[0], t->count).median /
                              cli_spread_of(t->seconds[1], t->count).median;
    return STK_OK;
}

static stk_status lint(trial *t, const cli_train_job *job, double seconds, stk_lint_list *list,
                       stk_error *err)
{
    stk_lint_machine machine;
    stk_lint_storage storage;
    stk_lint_machine_read(&machine);
    stk_lint_storage_read(&storage, &job->recipe);
    STK_TRY(stk_train_bench_open(&t->bench, &job->recipe, NULL, NULL, err));
    STK_TRY(try_steps(t, job, seconds, &machine, err));
    stk_lint_program(list, stk_train_bench_program(t->bench), &machine);
    stk_lint_recipe(list, &job->recipe, &job->data, &machine, &storage);
    STK_TRY(stk_lint_input(list, &job->recipe, &job->data, err));
    stk_lint_rank(list, NULL);
    return STK_OK;
}

static int print(const cli_invocation *call, const stk_lint_list *list)
{
    const values *v = call->values;
    stk_blob      text;
    stk_error     err;
    int           code = v->strict && list->count ? CLI_EXIT_FAILED : CLI_EXIT_OK;
    if (!v->train.json) {
        const cli_style style = cli_style_for(stdout, v->color);
        cli_lint_text_print(stdout, list, &style);
        return code;
    }
    stk_blob_init(&text, NULL, STK_MEMORY_OUTPUT);
    if (stk_lint_write(list, &text, &err))
        code = cli_report_error(call->command, &err, NULL);
    else
        printf("%.*s\n", (int)text.size, (const char *)text.data);
    stk_blob_release(&text);
    return code;
}

/* Checks the data itself, unless the user's pipeline reads it. */
static stk_status lint_images(const values *v, const cli_train_job *job, stk_lint_list *list,
                              stk_error *err)
{
    const stk_train_recipe  *recipe = &job->recipe;
    stk_health_report        report;
    stk_health_options       wanted = {.all = v->all,
                                       .sample = (uint64_t)v->images,
                                       .threads = (int)recipe->knobs.threads,
                                       .cancel = cli_signals_token()};
    const stk_source_options source = {.kind = *recipe->data.kind ? recipe->data.kind : NULL,
                                       .follow_outside = recipe->data.follow_outside};
    bool                     applies;
    if (*recipe->data.pipeline || !v->images) return STK_OK;
    STK_TRY(cli_health_run(&report, recipe->data.path, &source, &wanted, v->train.quiet, &applies,
                           err));
    if (!applies) return STK_OK;
    stk_lint_health(list, &report, recipe->data.path);
    stk_health_report_release(&report);
    return STK_OK;
}

static int lint_job(const cli_invocation *call, const cli_train_job *job)
{
    const values *v = call->values;
    stk_lint_list list = {0};
    stk_error     err;
    trial        *t = calloc(1, sizeof *t);
    if (!t) {
        (void)stk_fail(&err, STK_E_NOMEM, "lint", NULL, "no memory");
        return cli_report_error(call->command, &err, NULL);
    }
    if (!v->train.quiet) cli_notice_begin(v->seconds > 0 ? "measuring ..." : "compiling ...");
    stk_status st = lint(t, job, v->seconds, &list, &err);
    cli_notice_end();
    if (!st) st = lint_images(v, job, &list, &err);
    stk_train_bench_free(t->bench);
    stk_train_bench_free(t->half);
    free(t);
    return st ? cli_train_job_error(call, &err) : print(call, &list);
}

static int run(const cli_invocation *call)
{
    const values *v = call->values;
    cli_train_job job;
    cli_train_job_init(&job);
    int code = cli_train_job_prepare(&job, call, &v->train,
                                     call->operand_count ? call->operands[0] : NULL);
    if (!code) code = lint_job(call, &job);
    cli_train_job_release(&job);
    return code;
}

const cli_command cli_command_lint = {
    .name = "lint",
    .summary = "look for what will cost time for nothing: model, recipe, data, input",
    .operands = "[DATA]",
    .description =
        "Compiles a step as 'stoker train' would and looks at its operations, the recipe, the data "
        "and the plan of the input by rules. Each finding has both values, what to write instead, "
        "and what that can give at most where it can be estimated. Nothing is trained or written. "
        "The exit code is 0 whatever was found; with --strict it is 1 when anything was.",
    .examples = "stoker lint packed/\n"
                "stoker lint packed/ --model resnet18 --seconds 10\n"
                "stoker lint packed/ --strict && stoker train packed/\n"
                "stoker lint --recipe recipes/cifar10.yaml packed/ --json | jq '.[].rule'",
    .least_operands = 0,
    .most_operands = 1,
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .defaults = &defaults,
    .value_bytes = sizeof defaults,
    .print_more_help = cli_train_print_models,
    .run = run,
};

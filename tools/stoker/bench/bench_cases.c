/* stoker bench cases: six slow runs, made here, and whether each is found. */
#include "bench_cases.h"

#include "bench_options.h"
#include "json_out.h"
#include "text.h"

#include <string.h>

typedef struct values {
    cli_train_values train;
    const char      *only, *color;
    double           seconds, scale;
    int64_t          steps;
} values;

static const values defaults = {.seconds = 5, .scale = 1};

static const cli_option options[] = {
    CLI_TRAIN_TEXT_OPTION(values, train.model, "model", "NAME", "The run",
                          "the network (default: lenet for the images made here)"),
    CLI_TRAIN_TEXT_OPTION(values, train.batch, "batch", "N", "The run",
                          "images of a step (default 64)"),
    CLI_TRAIN_TEXT_OPTION(values, train.size, "size", "N", "The run", "pixels of a side"),
    CLI_TRAIN_TEXT_OPTION(values, only, "only", "NUMBERS", "The run",
                          "of the cases 1 to 6, with commas between (default: all)"),
    {CLI_OPTION(values, scale, "scale", NUMBER, "X"), .least = 0.1, .most = 100, .group = "The run",
     .help = "faults are so many times as large (default 1), where other programs run beside"},
    {CLI_OPTION(values, seconds, "seconds", NUMBER, "S"), .letter = 's', .least = 0.1, .most = 1e4,
     .group = "How long",
     .help = "of training to measure for each of nine runs (default 5); half as much follows for "
             "operations and other batches"},
    {CLI_OPTION(values, steps, "steps", INTEGER, "N"), .least = 10, .most = 1e6,
     .group = "How long", .help = "steps to measure instead of seconds"},
    CLI_BENCH_MACHINE_OPTIONS(values, train),
    CLI_TRAIN_TEXT_OPTION(values, train.input_threads, "input-threads", "N", "Machine",
                          "that prepare batches, with the one that trains"),
    CLI_BENCH_SHOW_OPTIONS(values, color, train),
};

static int print(const cli_invocation *call, const cli_cases *cases)
{
    const values   *v = call->values;
    const cli_style style = cli_style_for(stdout, v->color);
    cli_json_out    json;
    if (!v->train.json) {
        cli_cases_print(cases, &style);
        return CLI_EXIT_OK;
    }
    cli_json_out_begin(&json);
    cli_cases_json(&json.writer, cases);
    return cli_json_out_end(&json, call);
}

static bool all_right(const cli_cases *cases)
{
    for (size_t i = 0; i < cases->count; i++)
        if (!cases->list[i].right) return false;
    return true;
}

/* A small buffer, so that runs with slow reads begin soon. */
static void choose(cli_train_values *flags, const char *data)
{
    if (!flags->batch) flags->batch = "64";
    if (!flags->model && !data) flags->model = "lenet";
    flags->validation = "none";
    flags->set = (cli_option_list){.items = {"data.shuffle=512"}, .count = 1};
}

static int run(const cli_invocation *call)
{
    const values    *v = call->values;
    cli_train_values flags = v->train;
    cli_cases        cases = {.call = call,
                              .flags = &flags,
                              .seconds = v->seconds,
                              .steps = v->steps,
                              .clean.scale = v->scale};
    char             images[CLI_CASE_PATH + 32];
    stk_error        err;
    if (v->only && !cli_cases_are_numbers(v->only))
        return cli_report_usage(call->command, "--only: cases are numbers from 1 to 6",
                                "such as --only 2,6");
    cases.data = call->operand_count ? call->operands[0] : NULL;
    choose(&flags, cases.data);
    stk_status st = cli_cases_make_folder(&cases, &err);
    if (!st && !cases.data) {
        st = cli_cases_make_data(&cases, images, sizeof images, &err);
        cases.data = images;
    }
    int code = st ? cli_report_error(call->command, &err, NULL) : cli_cases_run(&cases, v->only);
    cli_cases_remove_folder(&cases);
    if (!code) code = print(call, &cases);
    return !code && !all_right(&cases) ? CLI_EXIT_FAILED : code;
}

const cli_command cli_command_bench_cases = {
    .name = "bench cases",
    .summary = "six slow runs, made here by faults on purpose: is each found?",
    .operands = "[DATA]",
    .description =
        "Trains a clean run, and then the same six times with one thing wrong: a small batch, slow "
        "reads, heavy preprocessing, large copies, a slow operation, a slow callback. Each fault "
        "is "
        "a multiple of what the clean step takes on this machine. Tells what is left of the clean "
        "rate, whether the verdict names the fault, and the rate that was predicted without it. "
        "Without DATA, small images are made in $TMPDIR and removed. Exit code 1: a verdict is "
        "wrong.",
    .examples = "stoker bench cases\n"
                "stoker bench cases packed/ --model resnet18 --seconds 10\n"
                "stoker bench cases --only 2,6 --json",
    .least_operands = 0,
    .most_operands = 1,
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .defaults = &defaults,
    .value_bytes = sizeof(values),
    .run = run,
};

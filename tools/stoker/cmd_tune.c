/* stoker tune: change one thing, measure, keep or take back, go on. */
#include "json_out.h"
#include "signals.h"
#include "terminal.h"
#include "text.h"
#include "tune_job.h"
#include "tune_replay.h"
#include "tune_text.h"

#include <stdlib.h>
#include <stoker/filesystem.h>
#include <string.h>

static const cli_tune_values defaults = {
    .least = 1, .budget_min = 20, .margin = 0.5, .warm_up_s = 5, .measure_s = 10, .timeout_s = 120};

static const char *allow_choice(size_t index)
{
    static const char *const words[] = {"nothing", "learning"};
    return index < sizeof words / sizeof *words ? words[index] : NULL;
}

static const cli_option options[] = {
    {CLI_OPTION(cli_tune_values, budget_min, "budget", NUMBER, "MINUTES"), .least = 0.01,
     .most = 1e5, .group = "Search", .help = "how long to search (default 20)"},
    {CLI_OPTION(cli_tune_values, least, "least", NUMBER, "PERCENT"), .least = 0.01, .most = 1000,
     .group = "Search", .help = "keep a change that is shown to gain more than this (default 1)"},
    {CLI_OPTION(cli_tune_values, allow, "allow", CHOICE, "WHAT"), .choice = allow_choice,
     .group = "Search",
     .help = "learning: also change what is learnt (batch, precision, smaller images), where short "
             "trainings show no loss of accuracy (default: nothing)"},
    {CLI_OPTION(cli_tune_values, margin, "margin", NUMBER, "POINTS"), .least = 0.001, .most = 100,
     .group = "Search",
     .help = "accuracy that --allow learning may cost, in points of 100 (default 0.5)"},
    {CLI_OPTION(cli_tune_values, pin, "pin", TEXT, "KEYS"), .group = "Search",
     .help = "keys or knobs that stay as they are, such as data.batch,knobs.threads"},
    {CLI_OPTION(cli_tune_values, only, "only", TEXT, "ACTIONS"), .group = "Search",
     .help = "try these actions of those below, with commas between them"},
    {CLI_OPTION(cli_tune_values, without, "without", TEXT, "ACTIONS"), .group = "Search",
     .help = "do not try these"},
    {CLI_OPTION(cli_tune_values, space, "space", SIZE_MB, "MB"), .least = 0, .most = 1e9,
     .group = "Search",
     .help = "most that new packs of the data may take (default: a tenth of what is free)"},
    {CLI_OPTION(cli_tune_values, no_packs, "no-packs", FLAG, NULL), .group = "Search",
     .help = "make no new packs of the data"},
    {CLI_OPTION(cli_tune_values, folder, "folder", FILE, "FOLDER"), .letter = 'o',
     .group = "Output", .help = "where everything goes (default: tune-1, -2, ...)"},
    {CLI_OPTION(cli_tune_values, resume, "resume", FLAG, NULL), .group = "Output",
     .help = "go on with the search of --folder, with the same flags"},
    {CLI_OPTION(cli_tune_values, replay, "replay", FILE, "LEDGER"), .group = "Output",
     .help =
         "measure the start and the result of a ledger or its folder once more, on this machine "
         "or another"},
    {CLI_OPTION(cli_tune_values, color, "color", CHOICE, "WHEN"), .choice = cli_color_choice,
     .group = "Output", .help = "colours: auto (on a terminal), always, never"},
    {CLI_OPTION(cli_tune_values, knob, "knob", LIST, "NAME=VALUES"),
     .group = "A program of your own",
     .help = "what may change: workers=0,1,2,4 or batch=32..512x2; the first value is the start, "
             "and {NAME} in COMMAND is where it goes; may be given several times"},
    {CLI_OPTION(cli_tune_values, environment, "env", LIST, "NAME=VALUE"),
     .group = "A program of your own",
     .help = "a variable of COMMAND's, such as OMP_NUM_THREADS={threads}"},
    {CLI_OPTION(cli_tune_values, template_path, "template", FILE, "FILE"),
     .group = "A program of your own",
     .help = "a file with {NAME} in it; {config} in COMMAND is the path of its filled copy"},
    {CLI_OPTION(cli_tune_values, rate, "rate", TEXT, "HOW"), .group = "A program of your own",
     .help = "what tells the speed: a regular expression with one group, count:REGEX for a "
             "counter, file:PATH, or watch: what it reads and computes (default: watch)"},
    {CLI_OPTION(cli_tune_values, guard, "guard", TEXT, "REGEX"), .group = "A program of your own",
     .help = "a number that must not get worse, such as accuracy"},
    {CLI_OPTION(cli_tune_values, guard_margin, "guard-margin", NUMBER, "X"), .least = -1e9,
     .most = 1e9, .group = "A program of your own",
     .help = "what it may fall, in its own unit (default 0: a hundredth of it); below 0: what it "
             "may rise"},
    {CLI_OPTION(cli_tune_values, warm_up_s, "warm-up", NUMBER, "S"), .least = 0, .most = 1e5,
     .group = "A program of your own",
     .help = "seconds of each run that are not measured (default 5)"},
    {CLI_OPTION(cli_tune_values, measure_s, "measure", NUMBER, "S"), .least = 0.1, .most = 1e5,
     .group = "A program of your own", .help = "seconds that are (default 10)"},
    {CLI_OPTION(cli_tune_values, timeout_s, "timeout", NUMBER, "S"), .least = 0.1, .most = 1e6,
     .group = "A program of your own",
     .help = "a run without a number for so long has failed (default 120)"},
    CLI_TRAIN_OPTIONS(cli_tune_values, train),
};

static bool is_there(const char *path)
{
    stk_file_info info;
    stk_error     unasked;
    return !stk_path_info(NULL, path, &info, &unasked);
}

/* The folder that was named, or the first name that is free. */
static void name_folder(const cli_tune_values *v, char *folder, size_t capacity)
{
    enum { TRIES = 100000 };
    if (v->folder) {
        snprintf(folder, capacity, "%s", v->folder);
        return;
    }
    for (int i = 1; i < TRIES; i++) {
        snprintf(folder, capacity, "tune-%d", i);
        if (!is_there(folder)) return;
    }
}

static bool is_recipe(const char *operand)
{
    const char *dot = strrchr(operand, '.');
    return dot && (strcmp(dot, ".yaml") == 0 || strcmp(dot, ".yml") == 0);
}

static stk_status tune_recipe(const cli_invocation *call, stk_tune_report *report,
                              stk_tune_options *how, int *code, stk_error *err)
{
    const cli_tune_values *v = call->values;
    cli_train_values       flags = v->train;
    const char            *data = call->operand_count ? call->operands[0] : NULL;
    stk_inject             inject = {0};
    stk_train_recipe      *recipe = malloc(sizeof *recipe);
    if (!recipe) return stk_fail(err, STK_E_NOMEM, "tune", NULL, "no memory for a recipe");
    stk_status st = STK_OK;
    if (data && is_recipe(data) && !flags.recipe) {
        flags.recipe = data;
        data = NULL;
    }
    stk_train_recipe_init(recipe);
    *code = cli_train_flags_apply(call, &flags, data, recipe);
    if (!*code) *code = cli_train_flags_inject(call, &flags, &inject);
    how->inject = &inject;
    if (!*code) st = stk_tune_recipe(report, recipe, how, err);
    free(recipe);
    return st;
}

static stk_status tune_program(const cli_invocation *call, stk_tune_report *report,
                               const stk_tune_options *how, stk_error *err)
{
    const cli_tune_values *v = call->values;
    char                 **argv = calloc((size_t)call->operand_count + 1, sizeof *argv);
    if (!argv) return stk_fail(err, STK_E_NOMEM, "tune", NULL, "no memory for a command");
    memcpy(argv, call->operands, (size_t)call->operand_count * sizeof *argv);
    const stk_tune_program program = {.argv = argv,
                                      .knobs = v->knob.items,
                                      .knob_count = v->knob.count,
                                      .environment = v->environment.items,
                                      .environment_count = v->environment.count,
                                      .template_path = v->template_path,
                                      .rate = v->rate,
                                      .guard = v->guard,
                                      .guard_margin = v->guard_margin,
                                      .warm_up_s = v->warm_up_s,
                                      .measure_s = v->measure_s,
                                      .timeout_s = v->timeout_s};
    const stk_status       st = stk_tune_program_run(report, &program, how, err);
    free(argv);
    return st;
}

static int print_json(const cli_invocation *call, const stk_tune_report *report)
{
    stk_blob  text;
    stk_error err;
    stk_blob_init(&text, NULL, STK_MEMORY_OUTPUT);
    const stk_status st = stk_tune_report_write(report, &text, &err);
    if (!st) fwrite(text.data, 1, text.size, stdout);
    stk_blob_release(&text);
    return st ? cli_report_error(call->command, &err, NULL) : CLI_EXIT_OK;
}

static void print_files(const char *folder, bool program)
{
    printf("\n%s ", program ? "command" : "recipe ");
    cli_text_print(stdout, folder);
    printf("/%s\nreport  ", program ? "tuned.sh" : "tuned.yaml");
    cli_text_print(stdout, folder);
    printf("/report.html\nledger  ");
    cli_text_print(stdout, folder);
    printf("/tune.jsonl\n");
}

static const char *advise(const stk_error *err, bool resume)
{
    if (err->status == STK_E_EXISTS) return "-o names another folder";
    if (err->status == STK_E_NOTFOUND && resume && strstr(err->where, "tune.jsonl"))
        return "without --resume a new search begins";
    return NULL;
}

/* What is wrong before anything begins is the command line. */
static int report_failure(const cli_command *command, const stk_tune_report *report,
                          const stk_error *err, bool resume)
{
    const int  code = cli_report_recipe(command, err, advise(err, resume));
    const bool invalid = err->status == STK_E_INVALID || err->status == STK_E_LIMIT;
    return invalid && !*report->kind ? CLI_EXIT_USAGE : code;
}

static int tune(const cli_invocation *call, stk_tune_report *report, const char *folder)
{
    const cli_tune_values *v = call->values;
    const bool             program = v->knob.count > 0;
    const cli_style        style = cli_style_for(stdout, v->color);
    stk_tune_options       how;
    cli_tune_show          show;
    stk_error              err;
    int                    code = CLI_EXIT_OK;
    cli_tune_options(&how, v, folder, &show);
    const stk_status st = program ? tune_program(call, report, &how, &err)
                                  : tune_recipe(call, report, &how, &code, &err);
    cli_tune_show_end(&show);
    if (code) return code;
    if (st) return report_failure(call->command, report, &err, v->resume);
    if (v->train.json) {
        code = print_json(call, report);
    } else {
        cli_tune_print(stdout, report, &style);
        print_files(folder, program);
    }
    if (code) return code;
    return stk_cancel_requested(cli_signals_token()) ? CLI_EXIT_CANCELLED : CLI_EXIT_OK;
}

static int check(const cli_invocation *call)
{
    const cli_tune_values *v = call->values;
    if (v->knob.count && !call->operand_count)
        return cli_report_usage(call->command, "--knob is for a command, and there is none",
                                "write it after --, as in: stoker tune --knob workers=0,2,4 -- "
                                "python train.py --workers {workers}");
    if (!v->knob.count && call->operand_count > 1)
        return cli_report_usage(call->command, "one DATA or RECIPE at a time",
                                "a command needs --knob: what may change in it");
    if (!v->knob.count && (v->environment.count || v->template_path || v->rate || v->guard))
        return cli_report_usage(
            call->command, "--env, --template, --rate and --guard are for a command with --knob",
            NULL);
    if (v->replay && (call->operand_count || v->knob.count))
        return cli_report_usage(call->command, "--replay takes all else from the ledger", NULL);
    if (v->resume && !v->folder)
        return cli_report_usage(call->command, "--resume needs the --folder of the search", NULL);
    return CLI_EXIT_OK;
}

static int replay(const cli_invocation *call)
{
    const cli_tune_values *v = call->values;
    stk_tune_options       how = {.cancel = cli_signals_token()};
    stk_inject             inject = {0};
    const int              code = cli_train_flags_inject(call, &v->train, &inject);
    if (code) return code;
    how.inject = &inject;
    return cli_tune_replay(call, v->replay, &how, v->train.json);
}

static int run(const cli_invocation *call)
{
    const cli_tune_values *v = call->values;
    stk_tune_report        report;
    char                   folder[1024];
    int                    code = check(call);
    if (code) return code;
    if (v->replay) return replay(call);
    stk_tune_report_init(&report);
    name_folder(call->values, folder, sizeof folder);
    code = tune(call, &report, folder);
    stk_tune_report_release(&report);
    return code;
}

static void print_more(FILE *out, int width)
{
    const stk_tune_action_info *action;
    fprintf(out, "\nActions (of recipes):\n");
    for (size_t i = 0; (action = stk_tune_action_at(i)); i++)
        fprintf(out, "  %-16s %-9s %s\n", action->name, stk_tune_class_name(action->kind),
                action->summary);
    fprintf(out, "\n  exact: the same bits are learnt; equal: the same up to rounding;\n"
                 "  learning: another training, only with --allow learning\n");
    cli_train_print_models(out, width);
}

const cli_command cli_command_tune = {
    .name = "tune",
    .summary = "change one thing, measure, keep it or take it back, until nothing is left to gain",
    .operands = "[DATA|RECIPE] [-- COMMAND...]",
    .description =
        "Measures a training recipe, finds what limits it, and tries what promises most for the "
        "time it takes: one change at a time, in blocks beside the best so far. A change is kept "
        "when it is shown to be faster and to learn the same; all others are taken back. The "
        "folder "
        "gets the recipe that came out, a ledger of every trial and a page. With --knob it does so "
        "for any COMMAND: each trial is a run of it. Ctrl-C ends with the best so far, and "
        "--resume goes on.",
    .examples =
        "stoker tune photos/\n"
        "stoker tune recipe.yaml --budget 60 --allow learning\n"
        "stoker train -r tune-1/tuned.yaml\n"
        "stoker tune --knob workers=0,2,4 --rate '([0-9.]+) img/s' -- python train.py --workers "
        "{workers}",
    .least_operands = 0,
    .most_operands = 1000,
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .defaults = &defaults,
    .value_bytes = sizeof defaults,
    .print_more_help = print_more,
    .run = run,
};

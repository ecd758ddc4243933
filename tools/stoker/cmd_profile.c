/* stoker profile: train for a while, measure, and say what limits. */
#include "cost_text.h"
#include "diagnosis_text.h"
#include "json_out.h"
#include "left_out_json.h"
#include "op_table.h"
#include "operation_table.h"
#include "profile_files.h"
#include "profile_overhead.h"
#include "signals.h"
#include "terminal.h"
#include "text.h"
#include "train_job.h"

#include <stoker/filesystem.h>
#include <stoker/profiler.h>
#include <string.h>

typedef struct values {
    cli_train_values train;
    double           seconds, price;
    int64_t          steps;
    bool             no_report;
    const char      *color, *folder;
} values;

static const values defaults = {.seconds = 20};

static const cli_option options[] = {
    {CLI_OPTION(values, seconds, "seconds", NUMBER, "S"), .letter = 's', .least = 0.1, .most = 1e6,
     .group = "How long",
     .help = "of training to measure, after warm-up (default 20); half as much follows for "
             "operations, other batches and what observing costs, at most 10"},
    {CLI_OPTION(values, steps, "steps", INTEGER, "N"), .least = 1, .most = 1e9, .group = "How long",
     .help = "steps to measure instead of seconds; half of their time follows, 2 s at least"},
    {CLI_OPTION(values, folder, "folder", FILE, "FOLDER"), .letter = 'o', .group = "Output",
     .help = "where everything goes (default: profile-MODEL-1, -2, ...)"},
    {CLI_OPTION(values, no_report, "no-report", FLAG, NULL), .group = "Output",
     .help = "write no page and no trace"},
    {CLI_OPTION(values, price, "price-per-hour", NUMBER, "X"), .least = 0, .most = 1e9,
     .group = "Output",
     .help = "what an hour of this machine costs: tells the cost of an epoch, and how much of it "
             "is not compute"},
    {CLI_OPTION(values, color, "color", CHOICE, "WHEN"), .choice = cli_color_choice,
     .group = "Output", .help = "colours: auto (on a terminal), always, never"},
    CLI_TRAIN_OPTIONS(values, train),
};

typedef struct session {
    const cli_invocation *call;
    const values         *values;
    cli_train_job        *job;
    char                  folder[CLI_PROFILE_PATH];
    stk_profiler_result   result;
} session;

static bool is_there(const char *path)
{
    stk_file_info info;
    stk_error     unasked;
    return !stk_path_info(NULL, path, &info, &unasked);
}

/* The folder that was named, or the first name that is free. */
static void name_folder(session *s)
{
    enum { TRIES = 100000 };
    const stk_train_recipe *r = &s->job->recipe;
    if (s->values->folder) {
        snprintf(s->folder, sizeof s->folder, "%s", s->values->folder);
        return;
    }
    for (int i = 1; i < TRIES; i++) {
        snprintf(s->folder, sizeof s->folder, "profile-%.200s-%d",
                 r->model.trivial ? "trivial" : r->model.name, i);
        if (!is_there(s->folder)) return;
    }
}

static stk_status measure(session *s, stk_error *err)
{
    const values *v = s->values;
    char          command[STK_PROFILE_LINE], note[160];
    cli_profile_command_line(command, sizeof command);
    name_folder(s);
    if (v->steps)
        snprintf(note, sizeof note, "training %s for %lld steps ...", s->job->recipe.model.name,
                 (long long)v->steps);
    else
        snprintf(note, sizeof note, "training %s for %.0f s ...", s->job->recipe.model.name,
                 v->seconds);
    if (!v->train.quiet) cli_notice_begin(note);
    const stk_profiler_options how = {.seconds = v->seconds,
                                      .steps = v->steps,
                                      .inject = &s->job->inject,
                                      .folder = s->folder,
                                      .no_trace = v->no_report,
                                      .no_page = v->no_report,
                                      .command = command,
                                      .cancel = cli_signals_token()};
    const stk_status st = stk_profiler_run(&s->result, &s->job->recipe, &s->job->data, &how, err);
    cli_notice_end();
    return st;
}

/* The rest is as good without it. */
static void tell_lack(const session *s, const char *what, const stk_error *err)
{
    char line[1024];
    if (!err->status) return;
    fprintf(stderr, "stoker %s: %s: ", s->call->command->name, what);
    cli_text_print(stderr, stk_error_line(err, line, sizeof line));
    fprintf(stderr, "\n");
}

static int print_json(const session *s)
{
    stk_blob  text;
    stk_error err;
    stk_blob_init(&text, NULL, STK_MEMORY_OUTPUT);
    const stk_status st = stk_diagnosis_write(&s->result.diagnosis, &text, &err);
    if (!st) fwrite(text.data, 1, text.size, stdout);
    stk_blob_release(&text);
    return st ? cli_report_error(s->call->command, &err, NULL) : CLI_EXIT_OK;
}

static void print_operations(const stk_profile *profile, const cli_style *style)
{
    stk_function_stats list[STK_PROFILE_INPUT_OPS];
    cli_operation_table_print(list, cli_operation_table_of(profile, list), style);
}

static int print(const session *s)
{
    const cli_style style = cli_style_for(stdout, s->values->color);
    const bool      paged = !s->values->no_report && !s->result.page_error.status;
    if (s->values->train.json) return print_json(s);
    cli_diagnosis_print(stdout, &s->result.diagnosis, &style);
    if (s->result.profile.device.work_ns >= 0)
        cli_op_table_print(stdout, &s->result.profile, &style);
    print_operations(&s->result.profile, &style);
    cli_profile_print_overhead(stdout, &s->result.profile);
    cli_cost_print(stdout, &s->result.profile, &s->result.diagnosis, s->job->data.train_count,
                   s->values->price);
    printf("\n%s ", paged ? "report" : "profile");
    cli_text_print(stdout, s->folder);
    printf("%s\n", paged ? "/report.html" : "");
    return CLI_EXIT_OK;
}

static int profile(session *s)
{
    stk_error                  err;
    const stk_profiler_result *r = &s->result;
    const stk_status           st = measure(s, &err);
    if (st == STK_E_EXISTS)
        return cli_report_error(s->call->command, &err, "-o names another folder");
    if (st) return cli_train_job_error(s->call, &err);
    tell_lack(s, "not all could be measured", &r->extras_error);
    tell_lack(s, "no trace", &r->trace_error);
    tell_lack(s, "no page", &r->page_error);
    const int code = print(s);
    return code ? code : r->interrupted ? CLI_EXIT_CANCELLED : CLI_EXIT_OK;
}

static int run(const cli_invocation *call)
{
    const values *v = call->values;
    cli_train_job job;
    session       s = {.call = call, .values = v, .job = &job};
    cli_train_job_init(&job);
    stk_profile_init(&s.result.profile);
    int code = cli_train_job_prepare(&job, call, &v->train,
                                     call->operand_count ? call->operands[0] : NULL);
    if (!code && !v->train.quiet) cli_left_out_print(job.data.source);
    if (!code) code = profile(&s);
    stk_profiler_result_release(&s.result);
    cli_train_job_release(&job);
    return code;
}

const cli_command cli_command_profile = {
    .name = "profile",
    .summary = "train for a while, say what limits and what each fix would give",
    .operands = "[DATA]",
    .description =
        "Trains as 'stoker train' would, with its checkpoints and callbacks but without "
        "evaluations, and accounts for every moment of the training thread. Then it times "
        "operations, tries larger batches and measures what the machine gives. The folder gets "
        "the profile, the diagnosis, the run, a page for the browser and a trace of ten steps. "
        "Ctrl-C ends early and judges what there is.",
    .examples = "stoker profile packed/\n"
                "stoker profile packed/ --model resnet18 --seconds 60 -o slow\n"
                "stoker profile --recipe recipes/cifar10.yaml packed/ --json | jq .limit\n"
                "stoker diagnose slow --what-if S2=0.5",
    .least_operands = 0,
    .most_operands = 1,
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .defaults = &defaults,
    .value_bytes = sizeof defaults,
    .print_more_help = cli_train_print_keys,
    .run = run,
};

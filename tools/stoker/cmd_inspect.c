/* stoker inspect: contents and validity of a data set. */
#include "command.h"
#include "health_text.h"
#include "model_images.h"
#include "progress.h"
#include "report.h"
#include "signals.h"
#include "source_kinds.h"
#include "text.h"

#include <limits.h>
#include <stoker/inspect.h>

typedef struct values {
    cli_common_values common;
    bool              verify, all, follow_outside;
    int64_t           records, sample, bad, images;
    const char       *label, *kind, *color;
} values;

static const values defaults = {.records = 3, .bad = 100, .images = 2000};

static const cli_option options[] = {
    {CLI_OPTION(values, verify, "verify", FLAG, NULL), .group = "What to look at",
     .help = "read everything, check all checksums, parse every record and decode every image; "
             "exit code 1 if any is bad"},
    {CLI_OPTION(values, all, "all", FLAG, NULL), .letter = 'a', .group = "What to look at",
     .help = "read every record and decode every image, not a sample"},
    {CLI_OPTION(values, images, "images", INTEGER, "N"), .renamed_from = "pictures", .least = 0,
     .most = 1e15, .group = "What to look at",
     .help = "images to decode and compare, spread over the data (default 2000; 0: none)"},
    {CLI_OPTION(values, sample, "sample", INTEGER, "N"), .least = 0, .most = 1e15,
     .group = "What to look at",
     .help = "records to read of each file for schema and classes (default 0: 1000; of other "
             "sources 200 in all)"},
    {CLI_OPTION(values, label, "label", TEXT, "KEY"), .group = "What to look at",
     .help = "count classes of this feature (default: label, image/class/label, or one of a "
             "similar name)"},
    CLI_FOLLOW_OUTSIDE_OPTION(values, follow_outside, "What to look at"),
    {CLI_OPTION(values, kind, "kind", CHOICE, "KIND"), .choice = cli_inspect_kind_choice,
     .group = "What to look at",
     .help = "what PATH is: tfrecord or a kind below (default: found out by looking)"},
    {CLI_OPTION(values, records, "records", INTEGER, "N"), .letter = 'n', .least = 0, .most = 10000,
     .group = "What to show", .help = "first records to show in full (default 3)"},
    {CLI_OPTION(values, bad, "bad", INTEGER, "N"), .least = 1, .most = 1000000,
     .group = "What to show", .help = "bad records to list; the others are counted (default 100)"},
    {CLI_OPTION(values, color, "color", CHOICE, "WHEN"), .choice = cli_color_choice,
     .group = "What to show",
     .help = "colours and block characters: auto (on a terminal), always, never; NO_COLOR in the "
             "environment turns colours off"},
    CLI_COMMON_OPTIONS(values, common),
};

/* State shared by all paths of one call. */
typedef struct session {
    const cli_invocation *call;
    const values         *values;
    stk_inspect_options   options;
    cli_style             style;
    stk_json_writer       json;
} session;

static void show_progress(void *context, uint64_t done, uint64_t total)
{
    cli_notice_end(); /* listing has ended */
    cli_progress_update(context, done, total, 0, 0);
}

static const char *advise(const stk_error *err)
{
    if (err->status == STK_E_CANCELLED) return "nothing was changed; run it again to begin anew";
    if (err->status == STK_E_CEILING) return "--memory-mb raises the limit";
    if (err->status == STK_E_FORMAT) return "--kind says what it is, if you know better";
    return NULL;
}

/* An unreadable path is reported on stderr and in its JSON entry. */
static int fail_path(session *s, const char *path, const stk_error *err)
{
    char      line[1024];
    const int code = cli_report_error(s->call->command, err, advise(err));
    if (!s->values->common.json) return code;
    stk_json_object(&s->json);
    stk_json_pair_string(&s->json, "path", path);
    stk_json_pair_string(&s->json, "error", stk_error_line(err, line, sizeof line));
    stk_json_object_end(&s->json);
    return code;
}

/* *out is NULL if there are no images. */
static stk_status look_at_images(session *s, const char *path, stk_health_report *report,
                                 const stk_health_report **out, stk_error *err)
{
    const values            *v = s->values;
    stk_health_options       wanted = {.all = v->verify || v->all,
                                       .sample = (uint64_t)v->images,
                                       .threads = (int)v->common.threads,
                                       .ledger = s->options.ledger,
                                       .cancel = s->options.cancel};
    const stk_source_options source = {.kind = v->kind, .follow_outside = v->follow_outside};
    bool                     applies;
    *out = NULL;
    if (!v->images) return STK_OK;
    STK_TRY(cli_health_run(report, path, &source, &wanted, v->common.quiet, &applies, err));
    if (applies) *out = report;
    return STK_OK;
}

static bool is_damaged(const session *s, const stk_inspect_report *report,
                       const stk_health_report *health)
{
    return report->bad_count || (health && health->bad && s->values->verify);
}

static int inspect_path(session *s, const char *path)
{
    const stk_health_report *health;
    stk_health_report        images = {0};
    stk_inspect_report       report;
    cli_progress             progress;
    stk_error                err;
    char                     note[300], shown[250];
    cli_text_fit(shown, sizeof shown, path, 200);
    snprintf(note, sizeof note, "listing %s ...", shown);
    if (!s->values->common.quiet) cli_notice_begin(note);
    cli_progress_begin(&progress, s->values->verify ? "verifying" : "reading",
                       s->values->common.quiet);
    s->options.progress_context = &progress;
    stk_status st = stk_inspect(&report, NULL, path, &s->options, &err);
    cli_notice_end();
    cli_progress_end(&progress);
    if (st) return fail_path(s, path, &err);
    st = look_at_images(s, path, &images, &health, &err);
    if (st) {
        stk_inspect_report_release(&report);
        return fail_path(s, path, &err);
    }
    if (s->values->common.json)
        cli_report_write_json(&s->json, path, &report, health);
    else
        cli_report_print(path, &report, health, &s->style);
    const int code = is_damaged(s, &report, health) ? CLI_EXIT_FAILED : CLI_EXIT_OK;
    stk_health_report_release(&images);
    stk_inspect_report_release(&report);
    return code;
}

static int inspect_paths(session *s)
{
    const bool many = s->call->operand_count > 1, json = s->values->common.json;
    int        code = CLI_EXIT_OK;
    if (json && many) stk_json_array(&s->json);
    for (int i = 0; i < s->call->operand_count && !cli_output_closed(); i++) {
        if (i && !json) printf("\n");
        const int result = inspect_path(s, s->call->operands[i]);
        if (result) code = result;
        if (result == CLI_EXIT_CANCELLED) break;
        fflush(stdout);
    }
    if (json && many) stk_json_array_end(&s->json);
    return code;
}

static int run(const cli_invocation *call)
{
    const values *v = call->values;
    session       s = {.call = call, .values = v, .style = cli_style_for(stdout, v->color)};
    stk_ledger   *ledger;
    stk_blob      text;
    stk_error     err;
    if (stk_ledger_new(&ledger, v->common.memory_bytes, &err))
        return cli_report_error(call->command, &err, NULL);
    s.options = (stk_inspect_options){
        .verify = v->verify,
        .whole = v->all,
        .label = v->label,
        .sample_records = (uint64_t)v->sample,
        .first_records = (uint32_t)v->records,
        .max_bad = (uint32_t)v->bad,
        .kind = v->kind,
        .follow_outside = v->follow_outside,
        .ledger = ledger,
        .threads = (int)v->common.threads,
        .cancel = cli_signals_token(),
        .progress = show_progress,
    };
    stk_blob_init(&text, NULL, STK_MEMORY_OUTPUT);
    stk_json_begin(&s.json, &text, 2);
    int code = inspect_paths(&s);
    if (v->common.json) {
        if (stk_json_end(&s.json, &err)) code = cli_report_error(call->command, &err, NULL);
        fwrite(text.data, 1, text.size, stdout);
    }
    stk_blob_release(&text);
    stk_ledger_unref(ledger);
    return code;
}

const cli_command cli_command_inspect = {
    .name = "inspect",
    .summary = "show and check what a data set holds",
    .operands = "PATH...",
    .description =
        "Shows the number of records, the schema, the classes and the first records of TFRecord "
        "files or of any source. PATH is a file, a folder of shards, or a pattern in quotes. "
        "Record counts are exact; schema and classes come from a sample unless --all or --verify "
        "is given. Images are decoded, 2000 of them or all, and what is wrong with them is told: "
        "bad files, copies, images of test that are among those for training.",
    .examples = "stoker inspect packed/\n"
                "stoker inspect --verify 'data/train-*'\n"
                "stoker inspect --all --records 0 photos/\n"
                "stoker inspect --json packed/ | jq .classes",
    .least_operands = 1,
    .most_operands = INT_MAX,
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .defaults = &defaults,
    .value_bytes = sizeof defaults,
    .print_more_help = cli_source_kinds_print,
    .run = run,
};

/* stoker eval: evaluates a trained model. */
#include "confusion_png.h"
#include "eval_details.h"
#include "eval_report.h"
#include "json_out.h"
#include "model_images.h"
#include "model_options.h"
#include "signals.h"
#include "source_kinds.h"
#include "text.h"

#include <string.h>

typedef struct values {
    cli_common_values common;
    const char       *split, *kind, *on_bad, *match, *tta, *color;
    cli_model_values  model;
    const char       *csv, *confusion, *mistakes;
    int64_t           batch, bins, top, worst, columns;
    bool              follow_outside;
} values;

static const values defaults = {.bins = 10, .top = 3, .worst = 40, .columns = 8};

static const char *tta_choice(size_t index)
{
    static const char *const choices[] = {"none", "mirror", "mirror-shift"};
    return index < sizeof choices / sizeof *choices ? choices[index] : NULL;
}

static const char *on_bad_choice(size_t index)
{
    static const char *const choices[] = {"stop", "skip"};
    return index < sizeof choices / sizeof *choices ? choices[index] : NULL;
}

static const char *match_choice(size_t index)
{
    static const char *const choices[] = {"name", "index"};
    return index < sizeof choices / sizeof *choices ? choices[index] : NULL;
}

static const cli_option options[] = {
    {CLI_OPTION(values, split, "split", TEXT, "SPLIT"), .choice = cli_choice_split,
     .group = "What to evaluate",
     .help = "the split (default: what the run was validated on; of DATA test, else validation, "
             "else train)"},
    {CLI_OPTION(values, kind, "kind", CHOICE, "KIND"), .choice = cli_inspect_kind_choice,
     .group = "What to evaluate", .help = "what DATA is (default: found out)"},
    {CLI_OPTION(values, on_bad, "on-bad", CHOICE, "stop|skip"), .choice = on_bad_choice,
     .group = "What to evaluate",
     .help = "at an image that cannot be read: stop, or leave it out (default: as the run)"},
    CLI_FOLLOW_OUTSIDE_OPTION(values, follow_outside, "What to evaluate"),
    {CLI_OPTION(values, match, "match", CHOICE, "name|index"), .choice = match_choice,
     .group = "What to evaluate",
     .help = "how classes of DATA are found among the run's (default name; data without class "
             "names goes by index)"},
    {CLI_OPTION(values, batch, "batch", INTEGER, "N"), .letter = 'b', .least = 0, .most = 1e6,
     .group = "How", .help = "images at a time (default 0: 32)"},
    {CLI_OPTION(values, tta, "tta", CHOICE, "none|mirror|mirror-shift"), .choice = tta_choice,
     .group = "How",
     .help = "average over views of each image (default: as the run was evaluated)"},
    {CLI_OPTION(values, bins, "bins", INTEGER, "N"), .least = 1, .most = 1000, .group = "Output",
     .help = "of the calibration (default 10)"},
    {CLI_OPTION(values, confusion, "confusion", FILE, "FILE"), .group = "Output",
     .help = "draw the confusion matrix into this PNG"},
    {CLI_OPTION(values, mistakes, "mistakes", FILE, "FILE"), .group = "Output",
     .help = "draw the mistakes that the model was surest of into this PNG"},
    {CLI_OPTION(values, worst, "worst", INTEGER, "N"), .least = 1, .most = 400, .group = "Output",
     .help = "how many of them (default 40)"},
    {CLI_OPTION(values, columns, "columns", INTEGER, "N"), .least = 1, .most = 64,
     .group = "Output", .help = "of them side by side (default 8)"},
    {CLI_OPTION(values, csv, "csv", FILE, "FILE"), .group = "Output",
     .help = "write a table with a row for each image"},
    {CLI_OPTION(values, top, "top", INTEGER, "K"), .letter = 'k', .least = 1, .most = 1000,
     .group = "Output", .help = "classes in such a row, the likeliest first (default 3)"},
    {CLI_OPTION(values, color, "color", CHOICE, "WHEN"), .choice = cli_color_choice,
     .group = "Output", .help = "colours: auto (on a terminal), always, never"},
    CLI_MODEL_OPTIONS(values, model),
    CLI_COMMON_OPTIONS(values, common),
};

static int print(const cli_invocation *call, const cli_eval_report *report)
{
    const values   *v = call->values;
    const cli_style style = cli_style_for(stdout, v->color);
    cli_json_out    json;
    if (!v->common.json) {
        cli_eval_report_print(report, &style);
        return CLI_EXIT_OK;
    }
    cli_json_out_begin(&json);
    cli_eval_report_json(&json.writer, report);
    return cli_json_out_end(&json, call);
}

static void log_line(void *context, const char *line)
{
    const values *v = ((const cli_invocation *)context)->values;
    if (v->common.quiet) return;
    cli_text_print(stderr, line);
    fputc('\n', stderr);
}

/* Advice for unreadable images and unknown class names. */
static const char *advice_for(const stk_error *err)
{
    if (!err->component) return NULL;
    if (strcmp(err->component, "decode") == 0)
        return "--on-bad skip leaves out what cannot be read";
    if (strcmp(err->component, "classes") != 0) return NULL;
    return err->status == STK_E_INVALID
               ? "name the classes of the data as the run does (classes.txt in its folder has "
                 "all), "
                 "or leave others out; --match index takes class 0 of the data for the run's first"
               : "evaluate on data with the classes that the run was trained on";
}

static void write_heading(const cli_eval_report *r, char *text, size_t capacity)
{
    snprintf(text, capacity, "%.100s on %.100s", r->run, r->data);
}

static stk_status save_confusion(const cli_eval_report *r, const char *path, stk_error *err)
{
    const stk_evaluation *e = r->evaluation;
    char                  heading[256], subheading[256];
    stk_blob              png;
    write_heading(r, heading, sizeof heading);
    snprintf(subheading, sizeof subheading,
             "%lld images, %.2f %% right, mean recall %.2f %%. Shade: the share of its row",
             (long long)e->count, 100 * e->accuracy, 100 * e->balanced_accuracy);
    const cli_confusion_image image = {heading, subheading, r->predictor, e};
    stk_blob_init(&png, NULL, STK_MEMORY_OUTPUT);
    stk_status st = cli_confusion_png(&png, &image, err);
    if (!st) st = cli_images_save(path, stk_blob_bytes(&png), err);
    stk_blob_release(&png);
    return st;
}

static stk_status save_mistakes(const cli_invocation *call, const cli_eval_report *r,
                                cli_eval_details *details, stk_error *err)
{
    const values *v = call->values;
    char          heading[256], subheading[256];
    if (!details->count) {
        if (!v->common.quiet) fprintf(stderr, "there are no mistakes to draw\n");
        return STK_OK;
    }
    write_heading(r, heading, sizeof heading);
    snprintf(subheading, sizeof subheading,
             "the %zu mistakes of %lld that it was surest of, as the model sees them",
             details->count, (long long)details->mistakes);
    return cli_eval_details_sheet(details, v->mistakes, heading, subheading, (int)v->columns, err);
}

static stk_status save_files(const cli_invocation *call, const cli_eval_report *r,
                             cli_eval_details *details, stk_error *err)
{
    const values *v = call->values;
    STK_TRY(cli_eval_details_commit(details, err));
    if (v->confusion) STK_TRY(save_confusion(r, v->confusion, err));
    return v->mistakes ? save_mistakes(call, r, details, err) : STK_OK;
}

static int print_result(const cli_invocation *call, const cli_eval_report *report,
                        cli_eval_details *details)
{
    stk_error err;
    if (!report->evaluation->count) {
        (void)stk_fail(&err, STK_E_NOTFOUND, "data", report->data, "there are no images in it");
        return cli_report_error(call->command, &err, NULL);
    }
    const int code = print(call, report);
    if (save_files(call, report, details, &err)) return cli_report_error(call->command, &err, NULL);
    return code;
}

static stk_status measure(const cli_invocation *call, stk_predictor *predictor,
                          cli_eval_details *details, stk_evaluation *evaluation, stk_error *err)
{
    const values              *v = call->values;
    const bool                 index = v->match && strcmp(v->match, "index") == 0;
    const bool                 wanted = v->csv || v->mistakes;
    const stk_evaluate_options how = {.data = call->operand_count > 1 ? call->operands[1] : NULL,
                                      .kind = v->kind,
                                      .split = v->split,
                                      .on_bad = v->on_bad,
                                      .follow_outside = v->follow_outside,
                                      .classes = index ? STK_CLASSES_BY_INDEX : STK_CLASSES_BY_NAME,
                                      .bins = (int)v->bins,
                                      .cancel = cli_signals_token(),
                                      .image = wanted ? cli_eval_details_add : NULL,
                                      .image_context = details,
                                      .log = log_line,
                                      .log_context = (void *)call};
    STK_TRY(cli_eval_details_init(details, v->csv, v->top, v->mistakes ? (size_t)v->worst : 0,
                                  predictor, err));
    if (!v->common.quiet) cli_notice_begin("evaluating ...");
    const stk_status st = stk_predictor_evaluate(predictor, &how, evaluation, err);
    cli_notice_end();
    return st;
}

static int evaluate(const cli_invocation *call, stk_predictor *predictor)
{
    const char           *data = call->operand_count > 1 ? call->operands[1] : NULL;
    stk_evaluation        evaluation;
    cli_eval_details      details;
    stk_error             err;
    const cli_eval_report report = {.run = call->operands[0],
                                    .data =
                                        data ? data : stk_predictor_recipe(predictor)->data.path,
                                    .predictor = predictor,
                                    .evaluation = &evaluation};
    int                   code;
    if (measure(call, predictor, &details, &evaluation, &err)) {
        code = cli_report_error(call->command, &err, advice_for(&err));
    } else {
        code = print_result(call, &report, &details);
        stk_evaluation_release(&evaluation);
    }
    cli_eval_details_release(&details);
    return code;
}

static int run(const cli_invocation *call)
{
    const values         *v = call->values;
    stk_predictor_options how = cli_model_options_of(&v->model, (int)v->common.threads);
    stk_predictor        *predictor;
    stk_error             err;
    how.batch = v->batch;
    how.tta = v->tta;
    if (stk_predictor_open(&predictor, call->operands[0], &how, &err))
        return cli_report_error(call->command, &err, cli_model_options_advice(&err));
    cli_model_options_warn(predictor);
    const int code = evaluate(call, predictor);
    stk_predictor_free(predictor);
    return code;
}

const cli_command cli_command_eval = {
    .name = "eval",
    .summary = "tell how good a trained model is, and what it confuses",
    .operands = "RUN [DATA]",
    .description =
        "Evaluates the model of the run folder RUN on the images that the run held "
        "back, or on those of DATA: loss, accuracy, precision, recall and F1 of classes, "
        "what it confuses, and whether its probabilities can be believed.",
    .examples = "stoker eval runs/photos-resnet18-1\n"
                "stoker eval runs/first packed/ --split test\n"
                "stoker eval runs/first photos/ --confusion matrix.png --mistakes worst.png\n"
                "stoker eval best.safetensors photos/ --csv predictions.csv\n"
                "stoker eval runs/first --which last --json",
    .least_operands = 1,
    .most_operands = 2,
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .defaults = &defaults,
    .value_bytes = sizeof defaults,
    .run = run,
};

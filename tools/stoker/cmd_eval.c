/* stoker eval: how good a trained model is. */
#include "eval_report.h"
#include "json_out.h"
#include "model_options.h"
#include "signals.h"
#include "source_kinds.h"
#include "text.h"

#include <string.h>

typedef struct values {
    stk_common_values common;
    const char       *split, *kind, *match, *tta, *color;
    stk_model_values  model;
    int64_t           batch;
} values;

static const values defaults = {0};

static const char *tta_choice(size_t index)
{
    static const char *const choices[] = {"none", "mirror", "mirror-shift"};
    return index < sizeof choices / sizeof *choices ? choices[index] : NULL;
}

static const char *match_choice(size_t index)
{
    static const char *const choices[] = {"name", "index"};
    return index < sizeof choices / sizeof *choices ? choices[index] : NULL;
}

static const stk_option options[] = {
    {.name = "split",
     .metavar = "SPLIT",
     .kind = STK_OPTION_TEXT,
     .target = offsetof(values, split),
     .group = "What to evaluate",
     .help = "the split (default: what the run was validated on; of DATA test, else validation, "
             "else train)"},
    {.name = "kind",
     .metavar = "KIND",
     .kind = STK_OPTION_CHOICE,
     .choice = stk_inspect_kind_choice,
     .target = offsetof(values, kind),
     .group = "What to evaluate",
     .help = "what DATA is (default: found out)"},
    {.name = "match",
     .metavar = "name|index",
     .kind = STK_OPTION_CHOICE,
     .choice = match_choice,
     .target = offsetof(values, match),
     .group = "What to evaluate",
     .help = "how classes of DATA are found among the run's (default name; data without class "
             "names goes by index)"},
    {.name = "batch",
     .letter = 'b',
     .metavar = "N",
     .kind = STK_OPTION_INTEGER,
     .target = offsetof(values, batch),
     .least = 0,
     .most = 1e6,
     .group = "How",
     .help = "pictures at a time (default 0: 32)"},
    {.name = "tta",
     .metavar = "none|mirror|mirror-shift",
     .kind = STK_OPTION_CHOICE,
     .choice = tta_choice,
     .target = offsetof(values, tta),
     .group = "How",
     .help = "average over views of each picture (default: as the run was evaluated)"},
    {.name = "color",
     .metavar = "WHEN",
     .kind = STK_OPTION_CHOICE,
     .target = offsetof(values, color),
     .choice = stk_color_choice,
     .group = "How",
     .help = "colours: auto (on a terminal), always, never"},
    STK_MODEL_OPTIONS(values, model),
    STK_COMMON_OPTIONS(values, common),
};

static int print(const stk_invocation *call, const stk_eval_report *report)
{
    const values   *v = call->values;
    const stk_style style = stk_style_for(stdout, v->color);
    stk_json_out    json;
    if (!v->common.json) {
        stk_eval_report_print(report, &style);
        return STK_EXIT_OK;
    }
    stk_json_out_begin(&json);
    stk_eval_report_json(&json.writer, report);
    return stk_json_out_end(&json, call);
}

static void tell(void *context, const char *line)
{
    const values *v = ((const stk_invocation *)context)->values;
    if (v->common.quiet) return;
    stk_text_print(stderr, line);
    fputc('\n', stderr);
}

/* What to do where names are not the run's. */
static const char *advice_for(const stk_error *err)
{
    if (strcmp(err->stage, "classes") != 0) return NULL;
    return err->status == STK_E_INVALID
               ? "name the classes of the data as the run does (classes.txt in its folder has "
                 "all), "
                 "or leave others out; --match index takes class 0 of the data for the run's first"
               : "evaluate on data with the classes that the run was trained on";
}

static int evaluate(const stk_invocation *call, stk_predictor *predictor)
{
    const values              *v = call->values;
    const char                *data = call->operand_count > 1 ? call->operands[1] : NULL;
    const bool                 index = v->match && strcmp(v->match, "index") == 0;
    const stk_evaluate_options how = {.data = data,
                                      .kind = v->kind,
                                      .split = v->split,
                                      .classes = index ? STK_CLASSES_BY_INDEX : STK_CLASSES_BY_NAME,
                                      .cancel = stk_signals_token(),
                                      .log = tell,
                                      .log_context = (void *)call};
    stk_evaluation             evaluation;
    stk_error                  err;
    stk_eval_report            report = {.run = call->operands[0],
                                         .data = data ? data : stk_predictor_recipe(predictor)->data.path,
                                         .predictor = predictor,
                                         .evaluation = &evaluation};
    if (!v->common.quiet) stk_notice_begin("evaluating ...");
    const stk_status st = stk_predictor_evaluate(predictor, &how, &evaluation, &err);
    stk_notice_end();
    if (st) return stk_report_error(call->command, &err, advice_for(&err));
    int code = STK_EXIT_OK;
    if (!evaluation.count) {
        (void)stk_fail(&err, STK_E_NOTFOUND, "data", report.data, "there are no pictures in it");
        code = stk_report_error(call->command, &err, NULL);
    } else {
        code = print(call, &report);
    }
    stk_evaluation_release(&evaluation);
    return code;
}

static int run(const stk_invocation *call)
{
    const values         *v = call->values;
    stk_predictor_options how = stk_model_options_of(&v->model, (int)v->common.threads);
    stk_predictor        *predictor;
    stk_error             err;
    how.batch = v->batch;
    how.tta = v->tta;
    if (stk_predictor_open(&predictor, call->operands[0], &how, &err))
        return stk_report_error(call->command, &err, stk_model_options_advice(&err));
    const int code = evaluate(call, predictor);
    stk_predictor_free(predictor);
    return code;
}

const stk_command stk_command_eval = {
    .name = "eval",
    .summary = "tell how good a trained model is, and what it confuses",
    .operands = "RUN [DATA]",
    .description = "Evaluates the model of the run folder RUN on the pictures that the run held "
                   "back, or on those of DATA: loss, accuracy, the classes it knows worst, and the "
                   "pairs it confuses most.",
    .examples = "stoker eval runs/photos-resnet18-1\n"
                "stoker eval runs/first packed/ --split test\n"
                "stoker eval runs/first --which last --json",
    .least_operands = 1,
    .most_operands = 2,
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .defaults = &defaults,
    .value_bytes = sizeof defaults,
    .run = run,
};

/* stoker eval: how good a trained model is. */
#include "eval_report.h"
#include "json_out.h"
#include "signals.h"

typedef struct values {
    stk_common_values common;
    const char       *split, *which, *tta, *backend, *color;
    int64_t           batch;
} values;

static const values defaults = {0};

static const char *tta_choice(size_t index)
{
    static const char *const choices[] = {"none", "mirror", "mirror-shift"};
    return index < sizeof choices / sizeof *choices ? choices[index] : NULL;
}

static const stk_option options[] = {
    {.name = "split",
     .metavar = "SPLIT",
     .kind = STK_OPTION_TEXT,
     .target = offsetof(values, split),
     .group = "What to evaluate",
     .help = "the split (default: what the run was validated on; of other data train, else all)"},
    {.name = "which",
     .metavar = "best|last|PATH",
     .kind = STK_OPTION_TEXT,
     .target = offsetof(values, which),
     .group = "What to evaluate",
     .help = "the weights: the best of the run, its last checkpoint, or a file (default best)"},
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
    {.name = "backend",
     .metavar = "B",
     .kind = STK_OPTION_TEXT,
     .target = offsetof(values, backend),
     .group = "How",
     .help = "what computes: cuda, cpu or ref (default: the fastest there is)"},
    {.name = "color",
     .metavar = "WHEN",
     .kind = STK_OPTION_CHOICE,
     .target = offsetof(values, color),
     .choice = stk_color_choice,
     .group = "How",
     .help = "colours: auto (on a terminal), always, never"},
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

static int evaluate(const stk_invocation *call, stk_predictor *predictor)
{
    const values   *v = call->values;
    const char     *data = call->operand_count > 1 ? call->operands[1] : NULL;
    stk_evaluation  evaluation;
    stk_error       err;
    stk_eval_report report = {.run = call->operands[0],
                              .data = data ? data : stk_predictor_recipe(predictor)->data.path,
                              .predictor = predictor,
                              .evaluation = &evaluation};
    if (!v->common.quiet) stk_notice_begin("evaluating ...");
    const stk_status st =
        stk_predictor_evaluate(predictor, data, v->split, stk_signals_token(), &evaluation, &err);
    stk_notice_end();
    if (st) return stk_report_error(call->command, &err, NULL);
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
    const values               *v = call->values;
    const stk_predictor_options how = {.backend = v->backend,
                                       .threads = (int)v->common.threads,
                                       .batch = v->batch,
                                       .which = v->which,
                                       .tta = v->tta};
    stk_predictor              *predictor;
    stk_error                   err;
    if (stk_predictor_open(&predictor, call->operands[0], &how, &err))
        return stk_report_error(
            call->command, &err,
            err.status == STK_E_NOTFOUND ? "RUN is the folder that 'stoker train' wrote" : NULL);
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

/* stoker bench input: the speed of an input pipeline, and its bottleneck. */
#include "bench_ablate.h"
#include "bench_gate_subjects.h"
#include "bench_storage_forms.h"
#include "bench_timed.h"
#include "explain_json.h"
#include "json_out.h"
#include "model_images.h"
#include "notes.h"
#include "signals.h"
#include "text.h"

#include <stdlib.h>
#include <string.h>

enum { WARNINGS_MAX = 32 };

typedef struct values {
    cli_common_values common;
    double            seconds;
    int64_t           elements, batch, shuffle;
    bool              explain, lint;
    const char       *color;
    /* With a preset. */
    cli_image_values images;
    bool             normalize, planar, ablate;
    const char      *drop, *stub, *compare;
    int64_t          resize;
    cli_gate_values  gate;
} values;

static const values defaults = {.seconds = 5, .batch = -1, .shuffle = -1};

enum { USUAL_BATCH = 256, USUAL_SHUFFLE = 10000, USUAL_IMAGES = 64 };

static const cli_option options[] = {
    {CLI_OPTION(values, batch, "batch", INTEGER, "N"), .letter = 'b', .least = 0, .most = 1e9,
     .group = "The pipeline over data",
     .help = "elements of a batch, 0 for none (default 256; 64 with a preset)"},
    {CLI_OPTION(values, shuffle, "shuffle", INTEGER, "N"), .least = 0, .most = 1e12,
     .group = "The pipeline over data",
     .help = "elements in the shuffle buffer, 0 for none (default 10000; with a preset as many as "
             "256 MB hold)"},
    CLI_IMAGE_OPTIONS(values, images),
    {CLI_OPTION(values, normalize, "normalize", FLAG, NULL), .group = "Images",
     .help = "give float32 of mean 0 instead of uint8"},
    {CLI_OPTION(values, planar, "planar", FLAG, NULL), .group = "Images", .help = "channels first"},
    {CLI_OPTION(values, ablate, "ablate", FLAG, NULL), .group = "What to compare",
     .help = "leave out the preset's operations one after the other and tell what each costs; a "
             "recipe's are timed where they are"},
    {CLI_OPTION(values, drop, "drop", TEXT, "OP"), .group = "What to compare",
     .help = "leave this operation out; where it gives images their size, a crop does"},
    {CLI_OPTION(values, stub, "stub", TEXT, "OP"), .group = "What to compare",
     .help = "put a dummy in its place: for decode_image black images of the right size"},
    {CLI_OPTION(values, compare, "compare", TEXT, "FORMS"), .group = "What to compare",
     .help = "measure PATH in several forms side by side, such as files,packed,seekable,raw; packs "
             "are made in $TMPDIR and removed"},
    {CLI_OPTION(values, resize, "resize", INTEGER, "N"), .least = 0, .most = 65535,
     .group = "What to compare",
     .help = "shrink the images of these packs to a short side of N pixels (default 0: no)"},
    {CLI_OPTION(values, seconds, "seconds", NUMBER, "S"), .letter = 's', .least = 0.01, .most = 1e6,
     .group = "How long",
     .help = "stop after this time (default 5); with --ablate and --compare the time for each"},
    {CLI_OPTION(values, elements, "elements", INTEGER, "N"), .letter = 'n', .least = 0,
     .most = 1e15, .group = "How long",
     .help = "stop after so many elements (batches, where there are); default 0: no limit"},
    CLI_GATE_OPTIONS(values, gate),
    {CLI_OPTION(values, explain, "explain", FLAG, NULL), .group = "What to show",
     .help = "print the plan, and again after each pass that changes it, and run nothing"},
    {CLI_OPTION(values, lint, "lint", FLAG, NULL), .group = "What to show",
     .help = "print what is probably a mistake in the plan, and run nothing; exit code 1 if there "
             "is any"},
    {CLI_OPTION(values, color, "color", CHOICE, "WHEN"), .choice = cli_color_choice,
     .group = "What to show", .help = "colours: auto (on a terminal), always, never"},
    CLI_COMMON_OPTIONS(values, common),
};

static cli_bench_limits limits_of(const values *v)
{
    return (cli_bench_limits){.seconds = v->seconds,
                              .elements = (uint64_t)v->elements,
                              .threads = (int)v->common.threads,
                              .memory_bytes = v->common.memory_bytes,
                              .quiet = v->common.quiet};
}

static int print_json(const cli_invocation *call, const cli_bench_result *result,
                      const stk_warning *warnings, size_t count)
{
    cli_json_out json;
    cli_json_out_begin(&json);
    cli_bench_write_json(&json.writer, result, warnings, count);
    return cli_json_out_end(&json, call);
}

/* With --json, an object: warnings, and plans if text is not NULL. */
static int print_look(const cli_invocation *call, const stk_warning *warnings, size_t count,
                      const stk_blob *text)
{
    cli_json_out json;
    cli_json_out_begin(&json);
    stk_json_object(&json.writer);
    stk_json_pair_string(&json.writer, "path", call->operands[0]);
    cli_bench_write_warnings(&json.writer, warnings, count);
    if (text) cli_explain_json_plans(&json.writer, "plans", stk_blob_bytes(text));
    stk_json_object_end(&json.writer);
    return cli_json_out_end(&json, call);
}

static void print_warnings(FILE *out, const stk_warning *warnings, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        fprintf(out, "%s: ", warnings[i].rule);
        cli_text_print(out, warnings[i].stage);
        fprintf(out, ": ");
        cli_text_print(out, warnings[i].message);
        fprintf(out, "\n");
    }
}

/* Handles --lint and --explain without running the pipeline. */
static int look(const cli_invocation *call, stk_dataset *data, const stk_warning *warnings,
                size_t count)
{
    const values *v = call->values;
    stk_blob      text;
    stk_error     err;
    int           code = CLI_EXIT_OK;
    stk_blob_init(&text, NULL, STK_MEMORY_OUTPUT);
    if (v->explain && stk_dataset_explain(data, STK_PASS_ALL, &text, &err)) {
        code = cli_report_error(call->command, &err, NULL);
    } else if (v->common.json) {
        code = print_look(call, warnings, count, v->explain ? &text : NULL);
    } else {
        if (v->lint) print_warnings(stdout, warnings, count);
        cli_print_lines(stdout, stk_blob_bytes(&text));
    }
    stk_blob_release(&text);
    return code ? code : v->lint && count ? CLI_EXIT_FAILED : CLI_EXIT_OK;
}

static const char *advise(const stk_error *err)
{
    if (err->status == STK_E_CEILING) return "--memory-mb raises the limit";
    if (strcmp(err->component, "decode") == 0)
        return "'stoker pack --on-bad skip' leaves bad images out; ignore_errors or quarantine "
               "in a recipe passes over them";
    if (err->status == STK_E_DATALOSS) return "'stoker inspect --verify' finds all damage";
    return NULL;
}

static int print_timed(const cli_invocation *call, const cli_bench_result *result)
{
    const values   *v = call->values;
    const cli_style style = cli_style_for(stdout, v->color);
    cli_json_out    json;
    if (!v->common.json) {
        cli_timed_print(result, &style);
        return CLI_EXIT_OK;
    }
    cli_json_out_begin(&json);
    cli_timed_write_json(&json.writer, result);
    return cli_json_out_end(&json, call);
}

static int run_and_print(const cli_invocation *call, stk_dataset *data, const stk_warning *warnings,
                         size_t count)
{
    const values          *v = call->values;
    const cli_bench_limits limits = limits_of(v);
    stk_error              err;
    int                    code = CLI_EXIT_FAILED;
    cli_bench_result      *result = calloc(1, sizeof *result);
    if (!result) return cli_report_usage(call->command, "no memory for a report", NULL);
    result->path = call->operands[0];
    result->images = v->images.preset != NULL;
    if (!v->common.json && !v->common.quiet) print_warnings(stderr, warnings, count);
    if (cli_bench_measure(data, &limits, result, &err)) {
        code = cli_report_error(call->command, &err, advise(&err));
    } else if (v->ablate) {
        code = print_timed(call, result);
    } else if (v->common.json) {
        code = print_json(call, result, warnings, count);
    } else {
        const cli_style style = cli_style_for(stdout, v->color);
        cli_bench_print(result, &style);
        code = CLI_EXIT_OK;
    }
    if (!code && stk_cancel_requested(cli_signals_token())) code = CLI_EXIT_CANCELLED;
    free(result);
    return code;
}

static int bench(const cli_invocation *call, stk_dataset *data)
{
    const values *v = call->values;
    stk_warning   warnings[WARNINGS_MAX];
    size_t        count;
    stk_error     err;
    if (stk_dataset_lint(data, 1, warnings, WARNINGS_MAX, &count, &err))
        return cli_report_error(call->command, &err, NULL);
    if (count > WARNINGS_MAX) count = WARNINGS_MAX;
    if (!v->explain && !v->lint) return run_and_print(call, data, warnings, count);
    return look(call, data, warnings, count);
}

static int ablate(const cli_invocation *call, const cli_bench_shape *shape)
{
    const values          *v = call->values;
    const cli_bench_limits limits = limits_of(v);
    const cli_style        style = cli_style_for(stdout, v->color);
    cli_ablation           ablation;
    cli_json_out           json;
    stk_error              err;
    int                    code = CLI_EXIT_OK;
    if (cli_ablation_run(&ablation, call->operands[0], shape, &limits, &err)) {
        code = cli_report_error(call->command, &err, advise(&err));
    } else if (v->common.json) {
        cli_json_out_begin(&json);
        cli_ablation_write_json(&json.writer, &ablation, call->operands[0], shape);
        code = cli_json_out_end(&json, call);
    } else {
        cli_ablation_print(&ablation, &style);
    }
    cli_ablation_release(&ablation);
    return code;
}

static int compare_forms(const cli_invocation *call, const cli_bench_shape *shape)
{
    const values          *v = call->values;
    const cli_bench_limits limits = limits_of(v);
    const cli_style        style = cli_style_for(stdout, v->color);
    const char            *path = call->operands[0];
    cli_storage_forms      forms;
    cli_json_out           json;
    stk_error              err;
    int                    code = CLI_EXIT_OK;
    if (cli_storage_forms_run(&forms, path, v->compare, (int)v->resize, shape, &limits, &err)) {
        code = cli_report_error(call->command, &err, advise(&err));
    } else if (v->common.json) {
        cli_json_out_begin(&json);
        cli_storage_forms_write_json(&json.writer, &forms, path, shape);
        code = cli_json_out_end(&json, call);
    } else {
        cli_storage_forms_print(&forms, &style);
    }
    cli_storage_forms_release(&forms);
    return code;
}

static cli_bench_shape shape_of(const values *v)
{
    const bool images = v->images.preset != NULL;
    return (cli_bench_shape){.follow_outside = v->images.follow_outside,
                             .batch = v->batch >= 0 ? v->batch
                                      : images      ? USUAL_IMAGES
                                                    : USUAL_BATCH,
                             .shuffle = v->shuffle >= 0 ? v->shuffle
                                        : images        ? STK_AUTO
                                                        : USUAL_SHUFFLE,
                             .preset = images ? stk_preset_find(v->images.preset) : NULL,
                             .preparation = {.evaluate = v->images.evaluate,
                                             .size = (int)v->images.size,
                                             .normalize = v->normalize,
                                             .planar = v->planar,
                                             .exact = v->images.exact,
                                             .drop = v->drop,
                                             .stub = v->stub},
                             .split = v->images.split};
}

/* A conflict between flags; NULL: none. */
static const char *find_conflict(const values *v, bool recipe)
{
    const bool prepares = v->images.evaluate || v->images.size || v->images.split ||
                          v->images.exact || v->normalize || v->planar;
    const bool compares = (v->ablate && !recipe) || v->drop || v->stub || v->compare || v->resize;
    if (recipe && v->images.preset) return "--preset is for data, not for a recipe";
    if (!v->images.preset && (prepares || compares))
        return "--preset is missing: the other flags about images say how it is changed";
    if (v->ablate && v->compare) return "--ablate and --compare exclude each other";
    if (v->compare && !cli_storage_forms_are_known(v->compare))
        return "--compare: a form is files, packed, seekable or raw, each once";
    if (v->resize && !v->compare) return "--resize is for the packs of --compare";
    if ((v->ablate || v->compare) && (v->drop || v->stub))
        return "--drop and --stub are for a run of their own";
    if ((v->ablate || v->compare) && v->batch == 0) return "comparing needs batches";
    return NULL;
}

/* An unknown operation in --without is a usage error, not bad data. */
static bool names_no_operation(const cli_bench_shape *shape)
{
    const stk_preset_options *p = &shape->preparation;
    if (!shape->preset) return false;
    if (p->drop && !stk_preset_has(shape->preset, p->evaluate, p->drop)) return true;
    return p->stub && strcmp(p->stub, "decode_image") != 0 &&
           !stk_preset_has(shape->preset, p->evaluate, p->stub);
}

/* What of the flags does not go with a base; NULL: nothing. */
static const char *conflict_with_gate(const values *v)
{
    return v->ablate     ? "--ablate"
           : v->compare  ? "--compare"
           : v->explain  ? "--explain"
           : v->lint     ? "--lint"
           : v->elements ? "--elements"
                         : NULL;
}

static int run_gate(const cli_invocation *call, const cli_bench_shape *shape)
{
    const values          *v = call->values;
    const cli_bench_limits limits = limits_of(v);
    const cli_gate_call    gate = {.call = call,
                                   .values = &v->gate,
                                   .seconds = v->seconds,
                                   .json = v->common.json,
                                   .quiet = v->common.quiet,
                                   .color = v->color};
    return cli_gate_input(&gate, call->operands[0], shape, &limits);
}

static int run(const cli_invocation *call)
{
    const values   *v = call->values;
    const bool      recipe = cli_bench_is_recipe(call->operands[0]);
    const char     *conflict = find_conflict(v, recipe);
    cli_bench_shape shape = shape_of(v);
    cli_notes       notes = {.command = call->command};
    stk_dataset    *data;
    stk_error       err;
    if (recipe && (v->batch >= 0 || v->shuffle >= 0))
        return cli_report_usage(call->command,
                                "--batch and --shuffle are for data, not for a recipe",
                                "change the stages 'batch' and 'shuffle' of the recipe");
    if (conflict) return cli_report_usage(call->command, conflict, NULL);
    int        code;
    const bool gated = cli_gate_wanted(call, &v->gate, conflict_with_gate(v), &code);
    if (code) return code;
    if (gated) return run_gate(call, &shape);
    if (!v->explain && !v->lint && v->ablate && !recipe) return ablate(call, &shape);
    if (!v->explain && !v->lint && v->compare) return compare_forms(call, &shape);
    shape.recipe = &(stk_recipe_options){.note = cli_notes_print, .note_context = &notes};
    const stk_status st = cli_bench_pipeline(&data, call->operands[0], &shape, &err);
    if (st == STK_E_INVALID && names_no_operation(&shape))
        return cli_report_usage(call->command, err.message, NULL);
    if (st) return cli_report_recipe(call->command, &err, advise(&err));
    code = bench(call, data);
    stk_dataset_unref(data);
    return code;
}

const cli_command cli_command_bench_input = {
    .name = "bench input",
    .summary = "measure how fast an input pipeline is, and say what limits it",
    .operands = "RECIPE|PATH",
    .description =
        "Runs the pipeline of a recipe (.yaml), or the usual one of shuffle, repeat and batch over "
        "PATH (TFRecords, or any source that 'stoker pack' takes), with nothing to do for the "
        "consumer. With --preset the images of PATH are decoded and augmented as for training. "
        "Tells samples per second, what every stage did, how much memory was held, and "
        "which stage is the limit. Ctrl-C ends the run and prints what was measured so far.",
    .examples = "stoker bench input packed/\n"
                "stoker bench input photos/ --batch 64 --seconds 20\n"
                "stoker bench input packed/ --preset imagenet --ablate\n"
                "stoker bench input photos/ --preset imagenet --compare files,packed,seekable\n"
                "stoker bench input recipe.yaml --explain\n"
                "stoker bench input packed/ --json > speed.json\n"
                "stoker bench input packed/ --explain",
    .least_operands = 1,
    .most_operands = 1,
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .defaults = &defaults,
    .value_bytes = sizeof(values),
    .run = run,
};

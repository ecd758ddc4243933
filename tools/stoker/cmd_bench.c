/* stoker bench: how fast an input pipeline is, and what limits it. */
#include "bench_pipeline.h"
#include "bench_report.h"
#include "command.h"
#include "format.h"
#include "signals.h"
#include "text.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { MOST_WARNINGS = 32 };

typedef struct values {
    stk_common_values common;
    double            seconds;
    int64_t           elements, batch, shuffle;
    bool              explain, lint;
    const char       *color;
} values;

static const values defaults = {.seconds = 5, .batch = -1, .shuffle = -1};

enum { USUAL_BATCH = 256, USUAL_SHUFFLE = 10000 };

static const stk_option options[] = {
    {.name = "batch",
     .letter = 'b',
     .metavar = "N",
     .kind = STK_OPTION_INTEGER,
     .target = offsetof(values, batch),
     .least = 0,
     .most = 1e9,
     .group = "The pipeline over data",
     .help = "elements of a batch, 0 for none (default 256)"},
    {.name = "shuffle",
     .metavar = "N",
     .kind = STK_OPTION_INTEGER,
     .target = offsetof(values, shuffle),
     .least = 0,
     .most = 1e12,
     .group = "The pipeline over data",
     .help = "elements in the shuffle buffer, 0 for none (default 10000)"},
    {.name = "seconds",
     .letter = 's',
     .metavar = "S",
     .kind = STK_OPTION_NUMBER,
     .target = offsetof(values, seconds),
     .least = 0.01,
     .most = 1e6,
     .group = "How long",
     .help = "stop after this time (default 5)"},
    {.name = "elements",
     .letter = 'n',
     .metavar = "N",
     .kind = STK_OPTION_INTEGER,
     .target = offsetof(values, elements),
     .least = 0,
     .most = 1e15,
     .group = "How long",
     .help = "stop after so many elements (batches, where there are); default 0: no limit"},
    {.name = "explain",
     .kind = STK_OPTION_FLAG,
     .target = offsetof(values, explain),
     .group = "What to show",
     .help = "print the plan, and again after each pass that changes it, and run nothing"},
    {.name = "lint",
     .kind = STK_OPTION_FLAG,
     .target = offsetof(values, lint),
     .group = "What to show",
     .help = "print what is probably a mistake in the plan, and run nothing; exit code 1 if there "
             "is any"},
    {.name = "color",
     .metavar = "WHEN",
     .kind = STK_OPTION_CHOICE,
     .target = offsetof(values, color),
     .choice = stk_color_choice,
     .group = "What to show",
     .help = "colours: auto (on a terminal), always, never"},
    STK_COMMON_OPTIONS(values, common),
};

static const char *operand_choice(size_t index)
{
    return index == 0 ? "input" : NULL;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Drawing elements, with a line about it now and then. */
typedef struct drawing {
    const values *values;
    stk_iterator *it;
    double        begin, shown;
    uint64_t      elements, rows, shown_rows;
    bool          terminal, drawn;
} drawing;

/* Values that were batched have a leading dimension. */
static uint64_t rows_of(const stk_element *element)
{
    if (!stk_element_count(element)) return 1;
    const stk_value *value = stk_element_value(element, 0);
    if (value->kind == STK_VALUE_RAGGED) return (uint64_t)value->count;
    return value->shape.rank ? (uint64_t)value->shape.dim[0] : 1;
}

static void show_progress(drawing *d, double at)
{
    const double apart = d->terminal ? 0.25 : 2;
    if (d->values->common.quiet || at - d->shown < apart) return;
    char         count[STK_FORMAT_ROOM], time[STK_FORMAT_ROOM], limit[STK_FORMAT_ROOM];
    const double rate = (double)(d->rows - d->shown_rows) / (at - d->shown);
    stk_format_count(count, (uint64_t)(rate + 0.5));
    stk_format_duration(time, at - d->begin);
    stk_format_duration(limit, d->values->seconds);
    fprintf(stderr, d->terminal ? "\rreading  %s/s  %s of %s\033[K" : "reading  %s/s  %s of %s\n",
            count, time, limit);
    fflush(stderr);
    d->drawn = d->terminal;
    d->shown = at;
    d->shown_rows = d->rows;
}

/* Says why it ended; an error that is no request to stop is told by the status. */
static stk_status draw(drawing *d, const char **ended, stk_error *err)
{
    const values *v = d->values;
    d->begin = d->shown = now();
    for (;;) {
        stk_element *element;
        const double at = now();
        *ended = "time";
        if (at - d->begin >= v->seconds) return STK_OK;
        *ended = "elements";
        if (v->elements && d->elements >= (uint64_t)v->elements) return STK_OK;
        const stk_status st = stk_iterator_next(d->it, &element, err);
        *ended = "interrupted";
        if (st) return st == STK_E_CANCELLED ? STK_OK : st;
        *ended = "end of data";
        if (!element) return STK_OK;
        d->elements++;
        d->rows += rows_of(element);
        stk_element_unref(element);
        show_progress(d, at);
    }
}

/* A pipeline that ends in batches has such a stage; then rows are what counts. */
static bool makes_batches(const stk_iterator_report *report)
{
    const size_t room = sizeof report->stages / sizeof *report->stages;
    for (size_t i = 0; i < report->stage_count && i < room; i++)
        if (strstr(report->stages[i].name, "batch") &&
            strncmp(report->stages[i].name, "unbatch", 7) != 0)
            return true;
    return false;
}

/* Decisions are in the report; what else there is to say comes at once. */
static void tell(void *context, const char *line)
{
    (void)context;
    if (strncmp(line, "autotune:", 9) == 0) return;
    fprintf(stderr, "stoker bench: ");
    stk_text_print(stderr, line);
    fprintf(stderr, "\n");
}

static stk_status measure(const values *v, stk_dataset *data, stk_bench_result *result,
                          stk_error *err)
{
    drawing                    d = {.values = v, .terminal = isatty(STDERR_FILENO)};
    const stk_iterator_options how = {.threads = (int)v->common.threads,
                                      .memory_bytes = v->common.memory_bytes,
                                      .cancel = stk_signals_token(),
                                      .log = v->common.quiet ? NULL : tell};
    STK_TRY(stk_iterator_start(&d.it, data, &how, err));
    stk_status st = draw(&d, &result->ended, err);
    result->seconds = now() - d.begin;
    stk_iterator_read_report(d.it, &result->report);
    result->samples = makes_batches(&result->report) ? d.rows : d.elements;
    if (d.drawn) fprintf(stderr, "\r\033[K");
    stk_iterator_free(d.it);
    return st;
}

static int print_json(const stk_invocation *call, const stk_bench_result *result,
                      const stk_warning *warnings, size_t count)
{
    stk_json_writer json;
    stk_blob        text;
    stk_error       err;
    int             code = STK_EXIT_OK;
    stk_blob_init(&text, NULL, STK_MEMORY_OUTPUT);
    stk_json_begin(&json, &text, 2);
    stk_bench_write_json(&json, result, warnings, count);
    if (stk_json_end(&json, &err))
        code = stk_report_error(call->command, &err, NULL);
    else
        fwrite(text.data, 1, text.size, stdout);
    stk_blob_release(&text);
    return code;
}

static int explain(const stk_invocation *call, stk_dataset *data)
{
    stk_blob  text;
    stk_error err;
    int       code = STK_EXIT_OK;
    stk_blob_init(&text, NULL, STK_MEMORY_OUTPUT);
    if (stk_dataset_explain(data, STK_PASS_ALL, &text, &err))
        code = stk_report_error(call->command, &err, NULL);
    else
        fwrite(text.data, 1, text.size, stdout);
    stk_blob_release(&text);
    return code;
}

static void print_warnings(FILE *out, const stk_warning *warnings, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        fprintf(out, "%s: ", warnings[i].rule);
        stk_text_print(out, warnings[i].stage);
        fprintf(out, ": ");
        stk_text_print(out, warnings[i].message);
        fprintf(out, "\n");
    }
}

static const char *advise(const stk_error *err)
{
    if (err->status == STK_E_CEILING) return "--memory-mb raises the limit";
    if (err->status == STK_E_DATALOSS) return "'stoker inspect --verify' finds all damage";
    return NULL;
}

static int run_and_print(const stk_invocation *call, stk_dataset *data, const stk_warning *warnings,
                         size_t count)
{
    const values     *v = call->values;
    stk_error         err;
    int               code = STK_EXIT_FAILED;
    stk_bench_result *result = calloc(1, sizeof *result);
    if (!result) return stk_report_usage(call->command, "no memory for a report", NULL);
    result->path = call->operands[1];
    if (!v->common.json && !v->common.quiet) print_warnings(stderr, warnings, count);
    if (measure(v, data, result, &err)) {
        code = stk_report_error(call->command, &err, advise(&err));
    } else if (v->common.json) {
        code = print_json(call, result, warnings, count);
    } else {
        const stk_style style = stk_style_for(stdout, v->color);
        stk_bench_print(result, &style);
        code = STK_EXIT_OK;
    }
    if (!code && stk_cancel_requested(stk_signals_token())) code = STK_EXIT_CANCELLED;
    free(result);
    return code;
}

static int bench(const stk_invocation *call, stk_dataset *data)
{
    const values *v = call->values;
    stk_warning   warnings[MOST_WARNINGS];
    size_t        count;
    stk_error     err;
    if (stk_dataset_lint(data, 1, warnings, MOST_WARNINGS, &count, &err))
        return stk_report_error(call->command, &err, NULL);
    if (count > MOST_WARNINGS) count = MOST_WARNINGS;
    if (!v->explain && !v->lint) return run_and_print(call, data, warnings, count);
    if (v->lint) print_warnings(stdout, warnings, count);
    const int code = v->explain ? explain(call, data) : STK_EXIT_OK;
    return code ? code : v->lint && count ? STK_EXIT_FAILED : STK_EXIT_OK;
}

static int run(const stk_invocation *call)
{
    const values         *v = call->values;
    const stk_bench_shape shape = {.batch = v->batch < 0 ? USUAL_BATCH : v->batch,
                                   .shuffle = v->shuffle < 0 ? USUAL_SHUFFLE : v->shuffle};
    stk_dataset          *data;
    stk_error             err;
    if (strcmp(call->operands[0], "input") != 0)
        return stk_report_usage(call->command, "what to measure must be 'input'",
                                "such as 'stoker bench input PATH'");
    if (stk_bench_is_recipe(call->operands[1]) && (v->batch >= 0 || v->shuffle >= 0))
        return stk_report_usage(call->command,
                                "--batch and --shuffle are for data, not for a recipe",
                                "change the stages 'batch' and 'shuffle' of the recipe");
    if (stk_bench_pipeline(&data, call->operands[1], &shape, &err))
        return stk_report_error(call->command, &err, advise(&err));
    const int code = bench(call, data);
    stk_dataset_unref(data);
    return code;
}

const stk_command stk_command_bench = {
    .name = "bench",
    .summary = "measure how fast an input pipeline is, and say what limits it",
    .operands = "input RECIPE|PATH",
    .description =
        "Runs the pipeline of a recipe (.yaml), or the usual one of shuffle, repeat and batch over "
        "PATH (TFRecords, or any source that 'stoker pack' takes), with nothing to do for the "
        "consumer. Tells samples per second, what every stage did, how much memory was held, and "
        "which stage is the limit. Ctrl-C ends the run and prints what was measured so far.",
    .examples = "stoker bench input packed/\n"
                "stoker bench input photos/ --batch 64 --seconds 20\n"
                "stoker bench input recipe.yaml --explain\n"
                "stoker bench input packed/ --json > speed.json\n"
                "stoker bench input packed/ --explain",
    .least_operands = 2,
    .most_operands = 2,
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .defaults = &defaults,
    .value_bytes = sizeof(values),
    .operand_choice = operand_choice,
    .run = run,
};

/* stoker lr-find: suggests a learning rate. */
#include "json_out.h"
#include "left_out_json.h"
#include "model_images.h"
#include "signals.h"
#include "terminal.h"
#include "text.h"
#include "train_job.h"

#include <math.h>
#include <stdlib.h>
#include <stoker/chart.h>
#include <stoker/lr_finder.h>
#include <string.h>
#include <unistd.h>

enum { NARROWEST = 20, WIDEST = 100 }; /* of a chart, in columns */

typedef struct values {
    cli_train_values train;
    double           from, to;
    int64_t          steps;
    const char      *plot, *csv, *color;
} values;

static const values defaults = {.from = 1e-5, .to = 10, .steps = 100};

static const cli_option options[] = {
    {CLI_OPTION(values, from, "from", NUMBER, "X"), .least = 1e-30, .most = 1e6,
     .group = "The ramp", .help = "the first rate (default 1e-5)"},
    {CLI_OPTION(values, to, "to", NUMBER, "X"), .least = 1e-30, .most = 1e6, .group = "The ramp",
     .help = "the last rate (default 10); the ramp ends earlier when the loss goes up fourfold"},
    {CLI_OPTION(values, steps, "steps", INTEGER, "N"), .least = 10, .most = 100000,
     .group = "The ramp", .help = "steps from the first to the last (default 100)"},
    {CLI_OPTION(values, plot, "plot", FILE, "FILE"), .group = "Output",
     .help = "write the chart to this file, .svg or .png"},
    {CLI_OPTION(values, csv, "csv", FILE, "FILE"), .group = "Output",
     .help = "write the curve to this file: rate, loss, smoothed loss"},
    {CLI_OPTION(values, color, "color", CHOICE, "WHEN"), .choice = cli_color_choice,
     .group = "Output", .help = "colours: auto (on a terminal), always, never"},
    CLI_TRAIN_OPTIONS(values, train),
};

/* Storage for the pointers of a chart. */
typedef struct drawing {
    double          *numbers; /* rates, losses, smoothed losses */
    stk_chart_series series[2];
    stk_chart_marker markers[2];
    stk_chart        chart;
} drawing;

static double loss_at(const stk_lr_result *r, double rate)
{
    size_t i = 0;
    while (i + 1 < r->count && r->points[i].rate < rate)
        i++;
    return r->points[i].smoothed;
}

static void mark(drawing *d, const stk_lr_result *r, double rate, const char *text)
{
    if (!(rate > 0)) return;
    d->markers[d->chart.marker_count++] = (stk_chart_marker){rate, loss_at(r, rate), text};
}

static stk_status describe(drawing *d, const stk_lr_result *r, stk_error *err)
{
    /* Values after divergence would flatten the rest of the curve. */
    const size_t n = r->count;
    const double max = n ? 1.5 * r->points[0].smoothed : 0;
    d->numbers = calloc(n + 1, 3 * sizeof *d->numbers);
    if (!d->numbers)
        return stk_fail(err, STK_E_NOMEM, "chart", NULL, "no memory for %zu points", n);
    for (size_t i = 0; i < n; i++) {
        d->numbers[i] = r->points[i].rate;
        d->numbers[n + i] = r->points[i].loss <= max ? r->points[i].loss : NAN;
        d->numbers[2 * n + i] = r->points[i].smoothed <= max ? r->points[i].smoothed : NAN;
    }
    d->series[0] = (stk_chart_series){"smoothed", d->numbers, d->numbers + 2 * n, n, NULL};
    d->series[1] = (stk_chart_series){"loss", d->numbers, d->numbers + n, n, NULL};
    d->chart = (stk_chart){.title = "loss by learning rate",
                           .x_label = "learning rate",
                           .x_log = true,
                           .series = d->series,
                           .series_count = 2,
                           .markers = d->markers};
    mark(d, r, r->valley, "valley");
    mark(d, r, r->steepest, "steepest");
    return STK_OK;
}

static bool ends_in(const char *name, const char *ending)
{
    const size_t a = strlen(name), b = strlen(ending);
    return a > b && strcmp(name + a - b, ending) == 0;
}

static stk_status save_plot(const drawing *d, const char *path, stk_error *err)
{
    stk_blob image;
    stk_blob_init(&image, NULL, STK_MEMORY_OUTPUT);
    stk_status st = ends_in(path, ".png") ? stk_chart_png(&image, &d->chart, false, err)
                                          : stk_chart_svg(&image, &d->chart, err);
    if (!st) st = cli_images_save(path, stk_blob_bytes(&image), err);
    stk_blob_release(&image);
    return st;
}

static stk_status save_csv(const stk_lr_result *r, const char *path, stk_error *err)
{
    stk_blob   text;
    stk_status st;
    stk_blob_init(&text, NULL, STK_MEMORY_OUTPUT);
    st = stk_blob_append(&text, "rate,loss,smoothed\n", 19, err);
    for (size_t i = 0; i < r->count && !st; i++) {
        char      line[128];
        const int length = snprintf(line, sizeof line, "%.9g,%.9g,%.9g\n", r->points[i].rate,
                                    r->points[i].loss, r->points[i].smoothed);
        st = stk_blob_append(&text, line, (size_t)length, err);
    }
    if (!st) st = cli_images_save(path, stk_blob_bytes(&text), err);
    stk_blob_release(&text);
    return st;
}

static stk_status print_chart(const drawing *d, const cli_style *style, stk_error *err)
{
    const stk_chart_text_options how = {.columns = cli_terminal_width(stdout, NARROWEST, WIDEST),
                                        .rows = 12,
                                        .utf8 = style->unicode,
                                        .colour = style->bold[0] != 0};
    stk_blob                     text;
    stk_blob_init(&text, NULL, STK_MEMORY_OUTPUT);
    const stk_status st = stk_chart_text(&text, &d->chart, &how, err);
    if (!st) fwrite(text.data, 1, text.size, stdout);
    stk_blob_release(&text);
    return st;
}

/* The command that trains with the suggestion and the same flags. The caller frees it; NULL: no
 * memory. */
static char *write_command(const cli_invocation *call, const stk_lr_result *r)
{
    const values *v = call->values;
    char         *text = NULL;
    size_t        size;
    FILE         *out = open_memstream(&text, &size);
    if (!out) return NULL;
    fprintf(out, "stoker train");
    cli_train_flags_print(out, &v->train, call->operand_count ? call->operands[0] : NULL,
                          "train.learning_rate");
    fprintf(out, " --learning-rate %.3g", r->suggestion);
    if (!fclose(out)) return text;
    free(text);
    return NULL;
}

static void print_text(const cli_invocation *call, const stk_lr_result *r, const cli_style *style)
{
    printf("%zu steps%s\n", r->count,
           r->diverged ? ", until the loss went up: rates above the last are too large" : "");
    if (r->steepest > 0) printf("steepest %.3g\n", r->steepest);
    if (r->valley > 0) printf("valley   %.3g\n", r->valley);
    if (!(r->suggestion > 0)) {
        printf(
            "no suggestion: the loss does not fall anywhere; try more --steps or another --to\n");
        return;
    }
    char *command = write_command(call, r);
    printf("%ssuggestion %.3g%s: ", style->bold, r->suggestion, style->plain);
    printf("%s\n", command ? command : "no memory for the command");
    free(command);
}

static int print_json(const cli_invocation *call, const cli_train_job *job, const stk_lr_result *r)
{
    cli_json_out     out;
    stk_json_writer *json = &out.writer;
    char            *command = r->suggestion > 0 ? write_command(call, r) : NULL;
    cli_json_out_begin(&out);
    stk_json_object(json);
    stk_json_pair_double(json, "suggestion", r->suggestion);
    stk_json_pair_double(json, "steepest", r->steepest);
    stk_json_pair_double(json, "valley", r->valley);
    stk_json_pair_bool(json, "diverged", r->diverged);
    if (command) stk_json_pair_string(json, "command", command);
    cli_left_out_write_json(json, job->data.source);
    stk_json_key(json, "points");
    stk_json_array(json);
    for (size_t i = 0; i < r->count; i++) {
        stk_json_object(json);
        stk_json_pair_double(json, "rate", r->points[i].rate);
        stk_json_pair_double(json, "loss", r->points[i].loss);
        stk_json_pair_double(json, "smoothed", r->points[i].smoothed);
        stk_json_object_end(json);
    }
    stk_json_array_end(json);
    stk_json_object_end(json);
    free(command);
    return cli_json_out_end(&out, call);
}

static int show(const cli_invocation *call, const cli_train_job *job, const stk_lr_result *r)
{
    const values   *v = call->values;
    const cli_style style = cli_style_for(stdout, v->color);
    drawing         d = {0};
    stk_error       err;
    stk_status      st = describe(&d, r, &err);
    if (!st && v->plot) st = save_plot(&d, v->plot, &err);
    if (!st && v->csv) st = save_csv(r, v->csv, &err);
    if (!st && !v->train.json && !v->train.quiet && r->count > 1)
        st = print_chart(&d, &style, &err);
    free(d.numbers);
    if (st) return cli_report_error(call->command, &err, NULL);
    if (v->train.json) return print_json(call, job, r);
    print_text(call, r, &style);
    return CLI_EXIT_OK;
}

static void show_progress(void *context, int64_t step, int64_t steps, double rate, double loss)
{
    const bool *shown = context;
    if (*shown)
        fprintf(stderr, "\rstep %lld/%lld  rate %.2g  loss %.3g\033[K", (long long)step,
                (long long)steps, rate, loss);
}

static int find(const cli_invocation *call, const cli_train_job *job)
{
    const values        *v = call->values;
    bool                 shown = isatty(STDERR_FILENO) && !v->train.quiet;
    const stk_lr_options how = {.from = v->from,
                                .to = v->to,
                                .steps = v->steps,
                                .cancel = cli_signals_token(),
                                .progress = show_progress,
                                .progress_context = &shown};
    stk_lr_result        result;
    stk_error            err;
    if (!v->train.quiet) cli_left_out_print(job->data.source);
    const stk_status st = stk_lr_find(&job->recipe, &job->data, &how, &result, &err);
    if (shown) fprintf(stderr, "\r\033[K");
    if (st) return cli_train_job_error(call, &err);
    const int code = show(call, job, &result);
    stk_lr_result_release(&result);
    return code;
}

static int run(const cli_invocation *call)
{
    const values *v = call->values;
    cli_train_job job;
    if (!(v->from < v->to))
        return cli_report_usage(call->command, "--from must be smaller than --to", NULL);
    if (v->plot && !ends_in(v->plot, ".svg") && !ends_in(v->plot, ".png"))
        return cli_report_usage(call->command, "--plot: the file must end in .svg or .png", NULL);
    cli_train_job_init(&job);
    int code = cli_train_job_prepare(&job, call, &v->train,
                                     call->operand_count ? call->operands[0] : NULL);
    if (!code) code = find(call, &job);
    cli_train_job_release(&job);
    return code;
}

const cli_command cli_command_lr_find = {
    .name = "lr-find",
    .summary = "find a learning rate: a ramp over a few hundred steps, and what it suggests",
    .operands = "[DATA]",
    .description =
        "Trains on DATA with a learning rate that grows from step to step, throws the weights "
        "away, "
        "and shows the loss by the rate. The suggestion is the valley: well down the longest "
        "descent, before the loss turns up. Nothing is written but what --plot and --csv ask for.",
    .examples = "stoker lr-find photos/\n"
                "stoker lr-find packed/ --model resnet18 --batch 256 --plot rates.svg\n"
                "stoker lr-find --recipe recipes/cifar10.yaml packed/ --from 1e-4 --to 5",
    .least_operands = 0,
    .most_operands = 1,
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .defaults = &defaults,
    .value_bytes = sizeof defaults,
    .print_more_help = cli_train_print_models,
    .run = run,
};

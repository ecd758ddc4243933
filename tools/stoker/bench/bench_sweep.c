/* Measures a compute step at one batch size after the other. */
#include "bench_sweep.h"

#include "format.h"
#include "model_images.h"
#include "signals.h"
#include "spread.h"
#include "table.h"

#include <stdlib.h>
#include <stoker/chart.h>
#include <string.h>

enum { WARMUP = 2, STEPS_MIN = 3, STEPS_MAX = 200, BATCH_MAX = 1 << 20 };

static const double near_the_best = 0.95;

static bool read_batch(const char *text, char **end, int64_t *batch)
{
    *batch = strtoll(text, end, 10);
    return *end > text && *batch >= 1 && *batch <= BATCH_MAX;
}

bool cli_sweep_read(const char *text, int64_t *first, int64_t *last)
{
    char *end;
    if (!read_batch(text, &end, first)) return false;
    *last = *first;
    if (!*end) return true;
    if (strncmp(end, "..", 2) != 0) return false;
    *last = 0;
    if (strcmp(end + 2, "max") == 0) return true;
    return read_batch(end + 2, &end, last) && !*end && *last >= *first;
}

static stk_status time_steps(stk_train_bench *bench, double seconds, double *median, stk_error *err)
{
    double       times[STEPS_MAX];
    size_t       count = 0;
    const double begin = cli_seconds_now();
    for (int i = 0; i < WARMUP; i++)
        STK_TRY(stk_train_bench_step(bench, STK_TRAIN_BENCH_COMPUTE, err));
    while (count < STEPS_MIN || (count < STEPS_MAX && cli_seconds_now() - begin < seconds)) {
        const double at = cli_seconds_now();
        STK_TRY(stk_cancel_check(cli_signals_token(), "bench", err));
        STK_TRY(stk_train_bench_step(bench, STK_TRAIN_BENCH_COMPUTE, err));
        times[count++] = cli_seconds_now() - at;
    }
    *median = cli_spread_of(times, count).median;
    return STK_OK;
}

static stk_status measure(cli_sweep *s, int64_t batch, stk_error *err)
{
    const stk_train_bench_options how = {.inference = s->inference};
    stk_train_recipe              recipe = *s->recipe;
    stk_train_bench              *bench;
    double                        median = 0;
    recipe.data.batch = recipe.data.eval_batch = batch;
    STK_TRY(stk_train_bench_open(&bench, &recipe, NULL, &how, err));
    const stk_memory_plan plan = stk_program_memory(stk_train_bench_program(bench));
    const stk_status      st = time_steps(bench, s->seconds, &median, err);
    stk_train_bench_free(bench);
    if (st) return st;
    s->rows[s->count++] = (cli_sweep_row){.batch = batch,
                                          .step_s = median,
                                          .images_per_s = median > 0 ? (double)batch / median : 0,
                                          .bytes = (double)(plan.arena + plan.fixed)};
    return STK_OK;
}

/* A doubled batch takes at most twice the memory. */
static bool fits_twice(cli_sweep *s)
{
    char         a[CLI_FORMAT_CAPACITY], b[CLI_FORMAT_CAPACITY];
    const double next = 2 * s->rows[s->count - 1].bytes;
    if (!s->memory || next <= (double)s->memory) return true;
    snprintf(s->ended, sizeof s->ended, "the next one may take %s, of %s that may be used",
             cli_format_bytes(a, (uint64_t)next), cli_format_bytes(b, s->memory));
    return false;
}

stk_status cli_sweep_run(cli_sweep *sweep, stk_error *err)
{
    for (int64_t batch = sweep->first; sweep->count < CLI_SWEEP_MAX; batch *= 2) {
        if (sweep->last && batch > sweep->last) return STK_OK;
        if (sweep->count && !fits_twice(sweep)) return STK_OK;
        STK_TRY(measure(sweep, batch, err));
        if (batch > BATCH_MAX / 2) return STK_OK;
    }
    return STK_OK;
}

int64_t cli_sweep_enough(const cli_sweep *sweep)
{
    double best = 0;
    for (size_t i = 0; i < sweep->count; i++)
        if (sweep->rows[i].images_per_s > best) best = sweep->rows[i].images_per_s;
    for (size_t i = 0; i < sweep->count; i++)
        if (sweep->rows[i].images_per_s >= near_the_best * best) return sweep->rows[i].batch;
    return 0;
}

static void add_row(cli_table *table, const cli_sweep_row *row)
{
    char text[CLI_FORMAT_CAPACITY];
    cli_table_add(table, cli_format_count(text, (uint64_t)row->batch));
    snprintf(text, sizeof text, "%.3g", 1e3 * row->step_s);
    cli_table_add(table, text);
    cli_table_add(table, cli_format_count(text, (uint64_t)(row->images_per_s + 0.5)));
    cli_table_add(table, cli_format_bytes(text, (uint64_t)row->bytes));
}

void cli_sweep_print(const cli_sweep *sweep, const cli_style *style)
{
    static const char *const heading[] = {"batch", "ms a step", "img/s", "memory"};
    const stk_train_recipe  *r = sweep->recipe;
    cli_table                table;
    printf("Batches of %s, %s, %lld x %lld\n", r->model.name,
           sweep->inference ? "inference" : "training", (long long)r->data.size,
           (long long)r->data.size);
    cli_table_init(&table, "rrrr");
    for (size_t i = 0; i < sizeof heading / sizeof *heading; i++)
        cli_table_add(&table, heading[i]);
    for (size_t i = 0; i < sweep->count; i++)
        add_row(&table, &sweep->rows[i]);
    cli_table_print(&table, stdout, style);
    cli_table_release(&table);
    if (*sweep->ended) printf("Ended: %s\n", sweep->ended);
    printf("Enough: batch %lld is within 5 %% of the fastest\n",
           (long long)cli_sweep_enough(sweep));
}

void cli_sweep_json(stk_json_writer *json, const cli_sweep *sweep)
{
    stk_json_object(json);
    stk_json_pair_string(json, "model", sweep->recipe->model.name);
    stk_json_pair_bool(json, "inference", sweep->inference);
    stk_json_pair_int(json, "size", sweep->recipe->data.size);
    stk_json_pair_int(json, "enough", cli_sweep_enough(sweep));
    stk_json_pair_string(json, "ended", sweep->ended);
    stk_json_key(json, "batches");
    stk_json_array(json);
    for (size_t i = 0; i < sweep->count; i++) {
        const cli_sweep_row *row = &sweep->rows[i];
        stk_json_object(json);
        stk_json_pair_int(json, "batch", row->batch);
        stk_json_pair_double(json, "step_ms", 1e3 * row->step_s);
        stk_json_pair_double(json, "images_per_s", row->images_per_s);
        stk_json_pair_double(json, "memory_bytes", row->bytes);
        stk_json_object_end(json);
    }
    stk_json_array_end(json);
    stk_json_object_end(json);
}

static stk_status draw(const cli_sweep *s, const char *path, stk_blob *out, stk_error *err)
{
    const char *ending = strrchr(path, '.');
    double      batches[CLI_SWEEP_MAX], rates[CLI_SWEEP_MAX];
    for (size_t i = 0; i < s->count; i++) {
        batches[i] = (double)s->rows[i].batch;
        rates[i] = s->rows[i].images_per_s;
    }
    const stk_chart_series series = {NULL, batches, rates, s->count, NULL};
    const stk_chart        chart = {.title = "images a second by batch",
                                    .x_label = "batch",
                                    .y_label = "img/s",
                                    .x_log = true,
                                    .series = &series,
                                    .series_count = 1};
    if (ending && strcmp(ending, ".png") == 0) return stk_chart_png(out, &chart, false, err);
    return stk_chart_svg(out, &chart, err);
}

stk_status cli_sweep_plot(const cli_sweep *sweep, const char *path, stk_error *err)
{
    stk_blob image;
    stk_blob_init(&image, NULL, STK_MEMORY_OUTPUT);
    stk_status st = draw(sweep, path, &image, err);
    if (!st) st = cli_images_save(path, stk_blob_bytes(&image), err);
    stk_blob_release(&image);
    return st;
}

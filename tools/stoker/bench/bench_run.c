/* Draws from pipelines with a progress line. */
#include "bench_run.h"

#include "deadline.h"
#include "format.h"
#include "signals.h"
#include "text.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

typedef struct drawing {
    const cli_bench_limits *limits;
    cli_deadline            deadline;
    stk_iterator           *it;
    double                  begin, shown;
    uint64_t                elements, samples, shown_samples;
    bool                    batches, terminal, drawn;
} drawing;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* CPU time of all threads of this process. */
static double cpu_now(void)
{
    struct rusage use;
    getrusage(RUSAGE_SELF, &use);
    return (double)(use.ru_utime.tv_sec + use.ru_stime.tv_sec) +
           (double)(use.ru_utime.tv_usec + use.ru_stime.tv_usec) * 1e-6;
}

/* Batched values have a leading dimension. */
uint64_t cli_bench_rows(const stk_element *element)
{
    if (!stk_element_count(element)) return 1;
    const stk_value *value = stk_element_value(element, 0);
    if (value->kind == STK_VALUE_RAGGED) return (uint64_t)value->count;
    return value->shape.rank ? (uint64_t)value->shape.dim[0] : 1;
}

static void show_progress(drawing *d, double at)
{
    const double apart = d->terminal ? 0.25 : 2;
    if (d->limits->quiet || at - d->shown < apart) return;
    char         count[CLI_FORMAT_CAPACITY], time[CLI_FORMAT_CAPACITY], limit[CLI_FORMAT_CAPACITY];
    const double rate = (double)(d->samples - d->shown_samples) / (at - d->shown);
    cli_format_count(count, (uint64_t)(rate + 0.5));
    cli_format_duration(time, at - d->begin);
    cli_format_duration(limit, d->limits->seconds);
    fprintf(stderr, d->terminal ? "\rreading  %s/s  %s of %s\033[K" : "reading  %s/s  %s of %s\n",
            count, time, limit);
    fflush(stderr);
    d->drawn = d->terminal;
    d->shown = at;
    d->shown_samples = d->samples;
}

bool cli_bench_gives_batches(stk_iterator *it)
{
    stk_iterator_report report;
    stk_iterator_read_report(it, &report);
    return report.batches;
}

/* *ended gets the reason of the end; an error other than cancellation is the status. */
static stk_status draw(drawing *d, const char **ended, stk_error *err)
{
    const cli_bench_limits *limits = d->limits;
    d->begin = d->shown = now();
    for (;;) {
        stk_element *element;
        const double at = now();
        *ended = "time";
        if (at - d->begin >= limits->seconds) return STK_OK;
        *ended = "elements";
        if (limits->elements && d->elements >= limits->elements) return STK_OK;
        const stk_status st = stk_iterator_next(d->it, &element, err);
        *ended = cli_deadline_passed(&d->deadline) ? "time" : "interrupted";
        if (st) return st == STK_E_CANCELLED ? STK_OK : st;
        *ended = "end of data";
        if (!element) return STK_OK;
        if (!d->elements++) d->batches = cli_bench_gives_batches(d->it);
        d->samples += d->batches ? cli_bench_rows(element) : 1;
        stk_element_unref(element);
        show_progress(d, at);
    }
}

/* Decisions are in the report; other lines are printed at once. */
static void log_line(void *context, const char *line)
{
    (void)context;
    if (strncmp(line, "autotune:", 9) == 0) return;
    fprintf(stderr, "stoker bench: ");
    cli_text_print(stderr, line);
    fprintf(stderr, "\n");
}

/* An element in progress at the deadline is completed and counted, so that slow batches count; up
 * to a limit. */
static double most_seconds(double seconds)
{
    return 2 * seconds + 1;
}

static stk_iterator_options options_of(const cli_bench_limits *limits)
{
    return (stk_iterator_options){.threads = limits->threads,
                                  .memory_bytes = limits->memory_bytes,
                                  .cancel = cli_signals_token(),
                                  .log = limits->quiet ? NULL : log_line};
}

stk_status cli_bench_measure(stk_dataset *data, const cli_bench_limits *limits,
                             cli_bench_result *result, stk_error *err)
{
    drawing              d = {.limits = limits, .terminal = isatty(STDERR_FILENO)};
    stk_iterator_options how = options_of(limits);
    const double         cpu = cpu_now();
    how.cancel = &d.deadline.token;
    stk_status st =
        cli_deadline_start(&d.deadline, most_seconds(limits->seconds), cli_signals_token(), err);
    if (!st) st = stk_iterator_start(&d.it, data, &how, err);
    if (st) {
        cli_deadline_release(&d.deadline);
        return st;
    }
    st = draw(&d, &result->ended, err);
    result->seconds = now() - d.begin;
    result->cpu_seconds = cpu_now() - cpu;
    stk_iterator_read_report(d.it, &result->report);
    result->samples = d.samples;
    if (d.drawn) fprintf(stderr, "\r\033[K");
    stk_iterator_free(d.it);
    cli_deadline_release(&d.deadline);
    return st;
}

/* Draws for at least this time and at least one batch. */
static stk_status draw_for(stk_iterator *it, double seconds, uint64_t *rows, stk_error *err)
{
    const double begin = now();
    do {
        stk_element *element;
        STK_TRY(stk_iterator_next(it, &element, err));
        if (!element)
            return stk_fail(err, STK_E_INVALID, "bench", NULL,
                            "the data has less than one batch; --batch makes them smaller");
        *rows += cli_bench_rows(element);
        stk_element_unref(element);
    } while (now() - begin < seconds);
    return STK_OK;
}

/* The first batches include opening files and filling buffers, and are not counted. */
static stk_status run_slice(cli_contender *contender, int round, double seconds,
                            const cli_bench_limits *limits, stk_error *err)
{
    stk_iterator_options how = options_of(limits);
    stk_iterator        *it;
    uint64_t             rows = 0;
    how.no_autotune = true;
    STK_TRY(stk_iterator_start(&it, contender->data, &how, err));
    stk_status   st = draw_for(it, seconds / 4, &rows, err);
    const double begin = now(), cpu = cpu_now();
    rows = 0;
    if (!st) st = draw_for(it, seconds * 3 / 4, &rows, err);
    if (!st) {
        contender->rates[round] = (double)rows / (now() - begin);
        contender->cpus[round] = (cpu_now() - cpu) / (double)rows;
    }
    stk_iterator_free(it);
    return st;
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(const double values[CLI_BENCH_ROUNDS])
{
    double sorted[CLI_BENCH_ROUNDS];
    memcpy(sorted, values, sizeof sorted);
    qsort(sorted, CLI_BENCH_ROUNDS, sizeof *sorted, compare);
    return sorted[CLI_BENCH_ROUNDS / 2];
}

stk_status cli_bench_interleaved(cli_contender *contenders, size_t count,
                                 const cli_bench_limits *limits, stk_error *err)
{
    const bool   terminal = isatty(STDERR_FILENO), shown = terminal && !limits->quiet;
    const double slice = limits->seconds / CLI_BENCH_ROUNDS;
    stk_status   st = STK_OK;
    for (int round = 0; round < CLI_BENCH_ROUNDS && !st; round++) {
        if (!terminal && !limits->quiet)
            fprintf(stderr, "measuring  round %d of %d\n", round + 1, CLI_BENCH_ROUNDS);
        for (size_t i = 0; i < count && !st; i++) {
            if (shown)
                fprintf(stderr, "\rmeasuring  round %d of %d  %s\033[K", round + 1,
                        CLI_BENCH_ROUNDS, contenders[i].name);
            st = run_slice(&contenders[i], round, slice, limits, err);
        }
    }
    if (shown) fprintf(stderr, "\r\033[K");
    for (size_t i = 0; i < count; i++) {
        contenders[i].rate = median(contenders[i].rates);
        contenders[i].cpu = median(contenders[i].cpus);
    }
    return st;
}

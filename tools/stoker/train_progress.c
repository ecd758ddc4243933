/* Progress of training. */
#include "train_progress.h"

#include "format.h"
#include "terminal.h"
#include "text.h"

#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Nanoseconds between lines, and before the first. */
#define REDRAW_TERMINAL 200000000ull
#define REDRAW_FILE 3000000000ull

static uint64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

void cli_train_watch_init(cli_train_watch *watch, int64_t batch, bool quiet)
{
    *watch = (cli_train_watch){.quiet = quiet, .batch = batch, .first_step = -1};
    watch->terminal = isatty(STDERR_FILENO);
    pthread_mutex_init(&watch->lock, NULL);
    cli_left_out_init(&watch->left_out);
}

void cli_train_watch_release(cli_train_watch *watch)
{
    pthread_mutex_destroy(&watch->lock);
    cli_left_out_release(&watch->left_out);
}

static void clear(cli_train_watch *watch)
{
    if (watch->drawn) fprintf(stderr, "\r\033[K");
    watch->drawn = false;
}

static bool is_time(cli_train_watch *watch)
{
    const uint64_t now = now_ns();
    if (now - watch->shown_ns < (watch->terminal ? REDRAW_TERMINAL : REDRAW_FILE)) return false;
    watch->shown_ns = now;
    return true;
}

/* From the last report; before the first one, from the steps so far. */
static double images_per_second(const cli_train_watch *watch, int64_t step)
{
    const double seconds = (double)(now_ns() - watch->begin_ns) / 1e9;
    if (watch->reported && watch->last.images_per_second > 0) return watch->last.images_per_second;
    return seconds > 0 ? (double)((step - watch->first_step) * watch->batch) / seconds : 0;
}

/* From the last report's estimate; before the first one, from the speed so far. */
static double seconds_left(const cli_train_watch *watch, const stk_train_progress *p, double rate)
{
    if (!watch->reported || !(watch->last.seconds_left > 0))
        return rate > 0 ? (double)((p->steps - p->step) * watch->batch) / rate : 0;
    const double since = (double)(now_ns() - watch->reported_ns) / 1e9;
    return since < watch->last.seconds_left ? watch->last.seconds_left - since : 0;
}

static void write_line(const cli_train_watch *watch, const stk_train_progress *p, char *line,
                       size_t capacity)
{
    char         a[CLI_FORMAT_CAPACITY];
    const double rate = images_per_second(watch, p->step);
    size_t       used =
        (size_t)snprintf(line, capacity, "epoch %lld/%lld  step %lld/%lld", (long long)p->epoch + 1,
                         (long long)p->epochs, (long long)p->step, (long long)p->steps);
    if (watch->reported)
        used += (size_t)snprintf(line + used, capacity - used, "  loss %.3g  acc %.1f %%",
                                 watch->last.loss, 100 * watch->last.accuracy);
    if (rate > 0)
        used += (size_t)snprintf(line + used, capacity - used, "  %s img/s",
                                 cli_format_count(a, (uint64_t)(rate + 0.5)));
    if (watch->reported)
        used += (size_t)snprintf(line + used, capacity - used, "  wait %.1f %%",
                                 100 * watch->last.input_wait);
    if (rate > 0)
        snprintf(line + used, capacity - used, "  eta %s",
                 cli_format_duration(a, seconds_left(watch, p, rate)));
}

static void draw(cli_train_watch *watch, const stk_train_progress *p)
{
    char line[256];
    write_line(watch, p, line, sizeof line);
    if (!watch->terminal) {
        fprintf(stderr, "%s\n", line);
        return;
    }
    fprintf(stderr, "\r%.*s\033[K", cli_terminal_width(stderr, 20, 250) - 1, line);
    fflush(stderr);
    watch->drawn = true;
}

/* On the training thread: most calls only read the clock. */
static void on_step(void *context, const stk_train_progress *progress)
{
    cli_train_watch *watch = context;
    stk_monitor_count(watch->monitor, (uint64_t)watch->batch);
    pthread_mutex_lock(&watch->lock);
    if (watch->first_step < 0) {
        watch->first_step = progress->step; /* its own time is not known */
        watch->begin_ns = watch->shown_ns = now_ns();
    }
    if (!watch->quiet && is_time(watch)) draw(watch, progress);
    pthread_mutex_unlock(&watch->lock);
}

static void print_evaluation(const stk_train_progress *p)
{
    char time[CLI_FORMAT_CAPACITY];
    fprintf(stderr,
            "epoch %lld/%lld  loss %.3g  acc %.1f %%  validation loss %.4g  acc %.2f %%  %s%s\n",
            (long long)p->epoch + 1, (long long)p->epochs, p->epoch_loss, 100 * p->epoch_accuracy,
            p->validation_loss, 100 * p->validation_accuracy, cli_format_duration(time, p->seconds),
            p->best ? "  best" : "");
}

static stk_status on_report(void *context, const stk_train_progress *progress, stk_error *err)
{
    cli_train_watch *watch = context;
    (void)err;
    pthread_mutex_lock(&watch->lock);
    watch->last = *progress;
    watch->reported = true;
    watch->reported_ns = now_ns();
    if (progress->evaluated && !watch->quiet) {
        clear(watch);
        print_evaluation(progress);
    }
    pthread_mutex_unlock(&watch->lock);
    return STK_OK;
}

stk_callback cli_train_watch_callback(cli_train_watch *watch)
{
    return (stk_callback){
        .name = "progress", .on_step = on_step, .on_report = on_report, .context = watch};
}

void cli_train_watch_log(void *context, const char *line)
{
    cli_train_watch *watch = context;
    const char      *show;
    /* Autotune's trials are for 'stoker bench input'; here they would drown the evaluations. */
    if (strncmp(line, "autotune:", 9) == 0) return;
    pthread_mutex_lock(&watch->lock);
    if (!cli_left_out_take(&watch->left_out, line, &show)) show = line;
    if (show && !watch->quiet) {
        clear(watch);
        cli_text_print(stderr, show);
        fprintf(stderr, "\n");
    }
    pthread_mutex_unlock(&watch->lock);
}

void cli_train_watch_end(cli_train_watch *watch)
{
    pthread_mutex_lock(&watch->lock);
    clear(watch);
    pthread_mutex_unlock(&watch->lock);
}

/* The loops of stoker watch. */
#include "watch_session.h"

#include "screen.h"
#include "spread.h"
#include "terminal.h"
#include "watch_report.h"
#include "watch_view.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { JUDGED = 120, CORES = 256 };

static const double fastest_s = 0.1, slowest_s = 60, attached_s = 0.5;

size_t cli_watch_recent(cli_watch *watch, stk_resource_sample *out, size_t capacity)
{
    pthread_mutex_lock(&watch->lock);
    size_t count = watch->recent_count < capacity ? watch->recent_count : capacity;
    if (count > CLI_WATCH_RECENT) count = CLI_WATCH_RECENT;
    for (size_t i = 0; i < count; i++)
        out[i] = watch->recent[(watch->recent_count - count + i) % CLI_WATCH_RECENT];
    pthread_mutex_unlock(&watch->lock);
    return count;
}

cli_metric_values cli_watch_metric(cli_watch *watch)
{
    pthread_mutex_lock(&watch->lock);
    const cli_metric_values values = watch->metric;
    pthread_mutex_unlock(&watch->lock);
    return values;
}

double cli_watch_own(const cli_watch *watch)
{
    struct rusage use;
    const double  seconds = cli_seconds_now() - watch->begin_s;
    if (getrusage(RUSAGE_SELF, &use) || seconds <= 0) return -1;
    return ((double)(use.ru_utime.tv_sec + use.ru_stime.tv_sec) +
            (double)(use.ru_utime.tv_usec + use.ru_stime.tv_usec) * 1e-6) /
           seconds;
}

bool cli_watch_is_over(const cli_watch *watch)
{
    const double limit = watch->values->seconds;
    if (watch->child.pid) return cli_child_ended(&watch->child);
    if (limit > 0 && cli_seconds_now() - watch->begin_s >= limit) return true;
    return watch->values->pid && kill((pid_t)watch->values->pid, 0) && errno == ESRCH;
}

double cli_watch_left(const cli_watch *watch, double max)
{
    const double limit = watch->values->seconds;
    if (watch->values->pid && max > attached_s) max = attached_s;
    if (watch->child.pid || limit <= 0) return max;
    const double left = watch->begin_s + limit - cli_seconds_now();
    return left < 0 ? 0 : left < max ? left : max;
}

/* With a command, Ctrl-C ends the command, and so the watch. */
static bool ends(const cli_watch *watch, const cli_watch_events *events)
{
    return events->stop && !watch->child.pid;
}

void cli_watch_in_lines(cli_watch *watch)
{
    const double         every = watch->values->every_s;
    const size_t         capacity = CLI_WATCH_RECENT;
    stk_resource_sample *samples = calloc(capacity, sizeof *samples);
    double               next = cli_seconds_now() + every, shown_s = 0;
    while (!cli_watch_is_over(watch)) {
        const double           left = next - cli_seconds_now();
        const cli_watch_events events = cli_watch_wait(-1, cli_watch_left(watch, left));
        if (ends(watch, &events)) break;
        if (cli_seconds_now() < next) continue;
        next += every;
        if (watch->values->quiet || !samples) continue;
        const size_t count = cli_watch_recent(watch, samples, capacity);
        size_t       first = 0;
        while (first < count && samples[first].seconds <= shown_s)
            first++;
        const cli_metric_values metric = cli_watch_metric(watch);
        cli_watch_line(stderr, samples + first, count - first, &metric);
        if (count) shown_s = samples[count - 1].seconds;
    }
    free(samples);
}

/* Copies of the drawn data, so that a pause keeps them. */
typedef struct frame {
    stk_resource_sample samples[CLI_WATCH_RECENT];
    stk_thread_sample   threads[CLI_WATCH_THREADS];
    double              cores[CORES];
    char                note[256], metric[40];
    stk_usage           usage;
    cli_view            view;
} frame;

static void fill(frame *f, cli_watch *watch)
{
    cli_view *v = &f->view;
    v->samples = f->samples;
    v->count = cli_watch_recent(watch, f->samples, CLI_WATCH_RECENT);
    v->threads = f->threads;
    v->thread_count = stk_monitor_threads(watch->monitor, f->threads, CLI_WATCH_THREADS);
    v->cores = f->cores;
    v->core_count = stk_monitor_cores(watch->monitor, f->cores, CORES);
    stk_monitor_note(watch->monitor, f->note, sizeof f->note);
    const size_t judged = v->count < JUDGED ? v->count : JUDGED;
    stk_usage_analyze(&f->usage, v->machine, f->samples + (v->count - judged), judged, NULL);
    const cli_metric_values metric = cli_watch_metric(watch);
    if (metric.count) snprintf(f->metric, sizeof f->metric, "metric %.6g", metric.last);
    v->own = cli_watch_own(watch);
    v->seconds = cli_seconds_now() - watch->begin_s;
}

static void draw(frame *f, cli_screen *screen)
{
    stk_blob  lines;
    stk_error ignored;
    stk_blob_init(&lines, NULL, STK_MEMORY_OUTPUT);
    f->view.width = screen->width;
    f->view.height = screen->height;
    if (!cli_view_render(&f->view, &lines, &ignored)) cli_screen_show(screen, &lines);
    stk_blob_release(&lines);
}

/* False: the user quits. */
static bool obey(cli_watch *watch, frame *f, int key)
{
    double interval = watch->interval_s;
    if (key == 'q' || key == 'Q') return false;
    if (key == 'p' || key == ' ') f->view.paused = !f->view.paused;
    if (key == '+') interval *= 2;
    if (key == '-') interval /= 2;
    if (interval < fastest_s) interval = fastest_s;
    if (interval > slowest_s) interval = slowest_s;
    if (interval != watch->interval_s) stk_monitor_set_interval(watch->monitor, interval);
    watch->interval_s = f->view.interval_s = interval;
    return true;
}

static void run_screen(cli_watch *watch, frame *f, cli_screen *screen)
{
    double next = cli_seconds_now();
    for (bool go = true; go && !cli_watch_is_over(watch);) {
        const double left = next - cli_seconds_now();
        if (left <= 0) {
            if (!f->view.paused) fill(f, watch);
            draw(f, screen);
            next = cli_seconds_now() + watch->interval_s;
            continue;
        }
        const cli_watch_events events = cli_watch_wait(screen->fd, cli_watch_left(watch, left));
        if (events.resized) cli_screen_measure(screen);
        if (events.resized) next = 0;
        if (ends(watch, &events)) break;
        for (int key; go && (key = cli_screen_key(screen)) != 0; next = 0)
            go = obey(watch, f, key);
    }
}

void cli_watch_on_screen(cli_watch *watch)
{
    const char *refused = getenv("NO_COLOR");
    cli_screen  screen;
    frame      *f = calloc(1, sizeof *f);
    if (f && cli_screen_open(&screen)) {
        watch->on_view = true;
        f->view = (cli_view){.title = watch->title,
                             .machine = &watch->machine,
                             .usage = &f->usage,
                             .note = f->note,
                             .metric = f->metric,
                             .interval_s = watch->interval_s,
                             .unicode = cli_terminal_shows_unicode(),
                             .color = !(refused && refused[0])};
        if (watch->values->color && !strcmp(watch->values->color, "never")) f->view.color = false;
        run_screen(watch, f, &screen);
        cli_screen_close(&screen);
    }
    free(f);
}

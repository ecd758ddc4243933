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

size_t stk_watch_recent(cli_watch *watch, stk_resource_sample *out, size_t capacity)
{
    pthread_mutex_lock(&watch->lock);
    size_t count = watch->recent_count < capacity ? watch->recent_count : capacity;
    if (count > STK_WATCH_RECENT) count = STK_WATCH_RECENT;
    for (size_t i = 0; i < count; i++)
        out[i] = watch->recent[(watch->recent_count - count + i) % STK_WATCH_RECENT];
    pthread_mutex_unlock(&watch->lock);
    return count;
}

stk_metric_values stk_watch_metric(cli_watch *watch)
{
    pthread_mutex_lock(&watch->lock);
    const stk_metric_values values = watch->metric;
    pthread_mutex_unlock(&watch->lock);
    return values;
}

double stk_watch_own(const cli_watch *watch)
{
    struct rusage use;
    const double  seconds = stk_seconds_now() - watch->begin_s;
    if (getrusage(RUSAGE_SELF, &use) || seconds <= 0) return -1;
    return ((double)(use.ru_utime.tv_sec + use.ru_stime.tv_sec) +
            (double)(use.ru_utime.tv_usec + use.ru_stime.tv_usec) * 1e-6) /
           seconds;
}

bool stk_watch_is_over(const cli_watch *watch)
{
    const double limit = watch->values->seconds;
    if (watch->child.pid) return stk_child_ended(&watch->child);
    if (limit > 0 && stk_seconds_now() - watch->begin_s >= limit) return true;
    return watch->values->pid && kill((pid_t)watch->values->pid, 0) && errno == ESRCH;
}

double stk_watch_left(const cli_watch *watch, double most)
{
    const double limit = watch->values->seconds;
    if (watch->values->pid && most > attached_s) most = attached_s;
    if (watch->child.pid || limit <= 0) return most;
    const double left = watch->begin_s + limit - stk_seconds_now();
    return left < 0 ? 0 : left < most ? left : most;
}

/* With a command it is the command that Ctrl-C ends, and the watch with it. */
static bool ends(const cli_watch *watch, const stk_watch_events *events)
{
    return events->stop && !watch->child.pid;
}

void stk_watch_in_lines(cli_watch *watch)
{
    const double         every = watch->values->every_s;
    const size_t         room = STK_WATCH_RECENT;
    stk_resource_sample *samples = calloc(room, sizeof *samples);
    double               next = stk_seconds_now() + every, shown_s = 0;
    while (!stk_watch_is_over(watch)) {
        const double           left = next - stk_seconds_now();
        const stk_watch_events events = stk_watch_wait(-1, stk_watch_left(watch, left));
        if (ends(watch, &events)) break;
        if (stk_seconds_now() < next) continue;
        next += every;
        if (watch->values->quiet || !samples) continue;
        const size_t count = stk_watch_recent(watch, samples, room);
        size_t       first = 0;
        while (first < count && samples[first].seconds <= shown_s)
            first++;
        const stk_metric_values metric = stk_watch_metric(watch);
        stk_watch_line(stderr, samples + first, count - first, &metric);
        if (count) shown_s = samples[count - 1].seconds;
    }
    free(samples);
}

/* What is drawn: copies, so that a pause keeps them. */
typedef struct frame {
    stk_resource_sample samples[STK_WATCH_RECENT];
    stk_thread_sample   threads[STK_WATCH_THREADS];
    double              cores[CORES];
    char                note[256], metric[40];
    stk_usage           usage;
    cli_view            view;
} frame;

static void fill(frame *f, cli_watch *watch)
{
    cli_view *v = &f->view;
    v->samples = f->samples;
    v->count = stk_watch_recent(watch, f->samples, STK_WATCH_RECENT);
    v->threads = f->threads;
    v->thread_count = stk_monitor_threads(watch->monitor, f->threads, STK_WATCH_THREADS);
    v->cores = f->cores;
    v->core_count = stk_monitor_cores(watch->monitor, f->cores, CORES);
    stk_monitor_note(watch->monitor, f->note, sizeof f->note);
    const size_t judged = v->count < JUDGED ? v->count : JUDGED;
    stk_usage_judge(&f->usage, v->machine, f->samples + (v->count - judged), judged, NULL);
    const stk_metric_values metric = stk_watch_metric(watch);
    if (metric.count) snprintf(f->metric, sizeof f->metric, "metric %.6g", metric.last);
    v->own = stk_watch_own(watch);
    v->seconds = stk_seconds_now() - watch->begin_s;
}

static void draw(frame *f, stk_screen *screen)
{
    stk_blob  lines;
    stk_error ignored;
    stk_blob_init(&lines, NULL, STK_MEMORY_OUTPUT);
    f->view.width = screen->width;
    f->view.height = screen->height;
    if (!stk_view_render(&f->view, &lines, &ignored)) stk_screen_show(screen, &lines);
    stk_blob_release(&lines);
}

/* False: the person wants to leave. */
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

static void run_screen(cli_watch *watch, frame *f, stk_screen *screen)
{
    double next = stk_seconds_now();
    for (bool go = true; go && !stk_watch_is_over(watch);) {
        const double left = next - stk_seconds_now();
        if (left <= 0) {
            if (!f->view.paused) fill(f, watch);
            draw(f, screen);
            next = stk_seconds_now() + watch->interval_s;
            continue;
        }
        const stk_watch_events events = stk_watch_wait(screen->fd, stk_watch_left(watch, left));
        if (events.resized) stk_screen_measure(screen);
        if (events.resized) next = 0;
        if (ends(watch, &events)) break;
        for (int key; go && (key = stk_screen_key(screen)) != 0; next = 0)
            go = obey(watch, f, key);
    }
}

void stk_watch_on_screen(cli_watch *watch)
{
    const char *refused = getenv("NO_COLOR");
    stk_screen  screen;
    frame      *f = calloc(1, sizeof *f);
    if (f && stk_screen_open(&screen)) {
        watch->on_view = true;
        f->view = (cli_view){.title = watch->title,
                             .machine = &watch->machine,
                             .usage = &f->usage,
                             .note = f->note,
                             .metric = f->metric,
                             .interval_s = watch->interval_s,
                             .unicode = stk_terminal_shows_unicode(),
                             .color = !(refused && refused[0])};
        if (watch->values->color && !strcmp(watch->values->color, "never")) f->view.color = false;
        run_screen(watch, f, &screen);
        stk_screen_close(&screen);
    }
    free(f);
}

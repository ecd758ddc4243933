/* The sampling thread. */
#include "base/clock.h"
#include "base/threads.h"
#include "observe/resources/series.h"

#include <stdlib.h>
#include <stoker/monitor.h>
#include <string.h>

enum { SAMPLES = 2048, CORES = 1024 };

static const double interval_default_s = 0.5, interval_min_s = 0.01;

struct stk_monitor {
    stk_monitor_options options;
    stk_resources      *resources; /* the thread's, apart from constants */
    stk_thread          thread;
    stk_eventcount      wake;
    bool                has_gate;
    int                 stop;        /* atomic */
    uint64_t            interval_ns; /* atomic */
    uint64_t            counted;     /* atomic: training samples */
    bool                counts;      /* atomic: stk_monitor_count was called */
    uint64_t            counted_before, before_ns;

    pthread_mutex_t     lock; /* protects the following fields */
    stk_series          series;
    stk_resource_sample latest;
    bool                has_latest;
    stk_thread_sample  *threads;
    size_t              thread_count;
    double              cores[CORES];
    size_t              core_count;
    char                note[256];

    /* The thread's own; copied under the lock. */
    stk_thread_sample *fresh_threads;
};

static uint64_t interval_of(double seconds)
{
    if (!(seconds > 0)) seconds = interval_default_s;
    return (uint64_t)((seconds < interval_min_s ? interval_min_s : seconds) * 1e9);
}

static double take_rate(stk_monitor *m, uint64_t now_ns)
{
    const uint64_t counted = __atomic_load_n(&m->counted, __ATOMIC_RELAXED);
    const double   seconds = (double)(now_ns - m->before_ns) * 1e-9;
    const double   done = (double)(counted - m->counted_before);
    m->counted_before = counted;
    m->before_ns = now_ns;
    if (!__atomic_load_n(&m->counts, __ATOMIC_RELAXED) || seconds <= 0) return -1;
    return done / seconds;
}

/* Reads everything before taking the lock, so that no caller waits for /proc. */
static void sample(stk_monitor *m)
{
    stk_resource_sample now;
    double              cores[CORES];
    char                note[sizeof m->note];
    stk_resources_sample(m->resources, &now);
    now.rate = take_rate(m, stk_clock_ns());
    const size_t core_count = stk_resources_cores(m->resources, cores, CORES);
    const size_t thread_count =
        stk_resources_threads(m->resources, m->fresh_threads, m->options.threads);
    stk_resources_note(m->resources, note, sizeof note);
    pthread_mutex_lock(&m->lock);
    stk_series_add(&m->series, &now);
    m->latest = now;
    m->has_latest = true;
    m->core_count = core_count;
    memcpy(m->cores, cores, core_count * sizeof *cores);
    m->thread_count = thread_count;
    if (thread_count) memcpy(m->threads, m->fresh_threads, thread_count * sizeof *m->threads);
    memcpy(m->note, note, sizeof note);
    pthread_mutex_unlock(&m->lock);
    if (m->options.sampled) m->options.sampled(m->options.context, &now);
}

/* Samples keep a fixed rate. A missed one (suspend, load) is not made up: the next one covers a
 * longer time. */
static void *run(void *context)
{
    stk_monitor *m = context;
    uint64_t     last = m->before_ns;
    while (!__atomic_load_n(&m->stop, __ATOMIC_ACQUIRE)) {
        const uint32_t epoch = stk_eventcount_epoch(&m->wake);
        const uint64_t now = stk_clock_ns();
        const uint64_t interval = __atomic_load_n(&m->interval_ns, __ATOMIC_RELAXED);
        if (__atomic_load_n(&m->stop, __ATOMIC_ACQUIRE)) break;
        if (now < last + interval) {
            stk_eventcount_wait(&m->wake, epoch, last + interval - now);
            continue;
        }
        sample(m);
        last = now < last + 2 * interval ? last + interval : now;
    }
    sample(m);
    return NULL;
}

static stk_status prepare(stk_monitor *m, stk_error *err)
{
    const size_t        threads = m->options.threads;
    stk_resource_sample first;
    STK_TRY(stk_series_init(&m->series, m->options.samples, err));
    if (threads) {
        m->threads = calloc(threads, sizeof *m->threads);
        m->fresh_threads = calloc(threads, sizeof *m->fresh_threads);
        if (!m->threads || !m->fresh_threads)
            return stk_fail(err, STK_E_NOMEM, "monitor", NULL, "no memory for %zu threads",
                            threads);
    }
    STK_TRY(stk_eventcount_init(&m->wake, err));
    m->has_gate = true;
    STK_TRY(stk_resources_open(&m->resources, m->options.process, err));
    stk_resources_sample(m->resources, &first); /* baseline of the first sample */
    m->before_ns = stk_clock_ns();
    return stk_thread_start(&m->thread, "stk-monitor", run, m, err);
}

stk_status stk_monitor_start(stk_monitor **out, const stk_monitor_options *options, stk_error *err)
{
    *out = NULL;
    stk_monitor *m = calloc(1, sizeof *m);
    if (!m) return stk_fail(err, STK_E_NOMEM, "monitor", NULL, "no memory for a monitor");
    if (options) m->options = *options;
    m->interval_ns = interval_of(m->options.interval_s);
    if (m->options.samples < 2) m->options.samples = SAMPLES;
    pthread_mutex_init(&m->lock, NULL);
    const stk_status st = prepare(m, err);
    if (st) {
        stk_monitor_free(m);
        return st;
    }
    *out = m;
    return STK_OK;
}

void stk_monitor_stop(stk_monitor *monitor)
{
    if (!monitor || !monitor->thread.running) return;
    __atomic_store_n(&monitor->stop, 1, __ATOMIC_RELEASE);
    stk_eventcount_signal(&monitor->wake);
    stk_thread_join(&monitor->thread);
}

void stk_monitor_free(stk_monitor *monitor)
{
    if (!monitor) return;
    stk_monitor_stop(monitor);
    stk_resources_close(monitor->resources);
    if (monitor->has_gate) stk_eventcount_release(&monitor->wake);
    pthread_mutex_destroy(&monitor->lock);
    stk_series_release(&monitor->series);
    free(monitor->threads);
    free(monitor->fresh_threads);
    free(monitor);
}

void stk_monitor_count(stk_monitor *monitor, uint64_t samples)
{
    if (!monitor) return;
    __atomic_fetch_add(&monitor->counted, samples, __ATOMIC_RELAXED);
    __atomic_store_n(&monitor->counts, true, __ATOMIC_RELAXED);
}

void stk_monitor_set_interval(stk_monitor *monitor, double interval_s)
{
    __atomic_store_n(&monitor->interval_ns, interval_of(interval_s), __ATOMIC_RELAXED);
    stk_eventcount_signal(&monitor->wake);
}

const stk_machine_info *stk_monitor_machine(const stk_monitor *monitor)
{
    return stk_resources_machine(monitor->resources);
}

bool stk_monitor_latest(stk_monitor *monitor, stk_resource_sample *out)
{
    pthread_mutex_lock(&monitor->lock);
    const bool has = monitor->has_latest;
    if (has) *out = monitor->latest;
    pthread_mutex_unlock(&monitor->lock);
    return has;
}

size_t stk_monitor_series(stk_monitor *monitor, stk_resource_sample *out, size_t capacity)
{
    pthread_mutex_lock(&monitor->lock);
    const size_t kept = monitor->series.count, count = kept < capacity ? kept : capacity;
    memcpy(out, monitor->series.samples + (kept - count), count * sizeof *out);
    pthread_mutex_unlock(&monitor->lock);
    return count;
}

void stk_monitor_peaks(stk_monitor *monitor, stk_resource_sample *out)
{
    pthread_mutex_lock(&monitor->lock);
    *out = monitor->series.peaks;
    pthread_mutex_unlock(&monitor->lock);
}

size_t stk_monitor_threads(stk_monitor *monitor, stk_thread_sample *out, size_t capacity)
{
    pthread_mutex_lock(&monitor->lock);
    const size_t count = monitor->thread_count < capacity ? monitor->thread_count : capacity;
    if (count) memcpy(out, monitor->threads, count * sizeof *out);
    pthread_mutex_unlock(&monitor->lock);
    return count;
}

size_t stk_monitor_cores(stk_monitor *monitor, double *out, size_t capacity)
{
    pthread_mutex_lock(&monitor->lock);
    const size_t count = monitor->core_count < capacity ? monitor->core_count : capacity;
    memcpy(out, monitor->cores, count * sizeof *out);
    pthread_mutex_unlock(&monitor->lock);
    return count;
}

void stk_monitor_note(stk_monitor *monitor, char *text, size_t capacity)
{
    if (!capacity) return;
    pthread_mutex_lock(&monitor->lock);
    const size_t length = strnlen(monitor->note, capacity - 1);
    memcpy(text, monitor->note, length);
    text[length] = '\0';
    pthread_mutex_unlock(&monitor->lock);
}

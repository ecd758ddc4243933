/* The thread that reads GPUs. A driver may be slow: PCIe counters take 40 ms, and a GPU that fell
 * off the bus takes seconds. Samples use the latest reading. */
#include "observe/resources/gpu.h"

#include "base/clock.h"
#include "base/threads.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double retry_s = 10;

struct stk_gpu_reader {
    const stk_gpu_source *source;
    const char           *path;
    double                period_s, retry_s;
    void                 *state; /* the thread's; NULL while the driver is unavailable */
    stk_thread            thread;
    stk_eventcount        wake;
    int                   stop; /* atomic */

    pthread_mutex_t  lock; /* protects the following fields */
    stk_gpu_readings latest;
    stk_gpu_pids     pids;
    char             note[STK_GPU_NOTE];
};

stk_gpu_sample stk_gpu_unknown(void)
{
    return (stk_gpu_sample){-1, -1, -1, -1, -1, -1, -1, -1, -1, -1};
}

double stk_gpu_throttled(uint64_t reasons)
{
    enum { POWER_CAP = 0x4, SLOWDOWN = 0x8, SOFT_HEAT = 0x20, HEAT = 0x40, BRAKE = 0x80 };
    return reasons & (POWER_CAP | SLOWDOWN | SOFT_HEAT | HEAT | BRAKE) ? 1 : 0;
}

static void publish(stk_gpu_reader *r, const stk_gpu_readings *now, const char *note)
{
    pthread_mutex_lock(&r->lock);
    r->latest = *now;
    if (note[0] && !r->note[0]) snprintf(r->note, sizeof r->note, "%s", note);
    pthread_mutex_unlock(&r->lock);
}

/* One reading. A failed source is reopened later: drivers get restarted. */
static bool read_once(stk_gpu_reader *r)
{
    stk_gpu_readings now;
    stk_gpu_pids     pids;
    stk_machine_info ignored = {0};
    char             note[STK_GPU_NOTE] = "";
    pthread_mutex_lock(&r->lock);
    now = r->latest;
    pids = r->pids;
    pthread_mutex_unlock(&r->lock);
    const int count = now.count;
    if (!r->state && !r->source->open(&r->state, r->path, &ignored, note)) r->state = NULL;
    const bool good = r->state && r->source->read(r->state, &pids, &now, note);
    if (!good) {
        r->source->close(r->state);
        r->state = NULL;
        for (int i = 0; i < count; i++)
            now.gpus[i] = stk_gpu_unknown();
    }
    now.count = count; /* as many as at first */
    publish(r, &now, note);
    return good;
}

static void *run(void *context)
{
    stk_gpu_reader *r = context;
    while (!__atomic_load_n(&r->stop, __ATOMIC_ACQUIRE)) {
        const uint32_t epoch = stk_eventcount_epoch(&r->wake);
        const double   pause = read_once(r) ? r->period_s : r->retry_s;
        if (__atomic_load_n(&r->stop, __ATOMIC_ACQUIRE)) break;
        stk_eventcount_wait(&r->wake, epoch, (uint64_t)(pause * 1e9));
    }
    return NULL;
}

/* Uses the first source that works; gpu_source explains a failure. */
static bool find_source(stk_gpu_reader *r, const stk_gpu_paths *paths, stk_machine_info *machine)
{
    static const stk_gpu_source *const sources[] = {&stk_gpu_nvml, &stk_gpu_nvidia_smi};
    const char *const                  candidates[] = {paths->nvml, paths->nvidia_smi};
    char                               why[STK_GPU_NOTE] = "", note[STK_GPU_NOTE];
    for (size_t i = 0; i < 2; i++) {
        note[0] = '\0';
        r->source = sources[i];
        r->path = candidates[i];
        if (r->source->open(&r->state, r->path, machine, note)) return true;
        if (note[0] && !why[0]) snprintf(why, sizeof why, "%s", note);
    }
    machine->gpu_count = 0;
    snprintf(machine->gpu_source, sizeof machine->gpu_source, "%s",
             why[0] ? why : "no NVIDIA driver");
    return false;
}

static stk_status start_thread(stk_gpu_reader *r, stk_error *err)
{
    STK_TRY(stk_eventcount_init(&r->wake, err));
    const stk_status st = stk_thread_start(&r->thread, "stk-gpu", run, r, err);
    if (st) stk_eventcount_release(&r->wake);
    return st;
}

stk_status stk_gpu_reader_start(stk_gpu_reader **out, const stk_gpu_paths *paths,
                                stk_machine_info *machine, stk_error *err)
{
    *out = NULL;
    stk_gpu_reader *r = calloc(1, sizeof *r);
    if (!r) return stk_fail(err, STK_E_NOMEM, "resources", NULL, "no memory to read GPUs");
    if (!find_source(r, paths, machine)) {
        free(r);
        return STK_OK;
    }
    r->period_s = paths->period_s > 0 ? paths->period_s : r->source->period_s;
    r->retry_s = paths->retry_s > 0 ? paths->retry_s : retry_s;
    r->latest.count = machine->gpu_count;
    for (int i = 0; i < STK_RESOURCES_GPUS; i++)
        r->latest.gpus[i] = stk_gpu_unknown();
    pthread_mutex_init(&r->lock, NULL);
    const stk_status st = start_thread(r, err);
    if (st) {
        pthread_mutex_destroy(&r->lock);
        r->source->close(r->state);
        free(r);
        return st;
    }
    *out = r;
    return STK_OK;
}

void stk_gpu_reader_stop(stk_gpu_reader *reader)
{
    if (!reader) return;
    __atomic_store_n(&reader->stop, 1, __ATOMIC_RELEASE);
    stk_eventcount_signal(&reader->wake);
    stk_thread_join(&reader->thread);
    stk_eventcount_release(&reader->wake);
    pthread_mutex_destroy(&reader->lock);
    reader->source->close(reader->state);
    free(reader);
}

void stk_gpu_reader_latest(stk_gpu_reader *reader, const stk_gpu_pids *pids, stk_gpu_readings *out)
{
    out->count = 0;
    if (!reader) return;
    pthread_mutex_lock(&reader->lock);
    *out = reader->latest;
    if (pids) reader->pids = *pids;
    pthread_mutex_unlock(&reader->lock);
}

void stk_gpu_reader_note(stk_gpu_reader *reader, char *text, size_t capacity)
{
    if (capacity) text[0] = '\0';
    if (!reader) return;
    pthread_mutex_lock(&reader->lock);
    snprintf(text, capacity, "%s", reader->note);
    pthread_mutex_unlock(&reader->lock);
}

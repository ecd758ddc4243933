/* What the training thread leaves for others to see. */
#include "train/profile/observer.h"
#include "base/clock.h"
#include "compute/runtime/device_profiler.h"
#include "observe/meter/stage_threads.h"
#include "train/profile/profile_parts.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LOOK_NS = 100000000 };

struct stk_observer {
    stk_observer_options options;
    /* The training thread's own. */
    int64_t             steps;
    bool                measuring;
    uint64_t            looked_ns;
    stk_iterator_report report; /* too large for a stack */
    stk_device_times    paused; /* when that began */

    pthread_mutex_t   lock;           /* of what follows: held for copies */
    stk_profile       card;           /* owns nothing */
    int               thread;         /* that trains */
    stk_stage_threads threads_before; /* when measuring began */
    stk_profile_stage outputs_before[STK_STAGE_COUNT];
    stk_input_state   input, input_before;
    stk_device_times  device, device_before;
    stk_profile_op   *ops;
    size_t            op_count;
};

stk_status stk_observer_new(stk_observer **out, const stk_observer_options *options, stk_error *err)
{
    stk_observer *o = calloc(1, sizeof *o);
    *out = o;
    if (!o) return stk_fail(err, STK_E_NOMEM, "profile", NULL, "no memory to observe the run");
    o->options = *options;
    pthread_mutex_init(&o->lock, NULL);
    stk_profile_init(&o->card);
    stk_profile_fill_card(&o->card, options->recipe, options->session);
    if (options->data) stk_profile_fill_data(&o->card, options->data, options->cache);
    return STK_OK;
}

void stk_observer_free(stk_observer *observer)
{
    if (!observer) return;
    pthread_mutex_destroy(&observer->lock);
    free(observer->ops);
    free(observer);
}

void stk_observer_change_feed(stk_observer *observer)
{
    pthread_mutex_lock(&observer->lock);
    observer->input = observer->input_before = (stk_input_state){0};
    pthread_mutex_unlock(&observer->lock);
    observer->looked_ns = 0;
}

static void look_at_feed(stk_observer *o, stk_loader *feed)
{
    stk_iterator_read_report(stk_loader_iterator(feed), &o->report);
    pthread_mutex_lock(&o->lock);
    stk_input_state_read(&o->input, &o->report);
    pthread_mutex_unlock(&o->lock);
}

/* Without memory the ones from before stay. */
static void look_at_operations(stk_observer *o, int64_t size)
{
    stk_program    *program = stk_session_program(o->options.session, size);
    stk_profile_op *ops;
    size_t          count;
    if (program && o->options.time_operations && o->measuring) stk_program_time(program, true);
    stk_profile_ops_of(program, &ops, &count);
    if (!count) return;
    pthread_mutex_lock(&o->lock);
    free(o->ops);
    o->ops = ops;
    o->op_count = count;
    pthread_mutex_unlock(&o->lock);
}

static void look_at_device(stk_observer *o)
{
    const stk_device_times now = stk_device_read_times(stk_session_device(o->options.session));
    pthread_mutex_lock(&o->lock);
    o->device = now;
    pthread_mutex_unlock(&o->lock);
}

void stk_observer_look(stk_observer *observer, stk_loader *feed, int64_t size)
{
    observer->looked_ns = stk_clock_ns();
    if (feed && stk_loader_iterator(feed)) look_at_feed(observer, feed);
    look_at_device(observer);
    look_at_operations(observer, size);
}

static stk_device_times all_times(stk_observer *o)
{
    stk_device *device = stk_session_device(o->options.session);
    stk_device_profiler_poll(device, true);
    return stk_device_read_times(device);
}

void stk_observer_pause(stk_observer *observer)
{
    observer->paused = all_times(observer);
}

void stk_observer_resume(stk_observer *observer)
{
    const stk_device_times now = all_times(observer), *then = &observer->paused;
    pthread_mutex_lock(&observer->lock);
    stk_device_times *before = &observer->device_before;
    before->work_ns += now.work_ns - then->work_ns;
    before->copy_ns += now.copy_ns - then->copy_ns;
    before->launch_ns += now.launch_ns - then->launch_ns;
    before->runs += now.runs - then->runs;
    observer->device = now;
    pthread_mutex_unlock(&observer->lock);
}

static void read_outputs(const stk_observer *o, stk_profile_stage stages[STK_STAGE_COUNT])
{
    if (o->options.outputs) o->options.outputs(o->options.context, stages);
}

/* Not under the lock: the training thread would wait for files of /proc. */
static stk_stage_threads *read_threads(stk_observer *o)
{
    stk_stage_threads *now = malloc(sizeof *now);
    pthread_mutex_lock(&o->lock);
    const int thread = o->thread;
    pthread_mutex_unlock(&o->lock);
    if (now) stk_stage_threads_read(now, thread);
    return now;
}

static void begin_measuring(stk_observer *o, stk_loader *feed, int64_t size)
{
    o->measuring = true;
    stk_observer_look(o, feed, size);
    stk_stage_threads *threads = read_threads(o);
    pthread_mutex_lock(&o->lock);
    if (threads) o->threads_before = *threads;
    read_outputs(o, o->outputs_before);
    o->input_before = o->input;
    o->device_before = o->device;
    pthread_mutex_unlock(&o->lock);
    free(threads);
    stk_meter_begin_measuring(o->options.meter);
}

void stk_observer_step(stk_observer *observer, stk_loader *feed, int64_t size)
{
    if (observer->steps++ == 0) {
        pthread_mutex_lock(&observer->lock);
        observer->thread = gettid();
        pthread_mutex_unlock(&observer->lock);
    }
    if (observer->steps == observer->options.warm_up)
        begin_measuring(observer, feed, size);
    else if (stk_clock_ns() - observer->looked_ns > LOOK_NS)
        stk_observer_look(observer, feed, size);
}

/* The lock is held. now: NULL without memory for it. */
static void fill_threads(const stk_observer *o, const stk_stage_threads *now, stk_profile *out)
{
    stk_stage_cpu sums[STK_STAGE_COUNT];
    if (!now) return;
    stk_stage_threads_since(&o->threads_before, now, sums);
    for (int s = 0; s < STK_STAGE_COUNT; s++) {
        out->stages[s].cpu_ns = sums[s].cpu_ns;
        out->stages[s].runnable_ns = sums[s].runnable_ns;
        out->stages[s].io_ns = sums[s].io_ns;
    }
}

/* The lock is held. What the training thread does of these stages itself, it tells the meter. */
static void fill_outputs(const stk_observer *o, stk_profile *out)
{
    stk_profile_stage now[STK_STAGE_COUNT] = {0};
    if (!o->options.outputs) return;
    read_outputs(o, now);
    for (int s = STK_STAGE_OUTPUT; s <= STK_STAGE_WRITE; s++) {
        const stk_profile_stage *before = &o->outputs_before[s];
        stk_profile_stage       *stage = &out->stages[s];
        stage->busy_ns = stage->exposed_ns + now[s].busy_ns - before->busy_ns;
        stage->blocked_ns = now[s].blocked_ns - before->blocked_ns;
        stage->items = now[s].items - before->items;
        stage->bytes = now[s].bytes - before->bytes;
        stage->servers = 1;
    }
}

/* The lock is held. */
static stk_status fill_operations(const stk_observer *o, stk_profile *out, stk_error *err)
{
    if (!o->op_count) return STK_OK;
    out->ops = malloc(o->op_count * sizeof *out->ops);
    if (!out->ops) return stk_fail(err, STK_E_NOMEM, "profile", NULL, "no memory for operations");
    memcpy(out->ops, o->ops, o->op_count * sizeof *out->ops);
    out->op_count = o->op_count;
    return STK_OK;
}

stk_status stk_observer_profile(stk_observer *observer, stk_profile *out, stk_error *err)
{
    stk_stage_threads *threads = read_threads(observer);
    pthread_mutex_lock(&observer->lock);
    *out = observer->card;
    stk_status st = stk_profile_fill_steps(out, observer->options.meter, err);
    fill_threads(observer, threads, out);
    fill_outputs(observer, out);
    stk_profile_fill_input(out, &observer->input, &observer->input_before);
    stk_profile_fill_device(out, &observer->device, &observer->device_before);
    if (!st) st = fill_operations(observer, out, err);
    pthread_mutex_unlock(&observer->lock);
    free(threads);
    return st;
}

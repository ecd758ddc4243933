/* Profile, meter and callback statistics of a run. */
#include "train/loop/trainer_internal.h"
#include <stdio.h>

stk_meter *stk_trainer_meter(stk_trainer *trainer)
{
    return trainer->meter;
}

/* The run's own callbacks write files and come first in the list. */
static size_t file_callbacks(const stk_trainer *t)
{
    return t->outputs.events ? 2 : 1;
}

/* Called from any thread. */
static void read_outputs(void *context, stk_profile_stage stages[STK_STAGE_COUNT])
{
    const stk_trainer       *t = context;
    const size_t             files = file_callbacks(t), all = stk_callbacks_count(t->callbacks);
    const stk_callbacks_work work = stk_callbacks_read_work(t->callbacks, files, all);
    const stk_callbacks_work written = stk_callbacks_read_work(t->callbacks, 0, files);
    const stk_writer_stats   writer = stk_checkpoint_writer_read(t->writer);
    stages[STK_STAGE_OUTPUT] =
        (stk_profile_stage){.busy_ns = (double)work.ns, .items = (double)work.calls};
    stages[STK_STAGE_WRITE] = (stk_profile_stage){.busy_ns = (double)(written.ns + writer.busy_ns),
                                                  .blocked_ns = (double)writer.waited_ns,
                                                  .items = (double)(written.calls + writer.files),
                                                  .bytes = (double)writer.bytes};
}

static int64_t warm_up(const stk_trainer *t)
{
    const int64_t fifth = (t->plan.steps - t->state.step) / 5;
    return fifth < STK_TRAIN_WARM_UP ? fifth : STK_TRAIN_WARM_UP;
}

static const char *cache_of(const stk_trainer *t)
{
    static const char *const kinds[] = {
        [STK_CACHE_NONE] = "none", [STK_CACHE_MEMORY] = "memory", [STK_CACHE_DISK] = "disk"};
    return t->cache ? kinds[t->cache->choice.kind] : NULL;
}

stk_status stk_trainer_observe(stk_trainer *trainer, stk_error *err)
{
    const stk_observer_options options = {.data = trainer->data,
                                          .cache = cache_of(trainer),
                                          .recipe = &trainer->recipe,
                                          .session = trainer->session,
                                          .meter = trainer->meter,
                                          .warm_up = warm_up(trainer),
                                          .time_operations = trainer->options.time_operations,
                                          .outputs = read_outputs,
                                          .context = trainer};
    return stk_observer_new(&trainer->observer, &options, err);
}

static uint64_t since(uint64_t *reported, uint64_t now)
{
    const uint64_t more = now - *reported;
    *reported = now;
    return more;
}

void stk_trainer_meter_outputs(stk_trainer *trainer)
{
    const size_t          files = file_callbacks(trainer);
    stk_outputs_reported *reported = &trainer->reported;
    stk_callbacks_work    work =
        stk_callbacks_read_work(trainer->callbacks, files, stk_callbacks_count(trainer->callbacks));
    stk_callbacks_work written = stk_callbacks_read_work(trainer->callbacks, 0, files);
    stk_writer_stats   writer = stk_checkpoint_writer_read(trainer->writer);
    stk_meter_add(trainer->meter, STK_STAGE_OUTPUT, since(&reported->callback_ns, work.ns), 0, 0);
    stk_meter_add(trainer->meter, STK_STAGE_WRITE,
                  since(&reported->file_ns, written.ns) +
                      since(&reported->writer_ns, writer.busy_ns),
                  0, since(&reported->writer_bytes, writer.bytes));
}

/* Logs once if a requested part of a trace is unavailable. */
static void log_notice(stk_trainer *t)
{
    stk_error notice;
    char      line[640];
    if (stk_device_notice(stk_session_device(t->session), &notice))
        stk_trainer_log(t, "%s", stk_error_line(&notice, line, sizeof line));
}

void stk_trainer_observe_step(stk_trainer *trainer)
{
    log_notice(trainer);
    stk_observer_step(trainer->observer, trainer->loader, stk_trainer_group(trainer)->size);
}

/* Takes the final observation, since traces are written after it. */
void stk_trainer_observe_now(stk_trainer *trainer)
{
    stk_device_synchronize(stk_session_device(trainer->session));
    if (trainer->loader)
        stk_observer_look(trainer->observer, trainer->loader, stk_trainer_group(trainer)->size);
}

static void fill_callbacks(const stk_trainer *t, stk_profile *out)
{
    const size_t all = stk_callbacks_count(t->callbacks);
    for (size_t i = 0; i < all && i < STK_PROFILE_CALLBACKS; i++) {
        const stk_callback_stats c = stk_callbacks_stats(t->callbacks, i);
        stk_profile_callback    *one = &out->callbacks[out->callback_count++];
        *one = (stk_profile_callback){.calls = c.calls,
                                      .ns = c.nanoseconds,
                                      .on_training_thread = c.on_training_thread,
                                      .slow = c.slow};
        snprintf(one->name, sizeof one->name, "%s", c.name);
    }
}

stk_status stk_trainer_profile(stk_trainer *trainer, stk_profile *out, stk_error *err)
{
    STK_TRY(stk_observer_profile(trainer->observer, out, err));
    if (trainer->faults)
        stk_inject_text(&trainer->faults->wanted, out->run.inject, sizeof out->run.inject);
    fill_callbacks(trainer, out);
    return STK_OK;
}

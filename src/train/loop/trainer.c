/* A trainer: opens all parts and frees them. */
#include "base/clock.h"
#include "train/loop/trainer_internal.h"
#include "train/saved/pretrained.h"
#include "train/saved/run_folder.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void stk_trainer_log(const stk_trainer *trainer, const char *format, ...)
{
    char    line[1024];
    va_list args;
    if (!trainer->options.log) return;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    trainer->options.log(trainer->options.log_context, line);
}

/* Serialises log lines of training, writer, callbacks and loaders. */
static void log_in_turn(void *context, const char *line)
{
    stk_trainer *t = context;
    pthread_mutex_lock(&t->log_lock);
    t->log(t->log_context, line);
    pthread_mutex_unlock(&t->log_lock);
}

static void take_options(stk_trainer *t, const stk_trainer_options *options)
{
    pthread_mutex_init(&t->log_lock, NULL);
    if (options) t->options = *options;
    t->log = t->options.log;
    t->log_context = t->options.log_context;
    if (!t->log) return;
    t->options.log = log_in_turn;
    t->options.log_context = t;
}

static void checkpoint_failed(void *context, const stk_error *why)
{
    char text[768];
    stk_trainer_log(context,
                    "WARNING: a checkpoint could not be written, the one before is still good and "
                    "training goes on: %s",
                    stk_error_line(why, text, sizeof text));
}

static uint64_t report_ticket(void *context)
{
    return stk_callbacks_ticket(((stk_trainer *)context)->callbacks);
}

static stk_status wait_for_reports(void *context, uint64_t ticket, stk_error *err)
{
    return stk_callbacks_wait(((stk_trainer *)context)->callbacks, ticket, err);
}

static stk_status start_writer(stk_trainer *t, stk_error *err)
{
    char folder[STK_TRAIN_PATH];
    stk_run_folder_path(t->recipe.output.folder, "checkpoints", folder);
    const stk_writer_options options = {.folder = folder,
                                        .keep = t->recipe.output.keep,
                                        .failed = checkpoint_failed,
                                        .ticket = report_ticket,
                                        .before = wait_for_reports,
                                        .context = t,
                                        .trace = t->options.trace};
    return stk_checkpoint_writer_start(&t->writer, &options, err);
}

static void injected(void *context, const stk_train_progress *progress)
{
    (void)progress;
    stk_faults_work(context);
}

static stk_status start_callbacks(stk_trainer *t, stk_error *err)
{
    stk_callback list[STK_TRAINER_CALLBACKS];
    size_t       count = stk_outputs_callbacks(&t->outputs, list);
    if (stk_faults_call(t->faults))
        list[count++] =
            (stk_callback){.name = "injected", .on_step = injected, .context = t->faults};
    if (t->options.callback_count > STK_TRAINER_CALLBACKS - count)
        return stk_fail(err, STK_E_LIMIT, "train", "callbacks", "%zu callbacks; at most %zu",
                        t->options.callback_count, STK_TRAINER_CALLBACKS - count);
    for (size_t i = 0; i < t->options.callback_count; i++)
        list[count++] = t->options.callbacks[i];
    const stk_callbacks_options options = {t->options.log, t->options.log_context,
                                           t->options.trace};
    return stk_callbacks_start(&t->callbacks, list, count, &options, err);
}

/* Logs which parameters are frozen. */
static void log_frozen(const stk_trainer *t)
{
    const stk_freeze *freeze = stk_session_freeze(t->session);
    if (!freeze->frozen || !*freeze->patterns) return;
    stk_trainer_log(t, "frozen: %llu of %llu parameters (%s) stay as they are",
                    (unsigned long long)freeze->frozen, (unsigned long long)freeze->parameters,
                    freeze->patterns);
}

static stk_status load_weights(stk_trainer *t, stk_error *err)
{
    log_frozen(t);
    return stk_pretrained_load(&t->recipe, t->data, stk_session_variables(t->session),
                               t->options.log, t->options.log_context, err);
}

/* The last epoch may be partial, and progressive training has epochs of several lengths: then the
 * mean of the complete ones. */
static int64_t steps_per_epoch(const stk_epoch_plan *plan)
{
    int64_t steps = 0, epochs = 0;
    for (size_t i = 0; i < plan->count; i++) {
        const stk_epoch_group *p = &plan->groups[i];
        steps += p->epochs * p->epoch_steps;
        epochs += p->epochs;
    }
    return epochs ? steps / epochs : 1;
}

stk_status stk_trainer_schedule(stk_schedule *schedule, const stk_train_recipe *recipe,
                                const stk_epoch_plan *plan, stk_error *err)
{
    const stk_train_recipe *r = recipe;
    stk_schedule_options    o;
    int64_t                 per_epoch = steps_per_epoch(plan);
    STK_TRY(stk_schedule_defaults(&o, stk_train_recipe_word(r, "train.schedule"), err));
    o.rate = r->train.learning_rate;
    o.momentum = r->train.momentum;
    o.warmup_epochs = r->train.warmup_epochs;
    o.final_rate = r->train.final_rate;
    o.gamma = r->train.gamma;
    o.rise_fraction = r->train.rise_fraction;
    o.start_factor = r->train.start_factor;
    o.end_factor = r->train.end_factor;
    if (*r->train.milestones) STK_TRY(stk_schedule_milestones(&o, r->train.milestones, err));
    return stk_schedule_init(schedule, &o, per_epoch > 0 ? per_epoch : 1,
                             plan->steps > 0 ? plan->steps : 1, err);
}

/* Stored as decided, so that a resumed run decides the same. */
static stk_status reside(stk_trainer *t, stk_error *err)
{
    const stk_loader_options options = {.recipe = &t->recipe,
                                        .data = t->data,
                                        .size = t->recipe.data.size,
                                        .seed = 1,
                                        .cancel = t->options.cancel,
                                        .trace = t->options.trace,
                                        .faults = t->faults,
                                        .log = t->options.log,
                                        .log_context = t->options.log_context};
    STK_TRY(stk_session_make_resident(t->session, &options, err));
    const bool on = stk_session_resident(t->session, false) != NULL;
    t->recipe.data.resident = on ? STK_RESIDENT_ON : STK_RESIDENT_OFF;
    if (t->recipe.data.flip == STK_FLIP_AUTO)
        t->recipe.data.flip = on ? STK_FLIP_ALTERNATE : STK_FLIP_RANDOM;
    if (on || t->recipe.data.flip != STK_FLIP_ALTERNATE) return STK_OK;
    return stk_fail(err, STK_E_UNSUPPORTED, "train", "data.flip",
                    "alternate needs images that are kept on the device, but data.resident is "
                    "off; set it on, or data.flip: random");
}

/* Compiles before the first step, so that a lack of memory or of a kernel is reported at once. */
static stk_status compile(stk_trainer *t, stk_error *err)
{
    stk_startup_lap(&t->startup, "plan");
    STK_TRY(stk_session_open(&t->session, &t->recipe, true, t->options.cancel, err));
    stk_startup_lap(&t->startup, "device");
    STK_TRY(stk_session_weigh(t->session, t->data, err));
    stk_session_inject(t->session, t->faults);
    STK_TRY(reside(t, err));
    stk_startup_lap(&t->startup, "data to the device");
    for (size_t i = 0; i < t->plan.count; i++)
        STK_TRY(stk_session_ready(t->session, t->plan.groups[i].size, err));
    if (t->data->validation_count)
        STK_TRY(stk_session_ready_evaluate(t->session, t->recipe.data.size, err));
    stk_startup_lap(&t->startup, "compile");
    STK_TRY(stk_trainer_whiten(t, err));
    stk_session_drop_copies(t->session);
    return STK_OK;
}

/* Logged at the start, so that injected slowness is not mistaken for the run's own. */
static stk_status open_faults(stk_trainer *t, stk_error *err)
{
    char text[STK_PROFILE_LINE];
    STK_TRY(stk_faults_open(&t->faults, t->options.inject, t->recipe.output.folder, err));
    if (!t->faults) return STK_OK;
    stk_trainer_log(t, "injected on purpose: %s",
                    stk_inject_text(&t->faults->wanted, text, sizeof text));
    return STK_OK;
}

/* In the run's folder, which exists by now, unless the recipe names another. */
static stk_status open_cache(stk_trainer *t, stk_error *err)
{
    char folder[STK_TRAIN_PATH];
    stk_run_folder_path(t->recipe.output.folder, "cache", folder);
    const stk_data_cache_options options = {.recipe = &t->recipe,
                                            .data = t->data,
                                            .faults = t->faults,
                                            .folder = folder,
                                            .log = t->options.log,
                                            .log_context = t->options.log_context};
    STK_TRY(stk_data_cache_open(&t->cache, &options, err));
    if (stk_faults_files(t->faults)) stk_trainer_log(t, "cache: %s", t->cache->choice.why);
    return STK_OK;
}

static stk_status open_all(stk_trainer *t, stk_error *err)
{
    stk_run_state_init(&t->state, NULL);
    t->state.best_accuracy = -1;
    STK_TRY(stk_trace_attach(t->options.trace, "train", &t->thread, err));
    STK_TRY(stk_meter_new(
        &t->meter, &(stk_meter_options){.thread = t->thread, .trace = t->options.trace}, err));
    STK_TRY(stk_epoch_plan_make(&t->plan, &t->recipe, t->data, err));
    STK_TRY(stk_trainer_schedule(&t->schedule, &t->recipe, &t->plan, err));
    STK_TRY(open_faults(t, err));
    STK_TRY(compile(t, err));
    if (!t->options.resume) STK_TRY(load_weights(t, err)); /* before a run folder exists */
    stk_startup_lap(&t->startup, "weights");
    t->state.recipe = stk_run_fingerprint(&t->recipe, t->data);
    STK_TRY(stk_run_folder_make(&t->recipe, t->data, t->options.resume, &t->lock, err));
    STK_TRY(open_cache(t, err));
    stk_startup_lap(&t->startup, "files");
    if (t->options.resume) STK_TRY(stk_trainer_resume(t, err));
    if (t->options.resume) STK_TRY(stk_trainer_change_length(t, err));
    if (t->options.resume) STK_TRY(stk_trainer_mend(t, err));
    if (t->options.resume && !t->state.step) STK_TRY(load_weights(t, err));
    stk_startup_lap(&t->startup, "weights");
    STK_TRY(stk_samples_new(&t->samples, &t->recipe, t->data, err));
    const stk_outputs_options outputs = {.recipe = &t->recipe,
                                         .data = t->data,
                                         .samples = t->samples,
                                         .resume_step = t->state.step ? t->state.step : -1};
    STK_TRY(stk_outputs_open(&t->outputs, &outputs, err));
    STK_TRY(start_callbacks(t, err));
    STK_TRY(start_writer(t, err));
    STK_TRY(stk_trainer_observe(t, err));
    stk_startup_lap(&t->startup, "files");
    return STK_OK;
}

stk_status stk_trainer_open(stk_trainer **out, const stk_train_recipe *recipe,
                            const stk_train_data *data, const stk_trainer_options *options,
                            stk_error *err)
{
    *out = NULL;
    stk_trainer *t = calloc(1, sizeof *t);
    if (!t) return stk_fail(err, STK_E_NOMEM, "train", NULL, "no memory for a trainer");
    stk_startup_begin(&t->startup);
    t->recipe = *recipe;
    t->data = data;
    take_options(t, options);
    stk_status st = open_all(t, err);
    if (st) {
        stk_trainer_free(t);
        return st;
    }
    *out = t;
    return STK_OK;
}

void stk_trainer_free(stk_trainer *trainer)
{
    if (!trainer) return;
    stk_observer_free(trainer->observer);
    stk_checkpoint_writer_free(trainer->writer); /* the writer waits for callbacks */
    stk_callbacks_free(trainer->callbacks);
    stk_outputs_close(&trainer->outputs);
    stk_faults_hurry(trainer->faults);
    stk_loader_free(trainer->loader);
    stk_data_cache_free(trainer->cache);
    stk_session_free(trainer->session);
    stk_samples_free(trainer->samples);
    stk_epoch_plan_release(&trainer->plan);
    stk_run_state_release(&trainer->state);
    stk_lock_release(trainer->lock);
    stk_meter_free(trainer->meter);
    stk_faults_free(trainer->faults);
    pthread_mutex_destroy(&trainer->log_lock);
    free(trainer);
}

stk_memory_plan stk_trainer_memory(const stk_trainer *trainer)
{
    stk_memory_plan peak = stk_session_memory(trainer->session, trainer->recipe.data.size);
    for (size_t i = 0; i < trainer->plan.count; i++) {
        const stk_memory_plan plan =
            stk_session_memory(trainer->session, trainer->plan.groups[i].size);
        if (plan.fixed + plan.arena > peak.fixed + peak.arena) peak = plan;
    }
    return peak;
}

stk_train_summary stk_trainer_summary(const stk_trainer *trainer)
{
    stk_device       *device = stk_session_device(trainer->session);
    stk_train_summary summary = {.epochs = trainer->plan.epochs,
                                 .steps = trainer->plan.steps,
                                 .first_step = trainer->state.step,
                                 .backend = stk_device_name(device),
                                 .threads = stk_device_threads(device)};
    stk_device_describe(device, summary.machine, sizeof summary.machine);
    stk_schedule_text(&trainer->schedule, summary.schedule, sizeof summary.schedule);
    snprintf(summary.cache, sizeof summary.cache, "%s", trainer->cache->choice.why);
    return summary;
}

stk_train_startup stk_trainer_startup(const stk_trainer *trainer)
{
    return trainer->startup.times;
}

void stk_trainer_warn_samples(stk_trainer *trainer, stk_status st, const stk_error *why)
{
    char text[768];
    if (!st || trainer->samples_failed) return;
    trainer->samples_failed = true;
    stk_trainer_log(trainer, "WARNING: what the network sees cannot be shown; training goes on: %s",
                    stk_error_line(why, text, sizeof text));
}

stk_status stk_trainer_samples(stk_trainer *trainer, bool validation, stk_train_samples *out,
                               stk_error *err)
{
    return stk_samples_read(trainer->samples, validation, out, err);
}

const char *stk_trainer_folder(const stk_trainer *trainer)
{
    return trainer->recipe.output.folder;
}

size_t stk_trainer_callback_count(const stk_trainer *trainer)
{
    return stk_callbacks_count(trainer->callbacks);
}

stk_callback_stats stk_trainer_callback_at(const stk_trainer *trainer, size_t index)
{
    return stk_callbacks_stats(trainer->callbacks, index);
}

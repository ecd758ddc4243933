/* The training loop: epoch groups, steps, evaluation, checkpoints. */
#include "base/clock.h"
#include "train/loop/trainer_internal.h"
#include "train/saved/run_folder.h"
#include <stdio.h>
#include <stoker/text.h>
#include <string.h>

const stk_epoch_group *stk_trainer_group(const stk_trainer *trainer)
{
    return &trainer->plan.groups[trainer->state.group];
}

/* Every group has a random stream of its own; the first one uses the seed itself. */
static uint64_t group_seed(const stk_trainer *t)
{
    return (uint64_t)t->recipe.train.seed * 0x9e3779b97f4a7c15u + (uint64_t)t->state.group + 1;
}

/* A saved position belongs to one plan. A plan with injected faults yields the same batches as one
 * without, so between the two the position is a batch count. */
static stk_status restore_position(stk_trainer *t, stk_error *err)
{
    const stk_bytes saved = stk_blob_bytes(&t->state.input);
    if (stk_faults_change_input(t->faults) || stk_trainer_position_is_count(saved))
        return stk_loader_skip(t->loader, t->state.group_step, err);
    return stk_loader_restore(t->loader, saved, err);
}

static stk_status open_loader(stk_trainer *t, stk_error *err)
{
    const stk_epoch_group   *group = stk_trainer_group(t);
    stk_device              *device = stk_session_device(t->session);
    const stk_loader_options options = {.recipe = &t->recipe,
                                        .data = t->data,
                                        .resident = stk_session_resident(t->session, false),
                                        .size = group->size,
                                        .subsample = group->subsample,
                                        .epoch = group->first_epoch,
                                        .augment_reduction = group->augment_reduction,
                                        .seed = group_seed(t),
                                        .kept = stk_session_steps_in_flight(t->session) + 1,
                                        .memory = stk_device_host_memory(device),
                                        .device = device,
                                        .cancel = t->options.cancel,
                                        .trace = t->options.trace,
                                        .faults = t->faults,
                                        .cache = t->cache,
                                        .log = t->options.log,
                                        .log_context = t->options.log_context};
    stk_loader_free(t->loader);
    t->loader = NULL;
    stk_observer_change_feed(t->observer);
    STK_TRY(stk_loader_open(&t->loader, &options, err));
    stk_status st = t->state.input.size ? restore_position(t, err) : STK_OK;
    t->state.input.size = 0;
    return !st && t->options.resume ? stk_trainer_move_data(t, err) : st;
}

static bool cancelled(const stk_trainer *t)
{
    return t->options.cancel && stk_cancel_requested(t->options.cancel);
}

/* Due by steps. By default due at the end of an epoch that takes seconds at least: a shorter one is
 * repeated as fast as it is saved. */
static bool checkpoint_due(const stk_trainer *t, const stk_train_progress *at)
{
    int64_t every = t->recipe.output.checkpoint_every;
    if (at->step == at->steps) return true;
    if (every == 0) return at->epoch_end;
    if (every > 0) return at->step % every == 0;
    uint64_t since = stk_clock_ns() - t->last_checkpoint_ns;
    return since > 60000000000u || (at->epoch_end && since > 10000000000u);
}

static bool evaluation_due(const stk_trainer *t, const stk_train_progress *at)
{
    const int64_t every = t->recipe.train.eval_every;
    if (!at->epoch_end || !t->data->validation_count) return false;
    return (every > 0 && (at->epoch + 1) % every == 0) || at->step == at->steps;
}

static void judge_early_stop(stk_trainer *t)
{
    if (!t->recipe.train.early_stop || t->state.not_better < t->recipe.train.early_stop) return;
    t->stop = t->result->stopped_early = true;
    stk_trainer_log(t, "stopped early: %lld evaluations without a better one than %.2f %%",
                    (long long)t->state.not_better, 100 * t->state.best_accuracy);
}

/* Makes the disk cache durable with the checkpoint. A failure only makes a resumed run slower. */
static void save_cache(stk_trainer *t)
{
    stk_error why;
    char      text[768];
    if (stk_data_cache_save(t->cache, &why))
        stk_trainer_log(t,
                        "WARNING: the cache could not be saved, and is made anew after a crash: "
                        "%s",
                        stk_error_line(&why, text, sizeof text));
}

static stk_status checkpoint(stk_trainer *t, stk_error *err)
{
    stk_meter_enter(t->meter, STK_STAGE_WRITE);
    stk_meter_flag(t->meter, STK_STEP_CHECKPOINT);
    save_cache(t);
    return stk_trainer_checkpoint(t, t->progress.best, err);
}

static stk_status write_for_nothing(stk_trainer *t, stk_error *err)
{
    stk_meter_enter(t->meter, STK_STAGE_WRITE);
    stk_meter_add(t->meter, STK_STAGE_WRITE, 0, 0, (uint64_t)t->faults->wanted.write_bytes);
    return stk_faults_write(t->faults, err);
}

static stk_status evaluate(stk_trainer *t, stk_error *err)
{
    stk_meter_flag(t->meter, STK_STEP_EVALUATED);
    stk_meter_leave(t->meter);
    stk_observer_pause(t->observer);
    STK_TRY(stk_trainer_evaluate(t, err));
    stk_observer_resume(t->observer);
    if (t->result->interrupted) return STK_OK;
    stk_schedule_observe(&t->schedule, t->progress.validation_loss);
    judge_early_stop(t);
    return STK_OK;
}

/* Evaluates, reports and checkpoints after a step. The report precedes the checkpoint, since a run
 * resumed from it does not repeat the report. An interrupted evaluation is not reported; the
 * resumed run does it. */
static stk_status judge_and_keep(stk_trainer *t, const stk_train_progress *at, bool due,
                                 stk_error *err)
{
    if (evaluation_due(t, at)) {
        STK_TRY(evaluate(t, err));
        if (t->result->interrupted) return STK_OK;
        due |= t->progress.best;
    }
    stk_meter_enter(t->meter, STK_STAGE_OUTPUT);
    if (at->epoch_end) stk_callbacks_report(t->callbacks, &t->progress);
    return due ? checkpoint(t, err) : STK_OK;
}

/* Work that may follow a step. Reading variables or ending an epoch first waits for the steps in
 * flight. */
static stk_status after_step(stk_trainer *t, stk_error *err)
{
    stk_train_progress at = {0};
    stk_trainer_position(t, t->state.step, t->state.group_step, &at);
    const bool due = checkpoint_due(t, &at);
    if (at.epoch_end || due) STK_TRY(stk_trainer_drain(t, err));
    STK_TRY(judge_and_keep(t, &at, due, err));
    if (stk_faults_write_due(t->faults, t->state.step)) STK_TRY(write_for_nothing(t, err));
    stk_meter_enter(t->meter, STK_STAGE_OUTPUT);
    stk_trainer_meter_outputs(t);
    stk_meter_attribute(t->meter, STK_STAGE_COMPUTE,
                        t->attributed_ns ? t->attributed_ns : t->device_ns,
                        STK_STAGE_HOST_TO_DEVICE);
    t->attributed_ns = 0;
    stk_meter_end_step(t->meter, t->state.step - 1, (uint32_t)t->recipe.data.batch);
    stk_trainer_observe_step(t);
    return STK_OK;
}

static stk_status run_steps(stk_trainer *t, stk_error *err)
{
    const stk_epoch_group *group = stk_trainer_group(t);
    while (t->state.group_step < group->steps && !t->stop) {
        if (cancelled(t)) {
            t->result->interrupted = true;
            return STK_OK;
        }
        stk_status st = stk_trainer_step(t, err);
        if (st == STK_E_CANCELLED) continue; /* the loader noticed first */
        if (st) return st;
        STK_TRY(after_step(t, err));
        if (t->result->interrupted) return STK_OK;
    }
    return STK_OK;
}

bool stk_trainer_owes_evaluation(const stk_trainer *trainer)
{
    stk_train_progress at = {0};
    if (!trainer->state.step || trainer->state.accuracy != -1) return false;
    stk_trainer_position(trainer, trainer->state.step, trainer->state.group_step, &at);
    return evaluation_due(trainer, &at);
}

/* Does the evaluation that the previous start was stopped in. */
static stk_status make_up(stk_trainer *t, stk_error *err)
{
    stk_train_progress at = {0};
    if (!stk_trainer_owes_evaluation(t)) return STK_OK;
    stk_trainer_position(t, t->state.step, t->state.group_step, &at);
    STK_TRY(judge_and_keep(t, &at, true, err));
    stk_meter_enter(t->meter, STK_STAGE_NONE);
    return STK_OK;
}

static stk_status run_group(stk_trainer *t, stk_error *err)
{
    STK_TRY(open_loader(t, err));
    stk_startup_lap(&t->startup, "input");
    stk_meter_flag(t->meter, STK_STEP_FIRST);
    STK_TRY(make_up(t, err));
    if (!t->result->interrupted) STK_TRY(run_steps(t, err));
    return stk_trainer_drain(t, err);
}

static stk_status run_groups(stk_trainer *t, stk_error *err)
{
    while (t->state.group < (int64_t)t->plan.count && !t->stop) {
        STK_TRY(run_group(t, err));
        if (t->result->interrupted || t->stop) return STK_OK;
        if (t->state.group + 1 == (int64_t)t->plan.count) return STK_OK;
        t->state.group++;
        t->state.group_step = 0;
    }
    return STK_OK;
}

/* Reports the steps since the last report of a run that ended within an epoch. */
static stk_status sum_up_rest(stk_trainer *t, stk_error *err)
{
    stk_train_progress *p = &t->progress;
    stk_train_sums      sums = t->epoch;
    stk_metrics         rest;
    if (p->epoch_end || !t->window.loss_samples) return STK_OK;
    STK_TRY(stk_session_metrics(t->session, false, false, &rest, err));
    stk_train_sums_add(&sums, &t->window);
    stk_train_sums_add_metrics(&sums, &rest);
    const stk_train_means means = stk_train_sums_means(&sums);
    p->epoch_loss = means.loss;
    p->epoch_accuracy = means.accuracy;
    return STK_OK;
}

/* Ends the event files with the outcome; a run that will be resumed has none. All reports must be
 * on disk then. */
static stk_status end_outputs(stk_trainer *t, bool success, stk_error *err)
{
    stk_callbacks_flush(t->callbacks);
    if (!t->result->interrupted) STK_TRY(stk_outputs_end(&t->outputs, success, err));
    return stk_callbacks_wait(t->callbacks, stk_callbacks_ticket(t->callbacks), err);
}

/* Keeps the cache for a resumed run. */
static void end_cache(stk_trainer *t)
{
    if (t->cache->choice.kind == STK_CACHE_NONE) return;
    char                   read[STK_CACHE_AMOUNT], requested[STK_CACHE_AMOUNT];
    const stk_cached_stats a = stk_cached_files_stats(t->cache->files);
    save_cache(t);
    if (t->result->interrupted && !t->options.brief) stk_data_cache_keep(t->cache);
    stk_trainer_log(t, "cache: %s of files were read from storage, %s were asked for",
                    stk_cache_amount(read, a.read), stk_cache_amount(requested, a.asked));
}

static void log_where_to_resume(const stk_trainer *t)
{
    const int64_t written = stk_checkpoint_writer_written(t->writer);
    const int64_t last = written > t->resumed_step ? written : t->resumed_step;
    char          folder[2048]; /* a longer path is not printed */
    if (last <= 0) return;
    if (stk_shell_path(folder, sizeof folder, t->recipe.output.folder) >= sizeof folder)
        snprintf(folder, sizeof folder, "RUN");
    stk_trainer_log(t, "the checkpoint of step %lld is good; --resume %s goes on from it",
                    (long long)last, folder);
}

/* Waits for all files of the run. The first missing one is the error. */
static stk_status finish_files(stk_trainer *t, stk_error *err)
{
    stk_error  why;
    stk_status st = stk_checkpoint_writer_flush(t->writer, NULL, err);
    if (end_outputs(t, true, st ? &why : err) && !st) st = err->status;
    if (!st && !t->result->interrupted) st = stk_trainer_check_models(t, err);
    return st;
}

static stk_status finish(stk_trainer *t, stk_error *err)
{
    stk_train_result *r = t->result;
    stk_error         unasked;
    if (!err) err = &unasked;
    if (r->interrupted && t->state.step != t->last_checkpoint)
        STK_TRY(stk_trainer_checkpoint(t, false, err));
    STK_TRY(sum_up_rest(t, err));
    end_cache(t);
    stk_trainer_observe_now(t);
    r->last = t->progress;
    const stk_status st = finish_files(t, err);
    if (st) {
        log_where_to_resume(t);
        return st;
    }
    r->best_accuracy = t->state.best_accuracy;
    r->best_step = t->state.best_step;
    const bool best = t->state.best_accuracy >= 0;
    stk_run_folder_path(t->recipe.output.folder, best ? "best.safetensors" : "final.safetensors",
                        r->best_path);
    return STK_OK;
}

/* Saves as much as possible after an error, which was reported already. */
static void give_up(stk_trainer *t)
{
    stk_error unasked;
    t->result->last = t->progress;
    stk_session_drain(t->session);
    if (!t->options.brief) stk_data_cache_keep(t->cache);
    (void)!stk_checkpoint_writer_flush(t->writer, NULL, &unasked);
    (void)!end_outputs(t, false, &unasked);
    log_where_to_resume(t);
}

stk_status stk_trainer_run(stk_trainer *trainer, stk_train_result *result, stk_error *err)
{
    *result = (stk_train_result){0};
    trainer->result = result;
    trainer->start_ns = trainer->last_checkpoint_ns = stk_clock_ns();
    stk_startup_skip(&trainer->startup);
    if (trainer->plan.count == 0) return finish(trainer, err);
    stk_trainer_position(trainer, trainer->state.step, trainer->state.group_step,
                         &trainer->progress);
    stk_status st = trainer->state.step ? STK_OK : stk_session_begin(trainer->session, err);
    stk_startup_lap(&trainer->startup, "weights");
    if (!st) st = run_groups(trainer, err);
    if (!st) return finish(trainer, err);
    give_up(trainer);
    return st;
}

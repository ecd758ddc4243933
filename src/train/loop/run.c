/* The loop: input, step, account, report, evaluate, checkpoint. */
#include "base/clock.h"
#include "train/loop/run_folder.h"
#include "train/loop/trainer.h"
#include <math.h>
#include <string.h>

/* With a loss scale, steps are skipped until the scale fits: it halves with each, and no run needs
 * more than from 2^24 to 2^-16. */
enum { LOST_MOST = 40 };

const stk_phase *stk_trainer_phase(const stk_trainer *trainer)
{
    return &trainer->course.phases[trainer->state.phase];
}

/* Every phase draws from a stream of its own; the first is the seed's. */
static uint64_t phase_seed(const stk_trainer *t)
{
    return (uint64_t)t->recipe.train.seed * 0x9e3779b97f4a7c15u + (uint64_t)t->state.phase + 1;
}

/* A place is one of a plan. A plan with faults in it gives the same batches as the one without, so
 * between the two they are counted. */
static stk_status go_to_place(stk_trainer *t, stk_error *err)
{
    const stk_bytes saved = stk_blob_bytes(&t->state.input);
    if (stk_faults_change_input(t->faults) || stk_trainer_place_is_count(saved))
        return stk_feed_skip(t->feed, t->state.phase_step, err);
    return stk_feed_restore(t->feed, saved, err);
}

static stk_status open_feed(stk_trainer *t, stk_error *err)
{
    const stk_phase       *phase = stk_trainer_phase(t);
    const stk_feed_options options = {.recipe = &t->recipe,
                                      .data = t->data,
                                      .size = phase->size,
                                      .every = phase->every,
                                      .calm = phase->calm,
                                      .seed = phase_seed(t),
                                      .cancel = t->options.cancel,
                                      .trace = t->options.trace,
                                      .faults = t->faults,
                                      .log = t->options.log,
                                      .log_context = t->options.log_context};
    stk_feed_free(t->feed);
    t->feed = NULL;
    stk_observer_change_feed(t->observer);
    STK_TRY(stk_feed_open(&t->feed, &options, err));
    if (!t->state.input.size) return STK_OK;
    stk_status st = go_to_place(t, err);
    t->state.input.size = 0;
    return st;
}

static bool cancelled(const stk_trainer *t)
{
    return t->options.cancel && stk_cancel_requested(t->options.cancel);
}

static void place(stk_trainer *t)
{
    const stk_phase    *phase = stk_trainer_phase(t);
    stk_train_progress *p = &t->progress;
    p->step = t->state.step;
    p->steps = t->course.steps;
    p->epochs = t->course.epochs;
    p->epoch_steps = phase->epoch_steps;
    p->size = phase->size;
    p->epoch = phase->first_epoch +
               (t->state.phase_step ? (t->state.phase_step - 1) : 0) / phase->epoch_steps;
    p->epoch_step = t->state.phase_step - (p->epoch - phase->first_epoch) * phase->epoch_steps;
    p->epoch_end = p->epoch_step == phase->epoch_steps || t->state.phase_step == phase->steps;
    p->seconds = t->state.seconds + (double)(stk_clock_ns() - t->start_ns) / 1e9;
    p->evaluated = p->best = false;
}

stk_status stk_trainer_measure(stk_trainer *trainer, stk_error *err)
{
    stk_train_progress *p = &trainer->progress;
    stk_metrics         m;
    STK_TRY(stk_session_metrics(trainer->session, false, true, &m, err));
    double count = m.count > 0 ? (double)m.count : 1, seconds = (double)trainer->window_ns / 1e9;
    p->loss = (double)m.loss / count;
    p->accuracy = (double)m.correct / count;
    if (seconds > 0) {
        p->images_per_second =
            (double)(trainer->window_steps * trainer->recipe.data.batch) / seconds;
        p->input_wait = (double)trainer->window_wait_ns / (double)trainer->window_ns;
        p->seconds_left = (double)(p->steps - p->step) * seconds / (double)trainer->window_steps;
    }
    trainer->window_ns = trainer->window_wait_ns = 0;
    trainer->window_steps = 0;
    return STK_OK;
}

/* What a loss that is not a number comes from is looked for in the same batch: nothing was updated
 * with it. */
static stk_status not_finite(stk_trainer *t, const stk_feed_batch *batch,
                             const stk_step_input *input, float loss, stk_error *err)
{
    stk_error  why = {0};
    char       found[640] = "every operation of the step is finite by itself";
    stk_status st = stk_session_find_not_finite(t->session, batch, input, &why);
    if (st == STK_E_RANGE) stk_error_line(&why, found, sizeof found);
    return stk_fail(err, STK_E_RANGE, "train", found,
                    "the loss of step %lld is %g%s; no update was made with it. A smaller "
                    "train.learning_rate (now %g) or train.clip_norm helps; the last checkpoint is "
                    "good",
                    (long long)t->state.step + 1, (double)loss,
                    isfinite(loss) ? " and its gradients are not finite" : "", input->rate);
}

static stk_status do_step(stk_trainer *t, stk_error *err)
{
    stk_feed_batch  batch;
    stk_step_result done;
    uint64_t        begin = stk_clock_ns(), waited = stk_feed_wait_ns(t->feed);
    STK_TRY(stk_feed_next_measured(t->feed, t->meter, &batch, err));
    uint64_t       ready = stk_clock_ns();
    int64_t        every = t->recipe.train.accumulate;
    stk_step_input input = {.size = stk_trainer_phase(t)->size,
                            .step = t->state.step,
                            .meter = t->meter,
                            .update = (t->state.step + 1) % every == 0};
    input.rate = stk_schedule_rate(&t->schedule, t->state.step);
    input.momentum = stk_schedule_momentum(&t->schedule, t->state.step);
    stk_trace_thread *ops = stk_trace_at(t->options.trace, t->thread, STK_TRACE_OPS);
    STK_TRY(stk_session_step(t->session, &batch, &input, ops, &done, err));
    if (ops) stk_meter_mark(t->meter, STK_STEP_TRACED);
    stk_meter_enter(t->meter, STK_STAGE_NONE);
    bool lost = !isfinite(done.loss) || done.skipped;
    t->lost_in_a_row = lost ? t->lost_in_a_row + 1 : 0;
    if (lost && (t->recipe.train.loss_scale == 0 || t->lost_in_a_row > LOST_MOST))
        return not_finite(t, &batch, &input, done.loss, err);
    t->progress.skipped += done.skipped;
    t->progress.learning_rate = input.rate;
    t->progress.momentum = input.momentum;
    t->state.step++;
    t->state.phase_step++;
    uint64_t end = stk_clock_ns();
    t->window_ns += end - begin;
    t->window_wait_ns += stk_feed_wait_ns(t->feed) - waited;
    t->window_steps++;
    t->result->input_seconds += (double)(ready - begin) / 1e9;
    t->result->compute_seconds += (double)(end - ready) / 1e9;
    place(t);
    stk_meter_enter(t->meter, STK_STAGE_OUTPUT);
    stk_callbacks_step(t->callbacks, &t->progress, end - ready);
    stk_meter_enter(t->meter, STK_STAGE_NONE);
    return STK_OK;
}

/* By steps, or once a minute where nobody said how often. */
static bool checkpoint_due(const stk_trainer *t)
{
    int64_t every = t->recipe.output.checkpoint_every;
    if (t->progress.epoch_end || every == 0) return t->progress.epoch_end;
    if (every > 0) return t->state.step % every == 0;
    return stk_clock_ns() - t->last_checkpoint_ns > 60000000000u;
}

static bool evaluation_due(const stk_trainer *t)
{
    const stk_train_progress *p = &t->progress;
    if (!p->epoch_end || !t->data->validation_count) return false;
    return (p->epoch + 1) % t->recipe.train.eval_every == 0 || p->step == p->steps;
}

static void judge_early_stop(stk_trainer *t)
{
    if (!t->recipe.train.early_stop || t->state.not_better < t->recipe.train.early_stop) return;
    t->stop = t->result->stopped_early = true;
    stk_trainer_log(t, "stopped early: %lld evaluations without a better one than %.2f %%",
                    (long long)t->state.not_better, 100 * t->state.best_accuracy);
}

static stk_status measure(stk_trainer *t, stk_error *err)
{
    stk_meter_enter(t->meter, STK_STAGE_DEVICE_TO_HOST);
    stk_meter_mark(t->meter, STK_STEP_REPORT);
    return stk_trainer_measure(t, err);
}

static stk_status checkpoint(stk_trainer *t, stk_error *err)
{
    stk_meter_enter(t->meter, STK_STAGE_WRITE);
    stk_meter_mark(t->meter, STK_STEP_CHECKPOINT);
    return stk_trainer_checkpoint(t, t->progress.best, err);
}

static stk_status write_for_nothing(stk_trainer *t, stk_error *err)
{
    stk_meter_enter(t->meter, STK_STAGE_WRITE);
    stk_meter_add(t->meter, STK_STAGE_WRITE, 0, 0, (uint64_t)t->faults->wanted.write_bytes);
    return stk_faults_write(t->faults, err);
}

/* Everything that may follow a step. */
static stk_status after_step(stk_trainer *t, stk_error *err)
{
    bool report = t->state.step % t->recipe.output.log_every == 0 || t->progress.epoch_end;
    if (report) STK_TRY(measure(t, err));
    if (evaluation_due(t)) {
        stk_meter_mark(t->meter, STK_STEP_EVALUATED);
        stk_meter_leave(t->meter);
        STK_TRY(stk_trainer_evaluate(t, err));
        stk_schedule_observe(&t->schedule, t->progress.validation_loss);
        judge_early_stop(t);
    }
    if (checkpoint_due(t)) STK_TRY(checkpoint(t, err));
    if (stk_faults_write_due(t->faults, t->state.step)) STK_TRY(write_for_nothing(t, err));
    stk_meter_enter(t->meter, STK_STAGE_OUTPUT);
    if (report) stk_callbacks_report(t->callbacks, &t->progress);
    stk_trainer_tell_outputs(t);
    stk_meter_end_step(t->meter, t->state.step - 1, (uint32_t)t->recipe.data.batch);
    stk_trainer_observe_step(t);
    return STK_OK;
}

static stk_status run_phase(stk_trainer *t, stk_error *err)
{
    const stk_phase *phase = stk_trainer_phase(t);
    STK_TRY(open_feed(t, err));
    stk_meter_mark(t->meter, STK_STEP_FIRST);
    while (t->state.phase_step < phase->steps && !t->stop) {
        if (cancelled(t)) {
            t->result->interrupted = true;
            return STK_OK;
        }
        stk_status st = do_step(t, err);
        if (st == STK_E_CANCELLED) continue; /* the feed noticed first */
        if (st) return st;
        STK_TRY(after_step(t, err));
    }
    return STK_OK;
}

static stk_status run_phases(stk_trainer *t, stk_error *err)
{
    while (t->state.phase < (int64_t)t->course.count && !t->stop) {
        STK_TRY(run_phase(t, err));
        if (t->result->interrupted || t->stop) return STK_OK;
        if (t->state.phase + 1 == (int64_t)t->course.count) return STK_OK;
        t->state.phase++;
        t->state.phase_step = 0;
    }
    return STK_OK;
}

static stk_status finish(stk_trainer *t, stk_error *err)
{
    stk_train_result *r = t->result;
    int               failures = 0;
    stk_error         why;
    if (r->interrupted && t->state.step != t->last_checkpoint)
        STK_TRY(stk_trainer_checkpoint(t, false, err));
    stk_trainer_observe_now(t);
    stk_callbacks_flush(t->callbacks);
    stk_status st = stk_checkpoint_writer_flush(t->writer, &failures, &why);
    if (st) { /* the last one is what a person wants to have */
        if (err) *err = why;
        return st;
    }
    r->last = t->progress;
    r->best_accuracy = t->state.best_accuracy;
    r->best_step = t->state.best_step;
    if (t->state.best_accuracy >= 0)
        stk_run_folder_path(t->recipe.output.folder, "best.safetensors", r->best_path);
    else
        stk_run_folder_path(t->recipe.output.folder, "final.safetensors", r->best_path);
    return STK_OK;
}

stk_status stk_trainer_run(stk_trainer *trainer, stk_train_result *result, stk_error *err)
{
    *result = (stk_train_result){0};
    trainer->result = result;
    trainer->start_ns = trainer->last_checkpoint_ns = stk_clock_ns();
    if (trainer->course.count == 0) return finish(trainer, err);
    place(trainer);
    stk_status st = run_phases(trainer, err);
    if (st) {
        int       failures;
        stk_error unasked;
        stk_callbacks_flush(trainer->callbacks);
        if (stk_checkpoint_writer_flush(trainer->writer, &failures, &unasked)) return st;
        return st;
    }
    return finish(trainer, err);
}

/* Training steps: enqueued in order, and accounted for in order when their results arrive. */
#include "base/clock.h"
#include "train/loop/trainer_internal.h"
#include <math.h>
#include <stdio.h>

/* With a loss scale, steps are skipped until the scale fits. Each skip halves it, and no run needs
 * more than from 2^24 to 2^-16. */
enum { LOST_MAX = 40 };

void stk_trainer_position(const stk_trainer *trainer, int64_t step, int64_t group_step,
                          stk_train_progress *progress)
{
    const stk_epoch_group *group = stk_trainer_group(trainer);
    stk_train_progress    *p = progress;
    p->step = p->last_enqueued = step;
    p->steps = trainer->plan.steps;
    p->epochs = trainer->plan.epochs;
    p->epoch_steps = group->epoch_steps;
    p->size = group->size;
    p->epoch = group->first_epoch + (group_step ? (group_step - 1) : 0) / group->epoch_steps;
    p->epoch_step = group_step - (p->epoch - group->first_epoch) * group->epoch_steps;
    p->epoch_end = p->epoch_step == group->epoch_steps || group_step == group->steps;
    p->seconds = trainer->state.seconds + (double)(stk_clock_ns() - trainer->start_ns) / 1e9;
    p->evaluated = p->best = false;
}

/* Nanoseconds of training since they were last counted. */
static uint64_t spend(stk_trainer *t)
{
    uint64_t now = stk_clock_ns(), spent = now - t->since_ns;
    t->window_ns += spent;
    t->since_ns = now;
    return spent;
}

/* Means since the last report and over the epoch: an epoch may have several reports. */
static void sum_up(stk_trainer *t, const stk_metrics *m)
{
    stk_train_progress *p = &t->progress;
    stk_train_sums_add_metrics(&t->window, m);
    stk_train_sums_add(&t->epoch, &t->window);
    const stk_train_means window = stk_train_sums_means(&t->window);
    const stk_train_means epoch = stk_train_sums_means(&t->epoch);
    p->loss = window.loss;
    p->accuracy = window.accuracy;
    p->epoch_loss = epoch.loss;
    p->epoch_accuracy = epoch.accuracy;
    t->window = (stk_train_sums){0};
}

/* Adds the evaluations still due at epoch ends. An evaluation has no backward pass and costs about
 * a third of a step per image. */
void stk_trainer_summarize(stk_trainer *trainer)
{
    stk_train_progress     *p = &trainer->progress;
    const stk_train_recipe *r = &trainer->recipe;
    const int64_t           every = r->train.eval_every;
    const int64_t           done = p->epoch + (p->evaluated ? 1 : 0);
    int64_t                 left = every > 0 ? p->epochs / every - done / every : 0;
    if (left < 1 && done < p->epochs) left = 1; /* the last epoch is always evaluated */
    if (!trainer->data->validation_count) left = 0;
    p->seconds_left =
        stk_pace_left(&trainer->pace, p->steps - p->step, left,
                      (double)trainer->data->validation_count / (3 * (double)r->data.batch));
}

/* Speed since the last report. */
static void measure_speed(stk_trainer *t)
{
    stk_train_progress *p = &t->progress;
    double              seconds = (double)t->window_ns / 1e9;
    if (seconds > 0) {
        p->images_per_second = (double)(t->window_steps * t->recipe.data.batch) / seconds;
        p->input_wait = (double)t->window_wait_ns / (double)t->window_ns;
        stk_pace_add(&t->pace, seconds, t->window_steps);
    }
    stk_trainer_summarize(t);
    t->window_ns = t->window_wait_ns = 0;
    t->window_steps = 0;
}

/* Searches the same batch for the origin of a non-finite loss: the step changed no variable. Steps
 * in flight behind it may have. */
static stk_status not_finite(stk_trainer *t, const stk_pending_step *b, float loss, stk_error *err)
{
    stk_error why = {0};
    char      found[640] = "every operation of the step is finite by itself";
    bool      later = stk_session_under_way(t->session) > 0;
    if (later)
        snprintf(found, sizeof found,
                 "every operation of the step is finite with the weights of now; --eager stops at "
                 "the first that is not");
    stk_session_drain(t->session);
    stk_status st = stk_session_find_not_finite(t->session, &b->batch, &b->input, &why);
    if (st == STK_E_RANGE) stk_error_line(&why, found, sizeof found);
    return stk_fail(err, STK_E_RANGE, "train", found,
                    "the loss of step %lld is %g%s; no update was made with it. A smaller "
                    "train.learning_rate (now %g) or train.clip_norm helps; the last checkpoint is "
                    "good",
                    (long long)b->step, (double)loss,
                    isfinite(loss) ? " and its gradients are not finite" : "", b->input.now.rate);
}

/* Accounts for the oldest step in flight. */
static stk_status end_step(stk_trainer *t, const stk_instruction_result *done, uint64_t step_ns,
                           stk_error *err)
{
    const stk_pending_step *b = &t->pending[t->done_count++ % STK_TRAINER_SLOTS];
    stk_train_progress     *p = &t->progress;
    bool                    lost = !isfinite(done->loss) || done->skipped;
    t->lost_in_a_row = lost ? t->lost_in_a_row + 1 : 0;
    if (t->done_count == 1) {
        stk_startup_lap(&t->startup, "first step");
        stk_startup_end(&t->startup);
    }
    if (lost && (t->recipe.train.loss_scale == 0 || t->lost_in_a_row > LOST_MAX))
        return not_finite(t, b, done->loss, err);
    p->skipped += done->skipped;
    p->learning_rate = b->input.now.rate;
    p->momentum = b->input.now.momentum;
    stk_trainer_position(t, b->step, b->group_step, p);
    p->last_enqueued += (int64_t)(t->begun_total - t->done_count);
    t->device_ns = done->device_ns;
    t->attributed_ns += done->device_ns;
    t->window_steps++;
    if (p->epoch_step == 1) t->epoch = (stk_train_sums){0};
    stk_train_sums_add_loss(&t->window, done->loss, t->recipe.data.batch);
    if (done->measured) {
        sum_up(t, &done->metrics);
        measure_speed(t);
    }
    stk_meter_enter(t->meter, STK_STAGE_OUTPUT);
    stk_callbacks_step(t->callbacks, p, done->device_ns ? done->device_ns : step_ns);
    if (done->measured && !p->epoch_end) stk_callbacks_report(t->callbacks, p);
    stk_meter_enter(t->meter, STK_STAGE_NONE);
    return STK_OK;
}

/* Takes results until at most left steps are in flight. */
static stk_status take_results(stk_trainer *t, size_t left, uint64_t *spent, stk_error *err)
{
    stk_instruction_result done;
    while (stk_session_under_way(t->session) > left) {
        STK_TRY(stk_session_result(t->session, t->meter, &done, err));
        stk_meter_enter(t->meter, STK_STAGE_NONE);
        *spent += spend(t);
        STK_TRY(end_step(t, &done, *spent, err));
        t->since_ns = stk_clock_ns(); /* callbacks are not training */
    }
    return STK_OK;
}

stk_status stk_trainer_drain(stk_trainer *trainer, stk_error *err)
{
    uint64_t spent = 0;
    trainer->since_ns = stk_clock_ns();
    STK_TRY(take_results(trainer, 0, &spent, err));
    trainer->result->compute_seconds += (double)spent / 1e9;
    return STK_OK;
}

/* Runs after every so many updates and after the last one, so that the slow weights are the
 * result. */
static void plan_lookahead(const stk_trainer *t, stk_pending_step *b)
{
    int64_t every = t->recipe.train.lookahead, accumulate = t->recipe.train.accumulate;
    int64_t done = b->step / accumulate, total = t->plan.steps / accumulate;
    bool    due = every > 0 && b->input.update && done % every == 0;
    b->input.lookahead = due || (every > 0 && b->step == t->plan.steps);
    b->input.now.lookahead_weight = due ? stk_optimizer_lookahead_weight(every, done, total) : 1;
}

/* The state advances when a step is enqueued. */
static stk_pending_step *next_step(stk_trainer *t)
{
    stk_pending_step  *b = &t->pending[t->begun_total % STK_TRAINER_SLOTS];
    stk_train_progress at = {0};
    b->input =
        (stk_instruction_input){.size = stk_trainer_group(t)->size,
                                .step = t->state.step,
                                .meter = t->meter,
                                .update = (t->state.step + 1) % t->recipe.train.accumulate == 0};
    b->input.now =
        (stk_hyperparameters){.rate = stk_schedule_rate(&t->schedule, t->state.step),
                              .momentum = stk_schedule_momentum(&t->schedule, t->state.step),
                              .progress = (double)t->state.step / (double)t->plan.steps};
    b->step = ++t->state.step;
    t->state.accuracy = -1;
    plan_lookahead(t, b);
    b->group_step = ++t->state.group_step;
    stk_trainer_position(t, b->step, b->group_step, &at);
    b->input.measure = b->step % t->recipe.output.log_every == 0 || at.epoch_end;
    if (b->input.measure) stk_meter_flag(t->meter, STK_STEP_REPORT);
    return b;
}

/* Waiting for a batch costs nothing while an asynchronous device is busy. */
static void meter_input(stk_trainer *t, uint64_t input_ns, uint64_t wait_ns, uint64_t compute_ns)
{
    uint64_t device_alone_ns = t->device_ns > compute_ns ? t->device_ns - compute_ns : 0;
    uint64_t hidden = device_alone_ns < input_ns ? device_alone_ns : input_ns;
    t->window_wait_ns += wait_ns > hidden ? wait_ns - hidden : 0;
    t->result->input_seconds += (double)(input_ns - hidden) / 1e9;
    t->result->compute_seconds += (double)(compute_ns + hidden) / 1e9;
}

/* Samples the first batch of an epoch. If the device makes the images, only the first batch of a
 * start, while no step is in flight: sampling waits for the device. */
static void sample(stk_trainer *t, const stk_pending_step *b)
{
    stk_train_progress at = {0};
    stk_error          why;
    stk_trainer_position(t, b->step, b->group_step, &at);
    if (t->begun_total && (at.epoch_step != 1 || b->batch.edits)) return;
    stk_meter_enter(t->meter, STK_STAGE_OUTPUT);
    const stk_status st =
        stk_samples_train(t->samples, t->session, &b->batch, b->input.size, b->step, &why);
    stk_trainer_warn_samples(t, st, &why);
}

stk_status stk_trainer_step(stk_trainer *trainer, stk_error *err)
{
    stk_trainer     *t = trainer;
    stk_loader_batch batch;
    uint64_t         waited = stk_loader_wait_ns(t->loader), compute_ns = 0;
    t->since_ns = stk_clock_ns();
    STK_TRY(stk_loader_next_measured(t->loader, t->meter, &batch, err));
    uint64_t input_ns = spend(t);
    if (!t->begun_total) stk_startup_lap(&t->startup, "first batch");
    stk_pending_step *b = next_step(t);
    b->batch = batch;
    sample(t, b);
    stk_trace_thread *thread = stk_trace_at(t->options.trace, t->thread, STK_TRACE_STAGES);
    STK_TRY(stk_session_step(t->session, &b->batch, &b->input, thread, err));
    t->begun_total++;
    if (stk_trace_at(t->options.trace, t->thread, STK_TRACE_OPS))
        stk_meter_flag(t->meter, STK_STEP_TRACED);
    stk_status st =
        take_results(t, (size_t)stk_session_steps_in_flight(t->session), &compute_ns, err);
    compute_ns += spend(t);
    meter_input(t, input_ns, stk_loader_wait_ns(t->loader) - waited, compute_ns);
    return st;
}

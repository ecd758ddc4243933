/* Evaluation, checkpoints and resuming. */
#include "base/clock.h"
#include "train/loop/model_card.h"
#include "train/saved/run_folder.h"
#include <stdlib.h>
#include <stoker/optimizer.h>
#include <string.h>

/* Evaluates all batches. Waits for the device at the end, and for each batch with a sampled
 * image. */
static stk_status evaluate_batches(stk_trainer *t, stk_loader *loader, float *logits,
                                   stk_error *err)
{
    const int64_t    size = t->recipe.data.size;
    stk_loader_batch batch;
    stk_session_clear_metrics(t->session, true);
    stk_samples_begin(t->samples, t->session);
    for (;;) {
        STK_TRY(stk_loader_next_aside(loader, t->meter, &batch, err));
        if (!batch.rows) return STK_OK;
        float *wanted = stk_samples_needed(t->samples, batch.rows) ? logits : NULL;
        stk_meter_aside(t->meter, STK_STAGE_COMPUTE);
        STK_TRY(stk_session_evaluate(t->session, &batch, size, wanted, err));
        stk_meter_aside(t->meter, STK_STAGE_NONE);
        stk_samples_next(t->samples, &batch, wanted);
    }
}

static stk_status evaluate_and_sample(stk_trainer *t, stk_loader *loader, stk_metrics *m,
                                      stk_error *err)
{
    const stk_train_recipe *r = &t->recipe;
    const size_t            bytes = (size_t)(r->data.eval_batch * r->model.classes) * sizeof(float);
    float                  *logits = malloc(bytes);
    stk_error               why;
    if (!logits)
        return stk_fail(err, STK_E_NOMEM, "evaluate", NULL, "no memory for %zu bytes", bytes);
    stk_status st = evaluate_batches(t, loader, logits, err);
    stk_meter_aside(t->meter, STK_STAGE_COMPUTE); /* waits for the device */
    if (!st) st = stk_session_metrics(t->session, true, false, m, err);
    stk_meter_aside(t->meter, STK_STAGE_NONE);
    free(logits);
    STK_TRY(st);
    st = stk_samples_end(t->samples, t->session, t->state.step, &why);
    stk_trainer_warn_samples(t, st, &why);
    return STK_OK;
}

static stk_status evaluate_all(stk_trainer *t, stk_metrics *m, stk_error *err)
{
    stk_device              *device = stk_session_device(t->session);
    const stk_loader_options options = {.recipe = &t->recipe,
                                        .data = t->data,
                                        .evaluate = true,
                                        .resident = stk_session_resident(t->session, true),
                                        .size = t->recipe.data.size,
                                        .seed = 1,
                                        .memory = stk_device_host_memory(device),
                                        .device = device,
                                        .cancel = t->options.cancel,
                                        .trace = t->options.trace,
                                        .cache = t->cache,
                                        .log = t->options.log,
                                        .log_context = t->options.log_context};
    stk_loader              *loader;
    STK_TRY(stk_loader_open(&loader, &options, err));
    stk_status st = evaluate_and_sample(t, loader, m, err);
    stk_loader_free(loader);
    return st;
}

stk_status stk_trainer_evaluate(stk_trainer *trainer, stk_error *err)
{
    stk_train_progress *p = &trainer->progress;
    stk_metrics         m;
    stk_trace_thread   *trace =
        stk_trace_at(trainer->options.trace, trainer->thread, STK_TRACE_STAGES);
    uint64_t   span = stk_span_begin(trace), begin = stk_clock_ns();
    stk_status st = evaluate_all(trainer, &m, err);
    stk_span_end(trace, STK_STAGE_NONE, "evaluate", span, 0);
    const double seconds = (double)(stk_clock_ns() - begin) / 1e9;
    trainer->result->evaluation_seconds += seconds;
    if (st == STK_E_CANCELLED) {
        trainer->result->interrupted = true;
        return STK_OK;
    }
    STK_TRY(st);
    stk_pace_add_evaluation(&trainer->pace, seconds);
    double count = m.count > 0 ? (double)m.count : 1;
    p->evaluated = true;
    stk_trainer_summarize(trainer);
    p->validation_loss = (double)m.loss / count;
    p->validation_accuracy = (double)m.correct / count;
    p->validation_top5 = (double)m.top5 / count;
    trainer->state.accuracy = p->validation_accuracy;
    p->best = p->validation_accuracy >
              trainer->state.best_accuracy + trainer->recipe.train.early_stop_delta;
    trainer->state.not_better = p->best ? 0 : trainer->state.not_better + 1;
    if (!p->best) return STK_OK;
    trainer->state.best_accuracy = p->validation_accuracy;
    trainer->state.best_step = trainer->state.step;
    return STK_OK;
}

/* Stored instead of a loader's position, which begins with other bytes. */
static const char position_by_count[] = "as many batches as steps of the phase";

bool stk_trainer_position_is_count(stk_bytes saved)
{
    return saved.size == sizeof position_by_count &&
           memcmp(saved.data, position_by_count, sizeof position_by_count) == 0;
}

/* Training sums in a checkpoint, and the last measurements for a report still due. */
typedef struct kept_sums {
    stk_metrics    device;
    stk_train_sums window, epoch;
    double         loss, accuracy, epoch_loss, epoch_accuracy, learning_rate, momentum;
    double         images_per_second, input_wait;
} kept_sums;

enum { KEPT_BEFORE = offsetof(kept_sums, loss) }; /* size in earlier versions */

/* Fills the state after the last step, in the form of a checkpoint. */
static stk_status gather(stk_trainer *t, stk_run_state *state, stk_error *err)
{
    const stk_train_progress *p = &t->progress;
    kept_sums                 sums = {.window = t->window,
                                      .epoch = t->epoch,
                                      .loss = p->loss,
                                      .accuracy = p->accuracy,
                                      .epoch_loss = p->epoch_loss,
                                      .epoch_accuracy = p->epoch_accuracy,
                                      .learning_rate = p->learning_rate,
                                      .momentum = p->momentum,
                                      .images_per_second = p->images_per_second,
                                      .input_wait = p->input_wait};
    stk_run_state_init(state, NULL);
    stk_blob input = state->input, schedule = state->schedule, metrics = state->metrics;
    *state = t->state;
    state->input = input;
    state->schedule = schedule;
    state->metrics = metrics;
    state->seconds = t->progress.seconds;
    STK_TRY(stk_session_metrics(t->session, false, false, &sums.device, err));
    STK_TRY(stk_blob_append(&state->metrics, &sums, sizeof sums, err));
    STK_TRY(stk_schedule_save(&t->schedule, &state->schedule, err));
    return stk_faults_change_input(t->faults)
               ? stk_blob_append(&state->input, position_by_count, sizeof position_by_count, err)
               : stk_loader_save(t->loader, &state->input, err);
}

/* Hands the state to the writer, and the weights alone for models. */
static stk_status put(stk_trainer *t, const char *const *models, stk_error *err)
{
    stk_run_state  state;
    stk_model_card card;
    stk_run_state_init(&state, NULL);
    stk_status st = stk_model_card_init(&card, t, t->state.step, t->state.accuracy, err);
    if (!st) st = gather(t, &state, err);
    if (!st)
        st = stk_checkpoint_writer_put(t->writer, stk_session_variables(t->session), &state, models,
                                       stk_session_prefix(t->session), card.texts, err);
    stk_run_state_release(&state);
    stk_model_card_release(&card);
    return st;
}

stk_status stk_trainer_checkpoint(stk_trainer *trainer, bool best, stk_error *err)
{
    char        paths[STK_WRITER_MODELS][STK_TRAIN_PATH];
    const char *models[STK_WRITER_MODELS + 1] = {NULL};
    int         count = 0;
    uint64_t    begin = stk_clock_ns();
    bool        last = trainer->state.step == trainer->plan.steps && !trainer->result->interrupted;
    if (best) models[count++] = "best.safetensors";
    if (last) models[count++] = "final.safetensors";
    for (int i = 0; i < count; i++) {
        stk_run_folder_path(trainer->recipe.output.folder, models[i], paths[i]);
        models[i] = paths[i];
    }
    const stk_status st = put(trainer, models, err);
    trainer->last_checkpoint = trainer->state.step;
    trainer->last_checkpoint_ns = stk_clock_ns();
    trainer->result->output_seconds += (double)(stk_clock_ns() - begin) / 1e9;
    return st;
}

static void warn(void *context, const char *line)
{
    stk_trainer_log(context, "WARNING: %s", line);
}

/* Checkpoints of earlier versions have no sums of the epoch. */
static stk_status put_sums_back(stk_trainer *t, stk_error *err)
{
    stk_train_progress *p = &t->progress;
    kept_sums           sums = {0};
    const size_t        size = t->state.metrics.size;
    const bool          complete = size == sizeof sums || size == KEPT_BEFORE;
    if (complete) memcpy(&sums, t->state.metrics.data, size);
    t->window = sums.window;
    t->epoch = sums.epoch;
    p->loss = sums.loss;
    p->accuracy = sums.accuracy;
    p->epoch_loss = sums.epoch_loss;
    p->epoch_accuracy = sums.epoch_accuracy;
    p->learning_rate = sums.learning_rate;
    p->momentum = sums.momentum;
    p->images_per_second = sums.images_per_second;
    p->input_wait = sums.input_wait;
    if (!complete)
        stk_trainer_log(t, "WARNING: the checkpoint is of an earlier version and has no sums of "
                           "its epoch: loss and accuracy of that epoch are those of its rest");
    return stk_session_set_metrics(t->session, &sums.device, err);
}

static stk_status put_back(stk_trainer *t, const char *path, stk_error *err)
{
    uint64_t recipe = t->state.recipe;
    STK_TRY(stk_checkpoint_load(NULL, path, stk_session_variables(t->session), &t->state, err));
    if (t->state.recipe != recipe)
        return stk_fail(err, STK_E_INVALID, "train", path,
                        "the checkpoint is of another recipe, or of data with other classes or "
                        "another number of images (%016llx, here %016llx)",
                        (unsigned long long)t->state.recipe, (unsigned long long)recipe);
    STK_TRY(put_sums_back(t, err));
    STK_TRY(stk_schedule_restore(&t->schedule, stk_blob_bytes(&t->state.schedule), err));
    stk_optimizer_state optimizer;
    if (stk_optimizer_read_state(stk_session_variables(t->session), &optimizer, err) == STK_OK)
        t->progress.skipped = (int64_t)optimizer.skipped;
    t->last_checkpoint = t->resumed_step = t->state.step;
    stk_trainer_log(t, "going on after step %lld (%s)", (long long)t->state.step, path);
    return STK_OK;
}

stk_status stk_trainer_resume(stk_trainer *trainer, stk_error *err)
{
    char      folder[STK_TRAIN_PATH], path[STK_TRAIN_PATH + 64];
    stk_error why;
    stk_run_folder_path(trainer->recipe.output.folder, "checkpoints", folder);
    stk_status st = stk_checkpoint_find(NULL, folder, warn, trainer, path, sizeof path, &why);
    if (st == STK_E_NOTFOUND) {
        stk_trainer_log(trainer, "there is no checkpoint yet; the run begins anew");
        return STK_OK;
    }
    if (st) {
        if (err) *err = why;
        return st;
    }
    return put_back(trainer, path, err);
}

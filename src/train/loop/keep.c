/* What of a run is judged and kept: evaluation, checkpoints, going on. */
#include "base/clock.h"
#include "train/loop/run_folder.h"
#include "train/loop/trainer.h"
#include <stdio.h>
#include <stoker/optimizer.h>
#include <string.h>

static stk_status evaluate_all(stk_trainer *t, stk_metrics *m, stk_error *err)
{
    stk_device            *device = stk_session_device(t->session);
    const stk_feed_options options = {.recipe = &t->recipe,
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
    stk_feed              *feed;
    STK_TRY(stk_feed_open(&feed, &options, err));
    stk_status st = stk_session_evaluate_all(t->session, feed, t->recipe.data.size, m, err);
    stk_feed_free(feed);
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
    trainer->result->evaluation_seconds += (double)(stk_clock_ns() - begin) / 1e9;
    if (st == STK_E_CANCELLED) return STK_OK; /* the loop sees it next */
    STK_TRY(st);
    double count = m.count > 0 ? (double)m.count : 1;
    p->evaluated = true;
    p->validation_loss = (double)m.loss / count;
    p->validation_accuracy = (double)m.correct / count;
    p->validation_top5 = (double)m.top5 / count;
    p->best = p->validation_accuracy >
              trainer->state.best_accuracy + trainer->recipe.train.early_stop_delta;
    trainer->state.not_better = p->best ? 0 : trainer->state.not_better + 1;
    if (!p->best) return STK_OK;
    trainer->state.best_accuracy = p->validation_accuracy;
    trainer->state.best_step = trainer->state.step;
    return STK_OK;
}

/* In place of an iterator's, which begins otherwise. */
static const char place_by_count[] = "as many batches as steps of the phase";

bool stk_trainer_place_is_count(stk_bytes saved)
{
    return saved.size == sizeof place_by_count &&
           memcmp(saved.data, place_by_count, sizeof place_by_count) == 0;
}

/* The state as it is after the last step, in the form of a checkpoint. */
static stk_status gather(stk_trainer *t, stk_run_state *state, stk_error *err)
{
    stk_metrics m;
    stk_run_state_init(state, NULL);
    stk_blob input = state->input, schedule = state->schedule, metrics = state->metrics;
    *state = t->state;
    state->input = input;
    state->schedule = schedule;
    state->metrics = metrics;
    state->seconds = t->progress.seconds;
    STK_TRY(stk_session_metrics(t->session, false, false, &m, err));
    STK_TRY(stk_blob_append(&state->metrics, &m, sizeof m, err));
    STK_TRY(stk_schedule_save(&t->schedule, &state->schedule, err));
    return stk_faults_change_input(t->faults)
               ? stk_blob_append(&state->input, place_by_count, sizeof place_by_count, err)
               : stk_feed_save(t->feed, &state->input, err);
}

stk_status stk_trainer_checkpoint(stk_trainer *trainer, bool best, stk_error *err)
{
    stk_run_state state;
    char          paths[STK_WRITER_MODELS][STK_TRAIN_PATH], accuracy[32], step[32];
    const char   *models[STK_WRITER_MODELS + 1] = {NULL};
    int           count = 0;
    uint64_t      begin = stk_clock_ns();
    bool          last = trainer->state.step == trainer->course.steps;
    snprintf(accuracy, sizeof accuracy, "%.6f", trainer->progress.validation_accuracy);
    snprintf(step, sizeof step, "%lld", (long long)trainer->state.step);
    const char *const metadata[] = {"stoker.model",
                                    trainer->recipe.model.name,
                                    "stoker.step",
                                    step,
                                    trainer->progress.evaluated ? "stoker.accuracy" : NULL,
                                    accuracy,
                                    NULL};
    if (best) models[count++] = "best.safetensors";
    if (last) models[count++] = "final.safetensors";
    for (int i = 0; i < count; i++) {
        stk_run_folder_path(trainer->recipe.output.folder, models[i], paths[i]);
        models[i] = paths[i];
    }
    stk_status st = gather(trainer, &state, err);
    if (!st)
        st = stk_checkpoint_writer_put(trainer->writer, stk_session_variables(trainer->session),
                                       &state, models, stk_session_prefix(trainer->session),
                                       metadata, err);
    stk_run_state_release(&state);
    trainer->last_checkpoint = trainer->state.step;
    trainer->last_checkpoint_ns = stk_clock_ns();
    trainer->result->output_seconds += (double)(stk_clock_ns() - begin) / 1e9;
    return st;
}

static void warn(void *context, const char *line)
{
    stk_trainer_log(context, "WARNING: %s", line);
}

static stk_status put_back(stk_trainer *t, const char *path, stk_error *err)
{
    uint64_t recipe = t->state.recipe;
    STK_TRY(stk_checkpoint_load(NULL, path, stk_session_variables(t->session), &t->state, err));
    if (t->state.recipe != recipe)
        return stk_fail(err, STK_E_INVALID, "train", path,
                        "the checkpoint is of another recipe (%016llx, this one is %016llx)",
                        (unsigned long long)t->state.recipe, (unsigned long long)recipe);
    stk_metrics m = {0};
    if (t->state.metrics.size == sizeof m) memcpy(&m, t->state.metrics.data, sizeof m);
    STK_TRY(stk_session_set_metrics(t->session, &m, err));
    STK_TRY(stk_schedule_restore(&t->schedule, stk_blob_bytes(&t->state.schedule), err));
    stk_optimizer_state optimizer;
    if (stk_optimizer_read_state(stk_session_variables(t->session), &optimizer, err) == STK_OK)
        t->progress.skipped = (int64_t)optimizer.skipped;
    t->last_checkpoint = t->state.step;
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

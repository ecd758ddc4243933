/* Rewrites missing models of a resumed run from the checkpoints of their steps. A full disk, or a
 * kill between a checkpoint and its models, leaves them missing. */
#include "train/checkpoint/checkpoint_snapshot.h"
#include "train/checkpoint/folder.h"
#include "train/loop/model_card.h"
#include "train/saved/run_folder.h"
#include <math.h>
#include <stdlib.h>
#include <stoker/safetensors.h>

/* The step of a file's weights; -1: missing or damaged. A file without a step is accepted. */
static int64_t step_of(const char *path, stk_error *why)
{
    stk_safetensors *file;
    if (stk_safetensors_open(&file, NULL, path, NULL, why)) return -1;
    const char   *text = stk_safetensors_text(file, STK_MODEL_STEP);
    const int64_t step = text ? strtoll(text, NULL, 10) : INT64_MAX;
    stk_safetensors_free(file);
    return step;
}

static stk_status write_from(stk_trainer *t, stk_snapshot *snapshot, const char *checkpoint,
                             const char *model, stk_error *err)
{
    stk_model_card       card;
    const stk_run_state *state = &snapshot->state;
    STK_TRY(stk_snapshot_read(snapshot, NULL, checkpoint, stk_session_variables(t->session), err));
    const bool   best = isnan(state->accuracy) && state->best_step == state->step;
    const double accuracy = best ? state->best_accuracy : state->accuracy;
    stk_status   st = stk_model_card_init(&card, t, state->step, accuracy, err);
    if (!st)
        st = stk_snapshot_write_model(snapshot, NULL, model, stk_session_prefix(t->session),
                                      card.texts, err);
    stk_model_card_release(&card);
    return st;
}

/* STK_E_NOTFOUND: there is no checkpoint of that step. */
static stk_status make(stk_trainer *t, const char *model, int64_t step, stk_error *err)
{
    char          folder[STK_TRAIN_PATH];
    stk_snapshot *snapshot;
    stk_blob      path;
    stk_run_folder_path(t->recipe.output.folder, "checkpoints", folder);
    STK_TRY(stk_snapshot_new(&snapshot, NULL, err));
    stk_blob_init(&path, NULL, STK_MEMORY_OUTPUT);
    stk_status st = stk_checkpoint_path(&path, folder, step, err);
    if (!st) st = write_from(t, snapshot, (const char *)path.data, model, err);
    stk_blob_release(&path);
    stk_snapshot_free(snapshot);
    return st;
}

/* A file of a later step is of the same run, killed before the checkpoint of that step. The run
 * will reach that step again. */
static stk_status mend_model(stk_trainer *t, const char *name, int64_t step, stk_error *err)
{
    char      path[STK_TRAIN_PATH];
    stk_error why;
    stk_run_folder_path(t->recipe.output.folder, name, path);
    const int64_t there = step_of(path, &why);
    if (there == step || there == INT64_MAX) return STK_OK;
    const stk_status st = make(t, path, step, &why);
    if (!st) {
        stk_trainer_log(t, "%s was %s: it is written anew from the checkpoint of step %lld", name,
                        there < 0 ? "not there" : "of another step", (long long)step);
        return STK_OK;
    }
    if (st != STK_E_NOTFOUND) {
        if (err) *err = why;
        return st;
    }
    if (there < step)
        stk_trainer_log(t,
                        "WARNING: %s of step %lld is gone, and so is the checkpoint of that step: "
                        "only a better model takes its place",
                        name, (long long)step);
    return STK_OK;
}

static bool has_final(const stk_trainer *t)
{
    return t->state.step == t->plan.steps && !stk_trainer_owes_evaluation(t);
}

stk_status stk_trainer_mend(stk_trainer *trainer, stk_error *err)
{
    const stk_run_state *s = &trainer->state;
    if (!s->step) return STK_OK;
    if (s->best_accuracy >= 0) STK_TRY(mend_model(trainer, "best.safetensors", s->best_step, err));
    return has_final(trainer) ? mend_model(trainer, "final.safetensors", s->step, err) : STK_OK;
}

static stk_status check_model(const stk_trainer *t, const char *name, int64_t step,
                              const char *advice, stk_error *err)
{
    char      path[STK_TRAIN_PATH];
    stk_error why;
    stk_run_folder_path(t->recipe.output.folder, name, path);
    const int64_t there = step_of(path, &why);
    if (there >= step) return STK_OK;
    if (there >= 0)
        return stk_fail(err, STK_E_NOTFOUND, "train", path,
                        "it is of step %lld, but the run's is of step %lld, of which no checkpoint "
                        "is left; %s",
                        (long long)there, (long long)step, advice);
    return stk_fail(err, STK_E_NOTFOUND, "train", path,
                    "the weights of step %lld are gone, and so is the checkpoint of that step "
                    "(%s); %s",
                    (long long)step, why.message, advice);
}

stk_status stk_trainer_check_models(const stk_trainer *trainer, stk_error *err)
{
    const stk_run_state *s = &trainer->state;
    if (s->best_accuracy >= 0)
        STK_TRY(check_model(trainer, "best.safetensors", s->best_step,
                            "the newest checkpoint is whole: 'stoker eval --which last' uses it",
                            err));
    if (!has_final(trainer)) return STK_OK;
    return check_model(trainer, "final.safetensors", s->step, "--resume writes it", err);
}

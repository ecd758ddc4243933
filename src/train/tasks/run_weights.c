/* Chooses the weights of a run. Compares the best model that the newest checkpoint records with the
 * existing file: another model must not be mistaken for it. */
#include "train/tasks/run_weights.h"
#include "base/decimal.h"
#include "train/checkpoint/checkpoint_format.h"
#include "train/checkpoint/folder.h"
#include "train/saved/run_folder.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct best_logged {
    int64_t step;
    double  accuracy; /* below 0: not evaluated yet */
} best_logged;

/* Read from the newest checkpoint's header; without one there is no record. */
static best_logged read_logged(const char *folder)
{
    best_logged      logged = {.accuracy = -1};
    char             checkpoints[STK_TRAIN_PATH];
    stk_error        unasked;
    stk_blob         steps, path;
    stk_safetensors *file = NULL;
    stk_run_folder_path(folder, "checkpoints", checkpoints);
    stk_blob_init(&steps, NULL, STK_MEMORY_READ);
    stk_blob_init(&path, NULL, STK_MEMORY_READ);
    stk_status st = stk_checkpoint_steps(NULL, checkpoints, &steps, &unasked);
    if (!st && steps.size)
        st = stk_checkpoint_path(&path, checkpoints, *(const int64_t *)(const void *)steps.data,
                                 &unasked);
    if (!st && steps.size)
        st = stk_checkpoint_open(&file, NULL, (const char *)path.data, NULL, &unasked);
    const char *step = file ? stk_safetensors_text(file, "stoker.best_step") : NULL;
    const char *accuracy = file ? stk_safetensors_text(file, "stoker.best_accuracy") : NULL;
    if (step && accuracy)
        logged = (best_logged){strtoll(step, NULL, 10), stk_decimal_read(accuracy, NULL)};
    stk_safetensors_free(file);
    stk_blob_release(&path);
    stk_blob_release(&steps);
    return logged;
}

/* A file that does not say its step is taken for right. */
static int64_t step_of(const char *path)
{
    stk_safetensors *file;
    stk_error        unasked;
    if (stk_safetensors_open(&file, NULL, path, NULL, &unasked)) return INT64_MAX;
    const char   *text = stk_safetensors_text(file, "stoker.step");
    const int64_t step = text ? strtoll(text, NULL, 10) : INT64_MAX;
    stk_safetensors_free(file);
    return step;
}

static stk_status find_last(const char *folder, char *path, size_t capacity, stk_error *err)
{
    char checkpoints[STK_TRAIN_PATH];
    stk_run_folder_path(folder, "checkpoints", checkpoints);
    const stk_status st = stk_checkpoint_find(NULL, checkpoints, NULL, NULL, path, capacity, err);
    if (st != STK_E_NOTFOUND) return st;
    return stk_fail(err, STK_E_NOTFOUND, "model", folder,
                    "this run has no weights yet: neither best.safetensors nor a checkpoint");
}

static stk_status find_other(const char *folder, char *path, size_t capacity, stk_error *err)
{
    bool exists;
    snprintf(path, capacity, "%s/final.safetensors", folder);
    STK_TRY(stk_path_exists(NULL, path, &exists, NULL, err));
    return exists ? STK_OK : find_last(folder, path, capacity, err);
}

static void note_older(const best_logged *logged, const char *path, char note[STK_WEIGHTS_NOTE])
{
    const int64_t step = step_of(path);
    if (logged->accuracy < 0 || step >= logged->step) return;
    snprintf(note, STK_WEIGHTS_NOTE,
             "best.safetensors is of step %" PRId64 ", but the best model of this run is of step "
             "%" PRId64 " (%.2f %%): 'stoker train --resume' on this run writes it if it can",
             step, logged->step, 100 * logged->accuracy);
}

stk_status stk_run_weights_find(const char *folder, const char *which, char *path, size_t capacity,
                                char note[STK_WEIGHTS_NOTE], stk_error *err)
{
    *note = 0;
    if (which && strcmp(which, "last") == 0) return find_last(folder, path, capacity, err);
    if (which && strcmp(which, "best") != 0) {
        snprintf(path, capacity, "%s", which);
        return STK_OK;
    }
    const best_logged logged = read_logged(folder);
    bool              exists;
    snprintf(path, capacity, "%s/best.safetensors", folder);
    STK_TRY(stk_path_exists(NULL, path, &exists, NULL, err));
    if (exists) {
        note_older(&logged, path, note);
        return STK_OK;
    }
    if (logged.accuracy < 0) return find_other(folder, path, capacity, err);
    if (which)
        return stk_fail(err, STK_E_NOTFOUND, "model", path,
                        "the best model of this run (step %" PRId64 ", %.2f %%) is gone: 'stoker "
                        "train --resume' on this run writes it if it can",
                        logged.step, 100 * logged.accuracy);
    STK_TRY(find_other(folder, path, capacity, err));
    snprintf(note, STK_WEIGHTS_NOTE,
             "the best model of this run (step %" PRId64 ", %.2f %%) is gone: %s is used in its "
             "place; 'stoker train --resume' on this run writes the best if it can",
             logged.step, 100 * logged.accuracy, path);
    return STK_OK;
}

/* Removes old checkpoints. Later steps belong to a run that was resumed from an older checkpoint
 * and stay; counting them could remove the checkpoint just written. A file with a damaged header
 * cannot be resumed from: it does not count, and is removed with its neighbours. Data is not
 * verified here: that would cost as much as writing it. */
#include "train/checkpoint/retention.h"

#include "train/checkpoint/checkpoint_format.h"
#include "train/checkpoint/folder.h"

/* *valid: by its header. */
static stk_status check(const stk_filesystem *fs, const char *path, bool *valid, stk_error *err)
{
    stk_safetensors *file;
    const stk_status st = stk_checkpoint_open(&file, fs, path, NULL, err);
    stk_safetensors_free(file);
    *valid = !st;
    return stk_checkpoint_is_damage(st) ? STK_OK : st;
}

static stk_status judge(const stk_filesystem *fs, const char *path, int64_t keep, int64_t *kept,
                        stk_error *err)
{
    bool valid;
    if (*kept < keep) {
        STK_TRY(check(fs, path, &valid, err));
        *kept += valid;
        return STK_OK;
    }
    const stk_status st = stk_path_remove(fs, path, err);
    return st == STK_E_NOTFOUND ? STK_OK : st;
}

stk_status stk_checkpoint_keep(const stk_filesystem *fs, const char *folder, int64_t step,
                               int64_t keep, stk_error *err)
{
    stk_blob steps, path;
    int64_t  kept = 0;
    stk_blob_init(&steps, NULL, STK_MEMORY_OUTPUT);
    stk_blob_init(&path, NULL, STK_MEMORY_OUTPUT);
    stk_status     st = stk_checkpoint_steps(fs, folder, &steps, err);
    const int64_t *list = (const int64_t *)(const void *)steps.data;
    for (size_t i = 0; !st && i < steps.size / sizeof *list; i++) {
        if (list[i] > step) continue;
        st = stk_checkpoint_path(&path, folder, list[i], err);
        if (!st) st = judge(fs, (const char *)path.data, keep, &kept, err);
    }
    stk_blob_release(&path);
    stk_blob_release(&steps);
    return st;
}

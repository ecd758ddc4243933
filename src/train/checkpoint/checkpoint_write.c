/* Writes snapshots to files: complete as a checkpoint, or the model alone. */
#include "train/checkpoint/checkpoint_format.h"
#include "train/checkpoint/checkpoint_snapshot.h"
#include "train/checkpoint/folder.h"
#include "train/checkpoint/retention.h"

#include <inttypes.h>
#include <stoker/json.h>
#include <string.h>

enum { TEXTS = STK_RUN_STATE_NUMBERS + 3 }; /* version, optimizer, checksum */

static stk_status check_taken(const stk_snapshot *snapshot, const char *where, stk_error *err)
{
    if (snapshot->taken) return STK_OK;
    return stk_fail(err, STK_E_INVALID, "checkpoint", where,
                    "the snapshot is empty: nothing was taken, or taking it failed");
}

static stk_status add_item(stk_blob *items, const stk_snapshot *snapshot,
                           const stk_snapshot_entry *entry, const char *name, stk_error *err)
{
    const stk_safetensors_item item = {.name = name,
                                       .dtype = entry->dtype,
                                       .shape = entry->shape,
                                       .data = snapshot->data.data + entry->offset};
    return stk_blob_append(items, &item, sizeof item, err);
}

static stk_status save(const stk_filesystem *fs, const char *path, const stk_blob *items,
                       const stk_safetensors_text_item *texts, size_t text_count, stk_error *err)
{
    return stk_safetensors_save(fs, path, (const stk_safetensors_item *)(const void *)items->data,
                                items->size / sizeof(stk_safetensors_item), texts, text_count,
                                items->ledger, err);
}

static stk_status add_variables(stk_blob *items, const stk_snapshot *snapshot, stk_error *err)
{
    for (size_t i = 0; i < stk_snapshot_count(snapshot); i++) {
        const stk_snapshot_entry *entry = stk_snapshot_at(snapshot, i);
        const char               *name = stk_snapshot_name(snapshot, entry);
        if (stk_checkpoint_is_ours(name))
            return stk_fail(err, STK_E_INVALID, "checkpoint", name,
                            "names that begin with '" STK_CHECKPOINT_OURS
                            "' are kept for the state of the run: rename the variable");
        STK_TRY(add_item(items, snapshot, entry, name, err));
    }
    return STK_OK;
}

static stk_status add_state(stk_blob *items, const stk_run_state *state, stk_error *err)
{
    for (size_t i = 0; i < STK_RUN_STATE_BLOBS; i++) {
        stk_safetensors_item item = {.dtype = STK_DTYPE_U8};
        const stk_blob      *blob = stk_run_state_blob(state, i, &item.name);
        item.shape = stk_shape_1d((int64_t)blob->size);
        item.data = blob->data;
        STK_TRY(stk_blob_append(items, &item, sizeof item, err));
    }
    return STK_OK;
}

/* Lists the variables outside the model as NUL-terminated JSON. */
static stk_status list_optimizer(stk_blob *text, const stk_snapshot *snapshot, stk_error *err)
{
    stk_json_writer json;
    stk_json_begin(&json, text, 0);
    stk_json_array(&json);
    for (size_t i = 0; i < stk_snapshot_count(snapshot); i++) {
        const stk_snapshot_entry *entry = stk_snapshot_at(snapshot, i);
        if (entry->role == STK_VARIABLE_OPTIMIZER)
            stk_json_string(&json, stk_snapshot_name(snapshot, entry));
    }
    stk_json_array_end(&json);
    STK_TRY(stk_json_end(&json, err));
    return stk_blob_append(text, "", 1, err);
}

static stk_status write_checkpoint(const stk_snapshot *snapshot, const stk_filesystem *fs,
                                   const char *path, stk_blob *items, stk_blob *optimizer,
                                   stk_error *err)
{
    stk_safetensors_text_item texts[TEXTS];
    char                      numbers[STK_RUN_STATE_NUMBERS][STK_RUN_STATE_CAPACITY];
    char                      crc[STK_CHECKPOINT_CRC_CAPACITY];
    size_t                    count = 0;
    STK_TRY(add_variables(items, snapshot, err));
    STK_TRY(add_state(items, &snapshot->state, err));
    STK_TRY(list_optimizer(optimizer, snapshot, err));
    texts[count++] =
        (stk_safetensors_text_item){STK_CHECKPOINT_VERSION, STK_CHECKPOINT_VERSION_NOW};
    for (size_t i = 0; i < STK_RUN_STATE_NUMBERS; i++)
        texts[count++] = (stk_safetensors_text_item){
            stk_run_state_text(&snapshot->state, i, numbers[i]), numbers[i]};
    texts[count++] =
        (stk_safetensors_text_item){STK_CHECKPOINT_OPTIMIZER, (const char *)optimizer->data};
    stk_checkpoint_texts_crc(texts, count, crc);
    texts[count++] = (stk_safetensors_text_item){STK_CHECKPOINT_CRC, crc};
    return save(fs, path, items, texts, count, err);
}

static stk_status write_to(const stk_snapshot *snapshot, const stk_filesystem *fs, const char *path,
                           stk_error *err)
{
    stk_blob items, optimizer;
    stk_blob_init(&items, snapshot->data.ledger, STK_MEMORY_OUTPUT);
    stk_blob_init(&optimizer, snapshot->data.ledger, STK_MEMORY_OUTPUT);
    const stk_status st = write_checkpoint(snapshot, fs, path, &items, &optimizer, err);
    stk_blob_release(&optimizer);
    stk_blob_release(&items);
    return st;
}

stk_status stk_snapshot_write(const stk_snapshot *snapshot, const stk_filesystem *fs,
                              const char *folder, int64_t keep, stk_error *err)
{
    const int64_t step = snapshot->state.step;
    stk_blob      path;
    STK_TRY(check_taken(snapshot, folder, err));
    if (keep < 1 || step < 0)
        return stk_fail(err, STK_E_INVALID, "checkpoint", folder,
                        "keep %" PRId64 " at step %" PRId64 ": keep at least 1, from step 0 on",
                        keep, step);
    stk_blob_init(&path, snapshot->data.ledger, STK_MEMORY_OUTPUT);
    stk_status st = stk_checkpoint_path(&path, folder, step, err);
    if (!st) st = write_to(snapshot, fs, (const char *)path.data, err);
    if (!st) st = stk_checkpoint_keep(fs, folder, step, keep, err);
    stk_blob_release(&path);
    return st;
}

/* The entry named prefix + name, or NULL. */
static const stk_snapshot_entry *find_prefixed(const stk_snapshot *snapshot, const char *prefix,
                                               const char *name)
{
    const size_t length = strlen(prefix);
    for (size_t i = 0; i < stk_snapshot_count(snapshot); i++) {
        const stk_snapshot_entry *entry = stk_snapshot_at(snapshot, i);
        const char               *found = stk_snapshot_name(snapshot, entry);
        if (!strncmp(found, prefix, length) && !strcmp(found + length, name)) return entry;
    }
    return NULL;
}

/* Variables without an average (statistics, frozen parameters) are written as they are. At least
 * one average must exist: with a wrong prefix the file would silently be another model. */
static stk_status add_model(stk_blob *items, const stk_snapshot *snapshot, const char *prefix,
                            const char *path, stk_error *err)
{
    size_t averages = 0;
    for (size_t i = 0; i < stk_snapshot_count(snapshot); i++) {
        const stk_snapshot_entry *entry = stk_snapshot_at(snapshot, i), *average = NULL;
        const char               *name = stk_snapshot_name(snapshot, entry);
        if (entry->role != STK_VARIABLE_PARAMETER && entry->role != STK_VARIABLE_STATISTIC)
            continue;
        if (prefix) average = find_prefixed(snapshot, prefix, name);
        averages += average != NULL;
        STK_TRY(add_item(items, snapshot, average ? average : entry, name, err));
    }
    if (!prefix || averages) return STK_OK;
    return stk_fail(err, STK_E_NOTFOUND, "checkpoint", path,
                    "no variable is called '%s' and a parameter's name: there is no average to "
                    "write",
                    prefix);
}

static stk_status add_texts(stk_blob *texts, const char *const *metadata, stk_error *err)
{
    for (size_t i = 0; metadata && metadata[i]; i += 2) {
        const stk_safetensors_text_item text = {metadata[i], metadata[i + 1]};
        STK_TRY(stk_blob_append(texts, &text, sizeof text, err));
    }
    return STK_OK;
}

stk_status stk_snapshot_write_model(const stk_snapshot *snapshot, const stk_filesystem *fs,
                                    const char *path, const char *prefix,
                                    const char *const *metadata, stk_error *err)
{
    stk_blob items, texts;
    STK_TRY(check_taken(snapshot, path, err));
    stk_blob_init(&items, snapshot->data.ledger, STK_MEMORY_OUTPUT);
    stk_blob_init(&texts, snapshot->data.ledger, STK_MEMORY_OUTPUT);
    stk_status st = add_model(&items, snapshot, prefix, path, err);
    if (!st) st = add_texts(&texts, metadata, err);
    if (!st)
        st = save(fs, path, &items, (const stk_safetensors_text_item *)(const void *)texts.data,
                  texts.size / sizeof(stk_safetensors_text_item), err);
    stk_blob_release(&texts);
    stk_blob_release(&items);
    return st;
}

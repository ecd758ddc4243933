/* Host copies of all variables: training continues while they are written. */
#include "train/checkpoint/checkpoint_snapshot.h"

#include "base/checked.h"
#include "train/checkpoint/checkpoint_format.h"
#include "train/checkpoint/staging.h"

#include <stdlib.h>
#include <string.h>

enum { ALIGNMENT = 64 }; /* of each tensor, for fast copies */

stk_status stk_snapshot_new(stk_snapshot **out, stk_ledger *ledger, stk_error *err)
{
    *out = calloc(1, sizeof **out);
    if (!*out) return stk_fail(err, STK_E_NOMEM, "checkpoint", NULL, "no memory for a snapshot");
    stk_blob_init(&(*out)->entries, ledger, STK_MEMORY_OUTPUT);
    stk_blob_init(&(*out)->names, ledger, STK_MEMORY_OUTPUT);
    stk_blob_init(&(*out)->data, ledger, STK_MEMORY_OUTPUT);
    stk_run_state_init(&(*out)->state, ledger);
    return STK_OK;
}

void stk_snapshot_free(stk_snapshot *snapshot)
{
    if (!snapshot) return;
    stk_run_state_release(&snapshot->state);
    stk_blob_release(&snapshot->data);
    stk_blob_release(&snapshot->names);
    stk_blob_release(&snapshot->entries);
    free(snapshot);
}

static stk_status measure(const stk_variable_info *info, size_t *bytes, stk_error *err)
{
    int64_t count;
    STK_TRY(stk_shape_count(&info->shape, &count, err));
    if (!stk_mul_overflows((size_t)count, stk_dtype_bytes(info->dtype), bytes)) return STK_OK;
    return stk_fail(err, STK_E_LIMIT, "checkpoint", info->name,
                    "the variable has more bytes than memory can hold");
}

/* Assigns the variable the next offset and advances *end. */
static stk_status describe(stk_snapshot *snapshot, const stk_variable_info *info, size_t *end,
                           stk_error *err)
{
    stk_snapshot_entry entry = {.role = info->role,
                                .dtype = info->dtype,
                                .shape = info->shape,
                                .name = snapshot->names.size,
                                .offset = *end};
    STK_TRY(measure(info, &entry.bytes, err));
    if (stk_add_overflows(*end, entry.bytes, end) || stk_add_overflows(*end, ALIGNMENT - 1, end))
        return stk_fail(err, STK_E_LIMIT, "checkpoint", info->name,
                        "the variables up to this one have more bytes than memory can hold");
    *end -= *end % ALIGNMENT;
    STK_TRY(stk_blob_append(&snapshot->names, info->name, strlen(info->name) + 1, err));
    return stk_blob_append(&snapshot->entries, &entry, sizeof entry, err);
}

static stk_status describe_all(stk_snapshot *snapshot, const stk_variables *variables, size_t *end,
                               stk_error *err)
{
    *end = 0;
    for (size_t i = 0; i < stk_variables_count(variables); i++) {
        const stk_variable_info info = stk_variables_at(variables, i);
        if (stk_checkpoint_keeps(info.role)) STK_TRY(describe(snapshot, &info, end, err));
    }
    return STK_OK;
}

static stk_status copy_all(stk_snapshot *snapshot, stk_variables *variables, stk_error *err)
{
    const stk_snapshot_entry *entry = stk_snapshot_at(snapshot, 0);
    for (size_t i = 0; i < stk_variables_count(variables); i++) {
        if (!stk_checkpoint_keeps(stk_variables_at(variables, i).role)) continue;
        STK_TRY(stk_variables_read(variables, i, snapshot->data.data + entry->offset, entry->bytes,
                                   err));
        entry++;
    }
    return STK_OK;
}

static void empty(stk_snapshot *snapshot)
{
    snapshot->taken = false;
    snapshot->entries.size = snapshot->names.size = snapshot->data.size = 0;
}

/* Frees before allocating: realloc would copy data that is overwritten next. */
static stk_status alloc_copies(stk_snapshot *snapshot, const stk_variables *variables,
                               stk_error *err)
{
    size_t end;
    STK_TRY(describe_all(snapshot, variables, &end, err));
    if (end > snapshot->data.capacity) stk_blob_release(&snapshot->data);
    STK_TRY(stk_blob_reserve_exact(&snapshot->data, end, err));
    snapshot->data.size = end;
    return STK_OK;
}

static stk_status take(stk_snapshot *snapshot, stk_variables *variables, const stk_run_state *state,
                       stk_error *err)
{
    STK_TRY(alloc_copies(snapshot, variables, err));
    STK_TRY(copy_all(snapshot, variables, err));
    return stk_run_state_copy(&snapshot->state, state, err);
}

static stk_status end_taking(stk_snapshot *snapshot, stk_status st)
{
    if (st)
        empty(snapshot);
    else
        snapshot->taken = true;
    return st;
}

stk_status stk_snapshot_take(stk_snapshot *snapshot, stk_variables *variables,
                             const stk_run_state *state, stk_error *err)
{
    empty(snapshot);
    return end_taking(snapshot, take(snapshot, variables, state, err));
}

static stk_status read_all(stk_snapshot *snapshot, const stk_safetensors *file, const char *path,
                           const stk_variables *variables, stk_error *err)
{
    const stk_safetensors_tensor *tensor;
    STK_TRY(alloc_copies(snapshot, variables, err));
    const stk_snapshot_entry *entry = stk_snapshot_at(snapshot, 0);
    for (size_t i = 0; i < stk_variables_count(variables); i++) {
        const stk_variable_info info = stk_variables_at(variables, i);
        if (!stk_checkpoint_keeps(info.role)) continue;
        STK_TRY(stk_staging_match(file, &info, path, &tensor, err));
        STK_TRY(stk_safetensors_read(file, tensor, snapshot->data.data + entry->offset, err));
        entry++;
    }
    return stk_run_state_read(&snapshot->state, file, path, err);
}

stk_status stk_snapshot_read(stk_snapshot *snapshot, const stk_filesystem *fs, const char *path,
                             const stk_variables *variables, stk_error *err)
{
    stk_safetensors *file;
    empty(snapshot);
    STK_TRY(stk_checkpoint_open(&file, fs, path, snapshot->data.ledger, err));
    const stk_status st = read_all(snapshot, file, path, variables, err);
    stk_safetensors_free(file);
    return end_taking(snapshot, st);
}

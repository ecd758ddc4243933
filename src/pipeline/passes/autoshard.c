/* autoshard: a plan rewritten to one worker's part of its data. By files a worker reads only its
 * own; by elements it computes all and drops the others'. */
#include "pipeline/operators/operators.h"

#include <inttypes.h>
#include <stdlib.h>

/* The sources of a plan. */
typedef struct sources {
    const stk_dataset *other;  /* a source that is none of files */
    const stk_dataset *stored; /* an operator that stores its input's elements for other runs */
    const stk_dataset *fewest; /* the source with the fewest files */
} sources;

typedef struct job {
    int64_t            workers, index;
    const stk_dataset *position; /* the shard goes on this; NULL: by files */
} job;

/* Their files on disk belong to the plan before sharding: of another worker, or of all. */
static bool stores(const stk_dataset *data)
{
    return data->op == &stk_operator_cache_disk || data->op == &stk_operator_snapshot;
}

static bool makes_batches(const stk_dataset *data)
{
    return data->op == &stk_operator_batch || data->op == &stk_operator_padded_batch ||
           data->op == &stk_operator_ragged_batch || data->op == &stk_operator_batch_of_ragged ||
           data->op == &stk_operator_sparse_batch;
}

static void look(const stk_dataset *data, sources *found)
{
    if (stores(data)) found->stored = data;
    for (size_t i = 0; i < data->input_count; i++)
        look(data->inputs[i], found);
    if (data->input_count) return;
    if (!data->op->file_count)
        found->other = data;
    else if (!found->fewest ||
             data->op->file_count(data) < found->fewest->op->file_count(found->fewest))
        found->fewest = data;
}

/* Whether the data can be parted by files. */
static stk_status check_files(const stk_dataset *data, int64_t workers, stk_error *err)
{
    sources found = {0};
    look(data, &found);
    if (!found.fewest)
        return stk_fail(err, STK_E_UNSUPPORTED, "autoshard", NULL,
                        "%s is no source of files and there is no other: nothing can be parted by "
                        "files; use the mode data",
                        found.other->op->name);
    if (found.other)
        return stk_fail(err, STK_E_UNSUPPORTED, "autoshard", NULL,
                        "%s is no source of files: every worker would have all of it; use the mode "
                        "data, or shard the other sources by themselves",
                        found.other->op->name);
    if (found.stored)
        return stk_fail(err, STK_E_UNSUPPORTED, "autoshard", NULL,
                        "%s keeps elements on disk that belong to all workers; put autoshard "
                        "before it, with a directory for each worker, or use the mode data",
                        found.stored->op->name);
    const size_t files = found.fewest->op->file_count(found.fewest);
    if (files >= (uint64_t)workers) return STK_OK;
    return stk_fail(err, STK_E_INVALID, "autoshard", NULL,
                    "%s has %zu files for %" PRId64
                    " workers: some would have none; use the mode data, or at least %" PRId64
                    " files",
                    found.fewest->op->name, files, workers, workers);
}

/* Below the first batch above the source, so that every worker has complete batches; not below data
 * cached on disk, nor below an operator with several inputs. */
static const stk_dataset *position_of(const stk_dataset *data)
{
    const stk_dataset *position = data;
    for (; data->input_count == 1 && !stores(data); data = data->inputs[0])
        if (makes_batches(data)) position = data->inputs[0];
    return position;
}

static stk_status put_shard(const job *j, stk_dataset *data, stk_dataset **out, stk_error *err)
{
    stk_dataset *top = stk_dataset_ref(data);
    stk_status   st = stk_dataset_shard(&top, j->workers, j->index, err);
    if (st)
        stk_dataset_unref(top);
    else
        *out = top;
    return st;
}

static stk_status part(const job *j, stk_dataset *data, stk_dataset **out, stk_error *err);

static stk_status part_inputs(const job *j, stk_dataset *data, stk_dataset **out, stk_error *err)
{
    stk_dataset **inputs = calloc(data->input_count, sizeof *inputs);
    if (!inputs) return stk_fail(err, STK_E_NOMEM, "autoshard", NULL, "no memory for a plan");
    stk_status st = STK_OK;
    for (size_t i = 0; i < data->input_count && !st; i++)
        st = part(j, data->inputs[i], &inputs[i], err);
    if (!st) st = stk_dataset_over(out, data, inputs, err);
    for (size_t i = 0; i < data->input_count; i++)
        stk_dataset_unref(inputs[i]);
    free(inputs);
    return st;
}

static stk_status part(const job *j, stk_dataset *data, stk_dataset **out, stk_error *err)
{
    *out = NULL;
    if (data == j->position) return put_shard(j, data, out, err);
    if (data->input_count) return part_inputs(j, data, out, err);
    if (!data->op->keep_files) return put_shard(j, data, out, err);
    return data->op->keep_files(data, (size_t)j->workers, (size_t)j->index, out, err);
}

static stk_status check_parameters(stk_autoshard mode, int64_t workers, int64_t index,
                                   stk_error *err)
{
    if (workers < 1)
        return stk_fail(err, STK_E_INVALID, "autoshard", NULL,
                        "the number of workers is %" PRId64 "; it must be at least 1", workers);
    if (index < 0 || index >= workers)
        return stk_fail(err, STK_E_INVALID, "autoshard", NULL,
                        "the index is %" PRId64 "; with %" PRId64 " workers it is 0 to %" PRId64,
                        index, workers, workers - 1);
    if ((unsigned)mode > STK_AUTOSHARD_OFF)
        return stk_fail(err, STK_E_INVALID, "autoshard", NULL, "there is no mode number %d",
                        (int)mode);
    return STK_OK;
}

stk_status stk_dataset_autoshard(stk_dataset **data, stk_autoshard mode, int64_t workers,
                                 int64_t index, stk_error *err)
{
    job          j = {.workers = workers, .index = index};
    stk_dataset *made;
    STK_TRY(check_parameters(mode, workers, index, err));
    if (mode == STK_AUTOSHARD_OFF) return STK_OK;
    if (mode == STK_AUTOSHARD_FILE) STK_TRY(check_files(*data, workers, err));
    if (mode == STK_AUTOSHARD_DATA ||
        (mode == STK_AUTOSHARD_AUTO && check_files(*data, workers, NULL)))
        j.position = position_of(*data);
    STK_TRY(part(&j, *data, &made, err));
    stk_dataset_unref(*data);
    *data = made;
    return STK_OK;
}

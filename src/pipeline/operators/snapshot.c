/* snapshot: like a cache on disk, compressed, with a folder for each pipeline under one directory:
 * pipelines that differ make snapshots of their own. A snapshot that another process is writing is
 * neither awaited nor disturbed. */
#include "base/hash.h"
#include "pipeline/operators/cache.h"
#include "pipeline/support/chunk_store.h"
#include "storage/file/paths.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <stoker/dataset_operators.h>
#include <time.h>

typedef struct params {
    char                 *directory;
    const stk_filesystem *fs;
    stk_dataset          *input; /* as it was written, before any pass */
    stk_compression       compression;
    uint64_t              chunk_bytes;
    double                pending_seconds;
} params;

static void release_params(void *untyped)
{
    params *p = untyped;
    stk_dataset_unref(p->input);
    free(p->directory);
}

static stk_status check(stk_dataset *data, stk_error *err)
{
    const params *p = data->params;
    if (p->compression != STK_COMPRESSION_NONE && p->compression != STK_COMPRESSION_GZIP &&
        p->compression != STK_COMPRESSION_ZSTD)
        return stk_fail(err, STK_E_INVALID, "snapshot", p->directory,
                        "compression is %d; give none, gzip or zstd", (int)p->compression);
    if (!(p->pending_seconds > 0) || isinf(p->pending_seconds))
        return stk_fail(err, STK_E_INVALID, "snapshot", p->directory,
                        "pending_seconds is %g; give a positive number", p->pending_seconds);
    return stk_dataset_set_spec(data, &data->inputs[0]->spec, err);
}

static stk_status describe(const stk_dataset *data, stk_blob *out, stk_error *err)
{
    const params *p = data->params;
    return stk_describe(out, err, "%s", stk_compression_name(p->compression));
}

/* On a store without locks a file has the start time of the writer; past an age limit the writer
 * counts as dead. With locks the lock itself tells. */
static stk_status check_pending(const stk_chunk_store *s, const char *path, double seconds_max,
                                stk_error *err)
{
    stk_file_info    info;
    struct timespec  now;
    const stk_status st = stk_path_info(s->location.fs, path, &info, err);
    if (st == STK_E_NOTFOUND) return STK_OK;
    STK_TRY(st);
    clock_gettime(CLOCK_REALTIME, &now);
    const double age =
        (double)now.tv_sec + 1e-9 * (double)now.tv_nsec - 1e-9 * (double)info.modified_ns;
    if (age > seconds_max) return STK_OK;
    return stk_fail(err, STK_E_BUSY, "snapshot", s->location.directory,
                    "somebody began to write it %.0f seconds ago; it is given up after %.0f", age,
                    seconds_max);
}

static stk_status mark_pending(stk_chunk_store *s, stk_error *err)
{
    stk_output *output;
    STK_TRY(stk_output_create(&output, s->location.fs, s->pending, err));
    stk_status st = stk_output_write(output, "pending\n", 8, err);
    if (!st) st = stk_output_commit(output, err);
    stk_output_close(output);
    return st;
}

static stk_status claim(stk_node *node, char *pending, stk_error *err)
{
    stk_chunk_store *s = STK_STATE(stk_chunk_store, node);
    stk_status       st = STK_OK;
    if (!s->lock) st = check_pending(s, pending, STK_PARAMS(params, node)->pending_seconds, err);
    if (st) {
        free(pending); /* another's: drop must not remove it */
        return st;
    }
    s->pending = pending;
    STK_TRY(mark_pending(s, err));
    return stk_chunk_store_write(node, err);
}

static stk_status begin(stk_node *node, const stk_materialized_epoch *pass, stk_error *err)
{
    (void)pass;
    stk_chunk_store *s = STK_STATE(stk_chunk_store, node);
    stk_blob         path;
    STK_TRY(stk_path_make_directory(s->location.fs, STK_PARAMS(params, node)->directory, err));
    STK_TRY(stk_chunk_store_lock(node, err));
    stk_blob_init(&path, NULL, STK_MEMORY_INDEX);
    stk_status st = stk_path_join(&path, s->location.directory, "pending", err);
    char      *pending = st ? NULL : strdup((const char *)path.data);
    stk_blob_release(&path);
    if (!st && !pending)
        st =
            stk_fail(err, STK_E_NOMEM, "snapshot", s->location.directory, "no memory for its name");
    return st ? st : claim(node, pending, err);
}

static const stk_materializer_ops recorder_ops = {
    .find = stk_chunk_store_find,
    .begin = begin,
    .add = stk_chunk_store_add,
    .finish = stk_chunk_store_finish,
    .drop = stk_chunk_store_drop,
    .read = stk_chunk_store_read,
    .skip = stk_chunk_store_skip,
    .how = "A snapshot is made by a pass over all of the data",
};

/* The same operators over other files have their own snapshot. */
static stk_status open(stk_node *node, stk_error *err)
{
    const params    *p = node->plan->params;
    stk_chunk_store *s = STK_STATE(stk_chunk_store, node);
    char             name[32];
    uint64_t         content;
    stk_blob         path;
    STK_TRY(stk_dataset_content(p->input, &content, err));
    const uint64_t fingerprint_of_all = stk_hash64_number(p->input->fingerprint, content);
    stk_blob_init(&path, NULL, STK_MEMORY_INDEX);
    snprintf(name, sizeof name, "%016" PRIx64, fingerprint_of_all);
    stk_status st = stk_path_join(&path, p->directory, name, err);
    if (!st) s->directory = strdup((const char *)path.data);
    stk_blob_release(&path);
    STK_TRY(st);
    if (!s->directory)
        return stk_fail(err, STK_E_NOMEM, "snapshot", p->directory, "no memory for its name");
    s->materializer.ops = &recorder_ops;
    s->location = (stk_chunk_location){.component = "snapshot",
                                       .directory = s->directory,
                                       .fs = p->fs,
                                       .fingerprint = fingerprint_of_all,
                                       .compression = p->compression,
                                       .chunk_bytes = p->chunk_bytes,
                                       .ledger = stk_run_options_of(node->run)->ledger};
    return STK_OK;
}

const stk_operator stk_operator_snapshot = {
    .name = "snapshot",
    .stage = STK_STAGE_READ,
    .traits = STK_OPERATOR_LAZY_INPUTS,
    .params_bytes = sizeof(params),
    .release_params = release_params,
    .check = check,
    .cardinality = stk_cache_cardinality,
    .describe = describe,
    .state_bytes = sizeof(stk_chunk_store),
    .open = open,
    .next = stk_materializer_next,
    .close = stk_chunk_store_close,
    .save = stk_materializer_save,
    .restore = stk_materializer_restore,
};

stk_status stk_dataset_snapshot(stk_dataset **data, const stk_snapshot_options *options,
                                stk_error *err)
{
    if (!options || !options->directory || !*options->directory)
        return stk_fail(err, STK_E_INVALID, "snapshot", NULL, "give a directory for the snapshots");
    params p = {.directory = strdup(options->directory),
                .fs = options->fs,
                .compression = (stk_compression)options->compression,
                .chunk_bytes = options->chunk_bytes,
                .pending_seconds = options->pending_seconds};
    if (!p.directory)
        return stk_fail(err, STK_E_NOMEM, "snapshot", options->directory, "no memory for its name");
    p.input = stk_dataset_ref(*data);
    if (p.compression == STK_COMPRESSION_AUTO) p.compression = STK_COMPRESSION_ZSTD;
    if (p.pending_seconds == 0) p.pending_seconds = 86400;
    return stk_dataset_append(data, &stk_operator_snapshot, &p, err);
}

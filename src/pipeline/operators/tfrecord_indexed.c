/* tfrecord_indexed: random access to the records of uncompressed TFRecord files. */
#include "pipeline/operators/operators.h"
#include "pipeline/support/file_series.h"
#include "pipeline/support/record_files.h"

#include <inttypes.h>
#include <stdlib.h>
#include <stoker/dataset_sources.h>

typedef struct params {
    stk_file_list         list;
    const stk_filesystem *fs;
    stk_buffer          **names; /* of the files, for origins */
    stk_record_files     *files;
    stk_tfrecord_options  reader;
} params;

typedef struct state {
    uint64_t         given;
    stk_blob         scratch;
    stk_record_block block;
} state;

static void release_params(void *untyped)
{
    params *p = untyped;
    stk_record_files_free(p->files);
    stk_file_list_free_names(&p->list, p->names);
    stk_file_list_release(&p->list);
}

static stk_status check(stk_dataset *data, stk_error *err)
{
    return stk_file_series_spec(data, "record", err);
}

static uint64_t count_of(const stk_dataset *data)
{
    return stk_record_files_count(((const params *)data->params)->files);
}

static int64_t cardinality(const stk_dataset *data)
{
    return (int64_t)count_of(data);
}

static stk_status describe(const stk_dataset *data, stk_blob *out, stk_error *err)
{
    const params *p = data->params;
    STK_TRY(stk_file_list_describe(&p->list, out, err));
    if (p->reader.max_record_bytes)
        STK_TRY(stk_describe(out, err, ", at most %" PRIu64 " bytes", p->reader.max_record_bytes));
    return stk_describe(out, err, ", %" PRIu64 " records", count_of(data));
}

static stk_status mix_content(const stk_dataset *data, stk_content *content, stk_error *err)
{
    const params *p = data->params;
    return stk_file_list_content(&p->list, p->fs, content, err);
}

typedef struct reading {
    stk_ledger       *ledger;
    stk_blob         *scratch;
    stk_record_block *block; /* NULL: each record has a buffer of its own */
    uint64_t          epoch;
} reading;

static stk_status read_element(const params *p, const reading *how, uint64_t index,
                               stk_element **out, stk_error *err)
{
    size_t     file;
    stk_record record;
    STK_TRY(stk_record_files_read(p->files, index, &file, how->scratch, &record, err));
    STK_TRY(stk_element_new(out, 1, err));
    stk_value *value = stk_element_edit(*out, 0);
    stk_status st = how->block
                        ? stk_record_block_put(how->block, how->ledger, record.bytes, value, err)
                        : stk_value_bytes(value, how->ledger, record.bytes, err);
    if (st) {
        stk_element_unref(*out);
        *out = NULL;
        return st;
    }
    const stk_origin origin = {.file = p->names[file],
                               .record = record.index,
                               .offset = record.offset,
                               .epoch = how->epoch,
                               .index = index};
    stk_element_set_origin(*out, &origin);
    return STK_OK;
}

/* Called from any thread: all that changes is its own. */
static stk_status at(const stk_dataset *data, uint64_t index, stk_ledger *ledger, stk_element **out,
                     stk_error *err)
{
    if (index >= count_of(data))
        return stk_fail(err, STK_E_RANGE, "tfrecord_indexed", NULL,
                        "record %" PRIu64 " was asked for; there are %" PRIu64, index,
                        count_of(data));
    stk_blob scratch;
    stk_blob_init(&scratch, ledger, STK_MEMORY_READ);
    const reading how = {.ledger = ledger, .scratch = &scratch};
    stk_status    st = read_element(data->params, &how, index, out, err);
    stk_blob_release(&scratch);
    return st;
}

static stk_status open(stk_node *node, stk_error *err)
{
    (void)err;
    stk_blob_init(&STK_STATE(state, node)->scratch, stk_run_options_of(node->run)->ledger,
                  STK_MEMORY_READ);
    return STK_OK;
}

static stk_status next(stk_node *node, stk_element **out, stk_error *err)
{
    state *s = node->state;
    if (s->given == count_of(node->plan)) return STK_OK;
    const reading how = {.ledger = stk_run_options_of(node->run)->ledger,
                         .scratch = &s->scratch,
                         .block = &s->block,
                         .epoch = node->epoch};
    return read_element(node->plan->params, &how, s->given++, out, err);
}

static void close(stk_node *node)
{
    state *s = node->state;
    stk_record_block_release(&s->block);
    stk_blob_release(&s->scratch);
}

static stk_status discard(stk_node *node, uint64_t count, uint64_t *discarded, stk_error *err)
{
    (void)err;
    state         *s = node->state;
    const uint64_t left = count_of(node->plan) - s->given;
    *discarded = count < left ? count : left;
    s->given += *discarded;
    return STK_OK;
}

static size_t file_count(const stk_dataset *data)
{
    return ((const params *)data->params)->list.count;
}

/* Of parameters with files, which it takes over. */
static stk_status make(stk_dataset **out, params *p, stk_error *err)
{
    stk_status st = stk_file_list_names(&p->list, "tfrecord_indexed", &p->names, err);
    if (!st) st = stk_record_files_open(&p->files, p->fs, &p->list, &p->reader, err);
    if (st) {
        release_params(p);
        return st;
    }
    return stk_dataset_make(out, &stk_operator_tfrecord_indexed, p, NULL, 0, err);
}

static stk_status keep_files(const stk_dataset *data, size_t count, size_t first, stk_dataset **out,
                             stk_error *err)
{
    const params *all = data->params;
    params        p = {.fs = all->fs, .reader = all->reader};
    *out = NULL;
    STK_TRY(stk_file_list_every(&p.list, "tfrecord_indexed", &all->list, count, first, err));
    return make(out, &p, err);
}

const stk_operator stk_operator_tfrecord_indexed = {
    .name = "tfrecord_indexed",
    .stage = STK_STAGE_READ,
    .traits = STK_OPERATOR_BLOCKING | STK_OPERATOR_JUMPS,
    .params_bytes = sizeof(params),
    .release_params = release_params,
    .check = check,
    .cardinality = cardinality,
    .describe = describe,
    .content = mix_content,
    .at = at,
    .file_count = file_count,
    .keep_files = keep_files,
    .state_bytes = sizeof(state),
    .open = open,
    .next = next,
    .close = close,
    .discard = discard,
};

static params params_of(const stk_filesystem *fs, const stk_records_options *options)
{
    params p = {.fs = fs};
    if (options) {
        p.reader.compression = options->compression;
        p.reader.max_record_bytes = options->max_record_bytes;
    }
    return p;
}

stk_status stk_dataset_tfrecord_indexed(stk_dataset **out, const stk_filesystem *fs,
                                        const char *path, const stk_records_options *options,
                                        stk_error *err)
{
    params p = params_of(fs, options);
    *out = NULL;
    STK_TRY(stk_file_list_shards(&p.list, "tfrecord_indexed", fs, path, err));
    return make(out, &p, err);
}

stk_status stk_dataset_tfrecord_indexed_files(stk_dataset **out, const stk_filesystem *fs,
                                              const char *const *paths, size_t count,
                                              const stk_records_options *options, stk_error *err)
{
    params p = params_of(fs, options);
    *out = NULL;
    STK_TRY(stk_file_list_copy(&p.list, "tfrecord_indexed", paths, count, err));
    return make(out, &p, err);
}

/* tfrecord: the records of TFRecord files, file by file. */
#include "storage/record/tfrecord_reader.h"

#include "pipeline/operators/operators.h"
#include "pipeline/support/file_series.h"

#include <inttypes.h>
#include <stoker/dataset_sources.h>

typedef struct params {
    stk_file_source     files;
    stk_records_options options;
} params;

static stk_status check(stk_dataset *data, stk_error *err)
{
    const stk_records_options *o = &((const params *)data->params)->options;
    if (o->compression > STK_COMPRESSION_ZSTD)
        return stk_fail(err, STK_E_INVALID, "tfrecord", NULL, "there is no compression number %d",
                        (int)o->compression);
    if (o->damage > STK_DAMAGE_RESYNC)
        return stk_fail(err, STK_E_INVALID, "tfrecord", NULL,
                        "there is no treatment of damage number %d", (int)o->damage);
    return stk_file_series_spec(data, "record", err);
}

static stk_status describe(const stk_dataset *data, stk_blob *out, stk_error *err)
{
    const params *p = data->params;
    STK_TRY(stk_file_list_describe(&p->files.list, out, err));
    if (p->options.compression)
        STK_TRY(stk_describe(out, err, ", %s", stk_compression_name(p->options.compression)));
    if (p->options.max_record_bytes)
        STK_TRY(stk_describe(out, err, ", at most %" PRIu64 " bytes", p->options.max_record_bytes));
    return p->options.damage ? stk_describe(out, err, ", resynchronised") : STK_OK;
}

static stk_status open_reader(void **reader, const void *untyped, const stk_filesystem *fs,
                              const char *path, stk_ledger *ledger, stk_error *err)
{
    const params              *p = untyped;
    const stk_tfrecord_options options = {.compression = p->options.compression,
                                          .buffer_bytes = p->options.buffer_bytes,
                                          .max_record_bytes = p->options.max_record_bytes,
                                          .ledger = ledger};
    stk_tfrecord_reader       *made;
    stk_status                 st = stk_tfrecord_reader_open(&made, fs, path, &options, err);
    *reader = made;
    return st;
}

static stk_status next_record(void *reader, stk_ledger *ledger, stk_record *record,
                              stk_buffer **owner, stk_error *err)
{
    return stk_tfrecord_reader_take(reader, ledger, record, owner, err);
}

/* A valid record that is too long is skipped alone. */
static bool recover(void *reader, const void *untyped, stk_status st)
{
    const params *p = untyped;
    uint64_t      count;
    if (p->options.damage != STK_DAMAGE_RESYNC) return false;
    if (st == STK_E_DATALOSS) return stk_tfrecord_reader_resync(reader, &count, NULL) == STK_OK;
    if (st != STK_E_LIMIT && st != STK_E_CEILING) return false;
    return stk_tfrecord_reader_skip(reader, 1, &count, NULL) == STK_OK;
}

static stk_status skip_records(void *reader, uint64_t count, uint64_t *skipped, stk_error *err)
{
    return stk_tfrecord_reader_skip(reader, count, skipped, err);
}

static stk_file_position position_of(const void *untyped)
{
    const stk_tfrecord_reader *reader = untyped;
    return (stk_file_position){reader->offset, reader->index};
}

/* One record further, as next and recover go. */
static stk_status step(stk_tfrecord_reader *reader, const params *p, stk_error *err)
{
    uint64_t passed = 1;
    if (p->options.damage != STK_DAMAGE_RESYNC)
        STK_TRY(stk_tfrecord_reader_skip(reader, 1, &passed, err));
    else {
        stk_record record;
        stk_status st = stk_tfrecord_reader_next(reader, &record, err);
        if (st && !recover(reader, p, st)) return st;
        passed = st || record.bytes.data;
    }
    return passed ? STK_OK
                  : stk_fail(err, STK_E_DATALOSS, "tfrecord", reader->input.file->path,
                             "the file ends at byte %" PRIu64
                             ", before the place to go on at: it was changed since the checkpoint",
                             reader->offset);
}

/* Uncompressed files are seeked; compressed ones skip the records before. */
static stk_status move(void *untyped, const void *p, stk_file_position position, stk_error *err)
{
    stk_tfrecord_reader *reader = untyped;
    if (stk_tfrecord_reader_compression(reader) == STK_COMPRESSION_NONE)
        return stk_tfrecord_reader_seek(reader, position.offset, position.index, err);
    while (reader->offset < position.offset)
        STK_TRY(step(reader, p, err));
    if (reader->offset == position.offset && reader->index == position.index) return STK_OK;
    return stk_fail(err, STK_E_DATALOSS, "tfrecord", reader->input.file->path,
                    "no record begins at byte %" PRIu64
                    ", where the checkpoint was taken: the file was changed since",
                    position.offset);
}

static void close_reader(void *reader)
{
    stk_tfrecord_reader_free(reader);
}

static const stk_file_format format = {
    .open = open_reader,
    .next = next_record,
    .recover = recover,
    .skip = skip_records,
    .position = position_of,
    .move = move,
    .close = close_reader,
};

const stk_operator stk_operator_tfrecord = {
    .name = "tfrecord",
    .params_bytes = sizeof(params),
    .check = check,
    .describe = describe,
    STK_FILE_SOURCE_OP,
};

static stk_status make(stk_dataset **out, params *p, const stk_filesystem *fs,
                       const stk_records_options *options, stk_error *err)
{
    p->files.format = &format;
    p->files.fs = fs;
    if (options) p->options = *options;
    return stk_dataset_make(out, &stk_operator_tfrecord, p, NULL, 0, err);
}

stk_status stk_dataset_tfrecord(stk_dataset **out, const stk_filesystem *fs, const char *path,
                                const stk_records_options *options, stk_error *err)
{
    *out = NULL;
    params p = {0};
    STK_TRY(stk_file_list_shards(&p.files.list, "tfrecord", fs, path, err));
    return make(out, &p, fs, options, err);
}

stk_status stk_dataset_tfrecord_files(stk_dataset **out, const stk_filesystem *fs,
                                      const char *const *paths, size_t count,
                                      const stk_records_options *options, stk_error *err)
{
    *out = NULL;
    params p = {0};
    STK_TRY(stk_file_list_copy(&p.files.list, "tfrecord", paths, count, err));
    return make(out, &p, fs, options, err);
}

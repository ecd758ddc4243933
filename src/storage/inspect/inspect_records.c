/* Inspects TFRecord files. Reads every header, so counts are exact, and the requested number of
 * contents. Notes damage, skips it, and continues. */
#include "storage/file/paths.h"
#include "storage/inspect/inspect_kinds.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SKIP_AT_ONCE = 1024 };

typedef struct scanner {
    stk_inspect_call   *call;
    const stk_shards   *shards;
    stk_inspect_values *values; /* one per worker */
    stk_inspect_meter   meter;
} scanner;

/* One file being read, on one thread. */
typedef struct reading {
    scanner             *owner;
    const char          *path;
    uint64_t             file_bytes;
    stk_tfrecord_reader *reader;
    stk_inspect_values  *values;
    stk_inspect_part    *part;
    uint64_t             index;    /* records passed */
    uint64_t             reported; /* bytes reported to the meter */
} reading;

static stk_status note_bad(reading *r, uint64_t record, uint64_t offset, const stk_error *reason,
                           stk_error *err)
{
    return stk_inspect_part_add_bad(r->part, &r->owner->call->options, r->path, record, offset,
                                    reason, err);
}

/* Offsets count the uncompressed stream; a compressed file is reported at its end. */
static void report_offset(reading *r, uint64_t offset)
{
    if (stk_tfrecord_reader_compression(r->reader) != STK_COMPRESSION_NONE) return;
    if (offset < r->reported + (1 << 20) || offset > r->file_bytes) return;
    stk_inspect_meter_add(&r->owner->meter, offset - r->reported);
    r->reported = offset;
}

static stk_status note_other_format(reading *r, const stk_record *record, const stk_error *reason,
                                    stk_error *err)
{
    stk_error bad;
    r->part->not_examples++;
    if (!r->owner->call->options.verify) return STK_OK;
    (void)stk_fail(&bad, STK_E_FORMAT, "inspect", r->path,
                   "record %" PRIu64 " at offset %" PRIu64 ": not a tf.train.Example: %s",
                   record->index, record->offset, reason->message);
    return note_bad(r, record->index, record->offset, &bad, err);
}

static stk_status add_first(reading *r, const stk_record *record, stk_error *err)
{
    const stk_inspect_options *options = &r->owner->call->options;
    char                       title[320];
    if (r->part->first_count >= options->first_records) return STK_OK;
    snprintf(title, sizeof title, "%.200s, record %" PRIu64 ", %zu bytes", stk_path_base(r->path),
             record->index, record->bytes.size);
    return stk_inspect_part_add_first(r->part, options, title, r->values, err);
}

static stk_status take_record(reading *r, const stk_record *record, stk_error *err)
{
    stk_error  reason;
    stk_status st = stk_inspect_values_parse(r->values, record->bytes, r->path, &reason);
    stk_inspect_part_add_size(r->part, record->bytes.size);
    if (!st) {
        st = stk_inspect_schema_add(&r->part->schema, r->values, &reason);
        if (!st) return add_first(r, record, err);
    }
    if (stk_inspect_is_damage(st)) return note_other_format(r, record, &reason, err);
    *err = reason;
    return st;
}

/* The reader is at a bad record: notes it and moves to the next valid one. *more is false without
 * one. A record over the reader's limit is complete, so its header leads past it. */
static stk_status pass_damage(reading *r, const stk_record *at, const stk_error *reason, bool *more,
                              stk_error *err)
{
    uint64_t  moved = 0;
    stk_error ignored;
    STK_TRY(note_bad(r, at->index, at->offset, reason, err));
    r->index = at->index + 1;
    const stk_status st = reason->status == STK_E_LIMIT
                              ? stk_tfrecord_reader_skip(r->reader, 1, &moved, &ignored)
                              : stk_tfrecord_reader_resync(r->reader, &moved, &ignored);
    *more = !st && moved > 0;
    if (!st || stk_inspect_is_damage(st)) return STK_OK;
    *err = ignored;
    return st;
}

static stk_status read_one(reading *r, bool *more, stk_error *err)
{
    stk_record record;
    stk_error  reason;
    stk_status st = stk_tfrecord_reader_next(r->reader, &record, &reason);
    if (stk_inspect_is_damage(st)) return pass_damage(r, &record, &reason, more, err);
    if (st) {
        *err = reason;
        return st;
    }
    report_offset(r, record.offset);
    *more = record.bytes.data != NULL;
    if (!*more) return STK_OK;
    r->index = record.index + 1;
    return take_record(r, &record, err);
}

/* If skipping stops at damage, reading that record locates it. */
static stk_status skip_some(reading *r, bool *more, stk_error *err)
{
    uint64_t   skipped = 0;
    stk_error  reason;
    stk_status st = stk_tfrecord_reader_skip(r->reader, SKIP_AT_ONCE, &skipped, &reason);
    r->index += skipped;
    *more = skipped == SKIP_AT_ONCE;
    if (!st) return STK_OK;
    if (stk_inspect_is_damage(st)) {
        stk_record at;
        st = stk_tfrecord_reader_next(r->reader, &at, &reason);
        if (stk_inspect_is_damage(st)) return pass_damage(r, &at, &reason, more, err);
    }
    *err = reason;
    return st;
}

static stk_status read_all(reading *r, stk_error *err)
{
    const stk_inspect_options *options = &r->owner->call->options;
    const bool                 everything = options->verify || options->whole;
    bool                       more = true;
    while (more) {
        STK_TRY(stk_cancel_check(options->cancel, "inspect", err));
        if (everything || r->index < options->sample_records)
            STK_TRY(read_one(r, &more, err));
        else
            STK_TRY(skip_some(r, &more, err));
    }
    return STK_OK;
}

static stk_status scan(void *context, uint64_t portion, int worker, stk_inspect_part *part,
                       stk_error *err)
{
    scanner                   *s = context;
    const stk_tfrecord_options options = {.ledger = s->call->options.ledger};
    reading                    r = {.owner = s,
                                    .path = s->shards->paths[portion],
                                    .file_bytes = s->call->report->files[portion].bytes,
                                    .values = &s->values[worker],
                                    .part = part};
    stk_error                  reason;
    stk_status st = stk_tfrecord_reader_open(&r.reader, s->call->fs, r.path, &options, &reason);
    if (stk_inspect_is_damage(st)) return note_bad(&r, 0, 0, &reason, err);
    if (st) {
        *err = reason;
        return st;
    }
    part->compression = stk_tfrecord_reader_compression(r.reader);
    st = read_all(&r, err);
    part->records = r.index;
    stk_inspect_meter_add(&s->meter, r.file_bytes - r.reported);
    stk_tfrecord_reader_free(r.reader);
    return st;
}

static void merged(void *context, uint64_t portion, const stk_inspect_part *part)
{
    scanner          *s = context;
    stk_inspect_file *file = &s->call->report->files[portion];
    file->records = part->records;
    file->bad = part->bad_count;
    file->compression = part->compression;
}

static stk_status list_files(stk_inspect_call *call, const stk_shards *shards, stk_error *err)
{
    stk_inspect_report *report = call->report;
    report->files = calloc(shards->count, sizeof *report->files);
    if (!report->files)
        return stk_fail(err, STK_E_NOMEM, "inspect", call->path, "no memory for %zu files",
                        shards->count);
    report->file_count = shards->count;
    for (size_t i = 0; i < shards->count; i++) {
        stk_inspect_file *file = &report->files[i];
        stk_file_info     info = {0};
        stk_error         ignored; /* opening the file meets it again and notes it */
        file->path = strdup(shards->paths[i]);
        file->split = strdup(shards->splits[i]);
        if (!file->path || !file->split)
            return stk_fail(err, STK_E_NOMEM, "inspect", shards->paths[i], "no memory for a name");
        const stk_status st = stk_path_info(call->fs, file->path, &info, &ignored);
        if (st && !stk_inspect_is_damage(st)) {
            *err = ignored;
            return st;
        }
        file->bytes = info.bytes;
        report->bytes += info.bytes;
    }
    return STK_OK;
}

stk_status stk_inspect_records(stk_inspect_call *call, const stk_shards *shards, stk_error *err)
{
    scanner                s = {.call = call, .shards = shards};
    const stk_inspect_work work = {
        .portions = shards->count,
        .options = &call->options,
        .threads = stk_inspect_threads(&call->options, shards->count),
        .scan = scan,
        .merged = merged,
        .context = &s,
    };
    STK_TRY(list_files(call, shards, err));
    s.meter = (stk_inspect_meter){.options = &call->options, .total = call->report->bytes};
    s.values = calloc((size_t)work.threads, sizeof *s.values);
    if (!s.values) return stk_fail(err, STK_E_NOMEM, "inspect", call->path, "no memory to begin");
    for (int i = 0; i < work.threads; i++)
        stk_inspect_values_init(&s.values[i], call->options.ledger);
    const stk_status st = stk_inspect_run(&work, &call->total, err);
    for (int i = 0; i < work.threads; i++)
        stk_inspect_values_release(&s.values[i]);
    free(s.values);
    return st;
}

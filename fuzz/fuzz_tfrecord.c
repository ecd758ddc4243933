/* The TFRecord reader on any bytes: plain and with each compression, with small and large buffers,
 * resynchronising at damage. Whatever the buffer, the same records must come. */
#include "memory_filesystem.h"
#include "storage/record/tfrecord_format.h"

#include <stoker/stoker.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct outcome {
    uint64_t records, bytes, resyncs, end; /* end: offset reached */
    uint32_t checksum;
} outcome;

static void demand(int condition)
{
    if (!condition) __builtin_trap();
}

/* Reads to the end, over all damage, or to an error that is no damage. */
static stk_status read_all_records(stk_tfrecord_reader *reader, outcome *o)
{
    stk_error  err;
    stk_record record;
    uint64_t   lost, offset = 0;
    for (;;) {
        stk_status st = stk_tfrecord_reader_next(reader, &record, &err);
        demand(record.offset >= offset);
        offset = record.offset;
        o->end = offset;
        if (st == STK_E_DATALOSS) {
            demand(err.message[0] && err.where[0]);
            demand(stk_tfrecord_reader_next(reader, &record, &err) == STK_E_DATALOSS);
            st = stk_tfrecord_reader_resync(reader, &lost, &err);
            if (st) return st;
            o->resyncs++;
            continue;
        }
        if (st || !record.bytes.data) return st;
        o->records++;
        o->bytes += record.bytes.size;
        o->checksum = stk_crc32c(o->checksum, record.bytes.data, record.bytes.size);
    }
}

static stk_status read_with(const memory_filesystem *memory, stk_tfrecord_options options,
                            outcome *o)
{
    stk_error            err;
    stk_tfrecord_reader *reader;
    *o = (outcome){0};
    stk_status st = stk_tfrecord_reader_open(&reader, &memory->fs, memory->path, &options, &err);
    if (!st) st = read_all_records(reader, o);
    stk_tfrecord_reader_free(reader);
    return st;
}

static void skip_all_records(const memory_filesystem *memory, stk_tfrecord_options options)
{
    stk_error            err;
    stk_tfrecord_reader *reader;
    uint64_t             skipped;
    if (stk_tfrecord_reader_open(&reader, &memory->fs, memory->path, &options, &err)) return;
    (void)!stk_tfrecord_reader_skip(reader, UINT64_MAX, &skipped, &err);
    stk_tfrecord_reader_free(reader);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!size) return 0;
    const memory_filesystem memory =
        memory_filesystem_of("fuzz.tfrecord", stk_bytes_of(data + 1, size - 1));
    stk_tfrecord_options options = {.compression = data[0] % 5, .max_record_bytes = 1 << 20};
    outcome              large, small;
    const stk_status     st = read_with(&memory, options, &large);
    options.buffer_bytes = 1 + data[0] / 5;
    demand(read_with(&memory, options, &small) == st);
    demand(large.records == small.records && large.bytes == small.bytes &&
           large.resyncs == small.resyncs && large.end == small.end &&
           large.checksum == small.checksum);
    skip_all_records(&memory, options);
    return 0;
}

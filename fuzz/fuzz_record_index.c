/* The record index. Even first bytes: the rest is an index file's content, given the right
 * checksum, size and time so that what lies behind them is reached. Odd: the rest is a TFRecord
 * file; its index must agree with reading it from front to back. */
#include "memory_filesystem.h"
#include "storage/record/tfrecord_format.h"

#include <stoker/stoker.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void demand(int condition)
{
    if (!condition) __builtin_trap();
}

static void decode(const uint8_t *data, size_t size)
{
    enum { BYTES_AT = 16, TIME_AT = 24, HEADER = 40 };
    stk_error         err;
    stk_record_index *index;
    stk_file_info     file = {.kind = STK_FILE_REGULAR};
    uint8_t          *content = malloc(size + 1);
    demand(content != NULL);
    memcpy(content, data, size);
    if (size >= HEADER + 4) {
        memcpy(content, "stkindex\1\0\0\0\0\0\0\0", BYTES_AT);
        file.bytes = stk_load_u64(content + BYTES_AT);
        file.modified_ns = (int64_t)stk_load_u64(content + TIME_AT);
        stk_store_u32(content + size - 4, stk_crc32c(0, content, size - 4));
    }
    if (!stk_record_index_decode(&index, stk_bytes_of(content, size), &file, "f", NULL, &err)) {
        uint64_t       end = 0;
        const uint64_t count = stk_record_index_count(index);
        for (uint64_t i = 0; i < count; i++) {
            demand(stk_record_index_offset(index, i) == end);
            end += stk_record_index_length(index, i) + STK_TFRECORD_FRAME;
        }
        demand(end == file.bytes);
    }
    stk_record_index_free(index);
    free(content);
}

static void read_by_number(stk_record_file *file, stk_tfrecord_reader *reader)
{
    stk_error      err;
    stk_record     one, other;
    stk_blob       scratch;
    const uint64_t count = stk_record_index_count(stk_record_file_index(file));
    stk_blob_init(&scratch, NULL, STK_MEMORY_RECORD);
    for (uint64_t i = 0; i < count; i++) {
        const stk_status st = stk_record_file_read(file, i, &scratch, &one, &err);
        demand(stk_tfrecord_reader_next(reader, &other, &err) == st);
        if (st) break; /* damaged data: the index looks at headers only */
        demand(one.offset == other.offset && stk_bytes_equal(one.bytes, other.bytes));
    }
    stk_blob_release(&scratch);
}

static void build(const uint8_t *data, size_t size)
{
    stk_error                  err;
    stk_record_file           *file;
    stk_tfrecord_reader       *reader;
    const stk_tfrecord_options options = {.compression = STK_COMPRESSION_NONE};
    const memory_filesystem    memory =
        memory_filesystem_of("fuzz.tfrecord", stk_bytes_of(data, size));
    if (stk_record_file_open(&file, &memory.fs, memory.path, &options, &err)) return;
    demand(stk_record_index_origin(stk_record_file_index(file)) == STK_INDEX_UNSAVED);
    demand(!stk_tfrecord_reader_open(&reader, &memory.fs, memory.path, &options, &err));
    read_by_number(file, reader);
    stk_tfrecord_reader_free(reader);
    stk_record_file_free(file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!size) return 0;
    if (data[0] & 1)
        build(data + 1, size - 1);
    else
        decode(data + 1, size - 1);
    return 0;
}

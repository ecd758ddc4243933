/* Records to write and recognise again. Included by the tests of TFRecord files. */
#ifndef STK_TESTS_RECORD_SUPPORT_H
#define STK_TESTS_RECORD_SUPPORT_H

#include "harness.h"

#include <stdlib.h>
#include <string.h>

/* Lengths around every boundary of frames, pages and buffers. */
static const size_t record_sizes[] = {0,    1,    11,   12, 13,    100,   4079,  4080, 4081,
                                      4095, 4096, 4097, 0,  65535, 65536, 70000, 3};

/* The same bytes for the same (index, size), unlike those of any other index. */
static inline void fill_record(uint8_t *dst, uint64_t index, size_t size)
{
    uint64_t state = index * 0x9E3779B97F4A7C15u + 1;
    for (size_t i = 0; i < size; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        dst[i] = (uint8_t)(state >> 56);
    }
}

static inline void expect_record(uint64_t index, size_t size, stk_bytes got)
{
    uint8_t *expected = malloc(size + 1);
    fill_record(expected, index, size);
    EXPECT_INT_EQ(size, got.size);
    EXPECT(got.data != NULL);
    EXPECT_MEM_EQ(expected, got.data, size);
    free(expected);
}

/* Appends the frame of record index to blob. */
static inline void append_record(stk_blob *blob, uint64_t index, size_t size)
{
    stk_error err;
    uint8_t  *bytes = malloc(size + 1);
    fill_record(bytes, index, size);
    EXPECT_OK(stk_tfrecord_frame(blob, stk_bytes_of(bytes, size), &err));
    free(bytes);
}

/* Writes count records of sizes[i] to path. */
static inline void write_records(const char *path, const size_t *sizes, size_t count,
                                 const stk_tfrecord_options *options)
{
    stk_error            err;
    stk_tfrecord_writer *writer;
    EXPECT_OK(stk_tfrecord_writer_open(&writer, NULL, path, options, &err));
    for (size_t i = 0; i < count; i++) {
        uint8_t *bytes = malloc(sizes[i] + 1);
        fill_record(bytes, i, sizes[i]);
        EXPECT_OK(stk_tfrecord_writer_write(writer, stk_bytes_of(bytes, sizes[i]), &err));
        free(bytes);
    }
    EXPECT_OK(stk_tfrecord_writer_commit(writer, &err));
    stk_tfrecord_writer_free(writer);
}

/* Expects exactly these records at path, then the end, twice. */
static inline void expect_records(const stk_filesystem *fs, const char *path, const size_t *sizes,
                                  size_t count, const stk_tfrecord_options *options)
{
    stk_error            err;
    stk_tfrecord_reader *reader;
    stk_record           record;
    uint64_t             offset = 0;
    EXPECT_OK(stk_tfrecord_reader_open(&reader, fs, path, options, &err));
    for (size_t i = 0; i < count; i++) {
        EXPECT_OK(stk_tfrecord_reader_next(reader, &record, &err));
        EXPECT_INT_EQ(i, record.index);
        EXPECT_INT_EQ(offset, record.offset);
        expect_record(i, sizes[i], record.bytes);
        offset += sizes[i] + STK_TFRECORD_HEADER + STK_TFRECORD_FOOTER;
    }
    for (int i = 0; i < 2; i++) {
        EXPECT_OK(stk_tfrecord_reader_next(reader, &record, &err));
        EXPECT(record.bytes.data == NULL);
        EXPECT_INT_EQ(count, record.index);
        EXPECT_INT_EQ(offset, record.offset);
    }
    stk_tfrecord_reader_free(reader);
}

#endif

/* Files for the tests of sources: TFRecords whose records say where they are from. */
#ifndef STK_TESTS_FILE_SUPPORT_H
#define STK_TESTS_FILE_SUPPORT_H

#include "pipeline_support.h"
#include "storage/record/compression.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Writes "PREFIX0", "PREFIX1", ... to name in the test's folder; gives its path. */
static inline const char *write_named(const char *name, const char *prefix, int count,
                                      const stk_tfrecord_options *options)
{
    stk_error            err;
    stk_tfrecord_writer *writer;
    const char          *path = stk_test_path(name);
    EXPECT_OK(stk_tfrecord_writer_open(&writer, NULL, path, options, &err));
    for (int i = 0; i < count; i++) {
        char text[64];
        snprintf(text, sizeof text, "%s%d", prefix, i);
        EXPECT_OK(stk_tfrecord_writer_write(writer, stk_bytes_of(text, strlen(text)), &err));
    }
    EXPECT_OK(stk_tfrecord_writer_commit(writer, &err));
    stk_tfrecord_writer_free(writer);
    return path;
}

/* Writes bytes to path as gzip. */
static inline void write_gzip(const char *path, stk_bytes bytes)
{
    stk_error       err;
    stk_compressor *codec;
    size_t          size = 0, got;
    uint8_t         packed[4096];
    bool            done = false;
    EXPECT_OK(stk_compressor_new(&codec, STK_COMPRESSION_GZIP, 0, NULL, path, &err));
    while (!done) {
        EXPECT_OK(stk_compressor_run(codec, &bytes, packed + size, sizeof packed - size, &got, true,
                                     &done, &err));
        size += got;
    }
    stk_compressor_free(codec);
    stk_test_write_file(path, packed, size);
}

/* Inverts one byte of a file. */
static inline void damage_byte(const char *path, long offset)
{
    FILE *file = fopen(path, "r+b");
    EXPECT(file != NULL);
    EXPECT_INT_EQ(0, fseek(file, offset, SEEK_SET));
    const int byte = fgetc(file);
    EXPECT(byte != EOF);
    EXPECT_INT_EQ(0, fseek(file, offset, SEEK_SET));
    fputc(byte ^ 0xff, file);
    EXPECT_INT_EQ(0, fclose(file));
}

/* The bytes of a frame around a record of so many. */
static inline long frame_of(long bytes)
{
    return bytes + STK_TFRECORD_HEADER + STK_TFRECORD_FOOTER;
}

static inline stk_dataset *records_of(const char *const *paths, size_t count,
                                      const stk_records_options *options)
{
    stk_error    err;
    stk_dataset *data;
    EXPECT_OK(stk_dataset_tfrecord_files(&data, NULL, paths, count, options, &err));
    return data;
}

/* Runs data, whose reference it takes over, up to its first error. */
static inline stk_status first_error(stk_dataset *data, const stk_iterator_options *options,
                                     stk_error *err)
{
    stk_iterator *it;
    stk_status    st = stk_iterator_start(&it, data, options, err);
    stk_dataset_unref(data);
    for (stk_element *element = NULL; !st;) {
        st = stk_iterator_next(it, &element, err);
        if (!st && !element) break;
        if (!st) stk_element_unref(element);
    }
    stk_iterator_free(it);
    return st;
}

#endif

/* Example records to inspect. Included by the tests of inspect. */
#ifndef STK_TESTS_INSPECT_SUPPORT_H
#define STK_TESTS_INSPECT_SUPPORT_H

#include "harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Serializes {image: a JPEG's first bytes, label: index % classes, score: two floats}. */
static inline void write_example(stk_blob *out, uint64_t index, int64_t classes)
{
    stk_error     err;
    uint8_t       bytes[40] = {0xFF, 0xD8, 0xFF, 0xE0};
    const int64_t label = (int64_t)index % classes;
    const float   score[2] = {0.5f, (float)index};
    stk_bytes     image = stk_bytes_of(bytes, 20 + index % 20);
    stk_field     fields[] = {
            {"image", STK_DTYPE_BYTES, stk_shape_scalar(), &image, 1},
            {"label", STK_DTYPE_I64, stk_shape_scalar(), &label, 1},
            {"score", STK_DTYPE_F32, stk_shape_1d(2), score, 2},
    };
    const stk_sample sample = {.fields = fields, .field_count = 3};
    out->size = 0;
    EXPECT_OK(stk_example_write(out, &sample, &err));
}

/* A file of count examples. */
static inline void write_examples(const char *path, uint64_t count, int64_t classes,
                                  stk_compression compression)
{
    const stk_tfrecord_options options = {.compression = compression};
    stk_tfrecord_writer       *writer;
    stk_blob                   record;
    stk_error                  err;
    stk_blob_init(&record, NULL, STK_MEMORY_RECORD);
    EXPECT_OK(stk_tfrecord_writer_open(&writer, NULL, path, &options, &err));
    for (uint64_t i = 0; i < count; i++) {
        write_example(&record, i, classes);
        EXPECT_OK(stk_tfrecord_writer_write(writer, stk_blob_bytes(&record), &err));
    }
    EXPECT_OK(stk_tfrecord_writer_commit(writer, &err));
    stk_tfrecord_writer_free(writer);
    stk_blob_release(&record);
}

/* Turns one bit of a file. */
static inline void damage_byte(const char *path, long offset)
{
    FILE *file = fopen(path, "r+b");
    EXPECT(file != NULL);
    fseek(file, offset, SEEK_SET);
    const int byte = fgetc(file);
    fseek(file, offset, SEEK_SET);
    fputc(byte ^ 1, file);
    fclose(file);
}

/* A new folder below the test's own. */
static inline const char *make_folder(const char *name)
{
    stk_error   err;
    const char *path = stk_test_path(name);
    EXPECT_OK(stk_path_make_directory(NULL, path, &err));
    return path;
}

static inline const stk_inspect_feature *feature_of(const stk_inspect_report *report,
                                                    const char               *name)
{
    for (size_t i = 0; i < report->feature_count; i++)
        if (!strcmp(report->features[i].name, name)) return &report->features[i];
    fail_msg("there is no feature %s", name);
    return NULL;
}

#endif

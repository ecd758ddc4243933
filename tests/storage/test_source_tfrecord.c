/* TFRecords as sources: with and without a description, shards, damage. */
#include "source_support.h"

#include <stdio.h>
#include <unistd.h>

#define TINY STK_TEST_DATA "/tfds/tiny/1.0.0"

static const char *write_records(const char *name, const stk_sample *samples, size_t count,
                                 stk_compression compression)
{
    stk_error            err;
    stk_blob             blob;
    stk_tfrecord_writer *writer;
    stk_tfrecord_options options = {.compression = compression};
    const char          *path = put(name, "");
    stk_blob_init(&blob, NULL, STK_MEMORY_OUTPUT);
    EXPECT_OK(stk_tfrecord_writer_open(&writer, NULL, path, &options, &err));
    for (size_t i = 0; i < count; i++) {
        blob.size = 0;
        EXPECT_OK(stk_example_write(&blob, &samples[i], &err));
        EXPECT_OK(stk_tfrecord_writer_write(writer, stk_blob_bytes(&blob), &err));
    }
    EXPECT_OK(stk_tfrecord_writer_commit(writer, &err));
    stk_tfrecord_writer_free(writer);
    stk_blob_release(&blob);
    return path;
}

/* count records of one image (a PNG's beginning), a label and some numbers. */
static const char *write_some(const char *name, size_t count, stk_compression compression)
{
    static const stk_bytes image = {(const uint8_t *)"\x89PNG\r\n\x1a\n....", 12};
    static const int64_t   labels[] = {7, 8, 9};
    static const float     numbers[] = {0.5f, 1.5f, 2.5f, 3.5f};
    stk_field              fields[3][3];
    stk_sample             samples[3];
    EXPECT(count <= 3);
    for (size_t i = 0; i < count; i++) {
        fields[i][0] = (stk_field){"image", STK_DTYPE_BYTES, {0, {0}}, &image, 1};
        fields[i][1] = (stk_field){"label", STK_DTYPE_I64, {0, {0}}, &labels[i], 1};
        fields[i][2] = (stk_field){"numbers", STK_DTYPE_F32, {1, {(int64_t)i + 2}}, numbers, i + 2};
        samples[i] = (stk_sample){.fields = fields[i], .field_count = 3};
    }
    return write_records(name, samples, count, compression);
}

STK_TEST(a_tfds_folder_is_read_with_its_features_and_nothing_is_written)
{
    stk_error          err;
    stk_source_item    item;
    stk_source_cursor *cursor;
    const stk_sample  *sample;
    stk_source        *source = open_source(TINY, NULL);
    EXPECT_STR_EQ("tfrecord", stk_source_kind_name(source));
    EXPECT_INT_EQ(7, stk_source_count(source));
    EXPECT_STR_EQ("test", stk_source_split_name(source, 0));
    EXPECT_STR_EQ("train", stk_source_split_name(source, 1));
    EXPECT_STR_EQ("dog", find_feature(source, "label")->class_names[1]);
    stk_source_item_at(source, 2, &item);
    EXPECT_STR_EQ("tiny-train.tfrecord-00000-of-00001", item.name);
    EXPECT_INT_EQ(0, item.record);
    EXPECT_INT_EQ(1, item.split);
    EXPECT_INT_EQ(-1, item.label);
    EXPECT_OK(stk_source_cursor_new(&cursor, source, &err));
    for (uint64_t i = 0; i < 7; i++) {
        EXPECT_OK(stk_source_read(cursor, i, &sample, &err));
        const stk_field *raw = find_field(sample, "raw");
        const int64_t    id = *(const int64_t *)find_field(sample, "meta/id")->data - 100;
        EXPECT_INT_EQ(STK_DTYPE_U8, raw->dtype);
        EXPECT_INT_EQ(4, raw->count);
        EXPECT_INT_EQ(3, raw->shape.rank);
        EXPECT_INT_EQ(id, ((const uint8_t *)raw->data)[3]);
        expect_int_field(sample, "label", id % 2);
        const float *vector = find_field(sample, "vector")->data;
        EXPECT(vector[2] == (float)id + 2);
        EXPECT_INT_EQ(id, find_field(sample, "words")->count);
        EXPECT_INT_EQ(1, find_field(sample, "image")->count);
    }
    stk_source_cursor_free(cursor);
    stk_source_free(source);
    EXPECT(access(TINY "/.tiny-train.tfrecord-00000-of-00001.stkidx", F_OK) != 0);
}

STK_TEST(without_a_description_the_first_record_tells)
{
    stk_error          err;
    stk_source_cursor *cursor;
    const stk_sample  *sample;
    const char        *path = write_some("plain/data.tfrecord", 3, STK_COMPRESSION_NONE);
    stk_source        *source = open_source(path, NULL);
    EXPECT_INT_EQ(STK_MEANING_IMAGE, find_feature(source, "image")->meaning);
    EXPECT_STR_EQ("png", find_feature(source, "image")->encoding);
    EXPECT_INT_EQ(STK_MEANING_LABEL, find_feature(source, "label")->meaning);
    EXPECT_INT_EQ(-1, find_feature(source, "numbers")->shape.dim[0]);
    EXPECT_STR_EQ("train", stk_source_split_name(source, 0));
    EXPECT_OK(stk_source_cursor_new(&cursor, source, &err));
    EXPECT_OK(stk_source_read(cursor, 2, &sample, &err));
    EXPECT_INT_EQ(4, find_field(sample, "numbers")->count);
    EXPECT_INT_EQ(4, find_field(sample, "numbers")->shape.dim[0]);
    expect_int_field(sample, "label", 9);
    EXPECT_STR_EQ(path, sample->from.file);
    EXPECT_INT_EQ(2, sample->from.record);
    EXPECT(sample->from.offset > 0);
    stk_source_cursor_free(cursor);
    stk_source_free(source);
}

STK_TEST(shards_and_patterns_are_one_source_with_splits)
{
    stk_error          err;
    stk_source_item    item;
    stk_source_cursor *cursor;
    const stk_sample  *sample;
    write_some("set/train-00000-of-00002", 2, STK_COMPRESSION_NONE);
    write_some("set/train-00001-of-00002", 0, STK_COMPRESSION_NONE);
    write_some("set/val-00000-of-00001", 3, STK_COMPRESSION_NONE);
    stk_source *source = open_source(stk_test_path("set"), NULL);
    EXPECT_INT_EQ(5, stk_source_count(source));
    EXPECT_INT_EQ(2, stk_source_split_count(source));
    stk_source_item_at(source, 2, &item);
    EXPECT_STR_EQ("val-00000-of-00001", item.name);
    EXPECT_INT_EQ(1, item.split);
    EXPECT_OK(stk_source_cursor_new(&cursor, source, &err));
    for (int i = 4; i >= 0; i--) {
        EXPECT_OK(stk_source_read(cursor, (uint64_t)i, &sample, &err));
        expect_int_field(sample, "label", i < 2 ? 7 + i : 5 + i);
    }
    stk_source_cursor_free(cursor);
    stk_source_free(source);
    source = open_source(stk_test_path("set/val-*"), NULL);
    EXPECT_INT_EQ(3, stk_source_count(source));
    stk_source_free(source);
    unlink(stk_test_path("set/train-00001-of-00002"));
    refuse(STK_E_DATALOSS, stk_test_path("set"), NULL, &err);
    EXPECT_CONTAINS("train-00001-of-00002", err.message);
    refuse(STK_E_NOTFOUND, stk_test_path("set/none-*"), NULL, &err);
}

STK_TEST(compressed_empty_and_damaged_files_are_refused)
{
    stk_error          err;
    stk_source_cursor *cursor;
    const stk_sample  *sample;
    refuse(STK_E_UNSUPPORTED, write_some("packed.tfrecord.gz", 2, STK_COMPRESSION_GZIP), NULL,
           &err);
    EXPECT_CONTAINS("unpack the file first", err.message);
    refuse(STK_E_NOTFOUND, write_some("empty.tfrecord", 0, STK_COMPRESSION_NONE), NULL, &err);
    const char *path = write_some("hurt.tfrecord", 3, STK_COMPRESSION_NONE);
    stk_source *source = open_source(path, NULL);
    stk_bytes   whole = stk_test_read_file(path);
    ((uint8_t *)whole.data)[whole.size - 10] ^= 1;
    stk_test_write_file(path, whole.data, whole.size);
    EXPECT_OK(stk_source_cursor_new(&cursor, source, &err));
    EXPECT_OK(stk_source_read(cursor, 1, &sample, &err));
    EXPECT_STATUS(STK_E_DATALOSS, stk_source_read(cursor, 2, &sample, &err));
    EXPECT_CONTAINS("corrupted record 2 at offset", err.message);
    EXPECT_OK(stk_source_read(cursor, 0, &sample, &err));
    stk_source_cursor_free(cursor);
    stk_source_free(source);
}

STK_TEST(a_sequence_example_is_refused_and_not_cut_to_its_context)
{
    static const uint8_t record[] = {0x0a, 0x00, 0x12, 0x02, 0x0a, 0x00}; /* context, lists */
    stk_error            err;
    stk_tfrecord_writer *writer;
    const char          *path = put("sequence.tfrecord", "");
    EXPECT_OK(stk_tfrecord_writer_open(&writer, NULL, path, NULL, &err));
    EXPECT_OK(stk_tfrecord_writer_write(writer, stk_bytes_of(record, sizeof record), &err));
    EXPECT_OK(stk_tfrecord_writer_commit(writer, &err));
    stk_tfrecord_writer_free(writer);
    refuse(STK_E_UNSUPPORTED, path, NULL, &err);
    EXPECT_CONTAINS("SequenceExample", err.message);
    EXPECT_CONTAINS("record 0", err.where);
}

STK_TEST(records_may_have_many_features_and_of_a_double_one_the_last_counts)
{
    static const size_t  counts[] = {1, 32, 33, 64, 65, 5000};
    static const int64_t values[] = {1, 2};
    static char          names[5000][8];
    static stk_field     fields[5000];
    for (size_t c = 0; c < COUNT_OF(counts); c++) {
        stk_error          err;
        stk_source_cursor *cursor;
        const stk_sample  *sample;
        const size_t       count = counts[c];
        for (size_t i = 0; i < count; i++) {
            snprintf(names[i], sizeof names[i], "%zu", i);
            fields[i] = (stk_field){names[i], STK_DTYPE_I64, {0, {0}}, &values[0], 1};
        }
        const stk_sample one = {.fields = fields, .field_count = count};
        stk_blob         record = {0};
        EXPECT_OK(stk_example_write(&record, &one, &err));
        fields[0].data = &values[1]; /* two Examples in a row merge to one */
        EXPECT_OK(
            stk_example_write(&record, &(stk_sample){.fields = fields, .field_count = 1}, &err));
        stk_tfrecord_writer *writer;
        const char          *path = put("many.tfrecord", "");
        EXPECT_OK(stk_tfrecord_writer_open(&writer, NULL, path, NULL, &err));
        EXPECT_OK(stk_tfrecord_writer_write(writer, stk_blob_bytes(&record), &err));
        EXPECT_OK(stk_tfrecord_writer_commit(writer, &err));
        stk_tfrecord_writer_free(writer);
        stk_source *source = open_source(path, NULL);
        EXPECT_OK(stk_source_cursor_new(&cursor, source, &err));
        EXPECT_OK(stk_source_read(cursor, 0, &sample, &err));
        EXPECT_INT_EQ(count, sample->field_count);
        expect_int_field(sample, "0", 2);
        if (count > 1) expect_int_field(sample, names[count - 1], 1);
        stk_source_cursor_free(cursor);
        stk_source_free(source);
        stk_blob_release(&record);
    }
}

STK_TEST(a_folder_of_two_kinds_is_not_guessed_at)
{
    stk_error err;
    write_some("both/data.tfrecord", 1, STK_COMPRESSION_NONE);
    put("both/cat/1.jpg", "x");
    refuse(STK_E_FORMAT, stk_test_path("both"), NULL, &err);
    EXPECT_CONTAINS("any of: folder, tfrecord; say which kind", err.message);
    stk_source *source = open_source(stk_test_path("both"), "folder");
    EXPECT_INT_EQ(1, stk_source_count(source));
    stk_source_free(source);
}

STK_TEST(records_without_a_telling_name_are_known_by_content)
{
    stk_source *source = open_source(write_some("odd.data", 1, STK_COMPRESSION_NONE), NULL);
    EXPECT_STR_EQ("tfrecord", stk_source_kind_name(source));
    stk_source_free(source);
}

STK_TEST(records_survive_every_failed_allocation)
{
    stk_test_fail_each_allocation(read_everything, (void *)TINY);
    write_some("failing/a.tfrecord", 2, STK_COMPRESSION_NONE);
    stk_test_fail_each_allocation(read_everything, (void *)stk_test_path("failing"));
}

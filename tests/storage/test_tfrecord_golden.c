/* Files written by TensorFlow are read, and ours are the same to the byte. */
#include "harness.h"

#include <stdlib.h>

static const size_t sizes[] = {0, 1, 11, 12, 13, 100, 0, 0, 255, 256, 1023, 4095, 4096, 4097};

#define GOLDEN(name) STK_TEST_DATA "/tfrecord/" name

static void fill(uint8_t *dst, size_t index, size_t size)
{
    for (size_t i = 0; i < size; i++)
        dst[i] = (uint8_t)(index * 31 + i * 7 + i / 256);
}

static void expect_file(const char *path, stk_compression compression, size_t count)
{
    stk_error            err;
    stk_tfrecord_reader *reader;
    stk_record           record;
    uint8_t              expected[4097];
    for (int automatic = 0; automatic < 2; automatic++) {
        const stk_tfrecord_options options = {.compression =
                                                  automatic ? STK_COMPRESSION_AUTO : compression};
        EXPECT_OK(stk_tfrecord_reader_open(&reader, NULL, path, &options, &err));
        EXPECT_INT_EQ(compression, stk_tfrecord_reader_compression(reader));
        for (size_t i = 0; i < count; i++) {
            EXPECT_OK(stk_tfrecord_reader_next(reader, &record, &err));
            fill(expected, i, sizes[i]);
            EXPECT(stk_bytes_equal(stk_bytes_of(expected, sizes[i]), record.bytes));
        }
        EXPECT_OK(stk_tfrecord_reader_next(reader, &record, &err));
        EXPECT(record.bytes.data == NULL);
        stk_tfrecord_reader_free(reader);
    }
}

STK_TEST(reader_reads_what_tensorflow_wrote)
{
    expect_file(GOLDEN("sizes.tfrecord"), STK_COMPRESSION_NONE, COUNT_OF(sizes));
    expect_file(GOLDEN("sizes.gzip.tfrecord"), STK_COMPRESSION_GZIP, COUNT_OF(sizes));
    expect_file(GOLDEN("sizes.zlib.tfrecord"), STK_COMPRESSION_ZLIB, COUNT_OF(sizes));
    expect_file(GOLDEN("empty.tfrecord"), STK_COMPRESSION_NONE, 0);
    expect_file(GOLDEN("empty.gzip.tfrecord"), STK_COMPRESSION_GZIP, 0);
    expect_file(GOLDEN("empty.zlib.tfrecord"), STK_COMPRESSION_ZLIB, 0);
}

STK_TEST(reader_reads_records_of_no_bytes)
{
    stk_error            err;
    stk_tfrecord_reader *reader;
    stk_record           record;
    EXPECT_OK(stk_tfrecord_reader_open(&reader, NULL, GOLDEN("zero_lengths.tfrecord"), NULL, &err));
    for (int i = 0; i < 3; i++) {
        EXPECT_OK(stk_tfrecord_reader_next(reader, &record, &err));
        EXPECT(record.bytes.data != NULL);
        EXPECT_INT_EQ(0, record.bytes.size);
    }
    EXPECT_OK(stk_tfrecord_reader_next(reader, &record, &err));
    EXPECT(record.bytes.data == NULL);
    stk_tfrecord_reader_free(reader);
}

STK_TEST(writer_writes_the_same_bytes_as_tensorflow)
{
    stk_error            err;
    stk_tfrecord_writer *writer;
    uint8_t              bytes[4097];
    const char          *path = stk_test_path("ours");
    EXPECT_OK(stk_tfrecord_writer_open(&writer, NULL, path, NULL, &err));
    for (size_t i = 0; i < COUNT_OF(sizes); i++) {
        fill(bytes, i, sizes[i]);
        EXPECT_OK(stk_tfrecord_writer_write(writer, stk_bytes_of(bytes, sizes[i]), &err));
    }
    EXPECT_OK(stk_tfrecord_writer_commit(writer, &err));
    stk_tfrecord_writer_free(writer);
    EXPECT(stk_bytes_equal(stk_test_read_file(GOLDEN("sizes.tfrecord")), stk_test_read_file(path)));
}

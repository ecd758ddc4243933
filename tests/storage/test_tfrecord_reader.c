/* Reading TFRecord files: whole, damaged, forged, slow and failing. */
#include "base/crc32c.h"
#include "faulty_filesystem.h"
#include "record_support.h"
#include "storage/record/tfrecord_format.h"

#include <stdio.h>
#include <unistd.h>

enum { FRAME = STK_TFRECORD_HEADER + STK_TFRECORD_FOOTER };

static stk_tfrecord_reader *open_reader(const char *path, const stk_tfrecord_options *options)
{
    stk_error            err;
    stk_tfrecord_reader *reader;
    EXPECT_OK(stk_tfrecord_reader_open(&reader, NULL, path, options, &err));
    return reader;
}

STK_TEST(reader_gives_the_published_vectors)
{
    static const uint8_t abc[] = {3,    0,    0,   0,   0,   0,    0,    0,    0xb0, 0x99,
                                  0x49, 0x0e, 'a', 'b', 'c', 0x6e, 0x57, 0xf1, 0x21};
    static const uint8_t empty[] = {0,    0,    0,    0,    0,    0,    0,    0,
                                    0x29, 0x03, 0x98, 0x07, 0xd8, 0xea, 0x82, 0xa2};
    stk_error            err;
    stk_record           record;
    uint8_t              both[sizeof abc + sizeof empty];
    const char          *path = stk_test_path("vectors");
    memcpy(both, abc, sizeof abc);
    memcpy(both + sizeof abc, empty, sizeof empty);
    stk_test_write_file(path, both, sizeof both);
    stk_tfrecord_reader *reader = open_reader(path, NULL);
    EXPECT_INT_EQ(STK_COMPRESSION_NONE, stk_tfrecord_reader_compression(reader));
    EXPECT_OK(stk_tfrecord_reader_next(reader, &record, &err));
    EXPECT(stk_bytes_equal(stk_bytes_text("abc"), record.bytes));
    EXPECT_OK(stk_tfrecord_reader_next(reader, &record, &err));
    EXPECT(record.bytes.data != NULL);
    EXPECT_INT_EQ(0, record.bytes.size);
    EXPECT_INT_EQ(19, record.offset);
    EXPECT_OK(stk_tfrecord_reader_next(reader, &record, &err));
    EXPECT(record.bytes.data == NULL);
    stk_tfrecord_reader_free(reader);
    stk_tfrecord_reader_free(NULL);
}

STK_TEST(empty_file_has_no_records)
{
    const char *path = stk_test_path("empty");
    stk_test_write_file(path, "", 0);
    for (int c = STK_COMPRESSION_AUTO; c <= STK_COMPRESSION_ZSTD; c++)
        expect_records(NULL, path, NULL, 0, &(stk_tfrecord_options){.compression = c});
}

STK_TEST(reader_gives_records_of_every_size_through_every_buffer)
{
    static const size_t buffers[] = {1, 12, 13, 16, 17, 100, 4096, 65536, 0, 1 << 20};
    const char         *path = stk_test_path("sizes");
    write_records(path, record_sizes, COUNT_OF(record_sizes), NULL);
    for (size_t i = 0; i < COUNT_OF(buffers); i++)
        expect_records(NULL, path, record_sizes, COUNT_OF(record_sizes),
                       &(stk_tfrecord_options){.buffer_bytes = buffers[i]});
}

STK_TEST(reader_does_not_notice_short_reads)
{
    faulty_filesystem faulty;
    const char       *path = stk_test_path("short_reads");
    for (int c = STK_COMPRESSION_NONE; c <= STK_COMPRESSION_ZSTD; c++) {
        const stk_tfrecord_options options = {.compression = c};
        write_records(path, record_sizes, COUNT_OF(record_sizes), &options);
        for (size_t most = 1; most <= 4096; most = most * 8 + 5) {
            faulty_filesystem_init(&faulty);
            faulty.most = most;
            expect_records(&faulty.fs, path, record_sizes, COUNT_OF(record_sizes), NULL);
        }
    }
}

STK_TEST(read_error_names_the_file_and_can_be_tried_again)
{
    stk_error            err;
    stk_record           record;
    stk_tfrecord_reader *reader;
    faulty_filesystem    faulty;
    const char          *path = stk_test_path("read_error");
    static const size_t  sizes[] = {1000, 200000, 300000, 10};
    for (int c = STK_COMPRESSION_NONE; c <= STK_COMPRESSION_ZSTD; c++) {
        write_records(path, sizes, COUNT_OF(sizes), &(stk_tfrecord_options){.compression = c});
        faulty_filesystem_init(&faulty);
        EXPECT_OK(stk_tfrecord_reader_open(&reader, &faulty.fs, path, NULL, &err));
        EXPECT_OK(stk_tfrecord_reader_next(reader, &record, &err));
        faulty.error_at = 400000;
        EXPECT_OK(stk_tfrecord_reader_next(reader, &record, &err));
        for (int i = 0; i < 2; i++) {
            EXPECT_STATUS(STK_E_IO, stk_tfrecord_reader_next(reader, &record, &err));
            EXPECT_STR_EQ(path, err.where);
            EXPECT_CONTAINS("Input/output error", err.message);
        }
        faulty.error_at = UINT64_MAX;
        EXPECT_OK(stk_tfrecord_reader_next(reader, &record, &err));
        expect_record(2, sizes[2], record.bytes);
        EXPECT_OK(stk_tfrecord_reader_next(reader, &record, &err));
        EXPECT_OK(stk_tfrecord_reader_next(reader, &record, &err));
        EXPECT(record.bytes.data == NULL);
        stk_tfrecord_reader_free(reader);
    }
}

STK_TEST(truncated_record_is_named_at_every_length)
{
    stk_error  err;
    stk_record record;
    stk_blob   blob;
    char       expected[64];
    stk_blob_init(&blob, NULL, STK_MEMORY_READ);
    append_record(&blob, 0, 5);
    append_record(&blob, 1, 40);
    const char *path = stk_test_path("truncated");
    for (size_t size = FRAME + 5 + 1; size < blob.size; size++) {
        stk_test_write_file(path, blob.data, size);
        stk_tfrecord_reader *reader = open_reader(path, NULL);
        EXPECT_OK(stk_tfrecord_reader_next(reader, &record, &err));
        for (int i = 0; i < 2; i++) {
            EXPECT_STATUS(STK_E_DATALOSS, stk_tfrecord_reader_next(reader, &record, &err));
            EXPECT(record.bytes.data == NULL);
            EXPECT_CONTAINS("truncated record 1 at offset 21: ", err.message);
            EXPECT_STR_EQ(path, err.where);
        }
        stk_tfrecord_reader_free(reader);
    }
    snprintf(expected, sizeof expected, "claims 40 bytes, the file has %d left", 43);
    EXPECT_CONTAINS(expected, err.message);
    stk_blob_release(&blob);
}

STK_TEST(corrupted_record_is_named_with_both_checksums)
{
    stk_error  err;
    stk_record record;
    stk_blob   blob;
    stk_blob_init(&blob, NULL, STK_MEMORY_READ);
    append_record(&blob, 0, 5);
    append_record(&blob, 1, 40);
    const char *path = stk_test_path("corrupted");
    for (size_t at = FRAME + 5; at < blob.size; at++) {
        blob.data[at] ^= 0x40;
        stk_test_write_file(path, blob.data, blob.size);
        blob.data[at] ^= 0x40;
        stk_tfrecord_reader *reader = open_reader(path, NULL);
        EXPECT_OK(stk_tfrecord_reader_next(reader, &record, &err));
        const bool in_header = at < FRAME + 5 + STK_TFRECORD_HEADER;
        for (int i = 0; i < 2; i++) {
            EXPECT_STATUS(STK_E_DATALOSS, stk_tfrecord_reader_next(reader, &record, &err));
            EXPECT_CONTAINS("corrupted record 1 at offset 21: ", err.message);
            EXPECT_CONTAINS(in_header ? "length checksum is" : "data checksum is", err.message);
            EXPECT_CONTAINS(", expected ", err.message);
        }
        stk_tfrecord_reader_free(reader);
    }
    stk_blob_release(&blob);
}

static void expect_first_error(const void *data, size_t size, const char *part)
{
    stk_error   err;
    stk_record  record;
    const char *path = stk_test_path("foreign");
    stk_test_write_file(path, data, size);
    stk_tfrecord_reader *reader =
        open_reader(path, &(stk_tfrecord_options){.compression = STK_COMPRESSION_NONE});
    EXPECT_STATUS(STK_E_DATALOSS, stk_tfrecord_reader_next(reader, &record, &err));
    EXPECT_CONTAINS("record 0 at offset 0", err.message);
    EXPECT_CONTAINS("is this a TFRecord file?", err.message);
    EXPECT_CONTAINS(part, err.message);
    stk_tfrecord_reader_free(reader);
}

STK_TEST(another_kind_of_file_is_recognised)
{
    expect_first_error("\x89PNG\r\n\x1a\n____________", 20, "It looks like PNG");
    expect_first_error("\xff\xd8\xff\xe0____________", 16, "It looks like JPEG");
    expect_first_error("\x1f\x8b\x08_____________", 16, "It looks like gzip");
    expect_first_error("PK\x03\x04____________", 16, "It looks like zip");
    expect_first_error("name,label\ncat.jpg,1\n", 21, "It looks like text");
    expect_first_error("short", 5, "the file has 5 left");
    expect_first_error("\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d", 13,
                       "TFRecord file?");
}

/* A forged length with the right checksum must not make the reader allocate. */
STK_TEST(forged_length_allocates_nothing)
{
    stk_error            err;
    stk_record           record;
    stk_ledger          *ledger;
    uint64_t             skipped;
    uint8_t              file[64] = {0};
    static const int64_t lengths[] = {49,        1 << 20, INT64_C(1) << 40, INT64_C(1) << 60,
                                      INT64_MAX, -1};
    const char          *path = stk_test_path("forged");
    EXPECT_OK(stk_ledger_new(&ledger, 4096, &err));
    for (size_t i = 0; i < COUNT_OF(lengths); i++) {
        stk_tfrecord_store_header(file, (uint64_t)lengths[i]);
        stk_test_write_file(path, file, sizeof file);
        stk_tfrecord_reader *reader = open_reader(path, &(stk_tfrecord_options){.ledger = ledger});
        EXPECT_STATUS(STK_E_DATALOSS, stk_tfrecord_reader_next(reader, &record, &err));
        EXPECT_CONTAINS("truncated record 0 at offset 0: it claims", err.message);
        EXPECT_CONTAINS("the file has 52 left", err.message);
        EXPECT_STATUS(STK_E_DATALOSS, stk_tfrecord_reader_skip(reader, 1, &skipped, &err));
        EXPECT_INT_EQ(0, skipped);
        stk_tfrecord_reader_free(reader);
    }
    stk_ledger_unref(ledger);
}

STK_TEST(peeking_looks_at_the_first_head_alone)
{
    stk_error   err;
    uint64_t    length;
    uint8_t     file[STK_TFRECORD_HEADER];
    const char *path = stk_test_path("peek");
    stk_tfrecord_store_header(file, UINT64_C(1) << 60);
    stk_test_write_file(path, file, sizeof file);
    EXPECT_OK(stk_tfrecord_peek(NULL, path, NULL, &length, &err));
    EXPECT_INT_EQ(INT64_C(1) << 60, length);
    stk_test_write_file(path, "", 0);
    EXPECT_OK(stk_tfrecord_peek(NULL, path, NULL, &length, &err));
    EXPECT(length == UINT64_MAX);
    stk_test_write_file(path, "name,label\ncat.jpg,1\n", 21);
    EXPECT_STATUS(STK_E_DATALOSS, stk_tfrecord_peek(NULL, path, NULL, &length, &err));
    EXPECT_CONTAINS("is this a TFRecord file?", err.message);
    EXPECT_STATUS(STK_E_NOTFOUND,
                  stk_tfrecord_peek(NULL, stk_test_path("none"), NULL, &length, &err));
}

STK_TEST(record_over_the_limit_is_refused_but_can_be_skipped)
{
    stk_error           err;
    stk_record          record;
    uint64_t            skipped;
    static const size_t sizes[] = {100, 101, 100};
    const char         *path = stk_test_path("limit");
    write_records(path, sizes, COUNT_OF(sizes), NULL);
    stk_tfrecord_reader *reader =
        open_reader(path, &(stk_tfrecord_options){.max_record_bytes = 100, .buffer_bytes = 50});
    EXPECT_OK(stk_tfrecord_reader_next(reader, &record, &err));
    EXPECT_STATUS(STK_E_LIMIT, stk_tfrecord_reader_next(reader, &record, &err));
    EXPECT_CONTAINS("record 1 at offset 116 has 101 bytes, the limit is 100", err.message);
    EXPECT_OK(stk_tfrecord_reader_skip(reader, 1, &skipped, &err));
    EXPECT_OK(stk_tfrecord_reader_next(reader, &record, &err));
    expect_record(2, 100, record.bytes);
    stk_tfrecord_reader_free(reader);
}

STK_TEST(memory_ceiling_is_an_error_not_a_crash)
{
    stk_error           err;
    stk_record          record;
    stk_ledger         *ledger;
    static const size_t sizes[] = {10, 100000};
    const char         *path = stk_test_path("ceiling");
    EXPECT_OK(stk_ledger_new(&ledger, 50000, &err));
    write_records(path, sizes, COUNT_OF(sizes), NULL);
    stk_tfrecord_reader *reader =
        open_reader(path, &(stk_tfrecord_options){.ledger = ledger, .buffer_bytes = 4096});
    EXPECT_OK(stk_tfrecord_reader_next(reader, &record, &err));
    EXPECT_STATUS(STK_E_CEILING, stk_tfrecord_reader_next(reader, &record, &err));
    stk_tfrecord_reader_free(reader);
    stk_ledger_unref(ledger);
}

STK_TEST(reader_gives_back_what_it_took_under_every_ceiling)
{
    stk_error           err;
    stk_record          record;
    stk_ledger         *ledger;
    stk_ledger_report   report;
    static const size_t sizes[] = {10, 3000, 100000, 20};
    const char         *path = stk_test_path("ceilings");
    for (int c = STK_COMPRESSION_NONE; c <= STK_COMPRESSION_ZSTD; c++) {
        bool read = false;
        write_records(path, sizes, COUNT_OF(sizes), &(stk_tfrecord_options){.compression = c});
        for (size_t ceiling = 1; !read; ceiling += ceiling / 8 + 1) {
            stk_tfrecord_reader *reader = NULL;
            EXPECT_OK(stk_ledger_new(&ledger, ceiling, &err));
            stk_status st = stk_tfrecord_reader_open(
                &reader, NULL, path,
                &(stk_tfrecord_options){.ledger = ledger, .buffer_bytes = 4096}, &err);
            while (!st && !(st = stk_tfrecord_reader_next(reader, &record, &err)) &&
                   record.bytes.data)
                expect_record(record.index, sizes[record.index], record.bytes);
            read = !st;
            if (st) {
                EXPECT_STATUS(STK_E_CEILING, st);
                EXPECT_CONTAINS("ceilings", err.where);
                if (reader) EXPECT_STATUS(st, stk_tfrecord_reader_next(reader, &record, &err));
            }
            stk_tfrecord_reader_free(reader);
            stk_ledger_read(ledger, &report);
            EXPECT_INT_EQ(0, report.bytes);
            stk_ledger_unref(ledger);
        }
        EXPECT_INT_EQ(COUNT_OF(sizes), record.index);
    }
}

STK_TEST(skipping_passes_records_and_says_how_many)
{
    stk_error   err;
    stk_record  record;
    uint64_t    skipped;
    const char *path = stk_test_path("skip");
    for (int c = STK_COMPRESSION_NONE; c <= STK_COMPRESSION_ZSTD; c++) {
        const stk_tfrecord_options options = {.compression = c, .buffer_bytes = 5000};
        write_records(path, record_sizes, COUNT_OF(record_sizes), &options);
        for (size_t count = 0; count < COUNT_OF(record_sizes); count++) {
            stk_tfrecord_reader *reader = open_reader(path, &options);
            EXPECT_OK(stk_tfrecord_reader_skip(reader, count, &skipped, &err));
            EXPECT_INT_EQ(count, skipped);
            EXPECT_OK(stk_tfrecord_reader_next(reader, &record, &err));
            EXPECT_INT_EQ(count, record.index);
            expect_record(count, record_sizes[count], record.bytes);
            EXPECT_OK(stk_tfrecord_reader_skip(reader, UINT64_MAX, &skipped, &err));
            EXPECT_INT_EQ(COUNT_OF(record_sizes) - count - 1, skipped);
            stk_tfrecord_reader_free(reader);
        }
    }
}

STK_TEST(skipping_large_records_does_not_read_them)
{
    stk_error            err;
    stk_tfrecord_reader *reader;
    uint64_t             skipped;
    size_t               sizes[50];
    faulty_filesystem    faulty;
    const char          *path = stk_test_path("skip_large");
    for (size_t i = 0; i < COUNT_OF(sizes); i++)
        sizes[i] = 100000;
    write_records(path, sizes, COUNT_OF(sizes), NULL);
    faulty_filesystem_init(&faulty);
    EXPECT_OK(stk_tfrecord_reader_open(&reader, &faulty.fs, path, NULL, &err));
    EXPECT_OK(stk_tfrecord_reader_skip(reader, 100, &skipped, &err));
    EXPECT_INT_EQ(50, skipped);
    EXPECT(faulty.bytes < 600000); /* of 5 million */
    stk_tfrecord_reader_free(reader);
}

STK_TEST(seeking_goes_to_any_record_in_any_order)
{
    stk_error   err;
    stk_record  record;
    uint64_t    offsets[COUNT_OF(record_sizes)], offset = 0;
    const char *path = stk_test_path("seek");
    write_records(path, record_sizes, COUNT_OF(record_sizes), NULL);
    for (size_t i = 0; i < COUNT_OF(record_sizes); i++) {
        offsets[i] = offset;
        offset += record_sizes[i] + FRAME;
    }
    stk_tfrecord_reader *reader = open_reader(path, &(stk_tfrecord_options){.buffer_bytes = 5000});
    for (size_t i = 0; i < 5 * COUNT_OF(record_sizes); i++) {
        const size_t at = i * 7 % COUNT_OF(record_sizes);
        EXPECT_OK(stk_tfrecord_reader_seek(reader, offsets[at], at, &err));
        EXPECT_OK(stk_tfrecord_reader_next(reader, &record, &err));
        EXPECT_INT_EQ(at, record.index);
        expect_record(at, record_sizes[at], record.bytes);
    }
    EXPECT_OK(stk_tfrecord_reader_seek(reader, offset, 17, &err));
    EXPECT_OK(stk_tfrecord_reader_next(reader, &record, &err));
    EXPECT(record.bytes.data == NULL);
    EXPECT_STATUS(STK_E_RANGE, stk_tfrecord_reader_seek(reader, offset + 1, 17, &err));
    EXPECT_CONTAINS("past the end", err.message);
    stk_tfrecord_reader_free(reader);
    write_records(path, record_sizes, 3,
                  &(stk_tfrecord_options){.compression = STK_COMPRESSION_GZIP});
    reader = open_reader(path, NULL);
    EXPECT_STATUS(STK_E_UNSUPPORTED, stk_tfrecord_reader_seek(reader, 0, 0, &err));
    stk_tfrecord_reader_free(reader);
}

STK_TEST(file_cut_between_records_while_it_is_read_is_truncated)
{
    static const size_t sizes[] = {5000, 5000, 5000};
    stk_error           err;
    stk_record          record;
    uint64_t            lost, skipped;
    const char         *path = stk_test_path("shrinking");
    for (int passing = 0; passing < 2; passing++) {
        write_records(path, sizes, COUNT_OF(sizes), NULL);
        stk_tfrecord_reader *reader =
            open_reader(path, &(stk_tfrecord_options){.buffer_bytes = 64});
        EXPECT_OK(stk_tfrecord_reader_next(reader, &record, &err));
        EXPECT_INT_EQ(0, truncate(path, 2 * (5000 + STK_TFRECORD_FRAME)));
        EXPECT_OK(stk_tfrecord_reader_next(reader, &record, &err));
        if (passing)
            EXPECT_STATUS(STK_E_DATALOSS, stk_tfrecord_reader_skip(reader, 1, &skipped, &err));
        else
            EXPECT_STATUS(STK_E_DATALOSS, stk_tfrecord_reader_next(reader, &record, &err));
        EXPECT_CONTAINS("truncated record 2 at offset 10032: the file ends here, 5016 bytes before "
                        "its end when it was opened",
                        err.message);
        EXPECT_OK(stk_tfrecord_reader_resync(reader, &lost, &err));
        EXPECT_INT_EQ(0, lost);
        EXPECT_OK(stk_tfrecord_reader_next(reader, &record, &err));
        EXPECT(record.bytes.data == NULL);
        EXPECT_OK(stk_tfrecord_reader_seek(reader, 0, 0, &err));
        EXPECT_OK(stk_tfrecord_reader_next(reader, &record, &err));
        expect_record(0, sizes[0], record.bytes);
        stk_tfrecord_reader_free(reader);
    }
}

STK_TEST(missing_file_is_not_found)
{
    stk_error            err;
    stk_tfrecord_reader *reader;
    EXPECT_STATUS(STK_E_NOTFOUND,
                  stk_tfrecord_reader_open(&reader, NULL, stk_test_path("no"), NULL, &err));
    EXPECT(reader == NULL);
}

static stk_status read_through(void *context, stk_error *err)
{
    stk_tfrecord_reader *reader;
    stk_record           record;
    STK_TRY(stk_tfrecord_reader_open(&reader, NULL, context, NULL, err));
    stk_status st;
    do {
        st = stk_tfrecord_reader_next(reader, &record, err);
    } while (!st && record.bytes.data);
    stk_tfrecord_reader_free(reader);
    return st;
}

STK_TEST(reader_survives_every_failed_allocation)
{
    static const size_t sizes[] = {100, 300000, 700000, 5};
    const char         *path = stk_test_path("allocations");
    for (int c = STK_COMPRESSION_NONE; c <= STK_COMPRESSION_ZSTD; c++) {
        write_records(path, sizes, COUNT_OF(sizes), &(stk_tfrecord_options){.compression = c});
        stk_test_fail_each_allocation(read_through, (void *)(uintptr_t)path);
    }
}

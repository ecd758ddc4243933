/* Compressed TFRecord files: recognised, joined, cut off, damaged, mistaken for one another. */
#include "record_support.h"
#include "storage/record/content_name.h"
#include "storage/record/tfrecord_format.h"

#include <stdio.h>
#include <zlib.h>

static const stk_compression codecs[] = {STK_COMPRESSION_GZIP, STK_COMPRESSION_ZLIB,
                                         STK_COMPRESSION_ZSTD};

static const size_t few[] = {100, 0, 700};

/* The bytes of the file, kept to the end of the program. */
static stk_bytes packed_file(stk_compression compression)
{
    const char *path = stk_test_path("packed");
    write_records(path, few, COUNT_OF(few), &(stk_tfrecord_options){.compression = compression});
    return stk_test_read_file(path);
}

STK_TEST(compressions_have_names)
{
    EXPECT_STR_EQ("auto", stk_compression_name(STK_COMPRESSION_AUTO));
    EXPECT_STR_EQ("none", stk_compression_name(STK_COMPRESSION_NONE));
    EXPECT_STR_EQ("gzip", stk_compression_name(STK_COMPRESSION_GZIP));
    EXPECT_STR_EQ("zlib", stk_compression_name(STK_COMPRESSION_ZLIB));
    EXPECT_STR_EQ("zstd", stk_compression_name(STK_COMPRESSION_ZSTD));
    EXPECT_STR_EQ("unknown", stk_compression_name((stk_compression)77));
}

STK_TEST(compression_is_recognised_by_content)
{
    stk_error            err;
    stk_tfrecord_reader *reader;
    const char          *path = stk_test_path("recognised");
    for (int c = STK_COMPRESSION_NONE; c <= STK_COMPRESSION_ZSTD; c++)
        for (int level = 0; level <= 9; level += 3) {
            write_records(path, few, COUNT_OF(few),
                          &(stk_tfrecord_options){.compression = c, .level = level});
            EXPECT_OK(stk_tfrecord_reader_open(&reader, NULL, path, NULL, &err));
            EXPECT_INT_EQ(c, stk_tfrecord_reader_compression(reader));
            stk_tfrecord_reader_free(reader);
        }
}

/* A record whose length looks like a gzip or zlib header is still a record, damaged or not. */
STK_TEST(plain_file_that_looks_compressed_is_plain)
{
    stk_error            err;
    stk_tfrecord_reader *reader;
    stk_blob             blob;
    const char          *path = stk_test_path("lookalike");
    static const size_t  lengths[] = {0x0178, 0x9c78, 0x088b1f};
    for (size_t i = 0; i < COUNT_OF(lengths); i++)
        for (int damage = 0; damage < 2; damage++) {
            if (damage && i == 2) continue;
            stk_blob_init(&blob, NULL, STK_MEMORY_READ);
            append_record(&blob, 0, lengths[i]);
            blob.data[9] ^= (uint8_t)damage;
            stk_test_write_file(path, blob.data, blob.size);
            EXPECT_OK(stk_tfrecord_reader_open(&reader, NULL, path, NULL, &err));
            EXPECT_INT_EQ(STK_COMPRESSION_NONE, stk_tfrecord_reader_compression(reader));
            stk_tfrecord_reader_free(reader);
            stk_blob_release(&blob);
        }
}

STK_TEST(streams_that_follow_one_another_are_one_file)
{
    static const size_t thrice[] = {100, 0, 700, 100, 0, 700, 100, 0, 700};
    stk_error           err;
    stk_record          record;
    const char         *path = stk_test_path("joined");
    for (size_t c = 0; c < COUNT_OF(codecs); c++) {
        const stk_bytes one = packed_file(codecs[c]);
        stk_blob        joined;
        stk_blob_init(&joined, NULL, STK_MEMORY_READ);
        for (int i = 0; i < 3; i++)
            EXPECT_OK(stk_blob_append(&joined, one.data, one.size, &err));
        stk_test_write_file(path, joined.data, joined.size);
        stk_tfrecord_reader *reader;
        EXPECT_OK(stk_tfrecord_reader_open(&reader, NULL, path, NULL, &err));
        for (size_t i = 0; i < COUNT_OF(thrice); i++) {
            EXPECT_OK(stk_tfrecord_reader_next(reader, &record, &err));
            expect_record(i % 3, thrice[i], record.bytes);
        }
        EXPECT_OK(stk_tfrecord_reader_next(reader, &record, &err));
        EXPECT(record.bytes.data == NULL);
        stk_tfrecord_reader_free(reader);
        stk_blob_release(&joined);
    }
}

/* Reads to the end or the first error; every record given must be a true one. */
static stk_status read_checked(const char *path, stk_compression compression, stk_error *err)
{
    const stk_tfrecord_options options = {.compression = compression};
    stk_tfrecord_reader       *reader;
    stk_record                 record;
    STK_TRY(stk_tfrecord_reader_open(&reader, NULL, path, &options, err));
    stk_status st;
    do {
        st = stk_tfrecord_reader_next(reader, &record, err);
        if (!st && record.bytes.data) expect_record(record.index, few[record.index], record.bytes);
    } while (!st && record.bytes.data);
    stk_error again;
    if (!st) EXPECT_INT_EQ(COUNT_OF(few), record.index);
    if (st) EXPECT_INT_EQ(st, stk_tfrecord_reader_next(reader, &record, &again));
    if (st) EXPECT_STR_EQ(err->message, again.message);
    stk_tfrecord_reader_free(reader);
    return st;
}

STK_TEST(compressed_file_cut_off_anywhere_is_truncated)
{
    stk_error   err;
    const char *path = stk_test_path("cut");
    char        part[64];
    for (size_t c = 0; c < COUNT_OF(codecs); c++) {
        const stk_bytes whole = packed_file(codecs[c]);
        for (size_t size = 1; size < whole.size; size++) {
            stk_test_write_file(path, whole.data, size);
            EXPECT_STATUS(STK_E_DATALOSS, read_checked(path, codecs[c], &err));
            EXPECT_STR_EQ(path, err.where);
            EXPECT_CONTAINS("truncated record ", err.message);
            snprintf(part, sizeof part, "the %s data is cut off after ",
                     stk_compression_name(codecs[c]));
            EXPECT_CONTAINS(part, err.message);
        }
    }
}

STK_TEST(damage_in_a_compressed_file_never_gives_a_wrong_record)
{
    stk_error   err;
    const char *path = stk_test_path("flipped");
    uint8_t     bytes[4096];
    for (size_t c = 0; c < COUNT_OF(codecs); c++) {
        const stk_bytes whole = packed_file(codecs[c]);
        size_t          found = 0;
        EXPECT(whole.size < sizeof bytes);
        for (size_t i = 0; i < whole.size; i++) {
            memcpy(bytes, whole.data, whole.size);
            bytes[i] ^= 0x20;
            stk_test_write_file(path, bytes, whole.size);
            const stk_status st = read_checked(path, codecs[c], &err);
            EXPECT(st == STK_OK || st == STK_E_DATALOSS);
            found += st != STK_OK;
        }
        /* gzip's time stamp and zstd's window size carry nothing; all else is checked. */
        EXPECT(found + 10 >= whole.size);
    }
}

/* Bytes of the records that can be read of a damaged file, and where it ends. */
static uint64_t saved_bytes(const char *path, stk_compression compression, size_t buffer_bytes,
                            uint64_t *end)
{
    const stk_tfrecord_options options = {.compression = compression, .buffer_bytes = buffer_bytes};
    stk_error                  err;
    stk_tfrecord_reader       *reader;
    stk_record                 record;
    uint64_t                   saved = 0, lost;
    EXPECT_OK(stk_tfrecord_reader_open(&reader, NULL, path, &options, &err));
    do {
        const stk_status st = stk_tfrecord_reader_next(reader, &record, &err);
        saved += record.bytes.size;
        if (!st) continue;
        EXPECT_STATUS(STK_E_DATALOSS, st);
        EXPECT_OK(stk_tfrecord_reader_resync(reader, &lost, &err));
        record.bytes.data = (const uint8_t *)"";
    } while (record.bytes.data);
    *end = record.offset;
    stk_tfrecord_reader_free(reader);
    return saved;
}

STK_TEST(what_is_saved_of_a_damaged_file_is_the_same_through_any_buffer)
{
    const char *path = stk_test_path("saved");
    uint8_t     bytes[4096];
    uint64_t    ends[3];
    for (size_t c = 0; c < COUNT_OF(codecs); c++) {
        const stk_bytes whole = packed_file(codecs[c]);
        for (size_t i = 0; i < whole.size; i++) {
            memcpy(bytes, whole.data, whole.size);
            bytes[i] ^= 0x20;
            stk_test_write_file(path, bytes, whole.size);
            const uint64_t saved = saved_bytes(path, codecs[c], 0, &ends[0]);
            EXPECT_INT_EQ(saved, saved_bytes(path, codecs[c], 1, &ends[1]));
            EXPECT_INT_EQ(saved, saved_bytes(path, codecs[c], 50, &ends[2]));
            EXPECT_INT_EQ(ends[0], ends[1]);
            EXPECT_INT_EQ(ends[0], ends[2]);
        }
    }
}

STK_TEST(file_of_another_compression_is_named_for_what_it_is)
{
    stk_error   err;
    const char *path = stk_test_path("mistaken");
    write_records(path, few, COUNT_OF(few), NULL);
    EXPECT_STATUS(STK_E_DATALOSS, read_checked(path, STK_COMPRESSION_GZIP, &err));
    EXPECT_CONTAINS("corrupted record 0 at offset 0", err.message);
    EXPECT_CONTAINS("is this a gzip file? It looks like TFRecord", err.message);
    EXPECT_STATUS(STK_E_DATALOSS, read_checked(path, STK_COMPRESSION_ZSTD, &err));
    EXPECT_CONTAINS("is this a zstd file? It looks like TFRecord", err.message);
    const stk_bytes gzip = packed_file(STK_COMPRESSION_GZIP);
    stk_test_write_file(path, gzip.data, gzip.size);
    EXPECT_STATUS(STK_E_DATALOSS, read_checked(path, STK_COMPRESSION_ZLIB, &err));
    EXPECT_CONTAINS("is this a zlib file? It looks like gzip", err.message);
    EXPECT_STATUS(STK_E_DATALOSS, read_checked(path, STK_COMPRESSION_NONE, &err));
    EXPECT_CONTAINS("is this a TFRecord file? It looks like gzip", err.message);
}

STK_TEST(zstd_formats_of_before_its_first_release_are_refused)
{
    stk_error   err;
    const char *path = stk_test_path("legacy");
    uint8_t     bytes[64] = {0x27, 0xb5, 0x2f, 0xfd};
    for (bytes[0] = 0x1e; bytes[0] < 0x28; bytes[0]++) {
        stk_test_write_file(path, bytes, sizeof bytes);
        EXPECT_STATUS(STK_E_DATALOSS, read_checked(path, STK_COMPRESSION_ZSTD, &err));
        EXPECT_CONTAINS("Unknown frame descriptor; is this a zstd file?", err.message);
    }
}

/* A forged length in a stream of few bytes: memory follows the data, not the claim. */
STK_TEST(forged_length_in_a_compressed_file_allocates_little)
{
    static const struct {
        uint64_t    length;
        stk_status  status;
        const char *part;
    } claims[] = {{1000, STK_E_DATALOSS, "it claims 1000 bytes, the file has 52 left"},
                  {500 << 20, STK_E_DATALOSS, "it claims 524288000 bytes, the file has 52 left"},
                  {UINT64_C(1) << 60, STK_E_LIMIT, "the limit is 1073741824"}};
    stk_error            err;
    stk_record           record;
    stk_ledger          *ledger;
    stk_tfrecord_reader *reader;
    const char          *path = stk_test_path("forged");
    EXPECT_OK(stk_ledger_new(&ledger, 1 << 20, &err));
    for (size_t i = 0; i < COUNT_OF(claims); i++) {
        uint8_t bytes[64] = {0};
        stk_tfrecord_store_header(bytes, claims[i].length);
        gzFile file = gzopen(path, "wb");
        EXPECT_INT_EQ(sizeof bytes, gzwrite(file, bytes, sizeof bytes));
        EXPECT_INT_EQ(Z_OK, gzclose(file));
        const stk_tfrecord_options options = {.ledger = ledger};
        EXPECT_OK(stk_tfrecord_reader_open(&reader, NULL, path, &options, &err));
        EXPECT_STATUS(claims[i].status, stk_tfrecord_reader_next(reader, &record, &err));
        EXPECT_CONTAINS(claims[i].part, err.message);
        stk_tfrecord_reader_free(reader);
    }
    stk_ledger_unref(ledger);
}

/* To find out whether a file is TFRecords its first record is not unpacked. */
STK_TEST(peeking_takes_the_same_memory_however_long_the_first_record_is)
{
    enum { LONG = 4 << 20 };
    static const size_t sizes[] = {LONG};
    stk_error           err;
    stk_ledger         *ledger;
    uint64_t            length;
    const char         *path = stk_test_path("peek");
    for (size_t c = 0; c < COUNT_OF(codecs); c++) {
        write_records(path, sizes, 1, &(stk_tfrecord_options){.compression = codecs[c]});
        stk_ledger_report report;
        EXPECT_OK(stk_ledger_new(&ledger, 64 << 20, &err));
        EXPECT_OK(stk_tfrecord_peek(NULL, path, ledger, &length, &err));
        EXPECT_INT_EQ(LONG, length);
        stk_ledger_read(ledger, &report);
        /* What zstd takes for its window has the size that the file asks for. */
        if (codecs[c] != STK_COMPRESSION_ZSTD) EXPECT(report.peak_bytes < 200000);
        EXPECT_INT_EQ(0, report.bytes);
        stk_ledger_unref(ledger);
    }
}

STK_TEST(codec_memory_counts_against_the_ceiling)
{
    stk_error            err;
    stk_record           record;
    stk_ledger          *ledger;
    stk_tfrecord_reader *reader;
    stk_tfrecord_writer *writer;
    const char          *path = stk_test_path("ceiling");
    EXPECT_OK(stk_ledger_new(&ledger, 70000, &err));
    for (size_t c = 0; c < COUNT_OF(codecs); c++) {
        stk_tfrecord_options options = {.compression = codecs[c]};
        write_records(path, few, COUNT_OF(few), &options);
        options.ledger = ledger;
        options.buffer_bytes = 1000;
        stk_status st = stk_tfrecord_reader_open(&reader, NULL, path, &options, &err);
        if (!st) st = stk_tfrecord_reader_next(reader, &record, &err);
        if (!st) st = stk_tfrecord_reader_next(reader, &record, &err);
        EXPECT_INT_EQ(STK_E_CEILING, st);
        stk_tfrecord_reader_free(reader);
        st = stk_tfrecord_writer_open(&writer, NULL, path, &options, &err);
        if (!st) st = stk_tfrecord_writer_write(writer, stk_bytes_text("x"), &err);
        if (!st) st = stk_tfrecord_writer_commit(writer, &err);
        EXPECT_INT_EQ(STK_E_CEILING, st);
        stk_tfrecord_writer_free(writer);
    }
    stk_ledger_report report;
    stk_ledger_read(ledger, &report);
    EXPECT_INT_EQ(0, report.bytes);
    stk_ledger_unref(ledger);
}

static void expect_content(const char *name, const char *bytes, size_t size)
{
    EXPECT_STR_EQ(name, stk_content_name(stk_bytes_of(bytes, size)));
}

STK_TEST(content_is_named_by_its_first_bytes)
{
    expect_content("JPEG", "\xff\xd8\xff\xe0", 4);
    expect_content("PNG", "\x89PNG\r\n\x1a\n", 8);
    expect_content("GIF", "GIF89a..", 8);
    expect_content("WebP", "RIFF\x10\0\0\0WEBPVP8 ", 16);
    expect_content("BMP", "BM\x36\0\0\0\0\0\0\0\x36\0\0\0\x28\0\0\0", 18);
    expect_content("text", "BM is not enough, even so", 25);
    expect_content("gzip", "\x1f\x8b\x08\0", 4);
    expect_content("zstd", "\x28\xb5\x2f\xfd", 4);
    expect_content("zip", "PK\x03\x04", 4);
    expect_content("HDF5", "\x89HDF\r\n\x1a\n", 8);
    expect_content("TFRecord", "\3\0\0\0\0\0\0\0\xb0\x99\x49\x0e", 12);
    expect_content("MNIST IDX", "\0\0\x08\x03\0\0\xea\x60", 8);
    expect_content("text", "label,name\n", 11);
    expect_content("text", "caf\xc3\xa9\n", 6);
    expect_content("", "", 0);
    expect_content("", "\x01\x02\x03", 3);
    expect_content("", "\xff\xfe\xfd\xfc", 4);
}

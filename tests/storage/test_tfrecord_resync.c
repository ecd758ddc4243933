/* Damage of every kind in the middle of a file: all other records come back exactly. */
#include "record_support.h"
#include "storage/record/tfrecord_format.h"

enum { COUNT = 12, FRAME = STK_TFRECORD_FRAME, FLIP = 0x10 };

static const size_t sizes[COUNT] = {100, 0, 5000, 17, 3000, 3000, 1, 70000, 40, 0, 4096, 12};

typedef struct file {
    stk_blob bytes;
    size_t   at[COUNT + 1]; /* where each frame begins */
} file;

static file make_file(void)
{
    file f;
    stk_blob_init(&f.bytes, NULL, STK_MEMORY_READ);
    for (size_t i = 0; i < COUNT; i++) {
        f.at[i] = f.bytes.size;
        append_record(&f.bytes, i, sizes[i]);
    }
    f.at[COUNT] = f.bytes.size;
    return f;
}

/* Reads the damaged file with several buffers; the records in lost (a bit each) are missing, all
 * others are there, and what was lost adds up. */
static void expect_all_but(const file *f, unsigned lost, const stk_tfrecord_options *base)
{
    static const size_t  buffers[] = {12, 1000, 0};
    const char          *path = stk_test_path("damaged");
    stk_error            err;
    stk_record           record;
    stk_tfrecord_reader *reader;
    if (base->compression == STK_COMPRESSION_NONE)
        stk_test_write_file(path, f->bytes.data, f->bytes.size);
    for (size_t b = 0; b < COUNT_OF(buffers); b++) {
        stk_tfrecord_options options = *base;
        uint64_t             lost_bytes, sum = 0;
        unsigned             resyncs = 0;
        options.buffer_bytes = buffers[b];
        EXPECT_OK(stk_tfrecord_reader_open(&reader, NULL, path, &options, &err));
        for (unsigned i = 0; i <= COUNT; i++) {
            if (i < COUNT && (lost >> i & 1)) continue;
            stk_status st = stk_tfrecord_reader_next(reader, &record, &err);
            if (st) {
                EXPECT_STATUS(STK_E_DATALOSS, st);
                EXPECT_OK(stk_tfrecord_reader_resync(reader, &lost_bytes, &err));
                sum += lost_bytes;
                resyncs++;
                EXPECT_OK(stk_tfrecord_reader_next(reader, &record, &err));
            }
            if (i == COUNT) EXPECT(record.bytes.data == NULL);
            if (i == COUNT) break;
            expect_record(i, sizes[i], record.bytes);
            sum += sizes[i] + FRAME;
        }
        EXPECT(resyncs > 0);
        EXPECT_INT_EQ(f->bytes.size, sum);
        stk_tfrecord_reader_free(reader);
    }
}

static const stk_tfrecord_options plain = {.compression = STK_COMPRESSION_NONE};

STK_TEST(one_flipped_bit_anywhere_loses_one_record)
{
    file f = make_file();
    for (unsigned i = 0; i < COUNT; i++) {
        const size_t begin = f.at[i], data = begin + STK_TFRECORD_HEADER;
        const size_t places[] = {begin,          begin + 1, begin + 7,           begin + 8,
                                 begin + 11,     data,      data + sizes[i] / 2, data + sizes[i],
                                 f.at[i + 1] - 1};
        for (size_t p = 0; p < COUNT_OF(places); p++) {
            f.bytes.data[places[p]] ^= FLIP;
            expect_all_but(&f, 1u << i, &plain);
            f.bytes.data[places[p]] ^= FLIP;
        }
    }
    stk_blob_release(&f.bytes);
}

STK_TEST(two_damaged_records_in_a_row_lose_two)
{
    /* Each of header and data, in both. */
    for (int first = 0; first < 2; first++)
        for (int second = 0; second < 2; second++) {
            file f = make_file();
            f.bytes.data[f.at[4] + (first ? 0 : 100)] ^= FLIP;
            f.bytes.data[f.at[5] + (second ? 8 : 100)] ^= FLIP;
            expect_all_but(&f, 1u << 4 | 1u << 5, &plain);
            stk_blob_release(&f.bytes);
        }
}

STK_TEST(every_other_record_damaged_leaves_the_rest)
{
    file     f = make_file();
    unsigned lost = 0;
    for (unsigned i = 0; i < COUNT; i += 2) {
        f.bytes.data[f.at[i + 1] - 1] ^= FLIP;
        lost |= 1u << i;
    }
    expect_all_but(&f, lost, &plain);
    stk_blob_release(&f.bytes);
}

STK_TEST(zeroed_page_loses_what_it_covers)
{
    file f = make_file();
    memset(f.bytes.data + f.at[7] + 4096, 0, 4096); /* inside record 7 */
    expect_all_but(&f, 1u << 7, &plain);
    stk_blob_release(&f.bytes);
    f = make_file();
    memset(f.bytes.data + f.at[2] + 3000, 0, 4096); /* from 2 over 3 into 4 */
    expect_all_but(&f, 1u << 2 | 1u << 3 | 1u << 4, &plain);
    stk_blob_release(&f.bytes);
}

/* Replaces removed bytes at place by inserted ones of noise. */
static void splice(file *f, size_t place, size_t removed, size_t inserted)
{
    stk_error err;
    EXPECT_OK(stk_blob_reserve(&f->bytes, f->bytes.size + inserted, &err));
    memmove(f->bytes.data + place + inserted, f->bytes.data + place + removed,
            f->bytes.size - place - removed);
    fill_record(f->bytes.data + place, 99, inserted);
    f->bytes.size += inserted - removed;
}

STK_TEST(inserted_garbage_loses_at_most_the_record_it_is_in)
{
    file f = make_file();
    splice(&f, f.at[5], 0, 777); /* between two records */
    expect_all_but(&f, 0, &plain);
    stk_blob_release(&f.bytes);
    f = make_file();
    splice(&f, f.at[5] + 1000, 0, 777);
    expect_all_but(&f, 1u << 5, &plain);
    stk_blob_release(&f.bytes);
    f = make_file();
    splice(&f, 0, 0, 13); /* before the first */
    expect_all_but(&f, 0, &plain);
    stk_blob_release(&f.bytes);
}

STK_TEST(removed_bytes_lose_only_the_record_they_were_in)
{
    file f = make_file();
    splice(&f, f.at[4] + 1000, 500, 0);
    expect_all_but(&f, 1u << 4, &plain);
    stk_blob_release(&f.bytes);
    f = make_file();
    splice(&f, f.at[7] + 10, 60000, 0);
    expect_all_but(&f, 1u << 7, &plain);
    stk_blob_release(&f.bytes);
}

STK_TEST(truncated_tail_ends_the_file)
{
    for (size_t cut = 1; cut < 12 + FRAME; cut++) {
        file f = make_file();
        f.bytes.size -= cut;
        expect_all_but(&f, 1u << 11, &plain);
        stk_blob_release(&f.bytes);
    }
}

/* A record may hold TFRecords itself: while headers lead on, they are not taken for records. */
STK_TEST(records_inside_a_damaged_record_are_not_taken_for_records)
{
    stk_error            err;
    stk_record           record;
    stk_tfrecord_reader *reader;
    stk_blob             inner, outer;
    uint64_t             lost;
    const char          *path = stk_test_path("nested");
    stk_blob_init(&inner, NULL, STK_MEMORY_READ);
    stk_blob_init(&outer, NULL, STK_MEMORY_READ);
    append_record(&inner, 50, 10);
    append_record(&inner, 51, 10);
    EXPECT_OK(stk_tfrecord_frame(&outer, stk_blob_bytes(&inner), &err));
    EXPECT_OK(stk_tfrecord_frame(&outer, stk_blob_bytes(&inner), &err));
    append_record(&outer, 2, 30);
    outer.data[inner.size + FRAME - 1] ^= FLIP;       /* the first's data checksum */
    outer.data[2 * (inner.size + FRAME) - 1] ^= FLIP; /* and the second's */
    stk_test_write_file(path, outer.data, outer.size);
    EXPECT_OK(stk_tfrecord_reader_open(&reader, NULL, path, NULL, &err));
    EXPECT_STATUS(STK_E_DATALOSS, stk_tfrecord_reader_next(reader, &record, &err));
    EXPECT_OK(stk_tfrecord_reader_resync(reader, &lost, &err));
    EXPECT_INT_EQ(2 * (inner.size + FRAME), lost);
    EXPECT_OK(stk_tfrecord_reader_next(reader, &record, &err));
    expect_record(2, 30, record.bytes);
    EXPECT_INT_EQ(1, record.index); /* as if one record was lost */
    stk_tfrecord_reader_free(reader);
    stk_blob_release(&inner);
    stk_blob_release(&outer);
}

/* Headers one behind the other, each of a record that ends in the middle of the last one: to check
 * each claim to its end would take a time that grows with the square of the file. */
STK_TEST(hostile_file_does_not_make_resync_check_everything_over_and_over)
{
    enum { HEADERS = 1 << 19, INSIDE = 7 };
    stk_error            err;
    stk_record           record;
    stk_tfrecord_reader *reader;
    uint64_t             lost;
    const size_t         size = (size_t)HEADERS * STK_TFRECORD_HEADER;
    stk_blob             bytes = {0};
    const char          *path = stk_test_path("hostile");
    EXPECT_OK(stk_blob_reserve(&bytes, size, &err));
    for (bytes.size = 0; bytes.size < size; bytes.size += STK_TFRECORD_HEADER) {
        const size_t left = size - bytes.size;
        stk_tfrecord_store_header(bytes.data + bytes.size,
                                  left > 100 ? left - STK_TFRECORD_FRAME - INSIDE : 1000);
    }
    append_record(&bytes, 1, 50);
    stk_test_write_file(path, bytes.data, bytes.size);
    EXPECT_OK(stk_tfrecord_reader_open(&reader, NULL, path, NULL, &err));
    EXPECT_STATUS(STK_E_DATALOSS, stk_tfrecord_reader_next(reader, &record, &err));
    EXPECT_OK(stk_tfrecord_reader_resync(reader, &lost, &err));
    EXPECT_INT_EQ(size, lost);
    EXPECT_OK(stk_tfrecord_reader_next(reader, &record, &err));
    expect_record(1, 50, record.bytes);
    stk_tfrecord_reader_free(reader);
    stk_blob_release(&bytes);
}

STK_TEST(resync_without_damage_moves_nothing)
{
    stk_error            err;
    stk_record           record;
    stk_tfrecord_reader *reader;
    uint64_t             lost = 1;
    file                 f = make_file();
    const char          *path = stk_test_path("whole");
    stk_test_write_file(path, f.bytes.data, f.bytes.size);
    EXPECT_OK(stk_tfrecord_reader_open(&reader, NULL, path, NULL, &err));
    EXPECT_OK(stk_tfrecord_reader_resync(reader, &lost, &err));
    EXPECT_INT_EQ(0, lost);
    EXPECT_OK(stk_tfrecord_reader_next(reader, &record, &err));
    expect_record(0, sizes[0], record.bytes);
    stk_tfrecord_reader_free(reader);
    stk_blob_release(&f.bytes);
}

STK_TEST(resync_moves_nothing_once_the_damaged_record_was_skipped)
{
    stk_error            err;
    stk_record           record;
    stk_tfrecord_reader *reader;
    uint64_t             count, lost = 1;
    file                 f = make_file();
    const char          *path = stk_test_path("skipped");
    f.bytes.data[f.at[2] + STK_TFRECORD_HEADER] ^= FLIP;
    stk_test_write_file(path, f.bytes.data, f.bytes.size);
    EXPECT_OK(stk_tfrecord_reader_open(&reader, NULL, path, NULL, &err));
    for (int i = 0; i < 2; i++)
        EXPECT_OK(stk_tfrecord_reader_next(reader, &record, &err));
    EXPECT_STATUS(STK_E_DATALOSS, stk_tfrecord_reader_next(reader, &record, &err));
    EXPECT_OK(stk_tfrecord_reader_skip(reader, 1, &count, &err)); /* its header is sound */
    EXPECT_INT_EQ(1, count);
    EXPECT_OK(stk_tfrecord_reader_resync(reader, &lost, &err));
    EXPECT_INT_EQ(0, lost);
    EXPECT_OK(stk_tfrecord_reader_next(reader, &record, &err));
    EXPECT_INT_EQ(3, record.index);
    expect_record(3, sizes[3], record.bytes);
    stk_tfrecord_reader_free(reader);
    stk_blob_release(&f.bytes);
}

static void write_packed(const char *path, stk_bytes bytes, stk_compression compression)
{
    stk_error            err;
    stk_tfrecord_writer *writer;
    EXPECT_OK(stk_tfrecord_writer_open(&writer, NULL, path,
                                       &(stk_tfrecord_options){.compression = compression}, &err));
    EXPECT_OK(stk_tfrecord_writer_write_framed(writer, bytes, &err));
    EXPECT_OK(stk_tfrecord_writer_commit(writer, &err));
    stk_tfrecord_writer_free(writer);
}

STK_TEST(damaged_record_in_a_sound_compressed_stream_is_passed)
{
    for (int c = STK_COMPRESSION_GZIP; c <= STK_COMPRESSION_ZSTD; c++) {
        file f = make_file();
        f.bytes.data[f.at[4] + 100] ^= FLIP;
        f.bytes.data[f.at[5] + 100] ^= FLIP;
        write_packed(stk_test_path("damaged"), stk_blob_bytes(&f.bytes), (stk_compression)c);
        expect_all_but(&f, 1u << 4 | 1u << 5, &(stk_tfrecord_options){.compression = c});
        stk_blob_release(&f.bytes);
    }
}

STK_TEST(broken_compression_ends_the_file_after_resync)
{
    stk_error            err;
    stk_record           record;
    stk_tfrecord_reader *reader;
    uint64_t             lost;
    const char          *path = stk_test_path("broken");
    for (int c = STK_COMPRESSION_GZIP; c <= STK_COMPRESSION_ZSTD; c++) {
        file f = make_file();
        write_packed(path, stk_blob_bytes(&f.bytes), (stk_compression)c);
        const stk_bytes packed = stk_test_read_file(path);
        stk_test_write_file(path, packed.data, packed.size / 2);
        EXPECT_OK(stk_tfrecord_reader_open(&reader, NULL, path, NULL, &err));
        stk_status st;
        do {
            st = stk_tfrecord_reader_next(reader, &record, &err);
            if (!st) expect_record(record.index, sizes[record.index], record.bytes);
        } while (!st);
        EXPECT_STATUS(STK_E_DATALOSS, st);
        EXPECT_CONTAINS("truncated record 7 at offset 11230: the ", err.message);
        EXPECT_CONTAINS("data is cut off after", err.message);
        EXPECT_OK(stk_tfrecord_reader_resync(reader, &lost, &err));
        EXPECT_OK(stk_tfrecord_reader_next(reader, &record, &err));
        EXPECT(record.bytes.data == NULL);
        stk_tfrecord_reader_free(reader);
        stk_blob_release(&f.bytes);
    }
}

static stk_status resync_through(void *context, stk_error *err)
{
    stk_tfrecord_reader *reader;
    stk_record           record;
    uint64_t             lost;
    STK_TRY(stk_tfrecord_reader_open(&reader, NULL, context,
                                     &(stk_tfrecord_options){.buffer_bytes = 100}, err));
    stk_status st;
    do {
        st = stk_tfrecord_reader_next(reader, &record, err);
        if (st == STK_E_DATALOSS) {
            record.bytes.data = (const uint8_t *)"";
            st = stk_tfrecord_reader_resync(reader, &lost, err);
        }
    } while (!st && record.bytes.data);
    stk_tfrecord_reader_free(reader);
    return st;
}

STK_TEST(resync_survives_every_failed_allocation)
{
    file        f = make_file();
    const char *path = stk_test_path("allocations");
    f.bytes.data[f.at[1] + 3] ^= FLIP;
    f.bytes.data[f.at[4] + 3000] ^= FLIP;
    f.bytes.data[f.at[7] + 3] ^= FLIP;
    stk_test_write_file(path, f.bytes.data, f.bytes.size);
    stk_test_fail_each_allocation(resync_through, (void *)(uintptr_t)path);
    stk_blob_release(&f.bytes);
}

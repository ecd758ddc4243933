/* Long records in memory of their own: take gives what next gives, record for record and error for
 * error, in whole, damaged, cut and failing files. */
#include "faulty_filesystem.h"
#include "record_support.h"
#include "storage/record/tfrecord_reader.h"

enum { LONG = 40000 };

static const size_t sizes[] = {3, LONG, 70000, 0, 32768, 32767, 200000, 12, LONG, 33000};

static stk_tfrecord_reader *open_reader(const stk_filesystem *fs, const char *path,
                                        const stk_tfrecord_options *options)
{
    stk_error            err;
    stk_tfrecord_reader *reader;
    EXPECT_OK(stk_tfrecord_reader_open(&reader, fs, path, options, &err));
    return reader;
}

/* One record of each reader, compared. False at the end of the file. */
static bool expect_same(stk_tfrecord_reader *by_next, stk_tfrecord_reader *by_take, size_t *owned,
                        stk_status *st)
{
    stk_error   err = {0}, taken_err = {0};
    stk_record  lent, taken;
    stk_buffer *owner;
    *st = stk_tfrecord_reader_next(by_next, &lent, &err);
    EXPECT_INT_EQ(*st, stk_tfrecord_reader_take(by_take, NULL, &taken, &owner, &taken_err));
    EXPECT_INT_EQ(by_next->offset, by_take->offset);
    EXPECT_INT_EQ(by_next->index, by_take->index);
    if (*st) {
        EXPECT_STR_EQ(err.message, taken_err.message);
        EXPECT(!owner);
        return true;
    }
    EXPECT_INT_EQ(lent.offset, taken.offset);
    EXPECT_INT_EQ(lent.index, taken.index);
    EXPECT(stk_bytes_equal(lent.bytes, taken.bytes));
    *owned += owner != NULL;
    stk_buffer_unref(owner);
    return lent.bytes.data != NULL;
}

/* To the end of the file, past whatever is damaged. Returns how many records had an owner. */
static size_t expect_same_file(const stk_filesystem *fs, const char *path, size_t buffer_bytes)
{
    const stk_tfrecord_options options = {.buffer_bytes = buffer_bytes};
    stk_tfrecord_reader       *by_next = open_reader(fs, path, &options);
    stk_tfrecord_reader       *by_take = open_reader(fs, path, &options);
    size_t                     owned = 0;
    stk_status                 st;
    while (expect_same(by_next, by_take, &owned, &st)) {
        stk_error err;
        uint64_t  lost, lost_too;
        if (!st) continue;
        EXPECT_INT_EQ(STK_E_DATALOSS, st);
        EXPECT_OK(stk_tfrecord_reader_resync(by_next, &lost, &err));
        EXPECT_OK(stk_tfrecord_reader_resync(by_take, &lost_too, &err));
        EXPECT_INT_EQ(lost, lost_too);
    }
    stk_tfrecord_reader_free(by_next);
    stk_tfrecord_reader_free(by_take);
    return owned;
}

STK_TEST(take_gives_the_records_of_next_through_every_buffer)
{
    static const size_t buffers[] = {1, 12, 13, 100, 4096, 32768, 65536, 0, 1 << 20};
    const char         *path = stk_test_path("whole");
    faulty_filesystem   slow;
    write_records(path, sizes, COUNT_OF(sizes), NULL);
    faulty_filesystem_init(&slow);
    slow.most = 5000;
    for (size_t i = 0; i < COUNT_OF(buffers); i++) {
        const size_t owned = expect_same_file(NULL, path, buffers[i]);
        if (buffers[i] <= 4096 && buffers[i]) EXPECT_INT_EQ(6, owned);
        expect_same_file(&slow.fs, path, buffers[i]);
    }
}

STK_TEST(take_meets_damage_and_ends_where_next_does)
{
    const char *path = stk_test_path("damaged");
    write_records(path, sizes, COUNT_OF(sizes), NULL);
    const stk_bytes whole = stk_test_read_file(path);
    uint8_t        *bytes = malloc(whole.size);
    for (size_t at = 0; at < whole.size; at += 4999) {
        memcpy(bytes, whole.data, whole.size);
        bytes[at] ^= 0x10;
        stk_test_write_file(path, bytes, whole.size);
        expect_same_file(NULL, path, 4096);
        stk_test_write_file(path, whole.data, at); /* cut */
        expect_same_file(NULL, path, 4096);
    }
    free(bytes);
}

STK_TEST(take_can_be_tried_again_after_a_read_error)
{
    const char       *path = stk_test_path("failing");
    faulty_filesystem faulty;
    write_records(path, sizes, COUNT_OF(sizes), NULL);
    const stk_bytes whole = stk_test_read_file(path);
    faulty_filesystem_init(&faulty);
    faulty.most = 7000;
    for (size_t at = 0; at < whole.size; at += 7001) {
        stk_error            err;
        stk_record           record = {0};
        stk_buffer          *owner;
        stk_tfrecord_reader *reader = open_reader(
            &faulty.fs, path,
            &(stk_tfrecord_options){.buffer_bytes = 4096, .compression = STK_COMPRESSION_NONE});
        faulty.error_at = at;
        for (size_t i = 0; i < COUNT_OF(sizes); i++) {
            if (stk_tfrecord_reader_take(reader, NULL, &record, &owner, &err)) {
                EXPECT(!owner && err.status == STK_E_IO);
                faulty.error_at = UINT64_MAX;
                EXPECT_OK(stk_tfrecord_reader_take(reader, NULL, &record, &owner, &err));
            }
            EXPECT_INT_EQ(i, record.index);
            expect_record(i, sizes[i], record.bytes);
            stk_buffer_unref(owner);
        }
        EXPECT_OK(stk_tfrecord_reader_take(reader, NULL, &record, &owner, &err));
        EXPECT(!record.bytes.data && !owner);
        stk_tfrecord_reader_free(reader);
        faulty.error_at = UINT64_MAX;
    }
}

/* Whoever wants to keep the record meets the ceiling then, and loses this record alone. */
STK_TEST(take_lends_a_record_when_there_is_no_memory_for_it)
{
    const char *path = stk_test_path("full");
    stk_error   err;
    stk_record  record;
    stk_buffer *owner;
    stk_ledger *full;
    write_records(path, sizes, COUNT_OF(sizes), NULL);
    EXPECT_OK(stk_ledger_new(&full, 1000, &err));
    stk_tfrecord_reader *reader =
        open_reader(NULL, path, &(stk_tfrecord_options){.buffer_bytes = 4096});
    for (size_t i = 0; i < COUNT_OF(sizes); i++) {
        EXPECT_OK(stk_tfrecord_reader_take(reader, full, &record, &owner, &err));
        EXPECT(!owner);
        expect_record(i, sizes[i], record.bytes);
    }
    stk_tfrecord_reader_free(reader);
    stk_ledger_unref(full);
}

STK_TEST(seeking_after_take_finds_every_record)
{
    const char *path = stk_test_path("seek");
    stk_error   err;
    stk_record  record;
    stk_buffer *owner;
    uint64_t    offsets[COUNT_OF(sizes)];
    write_records(path, sizes, COUNT_OF(sizes), NULL);
    stk_tfrecord_reader *reader = open_reader(NULL, path, NULL);
    for (size_t i = 0; i < COUNT_OF(sizes); i++) {
        EXPECT_OK(stk_tfrecord_reader_take(reader, NULL, &record, &owner, &err));
        offsets[i] = record.offset;
        stk_buffer_unref(owner);
    }
    for (size_t from = 0; from < COUNT_OF(sizes); from++)
        for (size_t to = 0; to < COUNT_OF(sizes); to++) {
            EXPECT_OK(stk_tfrecord_reader_seek(reader, offsets[from], from, &err));
            EXPECT_OK(stk_tfrecord_reader_take(reader, NULL, &record, &owner, &err));
            stk_buffer_unref(owner);
            EXPECT_OK(stk_tfrecord_reader_seek(reader, offsets[to], to, &err));
            EXPECT_OK(stk_tfrecord_reader_take(reader, NULL, &record, &owner, &err));
            expect_record(to, sizes[to], record.bytes);
            stk_buffer_unref(owner);
        }
    stk_tfrecord_reader_free(reader);
}

/* Writing TFRecord files: framing, what commits and what leaves nothing, full disks. */
#include "record_support.h"

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>

static const stk_compression codecs[] = {STK_COMPRESSION_NONE, STK_COMPRESSION_GZIP,
                                         STK_COMPRESSION_ZLIB, STK_COMPRESSION_ZSTD};

static int entries_in(const char *folder)
{
    int  count = 0;
    DIR *directory = opendir(folder);
    EXPECT(directory != NULL);
    while (readdir(directory))
        count++;
    closedir(directory);
    return count - 2;
}

static const char *in_folder(const char *folder, const char *name)
{
    stk_error err;
    char      relative[128];
    EXPECT_OK(stk_path_make_directory(NULL, stk_test_path(folder), &err));
    snprintf(relative, sizeof relative, "%s/%s", folder, name);
    return stk_test_path(relative);
}

STK_TEST(writer_writes_the_published_vectors)
{
    static const uint8_t expected[] = {
        3,    0, 0, 0, 0, 0, 0, 0, 0xb0, 0x99, 0x49, 0x0e, 'a',  'b',  'c',  0x6e, 0x57, 0xf1,
        0x21, 0, 0, 0, 0, 0, 0, 0, 0,    0x29, 0x03, 0x98, 0x07, 0xd8, 0xea, 0x82, 0xa2};
    stk_error            err;
    stk_tfrecord_writer *writer;
    const char          *path = stk_test_path("vectors");
    EXPECT_OK(stk_tfrecord_writer_open(&writer, NULL, path, NULL, &err));
    EXPECT_OK(stk_tfrecord_writer_write(writer, stk_bytes_text("abc"), &err));
    EXPECT_OK(stk_tfrecord_writer_write(writer, (stk_bytes){0}, &err));
    EXPECT_OK(stk_tfrecord_writer_commit(writer, &err));
    stk_tfrecord_writer_free(writer);
    const stk_bytes got = stk_test_read_file(path);
    EXPECT_INT_EQ(sizeof expected, got.size);
    EXPECT_MEM_EQ(expected, got.data, got.size);
}

STK_TEST(what_is_written_is_read_with_every_codec_and_buffer)
{
    static const size_t buffers[] = {1, 100, 5000, 0};
    const char         *path = stk_test_path("codecs");
    for (size_t c = 0; c < COUNT_OF(codecs); c++)
        for (size_t b = 0; b < COUNT_OF(buffers); b++) {
            const stk_tfrecord_options options = {.compression = codecs[c],
                                                  .buffer_bytes = buffers[b]};
            write_records(path, record_sizes, COUNT_OF(record_sizes), &options);
            expect_records(NULL, path, record_sizes, COUNT_OF(record_sizes), &options);
            expect_records(NULL, path, record_sizes, COUNT_OF(record_sizes), NULL);
        }
}

STK_TEST(frames_made_apart_are_the_same_as_records_written)
{
    stk_error            err;
    stk_tfrecord_writer *writer;
    stk_blob             whole, in_place;
    size_t               position;
    const char          *path = stk_test_path("framed");
    stk_blob_init(&whole, NULL, STK_MEMORY_OUTPUT);
    stk_blob_init(&in_place, NULL, STK_MEMORY_OUTPUT);
    for (size_t i = 0; i < COUNT_OF(record_sizes); i++) {
        append_record(&whole, i, record_sizes[i]);
        EXPECT_OK(stk_tfrecord_frame_begin(&in_place, &position, &err));
        EXPECT_OK(stk_blob_reserve(&in_place, in_place.size + record_sizes[i], &err));
        fill_record(in_place.data + in_place.size, i, record_sizes[i]);
        in_place.size += record_sizes[i];
        EXPECT_OK(stk_tfrecord_frame_end(&in_place, position, &err));
    }
    EXPECT(stk_bytes_equal(stk_blob_bytes(&whole), stk_blob_bytes(&in_place)));
    EXPECT_STATUS(STK_E_INVALID, stk_tfrecord_frame_end(&whole, whole.size - 5, &err));
    EXPECT_CONTAINS("no frame was begun", err.message);
    EXPECT_OK(stk_tfrecord_writer_open(&writer, NULL, path, NULL, &err));
    EXPECT_OK(stk_tfrecord_writer_write_framed(writer, stk_bytes_of(whole.data, 16 + 17), &err));
    const stk_bytes rest = {whole.data + 33, whole.size - 33};
    EXPECT_STATUS(STK_E_INVALID, stk_tfrecord_writer_write_framed(
                                     writer, stk_bytes_of(rest.data, rest.size - 1), &err));
    EXPECT_CONTAINS("not whole framed records", err.message);
    EXPECT_OK(stk_tfrecord_writer_write_framed(writer, rest, &err));
    EXPECT_OK(stk_tfrecord_writer_commit(writer, &err));
    stk_tfrecord_writer_free(writer);
    expect_records(NULL, path, record_sizes, COUNT_OF(record_sizes), NULL);
    stk_blob_release(&whole);
    stk_blob_release(&in_place);
}

STK_TEST(writer_without_a_commit_leaves_nothing)
{
    stk_error            err;
    stk_tfrecord_writer *writer;
    const char          *path = in_folder("abandoned", "data");
    for (size_t c = 0; c < COUNT_OF(codecs); c++) {
        const stk_tfrecord_options options = {.compression = codecs[c], .buffer_bytes = 20};
        EXPECT_OK(stk_tfrecord_writer_open(&writer, NULL, path, &options, &err));
        for (int i = 0; i < 100; i++)
            EXPECT_OK(stk_tfrecord_writer_write(writer, stk_bytes_text("some bytes"), &err));
        stk_tfrecord_writer_free(writer);
        EXPECT_INT_EQ(0, entries_in(stk_test_path("abandoned")));
    }
    stk_tfrecord_writer_free(NULL);
}

STK_TEST(nothing_is_written_after_a_commit)
{
    stk_error            err;
    stk_tfrecord_writer *writer;
    const char          *path = stk_test_path("committed");
    EXPECT_OK(stk_tfrecord_writer_open(&writer, NULL, path, NULL, &err));
    EXPECT_OK(stk_tfrecord_writer_commit(writer, &err));
    EXPECT_STATUS(STK_E_INVALID, stk_tfrecord_writer_write(writer, stk_bytes_text("x"), &err));
    EXPECT_CONTAINS("committed already", err.message);
    EXPECT_STATUS(STK_E_INVALID, stk_tfrecord_writer_commit(writer, &err));
    stk_tfrecord_writer_free(writer);
    expect_records(NULL, path, NULL, 0, NULL);
}

STK_TEST(writer_refuses_long_records_and_absurd_levels)
{
    stk_error            err;
    stk_tfrecord_writer *writer;
    const char          *path = in_folder("refused", "data");
    stk_tfrecord_options options = {.max_record_bytes = 3};
    EXPECT_OK(stk_tfrecord_writer_open(&writer, NULL, path, &options, &err));
    EXPECT_OK(stk_tfrecord_writer_write(writer, stk_bytes_text("abc"), &err));
    EXPECT_STATUS(STK_E_LIMIT, stk_tfrecord_writer_write(writer, stk_bytes_text("abcd"), &err));
    EXPECT_CONTAINS("record 1 has 4 bytes, the limit is 3", err.message);
    stk_tfrecord_writer_free(writer);
    options.level = 23;
    for (size_t c = 1; c < COUNT_OF(codecs); c++) {
        options.compression = codecs[c];
        EXPECT_STATUS(STK_E_INVALID, stk_tfrecord_writer_open(&writer, NULL, path, &options, &err));
        EXPECT_CONTAINS("compression level 23 is not between", err.message);
        EXPECT(writer == NULL);
    }
    options.compression = (stk_compression)99;
    EXPECT_STATUS(STK_E_INVALID, stk_tfrecord_writer_open(&writer, NULL, path, &options, &err));
    EXPECT_INT_EQ(0, entries_in(stk_test_path("refused")));
}

/* After a full disk the file has a gap: it must not be committed, whatever is freed later. */
STK_TEST(writer_on_a_full_disk_says_so_and_can_never_commit)
{
    stk_error            err;
    stk_tfrecord_writer *writer;
    struct rlimit        old, small;
    const char          *path = in_folder("full", "data");
    uint8_t             *bytes = malloc(300000);
    fill_record(bytes, 1, 300000);
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    EXPECT_INT_EQ(0, getrlimit(RLIMIT_FSIZE, &old));
    for (size_t c = 0; c < COUNT_OF(codecs); c++) {
        const stk_tfrecord_options options = {.compression = codecs[c]};
        EXPECT_OK(stk_tfrecord_writer_open(&writer, NULL, path, &options, &err));
        small = old;
        small.rlim_cur = 10000;
        EXPECT_INT_EQ(0, setrlimit(RLIMIT_FSIZE, &small));
        stk_status st = stk_tfrecord_writer_write(writer, stk_bytes_of(bytes, 300000), &err);
        if (!st) st = stk_tfrecord_writer_commit(writer, &err);
        EXPECT_INT_EQ(0, setrlimit(RLIMIT_FSIZE, &old));
        EXPECT_INT_EQ(STK_E_NOSPACE, st);
        EXPECT_STR_EQ(path, err.where);
        EXPECT_STATUS(STK_E_NOSPACE, stk_tfrecord_writer_commit(writer, &err));
        EXPECT_STATUS(STK_E_NOSPACE, stk_tfrecord_writer_write(writer, (stk_bytes){0}, &err));
        stk_tfrecord_writer_free(writer);
        EXPECT_INT_EQ(0, entries_in(stk_test_path("full")));
    }
    signal(SIGXFSZ, handler);
    free(bytes);
}

typedef struct attempt {
    const char     *path;
    stk_compression compression;
    uint8_t        *bytes;
} attempt;

static stk_status write_some(void *context, stk_error *err)
{
    const attempt             *a = context;
    const stk_tfrecord_options options = {.compression = a->compression, .buffer_bytes = 1000};
    stk_tfrecord_writer       *writer;
    STK_TRY(stk_tfrecord_writer_open(&writer, NULL, a->path, &options, err));
    stk_status st = STK_OK;
    for (size_t i = 0; i < 10 && !st; i++)
        st = stk_tfrecord_writer_write(writer, stk_bytes_of(a->bytes, i * 300), err);
    if (!st) st = stk_tfrecord_writer_commit(writer, err);
    stk_tfrecord_writer_free(writer);
    return st;
}

STK_TEST(writer_survives_every_failed_allocation)
{
    attempt a = {.path = in_folder("allocations", "data"), .bytes = malloc(3000)};
    fill_record(a.bytes, 1, 3000);
    for (size_t c = 0; c < COUNT_OF(codecs); c++) {
        a.compression = codecs[c];
        stk_test_fail_each_allocation(write_some, &a);
        EXPECT_INT_EQ(1, entries_in(stk_test_path("allocations")));
    }
    free(a.bytes);
}

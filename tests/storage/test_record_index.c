/* Record indexes and random access: built, kept, reused, stale, damaged, unwritable. */
#include "faulty_filesystem.h"
#include "record_support.h"
#include "storage/record/record_index_internal.h"
#include "storage/record/tfrecord_format.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { FRAME = STK_TFRECORD_FRAME, COUNT = COUNT_OF(record_sizes) };

typedef struct place {
    const char *folder, *path, *kept;
} place;

static place make_place(const char *name)
{
    stk_error err;
    char      relative[128];
    place     p = {.folder = stk_test_path(name)};
    EXPECT_OK(stk_path_make_directory(NULL, p.folder, &err));
    snprintf(relative, sizeof relative, "%s/data", name);
    p.path = stk_test_path(relative);
    snprintf(relative, sizeof relative, "%s/.data.stkidx", name);
    p.kept = stk_test_path(relative);
    return p;
}

static void expect_index(const place *p, stk_index_origin origin, const size_t *sizes, size_t count)
{
    stk_error         err;
    stk_record_index *index;
    uint64_t          offset = 0;
    EXPECT_OK(stk_record_index_open(&index, NULL, p->path, NULL, &err));
    EXPECT_INT_EQ(origin, stk_record_index_origin(index));
    EXPECT_INT_EQ(count, stk_record_index_count(index));
    for (size_t i = 0; i < count; i++) {
        EXPECT_INT_EQ(offset, stk_record_index_offset(index, i));
        EXPECT_INT_EQ(sizes[i], stk_record_index_length(index, i));
        offset += sizes[i] + FRAME;
    }
    EXPECT_INT_EQ(offset, stk_record_index_file_bytes(index));
    stk_record_index_free(index);
}

STK_TEST(index_is_built_once_kept_and_used_again)
{
    const place p = make_place("kept");
    write_records(p.path, record_sizes, COUNT, NULL);
    expect_index(&p, STK_INDEX_BUILT, record_sizes, COUNT);
    EXPECT(stk_test_read_file(p.kept).size < 100);
    expect_index(&p, STK_INDEX_LOADED, record_sizes, COUNT);
    stk_record_index_free(NULL);
}

STK_TEST(empty_file_has_an_empty_index)
{
    const place p = make_place("empty");
    stk_test_write_file(p.path, "", 0);
    expect_index(&p, STK_INDEX_BUILT, NULL, 0);
    expect_index(&p, STK_INDEX_LOADED, NULL, 0);
}

STK_TEST(changed_file_is_indexed_anew)
{
    const place p = make_place("changed");
    write_records(p.path, record_sizes, COUNT, NULL);
    expect_index(&p, STK_INDEX_BUILT, record_sizes, COUNT);
    write_records(p.path, record_sizes, COUNT - 1, NULL); /* another size */
    expect_index(&p, STK_INDEX_BUILT, record_sizes, COUNT - 1);
    const struct timespec times[2] = {{.tv_sec = 1700000000}, {.tv_sec = 1700000000}};
    EXPECT_INT_EQ(0, utimensat(AT_FDCWD, p.path, times, 0)); /* the same size, another time */
    expect_index(&p, STK_INDEX_BUILT, record_sizes, COUNT - 1);
    expect_index(&p, STK_INDEX_LOADED, record_sizes, COUNT - 1);
}

STK_TEST(file_written_anew_with_its_old_size_and_time_is_indexed_anew)
{
    static const size_t orders[][3] = {{10, 20, 30}, {30, 20, 10}, {10, 30, 20}, {20, 10, 30}};
    const place         p = make_place("anew");
    struct stat         info;
    for (size_t i = 0; i < COUNT_OF(orders); i++) {
        write_records(p.path, orders[i], 3, NULL);
        if (!i) EXPECT_INT_EQ(0, stat(p.path, &info));
        const struct timespec times[2] = {info.st_mtim, info.st_mtim};
        EXPECT_INT_EQ(0, utimensat(AT_FDCWD, p.path, times, 0));
        expect_index(&p, STK_INDEX_BUILT, orders[i], 3);
        expect_index(&p, STK_INDEX_LOADED, orders[i], 3);
    }
}

STK_TEST(damaged_index_is_rebuilt_wherever_it_is_damaged)
{
    const place p = make_place("damaged");
    write_records(p.path, record_sizes, COUNT, NULL);
    expect_index(&p, STK_INDEX_BUILT, record_sizes, COUNT);
    const stk_bytes good = stk_test_read_file(p.kept);
    uint8_t         bytes[256];
    for (size_t i = 0; i < good.size; i++) {
        memcpy(bytes, good.data, good.size);
        bytes[i] ^= 1;
        stk_test_write_file(p.kept, bytes, good.size);
        expect_index(&p, STK_INDEX_BUILT, record_sizes, COUNT);
        stk_test_write_file(p.kept, good.data, i); /* cut off */
        expect_index(&p, STK_INDEX_BUILT, record_sizes, COUNT);
    }
    memcpy(bytes, good.data, good.size);
    bytes[good.size] = 0;
    stk_test_write_file(p.kept, bytes, good.size + 1); /* extended */
    expect_index(&p, STK_INDEX_BUILT, record_sizes, COUNT);
    memset(bytes, 0, sizeof bytes);
    stk_test_write_file(p.kept, bytes, sizeof bytes);
    expect_index(&p, STK_INDEX_BUILT, record_sizes, COUNT);
}

/* Content with the right checksum that lies: each lie is found. */
static void expect_decode(stk_status expected, const char *part, stk_blob *content, uint64_t bytes)
{
    stk_error           err;
    stk_record_index   *index;
    const stk_file_info file = {.kind = STK_FILE_REGULAR, .bytes = bytes, .modified_ns = 7};
    stk_store_u32(content->data + content->size - 4,
                  stk_crc32c(0, content->data, content->size - 4));
    EXPECT_STATUS(expected,
                  stk_record_index_decode(&index, stk_blob_bytes(content), &file, "f", NULL, &err));
    if (expected) EXPECT_CONTAINS(part, err.message);
    stk_record_index_free(index);
}

STK_TEST(decoding_finds_lies_behind_a_right_checksum)
{
    stk_error           err;
    stk_record_index   *index;
    stk_blob            content;
    const stk_file_info file = {
        .kind = STK_FILE_REGULAR, .bytes = 200 + 1 + 2 * FRAME, .modified_ns = 7};
    enum { VERSION_AT = 8, BYTES_AT = 16, TIME_AT = 24, COUNT_AT = 32, LENGTHS_AT = 40 };
    stk_blob_init(&content, NULL, STK_MEMORY_INDEX);
    EXPECT_OK(stk_record_index_new(&index, "f", NULL, &err));
    EXPECT_OK(stk_record_index_add(index, 200, &err));
    EXPECT_OK(stk_record_index_add(index, 1, &err));
    EXPECT_OK(stk_record_index_encode(index, &file, &content, &err));
    stk_record_index_free(index);
    EXPECT_INT_EQ(LENGTHS_AT + 3 + 4, content.size);
    expect_decode(STK_OK, "", &content, file.bytes);
    expect_decode(STK_E_NOTFOUND, "stale", &content, file.bytes + 1);
    content.data[TIME_AT]++;
    expect_decode(STK_E_NOTFOUND, "stale", &content, file.bytes);
    content.data[TIME_AT]--;
    content.data[VERSION_AT]++;
    expect_decode(STK_E_NOTFOUND, "version 2, this program's is 1", &content, file.bytes);
    content.data[VERSION_AT]--;
    content.data[COUNT_AT] = 4;
    expect_decode(STK_E_DATALOSS, "more records than it has", &content, file.bytes);
    content.data[COUNT_AT] = 3;
    expect_decode(STK_E_DATALOSS, "length is cut off", &content, file.bytes);
    content.data[COUNT_AT] = 1;
    expect_decode(STK_E_DATALOSS, "bytes follow the last length", &content, file.bytes);
    content.data[COUNT_AT + 7] = 0x80;
    expect_decode(STK_E_DATALOSS, "more records than it has", &content, file.bytes);
    content.data[COUNT_AT + 7] = 0;
    content.data[COUNT_AT] = 2;
    content.data[LENGTHS_AT + 2]++;
    expect_decode(STK_E_DATALOSS, "past the end of the file", &content, file.bytes);
    content.data[LENGTHS_AT + 2] -= 2;
    expect_decode(STK_E_DATALOSS, "do not fill the file", &content, file.bytes);
    content.data[0] ^= 1;
    expect_decode(STK_E_DATALOSS, "it is no index", &content, file.bytes);
    stk_blob_release(&content);
}

STK_TEST(index_that_cannot_be_kept_lives_in_memory)
{
    const place p = make_place("unwritable");
    write_records(p.path, record_sizes, COUNT, NULL);
    /* A folder in its place cannot be replaced, even by root. */
    EXPECT_INT_EQ(0, mkdir(p.kept, 0700));
    expect_index(&p, STK_INDEX_UNSAVED, record_sizes, COUNT);
    EXPECT_INT_EQ(0, rmdir(p.kept));
    expect_index(&p, STK_INDEX_BUILT, record_sizes, COUNT);
}

STK_TEST(damaged_file_has_no_index_and_the_record_is_named)
{
    stk_error         err;
    stk_record_index *index;
    const place       p = make_place("broken");
    stk_blob          blob;
    stk_blob_init(&blob, NULL, STK_MEMORY_READ);
    append_record(&blob, 0, 84);
    append_record(&blob, 1, 50);
    append_record(&blob, 2, 50);
    blob.data[100 + 3] ^= 1;
    stk_test_write_file(p.path, blob.data, blob.size);
    EXPECT_STATUS(STK_E_DATALOSS, stk_record_index_open(&index, NULL, p.path, NULL, &err));
    EXPECT(index == NULL);
    EXPECT_STR_EQ(p.path, err.where);
    EXPECT_CONTAINS("corrupted record 1 at offset 100: length checksum", err.message);
    EXPECT_INT_EQ(-1, access(p.kept, F_OK));
    blob.data[100 + 3] ^= 1;
    stk_test_write_file(p.path, blob.data, blob.size - 1);
    EXPECT_STATUS(STK_E_DATALOSS, stk_record_index_open(&index, NULL, p.path, NULL, &err));
    EXPECT_CONTAINS("truncated record 2 at offset 166", err.message);
    stk_blob_release(&blob);
}

STK_TEST(compressed_file_has_no_random_access)
{
    stk_error         err;
    stk_record_index *index;
    stk_record_file  *file;
    const place       p = make_place("compressed");
    for (int c = STK_COMPRESSION_GZIP; c <= STK_COMPRESSION_ZSTD; c++) {
        write_records(p.path, record_sizes, COUNT, &(stk_tfrecord_options){.compression = c});
        EXPECT_STATUS(STK_E_UNSUPPORTED, stk_record_index_open(&index, NULL, p.path, NULL, &err));
        EXPECT_CONTAINS("compressed as a whole", err.message);
        EXPECT_STATUS(STK_E_UNSUPPORTED, stk_record_file_open(&file, NULL, p.path, NULL, &err));
        EXPECT(file == NULL);
    }
}

STK_TEST(records_are_read_by_number_in_any_order)
{
    stk_error        err;
    stk_record_file *file;
    stk_record       record;
    stk_blob         scratch;
    const place      p = make_place("random");
    write_records(p.path, record_sizes, COUNT, NULL);
    stk_blob_init(&scratch, NULL, STK_MEMORY_RECORD);
    for (int round = 0; round < 2; round++) {
        EXPECT_OK(stk_record_file_open(&file, NULL, p.path, NULL, &err));
        for (size_t i = 0; i < 3 * COUNT; i++) {
            const size_t at = i * 5 % COUNT;
            EXPECT_OK(stk_record_file_read(file, at, &scratch, &record, &err));
            EXPECT_INT_EQ(at, record.index);
            EXPECT_INT_EQ(stk_record_index_offset(stk_record_file_index(file), at), record.offset);
            expect_record(at, record_sizes[at], record.bytes);
        }
        EXPECT_STATUS(STK_E_RANGE, stk_record_file_read(file, COUNT, &scratch, &record, &err));
        EXPECT_CONTAINS("there is no record 17: the file has 17", err.message);
        stk_record_file_free(file);
    }
    const stk_tfrecord_options options = {.max_record_bytes = 69999};
    EXPECT_OK(stk_record_file_open(&file, NULL, p.path, &options, &err));
    EXPECT_STATUS(STK_E_LIMIT, stk_record_file_read(file, 15, &scratch, &record, &err));
    EXPECT_CONTAINS("record 15 has 70000 bytes, the limit is 69999", err.message);
    stk_record_file_free(file);
    stk_record_file_free(NULL);
    stk_blob_release(&scratch);
}

/* Overwrites one byte of the file in place, as a failing disk would. */
static void flip_byte(const char *path, long at)
{
    FILE *file = fopen(path, "r+b");
    EXPECT(file != NULL);
    fseek(file, at, SEEK_SET);
    const int byte = fgetc(file);
    fseek(file, at, SEEK_SET);
    fputc(byte ^ 1, file);
    EXPECT_INT_EQ(0, fclose(file));
}

STK_TEST(damage_under_an_open_file_is_found_and_named)
{
    stk_error           err;
    stk_record_file    *file;
    stk_record          record;
    stk_blob            scratch, other;
    static const size_t sizes[] = {84, 50, 50};
    const place         p = make_place("under");
    write_records(p.path, sizes, COUNT_OF(sizes), NULL);
    stk_blob_init(&scratch, NULL, STK_MEMORY_RECORD);
    EXPECT_OK(stk_record_file_open(&file, NULL, p.path, NULL, &err));
    static const struct {
        long        at;
        const char *part;
    } damages[] = {{100, "length checksum is"},
                   {109, "length checksum is"},
                   {120, "data checksum is"},
                   {165, "data checksum is"}};
    for (size_t i = 0; i < COUNT_OF(damages); i++) {
        flip_byte(p.path, damages[i].at);
        EXPECT_STATUS(STK_E_DATALOSS, stk_record_file_read(file, 1, &scratch, &record, &err));
        EXPECT(record.bytes.data == NULL);
        EXPECT_STR_EQ(p.path, err.where);
        EXPECT_CONTAINS("corrupted record 1 at offset 100: ", err.message);
        EXPECT_CONTAINS(damages[i].part, err.message);
        EXPECT_OK(stk_record_file_read(file, 2, &scratch, &record, &err));
        flip_byte(p.path, damages[i].at);
    }
    stk_blob_init(&other, NULL, STK_MEMORY_RECORD);
    append_record(&other, 0, 84);
    append_record(&other, 1, 49);
    stk_test_write_file(p.path, other.data, other.size); /* fopen "wb": the same inode */
    EXPECT_STATUS(STK_E_DATALOSS, stk_record_file_read(file, 1, &scratch, &record, &err));
    EXPECT_CONTAINS("truncated record 1", err.message);
    append_record(&other, 2, 51);
    stk_test_write_file(p.path, other.data, other.size);
    EXPECT_STATUS(STK_E_DATALOSS, stk_record_file_read(file, 1, &scratch, &record, &err));
    EXPECT_CONTAINS("it has 49 bytes, its index says 50", err.message);
    stk_record_file_free(file);
    stk_blob_release(&other);
    stk_blob_release(&scratch);
}

STK_TEST(random_access_hides_short_reads_and_names_the_file_on_errors)
{
    stk_error         err;
    stk_record_file  *file;
    stk_record        record;
    stk_blob          scratch;
    faulty_filesystem faulty;
    const place       p = make_place("faulty");
    write_records(p.path, record_sizes, COUNT, NULL);
    stk_blob_init(&scratch, NULL, STK_MEMORY_RECORD);
    faulty_filesystem_init(&faulty);
    faulty.most = 1;
    EXPECT_OK(stk_record_file_open(&file, &faulty.fs, p.path, NULL, &err));
    for (size_t i = 0; i < COUNT; i++) {
        EXPECT_OK(stk_record_file_read(file, i, &scratch, &record, &err));
        expect_record(i, record_sizes[i], record.bytes);
    }
    faulty.error_at = 5;
    EXPECT_STATUS(STK_E_IO, stk_record_file_read(file, 0, &scratch, &record, &err));
    EXPECT_STR_EQ(p.path, err.where);
    EXPECT_OK(stk_record_file_read(file, 3, &scratch, &record, &err));
    stk_record_file_free(file);
    stk_blob_release(&scratch);
}

typedef struct reading {
    const char      *path;
    stk_record_file *shared;
    int              failures;
} reading;

static void *read_all_records(void *context)
{
    reading         *r = context;
    stk_error        err;
    stk_record_file *own;
    stk_record       record;
    stk_blob         scratch;
    stk_blob_init(&scratch, NULL, STK_MEMORY_RECORD);
    r->failures += stk_record_file_open(&own, NULL, r->path, NULL, &err) != STK_OK;
    for (size_t i = 0; i < 4 * COUNT; i++) {
        const size_t at = i % COUNT;
        stk_status   st = stk_record_file_read(r->shared, at, &scratch, &record, &err);
        r->failures += st || record.bytes.size != record_sizes[at];
        st = stk_record_file_read(own, at, &scratch, &record, &err);
        r->failures += st || record.bytes.size != record_sizes[at];
    }
    stk_record_file_free(own);
    stk_blob_release(&scratch);
    return NULL;
}

STK_TEST(many_threads_build_and_read_at_once)
{
    enum { THREADS = 4 };
    stk_error   err;
    pthread_t   threads[THREADS];
    reading     readings[THREADS];
    const place p = make_place("threads");
    write_records(p.path, record_sizes, COUNT, NULL);
    stk_record_file *shared;
    EXPECT_OK(stk_record_file_open(&shared, NULL, p.path, NULL, &err));
    EXPECT_INT_EQ(0, remove(p.kept)); /* so that all build it */
    for (int i = 0; i < THREADS; i++) {
        readings[i] = (reading){p.path, shared, 0};
        EXPECT_INT_EQ(0, pthread_create(&threads[i], NULL, read_all_records, &readings[i]));
    }
    for (int i = 0; i < THREADS; i++) {
        EXPECT_INT_EQ(0, pthread_join(threads[i], NULL));
        EXPECT_INT_EQ(0, readings[i].failures);
    }
    stk_record_file_free(shared);
    expect_index(&p, STK_INDEX_LOADED, record_sizes, COUNT);
}

static stk_status open_and_read(void *context, stk_error *err)
{
    const place     *p = context;
    stk_record_file *file;
    stk_record       record;
    stk_blob         scratch;
    STK_TRY(stk_record_file_open(&file, NULL, p->path, NULL, err));
    stk_blob_init(&scratch, NULL, STK_MEMORY_RECORD);
    stk_status st = STK_OK;
    for (size_t i = 0; i < COUNT && !st; i++)
        st = stk_record_file_read(file, i, &scratch, &record, err);
    stk_blob_release(&scratch);
    stk_record_file_free(file);
    return st;
}

static stk_status build_and_read(void *context, stk_error *err)
{
    (void)remove(((const place *)context)->kept);
    return open_and_read(context, err);
}

STK_TEST(random_access_survives_every_failed_allocation)
{
    place p = make_place("allocations");
    write_records(p.path, record_sizes, COUNT, NULL);
    stk_test_fail_each_allocation(build_and_read, &p);
    expect_index(&p, STK_INDEX_LOADED, record_sizes, COUNT);
    stk_test_fail_each_allocation(open_and_read, &p);
}

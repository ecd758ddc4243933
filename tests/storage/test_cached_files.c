/* Files through a cache: the same bytes and errors as without, and nothing is read twice. */
#include "failing_alloc.h"
#include "faulty_filesystem.h"
#include "storage/file/cached_files.h"
#include "storage/file/cached_table.h"
#include "storage/file/readahead.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

enum { LARGE = 5 * STK_CACHED_BLOCK / 2 + 17, SMALL = 1234, THREADS = 8 };

static uint8_t content[LARGE];

static const char *file_of(const char *name, size_t size)
{
    const char *path = stk_test_path(name);
    uint32_t    state = 7;
    for (size_t i = 0; i < sizeof content; i++)
        content[i] = (uint8_t)((state = state * 1664525 + 1013904223) >> 24);
    stk_test_write_file(path, content, size);
    return path;
}

typedef struct heard {
    int  lines;
    char last[640];
} heard;

static void hear(void *context, const char *line)
{
    heard *h = context;
    h->lines++;
    snprintf(h->last, sizeof h->last, "%s", line);
}

static stk_cached_files *open_cache(const char *folder, uint64_t limit, heard *h)
{
    stk_error                      err;
    stk_cached_files              *cache;
    const stk_cached_files_options options = {
        .folder = folder, .limit = limit, .log = h ? hear : NULL, .log_context = h};
    EXPECT_OK(stk_cached_files_open(&cache, &options, &err));
    return cache;
}

static void expect_bytes(stk_file *file, uint64_t offset, size_t size, size_t whole)
{
    static uint8_t bytes[LARGE + 100];
    size_t         got;
    stk_error      err;
    EXPECT_OK(stk_file_read_at(file, bytes, size, offset, &got, &err));
    EXPECT_INT_EQ(offset >= whole ? 0 : offset + size > whole ? whole - offset : size, got);
    EXPECT_MEM_EQ(content + (offset < whole ? offset : 0), bytes, got);
}

/* Whole and in odd pieces, and past the end. */
static void expect_file(stk_cached_files *cache, const char *path, size_t size)
{
    stk_error err;
    stk_file *file;
    stk_blob  blob;
    EXPECT_OK(stk_file_open(&file, stk_cached_files_system(cache), path, STK_ACCESS_RANDOM, &err));
    EXPECT_INT_EQ(size, file->info.bytes);
    expect_bytes(file, size / 3, 1000, size);
    for (size_t at = 0; at < size + 50; at += 99991)
        expect_bytes(file, at, 99991, size);
    expect_bytes(file, 0, size + 10, size);
    expect_bytes(file, size, 10, size);
    stk_file_close(file);
    stk_blob_init(&blob, NULL, STK_MEMORY_READ);
    EXPECT_OK(stk_file_read_all(stk_cached_files_system(cache), path, 0, size, &blob, &err));
    EXPECT_INT_EQ(size, blob.size);
    EXPECT_MEM_EQ(content, blob.data, size);
    if (size)
        EXPECT_STATUS(STK_E_LIMIT, stk_file_read_all(stk_cached_files_system(cache), path, 0,
                                                     size - 1, &blob, &err));
    stk_blob_release(&blob);
}

static void expect_read_once(const char *folder)
{
    stk_cached_files *cache = open_cache(folder, 1 << 30, NULL);
    const char       *large = file_of("large", LARGE), *small = file_of("small", SMALL);
    const char       *empty = file_of("empty", 0);
    for (int pass = 0; pass < 3; pass++) {
        expect_file(cache, large, LARGE);
        expect_file(cache, small, SMALL);
        expect_file(cache, empty, 0);
    }
    const stk_cached_stats account = stk_cached_files_stats(cache);
    EXPECT_INT_EQ(LARGE + SMALL, account.bytes);
    EXPECT_INT_EQ(LARGE + SMALL, account.read);
    EXPECT(account.asked > 6 * (uint64_t)(LARGE + SMALL) && !account.full);
    stk_cached_files_free(cache);
}

STK_TEST(files_are_read_once_into_memory)
{
    expect_read_once(NULL);
}

STK_TEST(files_are_read_once_into_a_folder)
{
    expect_read_once(stk_test_path("once"));
}

STK_TEST(what_is_in_memory_passes_the_readers_ahead_by)
{
    stk_cached_files *cache = open_cache(NULL, 1 << 30, NULL);
    stk_error         err;
    stk_io           *io;
    stk_filesystem   *ahead;
    stk_io_stats      stats[2];
    const char       *path = file_of("ahead", LARGE);
    EXPECT_OK(stk_io_start(&io, &(stk_io_options){0}, &err));
    EXPECT_OK(stk_readahead_new(&ahead, stk_cached_files_system(cache), io, NULL, &err));
    for (int pass = 0; pass < 2; pass++) {
        stk_file *file;
        EXPECT_OK(stk_file_open(&file, ahead, path, STK_ACCESS_SEQUENTIAL, &err));
        for (size_t at = 0; at < LARGE; at += 40000)
            expect_bytes(file, at, 40000, LARGE);
        stk_file_close(file);
        stk_io_read_stats(io, &stats[pass]);
    }
    EXPECT(stats[0].requests > 0);
    EXPECT_INT_EQ(stats[0].requests, stats[1].requests);
    EXPECT_INT_EQ(LARGE, stk_cached_files_stats(cache).read);
    stk_readahead_free(ahead);
    stk_io_free(io);
    stk_cached_files_free(cache);
}

typedef struct reader {
    pthread_t    thread;
    stk_file    *file;
    unsigned int seed;
    bool         right;
} reader;

static void *read_here_and_there(void *context)
{
    reader  *r = context;
    uint8_t *bytes = malloc(LARGE);
    r->right = bytes != NULL;
    for (int i = 0; i < 60 && r->right; i++) {
        const size_t at = (size_t)rand_r(&r->seed) % LARGE;
        const size_t size = (size_t)rand_r(&r->seed) % LARGE;
        const size_t whole = at + size > LARGE ? LARGE - at : size;
        size_t       got;
        r->right = !stk_file_read_at(r->file, bytes, size, at, &got, NULL) && got == whole &&
                   !memcmp(bytes, content + at, whole);
    }
    free(bytes);
    return NULL;
}

static void expect_threads(const char *folder)
{
    stk_cached_files *cache = open_cache(folder, 1 << 30, NULL);
    reader            readers[THREADS];
    stk_error         err;
    stk_file         *file;
    const char       *path = file_of("threads", LARGE);
    EXPECT_OK(stk_file_open(&file, stk_cached_files_system(cache), path, STK_ACCESS_RANDOM, &err));
    for (unsigned i = 0; i < THREADS; i++) {
        readers[i] = (reader){.file = file, .seed = i + 1};
        pthread_create(&readers[i].thread, NULL, read_here_and_there, &readers[i]);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(readers[i].thread, NULL);
        EXPECT(readers[i].right);
    }
    stk_file_close(file);
    EXPECT_INT_EQ(LARGE, stk_cached_files_stats(cache).read);
    stk_cached_files_free(cache);
}

STK_TEST(threads_that_want_the_same_bytes_read_them_once)
{
    expect_threads(NULL);
    expect_threads(stk_test_path("threads-folder"));
}

STK_TEST(what_does_not_fit_is_told_once_and_read_anew)
{
    heard             h = {0};
    stk_cached_files *cache = open_cache(NULL, 2 * STK_CACHED_BLOCK, &h);
    const char       *large = file_of("too-large", LARGE), *small = file_of("too-small", SMALL);
    for (int pass = 0; pass < 3; pass++) {
        expect_file(cache, large, LARGE);
        expect_file(cache, small, SMALL);
    }
    const stk_cached_stats account = stk_cached_files_stats(cache);
    EXPECT(account.full && account.bytes <= 2 * STK_CACHED_BLOCK);
    EXPECT_INT_EQ(1, h.lines);
    EXPECT(strstr(h.last, "do not fit into 0.5 MB"));
    stk_cached_files_free(cache);
}

STK_TEST(the_ledger_bounds_what_is_in_memory)
{
    stk_error                err;
    stk_ledger              *ledger;
    stk_cached_files        *cache;
    stk_ledger_report        report;
    const char              *large = file_of("ledger", LARGE);
    stk_cached_files_options options = {.limit = 1 << 30};
    EXPECT_OK(stk_ledger_new(&ledger, 2 * STK_CACHED_BLOCK, &err));
    options.ledger = ledger;
    EXPECT_OK(stk_cached_files_open(&cache, &options, &err));
    expect_file(cache, large, LARGE);
    stk_ledger_read(ledger, &report);
    EXPECT(stk_cached_files_stats(cache).full);
    EXPECT(report.lines[STK_MEMORY_CACHE].bytes > 0 && report.bytes <= 2 * STK_CACHED_BLOCK);
    stk_cached_files_free(cache);
    stk_ledger_read(ledger, &report);
    EXPECT_INT_EQ(0, report.bytes);
    stk_ledger_unref(ledger);
}

STK_TEST(an_error_below_is_the_readers_and_is_tried_again)
{
    faulty_filesystem        faulty;
    stk_error                err;
    stk_cached_files        *cache;
    stk_file                *file;
    uint8_t                  bytes[100];
    size_t                   got;
    const char              *path = file_of("faulty", LARGE);
    stk_cached_files_options options = {.limit = 1 << 30, .inner = &faulty.fs};
    faulty_filesystem_init(&faulty);
    faulty.error_at = STK_CACHED_BLOCK + 5;
    EXPECT_OK(stk_cached_files_open(&cache, &options, &err));
    EXPECT_OK(stk_file_open(&file, stk_cached_files_system(cache), path, STK_ACCESS_RANDOM, &err));
    expect_bytes(file, 10, 100, LARGE);
    EXPECT_STATUS(STK_E_IO,
                  stk_file_read_at(file, bytes, sizeof bytes, STK_CACHED_BLOCK, &got, &err));
    faulty.error_at = UINT64_MAX;
    faulty.most = 1000; /* short reads are no end */
    expect_bytes(file, 0, LARGE, LARGE);
    const uint64_t reads = faulty.reads;
    expect_bytes(file, 0, LARGE, LARGE);
    EXPECT_INT_EQ(reads, faulty.reads);
    stk_file_close(file);
    EXPECT_STATUS(STK_E_NOTFOUND, stk_file_open(&file, stk_cached_files_system(cache),
                                                stk_test_path("nowhere"), STK_ACCESS_RANDOM, &err));
    stk_cached_files_free(cache);
}

/* Files that are in the folder from before. */
static stk_cached_files *fill_folder(const char *folder, const char *large, const char *small)
{
    stk_error         err;
    stk_cached_files *cache = open_cache(folder, 1 << 30, NULL);
    expect_file(cache, large, LARGE);
    expect_file(cache, small, SMALL);
    EXPECT_OK(stk_cached_files_save(cache, &err));
    return cache;
}

STK_TEST(a_folder_that_was_saved_is_used_again)
{
    const char *folder = stk_test_path("again");
    const char *large = file_of("again-large", LARGE), *small = file_of("again-small", SMALL);
    stk_cached_files_free(fill_folder(folder, large, small));
    stk_cached_files *cache = open_cache(folder, 1 << 30, NULL);
    expect_file(cache, large, LARGE);
    expect_file(cache, small, SMALL);
    EXPECT_INT_EQ(0, stk_cached_files_stats(cache).read);
    stk_cached_files_free(cache);
}

STK_TEST(a_file_that_changed_is_read_again)
{
    const char *folder = stk_test_path("changed");
    const char *large = file_of("changed-large", LARGE), *small = file_of("changed-small", SMALL);
    stk_cached_files_free(fill_folder(folder, large, small));
    small = file_of("changed-small", SMALL - 1);
    stk_cached_files *cache = open_cache(folder, 1 << 30, NULL);
    expect_file(cache, large, LARGE);
    expect_file(cache, small, SMALL - 1);
    EXPECT_INT_EQ(SMALL - 1, stk_cached_files_stats(cache).read);
    stk_cached_files_free(cache);
}

static void flip_byte(const char *folder, const char *name, long at)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "r+b");
    EXPECT(file != NULL);
    fseek(file, at, SEEK_SET);
    const int byte = fgetc(file);
    fseek(file, at, SEEK_SET);
    fputc(byte ^ 1, file);
    fclose(file);
}

STK_TEST(a_damaged_block_is_read_again)
{
    heard       h = {0};
    const char *folder = stk_test_path("damaged");
    const char *large = file_of("damaged-large", LARGE), *small = file_of("damaged-small", SMALL);
    stk_cached_files_free(fill_folder(folder, large, small));
    flip_byte(folder, "blocks", STK_CACHED_BLOCK + 100);
    stk_cached_files *cache = open_cache(folder, 1 << 30, &h);
    expect_file(cache, large, LARGE);
    expect_file(cache, small, SMALL);
    EXPECT_INT_EQ(STK_CACHED_BLOCK, stk_cached_files_stats(cache).read);
    EXPECT_INT_EQ(1, h.lines);
    stk_cached_files_free(cache);
}

STK_TEST(a_damaged_list_begins_anew_and_says_so)
{
    const char *folder = stk_test_path("list");
    const char *large = file_of("list-large", LARGE), *small = file_of("list-small", SMALL);
    for (long at = 0; at < 60; at += 7) {
        heard h = {0};
        stk_cached_files_free(fill_folder(folder, large, small));
        flip_byte(folder, "list", at);
        stk_cached_files *cache = open_cache(folder, 1 << 30, &h);
        EXPECT_INT_EQ(1, h.lines);
        EXPECT(strstr(h.last, "it begins anew"));
        expect_file(cache, large, LARGE);
        EXPECT_INT_EQ(LARGE, stk_cached_files_stats(cache).read);
        stk_cached_files_free(cache);
    }
}

/* It was read for ever. */
STK_TEST(a_list_that_is_a_device_begins_anew)
{
    heard       h = {0};
    char        list[4200];
    const char *folder = stk_test_path("device");
    const char *large = file_of("device-large", LARGE), *small = file_of("device-small", SMALL);
    stk_cached_files_free(fill_folder(folder, large, small));
    snprintf(list, sizeof list, "%s/list", folder);
    EXPECT_INT_EQ(0, remove(list));
    EXPECT_INT_EQ(0, symlink("/dev/zero", list));
    stk_cached_files *cache = open_cache(folder, 1 << 30, &h);
    EXPECT(strstr(h.last, "it begins anew"));
    expect_file(cache, large, LARGE);
    stk_cached_files_free(cache);
}

/* As after a crash: what is not in a list is nothing. */
STK_TEST(a_folder_without_a_list_begins_anew)
{
    const char       *folder = stk_test_path("killed");
    const char       *large = file_of("killed-large", LARGE);
    stk_cached_files *cache = open_cache(folder, 1 << 30, NULL);
    expect_file(cache, large, LARGE);
    stk_cached_files_free(cache);
    cache = open_cache(folder, 1 << 30, NULL);
    EXPECT_INT_EQ(0, stk_cached_files_stats(cache).bytes);
    expect_file(cache, large, LARGE);
    EXPECT_INT_EQ(LARGE, stk_cached_files_stats(cache).bytes);
    stk_cached_files_forget(cache);
    stk_cached_files_free(cache);
    struct stat unused;
    EXPECT(stat(folder, &unused) != 0);
}

STK_TEST(a_folder_is_one_process_at_a_time)
{
    stk_error                      err;
    const char                    *folder = stk_test_path("busy");
    stk_cached_files              *cache = open_cache(folder, 1 << 30, NULL), *second;
    const stk_cached_files_options options = {.folder = folder, .limit = 1 << 30};
    EXPECT_STATUS(STK_E_BUSY, stk_cached_files_open(&second, &options, &err));
    EXPECT(strstr(err.message, "data.cache_folder"));
    stk_cached_files_free(cache);
}

STK_TEST(a_full_disk_loses_nothing)
{
    heard         h = {0};
    struct rlimit before, small = {0};
    const char   *folder = stk_test_path("full-disk");
    const char   *large = file_of("full-large", LARGE), *tiny = file_of("full-small", SMALL);
    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &before);
    small = before;
    small.rlim_cur = STK_CACHED_BLOCK + 1000;
    setrlimit(RLIMIT_FSIZE, &small);
    stk_cached_files *cache = open_cache(folder, 1 << 30, &h);
    for (int pass = 0; pass < 2; pass++) {
        expect_file(cache, large, LARGE);
        expect_file(cache, tiny, SMALL);
    }
    EXPECT(stk_cached_files_stats(cache).full);
    EXPECT_INT_EQ(1, h.lines);
    EXPECT(strstr(h.last, "blocks: ") && strstr(h.last, "write"));
    setrlimit(RLIMIT_FSIZE, &before);
    stk_cached_files_free(cache);
}

static const char *alloc_path, *alloc_folder;

/* Want of memory makes reads slower, or fails what is opened; never another way. */
static stk_status read_through(stk_error *err)
{
    stk_cached_files              *cache;
    stk_file                      *file;
    uint8_t                        bytes[100];
    size_t                         got;
    const stk_cached_files_options options = {.folder = alloc_folder, .limit = 1 << 30};
    STK_TRY(stk_cached_files_open(&cache, &options, err));
    stk_status st =
        stk_file_open(&file, stk_cached_files_system(cache), alloc_path, STK_ACCESS_RANDOM, err);
    if (!st) {
        st = stk_file_read_at(file, bytes, sizeof bytes, 1000, &got, err);
        if (!st) EXPECT_MEM_EQ(content + 1000, bytes, got);
        stk_file_close(file);
    }
    if (!st) st = stk_cached_files_save(cache, err);
    stk_cached_files_free(cache);
    return st;
}

static void expect_without_memory(void)
{
    bool met = true;
    for (int64_t n = 0; met; n++) {
        stk_error     err;
        const int64_t before = stk_alloc_live();
        stk_alloc_fail_after(n);
        stk_status st = read_through(&err);
        if (!st) st = read_through(&err);
        met = stk_alloc_fail_stop();
        EXPECT(!st || st == STK_E_NOMEM);
        EXPECT_INT_EQ(before, stk_alloc_live());
    }
}

STK_TEST(want_of_memory_is_an_error_or_a_slower_read)
{
    alloc_path = file_of("alloc", LARGE);
    expect_without_memory();
    alloc_folder = stk_test_path("alloc-folder");
    expect_without_memory();
}

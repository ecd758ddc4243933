/* Files read ahead: the same bytes and the same errors as plain reads, sooner. */
#include "failing_alloc.h"
#include "slow_filesystem.h"
#include "storage/file/readahead.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/vfs.h>

enum { FILE_BYTES = 1000003, KIB = 1024 };

static uint8_t content[FILE_BYTES];

static const char *content_file(void)
{
    static const char *path;
    if (path) return path;
    path = stk_test_path("content");
    uint32_t state = 12345;
    for (size_t i = 0; i < sizeof content; i++)
        content[i] = (uint8_t)((state = state * 1664525 + 1013904223) >> 24);
    stk_test_write_file(path, content, sizeof content);
    return path;
}

typedef struct bed {
    stk_io         *io;
    stk_filesystem *fs;
} bed;

static bed set_up(const stk_filesystem *inner, stk_io_options io, stk_readahead_options options)
{
    stk_error err;
    bed       b;
    alarm(60);
    EXPECT_OK(stk_io_start(&b.io, &io, &err));
    EXPECT_OK(stk_readahead_new(&b.fs, inner, b.io, &options, &err));
    return b;
}

static void tear_down(bed b)
{
    stk_readahead_free(b.fs);
    stk_io_free(b.io);
    alarm(0);
}

static stk_file *open_content(bed b)
{
    stk_error err;
    stk_file *file;
    EXPECT_OK(stk_file_open(&file, b.fs, content_file(), STK_ACCESS_SEQUENTIAL, &err));
    return file;
}

static void expect_at(stk_file *file, uint64_t offset, size_t size)
{
    static uint8_t bytes[FILE_BYTES + 100];
    stk_error      err;
    size_t         got;
    const size_t   left = offset < FILE_BYTES ? FILE_BYTES - (size_t)offset : 0;
    EXPECT_OK(stk_file_read_at(file, bytes, size, offset, &got, &err));
    EXPECT_INT_EQ(size < left ? size : left, got);
    if (got) EXPECT_MEM_EQ(content + offset, bytes, got);
}

static void expect_all(stk_file *file, size_t step)
{
    for (uint64_t at = 0; at < FILE_BYTES + step; at += step)
        expect_at(file, at, step);
}

STK_TEST(sequential_reads_give_the_bytes_of_plain_ones_at_any_block_size)
{
    static const size_t blocks[] = {1, 4096, 65537, FILE_BYTES - 1, FILE_BYTES, 2 * FILE_BYTES, 0};
    static const size_t steps[] = {1000, 4096, 70000, FILE_BYTES + 50};
    for (size_t i = 0; i < COUNT_OF(blocks); i++)
        for (int kind = 0; kind < 3; kind++) {
            slow_filesystem slow;
            slow_filesystem_init(&slow, 0);
            if (blocks[i] == 1 && kind == 0) continue; /* a million requests on threads */
            const bed b =
                set_up(kind == 0 ? &slow.fs : NULL, (stk_io_options){.no_uring = kind == 1},
                       (stk_readahead_options){.block_bytes = blocks[i], .blocks_ahead = kind});
            for (size_t step = 0; step < COUNT_OF(steps); step++) {
                stk_file *file = open_content(b);
                EXPECT_INT_EQ(FILE_BYTES, file->info.bytes);
                EXPECT_STR_EQ(content_file(), file->path);
                expect_all(file, steps[step]);
                stk_file_close(file);
            }
            tear_down(b);
            EXPECT_INT_EQ(0, slow.open);
        }
}

STK_TEST(any_pattern_of_seeks_gives_the_bytes_of_plain_reads)
{
    static const size_t blocks[] = {512, 10000, 256 * KIB};
    uint32_t            dice_state = 99;
    for (size_t i = 0; i < COUNT_OF(blocks); i++)
        for (int kind = 0; kind < 2; kind++) {
            slow_filesystem slow;
            slow_filesystem_init(&slow, 0);
            slow.most = 3000; /* short reads */
            const bed b = set_up(kind ? NULL : &slow.fs, (stk_io_options){0},
                                 (stk_readahead_options){.block_bytes = blocks[i]});
            stk_file *file = open_content(b);
            uint64_t  at = 0;
            for (int step = 0; step < 1500; step++) {
                dice_state = dice_state * 1664525 + 1013904223;
                const uint32_t dice = dice_state >> 28;
                const size_t   size = (dice_state >> 8) % (dice == 1 ? 100000 : 3000);
                if (dice == 0) at = (dice_state >> 4) % (FILE_BYTES + 10);
                if (dice == 2) at = at > 700 ? at - 700 : 0;
                if (dice == 3) at += (dice_state >> 10) % 20000;
                expect_at(file, at, size);
                at += size;
            }
            stk_file_close(file);
            tear_down(b);
        }
}

STK_TEST(reading_ahead_hides_the_latency_of_a_slow_source)
{
    stk_error       err;
    slow_filesystem slow;
    stk_io_stats    stats;
    slow_filesystem_init(&slow, 20000);
    const bed b = set_up(&slow.fs, (stk_io_options){.in_flight = 16},
                         (stk_readahead_options){.block_bytes = 8 * KIB});
    stk_file *file = open_content(b);
    expect_all(file, 8 * KIB);
    EXPECT(slow.reading_peak > 8 && slow.reading_peak <= 16);
    EXPECT_INT_EQ((FILE_BYTES + 8 * KIB - 1) / (8 * KIB), slow.reads); /* each block once */
    stk_io_read_stats(b.io, &stats);
    EXPECT(stats.busy_ns < 1200000000u); /* 123 reads of 20 ms are 2.5 s one by one */
    EXPECT_INT_EQ(FILE_BYTES, stats.bytes);
    stk_file_close(file);
    EXPECT_OK(stk_path_info(b.fs, content_file(), &(stk_file_info){0}, &err));
    tear_down(b);
}

STK_TEST(small_file_costs_one_read)
{
    stk_error       err;
    slow_filesystem slow;
    stk_file       *file;
    uint8_t         bytes[200];
    size_t          got;
    slow_filesystem_init(&slow, 0);
    const char *path = stk_test_path("small");
    stk_test_write_file(path, content, 100);
    const bed b = set_up(&slow.fs, (stk_io_options){0}, (stk_readahead_options){0});
    EXPECT_OK(stk_file_open(&file, b.fs, path, STK_ACCESS_SEQUENTIAL, &err));
    EXPECT_OK(stk_file_read_at(file, bytes, 200, 0, &got, &err));
    EXPECT_INT_EQ(100, got);
    EXPECT_OK(stk_file_read_at(file, bytes, 200, 100, &got, &err));
    EXPECT_INT_EQ(0, got);
    EXPECT_INT_EQ(1, slow.reads);
    stk_file_close(file);
    stk_test_write_file(path, "", 0);
    EXPECT_OK(stk_file_open(&file, b.fs, path, STK_ACCESS_SEQUENTIAL, &err));
    EXPECT_OK(stk_file_read_at(file, bytes, 200, 0, &got, &err));
    EXPECT_INT_EQ(0, got);
    stk_file_close(file);
    tear_down(b);
}

STK_TEST(error_comes_at_the_read_that_meets_it_and_a_retry_reads_again)
{
    stk_error       err;
    slow_filesystem slow;
    uint8_t         bytes[1000];
    size_t          got;
    slow_filesystem_init(&slow, 0);
    slow.most = 1000;
    slow.error_at = 5500;
    const bed b = set_up(&slow.fs, (stk_io_options){0},
                         (stk_readahead_options){.block_bytes = 2000, .blocks_ahead = 8});
    stk_file *file = open_content(b);
    for (uint64_t at = 0; at < 5000; at += 1000)
        expect_at(file, at, 1000);
    for (int i = 0; i < 3; i++) {
        const int reads = __atomic_load_n(&slow.reads, __ATOMIC_SEQ_CST);
        EXPECT_STATUS(STK_E_IO, stk_file_read_at(file, bytes, 1000, 5000, &got, &err));
        EXPECT_STR_EQ(content_file(), err.where);
        EXPECT_CONTAINS("cannot read: Input/output error", err.message);
        if (i) EXPECT(__atomic_load_n(&slow.reads, __ATOMIC_SEQ_CST) > reads);
    }
    __atomic_store_n(&slow.error_at, UINT64_MAX, __ATOMIC_SEQ_CST);
    expect_at(file, 5000, 1000); /* healed */
    expect_all(file, 10000);
    stk_file_close(file);
    tear_down(b);
}

STK_TEST(error_beyond_what_is_read_is_never_seen)
{
    slow_filesystem slow;
    slow_filesystem_init(&slow, 0);
    slow.error_at = 50000;
    const bed b = set_up(&slow.fs, (stk_io_options){0},
                         (stk_readahead_options){.block_bytes = 10000, .blocks_ahead = 16});
    stk_file *file = open_content(b);
    expect_at(file, 0, 10000);
    expect_at(file, 10000, 35000 - 10000);
    expect_at(file, 70000, 10000);
    stk_file_close(file);
    tear_down(b);
}

STK_TEST(file_that_became_shorter_ends_early)
{
    stk_error       err;
    slow_filesystem slow;
    stk_file       *file;
    uint8_t         bytes[100];
    size_t          got;
    slow_filesystem_init(&slow, 0);
    const char *path = stk_test_path("shrinks");
    stk_test_write_file(path, content, 100000);
    for (int kind = 0; kind < 2; kind++) {
        const bed b = set_up(kind ? NULL : &slow.fs, (stk_io_options){0},
                             (stk_readahead_options){.block_bytes = 1000});
        EXPECT_OK(stk_file_open(&file, b.fs, path, STK_ACCESS_SEQUENTIAL, &err));
        EXPECT_INT_EQ(0, truncate(path, 1050));
        EXPECT_OK(stk_file_read_at(file, bytes, 100, 1000, &got, &err));
        EXPECT_INT_EQ(50, got);
        EXPECT_OK(stk_file_read_at(file, bytes, 100, 1050, &got, &err));
        EXPECT_INT_EQ(0, got);
        EXPECT_OK(stk_file_read_at(file, bytes, 100, 50000, &got, &err));
        EXPECT_INT_EQ(0, got);
        stk_file_close(file);
        tear_down(b);
        stk_test_write_file(path, content, 100000);
    }
}

STK_TEST(at_the_ceiling_reading_ahead_shrinks_and_never_fails)
{
    static const uint64_t ceilings[] = {1, 10000, 25000, 60000};
    for (size_t i = 0; i < COUNT_OF(ceilings); i++) {
        stk_error         err;
        slow_filesystem   slow;
        stk_ledger       *ledger;
        stk_ledger_report report;
        slow_filesystem_init(&slow, 100);
        EXPECT_OK(stk_ledger_new(&ledger, ceilings[i], &err));
        const bed b = set_up(&slow.fs, (stk_io_options){.in_flight = 8},
                             (stk_readahead_options){.block_bytes = 8192, .ledger = ledger});
        stk_file *file = open_content(b);
        expect_all(file, 5000);
        stk_ledger_read(ledger, &report);
        EXPECT(report.refusals > 0 || report.peak_bytes > ceilings[i] - ceilings[i] / 8);
        EXPECT(report.peak_bytes <= ceilings[i]);
        if (ceilings[i] >= 10000) EXPECT(report.lines[STK_MEMORY_READ].peak_bytes > 8192);
        stk_file_close(file);
        tear_down(b);
        stk_ledger_read(ledger, &report);
        EXPECT_INT_EQ(0, report.bytes);
        stk_ledger_unref(ledger);
    }
}

STK_TEST(closing_with_reads_in_flight_is_safe)
{
    slow_filesystem slow;
    slow_filesystem_init(&slow, 2000);
    const int64_t live = stk_alloc_live();
    for (int i = 0; i < 20; i++) {
        const bed b = set_up(&slow.fs, (stk_io_options){.in_flight = 1 + i % 5},
                             (stk_readahead_options){.block_bytes = 1000, .blocks_ahead = 10});
        stk_file *file = open_content(b);
        expect_at(file, 0, 100);
        if (i % 2) expect_at(file, 1000, 2500);
        if (i % 3) expect_at(file, 500000, 100); /* blocks left behind are in flight too */
        stk_file_close(file);
        tear_down(b);
        EXPECT_INT_EQ(0, slow.open);
        EXPECT_INT_EQ(0, slow.reading);
    }
    EXPECT_INT_EQ(live, stk_alloc_live());
}

STK_TEST(a_thousand_files_leave_nothing_behind)
{
    slow_filesystem slow;
    slow_filesystem_init(&slow, 0);
    content_file();
    const int64_t live = stk_alloc_live();
    for (int kind = 0; kind < 2; kind++) {
        const bed b = set_up(kind ? NULL : &slow.fs, (stk_io_options){0},
                             (stk_readahead_options){.block_bytes = 4096});
        for (int i = 0; i < 1000; i++) {
            stk_file *file = open_content(b);
            if (i % 10) expect_at(file, (uint64_t)i * 100, 5000);
            stk_file_close(file);
        }
        tear_down(b);
    }
    EXPECT_INT_EQ(0, slow.open);
    EXPECT_INT_EQ(2000 - 1000, slow.opened);
    EXPECT_INT_EQ(live, stk_alloc_live());
}

STK_TEST(engine_may_stop_before_an_open_file_is_closed)
{
    slow_filesystem slow;
    slow_filesystem_init(&slow, 20000);
    const bed b = set_up(&slow.fs, (stk_io_options){.in_flight = 1},
                         (stk_readahead_options){.block_bytes = 1000, .blocks_ahead = 10});
    stk_file *file = open_content(b);
    expect_at(file, 0, 1000);
    expect_at(file, 1000, 1000);
    stk_readahead_hint(b.fs, content_file());
    stk_io_free(b.io); /* the read in flight is finished, others are dropped */
    const int reads = slow.reads;
    stk_file_close(file);
    stk_readahead_free(b.fs);
    EXPECT_INT_EQ(0, slow.open);
    EXPECT_INT_EQ(reads, slow.reads);
    alarm(0);
}

typedef struct crowd {
    stk_file *file;
    uint32_t  seed;
    bool      wrong;
} crowd;

static void *read_here_and_there(void *context)
{
    crowd   *c = context;
    uint64_t at = 0;
    uint8_t  bytes[3000];
    for (int i = 0; i < 300; i++) {
        c->seed = c->seed * 1664525 + 1013904223;
        if (c->seed >> 29 == 0) at = (c->seed >> 4) % FILE_BYTES;
        size_t got = 0;
        if (stk_file_read_at(c->file, bytes, sizeof bytes, at, &got, NULL)) c->wrong = true;
        if (got && memcmp(bytes, content + at, got) != 0) c->wrong = true;
        at += got;
    }
    return NULL;
}

STK_TEST(several_threads_may_read_one_file)
{
    slow_filesystem slow;
    slow_filesystem_init(&slow, 0);
    for (int kind = 0; kind < 2; kind++) {
        const bed b = set_up(kind ? NULL : &slow.fs, (stk_io_options){0},
                             (stk_readahead_options){.block_bytes = 10000});
        pthread_t threads[4];
        crowd     crowds[4];
        stk_file *file = open_content(b);
        for (uint32_t i = 0; i < 4; i++) {
            crowds[i] = (crowd){.file = file, .seed = i};
            EXPECT_INT_EQ(0, pthread_create(&threads[i], NULL, read_here_and_there, &crowds[i]));
        }
        for (int i = 0; i < 4; i++) {
            pthread_join(threads[i], NULL);
            EXPECT(!crowds[i].wrong);
        }
        stk_file_close(file);
        tear_down(b);
    }
}

STK_TEST(hinted_file_is_found_open_with_its_first_blocks)
{
    stk_error       err;
    slow_filesystem slow;
    slow_filesystem_init(&slow, 5000);
    const bed b =
        set_up(&slow.fs, (stk_io_options){0}, (stk_readahead_options){.block_bytes = 4096});
    stk_readahead_hint(b.fs, content_file());
    stk_readahead_hint(b.fs, content_file());
    while (__atomic_load_n(&slow.reads, __ATOMIC_SEQ_CST) < 2)
        usleep(1000);
    stk_file *file = open_content(b);
    EXPECT_INT_EQ(1, slow.opened);
    expect_at(file, 0, 8192);
    expect_all(file, 100000);
    EXPECT_INT_EQ(1, slow.opened);
    stk_file_close(file);
    file = open_content(b); /* a hint serves one open */
    EXPECT_INT_EQ(2, slow.opened);
    stk_file_close(file);
    stk_readahead_hint(b.fs, "/nowhere/file");
    usleep(10000);
    EXPECT_STATUS(STK_E_NOTFOUND,
                  stk_file_open(&file, b.fs, "/nowhere/file", STK_ACCESS_SEQUENTIAL, &err));
    EXPECT_STR_EQ("/nowhere/file", err.where);
    tear_down(b);
    EXPECT_INT_EQ(0, slow.open);
}

/* Takes the file out of the page cache, where the file system can; a kernel leaves pages that it is
 * about to sort in. */
static void evict(void)
{
    const int fd = open(content_file(), O_RDONLY | O_CLOEXEC);
    EXPECT(fd >= 0);
    EXPECT_INT_EQ(0, fsync(fd));
    EXPECT_INT_EQ(0, posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED));
    close(fd);
}

static bool can_evict(void)
{
    enum { IN_MEMORY = 0x01021994 }; /* tmpfs: the cache is all there is */
    struct statfs where;
    EXPECT_INT_EQ(0, statfs(content_file(), &where));
    return where.f_type != IN_MEMORY;
}

/* Whether a hint reads blocks, soon: it does of a file that is not cached. After the first of them
 * the kernel reads ahead as well, and may be sooner. */
static bool hint_reads(bed b)
{
    stk_io_stats stats = {0};
    evict();
    stk_readahead_hint(b.fs, content_file());
    for (int ms = 0; ms < 300 && stats.requests < 3; ms++) { /* the open and two blocks */
        usleep(1000);
        stk_io_read_stats(b.io, &stats);
    }
    return stats.requests >= 3;
}

static void expect_all_while_evicted(stk_file *file, uint64_t each)
{
    uint64_t evicted = 0;
    for (uint64_t at = 0; at < FILE_BYTES; at += 2500) {
        if (at > 300000 && at >= evicted + each) {
            evict();
            evicted = at;
        }
        expect_at(file, at, 2500);
    }
}

/* A hint reads blocks of a file that is not cached; then the page cache is trusted; then it fails.
 */
STK_TEST(blocks_and_the_page_cache_take_turns)
{
    const stk_readahead_options options = {.block_bytes = 1024};
    for (int no_uring = 0; no_uring < 2; no_uring++)
        for (uint64_t each = 5000; each < FILE_BYTES; each *= 7) {
            const stk_io_options io = {.no_uring = no_uring};
            stk_io_stats         stats;
            bed                  b = set_up(NULL, io, options);
            bool                 read = hint_reads(b);
            for (int again = 0; again < 20 && !read && can_evict(); again++) {
                tear_down(b);
                b = set_up(NULL, io, options);
                read = hint_reads(b);
            }
            stk_file *file = open_content(b);
            expect_all_while_evicted(file, each);
            stk_io_read_stats(b.io, &stats);
            if (can_evict())
                EXPECT(read && stats.bytes >= 1024 * 200); /* it went on after the hint */
            stk_file_close(file);
            tear_down(b);
        }
}

STK_TEST(hints_that_are_not_opened_are_dropped)
{
    slow_filesystem slow;
    char            path[512];
    stk_error       err;
    stk_file       *file;
    slow_filesystem_init(&slow, 100);
    const int64_t live = stk_alloc_live();
    for (int round = 0; round < 4; round++) {
        const bed b = set_up(&slow.fs, (stk_io_options){.in_flight = 1 + round},
                             (stk_readahead_options){.block_bytes = 4096});
        for (int i = 0; i < 40; i++) {
            snprintf(path, sizeof path, "%s/%d", stk_test_folder(), i);
            if (!round) stk_test_write_file(path, content, 10000);
            stk_readahead_hint(b.fs, path);
            EXPECT(slow.open <= 40);
            /* Some are opened while the hint waits or runs. */
            if (i % 7) continue;
            EXPECT_OK(stk_file_open(&file, b.fs, path, STK_ACCESS_SEQUENTIAL, &err));
            expect_at(file, 5000, 100);
            stk_file_close(file);
        }
        if (round == 2) {
            usleep(50000);
            EXPECT(__atomic_load_n(&slow.open, __ATOMIC_SEQ_CST) <= 16);
        }
        tear_down(b);
        EXPECT_INT_EQ(0, slow.open);
    }
    EXPECT_INT_EQ(live, stk_alloc_live());
}

STK_TEST(all_else_passes_through)
{
    stk_error       err;
    stk_file       *file;
    stk_output     *out;
    stk_file_info   info;
    slow_filesystem slow;
    stk_lock       *lock;
    slow_filesystem_init(&slow, 0);
    const bed   b = set_up(&slow.fs, (stk_io_options){0}, (stk_readahead_options){0});
    const char *folder = stk_test_path("through"), *path = stk_test_path("through/file");
    const char *other = stk_test_path("through/other");
    EXPECT_OK(stk_path_make_directory(b.fs, folder, &err));
    EXPECT_OK(stk_output_create(&out, b.fs, path, &err));
    EXPECT_OK(stk_output_write(out, "abc", 3, &err));
    EXPECT_OK(stk_output_commit(out, &err));
    stk_output_close(out);
    EXPECT_OK(stk_path_rename(b.fs, path, other, &err));
    EXPECT_OK(stk_path_info(b.fs, other, &info, &err));
    EXPECT_INT_EQ(3, info.bytes);
    EXPECT_OK(stk_file_open(&file, b.fs, other, STK_ACCESS_RANDOM, &err));
    EXPECT(((slow_file *)file)->owner == &slow);
    stk_file_close(file);
    EXPECT_OK(stk_path_lock(&lock, b.fs, other, &err));
    stk_lock_release(lock);
    EXPECT_OK(stk_path_remove(b.fs, other, &err));
    EXPECT_STATUS(STK_E_NOTFOUND, stk_file_open(&file, b.fs, other, STK_ACCESS_SEQUENTIAL, &err));
    EXPECT_STR_EQ("read-ahead", b.fs->name);
    tear_down(b);
}

STK_TEST(options_that_make_no_sense_are_refused)
{
    stk_error       err;
    stk_filesystem *fs;
    const bed       b = set_up(NULL, (stk_io_options){0}, (stk_readahead_options){0});
    EXPECT_STATUS(
        STK_E_INVALID,
        stk_readahead_new(&fs, NULL, b.io, &(stk_readahead_options){.blocks_ahead = -1}, &err));
    EXPECT_CONTAINS("-1 blocks ahead", err.message);
    EXPECT_STATUS(STK_E_INVALID,
                  stk_readahead_new(&fs, NULL, b.io,
                                    &(stk_readahead_options){.block_bytes = SIZE_MAX}, &err));
    EXPECT_CONTAINS("1073741824 are the most", err.message);
    EXPECT(fs == NULL);
    stk_readahead_free(NULL);
    tear_down(b);
}

/* Blocks and hints are wishes, so a run may well succeed; what it reads must be right. */
static stk_status read_some(slow_filesystem *slow, stk_error *err)
{
    stk_io         *io = NULL;
    stk_filesystem *fs = NULL;
    stk_file       *file = NULL;
    uint8_t         bytes[5000];
    size_t          got = 0;
    stk_status      st = stk_io_start(&io, &(stk_io_options){.in_flight = 2}, err);
    if (!st)
        st = stk_readahead_new(&fs, &slow->fs, io, &(stk_readahead_options){.block_bytes = 2000},
                               err);
    if (!st) stk_readahead_hint(fs, content_file());
    if (!st) st = stk_file_open(&file, fs, content_file(), STK_ACCESS_SEQUENTIAL, err);
    for (uint64_t at = 0; !st && at < 20000; at += sizeof bytes) {
        st = stk_file_read_at(file, bytes, sizeof bytes, at, &got, err);
        if (!st) EXPECT_MEM_EQ(content + at, bytes, sizeof bytes);
    }
    stk_file_close(file);
    stk_readahead_free(fs);
    stk_io_free(io);
    return st;
}

STK_TEST(readahead_survives_every_failed_allocation)
{
    stk_error       err;
    slow_filesystem slow;
    slow_filesystem_init(&slow, 0);
    content_file();
    const int64_t live = stk_alloc_live();
    bool          failed = true;
    alarm(60);
    for (int64_t after = 0; failed; after++) {
        stk_alloc_fail_after(after);
        const stk_status st = read_some(&slow, &err);
        failed = stk_alloc_fail_stop();
        EXPECT(!st || st == STK_E_NOMEM);
        EXPECT(failed || !st);
        EXPECT_INT_EQ(live, stk_alloc_live());
        EXPECT_INT_EQ(0, slow.open);
    }
    alarm(0);
}

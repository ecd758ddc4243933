/* Random pipelines, cancelled, failing, saved, restored and dropped at random moments, for
 * STOKER_SOAK_SECONDS (2 without). After each nothing may be left: no thread, no memory, no open
 * file. STOKER_SOAK_SEED chooses others. */
#include "failing_alloc.h"
#include "file_support.h"

#include "base/clock.h"

#include <dirent.h>
#include <ftw.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>

enum { FILES = 3, RECORDS = 150, MOST_RESULTS = 600 };

/* What all pipelines are made of, and the draws that choose. */
typedef struct bed {
    uint64_t      draws;
    bool          on_disk; /* the pipeline at hand has a cache that two may want to write */
    const char   *files[FILES];
    const char   *cache, *quarantine;
    stk_function *add, *fail, *nap, *wait, *even, *parse, *some, *read;
} bed;

static uint64_t draw(bed *b, uint64_t bound)
{
    b->draws ^= b->draws << 13;
    b->draws ^= b->draws >> 7;
    b->draws ^= b->draws << 17;
    return b->draws % bound;
}

static stk_status nap(void *context, const stk_call *call, stk_element **element, stk_error *err)
{
    (void)context;
    (void)err;
    if (stk_test_number(*element) % 64 == 0) usleep((useconds_t)(call->index % 5) * 100);
    return STK_OK;
}

/* The text of a record as a number. */
static stk_status parse(void *context, const stk_call *call, stk_element **element, stk_error *err)
{
    (void)context;
    (void)call;
    const stk_bytes text = stk_element_value(*element, 0)->small.view;
    int64_t         number = 0;
    stk_element    *made;
    for (size_t i = 0; i < text.size; i++)
        number = number * 10 + (text.data[i] - '0');
    STK_TRY(stk_element_new(&made, 1, err));
    stk_value_i64(stk_element_edit(made, 0), number);
    stk_element_unref(*element);
    *element = made;
    return STK_OK;
}

/* x -> a few numbers from x on, none of some. */
static stk_status some(void *context, const stk_call *call, const stk_element *element,
                       stk_dataset **out, stk_error *err)
{
    (void)context;
    (void)call;
    const int64_t x = stk_test_number(element);
    return stk_dataset_range(out, x, x + x % 4, 1, err);
}

/* x -> the numbers of a file, or a few. */
static stk_status read_file(void *context, const stk_call *call, const stk_element *element,
                            stk_dataset **out, stk_error *err)
{
    const bed    *b = context;
    const int64_t x = stk_test_number(element);
    if (x % 32) return some(NULL, call, element, out, err);
    STK_TRY(stk_dataset_tfrecord_files(out, NULL, &b->files[x / 32 % FILES], 1, NULL, err));
    return stk_dataset_map(out, b->parse, NULL, err);
}

static stk_dataset *source(bed *b)
{
    if (draw(b, 2)) return RANGE((int64_t)draw(b, 400));
    stk_dataset *data = records_of(b->files, 1 + draw(b, FILES), NULL);
    APPLY(data, map, b->parse, NULL);
    return data;
}

static void add_batches(bed *b, stk_dataset **data)
{
    stk_error     err;
    const int64_t size = 1 + (int64_t)draw(b, 9);
    APPLY(*data, batch, size, NULL);
    if (draw(b, 2)) APPLY(*data, prefetch, STK_AUTO);
    EXPECT_OK(stk_dataset_unbatch(data, &err));
}

static void add_kept(bed *b, stk_dataset **data)
{
    const stk_cache_options      disk = {.directory = b->cache};
    const stk_quarantine_options guard = {.file = b->quarantine, .max_rate = 0.5};
    switch (draw(b, 4)) {
    case 0:
        APPLY(*data, cache, NULL);
        break;
    case 1:
        b->on_disk = true;
        APPLY(*data, cache, &disk);
        break;
    case 2:
        APPLY(*data, quarantine, &guard);
        break;
    default:
        APPLY(*data, ignore_errors, false);
        break;
    }
}

static void add_stage(bed *b, stk_dataset **data)
{
    const stk_map_options        order = {.order = draw(b, 2) ? STK_ORDER_RELAXED : 0};
    const stk_interleave_options wide = {.cycle = 1 + (int64_t)draw(b, 4),
                                         .block = 1 + (int64_t)draw(b, 3),
                                         .parallel = (int64_t)draw(b, 3) - 1,
                                         .order = order.order};
    const bool                   blocking = draw(b, 2);
    switch (draw(b, 14)) {
    case 0:
        APPLY(*data, map, b->add, &order);
        break;
    case 1:
        APPLY(*data, map, b->fail, NULL);
        break;
    case 2:
    case 3:
        APPLY(*data, map, blocking ? b->wait : b->nap, &order);
        break;
    case 4:
        APPLY(*data, filter, b->even);
        break;
    case 5:
        APPLY(*data, shuffle, 1 + (int64_t)draw(b, 50), NULL);
        break;
    case 6:
        APPLY(*data, prefetch, (int64_t)draw(b, 20) - 1);
        break;
    case 7:
        APPLY(*data, interleave, draw(b, 2) ? b->some : b->read, &wide);
        break;
    case 8:
        APPLY(*data, take, (int64_t)draw(b, 500));
        break;
    case 9:
        APPLY(*data, repeat, 1 + (int64_t)draw(b, 3));
        break;
    case 10:
        APPLY(*data, flat_map, b->some);
        break;
    case 11:
        add_batches(b, data);
        break;
    default:
        add_kept(b, data);
        break;
    }
}

static void *cancel_later(void *token)
{
    usleep(200 + (useconds_t)(stk_clock_ns() / 64 % 2000));
    stk_cancel_request(token);
    return NULL;
}

/* False at the end or when it was cancelled. */
static bool take_some(stk_iterator *it, uint64_t most)
{
    for (uint64_t i = 0; i < most; i++) {
        stk_element *element;
        stk_error    err;
        stk_status   st = stk_iterator_next(it, &element, &err);
        if (st == STK_E_CANCELLED || (!st && !element)) return false;
        if (!st) stk_element_unref(element);
    }
    return true;
}

/* Saves, and goes on there in an iterator of its own or in the same one. */
static void save_and_restore(bed *b, stk_iterator **it, stk_dataset *data,
                             stk_iterator_options options, bool exact)
{
    stk_error err;
    stk_blob  saved;
    stk_blob_init(&saved, NULL, STK_MEMORY_INDEX);
    stk_status st = stk_iterator_save(*it, &saved, &err);
    if (!st && draw(b, 2)) {
        stk_iterator_free(*it);
        options.threads = 1 + (int)draw(b, 6);
        st = stk_iterator_start(it, data, &options, &err);
    }
    if (!st) st = stk_iterator_restore(*it, stk_blob_bytes(&saved), &err);
    /* Where memory was lacking or a cache was another's to write there were errors that do not come
     * again: another input, in truth. */
    if (exact && (st == STK_E_DATALOSS || st == STK_E_INVALID))
        fail_msg("restore: %s", err.message);
    stk_blob_release(&saved);
}

static stk_dataset *pipeline(bed *b)
{
    stk_dataset *data = source(b);
    b->on_disk = false;
    for (uint64_t stages = draw(b, 7); stages; stages--)
        add_stage(b, &data);
    if (draw(b, 4) == 0) APPLY(data, repeat, -1); /* last: what drops all of it would never end */
    return data;
}

/* With STOKER_SOAK_VERBOSE: what is run, to find out what was, and its seed, to run it again. */
static void tell(uint64_t seed, stk_dataset *data)
{
    stk_error err;
    stk_blob  text;
    if (!getenv("STOKER_SOAK_VERBOSE")) return;
    stk_blob_init(&text, NULL, STK_MEMORY_INDEX);
    EXPECT_OK(stk_dataset_explain(data, 0, &text, &err));
    print_message("STOKER_SOAK_SEED=%" PRIu64 "\n%.*s", seed, (int)text.size, (char *)text.data);
    stk_blob_release(&text);
}

static void run_one(bed *b)
{
    const uint64_t             seed = b->draws;
    stk_dataset               *data = pipeline(b);
    stk_cancel                 cancel = STK_CANCEL_INIT;
    const stk_iterator_options options = {.threads = 1 + (int)draw(b, 6),
                                          .seed = 3,
                                          .cancel = &cancel,
                                          .memory_bytes = draw(b, 4) ? 0 : 4 << 20};
    stk_iterator              *it;
    stk_error                  err;
    pthread_t                  thread;
    const bool                 cancelled = draw(b, 3) == 0, starved = draw(b, 4) == 0;
    tell(seed, data);
    const bool exact = !starved && !options.memory_bytes && !b->on_disk;
    EXPECT_OK(stk_iterator_start(&it, data, &options, &err));
    if (cancelled) EXPECT_INT_EQ(0, pthread_create(&thread, NULL, cancel_later, &cancel));
    if (starved) stk_alloc_fail_after((int64_t)draw(b, 2000));
    for (uint64_t rounds = draw(b, 4); it && rounds; rounds--)
        if (take_some(it, draw(b, MOST_RESULTS))) save_and_restore(b, &it, data, options, exact);
    if (it) take_some(it, draw(b, MOST_RESULTS));
    stk_iterator_free(it);
    stk_alloc_fail_stop();
    if (cancelled) pthread_join(thread, NULL);
    stk_dataset_unref(data);
}

static int remove_one(const char *path, const struct stat *info, int kind, struct FTW *walk)
{
    (void)info, (void)kind, (void)walk;
    return remove(path);
}

/* Entries of a folder of /proc: threads, open files. */
static int entries(const char *folder)
{
    int  count = 0;
    DIR *directory = opendir(folder);
    EXPECT(directory != NULL);
    while (readdir(directory))
        count++;
    closedir(directory);
    return count;
}

/* A thread that was joined may still be in /proc for a moment. */
static int threads_left(int before)
{
    for (int i = 0; i < 1000 && entries("/proc/self/task") > before; i++)
        usleep(1000);
    return entries("/proc/self/task") - before;
}

static void set_up(bed *b)
{
    const char *seed = getenv("STOKER_SOAK_SEED");
    *b = (bed){.draws = seed ? strtoull(seed, NULL, 10) : 88172645463325252u,
               .files = {write_named("soak0", "", RECORDS, NULL),
                         write_named("soak1", "1", RECORDS, NULL),
                         write_named("soak2", "", 1, NULL)},
               .cache = stk_test_path("soak_cache"),
               .quarantine = stk_test_path("soak_quarantine"),
               .add = stk_test_add(1),
               .fail = stk_test_fail_on(77),
               .nap = stk_test_map("nap", nap, NULL, 0),
               .wait = stk_test_map("wait", nap, NULL, STK_FUNCTION_BLOCKING),
               .even = stk_test_divides(2),
               .parse = stk_test_map("parse", parse, NULL, 0),
               .some = stk_test_expand("some", some, NULL)};
    b->read = stk_test_expand("read", read_file, b);
}

STK_TEST(nothing_is_left_of_pipelines_that_end_in_any_way)
{
    const char    *wish = getenv("STOKER_SOAK_SECONDS");
    const uint64_t limit = (wish ? strtoull(wish, NULL, 10) : 2) * 1000000000u;
    const uint64_t begin = stk_clock_ns();
    bed            b;
    int            runs = 0;
    set_up(&b);
    const uint64_t first = b.draws;
    run_one(&b); /* some threads and memory are the C library's, for ever */
    b.draws = first;
    usleep(100000);
    const int threads = entries("/proc/self/task"), files = entries("/proc/self/fd");
    for (; stk_clock_ns() - begin < limit; runs++) {
        const int64_t  live = stk_alloc_live();
        const uint64_t at = b.draws;
        stk_test_watchdog(60);
        run_one(&b);
        nftw(b.cache, remove_one, 8, FTW_DEPTH | FTW_PHYS);
        remove(b.quarantine);
        const int64_t memory = stk_alloc_live() - live;
        const int     running = threads_left(threads), open = entries("/proc/self/fd") - files;
        if (memory || running || open)
            fail_msg("STOKER_SOAK_SEED=%" PRIu64 ": %" PRId64
                     " allocations, %d threads and %d files are left",
                     at, memory, running, open);
    }
    print_message("%d pipelines\n", runs);
}

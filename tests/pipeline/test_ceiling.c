/* Pipelines under a memory ceiling: from one under which a single thread just works upwards, any
 * number of threads gives the same elements, and none waits for ever. Each run has a watchdog.
 *     STK_CEILING_SEED=5 STK_CEILING_SECONDS=600 runs other random pipelines, for longer. */
#include "file_support.h"
#include "random_lines.h"

#include "base/clock.h"
#include "base/hash.h"

#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>

enum {
    LEAST_BYTES = 64,
    MOST_BYTES = 60000, /* of one element */
    DENSE = 16384,
    FILES = 8,
    RECORDS = 20,
    RUN_SECONDS = 60, /* of the watchdog */
    USUAL_SECONDS = 2,
    MOST_STAGES = 6
};

/* What runs, for whoever reads how the program ended. */
static char at_hand[STK_LINE_TEXT];

static void say_and_end(int signal_number)
{
    static const char               before[] = "this ran for too long: ";
    __attribute__((unused)) ssize_t written = write(STDERR_FILENO, before, sizeof before - 1);
    written = write(STDERR_FILENO, at_hand, strlen(at_hand));
    written = write(STDERR_FILENO, "\n", 1);
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

/* A pipeline that can be made again: a cache belongs to its dataset, and no two passes of a shuffle
 * are alike. */
typedef struct maker {
    stk_dataset *(*make)(void *context);
    void *context;
} maker;

static void say_log(void *context, const char *line)
{
    (void)context;
    print_message("%s\n", line);
}

/* All results as text, under a watchdog. Without threads: each made alone. */
static const char *run(const maker *m, int threads, uint64_t ceiling)
{
    stk_dataset               *data = m->make(m->context);
    const stk_iterator_options options = {.threads = threads,
                                          .memory_bytes = ceiling,
                                          .seed = 7,
                                          .no_autotune = threads % 2,
                                          .log = getenv("STK_CEILING_LOG") ? say_log : NULL};
    signal(SIGALRM, say_and_end);
    alarm(RUN_SECONDS);
    const char *text = threads ? stk_test_run(data, &options, 100000)
                               : stk_test_run_serially(data, &options, 100000);
    alarm(0);
    stk_dataset_unref(data);
    return text;
}

static void expect_same(const maker *m, const char *want, int threads, uint64_t ceiling)
{
    const char *got = run(m, threads, ceiling);
    size_t      at = 0;
    if (strcmp(want, got) == 0) return;
    while (want[at] == got[at])
        at++;
    at = at > 40 ? at - 40 : 0;
    fail_msg("%d threads, %" PRIu64 " bytes: wanted \"...%.200s\", got \"...%.200s\"\n%s", threads,
             ceiling, want + at, got + at, at_hand);
}

/* Heavy elements: byte strings of many sizes, or vectors of one, that hold their number. */

static size_t size_of(uint64_t number)
{
    return LEAST_BYTES + stk_hash64_number(1, number) % MOST_BYTES;
}

static stk_status inflate(void *context, const stk_call *call, stk_element **element,
                          stk_error *err)
{
    (void)context;
    const int64_t number = stk_test_number(*element);
    const size_t  size = size_of((uint64_t)number);
    stk_buffer   *storage;
    stk_element  *made;
    STK_TRY(stk_buffer_new(&storage, call->ledger, STK_MEMORY_RECORD, size, err));
    memset(stk_buffer_data(storage), (int)(number & 0xff), size);
    memcpy(stk_buffer_data(storage), &number, sizeof number);
    stk_status st = stk_element_new(&made, 1, err);
    if (!st)
        stk_value_view(stk_element_edit(made, 0), stk_bytes_of(stk_buffer_data(storage), size),
                       storage);
    stk_buffer_unref(storage);
    if (st) return st;
    stk_element_unref(*element);
    *element = made;
    return STK_OK;
}

static stk_status put_number(stk_element **element, int64_t number, stk_error *err)
{
    stk_element *made;
    STK_TRY(stk_element_new(&made, 1, err));
    stk_value_i64(stk_element_edit(made, 0), number);
    stk_element_unref(*element);
    *element = made;
    return STK_OK;
}

static stk_status deflate(void *context, const stk_call *call, stk_element **element,
                          stk_error *err)
{
    (void)context;
    (void)call;
    const stk_bytes bytes = stk_element_value(*element, 0)->small.view;
    int64_t         number;
    memcpy(&number, bytes.data, sizeof number);
    if (bytes.size != size_of((uint64_t)number) ||
        (bytes.size > sizeof number && bytes.data[bytes.size - 1] != (uint8_t)number))
        return stk_fail(err, STK_E_INVALID, "test", NULL, "the bytes are not those of a number");
    return put_number(element, number, err);
}

static stk_status spread(void *context, const stk_call *call, stk_element **element, stk_error *err)
{
    (void)context;
    const int64_t   number = stk_test_number(*element);
    const stk_shape shape = stk_shape_1d(DENSE);
    stk_element    *made;
    void           *data;
    STK_TRY(stk_element_new(&made, 1, err));
    stk_status st =
        stk_call_output(call, 0, stk_element_edit(made, 0), STK_DTYPE_U8, &shape, &data, err);
    if (st) {
        stk_element_unref(made);
        return st;
    }
    memset(data, (int)(number & 0xff), DENSE);
    memcpy(data, &number, sizeof number);
    stk_element_unref(*element);
    *element = made;
    return STK_OK;
}

static stk_status gather(void *context, const stk_call *call, stk_element **element, stk_error *err)
{
    (void)context;
    (void)call;
    int64_t number;
    memcpy(&number, stk_element_value(*element, 0)->data, sizeof number);
    return put_number(element, number, err);
}

static stk_function *dense_function(void)
{
    static const stk_value_spec   value = {.name = "row",
                                           .dtype = STK_DTYPE_U8,
                                           .rank_known = true,
                                           .shape = {.rank = 1, .dim = {DENSE}}};
    static const stk_element_spec spec = {
        .known = true, .count = 1, .values = (stk_value_spec *)(uintptr_t)&value};
    const stk_function_info info = {.name = "spread", .output = &spec, .map = spread};
    stk_function           *made;
    stk_error               err;
    EXPECT_OK(stk_function_new(&made, &info, &err));
    return made;
}

/* Fails for a few numbers: data errors that must be where they are, whatever memory does. */
static stk_status fail_some(void *context, const stk_call *call, stk_element **element,
                            stk_error *err)
{
    (void)context;
    (void)call;
    if (stk_test_number(*element) % 17 != 3) return STK_OK;
    return stk_fail(err, STK_E_FORMAT, "test", NULL, "a bad element");
}

/* What random pipelines are made of. */
typedef struct bed {
    uint64_t      seed, draws;
    const char   *files[FILES];
    stk_function *inflate, *inflate_waits, *deflate, *spread, *gather, *fail, *add, *even, *read;
} bed;

static uint64_t draw(bed *b, uint64_t bound)
{
    b->draws ^= b->draws << 13;
    b->draws ^= b->draws >> 7;
    b->draws ^= b->draws << 17;
    return b->draws % bound;
}

static void note(const char *format, ...)
{
    const size_t length = strlen(at_hand);
    va_list      arguments;
    va_start(arguments, format);
    vsnprintf(at_hand + length, sizeof at_hand - length, format, arguments);
    va_end(arguments);
}

/* x -> the heavy records of a file. */
static stk_status read_file(void *context, const stk_call *call, const stk_element *element,
                            stk_dataset **out, stk_error *err)
{
    (void)call;
    const bed *b = context;
    return stk_dataset_tfrecord_files(
        out, NULL, &b->files[(uint64_t)stk_test_number(element) % FILES], 1, NULL, err);
}

static const char *write_heavy(int file)
{
    static uint8_t       bytes[LEAST_BYTES + MOST_BYTES];
    stk_error            err;
    stk_tfrecord_writer *writer;
    char                 name[32];
    snprintf(name, sizeof name, "heavy%d.tfrecord", file);
    const char *path = stk_test_path(name);
    EXPECT_OK(stk_tfrecord_writer_open(&writer, NULL, path, NULL, &err));
    for (int64_t i = 0; i < RECORDS; i++) {
        const int64_t number = file * 1000 + i;
        const size_t  size = size_of((uint64_t)number);
        memset(bytes, (int)(number & 0xff), size);
        memcpy(bytes, &number, sizeof number);
        EXPECT_OK(stk_tfrecord_writer_write(writer, stk_bytes_of(bytes, size), &err));
    }
    EXPECT_OK(stk_tfrecord_writer_commit(writer, &err));
    stk_tfrecord_writer_free(writer);
    return path;
}

static void make_bed(bed *b)
{
    *b = (bed){.draws = 1};
    for (int i = 0; i < FILES; i++)
        b->files[i] = write_heavy(i);
    b->inflate = stk_test_map("inflate", inflate, NULL, 0);
    b->inflate_waits = stk_test_map("inflate_waits", inflate, NULL, STK_FUNCTION_BLOCKING);
    b->deflate = stk_test_map("deflate", deflate, NULL, 0);
    b->spread = dense_function();
    b->gather = stk_test_map("gather", gather, NULL, 0);
    b->fail = stk_test_map("fail_some", fail_some, NULL, 0);
    b->add = stk_test_add(1);
    b->even = stk_test_divides(2);
    b->read = stk_test_expand("read", read_file, b);
}

/* Stages that take any element, light or heavy. */
static void add_any(bed *b, stk_dataset **data)
{
    const int64_t             size = 1 + (int64_t)draw(b, 12);
    const stk_shuffle_options seeded = {.seeded = true, .seed = 3};
    stk_error                 err;
    switch (draw(b, 10)) {
    case 0:
        note(" | prefetch %" PRId64, size - 2);
        APPLY(*data, prefetch, size - 2 < -1 ? -1 : size - 2);
        break;
    case 1:
        note(" | shuffle %" PRId64, size);
        APPLY(*data, shuffle, size, &seeded);
        break;
    case 2:
    case 3:
        note(" | batch %" PRId64 " | unbatch", size);
        APPLY(*data, batch, size, NULL);
        EXPECT_OK(stk_dataset_unbatch(data, &err));
        break;
    case 4:
        note(" | ignore_errors");
        APPLY(*data, ignore_errors, false);
        break;
    case 5:
        note(" | take 50 | repeat 2");
        APPLY(*data, take, 50);
        APPLY(*data, repeat, 2);
        break;
    case 6:
        note(" | cache");
        APPLY(*data, cache, NULL);
        break;
    case 7:
        note(" | skip 3");
        APPLY(*data, skip, 3);
        break;
    case 8: {
        stk_dataset *both[] = {*data, stk_dataset_ref(*data)};
        note(" | zip itself");
        EXPECT_OK(stk_dataset_zip(data, both, 2, &err));
        stk_dataset_unref(both[0]);
        stk_dataset_unref(both[1]);
        break;
    }
    default:
        note(" | prefetch -1");
        APPLY(*data, prefetch, STK_AUTO);
        break;
    }
}

/* Heavy elements, stages on them, and back to numbers. */
static void add_heavy(bed *b, stk_dataset **data)
{
    const bool            dense = draw(b, 2), waits = draw(b, 2);
    const stk_map_options some = {.parallel = (int64_t)draw(b, 4) - 1};
    note(" | map %s", dense ? "spread" : waits ? "inflate_waits" : "inflate");
    APPLY(*data, map, dense ? b->spread : waits ? b->inflate_waits : b->inflate, &some);
    for (uint64_t count = draw(b, 4); count; count--)
        add_any(b, data);
    note(" | map back");
    APPLY(*data, map, dense ? b->gather : b->deflate, NULL);
}

static void add_interleave(bed *b, stk_dataset **data)
{
    const int64_t                cycle = 1 + (int64_t)draw(b, 6);
    const stk_interleave_options wide = {.cycle = cycle,
                                         .block = 1 + (int64_t)draw(b, 3),
                                         .parallel = (int64_t)draw(b, (uint64_t)cycle + 2) - 1};
    note(" | take 9 | interleave read, cycle %" PRId64 " block %" PRId64 " parallel %" PRId64,
         wide.cycle, wide.block, wide.parallel);
    APPLY(*data, take, 9);
    APPLY(*data, interleave, b->read, &wide);
    for (uint64_t count = draw(b, 3); count; count--)
        add_any(b, data);
    note(" | map back");
    APPLY(*data, map, b->deflate, NULL);
}

static stk_dataset *random_pipeline(void *context)
{
    bed *b = context;
    b->draws = stk_hash64_number(9, b->seed) | 1;
    const int64_t count = 20 + (int64_t)draw(b, 100);
    stk_dataset  *data = RANGE(count);
    snprintf(at_hand, sizeof at_hand, "range %" PRId64, count);
    for (uint64_t stages = 1 + draw(b, MOST_STAGES - 1); stages; stages--) {
        switch (draw(b, 7)) {
        case 0:
            add_any(b, &data);
            break;
        case 1:
            note(" | map fail");
            APPLY(data, map, b->fail, NULL);
            break;
        case 2:
            note(" | filter even");
            APPLY(data, filter, b->even);
            break;
        case 3:
            add_interleave(b, &data);
            break;
        default:
            add_heavy(b, &data);
            break;
        }
    }
    note("   (seed %" PRIu64 ")", b->seed);
    return data;
}

/* The lowest ceiling under which want comes when each result is made alone, to a part in 64; 0:
 * none up to most. */
static uint64_t find_least(const maker *m, const char *want, uint64_t most)
{
    uint64_t low = 0, high = most;
    if (strcmp(want, run(m, 0, high)) != 0) return 0;
    while (high - low > high / 64 + 1) {
        const uint64_t middle = low + (high - low) / 2;
        if (strcmp(want, run(m, 0, middle)) == 0)
            high = middle;
        else
            low = middle;
    }
    return high;
}

/* Errors are not kept by a cache: a run that goes back meets fewer. */
static bool can_be_tested(const char *want)
{
    return !strstr(want, "...") && !(strchr(want, '!') && strstr(at_hand, "cache"));
}

/* Returns how many runs there were. */
static int check_from_least_up(const maker *m)
{
    static const int threads[] = {1, 2, 4, 8};
    static const int percent[] = {0, 5, 15, 50, 100, 300};
    char            *want = strdup(run(m, 1, 1 << 30));
    int              runs = 0;
    EXPECT(want != NULL);
    const uint64_t least = can_be_tested(want) ? find_least(m, want, 1 << 28) : 0;
    /* A cache that is whole stays when the run goes back to where it was not: both count. */
    const bool cached = strstr(at_hand, "cache") != NULL;
    if (least)
        for (size_t p = cached ? 4 : 0; p < COUNT_OF(percent); p++)
            for (size_t t = 0; t < COUNT_OF(threads); t++, runs++)
                expect_same(m, want, threads[t], least + least * (uint64_t)percent[p] / 100);
    free(want);
    return runs;
}

static double number_in(const char *name, double usual)
{
    const char *text = getenv(name);
    return text ? atof(text) : usual;
}

static uint64_t first_seed(void)
{
    return (uint64_t)number_in("STK_CEILING_SEED", 1);
}

static uint64_t end_of_time(void)
{
    return stk_clock_ns() + (uint64_t)(number_in("STK_CEILING_SECONDS", USUAL_SECONDS) * 1e9);
}

STK_TEST(random_heavy_pipelines_give_the_same_from_the_least_ceiling_up)
{
    bed            b;
    int            runs = 0, pipelines = 0;
    const uint64_t end = end_of_time();
    make_bed(&b);
    for (b.seed = first_seed(); stk_clock_ns() < end; b.seed++, pipelines++)
        runs += check_from_least_up(&(maker){random_pipeline, &b});
    stk_function_unref(b.spread);
    print_message("%d pipelines, %d runs\n", pipelines, runs);
    EXPECT(runs > 0);
}

static stk_dataset *build_line(void *line)
{
    return stk_line_build(line);
}

STK_TEST(random_pipelines_of_all_operators_give_the_same_from_the_least_ceiling_up)
{
    int            runs = 0, pipelines = 0;
    const uint64_t end = end_of_time();
    uint64_t       lines = stk_hash64_number(5, first_seed());
    for (; stk_clock_ns() < end; pipelines++) {
        stk_test_random_line(at_hand, &lines, 8);
        stk_line *line = strstr(at_hand, "relaxed") ? NULL : stk_line_parse(at_hand, NULL);
        if (!line) continue;
        runs += check_from_least_up(&(maker){build_line, line});
        stk_line_free(line);
    }
    print_message("%d pipelines, %d runs\n", pipelines, runs);
    EXPECT(runs > 0);
}

/* Files of megabytes, as people have them. */
enum { BIG_FILES = 8, BIG_RECORDS = 20, BIG = 1000000 };

static void write_big(const char *paths[BIG_FILES])
{
    uint8_t *bytes = malloc(BIG);
    EXPECT(bytes != NULL);
    for (int f = 0; f < BIG_FILES; f++) {
        stk_error            err;
        stk_tfrecord_writer *writer;
        char                 name[32];
        snprintf(name, sizeof name, "big%d.tfrecord", f);
        paths[f] = stk_test_path(name);
        EXPECT_OK(stk_tfrecord_writer_open(&writer, NULL, paths[f], NULL, &err));
        for (int i = 0; i < BIG_RECORDS; i++) {
            const int64_t number = f * BIG_RECORDS + i;
            memset(bytes, (int)number, BIG);
            memcpy(bytes, &number, sizeof number);
            EXPECT_OK(stk_tfrecord_writer_write(writer, stk_bytes_of(bytes, BIG), &err));
        }
        EXPECT_OK(stk_tfrecord_writer_commit(writer, &err));
        stk_tfrecord_writer_free(writer);
    }
    free(bytes);
}

static stk_status read_big(void *paths, const stk_call *call, const stk_element *element,
                           stk_dataset **out, stk_error *err)
{
    (void)call;
    return stk_dataset_tfrecord_files(out, NULL, &((const char **)paths)[stk_test_number(element)],
                                      1, NULL, err);
}

/* The number that a record begins with. */
static stk_status first_number(void *context, const stk_call *call, stk_element **element,
                               stk_error *err)
{
    (void)context;
    (void)call;
    int64_t number;
    memcpy(&number, stk_element_value(*element, 0)->small.view.data, sizeof number);
    return put_number(element, number, err);
}

typedef struct wide {
    const char                  *paths[BIG_FILES];
    const stk_interleave_options options;
    int64_t                      batch; /* 0: none */
    bool                         ignores;
    bool                         small; /* numbers of the records are batched, not the records */
} wide;

static stk_dataset *make_wide(void *context)
{
    wide        *w = context;
    stk_error    err;
    stk_dataset *data = RANGE(BIG_FILES);
    APPLY(data, interleave, stk_test_expand("read_big", read_big, w->paths), &w->options);
    if (w->small) {
        APPLY(data, map, stk_test_map("first_number", first_number, NULL, 0), NULL);
        APPLY(data, batch, w->batch, NULL);
        EXPECT_OK(stk_dataset_unbatch(&data, &err));
        return data;
    }
    if (w->batch) {
        APPLY(data, batch, w->batch, NULL);
        if (w->ignores) APPLY(data, ignore_errors, false);
        EXPECT_OK(stk_dataset_unbatch(&data, &err));
    }
    APPLY(data, map, stk_test_map("first_number", first_number, NULL, 0), NULL);
    return data;
}

static void expect_wide(wide *w, const int *megabytes, size_t count)
{
    static const int threads[] = {1, 2, 4};
    const maker      m = {make_wide, w};
    write_big(w->paths);
    char *want = strdup(run(&m, 1, UINT64_C(4) << 30));
    EXPECT(want != NULL && !strchr(want, '!'));
    for (size_t i = 0; i < count; i++)
        for (size_t t = 0; t < COUNT_OF(threads); t++) {
            snprintf(at_hand, sizeof at_hand, "%d MB, %d threads", megabytes[i], threads[t]);
            expect_same(&m, want, threads[t], (uint64_t)megabytes[i] * STK_BYTES_PER_MB);
        }
    free(want);
}

/* It slept for ever: a queue that had stopped for want of memory was not looked at again. */
STK_TEST(interleave_of_large_records_goes_on_at_the_ceiling)
{
    static const int megabytes[] = {8, 16, 24, 48};
    wide             w = {.options = {.cycle = 4, .parallel = 4}};
    expect_wide(&w, megabytes, COUNT_OF(megabytes));
}

/* It lost 24 records on two threads and 80 on four, and said nothing. */
STK_TEST(batches_of_large_records_lose_nothing_at_the_ceiling)
{
    static const int megabytes[] = {72, 128};
    wide w = {.options = {.cycle = 16, .parallel = STK_AUTO}, .batch = 32, .ignores = true};
    expect_wide(&w, megabytes, COUNT_OF(megabytes));
}

/* All records of a batch were held before the first was made small. */
STK_TEST(a_batch_of_what_becomes_small_takes_one_input_at_a_time)
{
    static const int megabytes[] = {8, 16};
    wide             w = {.options = {.cycle = 1, .parallel = 1}, .batch = 64, .small = true};
    expect_wide(&w, megabytes, COUNT_OF(megabytes));
}

STK_TEST(what_cannot_fit_says_what_it_needs)
{
    stk_error     err;
    stk_iterator *it;
    stk_element  *element;
    wide          w = {.options = {.cycle = 2, .parallel = 2}, .batch = 32, .ignores = true};
    write_big(w.paths);
    for (int threads = 1; threads <= 4; threads *= 2) {
        const stk_iterator_options options = {.threads = threads,
                                              .memory_bytes = 40 * STK_BYTES_PER_MB};
        stk_dataset               *data = make_wide(&w);
        EXPECT_OK(stk_iterator_start(&it, data, &options, &err));
        EXPECT_STATUS(STK_E_CEILING, stk_iterator_next(it, &element, &err));
        EXPECT_CONTAINS("the ceiling is 40000000", err.message);
        EXPECT_CONTAINS("raise the memory ceiling to ", err.message);
        stk_iterator_free(it);
        stk_dataset_unref(data);
    }
}

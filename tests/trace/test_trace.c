/* A trace keeps the newest events, loses none silently, and dumps valid Chrome JSON at any time. */
#include "base/threads.h"
#include "harness.h"

#include <math.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

typedef struct chrome { /* a parsed dump */
    stk_blob              blob;
    stk_json_document    *doc;
    const stk_json_value *events, *other;
} chrome;

static chrome dump(const stk_trace *trace)
{
    stk_error err;
    chrome    c = {0};
    stk_blob_init(&c.blob, NULL, STK_MEMORY_OUTPUT);
    EXPECT_OK(stk_trace_dump(trace, &c.blob, &err));
    EXPECT_OK(stk_json_parse(&c.doc, stk_blob_bytes(&c.blob), "trace", &err));
    const stk_json_value *root = stk_json_root(c.doc);
    EXPECT_STR_EQ("ms", stk_json_text(stk_json_get(root, "displayTimeUnit"), ""));
    c.events = stk_json_get(root, "traceEvents");
    c.other = stk_json_get(root, "otherData");
    EXPECT_INT_EQ(STK_JSON_ARRAY, stk_json_type_of(c.events));
    return c;
}

static void release(chrome *c)
{
    stk_json_document_free(c->doc);
    stk_blob_release(&c->blob);
}

static const char *text_of(const stk_json_value *event, const char *key)
{
    return stk_json_text(stk_json_get(event, key), "");
}

static double number_of(const stk_json_value *event, const char *key)
{
    return stk_json_number(stk_json_get(event, key), -1);
}

/* The skip-th event of that phase and name; NULL when there is none. */
static const stk_json_value *find(const chrome *c, const char *phase, const char *name, int skip)
{
    for (size_t i = 0; i < stk_json_count(c->events); i++) {
        const stk_json_value *event = stk_json_at(c->events, i);
        if (strcmp(text_of(event, "ph"), phase) == 0 && strcmp(text_of(event, "name"), name) == 0 &&
            skip-- == 0)
            return event;
    }
    return NULL;
}

static int count_phase(const chrome *c, const char *phase)
{
    int count = 0;
    for (size_t i = 0; i < stk_json_count(c->events); i++)
        count += strcmp(text_of(stk_json_at(c->events, i), "ph"), phase) == 0;
    return count;
}

static stk_trace *new_trace(uint32_t events)
{
    stk_error         err;
    stk_trace        *trace;
    stk_trace_options options = {.process_name = "test \"quoted\"", .events_per_thread = events};
    EXPECT_OK(stk_trace_new(&trace, &options, &err));
    return trace;
}

static stk_trace_thread *attach(stk_trace *trace, const char *name)
{
    stk_error         err;
    stk_trace_thread *thread;
    EXPECT_OK(stk_trace_attach(trace, name, &thread, &err));
    return thread;
}

static void sleep_ms(long ms)
{
    nanosleep(&(struct timespec){.tv_nsec = ms * 1000000}, NULL);
}

STK_TEST(dump_of_an_empty_trace_is_valid_and_names_the_process)
{
    stk_trace *trace = new_trace(0);
    chrome     c = dump(trace);
    EXPECT_INT_EQ(1, stk_json_count(c.events));
    const stk_json_value *process = find(&c, "M", "process_name", 0);
    EXPECT_STR_EQ("test \"quoted\"", text_of(stk_json_get(process, "args"), "name"));
    EXPECT_INT_EQ(getpid(), number_of(process, "pid"));
    EXPECT_INT_EQ(0, number_of(c.other, "dropped"));
    release(&c);
    stk_trace_free(trace);
    stk_trace_free(NULL);
}

STK_TEST(spans_and_counters_carry_name_stage_time_and_value)
{
    stk_trace        *trace = new_trace(16);
    stk_trace_thread *thread = attach(trace, "reader\t1");
    const uint64_t    begin = stk_span_begin(thread);
    sleep_ms(5);
    stk_span_end(thread, STK_STAGE_READ, "read file", begin, 4096);
    stk_counter(thread, STK_STAGE_PREPROCESS, "queue", 2.5);
    stk_span_end(thread, STK_STAGE_NONE, "idle", stk_span_begin(thread), 0);
    chrome                c = dump(trace);
    const stk_json_value *span = find(&c, "X", "read file", 0), *idle = find(&c, "X", "idle", 0);
    EXPECT_STR_EQ("S1 read", text_of(span, "cat"));
    EXPECT_INT_EQ(4096, number_of(stk_json_get(span, "args"), "value"));
    EXPECT(number_of(span, "dur") >= 4990 && number_of(span, "dur") < 1e6);
    EXPECT(number_of(span, "ts") >= 0 && number_of(span, "ts") < 1e6);
    EXPECT_INT_EQ(1, number_of(span, "tid"));
    EXPECT(idle && !stk_json_get(stk_json_get(idle, "args"), "value"));
    const stk_json_value *counter = find(&c, "C", "queue", 0);
    EXPECT(number_of(stk_json_get(counter, "args"), "value") == 2.5);
    EXPECT_STR_EQ("S2 preprocess", text_of(counter, "cat"));
    EXPECT(number_of(counter, "ts") >= number_of(span, "ts") + number_of(span, "dur") - 0.002);
    EXPECT_STR_EQ("reader\t1",
                  text_of(stk_json_get(find(&c, "M", "thread_name", 0), "args"), "name"));
    EXPECT_INT_EQ(
        0, number_of(stk_json_get(find(&c, "M", "thread_sort_index", 0), "args"), "sort_index"));
    release(&c);
    stk_trace_free(trace);
}

STK_TEST(times_have_nanoseconds_and_no_more)
{
    stk_trace        *trace = new_trace(256);
    stk_trace_thread *thread = attach(trace, "t");
    for (int i = 0; i < 200; i++)
        stk_span_end(thread, STK_STAGE_READ, "s", stk_span_begin(thread), 1);
    chrome c = dump(trace);
    for (int i = 0; i < 200; i++) {
        const double ns = number_of(find(&c, "X", "s", i), "ts") * 1000;
        EXPECT(fabs(ns - nearbyint(ns)) < 1e-3);
    }
    release(&c);
    stk_trace_free(trace);
}

STK_TEST(nested_spans_are_sorted_and_stay_inside_their_parent)
{
    stk_trace        *trace = new_trace(64);
    stk_trace_thread *thread = attach(trace, "t");
    for (int i = 0; i < 8; i++) {
        const uint64_t outer = stk_span_begin(thread);
        for (int k = 0; k < 2; k++) {
            const uint64_t inner = stk_span_begin(thread);
            stk_span_end(thread, STK_STAGE_PREPROCESS, "inner", inner, 1);
        }
        stk_span_end(thread, STK_STAGE_PREPROCESS, "outer", outer, 1);
    }
    /* Two that begin at the same tick: the longer must come first. */
    const uint64_t both = stk_span_begin(thread);
    stk_span_end(thread, STK_STAGE_COMPUTE, "short", both, 1);
    sleep_ms(1);
    stk_span_end(thread, STK_STAGE_COMPUTE, "long", both, 1);
    chrome c = dump(trace);
    double last = 0, outer_begin = 0, outer_end = 0;
    int    inners = 0;
    for (size_t i = 0; i < stk_json_count(c.events); i++) {
        const stk_json_value *e = stk_json_at(c.events, i);
        if (strcmp(text_of(e, "ph"), "X") != 0) continue;
        const double ts = number_of(e, "ts"), end = ts + number_of(e, "dur");
        EXPECT(ts >= last);
        last = ts;
        if (strcmp(text_of(e, "name"), "outer") == 0) {
            outer_begin = ts;
            outer_end = end;
        } else if (strcmp(text_of(e, "name"), "inner") == 0) {
            EXPECT(ts >= outer_begin && end <= outer_end + 1e-6);
            inners++;
        }
    }
    EXPECT_INT_EQ(16, inners);
    EXPECT(strstr((char *)c.blob.data, "\"long\"") < strstr((char *)c.blob.data, "\"short\""));
    release(&c);
    stk_trace_free(trace);
}

STK_TEST(full_ring_keeps_the_newest_and_counts_the_rest)
{
    stk_trace        *trace = new_trace(5); /* becomes 8 */
    stk_trace_thread *thread = attach(trace, "t");
    stk_trace_stats   stats;
    for (uint64_t i = 1; i <= 8; i++)
        stk_span_end(thread, STK_STAGE_READ, "s", stk_span_begin(thread), i);
    stk_trace_read_stats(trace, &stats);
    EXPECT_INT_EQ(8, stats.events);
    EXPECT_INT_EQ(0, stats.dropped);
    for (uint64_t i = 9; i <= 100; i++)
        stk_span_end(thread, STK_STAGE_READ, "s", stk_span_begin(thread), i);
    stk_trace_read_stats(trace, &stats);
    EXPECT_INT_EQ(8, stats.events);
    EXPECT_INT_EQ(92, stats.dropped);
    EXPECT_INT_EQ(1, stats.threads);
    chrome c = dump(trace);
    EXPECT_INT_EQ(8, count_phase(&c, "X"));
    EXPECT_INT_EQ(92, number_of(c.other, "dropped"));
    for (int i = 0; i < 8; i++)
        EXPECT_INT_EQ(93 + i, number_of(stk_json_get(find(&c, "X", "s", i), "args"), "value"));
    release(&c);
    stk_trace_free(trace);
}

STK_TEST(tracing_that_is_off_records_nothing_and_fails_nowhere)
{
    stk_error         err;
    stk_trace_thread *thread = (stk_trace_thread *)&err;
    stk_trace_stats   stats;
    EXPECT_OK(stk_trace_attach(NULL, "t", &thread, &err));
    EXPECT(!thread);
    EXPECT_INT_EQ(0, stk_span_begin(thread));
    stk_span_end(thread, STK_STAGE_READ, "s", 0, 0);
    stk_counter(thread, STK_STAGE_READ, "c", 1);
    stk_trace_read_stats(NULL, &stats);
    EXPECT_INT_EQ(0, stats.threads);
    stk_blob blob;
    stk_blob_init(&blob, NULL, STK_MEMORY_OUTPUT);
    EXPECT_STATUS(STK_E_INVALID, stk_trace_dump(NULL, &blob, &err));
}

STK_TEST(odd_values_do_not_break_the_document)
{
    stk_trace        *trace = new_trace(16);
    stk_trace_thread *thread = attach(trace, NULL);
    stk_trace_record_span(thread, (stk_stage)100, "a \"b\"\n\xFF", 0, UINT64_MAX);
    stk_trace_record_span(thread, STK_STAGE_READ, NULL, UINT64_MAX, 1); /* ends before it began */
    stk_counter(thread, STK_STAGE_READ, "nan", NAN);
    chrome                c = dump(trace);
    const stk_json_value *odd = find(&c, "X", "a \"b\"\n\xEF\xBF\xBD", 0);
    EXPECT_STR_EQ("unknown stage", text_of(odd, "cat"));
    EXPECT_INT_EQ(0, number_of(odd, "ts"));
    EXPECT(find(&c, "X", "", 0) != NULL);
    EXPECT_INT_EQ(STK_JSON_NULL, stk_json_type_of(stk_json_get(
                                     stk_json_get(find(&c, "C", "nan", 0), "args"), "value")));
    release(&c);
    stk_trace_free(trace);
}

STK_TEST(stages_have_names)
{
    for (int i = 0; i < STK_STAGE_COUNT; i++)
        EXPECT(stk_stage_name((stk_stage)i)[0]);
    EXPECT_STR_EQ("S1 read", stk_stage_name(STK_STAGE_READ));
    EXPECT_STR_EQ("S8 write", stk_stage_name(STK_STAGE_WRITE));
    EXPECT_STR_EQ("unknown stage", stk_stage_name((stk_stage)99));
}

enum { WRITERS = 3, EVENTS_EACH = 200000 };

typedef struct writer {
    stk_trace *trace;
    stk_thread thread;
    uint64_t   base;
} writer;

/* In each event name, stage, duration and value agree, so that a torn one would show. */
static void *record_many(void *context)
{
    writer           *w = context;
    stk_trace_thread *thread = attach(w->trace, "writer");
    for (uint64_t i = 1; i <= EVENTS_EACH; i++) {
        const bool odd = i % 2;
        stk_trace_record_span(thread, odd ? STK_STAGE_READ : STK_STAGE_WRITE, odd ? "odd" : "even",
                              stk_trace_now(), i);
    }
    return NULL;
}

static void expect_whole_events(const chrome *c)
{
    int64_t last = 0, tid = 0;
    for (size_t i = 0; i < stk_json_count(c->events); i++) {
        const stk_json_value *e = stk_json_at(c->events, i);
        if (strcmp(text_of(e, "ph"), "X") != 0) continue;
        const int64_t value = stk_json_integer(stk_json_get(stk_json_get(e, "args"), "value"), -1);
        EXPECT_STR_EQ(value % 2 ? "odd" : "even", text_of(e, "name"));
        EXPECT_STR_EQ(value % 2 ? "S1 read" : "S8 write", text_of(e, "cat"));
        EXPECT(number_of(e, "dur") < 1e6);
        if (tid == stk_json_integer(stk_json_get(e, "tid"), 0)) EXPECT(value == last + 1);
        tid = stk_json_integer(stk_json_get(e, "tid"), 0);
        last = value;
    }
}

STK_TEST(dump_while_threads_record_shows_only_whole_events)
{
    stk_error       err;
    stk_trace      *trace = new_trace(64);
    writer          writers[WRITERS];
    stk_trace_stats stats;
    for (int i = 0; i < WRITERS; i++) {
        writers[i] = (writer){.trace = trace};
        EXPECT_OK(stk_thread_start(&writers[i].thread, "writer", record_many, &writers[i], &err));
    }
    for (int i = 0; i < 100; i++) {
        chrome c = dump(trace);
        expect_whole_events(&c);
        release(&c);
        stk_trace_read_stats(trace, &stats);
    }
    for (int i = 0; i < WRITERS; i++)
        stk_thread_join(&writers[i].thread);
    stk_trace_read_stats(trace, &stats);
    EXPECT_INT_EQ(WRITERS, stats.threads);
    EXPECT_INT_EQ(WRITERS * EVENTS_EACH, stats.events + stats.dropped);
    chrome c = dump(trace);
    expect_whole_events(&c);
    EXPECT_INT_EQ(WRITERS * 64, count_phase(&c, "X"));
    EXPECT_INT_EQ(WRITERS * (EVENTS_EACH - 64), number_of(c.other, "dropped"));
    release(&c);
    stk_trace_free(trace);
}

STK_TEST(trace_refuses_a_ring_that_is_too_large)
{
    stk_error         err;
    stk_trace        *trace = (stk_trace *)&err;
    stk_trace_options options = {.events_per_thread = UINT32_MAX};
    EXPECT_STATUS(STK_E_LIMIT, stk_trace_new(&trace, &options, &err));
    EXPECT_CONTAINS("4294967295 events", err.message);
    EXPECT(!trace);
}

static stk_status trace_once(void *context, stk_error *err)
{
    (void)context;
    stk_trace        *trace;
    stk_trace_thread *thread;
    stk_blob          blob;
    stk_blob_init(&blob, NULL, STK_MEMORY_OUTPUT);
    stk_trace_options options = {.events_per_thread = 16};
    STK_TRY(stk_trace_new(&trace, &options, err));
    stk_status st = stk_trace_attach(trace, "t", &thread, err);
    if (!st) {
        stk_counter(thread, STK_STAGE_READ, "c", 1);
        st = stk_trace_dump(trace, &blob, err);
        EXPECT(!st || blob.size == 0);
    }
    stk_blob_release(&blob);
    stk_trace_free(trace);
    return st;
}

STK_TEST(trace_survives_every_failing_allocation)
{
    stk_test_fail_each_allocation(trace_once, NULL);
}

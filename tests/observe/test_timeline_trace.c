/* A timeline of a trace in memory is the timeline of its file. */
#include "failing_alloc.h"
#include "harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <stoker/timeline_analysis.h>
#include <stoker/trace_file.h>
#include <string.h>
#include <unistd.h>

/* Ticks are converted to nanoseconds by a pair of clock readings, which each walk takes anew. */
enum { THREADS = 3, OPS = 4, STREAMS = 2, CLOCK_NS = 10000 };

static uint64_t draw(uint64_t *random, uint64_t below)
{
    *random = *random * 6364136223846793005u + 1442695040888963407u;
    return (*random >> 33) % below;
}

static stk_trace *new_trace(uint32_t events)
{
    const stk_trace_options options = {.events_per_thread = events};
    stk_error               err;
    stk_trace              *trace;
    EXPECT_OK(stk_trace_new(&trace, &options, &err));
    return trace;
}

/* Everything that can be recorded, in any order and nested anyhow. device: some of it on streams.
 * Times are equal or far apart: the order of others may change where they are rounded. */
static void record(stk_trace *trace, uint64_t *random, int events, bool device)
{
    static const char *const names[] = {"decode", "wait </x> \"y\"", "", "crop"};
    stk_trace_thread        *threads[THREADS], *streams[STREAMS];
    const stk_trace_op      *ops[OPS];
    stk_error                err;
    char                     name[32];
    for (int i = 0; i < THREADS; i++) {
        snprintf(name, sizeof name, "thread %d \n", i);
        EXPECT_OK(stk_trace_attach(trace, name, &threads[i], &err));
    }
    for (int i = 0; device && i < STREAMS; i++) {
        snprintf(name, sizeof name, "s%d", i);
        EXPECT_OK(stk_trace_attach_device(trace, "cuda:0", name, &streams[i], &err));
    }
    for (int i = 0; i < OPS; i++) {
        const stk_trace_op op = {i ? "conv2d" : "Memcpy", i % 2 ? "layer1" : "", "own", 1e9 * i,
                                 1e6 * (i > 1)};
        ops[i] = stk_trace_intern_op(threads[0], &op);
        EXPECT(ops[i] != NULL);
    }
    const uint64_t first = stk_trace_now();
    usleep(20000); /* longer than what the spans below reach back from */
    for (int i = 0; i < events; i++) {
        for (const uint64_t before = stk_trace_now(); stk_trace_now() - before < 4096;) {
        }
        stk_trace_thread *t = threads[draw(random, THREADS)];
        const uint64_t  number = 1 + draw(random, 1000), begin = first + 4096 * draw(random, 4096);
        const stk_stage stage = (stk_stage)draw(random, STK_STAGE_COUNT);
        switch (draw(random, 6)) {
        case 0:
            stk_trace_record_step(t, (int64_t)number, begin);
            break;
        case 1:
            stk_trace_record_counter(t, stage, "queue", (double)number / 3);
            break;
        case 2:
            stk_trace_record_op(t, STK_STAGE_COMPUTE, ops[draw(random, OPS)], begin);
            break;
        case 3:
            if (device) stk_trace_record_launch(t, stage, ops[draw(random, OPS)], begin, number);
            break;
        case 4:
            if (device)
                stk_trace_record_device(
                    streams[draw(random, STREAMS)], stage, ops[draw(random, OPS)], number * 1000,
                    number * 1000 + 100 * draw(random, 90), draw(random, 2) * number);
            break;
        default:
            stk_trace_record_between(t, stage, names[draw(random, 4)], begin,
                                     begin + 4096 * draw(random, 16), draw(random, 2) * number);
        }
    }
}

static void expect_same_text(const stk_timeline *a, uint32_t left, const stk_timeline *b,
                             uint32_t right)
{
    EXPECT_STR_EQ(stk_timeline_text(a, left), stk_timeline_text(b, right));
}

static void expect_same_event(const stk_timeline *a, const stk_timeline *b, size_t index)
{
    const stk_timeline_event *x = stk_timeline_at(a, index), *y = stk_timeline_at(b, index);
    expect_same_text(a, x->name, b, y->name);
    expect_same_text(a, x->category, b, y->category);
    EXPECT_INT_EQ(x->row, y->row);
    EXPECT_INT_EQ(x->kind, y->kind);
    EXPECT_INT_EQ(x->stage, y->stage);
    EXPECT_INT_EQ(x->flags, y->flags);
    EXPECT(x->value == y->value);
    EXPECT(llabs((long long)(x->begin_ns - y->begin_ns)) < CLOCK_NS);
    EXPECT(llabs((long long)(x->ns - y->ns)) < CLOCK_NS);
}

static void expect_same_rows(const stk_timeline *a, const stk_timeline *b)
{
    EXPECT_INT_EQ(stk_timeline_row_count(a), stk_timeline_row_count(b));
    for (size_t i = 0; i < stk_timeline_row_count(a); i++) {
        const stk_timeline_row *x = stk_timeline_row_at(a, i), *y = stk_timeline_row_at(b, i);
        EXPECT(x->process == y->process && x->thread == y->thread);
        EXPECT_INT_EQ(x->is_device, y->is_device);
        expect_same_text(a, x->process_name, b, y->process_name);
        expect_same_text(a, x->thread_name, b, y->thread_name);
    }
}

static const stk_timeline_op *find_op(const stk_timeline *t, const stk_timeline_ops *ops,
                                      const char *name, const stk_timeline_op *like)
{
    for (size_t i = 0; i < ops->count; i++) {
        const stk_timeline_op *op = &ops->list[i];
        if (strcmp(stk_timeline_text(t, op->name), name) == 0 && op->is_device == like->is_device)
            return op;
    }
    return NULL;
}

/* The work of operations, which events do not show. */
static void expect_same_ops(const stk_timeline *a, const stk_timeline *b)
{
    stk_timeline_ops x, y;
    stk_error        err;
    EXPECT_OK(stk_timeline_count_ops(&x, a, &err));
    EXPECT_OK(stk_timeline_count_ops(&y, b, &err));
    EXPECT_INT_EQ(x.count, y.count);
    for (size_t i = 0; i < x.count; i++) {
        const stk_timeline_op *op = &x.list[i];
        const stk_timeline_op *other = find_op(b, &y, stk_timeline_text(a, op->name), op);
        EXPECT(other != NULL);
        EXPECT_INT_EQ(op->calls, other->calls);
        EXPECT((op->flops_per_s > 0) == (other->flops_per_s > 0));
        EXPECT((op->bytes_per_s > 0) == (other->bytes_per_s > 0));
    }
    stk_timeline_ops_release(&x);
    stk_timeline_ops_release(&y);
}

static void expect_same_findings(const stk_timeline *a, const stk_timeline *b)
{
    stk_timeline_findings x, y;
    stk_timeline_validate(a, &x);
    stk_timeline_validate(b, &y);
    EXPECT_INT_EQ(x.events, y.events);
    EXPECT_INT_EQ(x.spans, y.spans);
    EXPECT_INT_EQ(x.counters, y.counters);
    EXPECT_INT_EQ(x.flows, y.flows);
    EXPECT_INT_EQ(x.names, y.names);
    EXPECT_INT_EQ(x.dropped, y.dropped);
    EXPECT_INT_EQ(x.left_out, y.left_out);
}

static stk_timeline *read_back(const stk_trace *trace, uint64_t max_events)
{
    const char                *path = stk_test_path("same.json");
    const stk_timeline_options options = {.max_events = max_events};
    stk_error                  err;
    stk_timeline              *t;
    EXPECT_OK(stk_trace_write(trace, NULL, path, NULL, NULL, &err));
    EXPECT_OK(stk_timeline_read(&t, path, &options, &err));
    return t;
}

STK_TEST(timeline_of_a_trace_is_the_one_of_its_file)
{
    uint64_t random = 7;
    for (int run = 0; run < 40; run++) {
        stk_error     err;
        stk_timeline *made, *read;
        stk_trace    *trace = new_trace(run % 4 ? 4096 : 64);
        record(trace, &random, (int)draw(&random, 600), run % 2);
        EXPECT_OK(stk_timeline_of_trace(&made, trace, 0, &err));
        read = read_back(trace, 0);
        EXPECT_INT_EQ(STK_TIMELINE_STOKER, stk_timeline_made_by(made));
        EXPECT_INT_EQ(stk_timeline_count(read), stk_timeline_count(made));
        for (size_t i = 0; i < stk_timeline_count(read); i++)
            expect_same_event(read, made, i);
        expect_same_rows(read, made);
        expect_same_ops(read, made);
        expect_same_findings(read, made);
        stk_timeline_free(made);
        stk_timeline_free(read);
        stk_trace_free(trace);
    }
}

STK_TEST(events_past_the_limit_are_counted)
{
    uint64_t      random = 3;
    stk_error     err;
    stk_timeline *made;
    stk_trace    *trace = new_trace(4096);
    record(trace, &random, 2000, false);
    EXPECT_OK(stk_timeline_of_trace(&made, trace, 500, &err));
    EXPECT(stk_timeline_count(made) <= 500 && stk_timeline_count(made) >= 100);
    EXPECT(stk_timeline_left_out(made) > 1000);
    stk_timeline_free(made);
    stk_trace_free(trace);
}

STK_TEST(no_trace_is_refused)
{
    stk_error     err;
    stk_timeline *made = (stk_timeline *)&err;
    EXPECT_STATUS(STK_E_INVALID, stk_timeline_of_trace(&made, NULL, 0, &err));
    EXPECT(!made);
}

static stk_status make_once(void *context, stk_error *err)
{
    stk_timeline    *made = context;
    const stk_status st = stk_timeline_of_trace(&made, context, 0, err);
    EXPECT(!made == !!st);
    stk_timeline_free(made);
    return st;
}

STK_TEST(every_allocation_may_fail)
{
    uint64_t   random = 5;
    stk_trace *trace = new_trace(256);
    record(trace, &random, 200, true);
    stk_test_fail_each_allocation(make_once, trace);
    stk_trace_free(trace);
}

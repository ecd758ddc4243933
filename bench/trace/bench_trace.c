/* What tracing costs: a span and a counter, off and on, and an event of the dump and of the
 * timeline. */
#include "bench.h"

#include <stoker/timeline.h>

enum { TIMES = 2000000, HELD = 65536 };

typedef struct job {
    stk_trace        *trace;
    stk_trace_thread *thread; /* NULL: off */
} job;

static void record_spans(void *context)
{
    stk_trace_thread *thread = ((job *)context)->thread;
    for (int i = 0; i < TIMES; i++) {
        const uint64_t begin = stk_span_begin(thread);
        stk_span_end(thread, STK_STAGE_READ, "span", begin, (uint64_t)i);
        __asm__ volatile("" : "+r"(thread)); /* so that off is not decided once for all */
    }
}

static void record_counters(void *context)
{
    stk_trace_thread *thread = ((job *)context)->thread;
    for (int i = 0; i < TIMES; i++)
        stk_counter(thread, STK_STAGE_READ, "counter", i);
}

static void read_clock(void *context)
{
    (void)context;
    for (int i = 0; i < TIMES; i++)
        (void)stk_trace_now();
}

static void dump(void *context)
{
    stk_blob  out;
    stk_error err;
    stk_blob_init(&out, NULL, STK_MEMORY_OUTPUT);
    if (stk_trace_dump(((job *)context)->trace, &out, &err)) exit(1);
    stk_blob_release(&out);
}

static void make_timeline(void *context)
{
    stk_timeline *timeline;
    stk_error     err;
    if (stk_timeline_of_trace(&timeline, ((job *)context)->trace, 0, &err)) exit(1);
    stk_timeline_free(timeline);
}

static void report(const char *name, bench_result r, double events)
{
    printf("%-44s %12.4g ns           (best %.4g, worst %.4g)\n", name, r.median * 1e9 / events,
           r.best * 1e9 / events, r.worst * 1e9 / events);
}

int main(void)
{
    stk_error err;
    job       off = {0}, on = {0};
    if (stk_trace_new(&on.trace, NULL, &err) ||
        stk_trace_attach(on.trace, "bench", &on.thread, &err))
        return 1;
    report("trace/clock", bench_run(read_clock, NULL, 9), TIMES);
    report("trace/span/off", bench_run(record_spans, &off, 9), TIMES);
    report("trace/span/on", bench_run(record_spans, &on, 9), TIMES);
    report("trace/counter/on", bench_run(record_counters, &on, 9), TIMES);
    bench_run(record_spans, &on, 1); /* spans are what a trace mostly holds */
    report("trace/dump/event", bench_run(dump, &on, 9), HELD);
    report("trace/timeline/event", bench_run(make_timeline, &on, 9), HELD);
    stk_trace_free(on.trace);
    return 0;
}

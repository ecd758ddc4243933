/* How much a trace records can change at any time. */
#include "harness.h"

#include <stoker/trace.h>

STK_TEST(a_thread_records_when_the_level_is_reached)
{
    stk_error         err;
    stk_trace        *trace;
    stk_trace_thread *thread;
    stk_trace_stats   stats;
    EXPECT_OK(stk_trace_new(&trace, NULL, &err));
    EXPECT_OK(stk_trace_attach(trace, "one", &thread, &err));
    EXPECT_INT_EQ(STK_TRACE_OPS, stk_trace_get_level(trace));
    EXPECT(stk_trace_at(trace, thread, STK_TRACE_OPS) == thread);
    EXPECT(stk_trace_at(trace, thread, STK_TRACE_KERNELS) == NULL);
    stk_trace_set_level(trace, STK_TRACE_OFF);
    EXPECT(stk_trace_at(trace, thread, STK_TRACE_STAGES) == NULL);
    EXPECT(stk_trace_at(NULL, NULL, STK_TRACE_STAGES) == NULL);
    stk_trace_record_step(thread, 7, stk_trace_now());
    stk_trace_read_stats(trace, &stats);
    EXPECT_INT_EQ(1, stats.events);
    stk_blob text;
    stk_blob_init(&text, NULL, STK_MEMORY_OUTPUT);
    EXPECT_OK(stk_trace_dump(trace, &text, &err));
    EXPECT_OK(stk_blob_append(&text, "", 1, &err));
    EXPECT(strstr((char *)text.data, "\"ProfilerStep#7\"") != NULL);
    stk_blob_release(&text);
    stk_trace_free(trace);
}

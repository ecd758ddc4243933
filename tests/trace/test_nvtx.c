/* Ranges for NVIDIA's tools: balanced, only while steps are recorded, and only where asked for. */
#include "harness.h"
#include "trace/recording.h"

#include <dlfcn.h>
#include <string.h>

static int call(const stk_trace *trace, const char *name)
{
    int (*function)(void);
    void *found = dlsym(trace->nvtx.library, name);
    EXPECT(found != NULL);
    memcpy(&function, &found, sizeof found);
    return function();
}

static void make_step(stk_meter *meter, int64_t number)
{
    stk_meter_enter(meter, STK_STAGE_PREPROCESS);
    stk_meter_enter(meter, STK_STAGE_COMPUTE);
    stk_meter_end_step(meter, number, 1);
}

STK_TEST(each_piece_is_a_range_that_ends)
{
    stk_error         err;
    stk_trace        *trace;
    stk_trace_thread *thread;
    stk_meter        *meter;
    EXPECT_OK(stk_trace_new(&trace, NULL, &err));
    EXPECT_OK(stk_nvtx_open(&trace->nvtx, STK_FAKE_NVTX, &err));
    EXPECT_OK(stk_trace_attach(trace, "train", &thread, &err));
    EXPECT_OK(stk_meter_new(&meter, &(stk_meter_options){.thread = thread, .trace = trace}, &err));
    for (int i = 0; i < 5; i++)
        make_step(meter, i);
    EXPECT_INT_EQ(0, call(trace, "fake_nvtx_depth"));
    const int count = call(trace, "fake_nvtx_count");
    EXPECT(count == 10 || count == 9); /* the very first piece begins before its step does */
    stk_trace_set_level(trace, STK_TRACE_OFF);
    make_step(meter, 5); /* begun before: recorded whole */
    make_step(meter, 6);
    make_step(meter, 7);
    EXPECT_INT_EQ(count + 2, call(trace, "fake_nvtx_count"));
    EXPECT_INT_EQ(0, call(trace, "fake_nvtx_depth"));
    stk_meter_free(meter);
    stk_trace_free(trace);
}

STK_TEST(a_library_that_is_missing_or_another_is_named)
{
    stk_error err;
    stk_nvtx  nvtx;
    EXPECT_STATUS(STK_E_UNSUPPORTED, stk_nvtx_open(&nvtx, "/no/such/library.so", &err));
    EXPECT_CONTAINS("/no/such/library.so", err.where);
    EXPECT_STATUS(STK_E_UNSUPPORTED, stk_nvtx_open(&nvtx, "libm.so.6", &err));
    EXPECT_CONTAINS("another library", err.message);
}

STK_TEST(what_this_build_has_needs_no_library)
{
    stk_nvtx nvtx = {0};
    if (!stk_nvtx3_has(&nvtx)) return;
    (void)nvtx.push("a range that nobody watches");
    (void)nvtx.pop();
    EXPECT(nvtx.library == NULL);
    stk_nvtx_close(&nvtx);
}

/* Times tagged work by pairs of events, read after completion. GPU time is converted to host time
 * by anchors: events on an idle stream of its own, so that anchoring does not wait for work. */
#include "base/clock.h"
#include "compute/cuda/cuda.h"
#include "compute/cuda/cupti.h"
#include <stdlib.h>

enum { PAIRS = 1 << 13, TRIES = 3 };
static const uint64_t anchor_every_ns = 1000000000;

typedef struct pair {
    uint64_t    tag;
    uint64_t    enqueued_ns; /* host time before its first event was enqueued */
    cudaEvent_t begin, end;
    size_t      bytes;
    bool        is_copy;
} pair;

/* One moment on both clocks. */
typedef struct anchor {
    cudaEvent_t event;
    uint64_t    ns;
} anchor;

struct stk_cuda_spans {
    pair         pairs[PAIRS];
    uint64_t     first, next; /* pairs in between are not reported yet */
    bool         open;        /* the begin of pairs[next] is recorded */
    cudaStream_t stream;
    anchor       older, newer;
    double       rate; /* host nanoseconds per GPU nanosecond */
};

/* The event lies between two host clock reads; the tightest of several tries is used. */
static cudaError_t put_anchor(stk_cuda_spans *m, anchor *a)
{
    uint64_t    narrowest = UINT64_MAX;
    cudaError_t code = cudaSuccess;
    for (int i = 0; i < TRIES && code == cudaSuccess; i++) {
        cudaEvent_t event = NULL;
        code = cudaEventCreateWithFlags(&event, cudaEventDefault);
        const uint64_t begin = stk_clock_ns();
        if (code == cudaSuccess) code = cudaEventRecord(event, m->stream);
        if (code == cudaSuccess) code = cudaEventSynchronize(event);
        const uint64_t after = stk_clock_ns();
        if (code != cudaSuccess || after - begin >= narrowest) {
            if (event) cudaEventDestroy(event);
            continue;
        }
        narrowest = after - begin;
        if (a->event) cudaEventDestroy(a->event);
        *a = (anchor){event, begin + narrowest / 2};
    }
    return code;
}

stk_status stk_cuda_spans_new(stk_cuda *cuda, stk_error *err)
{
    stk_cuda_spans *m = cuda->spans = calloc(1, sizeof *m);
    if (!m) return stk_fail(err, STK_E_NOMEM, "cuda", "spans", "no memory");
    m->rate = 1;
    STK_CUDA_TRY(cudaStreamCreateWithFlags(&m->stream, cudaStreamNonBlocking), "spans", err);
    STK_CUDA_TRY(put_anchor(m, &m->newer), "spans", err);
    return STK_OK;
}

static void destroy(cudaEvent_t event)
{
    if (event) cudaEventDestroy(event);
}

void stk_cuda_spans_free(stk_cuda *cuda)
{
    stk_cuda_spans *m = cuda->spans;
    stk_cupti_free(cuda->cupti);
    cuda->cupti = NULL;
    if (!m) return;
    for (size_t i = 0; i < PAIRS; i++) {
        destroy(m->pairs[i].begin);
        destroy(m->pairs[i].end);
    }
    destroy(m->older.event);
    destroy(m->newer.event);
    if (m->stream) cudaStreamDestroy(m->stream);
    free(m);
    cuda->spans = NULL;
}

static cudaError_t make_events(pair *p)
{
    if (p->end) return cudaSuccess;
    cudaError_t code = cudaEventCreateWithFlags(&p->begin, cudaEventDefault);
    return code ? code : cudaEventCreateWithFlags(&p->end, cudaEventDefault);
}

/* If the ring is full of unreported pairs, this one is dropped. */
static void start_pair(stk_cuda *cuda, cudaStream_t stream, uint64_t tag, size_t bytes,
                       bool is_copy)
{
    stk_cuda_spans *m = cuda->spans;
    if (m->next - m->first == PAIRS) return;
    pair *p = &m->pairs[m->next % PAIRS];
    stk_cuda_record_failure(cuda, make_events(p), "cudaEventCreate");
    if (!p->end) return;
    p->tag = tag;
    p->bytes = bytes;
    p->is_copy = is_copy;
    p->enqueued_ns = stk_clock_ns();
    stk_cuda_record_failure(cuda, cudaEventRecord(p->begin, stream), "cudaEventRecord");
    m->open = true;
}

static void end_pair(stk_cuda *cuda, cudaStream_t stream)
{
    stk_cuda_spans *m = cuda->spans;
    if (!m->open) return;
    stk_cuda_record_failure(cuda, cudaEventRecord(m->pairs[m->next % PAIRS].end, stream),
                            "cudaEventRecord");
    m->open = false;
    m->next++;
}

void stk_cuda_push_tag(stk_device *device, uint64_t tag)
{
    stk_cuda *cuda = stk_cuda_of(device);
    start_pair(cuda, cuda->stream, tag, 0, false);
    stk_cupti_enter(cuda->cupti, tag);
}

void stk_cuda_pop_tag(stk_device *device)
{
    stk_cuda *cuda = stk_cuda_of(device);
    stk_cupti_leave(cuda->cupti);
    end_pair(cuda, cuda->stream);
}

void stk_cuda_copy_begin(stk_cuda *cuda, size_t bytes)
{
    start_pair(cuda, cuda->copies, 0, bytes, true);
}

void stk_cuda_copy_end(stk_cuda *cuda)
{
    end_pair(cuda, cuda->copies);
}

static uint64_t when(const stk_cuda_spans *m, const anchor *from, cudaEvent_t event)
{
    float ms = 0;
    if (cudaEventElapsedTime(&ms, from->event, event) != cudaSuccess) return 0;
    return (uint64_t)((double)from->ns + (double)ms * 1e6 * m->rate);
}

static void report_pair(stk_cuda *cuda, const pair *p, stk_device_activity_fn listener,
                        void *context)
{
    const stk_cuda_spans *m = cuda->spans;
    const anchor *from = p->enqueued_ns >= m->newer.ns || !m->older.event ? &m->newer : &m->older;
    const stk_device_activity a = {.kind =
                                       p->is_copy ? STK_ACTIVITY_COPY_IN : STK_ACTIVITY_TAGGED_WORK,
                                   .tag = p->tag,
                                   .begin_ns = when(m, from, p->begin),
                                   .end_ns = when(m, from, p->end),
                                   .on_copy_stream = p->is_copy,
                                   .bytes = p->bytes};
    if (a.begin_ns && a.end_ns && !(p->is_copy && cuda->cupti)) listener(context, &a);
}

static bool is_past(stk_cuda *cuda, const pair *p, bool all)
{
    cudaError_t code = all ? cudaEventSynchronize(p->end) : cudaEventQuery(p->end);
    if (code == cudaErrorNotReady) {
        (void)cudaGetLastError(); /* clears the status, which the next call would return */
        return false;
    }
    stk_cuda_record_failure(cuda, code, "waiting for the GPU");
    return true;
}

/* The clocks drift by some ppm, and elapsed time is a float, so anchors must be recent. */
static void renew_anchor(stk_cuda *cuda)
{
    stk_cuda_spans *m = cuda->spans;
    float           ms = 0;
    anchor          fresh = {0};
    const bool      needs_older = m->first < m->next && m->older.event &&
                             m->pairs[m->first % PAIRS].enqueued_ns < m->newer.ns;
    if (needs_older || stk_clock_ns() - m->newer.ns < anchor_every_ns) return;
    if (put_anchor(m, &fresh) != cudaSuccess) return;
    if (cudaEventElapsedTime(&ms, m->newer.event, fresh.event) == cudaSuccess && ms > 0)
        m->rate = (double)(fresh.ns - m->newer.ns) / ((double)ms * 1e6);
    destroy(m->older.event);
    m->older = m->newer;
    m->newer = fresh;
}

void stk_cuda_poll_activity(stk_device *device, bool all, stk_device_activity_fn listener,
                            void *context)
{
    stk_cuda       *cuda = stk_cuda_of(device);
    stk_cuda_spans *m = cuda->spans;
    for (; m->first < m->next; m->first++) {
        const pair *p = &m->pairs[m->first % PAIRS];
        if (!is_past(cuda, p, all)) break;
        report_pair(cuda, p, listener, context);
    }
    stk_cupti_poll(cuda->cupti, all, listener, context);
    renew_anchor(cuda);
}

stk_status stk_cuda_trace_kernels(stk_device *device, bool on, stk_error *err)
{
    stk_cuda *cuda = stk_cuda_of(device);
    stk_cupti_free(cuda->cupti);
    cuda->cupti = NULL;
    if (!on) return STK_OK;
    return stk_cupti_new(&cuda->cupti, err);
}

/* One axis' weights: memory, choice of kind, and the form the kernels read. */
#include "image/resize/resize_weights.h"

#include "base/checked.h"

#include <math.h>
#include <string.h>

enum { WEIGHT_BYTES_MAX = 1 << 27 };

void stk_axis_init(stk_axis *axis, stk_ledger *ledger)
{
    memset(axis, 0, sizeof *axis);
    stk_blob_init(&axis->memory, ledger, STK_MEMORY_DECODE);
}

void stk_axis_release(stk_axis *axis)
{
    stk_blob_release(&axis->memory);
}

stk_sums_kind stk_axis_sums_kind(const stk_sampling *sampling, bool shrinks)
{
    if (sampling->like == STK_RESIZE_PIL) return STK_SUMS_BYTES;
    if (sampling->like == STK_RESIZE_TF) return STK_SUMS_FLOAT;
    return sampling->filter == STK_FILTER_AREA && shrinks ? STK_SUMS_FLOAT : STK_SUMS_INTEGER;
}

static stk_axis_span span_of(const stk_axis_request *request)
{
    const double  begin = floor(request->start);
    stk_axis_span span = {.start = request->start - begin, .length = request->length};
    span.pixels = (int32_t)ceil(span.start + span.length);
    if (span.pixels < 1) span.pixels = 1;
    if (request->sampling.like == STK_RESIZE_PIL) { /* which takes boxes as floats */
        const float first = (float)span.start, end = (float)(span.start + span.length);
        span.start = first;
        span.length = end - first;
    }
    span.inverse = request->out / span.length;
    /* OpenCV turns the ratio over twice, and where the last bit decides it decides its way. */
    span.scale =
        request->sampling.like == STK_RESIZE_OPENCV ? 1 / span.inverse : span.length / request->out;
    return span;
}

void stk_axis_store(const stk_axis *axis, int32_t index, int32_t first, const double *weights)
{
    const size_t at = (size_t)index * (size_t)axis->taps;
    axis->first[index] = first;
    for (int32_t k = 0; k < axis->taps; k++)
        if (axis->arithmetic == STK_SUMS_FLOAT)
            axis->floating[at + (size_t)k] = (float)weights[k];
        else
            axis->fixed[at + (size_t)k] = (int32_t)weights[k];
}

static void fill_identity(const stk_axis_span *span, const stk_axis *axis)
{
    static const double units[] = {[STK_SUMS_BYTES] = 1 << STK_WEIGHT_BITS,
                                   [STK_SUMS_INTEGER] = 1 << STK_WEIGHT_HALF_BITS,
                                   [STK_SUMS_FLOAT] = 1};
    (void)span;
    for (int32_t i = 0; i < axis->count; i++)
        stk_axis_store(axis, i, stk_axis_pixel(axis, i), &units[axis->arithmetic]);
}

static stk_weights_kind kind_of(const stk_axis_request *request, stk_axis_span *span)
{
    const stk_sampling *how = &request->sampling;
    if (request->length == request->out && span->start == 0)
        return (stk_weights_kind){fill_identity, 1};
    if (how->filter == STK_FILTER_NEAREST) return stk_weights_nearest(how);
    if (how->like == STK_RESIZE_PIL) return stk_weights_window(how, span);
    if (how->filter == STK_FILTER_AREA && (how->like == STK_RESIZE_TF || request->shrinks))
        return stk_weights_area(span->scale);
    if (how->like == STK_RESIZE_TF && (how->antialias || how->filter == STK_FILTER_LANCZOS))
        return stk_weights_window(how, span);
    return stk_weights_point(how);
}

static stk_status reserve(stk_axis *axis, stk_error *err)
{
    const size_t count = (size_t)axis->count;
    size_t       weights, bytes;
    if (stk_mul_overflows(count, (size_t)axis->taps, &weights) ||
        stk_mul_overflows(weights + 2 * count, sizeof(double) + sizeof(int32_t), &bytes) ||
        bytes > WEIGHT_BYTES_MAX)
        return stk_fail(err, STK_E_LIMIT, "resize", NULL,
                        "%d output pixels of %d source pixels each need more than %d MiB of "
                        "weights; resize in two steps, or ask for a smaller part",
                        axis->count, axis->taps, WEIGHT_BYTES_MAX >> 20);
    STK_TRY(stk_blob_reserve(&axis->memory, bytes, err));
    axis->scratch = (double *)(void *)axis->memory.data;
    axis->first = (int32_t *)(void *)(axis->scratch + weights + 2 * count);
    axis->fixed = axis->first + count;
    axis->floating = (float *)(void *)axis->fixed;
    return STK_OK;
}

static void fill(stk_axis *axis, const stk_axis_span *span, stk_weights_fn weigh)
{
    const int32_t origin = (int32_t)floor(axis->request.start);
    weigh(span, axis);
    for (int32_t i = 0; i < axis->count; i++)
        axis->first[i] += origin;
}

static bool same(const stk_axis_request *a, const stk_axis_request *b)
{
    return a->start == b->start && a->length == b->length && a->out == b->out &&
           a->part == b->part && a->count == b->count && a->flip == b->flip &&
           a->shrinks == b->shrinks && a->sampling.filter == b->sampling.filter &&
           a->sampling.like == b->sampling.like && a->sampling.antialias == b->sampling.antialias;
}

stk_status stk_axis_build(stk_axis *axis, const stk_axis_request *request, stk_error *err)
{
    if (axis->count && same(&axis->request, request)) return STK_OK;
    stk_axis_span          span = span_of(request);
    const stk_weights_kind kind = kind_of(request, &span);
    axis->request = *request;
    axis->builds++;
    axis->count = request->count;
    axis->signed_weights = request->sampling.filter == STK_FILTER_BICUBIC ||
                           request->sampling.filter == STK_FILTER_LANCZOS;
    axis->arithmetic = stk_axis_sums_kind(&request->sampling, request->shrinks);
    axis->taps = kind.taps < span.pixels ? (int32_t)kind.taps : span.pixels;
    const stk_status st = reserve(axis, err);
    if (st) {
        axis->count = 0; /* the next one is not taken for this */
        return st;
    }
    fill(axis, &span, kind.fill);
    return STK_OK;
}

/* Filters over a window that widens with the scale, so that shrinking averages all it covers. The
 * arithmetic is Pillow's, step by step: its results are matched to the last bit. */
#include "image/resize/resize_weights.h"

#include <math.h>

static const double pi = 3.14159265358979323846;

static inline double box(double x)
{
    return x > -0.5 && x <= 0.5 ? 1 : 0;
}

static inline double triangle(double x)
{
    const double height = 1 - fabs(x);
    return height > 0 ? height : 0;
}

/* Keys' cubic with a = -1/2. */
static inline double cubic(double x)
{
    const double a = -0.5;
    x = fabs(x);
    const double inner = ((a + 2) * x - (a + 3)) * x * x + 1;
    const double outer = (((x - 5) * x + 8) * x - 4) * a;
    return x < 1 ? inner : x < 2 ? outer : 0;
}

static inline double sinc(double x)
{
    return x == 0 ? 1 : sin(x * pi) / (x * pi);
}

static inline double lanczos(double x)
{
    return -3 <= x && x < 3 ? sinc(x) * sinc(x / 3) : 0;
}

/* Each step is done for all outputs before the next, so that the compiler works on several at once:
 * crops have another size every time, and their weights are computed as often as they are used. */
typedef struct windows {
    double  *centre, *sum;
    double  *weights; /* of all outputs the first tap, then the second, ... */
    int32_t *first;
    int32_t *taps; /* of each output */
} windows;

static windows set_windows(const stk_axis_span *span, const stk_axis *axis)
{
    double *const scratch = axis->scratch;
    const int32_t count = axis->count, last = span->pixels - axis->taps;
    const int32_t begin = stk_axis_pixel(axis, 0), step = axis->request.flip ? -1 : 1;
    const windows w = {.centre = scratch,
                       .sum = scratch + count,
                       .weights = scratch + 2 * (size_t)count,
                       .first = axis->first,
                       .taps = axis->fixed};
    for (int32_t i = 0; i < count; i++) {
        const double  centre = span->start + (begin + i * step + 0.5) * span->scale;
        const double  from = centre - span->support + 0.5, to = centre + span->support + 0.5;
        const double  inside = to < span->pixels ? to : span->pixels;
        const int32_t first = (int32_t)(from > 0 ? from : 0);
        w.centre[i] = centre;
        w.sum[i] = 0;
        w.first[i] = first < last ? first : last;
        w.taps[i] = (int32_t)inside - w.first[i];
    }
    return w;
}

static void store(const windows *w, const stk_axis *axis)
{
    const bool   bytes = axis->arithmetic == STK_SUMS_BYTES;
    const double unit = 1 << STK_WEIGHT_BITS;
    const size_t count = (size_t)axis->count, taps = (size_t)axis->taps;
    for (size_t k = 0; k < taps; k++) {
        double *weights = w->weights + k * count;
        for (size_t i = 0; i < count; i++)
            weights[i] /= w->sum[i];
        for (size_t i = 0; bytes && i < count; i++) {
            const double weight = weights[i] * unit;
            axis->fixed[i * taps + k] = (int32_t)(weight + copysign(0.5, weight));
        }
        for (size_t i = 0; !bytes && i < count; i++)
            axis->floating[i * taps + k] = (float)weights[i];
    }
}

/* Inlined once for each filter. */
static inline __attribute__((always_inline)) void
weigh(const stk_axis_span *span, const stk_axis *axis, double (*filter)(double))
{
    const windows w = set_windows(span, axis);
    const int32_t count = axis->count;
    for (int32_t k = 0; k < axis->taps; k++) {
        double *weights = w.weights + (size_t)k * (size_t)count;
        for (int32_t i = 0; i < count; i++) {
            const double at = (k + w.first[i] - w.centre[i] + 0.5) * span->narrowing;
            const double weight = filter(at);
            weights[i] = k < w.taps[i] ? weight : 0;
            w.sum[i] += weights[i];
        }
    }
    for (int32_t i = 0; i < count; i++)
        w.sum[i] = w.sum[i] == 0 ? 1 : w.sum[i];
    store(&w, axis);
}

static void weigh_box(const stk_axis_span *span, const stk_axis *axis)
{
    weigh(span, axis, box);
}

static void weigh_triangle(const stk_axis_span *span, const stk_axis *axis)
{
    weigh(span, axis, triangle);
}

static void weigh_cubic(const stk_axis_span *span, const stk_axis *axis)
{
    weigh(span, axis, cubic);
}

static void weigh_lanczos(const stk_axis_span *span, const stk_axis *axis)
{
    weigh(span, axis, lanczos);
}

stk_weights_kind stk_weights_window(const stk_sampling *sampling, stk_axis_span *span)
{
    static const struct {
        stk_weights_fn fill;
        double         radius;
    } filters[STK_FILTERS] = {
        [STK_FILTER_BILINEAR] = {weigh_triangle, 1},
        [STK_FILTER_BICUBIC] = {weigh_cubic, 2},
        [STK_FILTER_AREA] = {weigh_box, 0.5},
        [STK_FILTER_LANCZOS] = {weigh_lanczos, 3},
    };
    const bool   widens = sampling->like == STK_RESIZE_PIL || sampling->antialias;
    const double widening = widens && span->scale > 1 ? span->scale : 1;
    span->support = filters[sampling->filter].radius * widening;
    span->narrowing = 1 / widening;
    return (stk_weights_kind){filters[sampling->filter].fill, ceil(2 * span->support)};
}

/* A fixed number of pixels around a point: what shrinks without averaging. Positions are computed
 * in float where the library that is matched does so. */
#include "image/resize/resize_weights.h"

#include <math.h>

/* Weights of one output. */
typedef void (*point_fn)(const stk_axis_span *span, const stk_axis *axis, int32_t index, int32_t x);

enum {
    TAPS_MAX = 8,
    CUBIC_STEPS = 1024 /* TensorFlow looks cubic weights up in a table of so many steps */
};

static const double pi = 3.14159265358979323846;

/* Stores weights of pixels from first on; those past the box's edge count for its last pixel. */
static void store_inside(const stk_axis_span *span, const stk_axis *axis, int32_t index,
                         int32_t first, int32_t count, const double *around)
{
    const int32_t last = span->pixels - 1, last_start = span->pixels - axis->taps;
    const int32_t begin = first < 0 ? 0 : first > last_start ? last_start : first;
    double        weights[TAPS_MAX] = {0};
    for (int32_t k = 0; k < count; k++) {
        const int32_t pixel = first + k < 0 ? 0 : first + k > last ? last : first + k;
        weights[pixel - begin] += around[k];
    }
    stk_axis_store(axis, index, begin, weights);
}

static void to_fixed(double *around, int32_t count)
{
    for (int32_t k = 0; k < count; k++)
        around[k] = (double)lrint(around[k] * (1 << STK_WEIGHT_HALF_BITS));
}

/* The point below the output pixel's centre, as OpenCV finds it: the pixel, and how far past. */
static int32_t find_point(const stk_axis_span *span, int32_t x, float *past)
{
    const float at = (float)(span->start + (x + 0.5) * span->scale - 0.5);
    const float pixel = floorf(at);
    *past = at - pixel;
    return (int32_t)pixel;
}

static void store_two(const stk_axis_span *span, const stk_axis *axis, int32_t index, int32_t first,
                      float past)
{
    if (first < 0 || first >= span->pixels - 1) past = 0;
    double around[2] = {1 - past, past};
    to_fixed(around, 2);
    store_inside(span, axis, index, first, 2, around);
}

static void linear(const stk_axis_span *span, const stk_axis *axis, int32_t index, int32_t x)
{
    float         past;
    const int32_t first = find_point(span, x, &past);
    store_two(span, axis, index, first, past);
}

/* OpenCV's area where it enlarges: an output pixel is one source pixel unless it lies over the
 * border of two. */
static void enlarged_area(const stk_axis_span *span, const stk_axis *axis, int32_t index, int32_t x)
{
    const int32_t first = (int32_t)floor(span->start + x * span->scale);
    const float   over = (float)((x + 1) - (first + 1 - span->start) * span->inverse);
    store_two(span, axis, index, first, over <= 0 ? 0 : over - floorf(over));
}

/* a = -3/4. */
static void opencv_cubic(const stk_axis_span *span, const stk_axis *axis, int32_t index, int32_t x)
{
    const double  a = -0.75;
    float         past;
    const int32_t first = find_point(span, x, &past) - 1;
    const double  far = past + 1.0, near = past, other = 1.0 - past;
    double        around[4] = {((a * far - 5 * a) * far + 8 * a) * far - 4 * a,
                               ((a + 2) * near - (a + 3)) * near * near + 1,
                               ((a + 2) * other - (a + 3)) * other * other + 1};
    around[3] = 1 - around[0] - around[1] - around[2];
    to_fixed(around, 4);
    store_inside(span, axis, index, first, 4, around);
}

/* sin(pi t) sin(pi t / 4) / t^2 at eight distances t, one apart. The first factor changes only its
 * sign from tap to tap and goes out with the sum; the second turns by pi / 4. */
static void lanczos4(const stk_axis_span *span, const stk_axis *axis, int32_t index, int32_t x)
{
    float         past;
    const int32_t first = find_point(span, x, &past) - 3;
    double        around[TAPS_MAX] = {0}, sum = 0;
    double        sine = sin((past + 3) * pi / 4), cosine = cos((past + 3) * pi / 4);
    for (int k = 0; k < TAPS_MAX; k++) {
        const double t = past + 3 - k, turned = (sine - cosine) * sqrt(0.5);
        around[k] = (k & 1 ? -sine : sine) / (t * t);
        cosine = (cosine + sine) * sqrt(0.5);
        sine = turned;
        sum += around[k];
    }
    /* On a pixel only that one counts; in float, just short of it is there. */
    const int on = past < 1e-6f ? 3 : past > 1 - 1e-6f ? 4 : -1;
    for (int k = 0; k < TAPS_MAX; k++)
        around[k] = on >= 0 ? k == on : around[k] / sum;
    to_fixed(around, TAPS_MAX);
    store_inside(span, axis, index, first, TAPS_MAX, around);
}

/* The same point in TensorFlow's arithmetic. */
static int32_t find_tf_point(const stk_axis_span *span, int32_t x, float *past)
{
    const float at = ((float)x + 0.5f) * (float)span->scale - 0.5f + (float)span->start;
    const float pixel = floorf(at);
    *past = at - pixel;
    return (int32_t)pixel;
}

static void tf_linear(const stk_axis_span *span, const stk_axis *axis, int32_t index, int32_t x)
{
    float         past;
    const int32_t first = find_tf_point(span, x, &past);
    const double  around[2] = {1 - past, past};
    store_inside(span, axis, index, first, 2, around);
}

/* Keys' cubic (a = -1/2) at steps / 1024. */
static double cubic_step(long steps)
{
    const double a = -0.5, x = (double)steps / CUBIC_STEPS;
    return x < 1 ? ((a + 2) * x - (a + 3)) * x * x + 1 : (((x - 5) * x + 8) * x - 4) * a;
}

/* Pixels past the edge do not count at all. */
static void tf_cubic(const stk_axis_span *span, const stk_axis *axis, int32_t index, int32_t x)
{
    float         past;
    const int32_t first = find_tf_point(span, x, &past) - 1;
    const long    steps = lrintf(past * CUBIC_STEPS);
    double        around[4] = {cubic_step(CUBIC_STEPS + steps), cubic_step(steps),
                               cubic_step(CUBIC_STEPS - steps), cubic_step(2 * CUBIC_STEPS - steps)};
    double        sum = 0;
    for (int32_t k = 0; k < 4; k++) {
        if (first + k < 0 || first + k >= span->pixels) around[k] = 0;
        sum += around[k];
    }
    for (int32_t k = 0; k < 4; k++)
        around[k] /= sum;
    store_inside(span, axis, index, first, 4, around);
}

static inline __attribute__((always_inline)) void each(const stk_axis_span *span,
                                                       const stk_axis *axis, point_fn point)
{
    for (int32_t i = 0; i < axis->count; i++)
        point(span, axis, i, stk_axis_pixel(axis, i));
}

static void fill_linear(const stk_axis_span *span, const stk_axis *axis)
{
    each(span, axis, linear);
}

static void fill_enlarged_area(const stk_axis_span *span, const stk_axis *axis)
{
    each(span, axis, enlarged_area);
}

static void fill_opencv_cubic(const stk_axis_span *span, const stk_axis *axis)
{
    each(span, axis, opencv_cubic);
}

static void fill_lanczos4(const stk_axis_span *span, const stk_axis *axis)
{
    each(span, axis, lanczos4);
}

static void fill_tf_linear(const stk_axis_span *span, const stk_axis *axis)
{
    each(span, axis, tf_linear);
}

static void fill_tf_cubic(const stk_axis_span *span, const stk_axis *axis)
{
    each(span, axis, tf_cubic);
}

stk_weights_kind stk_weights_point(const stk_sampling *sampling)
{
    static const stk_weights_kind opencv[STK_FILTERS] = {
        [STK_FILTER_BILINEAR] = {fill_linear, 2},
        [STK_FILTER_BICUBIC] = {fill_opencv_cubic, 4},
        [STK_FILTER_AREA] = {fill_enlarged_area, 2},
        [STK_FILTER_LANCZOS] = {fill_lanczos4, TAPS_MAX},
    };
    if (sampling->like == STK_RESIZE_OPENCV) return opencv[sampling->filter];
    return sampling->filter == STK_FILTER_BICUBIC ? (stk_weights_kind){fill_tf_cubic, 4}
                                                  : (stk_weights_kind){fill_tf_linear, 2};
}

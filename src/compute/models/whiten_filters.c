/* Whitening filters from data: eigenvectors of the second moments of patches. */
#include "compute/models/model_internal.h"
#include <math.h>
#include <string.h>

enum { SIDE = 2, CHANNELS_MAX = 4, ORDER_MAX = SIDE * SIDE * CHANNELS_MAX };
enum { SWEEPS = 64, BATCH = 1024 };

typedef double square[ORDER_MAX][ORDER_MAX];

/* Sums bytes without normalization: products are exact integers and vectorize well. The
 * normalization is applied to the sums. */
typedef struct patches {
    int64_t product[ORDER_MAX][ORDER_MAX], sum[ORDER_MAX], count;
    int     order, pending;
    int16_t value[ORDER_MAX][BATCH]; /* by element of a filter (channel, row, column) and patch */
} patches;

static int64_t multiply(const int16_t *a, const int16_t *b, int count)
{
    int32_t sum = 0; /* of at most BATCH squared bytes */
    for (int k = 0; k < count; k++)
        sum += a[k] * b[k];
    return sum;
}

static void flush(patches *p)
{
    for (int i = 0; i < p->order; i++) {
        for (int j = i; j < p->order; j++)
            p->product[i][j] += multiply(p->value[i], p->value[j], p->pending);
        for (int k = 0; k < p->pending; k++)
            p->sum[i] += p->value[i][k];
    }
    p->count += p->pending;
    p->pending = 0;
}

/* Adds the patches whose origins are the first count pixels of a row. */
static void add_row(patches *p, const uint8_t *at, int64_t row, int64_t channels, int count)
{
    for (int64_t c = 0; c < channels; c++)
        for (int i = 0; i < SIDE; i++) {
            const uint8_t *from = at + i * row + c;
            int16_t       *left = p->value[(c * SIDE + i) * SIDE] + p->pending;
            int16_t       *right = p->value[(c * SIDE + i) * SIDE + 1] + p->pending;
            for (int k = 0; k < count; k++)
                left[k] = from[k * channels];
            memcpy(right, left + 1, (size_t)(count - 1) * sizeof *right);
            right[count - 1] = from[count * channels];
        }
    p->pending += count;
}

static void collect(const uint8_t *images, const stk_shape *shape, patches *p)
{
    int64_t height = shape->dim[1], width = shape->dim[2], channels = shape->dim[3];
    int64_t row = width * channels;
    for (int64_t line = 0; line < shape->dim[0] * height; line++) {
        if (line % height == height - 1) continue;
        for (int64_t x = 0; x + 1 < width;) {
            int64_t count = width - 1 - x < BATCH - p->pending ? width - 1 - x : BATCH - p->pending;
            add_row(p, images + line * row + x * channels, row, channels, (int)count);
            if (p->pending == BATCH) flush(p);
            x += count;
        }
    }
    flush(p);
}

/* Mean outer product of patches, each value being (byte / 255 - mean) / deviation. Means are not
 * subtracted: normalized images have mean zero. */
static void measure(const patches *p, const float *mean, const float *deviation, square moments)
{
    double count = (double)p->count;
    for (int i = 0; i < p->order; i++)
        for (int j = i; j < p->order; j++) {
            int    ci = i / (SIDE * SIDE), cj = j / (SIDE * SIDE);
            double by_i = 1 / (255 * (double)deviation[ci]),
                   by_j = 1 / (255 * (double)deviation[cj]);
            double off_i = -(double)mean[ci] / (double)deviation[ci];
            double off_j = -(double)mean[cj] / (double)deviation[cj];
            moments[j][i] = moments[i][j] = by_i * by_j * (double)p->product[i][j] / count +
                                            by_i * off_j * (double)p->sum[i] / count +
                                            by_j * off_i * (double)p->sum[j] / count +
                                            off_i * off_j;
        }
}

/* One Jacobi rotation: zeroes a[p][q] and applies the rotation to the rows of v. */
static void rotate(square a, square v, int order, int p, int q)
{
    if (a[p][q] == 0) return;
    double theta = (a[q][q] - a[p][p]) / (2 * a[p][q]);
    double t = copysign(1, theta) / (fabs(theta) + sqrt(theta * theta + 1));
    double c = 1 / sqrt(t * t + 1), s = t * c;
    for (int k = 0; k < order; k++) {
        double kp = a[k][p], kq = a[k][q];
        a[k][p] = c * kp - s * kq;
        a[k][q] = s * kp + c * kq;
    }
    for (int k = 0; k < order; k++) {
        double pk = a[p][k], qk = a[q][k], vp = v[p][k], vq = v[q][k];
        a[p][k] = c * pk - s * qk;
        a[q][k] = s * pk + c * qk;
        v[p][k] = c * vp - s * vq;
        v[q][k] = s * vp + c * vq;
    }
}

static double off_diagonal(square a, int order)
{
    double sum = 0;
    for (int i = 0; i < order; i++)
        for (int j = i + 1; j < order; j++)
            sum += a[i][j] * a[i][j];
    return sum;
}

/* Diagonalizes a to its eigenvalues; the rows of v become the eigenvectors. */
static void diagonalize(square a, square v, int order)
{
    double scale = 0;
    for (int i = 0; i < order; i++) {
        v[i][i] = 1;
        scale += a[i][i] * a[i][i];
    }
    for (int sweep = 0; sweep < SWEEPS && off_diagonal(a, order) > 1e-28 * scale; sweep++)
        for (int p = 0; p < order; p++)
            for (int q = p + 1; q < order; q++)
                rotate(a, v, order, p, q);
}

/* Makes the largest element positive, since eigenvectors are unique only up to sign. */
static double sign_of(const double *vector, int order)
{
    int largest = 0;
    for (int i = 1; i < order; i++)
        if (fabs(vector[i]) > fabs(vector[largest])) largest = i;
    return vector[largest] < 0 ? -1 : 1;
}

static void write_filters(square values, square vectors, int order, double epsilon, float *weights)
{
    bool used[ORDER_MAX] = {false};
    for (int k = 0; k < order; k++) {
        int best = -1;
        for (int i = 0; i < order; i++)
            if (!used[i] && (best < 0 || values[i][i] > values[best][best])) best = i;
        used[best] = true;
        double factor = sign_of(vectors[best], order) / sqrt(fmax(values[best][best], 0) + epsilon);
        for (int j = 0; j < order; j++) {
            weights[k * order + j] = (float)(vectors[best][j] * factor);
            weights[(order + k) * order + j] = -weights[k * order + j];
        }
    }
}

stk_status stk_model_whiten(const uint8_t *images, const stk_shape *shape, const float *mean,
                            const float *deviation, double epsilon, float *weights, stk_error *err)
{
    square  moments = {{0}}, vectors = {{0}};
    patches sums = {0};
    char    text[96];
    if (shape->rank != 4 || shape->dim[0] < 1 || shape->dim[1] < SIDE || shape->dim[2] < SIDE ||
        shape->dim[3] < 1 || shape->dim[3] > CHANNELS_MAX)
        return stk_fail(err, STK_E_SHAPE, "whiten", NULL,
                        "images are %s; [N,H,W,C] with 2x2 pixels and 1 to %d channels is needed",
                        stk_shape_text(shape, text, sizeof text), CHANNELS_MAX);
    for (int64_t c = 0; c < shape->dim[3]; c++)
        if (!(deviation[c] > 0) || !isfinite(mean[c]))
            return stk_fail(err, STK_E_RANGE, "whiten", NULL,
                            "channel %lld has mean %g and deviation %g; the second must be more "
                            "than 0",
                            (long long)c, (double)mean[c], (double)deviation[c]);
    sums.order = (int)shape->dim[3] * SIDE * SIDE;
    collect(images, shape, &sums);
    measure(&sums, mean, deviation, moments);
    diagonalize(moments, vectors, sums.order);
    write_filters(moments, vectors, sums.order, epsilon > 0 ? epsilon : 5e-4, weights);
    return STK_OK;
}

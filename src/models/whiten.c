/* Whitening filters from data: eigenvectors of the second moments of patches. */
#include "models/model.h"
#include <math.h>

enum { SIDE = 2, CHANNELS_MOST = 4, ORDER_MOST = SIDE * SIDE * CHANNELS_MOST, SWEEPS = 64 };

typedef double square[ORDER_MOST][ORDER_MOST];

/* One patch in the order of a filter: channel, row, column. */
static void read_patch(const float *at, int64_t row, int64_t channels, double *patch)
{
    for (int64_t c = 0; c < channels; c++)
        for (int i = 0; i < SIDE; i++)
            for (int j = 0; j < SIDE; j++)
                *patch++ = at[i * row + j * channels + c];
}

static void add_moments(square sum, const double *patch, int order)
{
    for (int i = 0; i < order; i++)
        for (int j = i; j < order; j++)
            sum[i][j] += patch[i] * patch[j];
}

/* The mean of patch times patch; means are not taken off, as the pictures are normalised. */
static void measure(const float *pictures, const stk_shape *shape, square moments)
{
    int64_t height = shape->dim[1], width = shape->dim[2], channels = shape->dim[3];
    int64_t row = width * channels;
    int     order = (int)channels * SIDE * SIDE;
    double  patch[ORDER_MOST];
    double  count = (double)shape->dim[0] * (double)(height - 1) * (double)(width - 1);
    for (int64_t n = 0; n < shape->dim[0]; n++)
        for (int64_t y = 0; y + 1 < height; y++)
            for (int64_t x = 0; x + 1 < width; x++) {
                read_patch(pictures + (n * height + y) * row + x * channels, row, channels, patch);
                add_moments(moments, patch, order);
            }
    for (int i = 0; i < order; i++)
        for (int j = i; j < order; j++)
            moments[j][i] = moments[i][j] /= count;
}

/* One Jacobi rotation: makes a[p][q] zero and turns the rows of v with it. */
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

/* a becomes diagonal, its eigenvalues; the rows of v are the eigenvectors. */
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

/* The signs of eigenvectors are free: the largest element is made positive, so that the filters
 * depend on the data only. */
static double sign_of(const double *vector, int order)
{
    int largest = 0;
    for (int i = 1; i < order; i++)
        if (fabs(vector[i]) > fabs(vector[largest])) largest = i;
    return vector[largest] < 0 ? -1 : 1;
}

static void write_filters(square values, square vectors, int order, double epsilon, float *weights)
{
    bool taken[ORDER_MOST] = {false};
    for (int k = 0; k < order; k++) {
        int best = -1;
        for (int i = 0; i < order; i++)
            if (!taken[i] && (best < 0 || values[i][i] > values[best][best])) best = i;
        taken[best] = true;
        double factor = sign_of(vectors[best], order) / sqrt(fmax(values[best][best], 0) + epsilon);
        for (int j = 0; j < order; j++) {
            weights[k * order + j] = (float)(vectors[best][j] * factor);
            weights[(order + k) * order + j] = -weights[k * order + j];
        }
    }
}

stk_status stk_model_whiten(const float *pictures, const stk_shape *shape, double epsilon,
                            float *weights, stk_error *err)
{
    square moments = {{0}}, vectors = {{0}};
    char   text[96];
    if (shape->rank != 4 || shape->dim[0] < 1 || shape->dim[1] < SIDE || shape->dim[2] < SIDE ||
        shape->dim[3] < 1 || shape->dim[3] > CHANNELS_MOST)
        return stk_fail(err, STK_E_SHAPE, "whiten", NULL,
                        "pictures are %s; [N,H,W,C] with 2x2 pixels and 1 to %d channels is needed",
                        stk_shape_text(shape, text, sizeof text), CHANNELS_MOST);
    int order = (int)shape->dim[3] * SIDE * SIDE;
    measure(pictures, shape, moments);
    diagonalize(moments, vectors, order);
    for (int i = 0; i < order; i++)
        if (!isfinite(moments[i][i]))
            return stk_fail(err, STK_E_RANGE, "whiten", NULL,
                            "the pictures hold values that are not finite");
    write_filters(moments, vectors, order, epsilon > 0 ? epsilon : 5e-4, weights);
    return STK_OK;
}

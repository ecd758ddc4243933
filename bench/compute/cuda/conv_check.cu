#include "conv_check.h"
#include <cuda_bf16.h>
#include <cuda_fp16.h>

namespace
{

enum { THREADS = 256, MOST_BLOCKS = 1 << 16 };

unsigned blocks_for(size_t count)
{
    const size_t blocks = (count + THREADS - 1) / THREADS;
    return (unsigned)(blocks < MOST_BLOCKS ? blocks : MOST_BLOCKS);
}

#define EACH(i, count)                                                                             \
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < (count);                    \
         i += (size_t)gridDim.x * blockDim.x)

__device__ float noise(size_t index, unsigned seed)
{
    unsigned h = (unsigned)index * 2654435761u ^ (unsigned)(index >> 32) ^ seed * 0x9e3779b9u;
    h ^= h >> 16;
    h *= 0x7feb352du;
    h ^= h >> 15;
    h *= 0x846ca68bu;
    h ^= h >> 16;
    return (float)(int)h / 2147483648.0f;
}

template <typename T> __global__ void fill(T *dst, size_t count, unsigned seed, float scale)
{
    EACH(i, count) dst[i] = T(noise(i, seed) * scale);
}

template <typename T> __global__ void widen(float *dst, const T *src, size_t count)
{
    EACH(i, count) dst[i] = float(src[i]);
}

struct image {
    int                        n, c, h, w;
    __host__ __device__ size_t count() const
    {
        return (size_t)n * c * h * w;
    }
    __device__ size_t at(int in, int ic, int ih, int iw) const
    {
        return (((size_t)in * h + ih) * w + iw) * c + ic;
    }
    __device__ void split(size_t i, int *in, int *ic, int *ih, int *iw) const
    {
        *ic = (int)(i % c), i /= c;
        *iw = (int)(i % w), i /= w;
        *ih = (int)(i % h), *in = (int)(i / h);
    }
};

struct geometry {
    image x, w, y; /* w: n is the output's channels, c the input's */
    int   stride, pad;
};

__global__ void forward(geometry g, const float *x, const float *w, float *y)
{
    EACH(i, g.y.count())
    {
        int n, k, p, q;
        g.y.split(i, &n, &k, &p, &q);
        float sum = 0;
        for (int r = 0; r < g.w.h; r++)
            for (int s = 0; s < g.w.w; s++) {
                const int h = p * g.stride + r - g.pad, v = q * g.stride + s - g.pad;
                if (h < 0 || v < 0 || h >= g.x.h || v >= g.x.w) continue;
                for (int c = 0; c < g.x.c; c++)
                    sum += x[g.x.at(n, c, h, v)] * w[g.w.at(k, c, r, s)];
            }
        y[i] = sum;
    }
}

__global__ void data_gradient(geometry g, const float *dy, const float *w, float *dx)
{
    EACH(i, g.x.count())
    {
        int n, c, h, v;
        g.x.split(i, &n, &c, &h, &v);
        float sum = 0;
        for (int r = 0; r < g.w.h; r++)
            for (int s = 0; s < g.w.w; s++) {
                const int p = h + g.pad - r, q = v + g.pad - s;
                if (p < 0 || q < 0 || p % g.stride || q % g.stride) continue;
                if (p / g.stride >= g.y.h || q / g.stride >= g.y.w) continue;
                for (int k = 0; k < g.y.c; k++)
                    sum += dy[g.y.at(n, k, p / g.stride, q / g.stride)] * w[g.w.at(k, c, r, s)];
            }
        dx[i] = sum;
    }
}

__global__ void filter_gradient(geometry g, const float *x, const float *dy, float *dw)
{
    EACH(i, g.w.count())
    {
        int k, c, r, s;
        g.w.split(i, &k, &c, &r, &s);
        float sum = 0;
        for (int n = 0; n < g.y.n; n++)
            for (int p = 0; p < g.y.h; p++)
                for (int q = 0; q < g.y.w; q++) {
                    const int h = p * g.stride + r - g.pad, v = q * g.stride + s - g.pad;
                    if (h < 0 || v < 0 || h >= g.x.h || v >= g.x.w) continue;
                    sum += x[g.x.at(n, c, h, v)] * dy[g.y.at(n, k, p, q)];
                }
        dw[i] = sum;
    }
}

__global__ void pointwise(int mode, image shape, const float *x, const float *b, bool each_channel,
                          float *y)
{
    EACH(i, shape.count())
    {
        const float u = x[i], v = b ? b[each_channel ? i % shape.c : i] : 0;
        switch (mode) {
        case CUDNN_POINTWISE_ADD:
            y[i] = u + v;
            break;
        case CUDNN_POINTWISE_SUB:
            y[i] = u - v;
            break;
        case CUDNN_POINTWISE_MUL:
            y[i] = u * v;
            break;
        case CUDNN_POINTWISE_RELU_FWD:
            y[i] = u > 0 ? u : 0;
            break;
        case CUDNN_POINTWISE_RELU_BWD:
            y[i] = v > 0 ? u : 0;
            break;
        default:
            y[i] = u;
        }
    }
}

/* One block a channel: the sum of x * (with - shift) * factor; with NULL: of x. */
__global__ void channel_sum(image shape, const float *x, const float *with, const float *shift,
                            const float *factor, float *sum)
{
    __shared__ float part[THREADS];
    const int        c = blockIdx.x;
    const size_t     count = shape.count() / shape.c;
    float            own = 0;
    for (size_t i = threadIdx.x; i < count; i += THREADS) {
        const size_t at = i * shape.c + c;
        const float  other = with ? with[at] - (shift ? shift[c] : 0) : 1;
        own += x[at] * other * (factor ? factor[c] : 1);
    }
    part[threadIdx.x] = own;
    __syncthreads();
    for (int half = THREADS / 2; half; half /= 2) {
        if ((int)threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0) sum[c] = part[0];
}

/* dx = a dy + b x + c is the gradient of a norm over m values. */
__global__ void norm_gradient(int channels, float m, const float *mean, const float *invstd,
                              const float *scale, const float *dscale, const float *dbias, float *a,
                              float *b, float *c)
{
    EACH(i, (size_t)channels)
    {
        a[i] = scale[i] * invstd[i];
        b[i] = -a[i] * invstd[i] * dscale[i] / m;
        c[i] = -a[i] * dbias[i] / m - b[i] * mean[i];
    }
}

__global__ void difference(const float *got, const float *want, size_t count, double *sums)
{
    double error = 0, size = 0;
    EACH(i, count)
    {
        const double d = (double)got[i] - want[i];
        error += d * d;
        size += (double)want[i] * want[i];
    }
    atomicAdd(&sums[0], error);
    atomicAdd(&sums[1], size);
}

image image_of(const stk_cudnn_spec *spec, int tensor)
{
    const int64_t *d = spec->tensor[tensor - 1].dim;
    return {(int)d[0], (int)d[1], (int)d[2], (int)d[3]};
}

void run_convolution(const stk_cudnn_spec *spec, const stk_cudnn_op *op, float *const *value,
                     cudaStream_t stream)
{
    const int *t = op->tensor;
    geometry   g = {};
    g.stride = (int)op->stride[0];
    g.pad = (int)op->before[0];
    float         *a = value[t[0] - 1], *b = value[t[1] - 1], *out = value[t[2] - 1];
    const unsigned blocks = blocks_for(image_of(spec, t[2]).count());
    if (op->kind == STK_CUDNN_CONV) {
        g.x = image_of(spec, t[0]), g.w = image_of(spec, t[1]), g.y = image_of(spec, t[2]);
        forward<<<blocks, THREADS, 0, stream>>>(g, a, b, out);
    } else if (op->kind == STK_CUDNN_CONV_DATA) {
        g.y = image_of(spec, t[0]), g.w = image_of(spec, t[1]), g.x = image_of(spec, t[2]);
        data_gradient<<<blocks, THREADS, 0, stream>>>(g, a, b, out);
    } else {
        g.x = image_of(spec, t[0]), g.y = image_of(spec, t[1]), g.w = image_of(spec, t[2]);
        filter_gradient<<<blocks, THREADS, 0, stream>>>(g, a, b, out);
    }
}

void run_pointwise(const stk_cudnn_spec *spec, const stk_cudnn_op *op, float *const *value,
                   cudaStream_t stream)
{
    const int   *t = op->tensor;
    const image  shape = image_of(spec, t[2]);
    const float *b = t[1] ? value[t[1] - 1] : NULL;
    const bool   each = t[1] && image_of(spec, t[1]).count() != shape.count();
    pointwise<<<blocks_for(shape.count()), THREADS, 0, stream>>>(op->mode, shape, value[t[0] - 1],
                                                                 b, each, value[t[2] - 1]);
}

cudaError_t run_sums(const stk_cudnn_spec *spec, const stk_cudnn_op *op, float *const *value,
                     cudaStream_t stream)
{
    const int   *t = op->tensor;
    const image  shape = image_of(spec, t[0]);
    const float *x = value[t[0] - 1];
    if (op->kind == STK_CUDNN_BN_BWD_WEIGHTS) {
        const float *mean = value[t[1] - 1], *invstd = value[t[2] - 1], *dy = value[t[4] - 1];
        float       *dscale = value[t[5] - 1], *dbias = value[t[6] - 1];
        channel_sum<<<shape.c, THREADS, 0, stream>>>(shape, dy, x, mean, invstd, dscale);
        channel_sum<<<shape.c, THREADS, 0, stream>>>(shape, dy, NULL, NULL, NULL, dbias);
        norm_gradient<<<blocks_for(shape.c), THREADS, 0, stream>>>(
            shape.c, (float)(shape.count() / shape.c), mean, invstd, value[t[3] - 1], dscale, dbias,
            value[t[7] - 1], value[t[8] - 1], value[t[9] - 1]);
        return cudaGetLastError();
    }
    channel_sum<<<shape.c, THREADS, 0, stream>>>(shape, x, NULL, NULL, NULL, value[t[1] - 1]);
    if (op->kind == STK_CUDNN_GENSTATS)
        channel_sum<<<shape.c, THREADS, 0, stream>>>(shape, x, x, NULL, NULL, value[t[2] - 1]);
    return cudaGetLastError();
}

} // namespace

cudaError_t conv_fill(void *dst, cudnnDataType_t type, size_t count, unsigned seed, float scale,
                      cudaStream_t stream)
{
    const unsigned blocks = blocks_for(count);
    if (type == CUDNN_DATA_HALF)
        fill<<<blocks, THREADS, 0, stream>>>((__half *)dst, count, seed, scale);
    else if (type == CUDNN_DATA_BFLOAT16)
        fill<<<blocks, THREADS, 0, stream>>>((__nv_bfloat16 *)dst, count, seed, scale);
    else
        fill<<<blocks, THREADS, 0, stream>>>((float *)dst, count, seed, scale);
    return cudaGetLastError();
}

cudaError_t conv_widen(float *dst, const void *src, cudnnDataType_t type, size_t count,
                       cudaStream_t stream)
{
    const unsigned blocks = blocks_for(count);
    if (type == CUDNN_DATA_HALF)
        widen<<<blocks, THREADS, 0, stream>>>(dst, (const __half *)src, count);
    else if (type == CUDNN_DATA_BFLOAT16)
        widen<<<blocks, THREADS, 0, stream>>>(dst, (const __nv_bfloat16 *)src, count);
    else
        widen<<<blocks, THREADS, 0, stream>>>(dst, (const float *)src, count);
    return cudaGetLastError();
}

cudaError_t conv_reference(const stk_cudnn_spec *spec, float *const *value, cudaStream_t stream)
{
    for (int i = 0; i < spec->ops; i++) {
        const stk_cudnn_op *op = &spec->op[i];
        switch (op->kind) {
        case STK_CUDNN_CONV:
        case STK_CUDNN_CONV_DATA:
        case STK_CUDNN_CONV_FILTER:
            run_convolution(spec, op, value, stream);
            break;
        case STK_CUDNN_POINTWISE:
        case STK_CUDNN_POINTWISE_BWD:
            run_pointwise(spec, op, value, stream);
            break;
        case STK_CUDNN_REDUCE:
        case STK_CUDNN_GENSTATS:
        case STK_CUDNN_BN_BWD_WEIGHTS:
            run_sums(spec, op, value, stream);
            break;
        default:
            return cudaErrorNotSupported;
        }
        const cudaError_t st = cudaGetLastError();
        if (st != cudaSuccess) return st;
    }
    return cudaSuccess;
}

cudaError_t conv_difference(const float *got, const float *want, size_t count, double *sums,
                            double *out, cudaStream_t stream)
{
    double      host[2] = {0, 0};
    cudaError_t st = cudaMemsetAsync(sums, 0, sizeof host, stream);
    if (st == cudaSuccess) difference<<<64, THREADS, 0, stream>>>(got, want, count, sums);
    if (st == cudaSuccess) st = cudaGetLastError();
    if (st == cudaSuccess)
        st = cudaMemcpyAsync(host, sums, sizeof host, cudaMemcpyDeviceToHost, stream);
    if (st == cudaSuccess) st = cudaStreamSynchronize(stream);
    *out = host[1] > 0 ? sqrt(host[0] / host[1]) : host[0];
    return st;
}

/* Own products on Hopper beside cuBLASLt's fastest of eight algorithms, for the 1x1 convolutions of
 * ResNet-50 at batch 256 in float16: microseconds, medians, buffers rotated so that the L2 cache is
 * cold. With statistics (cuBLASLt: without; its result would be read once more), with a sum
 * (cuBLASLt: beta 1), and with that, a mask and the sums of a norm's gradient. Built by build.sh;
 * takes no arguments. */
#include "compute/cuda_kernels/hopper_gemm.h"
#include <algorithm>
#include <cublasLt.h>
#include <cuda_fp16.h>
#include <stdio.h>
#include <stdlib.h>
#include <stoker/tensor.h>
#include <vector>

namespace
{

constexpr int    RUNS = 16, SAMPLES = 7, COPIES = 8, ALGORITHMS = 8, PROCESSORS = 132;
constexpr size_t PAST_CACHE = 400u << 20, WORKSPACE = 64u << 20;
constexpr double BYTES_PER_US = 4.3e6, FLOPS_PER_US = 790e6; /* measured on an H200 */

void check(cudaError_t code, const char *what)
{
    if (code == cudaSuccess) return;
    fprintf(stderr, "product_table: %s: %s\n", what, cudaGetErrorString(code));
    exit(1);
}

void check(cublasStatus_t code, const char *what)
{
    if (code == CUBLAS_STATUS_SUCCESS) return;
    fprintf(stderr, "product_table: %s: cuBLAS's status %d\n", what, (int)code);
    exit(1);
}

#define CHECK(call) check((call), #call)

void *allocate(size_t bytes)
{
    void *data;
    CHECK(cudaMalloc(&data, bytes));
    CHECK(cudaMemset(data, 0, bytes));
    return data;
}

/* Microseconds of one of RUNS runs, recorded as one graph. */
template <typename F> double median_us(cudaStream_t stream, F run)
{
    cudaGraph_t        graph;
    cudaGraphExec_t    exec;
    cudaEvent_t        begin, end;
    std::vector<float> us;
    CHECK(cudaEventCreate(&begin));
    CHECK(cudaEventCreate(&end));
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    for (int i = 0; i < RUNS; i++)
        run(i);
    CHECK(cudaStreamEndCapture(stream, &graph));
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    for (int s = 0; s < SAMPLES; s++) {
        float ms;
        CHECK(cudaEventRecord(begin, stream));
        CHECK(cudaGraphLaunch(exec, stream));
        CHECK(cudaEventRecord(end, stream));
        CHECK(cudaEventSynchronize(end));
        CHECK(cudaEventElapsedTime(&ms, begin, end));
        us.push_back(1e3f * ms / RUNS);
    }
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaEventDestroy(begin));
    CHECK(cudaEventDestroy(end));
    std::sort(us.begin(), us.end());
    return us[SAMPLES / 2];
}

struct bench {
    cudaStream_t     stream;
    cublasLtHandle_t blas;
    void            *workspace;
    float           *parts, *vectors;
    uint8_t         *bits;
    unsigned        *counters;
};

struct product {
    int64_t             rows;
    int                 columns, depth;
    std::vector<void *> x, y;
    void               *w;
};

void open_product(product *p)
{
    size_t bytes = (size_t)p->rows * (size_t)(p->columns + p->depth) * sizeof(__half);
    size_t copies = std::min<size_t>(COPIES, PAST_CACHE / bytes + 2);
    p->w = allocate((size_t)p->columns * (size_t)p->depth * sizeof(__half));
    for (size_t i = 0; i < copies; i++) {
        p->x.push_back(allocate((size_t)p->rows * (size_t)p->depth * sizeof(__half)));
        p->y.push_back(allocate((size_t)p->rows * (size_t)p->columns * sizeof(__half)));
    }
}

void close_product(product *p)
{
    for (void *x : p->x)
        CHECK(cudaFree(x));
    for (void *y : p->y)
        CHECK(cudaFree(y));
    CHECK(cudaFree(p->w));
}

enum kind { STATS, SUM, NORM };

cudaError_t start(kind what, const stk_cuda_gemm_args *a, cudaStream_t stream)
{
    if (what == NORM) return stk_cuda_gemm_norm_launch(a, stream);
    return what == SUM ? stk_cuda_gemm_sum_launch(a, stream)
                       : stk_cuda_gemm_stats_launch(a, stream);
}

double time_own(const bench &b, const product &p, kind what)
{
    int  wide = STK_CUDA_PRODUCT_WIDE;
    auto run = [&](int i) {
        stk_cuda_gemm_args a = {};
        a.dtype = STK_DTYPE_F16;
        a.rows = p.rows, a.columns = p.columns, a.depth = p.depth;
        a.tile = stk_cuda_gemm_fits(a.columns, a.depth, wide, what == NORM ? 2 : 1)
                     ? wide
                     : STK_CUDA_PRODUCT_NARROW;
        a.processors = PROCESSORS;
        a.x = p.x[(size_t)i % p.x.size()];
        a.w = p.w;
        a.y = p.y[(size_t)i % p.y.size()];
        a.plus = p.y[(size_t)(i + 1) % p.y.size()];
        a.parts = b.parts, a.counters = b.counters;
        a.mean = b.vectors, a.var = b.vectors + p.columns;
        a.beside = p.y[(size_t)(i + 2) % p.y.size()];
        a.bits = b.bits;
        a.invstd = b.vectors, a.dgamma = b.vectors + p.columns, a.dbeta = a.dgamma + p.columns;
        CHECK(start(what, &a, b.stream));
    };
    return median_us(b.stream, run);
}

/* Column-major, as cuBLAS sees matrices: y^T = w * x^T. With a sum w lies the other way round. */
double time_blas(const bench &b, const product &p, bool sum)
{
    cublasLtMatmulDesc_t            desc;
    cublasLtMatrixLayout_t          w, x, y;
    cublasLtMatmulPreference_t      preference;
    cublasLtMatmulHeuristicResult_t found[ALGORITHMS];
    cublasOperation_t               turned = sum ? CUBLAS_OP_N : CUBLAS_OP_T;
    int                             count = 0;
    size_t                          most = WORKSPACE;
    float                           alpha = 1, beta = sum ? 1 : 0;
    double                          best = 0;
    uint64_t in = sum ? (uint64_t)p.columns : (uint64_t)p.depth, out = sum ? p.depth : p.columns;
    CHECK(cublasLtMatmulDescCreate(&desc, CUBLAS_COMPUTE_32F, CUDA_R_32F));
    CHECK(
        cublasLtMatmulDescSetAttribute(desc, CUBLASLT_MATMUL_DESC_TRANSA, &turned, sizeof turned));
    CHECK(cublasLtMatrixLayoutCreate(&w, CUDA_R_16F, in, out, (int64_t)in));
    CHECK(cublasLtMatrixLayoutCreate(&x, CUDA_R_16F, (uint64_t)p.depth, (uint64_t)p.rows, p.depth));
    CHECK(cublasLtMatrixLayoutCreate(&y, CUDA_R_16F, (uint64_t)p.columns, (uint64_t)p.rows,
                                     p.columns));
    CHECK(cublasLtMatmulPreferenceCreate(&preference));
    CHECK(cublasLtMatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES,
                                               &most, sizeof most));
    CHECK(cublasLtMatmulAlgoGetHeuristic(b.blas, desc, w, x, y, y, preference, ALGORITHMS, found,
                                         &count));
    for (int k = 0; k < count; k++) {
        double us = median_us(b.stream, [&](int i) {
            size_t at = (size_t)i % p.y.size();
            CHECK(cublasLtMatmul(b.blas, desc, &alpha, p.w, w, p.x[at], x, &beta,
                                 p.y[(at + sum) % p.y.size()], y, p.y[at], y, &found[k].algo,
                                 b.workspace, most, b.stream));
        });
        if (!best || us < best) best = us;
    }
    cublasLtMatmulPreferenceDestroy(preference);
    cublasLtMatrixLayoutDestroy(w);
    cublasLtMatrixLayoutDestroy(x);
    cublasLtMatrixLayoutDestroy(y);
    cublasLtMatmulDescDestroy(desc);
    return best;
}

void print_row(const bench &b, product p)
{
    double flops = 2.0 * (double)p.rows * p.columns * p.depth;
    double in = 2.0 * (double)p.rows * p.depth, out = 2.0 * (double)p.rows * p.columns;
    open_product(&p);
    auto floor = [&](double bytes) { return std::max(bytes / BYTES_PER_US, flops / FLOPS_PER_US); };
    printf("%8lld %5d %5d | %6.1f %9.1f %6.1f | %6.1f %9.1f %6.1f | %6.1f %6.1f\n",
           (long long)p.rows, p.columns, p.depth, time_own(b, p, STATS), time_blas(b, p, false),
           floor(in + out), time_own(b, p, SUM), time_blas(b, p, true), floor(in + 2 * out),
           time_own(b, p, NORM), floor(in + 3 * out + out / 16));
    close_product(&p);
}

} // namespace

int main()
{
    static const struct {
        int64_t rows;
        int     columns, depth;
    } shapes[] = {{802816, 64, 64},   {802816, 256, 64},  {802816, 64, 256},
                  {802816, 128, 256}, {200704, 512, 128}, {50176, 1024, 256}};
    bench b = {};
    CHECK(cudaStreamCreate(&b.stream));
    CHECK(cublasLtCreate(&b.blas));
    b.workspace = allocate(WORKSPACE);
    b.parts = (float *)allocate(WORKSPACE);
    b.vectors = (float *)allocate(1 << 16);
    b.counters = (unsigned *)allocate(1 << 12);
    b.bits = (uint8_t *)allocate(WORKSPACE);
    printf(
        "    rows   col depth | stats  cuBLASLt  floor |   sum  cuBLASLt  floor |   norm  floor\n");
    for (const auto &s : shapes)
        print_row(b, {s.rows, s.columns, s.depth, {}, {}, nullptr});
    return 0;
}

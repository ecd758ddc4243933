#include "compute/cuda/cudnn_conv_measure.h"
#include "compute/cuda/cudnn_timer.h"
#include <string.h>

enum { SETS = 16, ALIGNMENT = 256, SAMPLES = 5, NOISE = 0x2c };

static const double slowdown_max = 1.5;
static const double seconds = 0.5; /* time limit for the engines of a graph */

void stk_conv_candidates_release(stk_conv_candidates *candidates)
{
    for (int i = 0; i < STK_CONV_GRAPHS; i++) {
        stk_cudnn_search_free(candidates->search[i]);
        stk_cudnn_graph_free(candidates->graph[i]);
    }
    stk_cublas_conv_free(candidates->gemm);
    *candidates = (stk_conv_candidates){0};
}

stk_conv_algorithm stk_conv_algorithm_of(const stk_conv_candidates *candidates, int graph,
                                         const stk_cudnn_result *result)
{
    if (!result) return (stk_conv_algorithm){.kind = STK_CONV_GEMM, .gemm = candidates->gemm};
    return (stk_conv_algorithm){.kind = graph ? STK_CONV_FUSED : STK_CONV_ENGINE,
                                .graph = candidates->graph[graph],
                                .plan = (stk_cudnn_plan *)result->plan,
                                .choice = result->choice};
}

/* Buffers for timing: several sets of operands, together larger than L2, so that runs start cold as
 * in training. */
typedef struct timing_buffers {
    stk_device               *device;
    const stk_cuda_libraries *libraries;
    const stk_conv_problem   *c;
    char                     *memory;
    stk_conv_addresses        addresses[SETS];
    stk_conv_bound_pack       bound_pack[SETS];
    int                       sets;
    stk_timer                 timer;
    const stk_conv_algorithm *algorithm; /* the one being timed */
} timing_buffers;

static size_t padded(uint64_t bytes)
{
    return (size_t)(bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static size_t most(size_t a, size_t b)
{
    return a > b ? a : b;
}

static void release_bound_packs(timing_buffers *r)
{
    for (int i = 0; i < r->sets; i++)
        stk_conv_bound_pack_release(&r->bound_pack[i]);
}

static void free_timing_buffers(timing_buffers *r)
{
    release_bound_packs(r);
    stk_timer_release(&r->timer);
    if (r->memory) cudaFree(r->memory);
}

static size_t set_bytes(const stk_cudnn_spec *spec)
{
    size_t bytes = 0;
    for (int i = 0; i < STK_CONV_TENSORS && i < spec->tensors; i++)
        bytes += padded(stk_cudnn_tensor_bytes(&spec->tensor[i]));
    return bytes;
}

static void fill_timing_buffers(timing_buffers *r, const stk_cudnn_spec *spec, size_t scratch)
{
    char *at = r->memory + scratch;
    for (int set = 0; set < r->sets; set++) {
        r->addresses[set].scratch = r->memory;
        for (int i = 0; i < STK_CONV_TENSORS && i < spec->tensors; i++) {
            r->addresses[set].at[i] = at;
            at += padded(stk_cudnn_tensor_bytes(&spec->tensor[i]));
        }
    }
}

/* Uses one set if there is no memory for several. */
static stk_status alloc_timing_buffers(timing_buffers *r, size_t scratch, stk_error *err)
{
    stk_cuda      *cuda = stk_cuda_of(r->device);
    stk_cudnn_spec spec;
    stk_conv_spec(r->c, stk_conv_has_more(r->c), &spec);
    size_t each = set_bytes(&spec), wanted = 4 * cuda->cache / each + 1;
    r->sets = wanted < 2 ? 2 : wanted > SETS ? SETS : (int)wanted;
    scratch = padded(scratch);
    if (cudaMalloc((void **)&r->memory, scratch + (size_t)r->sets * each) != cudaSuccess) {
        r->sets = 1;
        cudaGetLastError();
        r->memory = NULL;
        STK_CUDA_TRY(cudaMalloc((void **)&r->memory, scratch + each), "measuring", err);
    }
    fill_timing_buffers(r, &spec, scratch);
    STK_CUDA_TRY(cudaMemsetAsync(r->memory + scratch, NOISE, (size_t)r->sets * each, cuda->stream),
                 "measuring", err);
    return stk_timer_init(&r->timer, cuda->stream, r->sets, err);
}

static stk_status run(void *context, int set, stk_error *err)
{
    timing_buffers *r = context;
    return stk_conv_algorithm_run(r->device, r->libraries->cudnn, r->c, r->algorithm,
                                  &r->addresses[set], &r->bound_pack[set], err);
}

/* *us is 0 if it cannot run. Fails if the context is lost. */
static stk_status time_algorithm(timing_buffers *r, const stk_conv_algorithm *algorithm,
                                 int samples, double limit, double *us, stk_error *err)
{
    release_bound_packs(r);
    r->algorithm = algorithm;
    if (!stk_timer_median(&r->timer, samples, limit, run, r, us, err)) return STK_OK;
    *us = 0;
    cudaGetLastError();
    STK_CUDA_TRY(cudaStreamSynchronize(r->timer.stream), "measuring", err);
    return STK_OK;
}

static stk_status best_algorithm(timing_buffers *r, stk_cublas_conv *gemm,
                                 const stk_conv_algorithm *algorithm, double *us, stk_error *err)
{
    int best = -1;
    for (int i = 0; i < stk_cublas_conv_count(gemm); i++) {
        double now;
        stk_cublas_conv_choose(gemm, i);
        STK_TRY(
            time_algorithm(r, algorithm, SAMPLES, best < 0 ? 0 : slowdown_max * *us, &now, err));
        if (now <= 0 || (best >= 0 && now >= *us)) continue;
        best = i;
        *us = now;
    }
    if (best >= 0) stk_cublas_conv_choose(gemm, best);
    return STK_OK;
}

static stk_status best_engine(timing_buffers *r, stk_cudnn_search *search,
                              const stk_cudnn_graph *graph, stk_cudnn_result *result,
                              stk_error *err)
{
    int                    tensors = stk_cudnn_graph_spec(graph)->tensors;
    void                  *data[SETS * STK_CUDNN_TENSORS] = {0};
    const stk_cudnn_timing timing = {.handle = r->libraries->cudnn,
                                     .stream = r->timer.stream,
                                     .data = data,
                                     .sets = r->sets,
                                     .workspace = r->memory,
                                     .seconds = seconds};
    for (int set = 0; set < r->sets; set++)
        for (int i = 0; i < STK_CONV_TENSORS && i < tensors; i++)
            data[set * tensors + i] = r->addresses[set].at[i];
    stk_status st = stk_cudnn_search_time(search, &timing, result, err);
    return st == STK_E_IO ? st : STK_OK; /* transient failures exclude the algorithm only */
}

/* The best of each kind. */
static stk_status find_algorithms(timing_buffers *r, stk_conv_candidates *candidates,
                                  stk_conv_algorithm *algorithms, double *us, int *count,
                                  stk_error *err)
{
    for (int i = 0; i < STK_CONV_GRAPHS; i++) {
        stk_cudnn_result result = {0};
        if (!candidates->search[i]) continue;
        STK_TRY(best_engine(r, candidates->search[i], candidates->graph[i], &result, err));
        if (!result.plan) continue;
        us[*count] = result.us;
        algorithms[(*count)++] = stk_conv_algorithm_of(candidates, i, &result);
    }
    if (!candidates->gemm) return STK_OK;
    algorithms[*count] = stk_conv_algorithm_of(candidates, 0, NULL);
    us[*count] = 0;
    STK_TRY(best_algorithm(r, candidates->gemm, &algorithms[*count], &us[*count], err));
    *count += us[*count] > 0;
    return STK_OK;
}

/* Times epilogues too, since only some algorithms need them. */
static stk_status compare(timing_buffers *r, stk_conv_candidates *candidates,
                          stk_conv_algorithm *out, double *us, stk_error *err)
{
    stk_conv_algorithm algorithms[STK_CONV_KINDS];
    double             alone[STK_CONV_KINDS];
    int                count = 0, best = -1;
    STK_TRY(find_algorithms(r, candidates, algorithms, alone, &count, err));
    for (int i = 0; i < count; i++) {
        if (count > 1 || stk_conv_has_more(r->c))
            STK_TRY(time_algorithm(r, &algorithms[i], STK_TIMER_SAMPLES, 0, &alone[i], err));
        if (alone[i] > 0 && (best < 0 || alone[i] < alone[best])) best = i;
    }
    if (best < 0)
        return stk_fail(err, STK_E_UNSUPPORTED, "cudnn", stk_conv_op(r->c->pass)->name,
                        "none of %d ways to compute it runs", count);
    *out = algorithms[best];
    *us = alone[best];
    return STK_OK;
}

/* Scratch for all algorithms that may be timed. */
static size_t scratch_of(const stk_conv_problem *c, const stk_conv_candidates *candidates)
{
    enum { GEMM_BYTES = 64 << 20 };
    size_t         bytes = candidates->gemm ? GEMM_BYTES : 0;
    stk_cudnn_spec spec;
    stk_conv_spec(c, false, &spec);
    for (int i = 0; i < STK_CONV_GRAPHS; i++)
        if (candidates->search[i])
            bytes = most(bytes, padded(stk_cudnn_search_workspace(candidates->search[i])));
    return bytes + (c->addend ? stk_cudnn_tensor_bytes(&spec.tensor[STK_CONV_RESULT]) : 0);
}

stk_status stk_conv_measure(stk_device *device, const stk_cuda_libraries *libraries,
                            const stk_conv_problem *c, stk_conv_candidates *candidates,
                            stk_conv_algorithm *out, double *us, stk_error *err)
{
    timing_buffers r = {.device = device, .libraries = libraries, .c = c};
    stk_status     st = alloc_timing_buffers(&r, scratch_of(c, candidates), err);
    if (!st) st = compare(&r, candidates, out, us, err);
    free_timing_buffers(&r);
    return st;
}

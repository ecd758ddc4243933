/* One thread, in double, as the reference. */
#include "compute/cuda_kernels/guard.h"
#include "compute/cuda_kernels/launch.cuh"

namespace
{

__device__ void update_scale(const stk_cuda_guard_args &a, bool skip, double *scale, double *clean)
{
    *clean = skip ? 0 : *clean + 1;
    if (!(a.growth > 0)) return;
    if (skip) {
        *scale = fmax(*scale * a.backoff, 0x1p-24);
    } else if (*clean >= a.interval) {
        if (isfinite((float)(*scale * a.growth))) *scale *= a.growth;
        *clean = 0;
    }
}

__global__ void decide(stk_cuda_guard_args a)
{
    stk::wait_for_earlier();
    double scale = a.state[STK_CUDA_STATE_SCALE], clean = a.state[STK_CUDA_STATE_CLEAN];
    float  steps = a.state[STK_CUDA_STATE_STEPS], skipped = a.state[STK_CUDA_STATE_SKIPPED];
    double multiply = 1 / (scale * a.multiply), total = 0;
    bool   skip = a.norm && (a.norm[1] != 0 || !isfinite(a.norm[0]));
    if (a.norm && !skip) total = sqrt((double)a.norm[0]) * multiply;
    if (a.max_norm > 0) multiply *= fmin(a.max_norm / (total + 1e-6), 1.0);
    steps += skip ? 0.0f : 1.0f;
    a.guard[STK_CUDA_GUARD_MULTIPLY] = (float)multiply;
    a.guard[STK_CUDA_GUARD_SKIP] = skip;
    a.guard[STK_CUDA_GUARD_STEPS] = steps;
    a.guard[STK_CUDA_GUARD_NORM] = (float)total;
    if (!a.next) return;
    update_scale(a, skip, &scale, &clean);
    a.next[STK_CUDA_STATE_SCALE] = (float)scale;
    a.next[STK_CUDA_STATE_CLEAN] = (float)clean;
    a.next[STK_CUDA_STATE_STEPS] = steps;
    a.next[STK_CUDA_STATE_SKIPPED] = skipped + (skip ? 1.0f : 0.0f);
}

__global__ void take_scale(const float *state, float *scale)
{
    stk::wait_for_earlier();
    *scale = state[STK_CUDA_STATE_SCALE];
}

} // namespace

cudaError_t stk_cuda_guard_launch(const stk_cuda_guard_args *args, cudaStream_t stream)
{
    return STK_CUDA_LAUNCH_EARLY(decide, 1, 1, 0, stream, *args);
}

cudaError_t stk_cuda_loss_scale_launch(const float *state, float *scale, cudaStream_t stream)
{
    return STK_CUDA_LAUNCH_EARLY(take_scale, 1, 1, 0, stream, state, scale);
}

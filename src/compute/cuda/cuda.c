/* Backend "cuda". Ops and activations are compared by name: the library has its own copies of their
 * tables. */
#include "compute/cuda/gemm.h"
#include "compute/cuda/multi_tensor.h"
#include "compute/cuda_kernels/hopper.h"
#include "compute/passes/passes.h"
#include "compute/runtime/plugin.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* After these errors the context is lost: every call fails. The remedy depends on the cause. */
static const char *advise(cudaError_t code)
{
    switch (code) {
    case cudaErrorIllegalAddress:
    case cudaErrorLaunchFailure:
    case cudaErrorIllegalInstruction:
    case cudaErrorMisalignedAddress:
    case cudaErrorInvalidPc:
    case cudaErrorHardwareStackError:
    case cudaErrorAssert:
        return "; a kernel went wrong, and this process cannot use the GPU any more. --eager tells "
               "which one it was";
    case cudaErrorECCUncorrectable:
    case cudaErrorNvlinkUncorrectable:
    case cudaErrorContained:
        return "; the GPU's memory or link is damaged: nvidia-smi -q shows more, and a reset or "
               "another GPU is needed";
    case cudaErrorDevicesUnavailable:
    case cudaErrorLaunchTimeout:
    case cudaErrorDeviceUninitialized:
    case cudaErrorContextIsDestroyed:
    case cudaErrorUnknown:
        return "; the GPU was taken away or reset: nvidia-smi and the kernel's log (dmesg, Xid) "
               "tell more";
    default:
        return "";
    }
}

static stk_status status_of(cudaError_t code)
{
    return code == cudaErrorMemoryAllocation ? STK_E_NOMEM : STK_E_IO;
}

stk_status stk_cuda_fail(stk_error *err, cudaError_t code, const char *tried, const char *where)
{
    return stk_fail(err, status_of(code), "cuda", where, "%s: %s (%s)%s", tried,
                    cudaGetErrorString(code), cudaGetErrorName(code), advise(code));
}

stk_status stk_cuda_launched(const stk_kernel_call *call, cudaError_t code, stk_error *err)
{
    if (code == cudaSuccess) return STK_OK;
    return stk_fail(err, status_of(code), call->op->name, call->instance.name,
                    "its kernel could not be started: %s (%s)", cudaGetErrorString(code),
                    cudaGetErrorName(code));
}

void stk_cuda_record_failure(stk_cuda *cuda, cudaError_t code, const char *tried)
{
    if (code == cudaSuccess || cuda->failed != cudaSuccess) return;
    cuda->failed = code;
    cuda->failed_at = tried;
}

static stk_status no_device(cudaError_t code, stk_error *err)
{
    int driver = 0, runtime = 0;
    if (code == cudaErrorNoDevice)
        return stk_fail(err, STK_E_UNSUPPORTED, "backend", "cuda",
                        "there is no NVIDIA GPU here that may be used; nvidia-smi and "
                        "CUDA_VISIBLE_DEVICES tell more; --backend cpu trains without");
    bool known = cudaDriverGetVersion(&driver) == cudaSuccess &&
                 cudaRuntimeGetVersion(&runtime) == cudaSuccess;
    if (known && driver == 0)
        return stk_fail(err, STK_E_UNSUPPORTED, "backend", "cuda",
                        "there is no NVIDIA driver; install one of CUDA %d.%d or later, or use "
                        "--backend cpu",
                        runtime / 1000, runtime % 1000 / 10);
    if (known && driver < runtime)
        return stk_fail(err, STK_E_UNSUPPORTED, "backend", "cuda",
                        "the driver is of CUDA %d.%d, this build needs %d.%d: install a newer "
                        "driver, or use --backend cpu",
                        driver / 1000, driver % 1000 / 10, runtime / 1000, runtime % 1000 / 10);
    return stk_cuda_fail(err, code, "cudaGetDeviceCount", "backend");
}

static stk_status read_properties(stk_cuda *cuda, stk_error *err)
{
    struct cudaDeviceProp p;
    int                   count = 0;
    cudaError_t           code = cudaGetDeviceCount(&count);
    if (code != cudaSuccess || count == 0)
        return no_device(code == cudaSuccess ? cudaErrorNoDevice : code, err);
    STK_CUDA_TRY(cudaSetDevice(cuda->ordinal), "backend", err);
    STK_CUDA_TRY(cudaGetDeviceProperties(&p, cuda->ordinal), "backend", err);
    snprintf(cuda->name, sizeof cuda->name, "%s", p.name);
    cuda->major = p.major, cuda->minor = p.minor;
    cuda->hopper = stk_cuda_hopper_here();
    cuda->processors = p.multiProcessorCount;
    cuda->memory = p.totalGlobalMem;
    cuda->cache = (size_t)p.l2CacheSize;
    if (p.major >= 8) return STK_OK;
    return stk_fail(err, STK_E_UNSUPPORTED, "backend", "cuda",
                    "%s has compute capability %d.%d; 8.0 (Ampere) or later is needed. "
                    "--backend cpu trains without it",
                    p.name, p.major, p.minor);
}

static stk_status start(stk_cuda *cuda, stk_error *err)
{
    STK_TRY(read_properties(cuda, err));
    STK_TRY(stk_cuda_multi_tensor_new(&cuda->batch, err));
    STK_CUDA_TRY(cudaStreamCreateWithFlags(&cuda->stream, cudaStreamNonBlocking), cuda->name, err);
    STK_CUDA_TRY(cudaStreamCreateWithFlags(&cuda->copies, cudaStreamNonBlocking), cuda->name, err);
    size_t bytes = STK_CUDA_COUNTERS * sizeof *cuda->counters;
    STK_CUDA_TRY(cudaMalloc((void **)&cuda->counters, bytes), cuda->name, err);
    STK_CUDA_TRY(cudaMemsetAsync(cuda->counters, 0, bytes, cuda->stream), cuda->name, err);
    return stk_cuda_spans_new(cuda, err);
}

static void close_device(stk_device *device)
{
    stk_cuda *cuda = stk_cuda_of(device);
    if (cuda->stream) cudaStreamSynchronize(cuda->stream);
    if (cuda->release_libraries) cuda->release_libraries(cuda);
    stk_cuda_decode_device_free(cuda);
    stk_cuda_uploads_free(cuda);
    stk_cuda_spans_free(cuda);
    if (cuda->counters) cudaFree(cuda->counters);
    stk_cuda_multi_tensor_free(cuda->batch);
#ifndef STK_CUDA_EMULATED
    stk_cuda_blas_free(cuda);
#endif
    if (cuda->stream) cudaStreamDestroy(cuda->stream);
    if (cuda->copies) cudaStreamDestroy(cuda->copies);
    free(cuda);
    device->state = NULL;
}

static stk_status open_device(stk_device *device, stk_error *err)
{
    stk_cuda *cuda = calloc(1, sizeof *cuda);
    if (!cuda) return stk_fail(err, STK_E_NOMEM, "backend", "cuda", "no memory");
    device->state = cuda;
    stk_status st = start(cuda, err);
    if (st) close_device(device);
    return st;
}

static void describe(const stk_device *device, char *text, size_t capacity)
{
    const stk_cuda *cuda = stk_cuda_of(device);
    snprintf(text, capacity, "%s, %d SMs, %.0f GB", cuda->name, cuda->processors,
             (double)cuda->memory / 1e9);
}

static const stk_kernel *find_kernel(const stk_device *device, const stk_graph_op *op,
                                     const stk_op_instance *instance)
{
    for (const stk_kernel *const *k = stk_cuda_kernels; *k; k++)
        if (strcmp((*k)->op->name, op->name) == 0 && (!(*k)->can || (*k)->can(device, instance)))
            return *k;
    return NULL;
}

static stk_status precision(const stk_device *device, stk_dtype dtype, stk_error *err)
{
    (void)device, (void)dtype, (void)err;
    return STK_OK;
}

static unsigned fusions(const stk_device *device, stk_dtype precision)
{
    return STK_FUSION_MASK_BITS | STK_FUSION_NORM_STATS | STK_FUSION_STATISTICS |
           STK_FUSION_GRADIENT_SUM | STK_FUSION_NORM_POOL |
           (stk_cuda_gemm_in(device, precision) ? STK_FUSION_GRAD_NORM : 0);
}

static const stk_backend table = {
    .name = "cuda",
    .help = "cuDNN, cuBLAS and native kernels on an NVIDIA GPU",
    .open = open_device,
    .close = close_device,
    .describe = describe,
    .kernel = find_kernel,
    .precision = precision,
    .group_small_ops = true,
    .fusions = fusions,
    .tf32 = true,
    .alloc = stk_cuda_alloc,
    .memory = stk_cuda_memory,
    .memory_free = stk_cuda_memory_free,
    .free = stk_cuda_free,
    .upload = stk_cuda_upload,
    .download = stk_cuda_download,
    .clear = stk_cuda_clear,
    .upload_async = stk_cuda_upload_async,
    .download_async = stk_cuda_download_async,
    .event_record = stk_cuda_event_record,
    .event_query = stk_cuda_event_query,
    .event_elapsed = stk_cuda_event_elapsed,
    .event_free = stk_cuda_event_free,
    .host_alloc = stk_cuda_host_alloc,
    .host_free = stk_cuda_host_free,
    .format_bytes = stk_cuda_format_bytes,
    .format_name = stk_cuda_format_name,
    .reorder = stk_cuda_reorder,
    .finite = stk_cuda_finite,
    .sync = stk_cuda_sync,
    .flush = stk_cuda_flush,
#ifndef STK_CUDA_EMULATED
    .capture_begin = stk_cuda_capture_begin,
    .capture_end = stk_cuda_capture_end,
    .capture_launch = stk_cuda_capture_launch,
    .capture_free = stk_cuda_capture_free,
    .capture_size = stk_cuda_capture_size,
#endif
    .push_tag = stk_cuda_push_tag,
    .pop_tag = stk_cuda_pop_tag,
    .poll_activity = stk_cuda_poll_activity,
    .trace_kernels = stk_cuda_trace_kernels,
    .decode_device = stk_cuda_decode_device_of,
    .info = stk_cuda_info,
};

__attribute__((visibility("default"))) const stk_backend *stk_plugin_backend(const char  *build_id,
                                                                             const char **build);

const stk_backend *stk_plugin_backend(const char *build_id, const char **build)
{
    *build = STOKER_BUILD;
    return strcmp(build_id, STOKER_BUILD) == 0 ? &table : NULL;
}

/* State of the backend "cuda": one GPU with a compute stream and a copy stream. */
#ifndef STK_COMPUTE_CUDA_CUDA_H
#define STK_COMPUTE_CUDA_CUDA_H

#include "compute/runtime/backend.h"
#include <cuda_runtime_api.h>

typedef struct stk_cuda_uploads       stk_cuda_uploads;
typedef struct stk_cuda_spans         stk_cuda_spans;
typedef struct stk_cupti              stk_cupti;
typedef struct stk_cuda_multi_tensor  stk_cuda_multi_tensor;
typedef struct stk_cuda_blas          stk_cuda_blas;
typedef struct stk_cuda_libraries     stk_cuda_libraries;
typedef struct stk_cuda_decode_device stk_cuda_decode_device;

enum { STK_CUDA_COUNTERS = 1024 };

typedef struct stk_cuda stk_cuda;

struct stk_cuda {
    int                    ordinal; /* of the GPU, among those visible to the driver */
    char                   name[128];
    int                    major, minor; /* compute capability */
    bool                   hopper; /* compute capability 9.0, and this build has kernels for it */
    int                    processors;    /* multiprocessors */
    size_t                 memory, cache; /* bytes: of the GPU, of its L2 cache */
    cudaStream_t           stream;        /* the compute stream */
    cudaStream_t           copies;        /* the copy stream, host to device */
    stk_cuda_uploads      *uploads;
    stk_cuda_spans        *spans;    /* timing of tagged work */
    stk_cupti             *cupti;    /* NULL: kernels are not traced */
    unsigned              *counters; /* zero between kernels; blocks of a grid count themselves */
    stk_cuda_multi_tensor *batch;    /* deferred items */
    /* A single deferred call, older than the batch; NULL if none. The next call may take it into
     * its launch, else launch_deferred launches it. */
    const stk_kernel_call *deferred_call;
    stk_status (*launch_deferred)(const stk_kernel_call *call, stk_error *err);
    stk_cuda_blas          *blas;          /* NULL until the first GEMM */
    stk_cuda_decode_device *decode_device; /* NULL until first used */
    cudaError_t             failed;        /* first failure of a call without status */
    const char             *failed_at;
    /* cuDNN and cuBLAS; NULL until a kernel needs them. release_libraries frees them. */
    stk_cuda_libraries *libraries;
    void (*release_libraries)(stk_cuda *cuda);
};

static inline stk_cuda *stk_cuda_of(const stk_device *device)
{
    return device->state;
}

/* Formats: STK_FORMAT_PLAIN or bits. WEIGHTS: weights [K,C,R,S] stored as KRSC. PAD4, PAD8:
 * channels (last in memory) zero-padded to a multiple of 4 or 8. */
enum { STK_CUDA_WEIGHTS = 1, STK_CUDA_PAD4 = 2, STK_CUDA_PAD8 = 4 };

/* Layout in memory: stride[i] elements between neighbours in dimension i of the shape. */
typedef struct stk_cuda_layout {
    int     rank;
    int64_t size[8], stride[8];
    int64_t channels, padded; /* of the last in memory */
    int64_t elements;         /* with padding */
} stk_cuda_layout;

stk_cuda_layout stk_cuda_layout_of(const stk_tensor_type *type, stk_format format);

/* The format with padded channels that convolutions of these images read. */
stk_format stk_cuda_padding_of(const stk_tensor_type *images);

/* formats function of elementwise kernels: all tensors of input 0's shape take the first format
 * among them that is not plain; the others are plain. */
stk_status stk_cuda_formats_same(stk_device *device, const stk_op_instance *instance,
                                 const stk_format *have, stk_format *in, stk_format *out,
                                 stk_error *err);

/* Fails with CUDA's message; stk_cuda_launched also with the op and its name. */
stk_status stk_cuda_fail(stk_error *err, cudaError_t code, const char *tried, const char *where);
stk_status stk_cuda_launched(const stk_kernel_call *call, cudaError_t code, stk_error *err);
/* Stores the first failure of calls without status; sync returns it. */
void stk_cuda_record_failure(stk_cuda *cuda, cudaError_t code, const char *tried);

#define STK_CUDA_TRY(call_, where_, err_)                                                          \
    do {                                                                                           \
        cudaError_t stk_cuda_code_ = (call_);                                                      \
        if (stk_cuda_code_ != cudaSuccess)                                                         \
            return stk_cuda_fail(err_, stk_cuda_code_, #call_, where_);                            \
    } while (0)

/* Memory and copies (device_memory.c). */
void      *stk_cuda_alloc(stk_device *device, size_t size);
uint64_t   stk_cuda_memory(const stk_device *device);
uint64_t   stk_cuda_memory_free(const stk_device *device);
void       stk_cuda_free(stk_device *device, void *data, size_t size);
void       stk_cuda_upload(stk_device *device, void *dst, const void *src, size_t size);
void       stk_cuda_download(stk_device *device, void *dst, const void *src, size_t size);
void       stk_cuda_clear(stk_device *device, void *dst, size_t size);
stk_status stk_cuda_sync(stk_device *device, stk_error *err);
void      *stk_cuda_host_alloc(stk_device *device, size_t size);
void       stk_cuda_host_free(stk_device *device, void *data, size_t size);
/* Inputs of runs (upload.c). */
stk_status stk_cuda_upload_async(stk_device *device, void *dst, const void *src, size_t size,
                                 bool borrowed, stk_error *err);
/* Asynchronous downloads and events (device_events.c). */
stk_status stk_cuda_download_async(stk_device *device, void *dst, const void *src, size_t size,
                                   stk_error *err);
stk_status stk_cuda_event_record(stk_device *device, void **event, stk_error *err);
stk_status stk_cuda_event_query(stk_device *device, void *event, bool wait, bool *done,
                                stk_error *err);
uint64_t   stk_cuda_event_elapsed(stk_device *device, void *from, void *to);
void       stk_cuda_event_free(stk_device *device, void *event);
void       stk_cuda_uploads_free(stk_cuda *cuda);
/* CUDA graphs (capture.c). */
stk_status stk_cuda_capture_begin(stk_device *device, stk_error *err);
stk_status stk_cuda_capture_end(stk_device *device, void **capture, stk_error *err);
stk_status stk_cuda_capture_launch(stk_device *device, void *capture, stk_error *err);
void       stk_cuda_capture_free(stk_device *device, void *capture);
size_t     stk_cuda_capture_size(stk_device *device);
/* Timing of tagged work by pairs of events (spans.c). */
stk_status stk_cuda_spans_new(stk_cuda *cuda, stk_error *err);
void       stk_cuda_spans_free(stk_cuda *cuda);
void       stk_cuda_push_tag(stk_device *device, uint64_t tag);
void       stk_cuda_pop_tag(stk_device *device);
void       stk_cuda_poll_activity(stk_device *device, bool all, stk_device_activity_fn listener,
                                  void *context);
stk_status stk_cuda_trace_kernels(stk_device *device, bool on, stk_error *err);
/* Around a copy on the copy stream. Neither blocks. */
void stk_cuda_copy_begin(stk_cuda *cuda, size_t bytes);
void stk_cuda_copy_end(stk_cuda *cuda);
/* Asynchronous image decoding (decode_device.c). */
stk_status stk_cuda_decode_device_of(stk_device *device, const stk_decode_device **out,
                                     stk_error *err);
void       stk_cuda_decode_device_free(stk_cuda *cuda);
/* Device properties (info.c). */
void stk_cuda_info(const stk_device *device, stk_device_info *info);
/* cuBLAS state of a device (cublas_choose.c). */
void stk_cuda_blas_free(stk_cuda *cuda);
/* Formats (cuda_formats.c). */
size_t stk_cuda_format_bytes(const stk_device *device, const stk_tensor_type *type,
                             stk_format format);
void stk_cuda_format_name(const stk_device *device, stk_format format, char *text, size_t capacity);
stk_status stk_cuda_reorder(stk_device *device, const stk_tensor_type *type, stk_format from,
                            const void *src, stk_format to, void *dst, stk_error *err);
bool       stk_cuda_finite(stk_device *device, const stk_tensor_type *type, const void *data,
                           size_t bytes);

/* All kernels, NULL-terminated; of several for an op the first that can. */
extern const stk_kernel *const stk_cuda_kernels[];

#endif

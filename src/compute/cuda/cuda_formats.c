/* Layouts of formats, and reorders between them. */
#include "compute/cuda/tensor_iter.h"
#include "compute/cuda_kernels/finite.h"
#include "compute/cuda_kernels/move.h"
#include <stdio.h>
#include <string.h>

static int64_t padded(int64_t channels, stk_format format)
{
    int64_t to = format & STK_CUDA_PAD8 ? 8 : format & STK_CUDA_PAD4 ? 4 : 1;
    return (channels + to - 1) / to * to;
}

/* Dimensions in memory order, slowest first. */
static void order_of(const stk_tensor_type *type, stk_format format, int order[8])
{
    int rank = type->shape.rank;
    for (int i = 0; i < rank; i++)
        order[i] = i;
    if (!(format & STK_CUDA_WEIGHTS) || rank != 4) return;
    order[1] = 2, order[2] = 3, order[3] = 1;
}

stk_cuda_layout stk_cuda_layout_of(const stk_tensor_type *type, stk_format format)
{
    stk_cuda_layout l = {.rank = type->shape.rank, .channels = 1, .padded = 1, .elements = 1};
    int             order[8];
    order_of(type, format, order);
    for (int i = l.rank - 1; i >= 0; i--) {
        int d = order[i];
        l.size[d] = type->shape.dim[d];
        l.stride[d] = l.elements;
        if (i == l.rank - 1) {
            l.channels = l.size[d];
            l.padded = padded(l.channels, format);
            l.elements = l.padded;
        } else {
            l.elements *= l.size[d];
        }
    }
    return l;
}

/* Tensor cores load 16 bytes: two pixels if channels are few (cuda_kernels/stem.h). */
stk_format stk_cuda_padding_of(const stk_tensor_type *images)
{
    enum { FEW = 4 };
    bool few = images->shape.dim[images->shape.rank - 1] <= FEW;
    return images->dtype == STK_DTYPE_F32 || few ? STK_CUDA_PAD4 : STK_CUDA_PAD8;
}

size_t stk_cuda_format_bytes(const stk_device *device, const stk_tensor_type *type,
                             stk_format format)
{
    (void)device;
    return (size_t)stk_cuda_layout_of(type, format).elements * stk_dtype_bytes(type->dtype);
}

void stk_cuda_format_name(const stk_device *device, stk_format format, char *text, size_t capacity)
{
    (void)device;
    const char *pad = format & STK_CUDA_PAD8 ? "8" : format & STK_CUDA_PAD4 ? "4" : "";
    if (format)
        snprintf(text, capacity, "%s%s", format & STK_CUDA_WEIGHTS ? "krsc" : "nhwc", pad);
    else
        snprintf(text, capacity, "plain");
}

static bool like_first(const stk_op_instance *instance, const stk_tensor_type *type)
{
    return stk_shape_equal(&type->shape, &instance->in[0].shape);
}

stk_status stk_cuda_formats_same(stk_device *device, const stk_op_instance *instance,
                                 const stk_format *have, stk_format *in, stk_format *out,
                                 stk_error *err)
{
    stk_format shared = STK_FORMAT_PLAIN;
    (void)device, (void)err;
    for (int i = instance->input_count - 1; i >= 0; i--)
        if (like_first(instance, &instance->in[i]) && have[i] != (stk_format)STK_FORMAT_ANY &&
            have[i] != STK_FORMAT_PLAIN)
            shared = have[i];
    for (int i = 0; i < instance->input_count; i++)
        in[i] = like_first(instance, &instance->in[i]) ? shared : STK_FORMAT_PLAIN;
    for (int o = 0; o < instance->output_count; o++)
        out[o] = like_first(instance, &instance->out[o]) ? shared : STK_FORMAT_PLAIN;
    return STK_OK;
}

/* Iterates in the result's order. */
static stk_cuda_tensor_iter iter_between(const stk_tensor_type *type, stk_format from,
                                         stk_format to)
{
    stk_cuda_layout      a = stk_cuda_layout_of(type, from), b = stk_cuda_layout_of(type, to);
    stk_cuda_tensor_iter iter = {.rank = a.rank, .tensors = 2};
    int                  order[8];
    order_of(type, to, order);
    for (int i = 0; i < a.rank; i++) {
        iter.size[i] = a.size[order[i]];
        iter.stride[0][i] = a.stride[order[i]];
        iter.stride[1][i] = b.stride[order[i]];
    }
    stk_cuda_tensor_iter_join(&iter);
    return iter;
}

stk_status stk_cuda_reorder(stk_device *device, const stk_tensor_type *type, stk_format from,
                            const void *src, stk_format to, void *dst, stk_error *err)
{
    stk_cuda *cuda = stk_cuda_of(device);
    size_t    width = stk_dtype_bytes(type->dtype);
    if (from == to) {
        if (src == dst) return STK_OK;
        STK_CUDA_TRY(cudaMemcpyAsync(dst, src, stk_cuda_format_bytes(device, type, from),
                                     cudaMemcpyDeviceToDevice, cuda->stream),
                     "reorder", err);
        return STK_OK;
    }
    stk_cuda_layout      b = stk_cuda_layout_of(type, to);
    stk_cuda_tensor_iter iter = iter_between(type, from, to);
    if (b.padded != b.channels)
        STK_CUDA_TRY(cudaMemsetAsync(dst, 0, (size_t)b.elements * width, cuda->stream), "reorder",
                     err);
    width = stk_cuda_tensor_iter_widen(&iter, width, src, dst);
    STK_CUDA_TRY(stk_cuda_move_launch(&iter, width, src, dst, cuda->stream), "reorder", err);
    return STK_OK;
}

/* Padding is zero, so it may be tested too. */
bool stk_cuda_finite(stk_device *device, const stk_tensor_type *type, const void *data,
                     size_t bytes)
{
    stk_cuda *cuda = stk_cuda_of(device);
    int       dtype = (int)type->dtype, *flag = NULL, found = 1;
    if (dtype != STK_DTYPE_F32 && dtype != STK_DTYPE_F16 && dtype != STK_DTYPE_BF16) return true;
    if (cudaMalloc((void **)&flag, sizeof *flag) != cudaSuccess) return true;
    stk_cuda_record_failure(cuda, cudaMemsetAsync(flag, 0, sizeof *flag, cuda->stream),
                            "checking results");
    stk_cuda_record_failure(cuda,
                            stk_cuda_finite_launch(dtype, data,
                                                   bytes / stk_dtype_bytes(type->dtype), flag,
                                                   cuda->stream),
                            "checking results");
    stk_cuda_download(device, &found, flag, sizeof found);
    stk_cuda_record_failure(cuda, cudaFree(flag), "cudaFree");
    return found == 0;
}

/* TMA descriptors of matrices or images of 16-bit elements, in boxes with rows of 128 bytes and
 * swizzled 16-byte pieces. */
#ifndef STK_COMPUTE_CUDA_KERNELS_TENSOR_MAP_CUH
#define STK_COMPUTE_CUDA_KERNELS_TENSOR_MAP_CUH

#include "compute/cuda_kernels/launch.cuh"
#include <cuda.h>

namespace hopper
{

constexpr int MAP_RANK = 4;

typedef CUresult (*encode_function)(CUtensorMap *, CUtensorMapDataType, cuuint32_t, void *,
                                    const cuuint64_t *, const cuuint64_t *, const cuuint32_t *,
                                    const cuuint32_t *, CUtensorMapInterleave, CUtensorMapSwizzle,
                                    CUtensorMapL2promotion, CUtensorMapFloatOOBfill);

inline cudaError_t find_encode(encode_function *out)
{
    cudaDriverEntryPointQueryResult found;
    void                           *address = nullptr;
    cudaError_t code = cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &address, 12000,
                                                        cudaEnableDefault, &found);
    if (code != cudaSuccess) return stk::take_error(code);
    if (found != cudaDriverEntryPointSuccess) return cudaErrorNotSupported;
    *out = (encode_function)address;
    return cudaSuccess;
}

/* Packed elements; size and box of RANK dimensions, the fastest first. Parts of a box outside are
 * read as zeros and not written. */
template <int RANK>
inline cudaError_t encode(int dtype, const void               *data, const int64_t (&size)[RANK],
                          const int (&box)[RANK], CUtensorMap *out)
{
    static_assert(RANK <= MAP_RANK, "sizes are copied");
    CUtensorMapDataType type =
        dtype == STK_DTYPE_F16 ? CU_TENSOR_MAP_DATA_TYPE_FLOAT16 : CU_TENSOR_MAP_DATA_TYPE_BFLOAT16;
    cuuint64_t      sizes[MAP_RANK], strides[MAP_RANK], bytes = 2;
    cuuint32_t      boxes[MAP_RANK], steps[MAP_RANK];
    encode_function f = nullptr;
    cudaError_t     found = find_encode(&f);
    if (found != cudaSuccess) return found;
    for (int i = 0; i < RANK; i++) {
        sizes[i] = (cuuint64_t)size[i];
        boxes[i] = (cuuint32_t)box[i];
        steps[i] = 1;
        bytes *= sizes[i];
        strides[i] = bytes; /* of the next dimension */
    }
    CUresult code = f(out, type, RANK, (void *)data, sizes, strides, boxes, steps,
                      CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                      CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    return code == CUDA_SUCCESS ? cudaSuccess : cudaErrorInvalidValue;
}

} // namespace hopper

#endif

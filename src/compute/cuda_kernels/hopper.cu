#include "compute/cuda_kernels/hopper.h"
#include "compute/cuda_kernels/launch.cuh"

namespace
{

__global__ void nothing()
{
}

int attribute(cudaDeviceAttr which)
{
    int device = 0, value = 0;
    if (cudaGetDevice(&device) != cudaSuccess ||
        cudaDeviceGetAttribute(&value, which, device) != cudaSuccess)
        return 0;
    return value;
}

} // namespace

bool stk_cuda_hopper_here(void)
{
    return attribute(cudaDevAttrComputeCapabilityMajor) == 9 &&
           attribute(cudaDevAttrComputeCapabilityMinor) == 0 &&
           stk::made_for_90((const void *)nothing);
}

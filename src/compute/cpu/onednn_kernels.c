/* List of oneDNN kernels. */
#include "compute/cpu/dnnl_state.h"

const stk_kernel *const stk_cpu_kernels_onednn[] = {
    &stk_dnnl_conv2d,
    &stk_dnnl_conv2d_grad_input,
    &stk_dnnl_conv2d_grad_weight,
    &stk_dnnl_matmul,
    NULL,
};

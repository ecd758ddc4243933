/* Readable names of kernels. */
#ifndef STK_COMPUTE_RUNTIME_KERNEL_NAME_H
#define STK_COMPUTE_RUNTIME_KERNEL_NAME_H

enum { STK_KERNEL_NAME = 96 };

/* Shortens "void ns::(anonymous namespace)::apply<float, 8>(float const*, int)" to "ns::apply",
 * truncated to fit. Returns out. */
const char *stk_kernel_name_shorten(const char *name, char out[STK_KERNEL_NAME]);

#endif

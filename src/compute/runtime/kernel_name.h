/* Names of kernels, for people. */
#ifndef STK_COMPUTE_RUNTIME_KERNEL_NAME_H
#define STK_COMPUTE_RUNTIME_KERNEL_NAME_H

enum { STK_KERNEL_NAME = 96 };

/* "void ns::(anonymous namespace)::apply<float, 8>(float const*, int)" becomes "ns::apply": without
 * what a compiler adds, cut where it is too long. Gives out. */
const char *stk_kernel_name_shorten(const char *name, char out[STK_KERNEL_NAME]);

#endif

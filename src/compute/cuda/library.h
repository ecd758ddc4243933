/* Optional libraries, loaded at run time. */
#ifndef STK_COMPUTE_CUDA_LIBRARY_H
#define STK_COMPUTE_CUDA_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>

enum { STK_CUDA_WHY = 512 };

/* Loads the file named by the environment variable, if it is trusted (base/trusted.h), else the
 * first of defaults that loads. It stays loaded. Returns NULL with the reason in why. *path is the
 * name for messages. */
void *stk_cuda_library_load(const char *variable, const char *const *defaults, size_t count,
                            const char **path, char why[STK_CUDA_WHY]);
/* Stores the address of prefix plus name in *function, a function pointer; false: not found. */
bool stk_cuda_library_find(void *library, const char *prefix, const char *name, void *function);

#endif

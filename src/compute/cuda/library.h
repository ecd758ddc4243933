/* Libraries that are loaded when they are wanted, and need not be there. */
#ifndef STK_COMPUTE_CUDA_LIBRARY_H
#define STK_COMPUTE_CUDA_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>

enum { STK_CUDA_WHY = 512 };

/* The file that the environment's variable names, if others cannot have changed it
 * (base/trusted.h), or else the first of the usual ones that can be loaded; it stays. NULL: none,
 * and why says the reason. *path is the one to name in messages. */
void *stk_cuda_library_load(const char *variable, const char *const *defaults, size_t count,
                            const char **path, char why[STK_CUDA_WHY]);
/* Puts the function of prefix and name into *function, a pointer to one; false: there is none. */
bool stk_cuda_library_find(void *library, const char *prefix, const char *name, void *function);

#endif

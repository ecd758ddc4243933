#include "compute/cuda/library.h"
#include "base/trusted.h"
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FLAGS = RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE };

/* A name without a folder is searched in the system's library path. */
static void *load_from(const char *chosen, char why[STK_CUDA_WHY])
{
    char      real[PATH_MAX];
    stk_error err;
    if (strchr(chosen, '/') && stk_trusted_file(chosen, "cuda", real, &err)) {
        snprintf(why, STK_CUDA_WHY, "%s", err.message);
        return NULL;
    }
    void *library = dlopen(strchr(chosen, '/') ? real : chosen, FLAGS);
    if (!library) snprintf(why, STK_CUDA_WHY, "%s", dlerror());
    return library;
}

void *stk_cuda_library_load(const char *variable, const char *const *defaults, size_t count,
                            const char **path, char why[STK_CUDA_WHY])
{
    const char *chosen = stk_trusted_variable(variable);
    void       *library = NULL;
    *path = chosen ? chosen : defaults[0];
    if (chosen) return load_from(chosen, why);
    for (size_t i = 0; i < count && !library; i++)
        library = dlopen(defaults[i], FLAGS);
    if (!library) snprintf(why, STK_CUDA_WHY, "%s", dlerror());
    return library;
}

/* ISO C does not convert data to function pointers; copies the bits. */
bool stk_cuda_library_find(void *library, const char *prefix, const char *name, void *function)
{
    char full[64];
    snprintf(full, sizeof full, "%s%s", prefix, name);
    void *found = dlsym(library, full);
    memcpy(function, &found, sizeof found);
    return found != NULL;
}

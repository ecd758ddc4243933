#include "backend/cuda/library.h"
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *stk_cuda_library_load(const char *variable, const char *const *usual, size_t count,
                            const char **path)
{
    const char *said = getenv(variable);
    void       *library = NULL;
    *path = said ? said : usual[0];
    if (said) return dlopen(said, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    for (size_t i = 0; i < count && !library; i++)
        library = dlopen(usual[i], RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    return library;
}

/* A pointer to a function is no pointer to data; its bits are copied. */
bool stk_cuda_library_find(void *library, const char *prefix, const char *name, void *function)
{
    char full[64];
    snprintf(full, sizeof full, "%s%s", prefix, name);
    void *found = dlsym(library, full);
    memcpy(function, &found, sizeof found);
    return found != NULL;
}

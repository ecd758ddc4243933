/* Loads libcupti and its symbols. */
#if __has_include(<cupti.h>)
#include "compute/cuda/cupti_library.h"
#include "compute/cuda/library.h"
#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OLDEST = 18 /* of CUDA 12.0, which has today's record layout */ };

static const char *const defaults[] = {"libcupti.so.13", "libcupti.so.12",
                                       "/usr/local/cuda/lib64/libcupti.so.13",
                                       "/usr/local/cuda/extras/CUPTI/lib64/libcupti.so"};

static const char *find_all(void *from, stk_cupti_library *l)
{
#define FIND(name)                                                                                 \
    if (!stk_cuda_library_find(from, "cupti", #name, &l->name)) return "cupti" #name
    FIND(GetVersion);
    FIND(GetResultString);
    FIND(ActivityRegisterCallbacks);
    FIND(ActivityRegisterTimestampCallback);
    FIND(ActivityEnable);
    FIND(ActivityDisable);
    FIND(ActivityFlushAll);
    FIND(ActivityGetNextRecord);
    FIND(ActivityPushExternalCorrelationId);
    FIND(ActivityPopExternalCorrelationId);
#undef FIND
    return NULL;
}

/* The C++ runtime demangles names; it is present wherever CUPTI is. */
static void find_demangle(stk_cupti_library *l)
{
    void *library = dlopen("libstdc++.so.6", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    void *found = library ? dlsym(library, "__cxa_demangle") : NULL;
    memcpy(&l->demangle, &found, sizeof found);
}

stk_status stk_cupti_library_open(stk_cupti_library *library, stk_error *err)
{
    const char *path;
    uint32_t    version = 0;
    char        why[STK_CUDA_WHY];
    void *from = stk_cuda_library_load("STOKER_CUPTI", defaults, sizeof defaults / sizeof *defaults,
                                       &path, why);
    if (!from)
        return stk_fail(
            err, STK_E_UNSUPPORTED, "cupti", path,
            "cannot be loaded: %s; it comes with the CUDA toolkit, and STOKER_CUPTI may "
            "name the file. The trace has operations instead of kernels",
            why);
    const char *lacks = find_all(from, library);
    if (lacks)
        return stk_fail(err, STK_E_UNSUPPORTED, "cupti", path,
                        "lacks %s: it is older than CUDA 12, or another library. The trace has "
                        "operations instead of kernels",
                        lacks);
    CUptiResult result = library->GetVersion(&version);
    if (result != CUPTI_SUCCESS) return stk_cupti_fail(library, result, "cuptiGetVersion", err);
    if (version < OLDEST)
        return stk_fail(err, STK_E_UNSUPPORTED, "cupti", path,
                        "its version is %u, and %d is the oldest that is understood. The trace has "
                        "operations instead of kernels",
                        version, OLDEST);
    find_demangle(library);
    return STK_OK;
}

static const char *remedy(CUptiResult result)
{
    switch (result) {
    case CUPTI_ERROR_INSUFFICIENT_PRIVILEGES:
    case CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES:
        return "; the driver keeps it for administrators: load it with "
               "NVreg_RestrictProfilingToAdminUsers=0, or give the container CAP_SYS_ADMIN";
    case CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED:
        return "; another tool (nsys, DCGM, a profiler) listens already: end it";
    default:
        return "";
    }
}

stk_status stk_cupti_fail(const stk_cupti_library *library, CUptiResult result, const char *tried,
                          stk_error *err)
{
    const char *text = "";
    (void)library->GetResultString(result, &text);
    return stk_fail(err, STK_E_UNSUPPORTED, "cupti", tried,
                    "%s%s. The trace has operations instead of kernels", text ? text : "failed",
                    remedy(result));
}
#endif

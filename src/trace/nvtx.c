/* libnvToolsExt at run time: its two calls have had the same form since the first version. */
#include "trace/nvtx.h"

#include <dlfcn.h>
#include <string.h>

static const char *const default_path = "libnvToolsExt.so.1";

/* A pointer to a function is no pointer to data; its bits are copied. */
static void find(const stk_nvtx *nvtx, const char *name, void *function)
{
    void *found = dlsym(nvtx->library, name);
    memcpy(function, &found, sizeof found);
}

stk_status stk_nvtx_open(stk_nvtx *nvtx, const char *path, stk_error *err)
{
    if (!path && stk_nvtx3_has(nvtx)) return STK_OK;
    if (!path) path = default_path;
    *nvtx = (stk_nvtx){.library = dlopen(path, RTLD_NOW | RTLD_LOCAL)};
    if (!nvtx->library)
        return stk_fail(err, STK_E_UNSUPPORTED, "nvtx", path,
                        "cannot be loaded: %s; it comes with the CUDA toolkit", dlerror());
    find(nvtx, "nvtxRangePushA", &nvtx->push);
    find(nvtx, "nvtxRangePop", &nvtx->pop);
    if (nvtx->push && nvtx->pop) return STK_OK;
    stk_nvtx_close(nvtx);
    return stk_fail(err, STK_E_UNSUPPORTED, "nvtx", path,
                    "lacks nvtxRangePushA or nvtxRangePop; it is another library");
}

void stk_nvtx_close(stk_nvtx *nvtx)
{
    if (nvtx->library) dlclose(nvtx->library);
    *nvtx = (stk_nvtx){0};
}

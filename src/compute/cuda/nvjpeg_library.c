/* Loads libnvjpeg and its symbols. */
#include "compute/cuda/nvjpeg_library.h"
#include "compute/cuda/library.h"
#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>

static const char *const defaults[] = {
    "libnvjpeg.so.13", "libnvjpeg.so.12", "/usr/local/cuda/lib64/libnvjpeg.so.13",
    "/usr/local/cuda/lib64/libnvjpeg.so.12", "/usr/local/cuda/lib64/libnvjpeg.so"};

static const char *find_all(void *from, stk_nvjpeg_library *l)
{
#define FIND(name)                                                                                 \
    if (!stk_cuda_library_find(from, "nvjpeg", #name, &l->name)) return "nvjpeg" #name
    FIND(GetProperty);
    FIND(CreateEx);
    FIND(Destroy);
    FIND(JpegStateCreate);
    FIND(JpegStateDestroy);
    FIND(JpegStreamCreate);
    FIND(JpegStreamDestroy);
    FIND(JpegStreamParseHeader);
    FIND(JpegStreamGetFrameDimensions);
    FIND(JpegStreamGetComponentsNum);
    FIND(DecodeBatchedSupported);
    FIND(DecodeBatchedInitialize);
    FIND(DecodeBatched);
#undef FIND
    (void)stk_cuda_library_find(from, "nvjpeg", "GetHardwareDecoderInfo",
                                &l->GetHardwareDecoderInfo);
    return NULL;
}

stk_status stk_nvjpeg_library_open(stk_nvjpeg_library *library, stk_error *err)
{
    const char *path;
    char        why[STK_CUDA_WHY];
    void       *from = stk_cuda_library_load("STOKER_NVJPEG", defaults,
                                             sizeof defaults / sizeof *defaults, &path, why);
    if (!from)
        return stk_fail(err, STK_E_UNSUPPORTED, "nvjpeg", path,
                        "cannot be loaded: %s; install libnvjpeg (of the CUDA toolkit, or pip's "
                        "nvidia-nvjpeg) or name its file in STOKER_NVJPEG, or decode on the CPU "
                        "(knobs.decode=cpu)",
                        why);
    const char *lacks = find_all(from, library);
    if (!lacks) return STK_OK;
    return stk_fail(err, STK_E_UNSUPPORTED, "nvjpeg", path,
                    "lacks %s: it is older than CUDA 11.1, or another library; install a newer "
                    "one, or decode on the CPU (knobs.decode=cpu)",
                    lacks);
}

const char *stk_nvjpeg_status_text(int status, char *text, size_t capacity)
{
    static const char *const names[STK_NVJPEG_STATUSES] = {
        "no error",           "not initialised",   "invalid parameter",   "bad JPEG",
        "JPEG not supported", "allocator failure", "execution failed",    "architecture mismatch",
        "internal error",     "not supported",     "incomplete bitstream"};
    const bool known = status >= 0 && status < STK_NVJPEG_STATUSES;
    snprintf(text, capacity, "%s (%d)", known ? names[status] : "unknown", status);
    return text;
}

/* nvJPEG's functions, loaded at run time. Its header is rarely installed, so its declarations and
 * constants are repeated here. */
#ifndef STK_COMPUTE_CUDA_NVJPEG_LIBRARY_H
#define STK_COMPUTE_CUDA_NVJPEG_LIBRARY_H

#include <cuda_runtime_api.h>
#include <stoker/error.h>

enum { STK_NVJPEG_SUCCESS = 0, STK_NVJPEG_STATUSES = 11 };
enum { STK_NVJPEG_BACKEND_GPU = 2, STK_NVJPEG_BACKEND_HARDWARE = 3 };
enum { STK_NVJPEG_OUTPUT_Y = 2, STK_NVJPEG_OUTPUT_RGBI = 5 };
enum { STK_NVJPEG_SMOOTH_UPSAMPLING = 1 << 5 }; /* interpolates chroma, as libjpeg does */
enum { STK_NVJPEG_COMPONENTS = 4 };

typedef struct stk_nvjpeg_image {
    unsigned char *channel[STK_NVJPEG_COMPONENTS];
    size_t         pitch[STK_NVJPEG_COMPONENTS];
} stk_nvjpeg_image;

/* Handles are opaque pointers; statuses and enums are int. */
typedef struct stk_nvjpeg_library {
    int (*GetProperty)(int which, int *value);
    int (*CreateEx)(int backend, void *device_allocator, void *pinned_allocator, unsigned flags,
                    void **handle);
    int (*Destroy)(void *handle);
    int (*JpegStateCreate)(void *handle, void **state);
    int (*JpegStateDestroy)(void *state);
    int (*JpegStreamCreate)(void *handle, void **stream);
    int (*JpegStreamDestroy)(void *stream);
    int (*JpegStreamParseHeader)(void *handle, const unsigned char *data, size_t length,
                                 void *stream);
    int (*JpegStreamGetFrameDimensions)(void *stream, unsigned *width, unsigned *height);
    int (*JpegStreamGetComponentsNum)(void *stream, unsigned *count);
    int (*DecodeBatchedSupported)(void *handle, void *stream, int *unsupported);
    int (*DecodeBatchedInitialize)(void *handle, void *state, int count, int threads, int output);
    int (*DecodeBatched)(void *handle, void *state, const unsigned char *const *data,
                         const size_t *lengths, stk_nvjpeg_image *destinations,
                         cudaStream_t stream);
    /* Only in newer versions; may be NULL. */
    int (*GetHardwareDecoderInfo)(void *handle, unsigned *engines, unsigned *cores);
} stk_nvjpeg_library;

/* The library stays loaded. */
STK_NODISCARD stk_status stk_nvjpeg_library_open(stk_nvjpeg_library *library, stk_error *err);
/* Text of a status: "JPEG not supported (4)". Returns text. */
const char *stk_nvjpeg_status_text(int status, char *text, size_t capacity);

#endif

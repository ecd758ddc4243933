/* NVIDIA's JPEG decoder, in hardware if the GPU has it. */
#ifndef STK_COMPUTE_CUDA_NVJPEG_H
#define STK_COMPUTE_CUDA_NVJPEG_H

#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stoker/bytes.h>
#include <stoker/error.h>

typedef struct stk_nvjpeg        stk_nvjpeg;        /* thread-safe */
typedef struct stk_nvjpeg_stream stk_nvjpeg_stream; /* one thread at a time */

/* Opens it on the current GPU. The error names what is missing. */
STK_NODISCARD stk_status stk_nvjpeg_open(stk_nvjpeg **out, stk_error *err);
/* Free it after its streams. NULL is fine. */
void        stk_nvjpeg_free(stk_nvjpeg *nvjpeg);
const char *stk_nvjpeg_name(const stk_nvjpeg *nvjpeg); /* with its version */

STK_NODISCARD stk_status stk_nvjpeg_stream_new(stk_nvjpeg_stream **out, stk_nvjpeg *nvjpeg,
                                               stk_error *err);
void                     stk_nvjpeg_stream_free(stk_nvjpeg_stream *decoder); /* NULL is fine */

/* Whether it can decode this image to channels, and its size is the expected one. */
bool stk_nvjpeg_takes(stk_nvjpeg_stream *decoder, stk_bytes encoded, int32_t width, int32_t height,
                      int channels);

typedef struct stk_nvjpeg_bitstream {
    stk_bytes encoded;
    uint8_t  *out; /* device memory: interleaved rows */
    size_t    pitch;
} stk_nvjpeg_bitstream;

/* Enqueues decoding of accepted images on stream, all to channels (1: grey, 3: RGB). Their bytes
 * must stay valid until it is done. An error may be due to one image or the decoder. */
STK_NODISCARD stk_status stk_nvjpeg_decode(stk_nvjpeg_stream          *decoder,
                                           const stk_nvjpeg_bitstream *images, size_t count,
                                           int channels, cudaStream_t stream, stk_error *err);

#endif

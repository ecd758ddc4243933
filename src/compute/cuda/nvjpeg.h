/* NVIDIA's decoder of JPEGs: engines beside the multiprocessors where the GPU has them. */
#ifndef STK_COMPUTE_CUDA_NVJPEG_H
#define STK_COMPUTE_CUDA_NVJPEG_H

#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stoker/bytes.h>
#include <stoker/error.h>

typedef struct stk_nvjpeg        stk_nvjpeg;        /* for any thread */
typedef struct stk_nvjpeg_stream stk_nvjpeg_stream; /* for one at a time */

/* Of the GPU that is set. An error says what is missing. */
STK_NODISCARD stk_status stk_nvjpeg_open(stk_nvjpeg **out, stk_error *err);
/* After its lanes. NULL is fine. */
void        stk_nvjpeg_free(stk_nvjpeg *nvjpeg);
const char *stk_nvjpeg_name(const stk_nvjpeg *nvjpeg); /* with its version, for people */

STK_NODISCARD stk_status stk_nvjpeg_stream_new(stk_nvjpeg_stream **out, stk_nvjpeg *nvjpeg,
                                               stk_error *err);
void                     stk_nvjpeg_stream_free(stk_nvjpeg_stream *decoder); /* NULL is fine */

/* Whether it decodes this to channels, and finds the size that is expected. */
bool stk_nvjpeg_takes(stk_nvjpeg_stream *decoder, stk_bytes encoded, int32_t width, int32_t height,
                      int channels);

typedef struct stk_nvjpeg_bitstream {
    stk_bytes encoded;
    uint8_t  *out; /* of the GPU: rows of interleaved bytes */
    size_t    pitch;
} stk_nvjpeg_bitstream;

/* Begins to decode images that it takes, all to channels (1: grey, 3: RGB), on stream. The bytes
 * must stay until that is done. An error may be of one image or of the decoder. */
STK_NODISCARD stk_status stk_nvjpeg_decode(stk_nvjpeg_stream          *decoder,
                                           const stk_nvjpeg_bitstream *images, size_t count,
                                           int channels, cudaStream_t stream, stk_error *err);

#endif

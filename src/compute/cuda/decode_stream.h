/* Decode stream: a CUDA stream with decoder state and buffers. One thread at a time. */
#ifndef STK_COMPUTE_CUDA_DECODE_STREAM_H
#define STK_COMPUTE_CUDA_DECODE_STREAM_H

#include "compute/cuda/nvjpeg.h"
#include <stoker/decode_device.h>

typedef struct stk_decode_stream stk_decode_stream;

/* Decodes at most `most` images at a time. */
STK_NODISCARD stk_status stk_decode_stream_new(stk_decode_stream **out, stk_nvjpeg *nvjpeg,
                                               size_t max_images, stk_error *err);
void                     stk_decode_stream_free(stk_decode_stream *stream); /* NULL is fine */

/* As stk_decode_device.decode, with the same limit. */
STK_NODISCARD stk_status stk_decode_stream_decode(stk_decode_stream  *stream,
                                                  stk_decode_request *requests, size_t count,
                                                  stk_error *err);

#endif

/* A lane of a GPU that decodes pictures: a stream with its memory, for one thread at a time. */
#ifndef STK_COMPUTE_CUDA_DECODE_STREAM_H
#define STK_COMPUTE_CUDA_DECODE_STREAM_H

#include "compute/cuda/nvjpeg.h"
#include <stoker/pictures.h>

typedef struct stk_picture_lane stk_picture_lane;

/* For up to most pictures at a time. */
STK_NODISCARD stk_status stk_picture_lane_new(stk_picture_lane **out, stk_nvjpeg *nvjpeg,
                                              size_t most, stk_error *err);
void                     stk_picture_lane_free(stk_picture_lane *lane); /* NULL is fine */

/* As stk_picture_device.decode, for at most as many. */
STK_NODISCARD stk_status stk_picture_lane_decode(stk_picture_lane    *lane,
                                                 stk_picture_request *requests, size_t count,
                                                 stk_error *err);

#endif

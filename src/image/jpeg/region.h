/* Decodes a window of a baseline JPEG without the rest. */
#ifndef STK_IMAGE_JPEG_REGION_H
#define STK_IMAGE_JPEG_REGION_H

#include "image/codec/jpeg_header.h"
#include "image/jpeg/jpeg_kernels.h"

/* The window's pixels to dst, whose rows follow each other. *done is false, without an error, if
 * the image is of another kind or anything in it is abnormal. */
STK_NODISCARD stk_status stk_region_decode(stk_decoder *decoder, struct stk_jpeg_decoder *jpeg,
                                           const stk_jpeg_header   *header,
                                           const stk_codec_request *request, uint8_t *dst,
                                           bool *done, stk_error *err);

#endif

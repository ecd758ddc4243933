/* libjpeg-turbo, for what the scan of our own does not decode: progressive, arithmetic and
 * multi-scan files, four components, and everything that is damaged. */
#ifndef STK_IMAGE_JPEG_JPEG_TURBO_H
#define STK_IMAGE_JPEG_JPEG_TURBO_H

#include "image/codec/codec.h"

/* The window's pixels to dst, whose rows follow each other. complete: the file has its end. */
STK_NODISCARD stk_status stk_jpeg_turbo_decode(stk_decoder             *decoder,
                                               const stk_codec_request *request, bool complete,
                                               uint8_t *dst, stk_decode_outcome *outcome,
                                               stk_error *err);

#endif

/* The codec interface, one codec a file: how a format is detected, measured and decoded. codec.c
 * has the list. Codecs ignore orientation: they use stored coordinates. */
#ifndef STK_IMAGE_CODEC_CODEC_H
#define STK_IMAGE_CODEC_CODEC_H

#include "image/codec/jpeg_header.h"

#include <stoker/image.h>

/* The header of an encoded image, parsed once. It borrows the encoded bytes. */
typedef struct stk_image_header {
    stk_image_info  info;
    stk_jpeg_header jpeg; /* where the format is JPEG */
} stk_image_header;

/* A decode request. */
typedef struct stk_codec_request {
    stk_bytes                 encoded;
    const stk_image_header   *header;
    stk_rect                  window; /* stored coordinates at 1/shrink; inside; not empty */
    int                       shrink;
    int                       channels; /* 1 or 3 */
    const stk_decode_options *options;
} stk_codec_request;

typedef struct stk_codec {
    stk_image_format format;
    bool (*is)(stk_bytes encoded); /* detects the format by the first bytes */
    /* Fills the info's stored size, channels, bits, progressive, more_frames, and orientation where
     * it has one; and jpeg. The caller checks the limits. */
    stk_status (*measure)(stk_bytes encoded, stk_image_header *out, stk_error *err);
    /* Decodes the window: *out points into the decoder's memory or borrows from encoded. */
    stk_status (*decode)(stk_decoder *decoder, const stk_codec_request *request, stk_pixels *out,
                         stk_decode_outcome *outcome, stk_error *err);
    int max_shrink;
} stk_codec;

extern const stk_codec stk_codec_jpeg, stk_codec_png, stk_codec_webp, stk_codec_pnm, stk_codec_gif,
    stk_codec_bmp, stk_codec_tiff;

/* Scratch slots of a decoder, reused between images. They only grow. */
enum {
    STK_SCRATCH_PIXELS,
    STK_SCRATCH_TURNED,
    STK_SCRATCH_WORK,
    STK_SCRATCH_PLANES,
    STK_SCRATCH_COUNT
};

/* Begins an image: the scratch requested from here on belongs to it. */
void stk_decoder_begin(stk_decoder *decoder);

/* STK_E_LIMIT if bytes alone exceed the ledger's ceiling: the image is too large, and waiting does
 * not help. */
STK_NODISCARD stk_status stk_decode_admit(const stk_ledger *ledger, uint64_t bytes, stk_error *err);

/* Returns scratch of at least bytes, aligned to 64, contents undefined; NULL with err filled
 * without memory. The sum of an image's requests is admitted as above. */
uint8_t *stk_decoder_scratch(stk_decoder *decoder, int slot, size_t bytes, stk_error *err);

/* Makes out a dense image of width by height pixels in a scratch slot, contents undefined. */
stk_status stk_decoder_pixels(stk_decoder *decoder, int slot, int32_t width, int32_t height,
                              int32_t channels, stk_pixels *out, stk_error *err);

/* Accounts for memory that a library allocates itself, admitted with the rest. */
STK_NODISCARD stk_status stk_decoder_reserve(stk_decoder *decoder, uint64_t bytes, stk_error *err);
void                     stk_decoder_release(stk_decoder *decoder, uint64_t bytes);

/* The JPEG codec's state, made on first use and released with the decoder; NULL with err filled
 * without memory. */
struct stk_jpeg_decoder;
struct stk_jpeg_decoder *stk_decoder_jpeg(stk_decoder *decoder, stk_error *err);
/* For decoder.c; implemented in image/jpeg/. free accepts NULL. */
struct stk_jpeg_decoder *stk_jpeg_decoder_new(stk_ledger *ledger, stk_error *err);
void                     stk_jpeg_decoder_free(struct stk_jpeg_decoder *jpeg);

/* As stk_image_read_info, with all that decoding needs of the header. */
STK_NODISCARD stk_status stk_image_read_header(stk_bytes encoded, const stk_image_limits *limits,
                                               stk_image_header *out, stk_error *err);
/* As stk_image_decode, of an image whose header was read from the same bytes. Nothing may be NULL
 * but window. */
STK_NODISCARD stk_status stk_image_decode_measured(stk_decoder *decoder, stk_bytes encoded,
                                                   const stk_image_header *header,
                                                   const stk_rect *window, int shrink,
                                                   const stk_decode_options *options,
                                                   stk_pixels *out, stk_decode_outcome *outcome,
                                                   stk_error *err);

/* Whether all decoders agree on a JPEG: complete, baseline, grey or YCbCr with common sampling. In
 * image/jpeg/. */
bool stk_image_is_plain_jpeg(const stk_image_header *header, stk_bytes encoded);

/* Orientation of an EXIF block (the TIFF header, or "Exif\0\0" before it); 1 if missing or invalid.
 */
int stk_exif_orientation(stk_bytes exif);

#endif

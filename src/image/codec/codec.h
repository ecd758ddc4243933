/* One codec a file: how a format is known, measured and decoded. codec.c has the list. Codecs know
 * nothing of orientation: they work in stored coordinates. */
#ifndef STK_IMAGE_CODEC_CODEC_H
#define STK_IMAGE_CODEC_CODEC_H

#include "image/codec/jpeg_header.h"

#include <stoker/image.h>

/* The header of an encoded image, parsed once. It borrows the encoded bytes. */
typedef struct stk_image_header {
    stk_image_info  info;
    stk_jpeg_header jpeg; /* where the format is JPEG */
} stk_image_header;

/* What is wanted of an image. */
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
    bool (*is)(stk_bytes encoded); /* by its first bytes */
    /* Fills the info's stored size, channels, bits, progressive, more_frames, and orientation where
     * it has one; and jpeg. The caller checks the limits. */
    stk_status (*measure)(stk_bytes encoded, stk_image_header *out, stk_error *err);
    /* The window's pixels into out: data, or (borrow) into encoded. memory grows and is reused. */
    stk_status (*decode)(stk_decoder *decoder, const stk_codec_request *request, stk_pixels *out,
                         stk_decode_outcome *outcome, stk_error *err);
    int max_shrink;
} stk_codec;

extern const stk_codec stk_codec_jpeg, stk_codec_png, stk_codec_webp, stk_codec_pnm, stk_codec_gif,
    stk_codec_bmp, stk_codec_tiff;

/* What a decoder keeps from image to image. Room only grows. */
enum {
    STK_SCRATCH_PIXELS,
    STK_SCRATCH_TURNED,
    STK_SCRATCH_WORK,
    STK_SCRATCH_PLANES,
    STK_SCRATCH_COUNT
};

/* An image begins: what is asked for from here on is for it alone. */
void stk_decoder_begin(stk_decoder *decoder);

/* STK_E_LIMIT where bytes pass the ledger's ceiling whatever else is held: then it is the image
 * that is too large, and no waiting helps. */
STK_NODISCARD stk_status stk_decode_admit(const stk_ledger *ledger, uint64_t bytes, stk_error *err);

/* At least bytes, aligned to 64, contents undefined; NULL with err filled without memory. All that
 * an image asks for together is admitted, as above. */
uint8_t *stk_decoder_scratch(stk_decoder *decoder, int slot, size_t bytes, stk_error *err);

/* Fills out with width by height pixels of channels in a room, rows without gaps, contents
 * undefined. */
stk_status stk_decoder_pixels(stk_decoder *decoder, int slot, int32_t width, int32_t height,
                              int32_t channels, stk_pixels *out, stk_error *err);

/* Reserves what a library allocates behind a codec's back, admitted with all else. */
STK_NODISCARD stk_status stk_decoder_reserve(stk_decoder *decoder, uint64_t bytes, stk_error *err);
void                     stk_decoder_release(stk_decoder *decoder, uint64_t bytes);

/* State of one codec's own, made on first use and released with the decoder; NULL with err filled
 * without memory. */
struct stk_jpeg_decoder;
struct stk_jpeg_decoder *stk_decoder_jpeg(stk_decoder *decoder, stk_error *err);
/* For decoder.c; in image/jpeg/. free takes NULL. */
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

/* A JPEG that all decoders understand alike: whole, baseline, grey or YCbCr with usual sampling. In
 * image/jpeg/. */
bool stk_image_is_plain_jpeg(const stk_image_header *header, stk_bytes encoded);

/* Orientation from an EXIF block (the TIFF header, or "Exif\0\0" before it); 1 where there is none
 * or it is nonsense. */
int stk_exif_orientation(stk_bytes exif);

#endif

/* stoker/image.h - encoded images and their pixels. The format is detected by content, never by
 * name. Sizes are checked against limits before any allocation. Pixels are 8 bits a channel,
 * interleaved; palettes, alpha and CMYK are converted as by Pillow's convert('RGB') or
 * convert('L'). Channels of 16 bits are scaled by their range: v * 255 / 65535, rounded. */
#ifndef STOKER_IMAGE_H
#define STOKER_IMAGE_H

#include <stdbool.h>
#include <stoker/blob.h>
#include <stoker/bytes.h>

STK_BEGIN_DECLS

typedef enum stk_image_format {
    STK_IMAGE_NONE, /* unknown */
    STK_IMAGE_JPEG,
    STK_IMAGE_PNG,
    STK_IMAGE_WEBP,
    STK_IMAGE_PNM, /* PBM, PGM and PPM; binary ones are raw pixels after a header */
    STK_IMAGE_GIF,
    STK_IMAGE_BMP,
    STK_IMAGE_TIFF,
    STK_IMAGE_FORMATS
} stk_image_format;

/* "jpeg", "png", ...: a literal. */
STK_API const char *stk_image_format_name(stk_image_format format);
/* Detects the format by the first bytes. */
STK_API stk_image_format stk_image_format_of(stk_bytes encoded);

typedef struct stk_image_limits {
    int32_t  side;   /* max width and height; 0 means 65535 */
    uint64_t pixels; /* max width times height; 0 means 2^28 */
} stk_image_limits;

/* The content of an image's header. No pixel is decoded for it. */
typedef struct stk_image_info {
    stk_image_format format;
    int32_t          width, height; /* as displayed: after the EXIF orientation */
    int32_t          stored_width, stored_height;
    int              orientation; /* EXIF: 1 to 8; 1 if missing or invalid */
    int  channels;    /* as stored: 1 grey, 2 with alpha, 3 colours, 4 with alpha or CMYK */
    int  bits;        /* of a stored channel */
    bool progressive; /* or interlaced */
    bool more_frames; /* frames or pages after the first, which alone is decoded */
} stk_image_info;

/* Reads the header. limits may be NULL. Unknown formats are STK_E_UNSUPPORTED, broken headers
 * STK_E_FORMAT, truncated ones STK_E_DATALOSS, sizes past the limits STK_E_LIMIT. The caller fills
 * err->where, as it knows the file. */
STK_API STK_NODISCARD stk_status stk_image_read_info(stk_bytes               encoded,
                                                     const stk_image_limits *limits,
                                                     stk_image_info *out, stk_error *err);

typedef struct stk_rect {
    int32_t x, y, width, height;
} stk_rect;

/* Pixels in borrowed memory: rows of interleaved 8-bit channels. */
typedef struct stk_pixels {
    uint8_t *data;
    int32_t  width, height;
    int32_t  channels; /* 1 or 3 */
    size_t   stride;   /* distance between rows in bytes */
} stk_pixels;

typedef struct stk_decode_options {
    stk_image_limits limits;
    int              channels; /* of the output: 1 or 3; 0 means 3 */
    bool             recover;  /* decode as much as possible of a truncated or damaged
                                  image */
    bool stored_orientation;   /* ignore the EXIF orientation */
    bool pillow_16bit;         /* Pillow's conversion of 16 bits: grey above 255 is white,
                                  colours keep the high byte */
    stk_bytes restarts;        /* index of a seekable JPEG (stk_jpeg_index); may be empty */
} stk_decode_options;

typedef struct stk_decode_outcome {
    bool recovered; /* parts were missing and have the decoder's default (grey) */
} stk_decode_outcome;

typedef struct stk_decoder stk_decoder; /* reusable memory and tables of one thread */

/* ledger accounts for its memory; NULL is fine. */
STK_API STK_NODISCARD stk_status stk_decoder_new(stk_decoder **out, stk_ledger *ledger,
                                                 stk_error *err);
STK_API void                     stk_decoder_free(stk_decoder *decoder); /* NULL is fine */

/* Decodes window (NULL: all; in displayed coordinates, inside the image: else STK_E_RANGE) of the
 * image at scale 1/shrink. shrink is 1, for JPEG also 2, 4 or 8; others are STK_E_INVALID. The
 * scaled size is ceil(width / shrink) by ceil(height / shrink). The result equals a crop of the
 * fully decoded image, to the bit. *out is borrowed until the next call on this decoder, or points
 * into encoded. options and outcome may be NULL. Truncated and damaged images are STK_E_DATALOSS
 * unless recover. */
STK_API STK_NODISCARD stk_status stk_image_decode(stk_decoder *decoder, stk_bytes encoded,
                                                  const stk_rect *window, int shrink,
                                                  const stk_decode_options *options,
                                                  stk_pixels *out, stk_decode_outcome *outcome,
                                                  stk_error *err);

/* Encoders append to out. */
STK_API STK_NODISCARD stk_status stk_image_write_png(stk_blob *out, const stk_pixels *pixels,
                                                     stk_error *err);
typedef struct stk_jpeg_write_options {
    int  quality;   /* 1 to 100; 0 means 95 */
    bool subsample; /* 4:2:0 instead of 4:4:4 */
} stk_jpeg_write_options;
STK_API STK_NODISCARD stk_status stk_image_write_jpeg(stk_blob *out, const stk_pixels *pixels,
                                                      const stk_jpeg_write_options *options,
                                                      stk_error                    *err);
/* A header with the size, then raw pixels. */
STK_API STK_NODISCARD stk_status stk_image_write_pnm(stk_blob *out, const stk_pixels *pixels,
                                                     stk_error *err);

/* Seekable JPEGs: restart markers between groups of MCUs, where a decoder can start, and an index
 * of their offsets. */
enum { STK_SEEKABLE_BYTES_MIN = 16 << 10 }; /* smaller images are decoded completely as fast */

typedef struct stk_seekable_result {
    bool     rewritten;                 /* false: no gain (small, or no JPEG); out is unchanged */
    uint64_t bytes_before, bytes_after; /* the index included */
    int32_t  interval;                  /* MCUs between restarts */
} stk_seekable_result;

/* Rewrites a JPEG with the same coefficients as baseline, keeps EXIF and colour profile, and
 * appends the index to restarts. Decoded pixels are identical. Other formats are not rewritten.
 * Damage is STK_E_DATALOSS. */
STK_API STK_NODISCARD stk_status stk_jpeg_make_seekable(stk_bytes               encoded,
                                                        const stk_image_limits *limits,
                                                        stk_blob *out, stk_blob *restarts,
                                                        stk_seekable_result *result,
                                                        stk_error           *err);

STK_END_DECLS
#endif

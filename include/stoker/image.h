/* stoker/image.h - images: what encoded bytes hold, and their pixels.
 * The format is found by content, never by a name. Sizes are checked against limits before anything
 * is allocated. Pixels are 8 bits a channel, rows of interleaved channels; what is stored otherwise
 * (a palette, alpha, CMYK) comes as Pillow's convert('RGB') or convert('L') gives it. Channels of
 * 16 bits are scaled by their range: v * 255 / 65535, rounded. */
#ifndef STOKER_IMAGE_H
#define STOKER_IMAGE_H

#include <stdbool.h>
#include <stoker/blob.h>
#include <stoker/bytes.h>

STK_BEGIN_DECLS

typedef enum stk_image_format {
    STK_IMAGE_NONE, /* none that is known */
    STK_IMAGE_JPEG,
    STK_IMAGE_PNG,
    STK_IMAGE_WEBP,
    STK_IMAGE_PNM, /* PBM, PGM and PPM; binary ones are pixels as they are, with a line before */
    STK_IMAGE_GIF,
    STK_IMAGE_BMP,
    STK_IMAGE_TIFF,
    STK_IMAGE_FORMATS
} stk_image_format;

/* "jpeg", "png", ...: a literal. */
STK_API const char *stk_image_format_name(stk_image_format format);
/* By the first bytes. */
STK_API stk_image_format stk_image_format_of(stk_bytes encoded);

typedef struct stk_image_limits {
    int32_t  side;   /* most pixels of a row or a column; 0 means 65535 */
    uint64_t pixels; /* most in all; 0 means 2^28 */
} stk_image_limits;

/* What a header says. Nothing is decoded for it. */
typedef struct stk_image_info {
    stk_image_format format;
    int32_t          width, height; /* as shown: after the EXIF orientation */
    int32_t          stored_width, stored_height;
    int              orientation; /* EXIF: 1 to 8; 1 where it says nothing or nonsense */
    int              channels; /* stored: 1 grey, 2 with alpha, 3 colours, 4 with alpha or CMYK */
    int              bits;     /* of a stored channel */
    bool             progressive; /* or interlaced */
    bool             more_frames; /* frames or pages behind the first, which is the one decoded */
} stk_image_info;

/* limits may be NULL. Bytes of no known format are STK_E_UNSUPPORTED, broken headers STK_E_FORMAT,
 * headers cut off STK_E_DATALOSS, sizes past the limits STK_E_LIMIT. err->where is left to the
 * caller, who knows the file. */
STK_API STK_NODISCARD stk_status stk_image_read_info(stk_bytes               encoded,
                                                     const stk_image_limits *limits,
                                                     stk_image_info *out, stk_error *err);

typedef struct stk_rect {
    int32_t x, y, width, height;
} stk_rect;

/* Pixels in somebody's memory: rows of interleaved 8-bit channels. */
typedef struct stk_pixels {
    uint8_t *data;
    int32_t  width, height;
    int32_t  channels; /* 1 or 3 */
    size_t   stride;   /* bytes from row to row */
} stk_pixels;

typedef struct stk_decode_options {
    stk_image_limits limits;
    int              channels;           /* wanted: 1 or 3; 0 means 3 */
    bool             recover;            /* of a truncated or damaged image give what is there */
    bool             stored_orientation; /* do not turn by EXIF */
    bool             pillow_16bit;       /* Pillow's way with 16 bits: grey above 255 is white, of
                                            colours the high byte is taken */
    stk_bytes restarts; /* index of a seekable JPEG (stk_jpeg_index); may be empty */
} stk_decode_options;

typedef struct stk_decode_outcome {
    bool recovered; /* something was missing and is filled with what the decoder had (grey) */
} stk_decode_outcome;

typedef struct stk_decoder stk_decoder; /* memory and tables that decoding reuses; one thread's */

/* ledger (NULL is fine) is where its memory is reserved. */
STK_API STK_NODISCARD stk_status stk_decoder_new(stk_decoder **out, stk_ledger *ledger,
                                                 stk_error *err);
STK_API void                     stk_decoder_free(stk_decoder *decoder); /* NULL is fine */

/* The pixels of window (NULL: all; in shown coordinates, inside the image: else STK_E_RANGE) of the
 * image decoded at 1/shrink (1; for JPEG also 2, 4, 8: others STK_E_INVALID), whose size is
 * ceil(width / shrink) by ceil(height / shrink). They are, to the bit, those that decoding all and
 * cutting out the window gives. *out is lent until the next call on this decoder, or points into
 * encoded itself. options and outcome may be NULL. Truncated and damaged images are
 * STK_E_DATALOSS unless recover. */
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
/* A line with the size, then the pixels. */
STK_API STK_NODISCARD stk_status stk_image_write_pnm(stk_blob *out, const stk_pixels *pixels,
                                                     stk_error *err);

/* Seekable JPEGs: restart markers between groups of MCUs, so that a decoder can begin at any of
 * them, and an index of where they are. */
enum { STK_SEEKABLE_BYTES_MIN = 16 << 10 }; /* smaller images are decoded whole as quickly */

typedef struct stk_seekable_result {
    bool     rewritten; /* false: it would not pay (small, or no JPEG): out holds nothing */
    uint64_t bytes_before, bytes_after; /* the index included */
    int32_t  interval;                  /* MCUs between restarts */
} stk_seekable_result;

/* Writes encoded again with the same coefficients, baseline, its EXIF and colour profile kept, and
 * appends the index to restarts. Pixels decoded from it are the same to the bit. Nothing but a JPEG
 * is taken. Damage is STK_E_DATALOSS. */
STK_API STK_NODISCARD stk_status stk_jpeg_make_seekable(stk_bytes               encoded,
                                                        const stk_image_limits *limits,
                                                        stk_blob *out, stk_blob *restarts,
                                                        stk_seekable_result *result,
                                                        stk_error           *err);

STK_END_DECLS
#endif

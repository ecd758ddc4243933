/* What stands before the entropy-coded bytes of a JPEG: located, not interpreted further than
 * choosing a decoder needs. Nothing is allocated or copied; pointers go into the encoded bytes. */
#ifndef STK_IMAGE_CODEC_JPEG_HEADER_H
#define STK_IMAGE_CODEC_JPEG_HEADER_H

#include <stdbool.h>
#include <stoker/bytes.h>
#include <stoker/error.h>

enum { STK_JPEG_COMPONENTS = 4, STK_JPEG_TABLES = 4 };

typedef struct stk_jpeg_component {
    uint8_t id, h, v, quant;
    uint8_t dc, ac; /* tables the scan names */
} stk_jpeg_component;

typedef struct stk_jpeg_quant {
    const uint8_t *values; /* 64 in zigzag order; NULL: none */
    bool           wide;   /* two bytes each */
} stk_jpeg_quant;

typedef struct stk_jpeg_header {
    uint8_t            frame; /* the marker: 0xc0 baseline, 0xc2 progressive, ... */
    int                bits, components;
    int32_t            width, height;
    stk_jpeg_component component[STK_JPEG_COMPONENTS];
    stk_jpeg_quant     quant[STK_JPEG_TABLES];
    stk_bytes          huffman[2][STK_JPEG_TABLES]; /* DC, AC: 16 counts, symbols; NULL: none */
    uint32_t           restart_interval;            /* MCUs; 0: none */
    stk_bytes          exif;                        /* "Exif\0\0" and what follows; NULL: none */
    bool               jfif, adobe;
    uint8_t            adobe_transform;
    bool               plain; /* the scan holds all of every component, and nothing was strange */
    size_t             scan;  /* offset of the first entropy-coded byte */
} stk_jpeg_header;

/* Up to the first scan. STK_E_DATALOSS when encoded ends before that, STK_E_FORMAT when there is no
 * frame before the scan. Mere oddities clear plain and are left to libjpeg. */
STK_NODISCARD stk_status stk_jpeg_header_read(stk_jpeg_header *out, stk_bytes encoded,
                                              stk_error *err);

/* The part of an image that is cut off which ends before the segment that the cut went through: to
 * libjpeg half a table is an error, and no table is not. */
stk_bytes stk_jpeg_complete_part(stk_bytes encoded);

/* False if no end marker follows the scan: the image is truncated. */
bool stk_jpeg_has_end(const stk_jpeg_header *header, stk_bytes encoded);

#endif

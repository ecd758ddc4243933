/* The header of a PBM, PGM or PPM. */
#ifndef STK_IMAGE_CODEC_PNM_HEADER_H
#define STK_IMAGE_CODEC_PNM_HEADER_H

#include <stoker/image.h>

typedef struct stk_pnm_header {
    int32_t width, height;
    int32_t maximum;  /* 1 to 65535; of a PBM 1, and 1 is black */
    int     channels; /* 1 or 3 */
    bool    plain;    /* numbers as text */
    bool    bitmap;   /* PBM */
    size_t  begin;    /* offset of the pixels */
} stk_pnm_header;

/* Detects "P1" to "P6" followed by white space or a comment. */
bool stk_pnm_is(stk_bytes encoded);

/* Reads the header of bytes that stk_pnm_is accepts. A truncated one is STK_E_DATALOSS, an invalid
 * one STK_E_FORMAT, numbers above 2^24 STK_E_LIMIT. */
STK_NODISCARD stk_status stk_pnm_read_header(stk_bytes encoded, stk_pnm_header *out,
                                             stk_error *err);

/* Skips white space and comments from *at on. */
void stk_pnm_skip_space(stk_bytes encoded, size_t *at);

#endif

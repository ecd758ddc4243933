/* A TIFF in memory, opened with libtiff: its first page. */
#ifndef STK_IMAGE_CODEC_TIFF_FILE_H
#define STK_IMAGE_CODEC_TIFF_FILE_H

#include <stoker/image.h>
#include <tiffio.h>

/* How samples are to be read; libtiff's numbers. */
typedef struct stk_tiff_layout {
    int32_t width, height;
    int     bits, samples; /* of a sample; of a pixel */
    int     photometric, compression;
    bool    planar; /* a plane for each sample */
    bool    tiled;
    bool premultiplied; /* the sample behind the colours is alpha, which they are multiplied by */
    int  orientation;
    bool more; /* pages */
} stk_tiff_layout;

typedef struct stk_tiff_file {
    stk_bytes       encoded;
    uint64_t        at;
    TIFF           *tiff;
    stk_tiff_layout layout;
    bool            out_of_memory, over_limit;
    char            reason[160]; /* what libtiff said first */
} stk_tiff_file;

bool stk_tiff_is(stk_bytes encoded);

/* Opens encoded, which must stay, and reads the layout of the first page. What libtiff cannot make
 * sense of is STK_E_DATALOSS; kinds that are not read here are STK_E_UNSUPPORTED. Released either
 * way. */
STK_NODISCARD stk_status stk_tiff_open(stk_tiff_file *file, stk_bytes encoded, stk_error *err);
void                     stk_tiff_release(stk_tiff_file *file);

/* The error of a call of libtiff that failed: STK_E_DATALOSS, STK_E_LIMIT or STK_E_NOMEM. */
STK_NODISCARD stk_status stk_tiff_fail(const stk_tiff_file *file, stk_error *err);

#endif

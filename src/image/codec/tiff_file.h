/* The first page of a TIFF in memory, through libtiff. */
#ifndef STK_IMAGE_CODEC_TIFF_FILE_H
#define STK_IMAGE_CODEC_TIFF_FILE_H

#include <stoker/image.h>
#include <tiffio.h>

/* The sample layout; values of libtiff. */
typedef struct stk_tiff_layout {
    int32_t width, height;
    int     bits, samples; /* of a sample; of a pixel */
    int     photometric, compression;
    bool    planar; /* a plane for each sample */
    bool    tiled;
    bool    premultiplied; /* colours are premultiplied with the alpha sample after them */
    int     orientation;
    bool    more; /* pages */
} stk_tiff_layout;

typedef struct stk_tiff_file {
    stk_bytes       encoded;
    uint64_t        at;
    TIFF           *tiff;
    stk_tiff_layout layout;
    bool            out_of_memory, over_limit;
    char            reason[160]; /* the first message of libtiff */
} stk_tiff_file;

bool stk_tiff_is(stk_bytes encoded);

/* Opens encoded, which it borrows, and reads the layout of the first page. STK_E_DATALOSS if
 * libtiff rejects it; STK_E_UNSUPPORTED for other kinds. Call release in either case. */
STK_NODISCARD stk_status stk_tiff_open(stk_tiff_file *file, stk_bytes encoded, stk_error *err);
void                     stk_tiff_release(stk_tiff_file *file);

/* The error of a failed libtiff call: STK_E_DATALOSS, STK_E_LIMIT or STK_E_NOMEM. */
STK_NODISCARD stk_status stk_tiff_fail(const stk_tiff_file *file, stk_error *err);

#endif

/* libtiff on bytes in memory. What it says goes to the file, never to the screen; one allocation of
 * its own is limited, so that a forged number cannot take more. */
#include "image/codec/tiff_file.h"

#include <stdio.h>

enum { ALLOCATION_MAX = 1 << 30, SAMPLES_MAX = 16 };

bool stk_tiff_is(stk_bytes encoded)
{
    static const char starts[4][5] = {"II*\0", "MM\0*", "II+\0", "MM\0+"};
    for (size_t i = 0; i < 4; i++)
        if (encoded.size >= 4 && !memcmp(encoded.data, starts[i], 4)) return true;
    return false;
}

static tmsize_t read_bytes(thandle_t handle, void *dst, tmsize_t size)
{
    stk_tiff_file *file = handle;
    const uint64_t left = file->at < file->encoded.size ? file->encoded.size - file->at : 0;
    const size_t   count = size < 0 ? 0 : (uint64_t)size < left ? (size_t)size : (size_t)left;
    if (count) memcpy(dst, file->encoded.data + file->at, count);
    file->at += count;
    return (tmsize_t)count;
}

static tmsize_t write_bytes(thandle_t handle, void *src, tmsize_t size)
{
    (void)handle, (void)src, (void)size;
    return -1;
}

static toff_t seek(thandle_t handle, toff_t offset, int whence)
{
    stk_tiff_file *file = handle;
    file->at = offset + (whence == SEEK_CUR   ? file->at
                         : whence == SEEK_END ? file->encoded.size
                                              : 0);
    return file->at;
}

static int close_nothing(thandle_t handle)
{
    (void)handle;
    return 0;
}

static toff_t size_of(thandle_t handle)
{
    return ((stk_tiff_file *)handle)->encoded.size;
}

/* The first reason is the most exact one. */
static int keep_error(TIFF *tiff, void *context, const char *module, const char *format,
                      va_list args)
{
    stk_tiff_file *file = context;
    char           text[sizeof file->reason];
    (void)tiff, (void)module;
    vsnprintf(text, sizeof text, format, args);
    if (strstr(text, "byte limit")) file->over_limit = true;
    if (strstr(text, "ut of memory") || strstr(text, "o space for")) file->out_of_memory = true;
    if (!file->reason[0]) memcpy(file->reason, text, sizeof text);
    return 1;
}

static int drop_warning(TIFF *tiff, void *context, const char *module, const char *format,
                        va_list args)
{
    (void)tiff, (void)context, (void)module, (void)format, (void)args;
    return 1;
}

stk_status stk_tiff_fail(const stk_tiff_file *file, stk_error *err)
{
    if (file->out_of_memory)
        return stk_fail(err, STK_E_NOMEM, "decode", NULL, "no memory to decode a TIFF");
    return stk_fail(err, file->over_limit ? STK_E_LIMIT : STK_E_DATALOSS, "decode", NULL,
                    "the TIFF of %zu bytes is damaged or cut off: %s", file->encoded.size,
                    file->reason[0] ? file->reason : "libtiff gives no reason");
}

static TIFF *open_memory(stk_tiff_file *file)
{
    TIFFOpenOptions *options = TIFFOpenOptionsAlloc();
    if (!options) {
        file->out_of_memory = true;
        return NULL;
    }
    TIFFOpenOptionsSetMaxSingleMemAlloc(options, ALLOCATION_MAX);
    TIFFOpenOptionsSetErrorHandlerExtR(options, keep_error, file);
    TIFFOpenOptionsSetWarningHandlerExtR(options, drop_warning, file);
    /* m: not as a mapped file; its bytes are not libtiff's to touch. */
    TIFF *tiff = TIFFClientOpenExt("image", "rm", file, read_bytes, write_bytes, seek,
                                   close_nothing, size_of, NULL, NULL, options);
    TIFFOpenOptionsFree(options);
    return tiff;
}

static int tag_of(TIFF *tiff, uint32_t tag, int default_value)
{
    uint16_t value;
    return TIFFGetFieldDefaulted(tiff, tag, &value) ? value : default_value;
}

static void read_layout(stk_tiff_file *file)
{
    TIFF            *tiff = file->tiff;
    stk_tiff_layout *l = &file->layout;
    uint32_t         width = 0, height = 0;
    uint16_t         extras = 0, *kinds = NULL;
    TIFFGetField(tiff, TIFFTAG_IMAGEWIDTH, &width);
    TIFFGetField(tiff, TIFFTAG_IMAGELENGTH, &height);
    l->width = width > INT32_MAX ? INT32_MAX : (int32_t)width;
    l->height = height > INT32_MAX ? INT32_MAX : (int32_t)height;
    l->bits = tag_of(tiff, TIFFTAG_BITSPERSAMPLE, 1);
    l->samples = tag_of(tiff, TIFFTAG_SAMPLESPERPIXEL, 1);
    l->compression = tag_of(tiff, TIFFTAG_COMPRESSION, COMPRESSION_NONE);
    l->photometric = tag_of(tiff, TIFFTAG_PHOTOMETRIC,
                            l->samples >= 3 ? PHOTOMETRIC_RGB : PHOTOMETRIC_MINISBLACK);
    l->planar = tag_of(tiff, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG) == PLANARCONFIG_SEPARATE;
    l->tiled = TIFFIsTiled(tiff);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_EXTRASAMPLES, &extras, &kinds);
    l->premultiplied = l->photometric == PHOTOMETRIC_RGB && l->samples == 4 && extras == 1 &&
                       kinds[0] == EXTRASAMPLE_ASSOCALPHA;
    l->orientation = tag_of(tiff, TIFFTAG_ORIENTATION, 1);
    if (l->orientation < 1 || l->orientation > 8) l->orientation = 1;
    l->more = !TIFFLastDirectory(tiff);
}

static bool is_known_kind(const stk_tiff_layout *l)
{
    switch (l->photometric) {
    case PHOTOMETRIC_MINISWHITE:
    case PHOTOMETRIC_MINISBLACK:
        return l->samples >= 1;
    case PHOTOMETRIC_PALETTE:
        return l->samples == 1 && l->bits <= 8;
    case PHOTOMETRIC_RGB:
        return l->samples >= 3;
    case PHOTOMETRIC_SEPARATED:
        return l->samples >= 4;
    case PHOTOMETRIC_YCBCR:
        return l->samples == 3 && l->bits == 8;
    default:
        return false;
    }
}

static bool is_known_depth(const stk_tiff_layout *l)
{
    return l->bits == 8 || l->bits == 16 ||
           (l->samples == 1 && (l->bits == 1 || l->bits == 2 || l->bits == 4));
}

static stk_status check_layout(const stk_tiff_file *file, stk_error *err)
{
    const stk_tiff_layout *l = &file->layout;
    const int              format = tag_of(file->tiff, TIFFTAG_SAMPLEFORMAT, SAMPLEFORMAT_UINT);
    if (!TIFFIsCODECConfigured((uint16_t)l->compression))
        return stk_fail(err, STK_E_UNSUPPORTED, "decode", NULL,
                        "the TIFF's compression %d is not known to libtiff here; save it with "
                        "another, such as LZW",
                        l->compression);
    if ((format == SAMPLEFORMAT_UINT || format == SAMPLEFORMAT_VOID) && is_known_kind(l) &&
        is_known_depth(l) && l->samples <= SAMPLES_MAX)
        return STK_OK;
    return stk_fail(err, STK_E_UNSUPPORTED, "decode", NULL,
                    "a TIFF of %d samples of %d bits (%s), photometric %d, is not read; save it as "
                    "grey or RGB of 8 or 16 bits",
                    l->samples, l->bits,
                    format == SAMPLEFORMAT_IEEEFP ? "floating point"
                    : format == SAMPLEFORMAT_INT  ? "signed"
                                                  : "unsigned",
                    l->photometric);
}

stk_status stk_tiff_open(stk_tiff_file *file, stk_bytes encoded, stk_error *err)
{
    *file = (stk_tiff_file){.encoded = encoded};
    file->tiff = open_memory(file);
    if (!file->tiff) return stk_tiff_fail(file, err);
    read_layout(file);
    return check_layout(file, err);
}

void stk_tiff_release(stk_tiff_file *file)
{
    if (file->tiff) TIFFClose(file->tiff);
    file->tiff = NULL;
}

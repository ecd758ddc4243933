/* A stand-in for nvJPEG that reads binary PGM and PPM with one header line, to test the code around
 * the decoder without a GPU. Images of odd width and height 13 fail. */
#include "compute/cuda/nvjpeg.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct stk_nvjpeg {
    int lanes;
};

struct stk_nvjpeg_stream {
    stk_nvjpeg *nvjpeg;
};

stk_status stk_nvjpeg_open(stk_nvjpeg **out, stk_error *err)
{
    *out = calloc(1, sizeof **out);
    return *out ? STK_OK : stk_fail(err, STK_E_NOMEM, "nvjpeg", NULL, "no memory");
}

void stk_nvjpeg_free(stk_nvjpeg *nvjpeg)
{
    free(nvjpeg);
}

const char *stk_nvjpeg_name(const stk_nvjpeg *nvjpeg)
{
    (void)nvjpeg;
    return "emulated";
}

stk_status stk_nvjpeg_stream_new(stk_nvjpeg_stream **out, stk_nvjpeg *nvjpeg, stk_error *err)
{
    *out = calloc(1, sizeof **out);
    if (!*out) return stk_fail(err, STK_E_NOMEM, "nvjpeg", NULL, "no memory");
    (*out)->nvjpeg = nvjpeg;
    return STK_OK;
}

void stk_nvjpeg_stream_free(stk_nvjpeg_stream *lane)
{
    free(lane);
}

/* Length of the header; 0 if invalid. */
static size_t read_header(stk_bytes encoded, int *width, int *height, int *channels)
{
    char text[64] = "", kind;
    int  length = 0;
    memcpy(text, encoded.data, encoded.size < sizeof text - 1 ? encoded.size : sizeof text - 1);
    if (sscanf(text, "P%c %d %d 255%n", &kind, width, height, &length) != 3 || !length) return 0;
    *channels = kind == '6' ? 3 : 1;
    return (size_t)length + 1;
}

bool stk_nvjpeg_takes(stk_nvjpeg_stream *lane, stk_bytes encoded, int32_t width, int32_t height,
                      int channels)
{
    int w, h, have;
    (void)lane;
    return read_header(encoded, &w, &h, &have) && w == width && h == height && have == channels;
}

stk_status stk_nvjpeg_decode(stk_nvjpeg_stream *lane, const stk_nvjpeg_bitstream *images,
                             size_t count, int channels, cudaStream_t stream, stk_error *err)
{
    (void)lane, (void)stream;
    for (size_t i = 0; i < count; i++) {
        int          w, h, have;
        const size_t header = read_header(images[i].encoded, &w, &h, &have);
        if (!header || have != channels || (w % 2 && h == 13))
            return stk_fail(err, STK_E_UNSUPPORTED, "nvjpeg", NULL, "bad image");
        for (int y = 0; y < h; y++)
            memcpy(images[i].out + (size_t)y * images[i].pitch,
                   images[i].encoded.data + header + (size_t)y * (size_t)(w * have),
                   (size_t)(w * have));
    }
    return STK_OK;
}

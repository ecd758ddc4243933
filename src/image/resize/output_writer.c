/* Runs of pixels to their final form, by way of small buffers that stay in the nearest cache. */
#include "image/resize/output_writer.h"

#include "base/checked.h"

#include <string.h>

enum { RUN = 256 /* pixels at a time */ };

static size_t written_channels(const stk_output_format *ending, int32_t channels)
{
    return (size_t)(ending->channels ? ending->channels : channels);
}

size_t stk_output_format_bytes(const stk_output_format *ending, int32_t width, int32_t height,
                               int32_t channels)
{
    size_t bytes;
    if (width < 0 || height < 0 || stk_mul_overflows((size_t)width, (size_t)height, &bytes) ||
        stk_mul_overflows(bytes, written_channels(ending, channels), &bytes) ||
        stk_mul_overflows(bytes, stk_dtype_bytes(ending->dtype), &bytes))
        return 0;
    return bytes;
}

bool stk_output_format_is_plain(const stk_output_format *ending, int32_t channels)
{
    const bool one_plane = !ending->planar || channels == 1;
    return ending->dtype == STK_DTYPE_U8 && one_plane &&
           written_channels(ending, channels) == (size_t)channels;
}

static void fill_pattern(stk_pattern *pattern, const stk_output_format *ending, size_t first,
                         size_t period, size_t channels)
{
    for (size_t i = 0; i < STK_PATTERN; i++) {
        const size_t c = first + i % period;
        pattern->scale[i] = c >= channels ? 0 : ending->scaled ? ending->scale[c] : 1;
        pattern->offset[i] = c < channels && ending->scaled ? ending->offset[c] : 0;
    }
}

void stk_output_format_begin(stk_output_writer *writer, const stk_resize_kernels *kernels,
                             const stk_output_format *ending, int32_t channels, int32_t width,
                             int32_t height, void *out)
{
    writer->kernels = kernels;
    writer->dtype = ending->dtype;
    writer->channels = (size_t)channels;
    writer->written = written_channels(ending, channels);
    writer->planar = ending->planar && writer->written > 1;
    writer->width = (size_t)width;
    writer->height = (size_t)height;
    writer->out = out;
    if (ending->dtype == STK_DTYPE_U8) return;
    if (!writer->planar)
        fill_pattern(&writer->patterns[0], ending, 0, writer->written, writer->channels);
    else
        for (size_t c = 0; c < writer->channels; c++)
            fill_pattern(&writer->patterns[c], ending, c, 1, writer->channels);
}

/* The bytes where channel c of pixel (x, y) begins. */
static uint8_t *address_of(const stk_output_writer *w, size_t x, size_t y, size_t c)
{
    const size_t pixel = y * w->width + x;
    const size_t index = w->planar ? c * w->width * w->height + pixel : pixel * w->written + c;
    return w->out + index * stk_dtype_bytes(w->dtype);
}

static void convert(const stk_output_writer *w, const uint8_t *src, size_t count,
                    const stk_pattern *pattern, void *dst)
{
    if (w->dtype == STK_DTYPE_U8)
        memcpy(dst, src, count);
    else
        w->kernels->convert(src, count, pattern, w->dtype, dst);
}

static void pad_channels(const stk_output_writer *w, const uint8_t *src, size_t pixels,
                         uint8_t *dst)
{
    if (w->channels == 3) {
        w->kernels->pad(src, pixels, dst);
        return;
    }
    memset(dst, 0, pixels * w->written);
    for (size_t i = 0; i < pixels; i++)
        dst[i * w->written] = src[i];
}

static void write_interleaved(const stk_output_writer *w, size_t x, size_t y, const uint8_t *src,
                              size_t count)
{
    uint8_t        padded[RUN * 4];
    uint8_t *const dst = address_of(w, x, y, 0);
    if (w->written == w->channels) {
        convert(w, src, count * w->written, &w->patterns[0], dst);
    } else if (w->dtype == STK_DTYPE_U8) {
        pad_channels(w, src, count, dst);
    } else {
        pad_channels(w, src, count, padded);
        convert(w, padded, count * w->written, &w->patterns[0], dst);
    }
}

static void write_planes(const stk_output_writer *w, size_t x, size_t y, const uint8_t *src,
                         size_t count)
{
    uint8_t channel_rows[3][RUN];
    if (w->channels == 1) {
        convert(w, src, count, &w->patterns[0], address_of(w, x, y, 0));
    } else if (w->dtype == STK_DTYPE_U8) {
        uint8_t *const planes[3] = {address_of(w, x, y, 0), address_of(w, x, y, 1),
                                    address_of(w, x, y, 2)};
        w->kernels->split(src, count, planes);
    } else {
        uint8_t *const planes[3] = {channel_rows[0], channel_rows[1], channel_rows[2]};
        w->kernels->split(src, count, planes);
        for (size_t c = 0; c < 3; c++)
            convert(w, channel_rows[c], count, &w->patterns[c], address_of(w, x, y, c));
    }
    for (size_t c = w->channels; c < w->written; c++)
        memset(address_of(w, x, y, c), 0, count * stk_dtype_bytes(w->dtype));
}

void stk_output_format_write(const stk_output_writer *writer, size_t x, size_t y,
                             const uint8_t *pixels, size_t count)
{
    for (size_t done = 0; done < count; done += RUN) {
        const uint8_t *src = pixels + done * writer->channels;
        const size_t   now = count - done < RUN ? count - done : RUN;
        if (writer->planar)
            write_planes(writer, x + done, y, src, now);
        else
            write_interleaved(writer, x + done, y, src, now);
    }
}

static void write_real_interleaved(const stk_output_writer *w, size_t x, size_t y, const float *src,
                                   size_t count)
{
    float        padded[RUN * 4] = {0};
    const float *values = src;
    if (w->written != w->channels) {
        for (size_t i = 0; i < count; i++)
            memcpy(padded + i * w->written, src + i * w->channels, w->channels * sizeof *src);
        values = padded;
    }
    w->kernels->convert_real(values, count * w->written, &w->patterns[0], w->dtype,
                             address_of(w, x, y, 0));
}

static void write_real_planes(const stk_output_writer *w, size_t x, size_t y, const float *src,
                              size_t count)
{
    float channel_rows[RUN];
    for (size_t c = 0; c < w->channels; c++) {
        for (size_t i = 0; i < count; i++)
            channel_rows[i] = src[i * w->channels + c];
        w->kernels->convert_real(channel_rows, count, &w->patterns[c], w->dtype,
                                 address_of(w, x, y, c));
    }
    for (size_t c = w->channels; c < w->written; c++)
        memset(address_of(w, x, y, c), 0, count * stk_dtype_bytes(w->dtype));
}

void stk_output_format_write_real(const stk_output_writer *writer, size_t x, size_t y,
                                  const float *pixels, size_t count)
{
    for (size_t done = 0; done < count; done += RUN) {
        const float *src = pixels + done * writer->channels;
        const size_t now = count - done < RUN ? count - done : RUN;
        if (writer->planar)
            write_real_planes(writer, x + done, y, src, now);
        else
            write_real_interleaved(writer, x + done, y, src, now);
    }
}

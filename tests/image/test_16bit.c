/* PNGs of 16 bits a channel: every value, scaled by the range, and Pillow's way where asked for. */
#include "codec_support.h"

enum { SIDE = 256, GREY = 0, COLOURS = 2, GREY_ALPHA = 4, COLOURS_ALPHA = 6 };

static void put_u32(uint8_t *to, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        to[i] = (uint8_t)(value >> (24 - 8 * i));
}

static size_t put_chunk(uint8_t *to, const char *name, const uint8_t *content, size_t size)
{
    put_u32(to, (uint32_t)size);
    memcpy(to + 4, name, 4);
    if (size) memcpy(to + 8, content, size);
    put_u32(to + 8 + size, (uint32_t)crc32(0, to + 4, (uInt)size + 4));
    return size + 12;
}

/* Pixel i of 65536 has the value i in every channel. Freed by the caller. */
static stk_bytes make_png(uint8_t kind, int channels)
{
    const size_t row = 1 + (size_t)SIDE * 2 * (size_t)channels, all = row * SIDE;
    uint8_t      header[13] = {0, 0, 1, 0, 0, 0, 1, 0, 16, kind};
    uint8_t     *raw = calloc(1, all), *packed, *png;
    uLongf       size = compressBound(all);
    EXPECT(raw != NULL);
    for (size_t i = 0; i < (size_t)SIDE * SIDE; i++)
        for (int c = 0; c < channels; c++) {
            uint8_t *at = raw + i / SIDE * row + 1 + (i % SIDE * (size_t)channels + (size_t)c) * 2;
            at[0] = (uint8_t)(i >> 8);
            at[1] = (uint8_t)i;
        }
    packed = malloc(size);
    EXPECT(packed != NULL);
    EXPECT_INT_EQ(Z_OK, compress(packed, &size, raw, all));
    png = malloc(size + 100);
    EXPECT(png != NULL);
    memcpy(png, "\x89PNG\r\n\x1a\n", 8);
    size_t at = 8 + put_chunk(png + 8, "IHDR", header, sizeof header);
    at += put_chunk(png + at, "IDAT", packed, size);
    at += put_chunk(png + at, "IEND", NULL, 0);
    free(raw);
    free(packed);
    return stk_bytes_of(png, at);
}

static uint8_t scaled(size_t value)
{
    return (uint8_t)((double)value * 255 / 65535 + 0.5);
}

static void expect_values(uint8_t kind, int stored, bool pillow)
{
    stk_error       err;
    stk_pixels      pixels;
    stk_decoder    *decoder = new_decoder(NULL);
    const stk_bytes png = make_png(kind, stored);
    for (int channels = 1; channels <= 3; channels += 2) {
        const stk_decode_options options = {.channels = channels, .pillow_16bit = pillow};
        EXPECT_OK(stk_image_decode(decoder, png, NULL, 1, &options, &pixels, NULL, &err));
        for (size_t i = 0; i < (size_t)SIDE * SIDE; i++) {
            const uint8_t *at =
                pixels.data + i / SIDE * pixels.stride + i % SIDE * (size_t)channels;
            const int wanted = !pillow        ? scaled(i)
                               : kind != GREY ? (int)(i >> 8)
                               : i > 255      ? 255
                                              : (int)i;
            if (at[0] != wanted || at[channels - 1] != wanted)
                fail_msg("colour type %d, value %zu: %d instead of %d", kind, i, at[0], wanted);
        }
    }
    free((void *)png.data);
    stk_decoder_free(decoder);
}

STK_TEST(sixteen_bits_are_scaled_by_their_range)
{
    expect_values(GREY, 1, false);
    expect_values(GREY_ALPHA, 2, false);
    expect_values(COLOURS, 3, false);
    expect_values(COLOURS_ALPHA, 4, false);
}

STK_TEST(sixteen_bits_are_as_pillow_has_them_where_that_is_asked_for)
{
    expect_values(GREY, 1, true);
    expect_values(GREY_ALPHA, 2, true);
    expect_values(COLOURS, 3, true);
    expect_values(COLOURS_ALPHA, 4, true);
}

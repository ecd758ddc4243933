/* Every kind of image against what Pillow makes of it; windows; what is refused. */
#include "codec_support.h"

static golden list[MOST_GOLDEN];

STK_TEST(images_are_those_that_pillow_gives)
{
    stk_error    err;
    stk_pixels   pixels;
    stk_decoder *decoder = new_decoder(NULL);
    const size_t count = read_golden(list, ".");
    for (size_t i = 0; i < count; i++)
        for (int channels = 1; channels <= 3; channels += 2) {
            const stk_decode_options options = {.channels = channels, .pillow_16bit = true};
            stk_decode_outcome       outcome;
            EXPECT_OK(stk_image_decode(decoder, list[i].encoded, NULL, 1, &options, &pixels,
                                       &outcome, &err));
            EXPECT_INT_EQ(list[i].width, pixels.width);
            EXPECT_INT_EQ(list[i].height, pixels.height);
            EXPECT_INT_EQ(channels, pixels.channels);
            EXPECT(!outcome.recovered);
            if (sum_pixels(&pixels) != (channels == 1 ? list[i].grey : list[i].rgb))
                fail_msg("%s differs with %d channels", list[i].name, channels);
        }
    stk_decoder_free(decoder);
}

/* A window drawn by lot; the first ones are the corners and the whole. */
static stk_rect draw_window(int number, int32_t width, int32_t height, uint32_t *state)
{
    if (number == 0) return (stk_rect){0, 0, width, height};
    if (number == 1) return (stk_rect){0, 0, 1, 1};
    if (number == 2) return (stk_rect){width - 1, height - 1, 1, 1};
    const int32_t x = (int32_t)(draw(state) % (uint32_t)width);
    const int32_t y = (int32_t)(draw(state) % (uint32_t)height);
    return (stk_rect){x, y, 1 + (int32_t)(draw(state) % (uint32_t)(width - x)),
                      1 + (int32_t)(draw(state) % (uint32_t)(height - y))};
}

STK_TEST(windows_are_cut_out_of_the_whole_to_the_bit)
{
    stk_error    err;
    stk_pixels   pixels;
    uint32_t     lot = 1;
    stk_decoder *decoder = new_decoder(NULL);
    const size_t count = read_golden(list, ".");
    for (size_t i = 0; i < count; i++)
        for (int channels = 1; channels <= 3; channels += 2) {
            const stk_decode_options options = {.channels = channels};
            EXPECT_OK(
                stk_image_decode(decoder, list[i].encoded, NULL, 1, &options, &pixels, NULL, &err));
            const stk_pixels whole = copy_pixels(&pixels);
            for (int k = 0; k < 60; k++) {
                const stk_rect window = draw_window(k, whole.width, whole.height, &lot);
                EXPECT_OK(stk_image_decode(decoder, list[i].encoded, &window, 1, &options, &pixels,
                                           NULL, &err));
                expect_cut_out(&whole, window, &pixels);
            }
            free(whole.data);
        }
    stk_decoder_free(decoder);
}

static const char *format_of_name(const char *name)
{
    static const char *const formats[][2] = {{".jpg", "jpeg"}, {".png", "png"}, {".webp", "webp"},
                                             {".gif", "gif"},  {".bmp", "bmp"}, {".tif", "tiff"},
                                             {".pbm", "pnm"},  {".pgm", "pnm"}, {".ppm", "pnm"}};
    for (size_t i = 0; i < COUNT_OF(formats); i++)
        if (strstr(name, formats[i][0])) return formats[i][1];
    return "none";
}

STK_TEST(headers_are_read_without_decoding)
{
    stk_error      err;
    stk_image_info info;
    const size_t   count = read_golden(list, ".");
    for (size_t i = 0; i < count; i++) {
        int turned;
        EXPECT_OK(stk_image_read_info(list[i].encoded, NULL, &info, &err));
        EXPECT_INT_EQ(list[i].width, info.width);
        EXPECT_INT_EQ(list[i].height, info.height);
        if (info.format != STK_IMAGE_GIF) /* Pillow interlaces them unless asked not to */
            EXPECT_INT_EQ(strstr(list[i].name, "interlaced") != NULL, info.progressive);
        EXPECT_STR_EQ(format_of_name(list[i].name), stk_image_format_name(info.format));
        EXPECT_INT_EQ(!strncmp(list[i].name, "animated", 8) || strstr(list[i].name, "pages"),
                      info.more_frames);
        EXPECT_INT_EQ(sscanf(list[i].name, "turned%d", &turned) == 1 ? turned : 1,
                      info.orientation);
        EXPECT_INT_EQ(info.orientation >= 5 ? info.height : info.width, info.stored_width);
    }
    static const struct {
        const char *name;
        int         channels, bits;
    } kinds[] = {{"grey1.png", 1, 1},         {"grey16.png", 1, 16},    {"palette4.png", 3, 8},
                 {"grey-alpha16.png", 2, 16}, {"rgb-alpha8.png", 4, 8}, {"rgb.ppm", 3, 8},
                 {"lossy-alpha.webp", 4, 8},  {"lossless.webp", 3, 8},  {"turned1.jpg", 3, 8},
                 {"grey.gif", 1, 8},          {"palette.gif", 3, 8},    {"grey8.bmp", 1, 8},
                 {"palette4.bmp", 3, 8},      {"fields32.bmp", 4, 8},   {"grey1.bmp", 1, 1},
                 {"bitmap.pbm", 1, 1},        {"grey16.pgm", 1, 16},    {"rgb-plain.ppm", 3, 8},
                 {"cmyk.tif", 4, 8},          {"grey16.tif", 1, 16},    {"palette.tif", 3, 8},
                 {"fax.tif", 1, 1},           {"rgb-alpha.tif", 4, 8}};
    for (size_t i = 0; i < COUNT_OF(kinds); i++) {
        EXPECT_OK(stk_image_read_info(read_image(kinds[i].name), NULL, &info, &err));
        EXPECT_INT_EQ(kinds[i].channels, info.channels);
        EXPECT_INT_EQ(kinds[i].bits, info.bits);
    }
}

STK_TEST(orientation_may_be_left_as_stored)
{
    stk_error                err;
    stk_pixels               pixels;
    stk_decoder             *decoder = new_decoder(NULL);
    const stk_decode_options options = {.stored_orientation = true};
    EXPECT_OK(stk_image_decode(decoder, read_image("turned6.png"), &(stk_rect){10, 6, 1, 1}, 1,
                               &options, &pixels, NULL, &err));
    EXPECT_STATUS(STK_E_RANGE,
                  stk_image_decode(decoder, read_image("turned6.png"), &(stk_rect){6, 10, 1, 1}, 1,
                                   &options, &pixels, NULL, &err));
    stk_decoder_free(decoder);
}

STK_TEST(pnm_pixels_are_lent_where_they_lie)
{
    stk_error       err;
    stk_pixels      pixels;
    stk_decoder    *decoder = new_decoder(NULL);
    const stk_bytes encoded = read_image("rgb.ppm");
    EXPECT_OK(
        stk_image_decode(decoder, encoded, &(stk_rect){2, 1, 3, 2}, 1, NULL, &pixels, NULL, &err));
    EXPECT(pixels.data > encoded.data && pixels.data < encoded.data + encoded.size);
    EXPECT_INT_EQ(27, pixels.stride);
    stk_decoder_free(decoder);
}

STK_TEST(what_cannot_be_done_is_said)
{
    static const stk_rect outside[] = {{-1, 0, 2, 2},
                                       {0, -1, 2, 2},
                                       {0, 0, 0, 1},
                                       {0, 0, 1, -1},
                                       {18, 0, 2, 1},
                                       {0, 12, 1, 2},
                                       {2147483647, 0, 2147483647, 1},
                                       {0, 2147483647, 1, 2147483647}};
    stk_error             err;
    stk_pixels            pixels;
    stk_image_info        info;
    stk_decoder          *decoder = new_decoder(NULL);
    const stk_bytes       png = read_image("rgb8.png");
    for (size_t i = 0; i < COUNT_OF(outside); i++)
        EXPECT_STATUS(STK_E_RANGE,
                      stk_image_decode(decoder, png, &outside[i], 1, NULL, &pixels, NULL, &err));
    EXPECT_CONTAINS("is not inside 19 x 13", err.message);
    for (int shrink = -1; shrink <= 9; shrink++)
        if (shrink != 1)
            EXPECT_STATUS(STK_E_INVALID,
                          stk_image_decode(decoder, png, NULL, shrink, NULL, &pixels, NULL, &err));
    EXPECT_CONTAINS("a png cannot be decoded at 1/9", err.message);
    EXPECT_STATUS(STK_E_INVALID,
                  stk_image_decode(decoder, png, NULL, 1, &(stk_decode_options){.channels = 4},
                                   &pixels, NULL, &err));
    EXPECT_STATUS(STK_E_UNSUPPORTED,
                  stk_image_read_info(stk_bytes_text("GIF99a"), NULL, &info, &err));
    EXPECT_CONTAINS("6 bytes that are no JPEG", err.message);
    EXPECT_STATUS(STK_E_UNSUPPORTED, stk_image_read_info(stk_bytes_of("\0\0\0\x18"
                                                                      "ftypheic....",
                                                                      16),
                                                         NULL, &info, &err));
    EXPECT_CONTAINS("HEIC image, which is not read; convert it", err.message);
    EXPECT_STATUS(STK_E_UNSUPPORTED, stk_image_read_info(stk_bytes_of("", 0), NULL, &info, &err));
    EXPECT_STATUS(STK_E_FORMAT,
                  stk_image_read_info(stk_bytes_text("P6 1 1 65536 123456"), NULL, &info, &err));
    EXPECT_STATUS(STK_E_FORMAT,
                  stk_image_read_info(stk_bytes_text("P6 1 x 255 123"), NULL, &info, &err));
    EXPECT_STATUS(STK_E_FORMAT,
                  stk_image_read_info(stk_bytes_text("P5 0 1 255 1"), NULL, &info, &err));
    stk_decoder_free(decoder);
}

/* Windows against their definition, pixel by pixel: borders, flips, endings. */
#include "resize_support.h"

static const uint8_t fill[3] = {9, 99, 199};

static int64_t reflected(int64_t at, int64_t size)
{
    while (at < 0 || at >= size) {
        if (size == 1) return 0;
        at = at < 0 ? -at : 2 * (size - 1) - at;
    }
    return at;
}

static int64_t inside(int64_t at, int64_t size, stk_border border)
{
    if (border == STK_BORDER_REFLECT) return reflected(at, size);
    return at < 0 ? 0 : at >= size ? size - 1 : at;
}

static uint8_t expected_at(const stk_pixels *p, int64_t x, int64_t y, size_t c, stk_border border)
{
    const bool outside = x < 0 || y < 0 || x >= p->width || y >= p->height;
    if (outside && border == STK_BORDER_CONSTANT) return fill[c];
    x = inside(x, p->width, border);
    y = inside(y, p->height, border);
    return p->data[(size_t)y * p->stride + (size_t)x * (size_t)p->channels + c];
}

static void expect_window(const stk_pixels *p, stk_rect window, stk_border border, int flips)
{
    const stk_output_format bytes = {.dtype = STK_DTYPE_U8},
                            planes = {.dtype = STK_DTYPE_U8, .planar = true};
    const size_t   channels = (size_t)p->channels;
    const size_t   pixels = (size_t)window.width * (size_t)window.height;
    uint8_t *const whole = malloc(pixels * channels), *const apart = malloc(pixels * channels);
    stk_copy_window(p, window, border, fill, flips & 1, flips & 2, &bytes, whole);
    stk_copy_window(p, window, border, fill, flips & 1, flips & 2, &planes, apart);
    for (size_t i = 0; i < pixels; i++)
        for (size_t c = 0; c < channels; c++) {
            const int32_t x = (int32_t)i % window.width, y = (int32_t)i / window.width;
            const uint8_t want =
                expected_at(p, (int64_t)window.x + (flips & 1 ? window.width - 1 - x : x),
                            (int64_t)window.y + (flips & 2 ? window.height - 1 - y : y), c, border);
            EXPECT_INT_EQ(want, whole[i * channels + c]);
            EXPECT_INT_EQ(want, apart[c * pixels + i]);
        }
    free(whole);
    free(apart);
}

STK_TEST(windows_are_what_their_definition_says)
{
    static const stk_rect windows[] = {
        {0, 0, 32, 32},    {-4, -4, 40, 40}, {4, 0, 32, 32},   {-4, 3, 32, 32},  {10, 20, 1, 1},
        {-300, 5, 640, 3}, {40, 40, 9, 7},   {-50, -50, 8, 8}, {31, 31, 70, 90}, {0, -90, 32, 200}};
    for (int32_t channels = 1; channels <= 3; channels += 2) {
        const stk_pixels p = make_image(32, 32, channels);
        for (size_t i = 0; i < COUNT_OF(windows); i++)
            for (int border = 0; border <= STK_BORDER_REFLECT; border++)
                for (int flips = 0; flips < 4; flips++)
                    expect_window(&p, windows[i], border, flips);
        free(p.data);
    }
}

STK_TEST(windows_of_one_pixel_images_repeat_it)
{
    const stk_pixels p = make_image(1, 1, 3);
    for (int border = 0; border <= STK_BORDER_REFLECT; border++)
        expect_window(&p, (stk_rect){-3, -2, 7, 6}, border, 3);
    free(p.data);
}

STK_TEST(windows_at_the_ends_of_numbers_do_not_overflow)
{
    const stk_pixels p = make_image(5, 5, 1);
    for (int border = 0; border <= STK_BORDER_EDGE; border++) {
        expect_window(&p, (stk_rect){INT32_MAX - 2, INT32_MIN, 4, 4}, border, 1);
        expect_window(&p, (stk_rect){INT32_MIN, INT32_MAX - 1, 4, 4}, border, 0);
    }
    free(p.data);
}

STK_TEST(a_windows_real_values_are_its_bytes_scaled)
{
    const stk_pixels        p = make_image(40, 9, 3);
    const stk_output_format e = {.dtype = STK_DTYPE_F32,
                                 .planar = true,
                                 .scaled = true,
                                 .scale = {0.5f, 0.25f, 2},
                                 .offset = {1, 2, 3}};
    float                   out[3 * 300 * 9];
    stk_copy_window(&p, (stk_rect){-130, 0, 300, 9}, STK_BORDER_REFLECT, fill, true, false, &e,
                    out);
    for (size_t c = 0; c < 3; c++)
        for (int32_t i = 0; i < 300 * 9; i++) {
            const uint8_t byte =
                expected_at(&p, -130 + 299 - i % 300, i / 300, c, STK_BORDER_REFLECT);
            EXPECT((float)byte * e.scale[c] + e.offset[c] == out[c * 300 * 9 + (size_t)i]);
        }
    free(p.data);
}

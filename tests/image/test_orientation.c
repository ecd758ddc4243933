/* Turning by EXIF orientation, and finding the orientation. */
#include "codec_support.h"
#include "image/codec/codec.h"
#include "image/codec/orientation.h"

/* The stored place of what is shown at x, y: the EXIF standard's table, spelt out. */
static void find_stored(int orientation, int32_t width, int32_t height, int32_t x, int32_t y,
                        int32_t *sx, int32_t *sy)
{
    const int32_t right = width - 1, bottom = height - 1;
    const int32_t places[9][2] = {{0, 0},          {x, y}, {right - x, y},  {right - x, bottom - y},
                                  {x, bottom - y}, {y, x}, {y, bottom - x}, {right - y, bottom - x},
                                  {right - y, x}};
    *sx = places[orientation][0];
    *sy = places[orientation][1];
}

static void expect_turned(int orientation, int32_t width, int32_t height, int32_t channels)
{
    static uint8_t stored[70 * 80 * 3], turned[70 * 80 * 3];
    uint32_t       state = (uint32_t)orientation;
    const size_t   stride = (size_t)(width + 2) * (size_t)channels;
    for (size_t i = 0; i < stride * (size_t)height; i++)
        stored[i] = (uint8_t)draw(&state);
    const stk_pixels from = {stored, width, height, channels, stride};
    const stk_pixels to = stk_orientation_turn(orientation, &from, turned);
    EXPECT_INT_EQ(orientation >= 5 ? height : width, to.width);
    EXPECT_INT_EQ(orientation >= 5 ? width : height, to.height);
    for (int32_t y = 0; y < to.height; y++)
        for (int32_t x = 0; x < to.width; x++) {
            int32_t sx, sy;
            find_stored(orientation, width, height, x, y, &sx, &sy);
            EXPECT_MEM_EQ(stored + (size_t)sy * stride + (size_t)(sx * channels),
                          to.data + (size_t)y * to.stride + (size_t)(x * channels),
                          (size_t)channels);
        }
}

STK_TEST(all_eight_turn_and_mirror_pixels_of_any_size)
{
    static const int32_t sizes[][2] = {{1, 1}, {1, 7}, {5, 1}, {32, 32}, {33, 31}, {65, 70}};
    for (int orientation = 1; orientation <= 8; orientation++)
        for (size_t i = 0; i < COUNT_OF(sizes); i++)
            for (int32_t channels = 1; channels <= 3; channels += 2)
                expect_turned(orientation, sizes[i][0], sizes[i][1], channels);
}

/* An EXIF block of one entry; big_endian turns all numbers around. */
static stk_bytes make_exif(uint8_t *out, bool big_endian, int type, int count, int value)
{
    const int numbers[][2] = {{8, 4},
                              {1, 2},
                              {0x112, 2},
                              {type, 2},
                              {count, 4},
                              {value, type == 4 ? 4 : 2},
                              {0, type == 4 ? 0 : 2}};
    memcpy(out, big_endian ? "MM\0*" : "II*\0", 4);
    size_t size = 4;
    for (size_t i = 0; i < COUNT_OF(numbers); i++)
        for (int b = 0; b < numbers[i][1]; b++) {
            const int shift = 8 * (big_endian ? numbers[i][1] - 1 - b : b);
            out[size++] = (uint8_t)(numbers[i][0] >> shift);
        }
    return stk_bytes_of(out, size);
}

STK_TEST(orientation_is_found_in_both_byte_orders)
{
    uint8_t bytes[64] = "Exif";
    for (int big = 0; big < 2; big++)
        for (int value = 1; value <= 8; value++) {
            EXPECT_INT_EQ(value, stk_exif_orientation(make_exif(bytes + 6, big, 3, 1, value)));
            EXPECT_INT_EQ(value, stk_exif_orientation(make_exif(bytes + 6, big, 4, 1, value)));
            EXPECT_INT_EQ(value, stk_exif_orientation(stk_bytes_of(bytes, 6 + 22)));
        }
}

STK_TEST(nonsense_in_exif_is_no_orientation)
{
    uint8_t bytes[64];
    EXPECT_INT_EQ(1, stk_exif_orientation(stk_bytes_of("", 0)));
    EXPECT_INT_EQ(1, stk_exif_orientation(make_exif(bytes, false, 3, 1, 0)));
    EXPECT_INT_EQ(1, stk_exif_orientation(make_exif(bytes, false, 3, 1, 9)));
    EXPECT_INT_EQ(1, stk_exif_orientation(make_exif(bytes, false, 4, 1, 0x10006)));
    EXPECT_INT_EQ(1, stk_exif_orientation(make_exif(bytes, false, 3, 2, 6)));
    EXPECT_INT_EQ(1, stk_exif_orientation(make_exif(bytes, false, 5, 1, 6)));
    stk_bytes exif = make_exif(bytes, false, 3, 1, 6);
    for (size_t cut = 0; cut < exif.size; cut++) { /* in a block of its own, for the sanitizer */
        uint8_t *copy = malloc(cut + 1);
        memcpy(copy, exif.data, cut);
        EXPECT_INT_EQ(1, stk_exif_orientation(stk_bytes_of(copy, cut)));
        free(copy);
    }
    static const uint8_t offsets[][4] = {{0xff, 0xff, 0xff, 0xff},
                                         {0xfe, 0xff, 0xff, 0xff},
                                         {21, 0, 0, 0},
                                         {20, 0, 0, 0},
                                         {0, 0, 0, 0x80},
                                         {0, 0, 0, 0}};
    for (size_t i = 0; i < COUNT_OF(offsets); i++) {
        memcpy(bytes + 4, offsets[i], 4);
        EXPECT_INT_EQ(1, stk_exif_orientation(exif));
    }
}

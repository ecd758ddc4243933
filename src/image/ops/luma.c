/* Grey in plain C, the choice of the kernel, and the mean. */
#include "image/ops/luma.h"

#include "image/ops/area.h"

enum { RED = 19595, GREEN = 38470, BLUE = 7471, HALF = 1 << 15, BLOCK = 1024 };

void stk_luma_plain(const uint8_t *rgb, uint8_t *grey, size_t pixels)
{
    for (size_t i = 0; i < pixels; i++, rgb += 3)
        grey[i] = (uint8_t)((rgb[0] * RED + rgb[1] * GREEN + rgb[2] * BLUE + HALF) >> 16);
}

void stk_luma_spread_plain(const uint8_t *grey, uint8_t *rgb, size_t pixels)
{
    for (size_t i = 0; i < pixels; i++, rgb += 3)
        rgb[0] = rgb[1] = rgb[2] = grey[i];
}

void stk_luma(const uint8_t *rgb, uint8_t *grey, size_t pixels)
{
    const stk_luma_fn fast = stk_luma_avx2();
    (fast ? fast : stk_luma_plain)(rgb, grey, pixels);
}

void stk_luma_spread(const uint8_t *grey, uint8_t *rgb, size_t pixels)
{
    const stk_luma_fn fast = stk_luma_spread_avx2();
    (fast ? fast : stk_luma_spread_plain)(grey, rgb, pixels);
}

static uint64_t sum(const uint8_t *grey, size_t count)
{
    uint32_t total = 0;
    for (size_t i = 0; i < count; i++)
        total += grey[i];
    return total;
}

/* In blocks: the greys stay in the nearest cache, and their sum in 32 bits. */
uint8_t stk_luma_mean(const stk_pixels *pixels)
{
    const size_t count = stk_area_pixels(pixels);
    uint64_t     total = 0;
    uint8_t      block[BLOCK];
    for (size_t done = 0; done < count; done += BLOCK) {
        const size_t   now = count - done < BLOCK ? count - done : BLOCK;
        const uint8_t *grey = pixels->data + done;
        if (pixels->channels == 3) {
            stk_luma(pixels->data + 3 * done, block, now);
            grey = block;
        }
        total += sum(grey, now);
    }
    return (uint8_t)((2 * total + count) / (2 * count));
}

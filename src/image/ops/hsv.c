/* Turning hues in plain C, and the choice of the kernel. Pillow mixes float and double; double is
 * used here only where float would give another level for some colour. */
#include "image/ops/hsv.h"

typedef struct hsv {
    int hue, saturation, value; /* 0 to 255 */
} hsv;

static int max_of(int a, int b)
{
    return a > b ? a : b;
}

static int min_of(int a, int b)
{
    return a < b ? a : b;
}

/* Grey is divided by 1 instead of 0, which gives it hue and saturation 0 all the same. */
static hsv from_rgb(int r, int g, int b)
{
    const int    max = max_of(r, max_of(g, b)), spread = max - min_of(r, min_of(g, b));
    const float  range = (float)max_of(spread, 1);
    const float  saturation = (float)spread / (float)max_of(max, 1);
    const int    base = r == max ? 0 : g == max ? 2 : 4;
    const int    next = r == max ? b : g == max ? r : g;
    const int    last = r == max ? g : g == max ? b : r;
    const float  from_next = (float)(max - next) / range, from_last = (float)(max - last) / range;
    const float  around = (float)((double)base + from_next - from_last);
    const double past_one = around / 6.0 + 1.0;
    const float  hue = (float)(past_one - (int)past_one);
    return (hsv){(int)(hue * 255.0), (int)(saturation * 255), max};
}

/* Between two of the six pure colours one channel is full, one is low, one falls or rises. */
static void to_rgb(hsv colour, uint8_t rgb[3])
{
    const int   sixths = 6 * colour.hue, sector = sixths / 255;
    const float along = (float)(sixths - 255 * sector) / 255, value = (float)colour.value;
    const float saturation = (float)colour.saturation / 255;
    const int   full = colour.value, low = (int)(value * (1 - saturation) + 0.5f);
    const int   falling = (int)(value * (1 - saturation * along) + 0.5f);
    const int   rising = (int)(value * (1 - saturation * (1 - along)) + 0.5f);
    const int   channels[6][3] = {{full, rising, low},  {falling, full, low}, {low, full, rising},
                                  {low, falling, full}, {rising, low, full},  {full, low, falling}};
    for (int c = 0; c < 3; c++)
        rgb[c] = (uint8_t)channels[sector % 6][c];
}

void stk_hsv_turn_plain(uint8_t *rgb, size_t pixels, uint8_t steps)
{
    for (uint8_t *end = rgb + 3 * pixels; rgb < end; rgb += 3) {
        hsv colour = from_rgb(rgb[0], rgb[1], rgb[2]);
        colour.hue = (colour.hue + steps) & 255;
        to_rgb(colour, rgb);
    }
}

void stk_hsv_turn(uint8_t *rgb, size_t pixels, uint8_t steps)
{
    const stk_hsv_fn fast = stk_hsv_turn_avx2();
    (fast ? fast : stk_hsv_turn_plain)(rgb, pixels, steps);
}

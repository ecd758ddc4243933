/* Bilinear and bicubic sampling in double precision, truncated to integers as in Pillow. */
#include "image/ops/warp_row.h"

static int32_t clip(int32_t index, int32_t count)
{
    return index < 0 ? 0 : index < count ? index : count - 1;
}

/* The integer at or below; a call of floor() would take as long as the rest. */
static int32_t below(double position)
{
    const int32_t integer = (int32_t)position;
    return integer - (position < integer);
}

static double mix(double a, double b, double part)
{
    return a + (b - a) * part;
}

/* Cubic with a = -1. */
static double bend(const double v[4], double part)
{
    const double p2 = -v[0] + v[2];
    const double p3 = 2 * (v[0] - v[1]) + v[2] - v[3];
    const double p4 = -v[0] + v[1] - v[2] + v[3];
    return v[1] + part * (p2 + part * (p3 + part * p4));
}

void stk_warp_bilinear(const stk_warp_row *row, int32_t begin, int32_t end)
{
    const stk_pixels *src = row->src;
    const int32_t     channels = src->channels;
    for (int32_t i = begin; i < end; i++) {
        const double   at_x = stk_warp_x(row, i) - 0.5, at_y = stk_warp_y(row, i) - 0.5;
        const int32_t  x = below(at_x), y = below(at_y);
        const double   dx = at_x - x, dy = at_y - y;
        const size_t   left = (size_t)clip(x, src->width) * (size_t)channels;
        const size_t   right = (size_t)clip(x + 1, src->width) * (size_t)channels;
        const uint8_t *above = src->data + (size_t)clip(y, src->height) * src->stride;
        const uint8_t *below = src->data + (size_t)clip(y + 1, src->height) * src->stride;
        uint8_t       *out = row->out + (size_t)i * (size_t)channels;
        for (int32_t c = 0; c < channels; c++)
            out[c] = (uint8_t)mix(mix(above[left + c], above[right + c], dx),
                                  mix(below[left + c], below[right + c], dx), dy);
    }
}

static uint8_t cut(double value)
{
    return value <= 0 ? 0 : value >= 255 ? 255 : (uint8_t)value;
}

void stk_warp_bicubic(const stk_warp_row *row, int32_t begin, int32_t end)
{
    const stk_pixels *src = row->src;
    const int32_t     channels = src->channels;
    for (int32_t i = begin; i < end; i++) {
        const double   at_x = stk_warp_x(row, i) - 0.5, at_y = stk_warp_y(row, i) - 0.5;
        const int32_t  x = below(at_x), y = below(at_y);
        const uint8_t *lines[4];
        size_t         columns[4];
        for (int k = 0; k < 4; k++) {
            lines[k] = src->data + (size_t)clip(y + k - 1, src->height) * src->stride;
            columns[k] = (size_t)clip(x + k - 1, src->width) * (size_t)channels;
        }
        for (int32_t c = 0; c < channels; c++) {
            double across[4], down[4];
            for (int k = 0; k < 4; k++) {
                for (int j = 0; j < 4; j++)
                    across[j] = lines[k][columns[j] + c];
                down[k] = bend(across, at_x - x);
            }
            row->out[(size_t)i * (size_t)channels + c] = cut(bend(down, at_y - y));
        }
    }
}

/* The transforms in plain C: what the kernels are tested against. Constants are cosines in 13 bits;
 * each pass keeps two bits more than it was given. */
#include "image/jpeg/idct.h"

#include <stdbool.h>
#include <string.h>

enum { SIDE = 8, CONSTANT_BITS = 13, PASS_BITS = 2, OUT_BITS = 3 };

static int16_t wrap(int32_t value)
{
    return (int16_t)(uint16_t)(uint32_t)value;
}

static int16_t saturate(int32_t value)
{
    return (int16_t)(value < INT16_MIN ? INT16_MIN : value > INT16_MAX ? INT16_MAX : value);
}

static uint8_t sample_of(int32_t value)
{
    return (uint8_t)((value < -128 ? -128 : value > 127 ? 127 : value) + 128);
}

static int32_t descale(int32_t value, int bits)
{
    return (int32_t)((uint32_t)value + (1u << (bits - 1))) >> bits;
}

static int32_t shift_up(int16_t value, int bits)
{
    return (int32_t)((uint32_t)(int32_t)value << bits);
}

static int32_t dot(int16_t a, int32_t p, int16_t b, int32_t q)
{
    return (int32_t)((uint32_t)(a * p) + (uint32_t)(b * q));
}

static int32_t sum(int32_t a, int32_t b)
{
    return (int32_t)((uint32_t)a + (uint32_t)b);
}

static int32_t difference(int32_t a, int32_t b)
{
    return (int32_t)((uint32_t)a - (uint32_t)b);
}

/* Eight values with a step between them, in and out. */
static void transform_8(const int16_t *in, size_t step, int32_t *out, int bits)
{
    const int16_t i0 = in[0], i1 = in[step], i2 = in[2 * step], i3 = in[3 * step];
    const int16_t i4 = in[4 * step], i5 = in[5 * step], i6 = in[6 * step], i7 = in[7 * step];
    const int32_t t0 = shift_up(wrap(i0 + i4), CONSTANT_BITS);
    const int32_t t1 = shift_up(wrap(i0 - i4), CONSTANT_BITS);
    const int32_t t3 = dot(i2, 10703, i6, 4433), t2 = dot(i2, 4433, i6, -10704);
    const int16_t z3 = wrap(i7 + i3), z4 = wrap(i5 + i1);
    const int32_t u3 = dot(z3, -6436, z4, 9633), u4 = dot(z3, 9633, z4, 6437);
    const int32_t o0 = sum(dot(i7, -4927, i1, -7373), u3);
    const int32_t o1 = sum(dot(i5, -4176, i3, -20995), u4);
    const int32_t o2 = sum(dot(i5, -20995, i3, 4177), u3);
    const int32_t o3 = sum(dot(i7, -7373, i1, 4926), u4);
    const int32_t even[4] = {sum(t0, t3), sum(t1, t2), difference(t1, t2), difference(t0, t3)};
    const int32_t odd[4] = {o3, o2, o1, o0};
    for (int i = 0; i < 4; i++) {
        out[i] = descale(sum(even[i], odd[i]), bits);
        out[7 - i] = descale(difference(even[i], odd[i]), bits);
    }
}

static void dequantize(int16_t *out, int16_t *coefficients, const int16_t *quant)
{
    for (int i = 0; i < SIDE * SIDE; i++)
        out[i] = wrap(coefficients[i] * quant[i]);
    memset(coefficients, 0, SIDE * SIDE * sizeof *coefficients);
}

/* Rows but the first (and but skip) that hold anything. libjpeg-turbo's vector code takes a short
 * way without any: its values wrap where they would saturate otherwise. */
static bool has_rows(const int16_t *coefficients, int skip)
{
    for (int i = SIDE; i < SIDE * SIDE; i++)
        if (coefficients[i] && i / SIDE != skip) return true;
    return false;
}

static void transform_to_8x8(uint8_t *dst, size_t stride, int16_t *coefficients,
                             const int16_t *quant)
{
    int16_t    in[SIDE * SIDE], middle[SIDE * SIDE];
    int32_t    out[SIDE];
    const bool rows = has_rows(coefficients, 0);
    dequantize(in, coefficients, quant);
    for (int x = 0; x < SIDE; x++) {
        transform_8(in + x, SIDE, out, CONSTANT_BITS - PASS_BITS);
        for (int y = 0; y < SIDE; y++)
            middle[y * SIDE + x] = rows ? saturate(out[y]) : wrap(shift_up(in[x], PASS_BITS));
    }
    for (int y = 0; y < SIDE; y++, dst += stride) {
        transform_8(middle + y * SIDE, 1, out, CONSTANT_BITS + PASS_BITS + OUT_BITS);
        for (int x = 0; x < SIDE; x++)
            dst[x] = sample_of(out[x]);
    }
}

static void transform_4(const int16_t *in, size_t step, int32_t *out, int bits)
{
    const int16_t i1 = in[step], i2 = in[2 * step], i3 = in[3 * step];
    const int16_t i5 = in[5 * step], i6 = in[6 * step], i7 = in[7 * step];
    const int32_t t0 = shift_up(in[0], CONSTANT_BITS + 1), t2 = dot(i2, 15137, i6, -6270);
    const int32_t o0 = sum(dot(i1, 8697, i3, -17799), dot(i5, 11893, i7, -1730));
    const int32_t o2 = sum(dot(i1, 20995, i3, 7373), dot(i5, -4926, i7, -4176));
    out[0] = descale(sum(sum(t0, t2), o2), bits);
    out[1] = descale(sum(difference(t0, t2), o0), bits);
    out[2] = descale(difference(difference(t0, t2), o0), bits);
    out[3] = descale(difference(sum(t0, t2), o2), bits);
}

static void transform_to_4x4(uint8_t *dst, size_t stride, int16_t *coefficients,
                             const int16_t *quant)
{
    int16_t    in[SIDE * SIDE], middle[4 * SIDE];
    int32_t    out[4];
    const bool rows = has_rows(coefficients, 4);
    dequantize(in, coefficients, quant);
    for (int x = 0; x < SIDE; x++) {
        transform_4(in + x, SIDE, out, CONSTANT_BITS - PASS_BITS + 1);
        for (int y = 0; y < 4; y++)
            middle[y * SIDE + x] = rows ? saturate(out[y]) : wrap(shift_up(in[x], PASS_BITS));
    }
    for (int y = 0; y < 4; y++, dst += stride) {
        transform_4(middle + y * SIDE, 1, out, CONSTANT_BITS + PASS_BITS + OUT_BITS + 1);
        for (int x = 0; x < 4; x++)
            dst[x] = sample_of(out[x]);
    }
}

static int32_t odd_2(int16_t i1, int16_t i3, int16_t i5, int16_t i7)
{
    return sum(dot(i1, 29692, i3, -10426), dot(i5, 6967, i7, -5906));
}

/* Twenty products: vectors would spend more on arranging them. */
static void transform_to_2x2(uint8_t *dst, size_t stride, int16_t *coefficients,
                             const int16_t *quant)
{
    enum { BITS = CONSTANT_BITS - PASS_BITS + 2, LAST_BITS = CONSTANT_BITS + PASS_BITS + 5 };
    int16_t in[SIDE * SIDE];
    int32_t middle[2][SIDE];
    dequantize(in, coefficients, quant);
    for (int x = 0; x < SIDE; x++) {
        if (x && !(x & 1)) continue;
        const int32_t even = shift_up(in[x], CONSTANT_BITS + 2);
        const int32_t odd =
            odd_2(in[SIDE + x], in[3 * SIDE + x], in[5 * SIDE + x], in[7 * SIDE + x]);
        middle[0][x] = descale(sum(even, odd), BITS);
        middle[1][x] = descale(difference(even, odd), BITS);
    }
    for (int y = 0; y < 2; y++, dst += stride) {
        const int32_t *m = middle[y];
        const int32_t  even = (int32_t)((uint32_t)m[0] << (CONSTANT_BITS + 2));
        const int32_t  odd = odd_2(saturate(m[1]), saturate(m[3]), saturate(m[5]), saturate(m[7]));
        dst[0] = sample_of(descale(sum(even, odd), LAST_BITS));
        dst[1] = sample_of(descale(difference(even, odd), LAST_BITS));
    }
}

/* libjpeg looks this one up in a table by ten bits: what lies far outside wraps around. */
static void transform_to_1x1(uint8_t *dst, int16_t *coefficients, const int16_t *quant)
{
    const int32_t value = descale(coefficients[0] * quant[0], OUT_BITS);
    dst[0] = sample_of((int32_t)((uint32_t)value << 22) >> 22);
    memset(coefficients, 0, SIDE * SIDE * sizeof *coefficients);
}

void stk_idct_8x8_plain(const stk_idct_job *jobs, int count)
{
    for (int i = 0; i < count; i++)
        transform_to_8x8(jobs[i].dst, jobs[i].stride, jobs[i].coefficients, jobs[i].quant);
}

void stk_idct_4x4_plain(const stk_idct_job *jobs, int count)
{
    for (int i = 0; i < count; i++)
        transform_to_4x4(jobs[i].dst, jobs[i].stride, jobs[i].coefficients, jobs[i].quant);
}

void stk_idct_2x2(const stk_idct_job *jobs, int count)
{
    for (int i = 0; i < count; i++)
        transform_to_2x2(jobs[i].dst, jobs[i].stride, jobs[i].coefficients, jobs[i].quant);
}

void stk_idct_1x1(const stk_idct_job *jobs, int count)
{
    for (int i = 0; i < count; i++)
        transform_to_1x1(jobs[i].dst, jobs[i].coefficients, jobs[i].quant);
}

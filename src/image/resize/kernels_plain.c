/* The reference: every other table of kernels is tested against this one. */
#include "image/resize/resize_kernels.h"

#include <math.h>
#include <string.h>

enum { AT_ONCE = 16 };

/* Sums wrap around, as the processor's do: no weights of ours come near. Three channels side by
 * side take their weights once. */
static void integer_sums(const uint8_t *src, size_t channels, const int32_t *weights, int32_t taps,
                         uint32_t sums[3])
{
    sums[0] = sums[1] = sums[2] = 0;
    for (int32_t k = 0; k < taps; k++, src += channels) {
        const uint32_t weight = (uint32_t)weights[k];
        sums[0] += weight * src[0];
        if (channels == 1) continue;
        sums[1] += weight * src[1];
        sums[2] += weight * src[2];
    }
}

static float real_sum(const uint8_t *src, size_t step, const float *weights, int32_t taps)
{
    float sum = 0;
    for (int32_t k = 0; k < taps; k++)
        sum += weights[k] * (float)src[(size_t)k * step];
    return sum;
}

static int32_t rounded(uint32_t sum)
{
    const uint32_t half = 1u << (STK_WEIGHT_BITS - 1);
    const int32_t  value = (int32_t)(sum + half) >> STK_WEIGHT_BITS;
    return value < 0 ? 0 : value > 255 ? 255 : value;
}

static void gather_integer(const stk_row_gather *gather, const uint8_t *row, stk_sample32 *dst)
{
    const stk_axis *axis = gather->axis;
    const size_t    channels = (size_t)gather->channels, taps = (size_t)axis->taps;
    const bool      bytes = axis->arithmetic == STK_SUMS_BYTES;
    for (size_t x = 0; x < (size_t)axis->count; x++) {
        uint32_t sums[3];
        integer_sums(row + (size_t)axis->first[x] * channels, channels, axis->fixed + x * taps,
                     axis->taps, sums);
        for (size_t c = 0; c < channels; c++, dst++)
            dst->integer = bytes ? rounded(sums[c]) : (int32_t)sums[c];
    }
}

static void gather_real(const stk_row_gather *gather, const uint8_t *row, stk_sample32 *dst)
{
    const stk_axis *axis = gather->axis;
    const size_t    channels = (size_t)gather->channels, taps = (size_t)axis->taps;
    for (size_t x = 0; x < (size_t)axis->count; x++)
        for (size_t c = 0; c < channels; c++, dst++) {
            const uint8_t *src = row + (size_t)axis->first[x] * channels + c;
            dst->floating = real_sum(src, channels, axis->floating + x * taps, axis->taps);
        }
}

static void gather_rows(const stk_row_gather *gather, const stk_row_group *rows)
{
    const bool floating = gather->axis->arithmetic == STK_SUMS_FLOAT;
    for (int i = 0; i < rows->count; i++)
        (floating ? gather_real : gather_integer)(gather, rows->src[i], rows->dst[i]);
}

static size_t no_scratch(const stk_axis *axis, int32_t channels)
{
    (void)axis;
    (void)channels;
    return 0;
}

void stk_row_gather_arrange_plain(stk_row_gather *gather)
{
    const stk_axis *axis = gather->axis;
    int32_t         min = INT32_MAX, max = 0;
    for (int32_t x = 0; x < axis->count; x++) {
        if (axis->first[x] < min) min = axis->first[x];
        if (axis->first[x] > max) max = axis->first[x];
    }
    gather->run = gather_rows;
    gather->begin = (size_t)min * (size_t)gather->channels;
    gather->end = ((size_t)max + (size_t)axis->taps) * (size_t)gather->channels;
}

/* Complete blocks, which compilers vectorise; rows are padded. */
static void sum_integer(const stk_sum *sum, uint8_t *dst)
{
    for (size_t at = 0; at < sum->count; at += AT_ONCE) {
        uint32_t     totals[AT_ONCE] = {0};
        const size_t left = sum->count - at < AT_ONCE ? sum->count - at : AT_ONCE;
        for (int32_t k = 0; k < sum->taps; k++) {
            const stk_sample32 *row = sum->rows[k] + at;
            const uint32_t      weight = (uint32_t)sum->weights[k].integer;
            for (size_t i = 0; i < AT_ONCE; i++)
                totals[i] += weight * (uint32_t)row[i].integer;
        }
        for (size_t i = 0; i < left; i++)
            dst[at + i] = (uint8_t)rounded(totals[i]);
    }
}

static void sum_steps(const stk_sum *sum, uint8_t *dst)
{
    for (size_t i = 0; i < sum->count; i++) {
        int32_t total = 1 << (STK_STEP_BITS - 1);
        for (int32_t k = 0; k < sum->taps; k++)
            total += sum->weights[k].integer * (sum->rows[k][i].integer >> 4) >> 16;
        dst[i] = (uint8_t)(total >> STK_STEP_BITS);
    }
}

static void sum_real(const stk_sum *sum, float *dst)
{
    for (size_t i = 0; i < sum->count; i++) {
        float total = 0;
        for (int32_t k = 0; k < sum->taps; k++)
            total += sum->weights[k].floating * sum->rows[k][i].floating;
        dst[i] = total;
    }
}

static void split(const uint8_t *src, size_t pixels, uint8_t *const dst[3])
{
    for (size_t i = 0; i < pixels; i++)
        for (size_t c = 0; c < 3; c++)
            dst[c][i] = src[3 * i + c];
}

static void pad(const uint8_t *src, size_t pixels, uint8_t *dst)
{
    for (size_t i = 0; i < pixels; i++) {
        memcpy(dst + 4 * i, src + 3 * i, 3);
        dst[4 * i + 3] = 0;
    }
}

static void mirror_1(const uint8_t *src, size_t pixels, uint8_t *dst)
{
    for (size_t i = 0; i < pixels; i++)
        dst[i] = src[pixels - 1 - i];
}

static void mirror_3(const uint8_t *src, size_t pixels, uint8_t *dst)
{
    for (size_t i = 0; i < pixels; i++)
        memcpy(dst + 3 * i, src + 3 * (pixels - 1 - i), 3);
}

static uint32_t bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* Below 2^-14 halves are multiples of 2^-24, and so are floats between 1/2 and 1: adding 1/2 lets
 * the processor do the rounding. */
uint16_t stk_f16_of(float value)
{
    const uint32_t sign = bits_of(value) >> 16 & 0x8000;
    const float    size = fabsf(value);
    if (!(size < 65520)) return (uint16_t)(sign | (size != size ? 0x7E00 : 0x7C00));
    if (size < 0x1p-14f) return (uint16_t)(sign | (bits_of(size + 0.5f) - bits_of(0.5f)));
    const uint32_t bits = bits_of(size), odd = bits >> 13 & 1;
    return (uint16_t)(sign | ((bits + 0xFFF + odd - (112u << 23)) >> 13));
}

uint16_t stk_bf16_of(float value)
{
    const uint32_t bits = bits_of(value);
    if (value != value) return (uint16_t)(bits >> 16 | 0x40);
    return (uint16_t)((bits + 0x7FFF + (bits >> 16 & 1)) >> 16);
}

uint8_t stk_u8_of(float value)
{
    if (!(value > 0)) return 0;
    if (value > 255) value = 255;
    return (uint8_t)bits_of(value + 0x1.8p23f); /* where floats are integers */
}

static void put(float value, size_t index, stk_dtype dtype, void *dst)
{
    if (dtype == STK_DTYPE_F32)
        ((float *)dst)[index] = value;
    else if (dtype == STK_DTYPE_F16)
        ((uint16_t *)dst)[index] = stk_f16_of(value);
    else
        ((uint16_t *)dst)[index] = stk_bf16_of(value);
}

static float scaled(float value, size_t index, const stk_pattern *pattern)
{
    const size_t i = index % STK_PATTERN;
    return value * pattern->scale[i] + pattern->offset[i];
}

static void convert(const uint8_t *src, size_t count, const stk_pattern *pattern, stk_dtype dtype,
                    void *dst)
{
    for (size_t i = 0; i < count; i++)
        put(scaled(src[i], i, pattern), i, dtype, dst);
}

static void convert_real(const float *src, size_t count, const stk_pattern *pattern,
                         stk_dtype dtype, void *dst)
{
    if (dtype == STK_DTYPE_U8)
        for (size_t i = 0; i < count; i++)
            ((uint8_t *)dst)[i] = stk_u8_of(src[i]);
    else
        for (size_t i = 0; i < count; i++)
            put(scaled(src[i], i, pattern), i, dtype, dst);
}

const stk_resize_kernels *stk_resize_kernels_plain(void)
{
    static const stk_resize_kernels plain = {
        .name = "plain",
        .scratch = no_scratch,
        .arrange = stk_row_gather_arrange_plain,
        .sum_integer = sum_integer,
        .sum_steps = sum_steps,
        .sum_real = sum_real,
        .split = split,
        .pad = pad,
        .mirror = {[1] = mirror_1, [3] = mirror_3},
        .convert = convert,
        .convert_real = convert_real,
    };
    return &plain;
}

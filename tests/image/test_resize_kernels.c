/* Every table of kernels against the plain one, on random sizes, and single functions on odd
 * lengths. */
#include "resize_support.h"

#include <math.h>

enum { LONGEST = 200, GUARD = 0xA5, CASES = 400 };

static stk_resize_request random_request(uint32_t *state, const stk_pixels *p)
{
    static const stk_dtype dtypes[] = {STK_DTYPE_U8, STK_DTYPE_F16, STK_DTYPE_BF16, STK_DTYPE_F32};
    const int32_t          width = 1 + (int32_t)draw(state, draw(state, 4) ? 60 : 300);
    const int32_t          height = 1 + (int32_t)draw(state, 40);
    stk_resize_request     r =
        make_request(p, width, height, draw(state, STK_RESIZE_LIKES), draw(state, STK_FILTERS));
    r.sampling.antialias = draw(state, 2);
    r.fractions = draw(state, 2);
    r.x = draw(state, (uint32_t)p->width);
    r.y = draw(state, (uint32_t)p->height);
    r.width = 1 + (int32_t)draw(state, (uint32_t)(p->width - (int32_t)r.x));
    r.height = 1 + (int32_t)draw(state, (uint32_t)(p->height - (int32_t)r.y));
    r.part.x = (int32_t)draw(state, (uint32_t)width);
    r.part.width = 1 + (int32_t)draw(state, (uint32_t)(width - r.part.x));
    r.flip_x = draw(state, 2);
    r.flip_y = draw(state, 2);
    r.ending.dtype = dtypes[draw(state, 4)];
    r.ending.planar = draw(state, 2);
    r.ending.channels = draw(state, 2) ? 4 : 0;
    r.ending.scaled = draw(state, 2);
    for (int c = 0; c < 4; c++) {
        r.ending.scale[c] = 1 / (17.0f + (float)c);
        r.ending.offset[c] = -3.3f * (float)c;
    }
    return r;
}

STK_TEST(all_kernels_give_the_same_bits)
{
    uint32_t seed = 7;
    for (int i = 0; i < CASES; i++) {
        const int32_t    width = 1 + (int32_t)draw(&seed, draw(&seed, 3) ? 90 : 700);
        const stk_pixels p =
            make_image(width, 1 + (int32_t)draw(&seed, 50), draw(&seed, 2) ? 3 : 1);
        const stk_resize_request r = random_request(&seed, &p);
        uint8_t *const           expected = resize_with(stk_resize_kernels_plain(), &p, &r);
        for (int k = 1; k < KERNELS; k++) {
            if (!kernels_number(k)) continue;
            uint8_t *const got = resize_with(kernels_number(k), &p, &r);
            if (memcmp(expected, got, result_bytes(&p, &r)))
                fail_msg("%s differs: case %d, like %d, filter %d", kernels_number(k)->name, i,
                         (int)r.sampling.like, (int)r.sampling.filter);
            free(got);
        }
        free(expected);
        free(p.data);
    }
}

static void fill(uint8_t *bytes, size_t size)
{
    uint32_t state = 3;
    for (size_t i = 0; i < size; i++)
        bytes[i] = (uint8_t)draw(&state, 256);
}

/* Runs a function of both tables over the first count of src, into buffers with a guard behind. */
typedef void (*both_fn)(const stk_resize_kernels *kernels, const uint8_t *src, size_t count,
                        uint8_t *dst);

static void expect_same(both_fn run, size_t src_bytes, size_t dst_bytes)
{
    static uint8_t expected[LONGEST * 16 + 1], got[LONGEST * 16 + 1];
    for (int k = 1; k < KERNELS; k++)
        for (size_t count = 0; kernels_number(k) && count <= LONGEST; count++) {
            uint8_t *src = malloc(count * src_bytes + 1);
            fill(src, count * src_bytes);
            memset(expected, GUARD, sizeof expected);
            memset(got, GUARD, sizeof got);
            run(stk_resize_kernels_plain(), src, count, expected);
            run(kernels_number(k), src, count, got);
            EXPECT_MEM_EQ(expected, got, sizeof got);
            EXPECT_INT_EQ(GUARD, got[count * dst_bytes]);
            free(src);
        }
}

static void run_split(const stk_resize_kernels *kernels, const uint8_t *src, size_t count,
                      uint8_t *dst)
{
    uint8_t *const planes[3] = {dst, dst + count, dst + 2 * count};
    kernels->split(src, count, planes);
}

static void run_pad(const stk_resize_kernels *kernels, const uint8_t *src, size_t count,
                    uint8_t *dst)
{
    kernels->pad(src, count, dst);
}

static void run_mirror_1(const stk_resize_kernels *kernels, const uint8_t *src, size_t count,
                         uint8_t *dst)
{
    kernels->mirror[1](src, count, dst);
}

static void run_mirror_3(const stk_resize_kernels *kernels, const uint8_t *src, size_t count,
                         uint8_t *dst)
{
    kernels->mirror[3](src, count, dst);
}

static stk_pattern pattern(void)
{
    stk_pattern p;
    for (int i = 0; i < STK_PATTERN; i++) {
        p.scale[i] = 0.01f * (float)(i % 3 + 1);
        p.offset[i] = -0.5f * (float)(i % 3);
    }
    return p;
}

#define RUN_CONVERT(name, dtype)                                                                   \
    static void name(const stk_resize_kernels *kernels, const uint8_t *src, size_t count,          \
                     uint8_t *dst)                                                                 \
    {                                                                                              \
        const stk_pattern p = pattern();                                                           \
        kernels->convert(src, count, &p, dtype, dst);                                              \
    }                                                                                              \
    static void name##_real(const stk_resize_kernels *kernels, const uint8_t *src, size_t count,   \
                            uint8_t *dst)                                                          \
    {                                                                                              \
        const stk_pattern p = pattern();                                                           \
        float             real[LONGEST];                                                           \
        for (size_t i = 0; i < count; i++)                                                         \
            real[i] = 1.37f * src[i] - 20;                                                         \
        kernels->convert_real(real, count, &p, dtype, dst);                                        \
    }

RUN_CONVERT(run_f32, STK_DTYPE_F32)
RUN_CONVERT(run_f16, STK_DTYPE_F16)
RUN_CONVERT(run_bf16, STK_DTYPE_BF16)

static void run_round(const stk_resize_kernels *kernels, const uint8_t *src, size_t count,
                      uint8_t *dst)
{
    float real[LONGEST];
    for (size_t i = 0; i < count; i++)
        real[i] = 1.25f * src[i] - 20.25f;
    if (count > 2) real[1] = NAN;
    kernels->convert_real(real, count, NULL, STK_DTYPE_U8, dst);
}

STK_TEST(endings_agree_with_the_reference_at_every_length)
{
    expect_same(run_split, 3, 3);
    expect_same(run_pad, 3, 4);
    expect_same(run_mirror_1, 1, 1);
    expect_same(run_mirror_3, 3, 3);
    expect_same(run_f32, 1, 4);
    expect_same(run_f16, 1, 2);
    expect_same(run_bf16, 1, 2);
    expect_same(run_f32_real, 1, 4);
    expect_same(run_f16_real, 1, 2);
    expect_same(run_bf16_real, 1, 2);
    expect_same(run_round, 1, 1);
}

/* A half's value by its definition. */
static double f16_value(uint16_t bits)
{
    const int    exponent = bits >> 10 & 31;
    const double size =
        exponent ? ldexp(1024 + (bits & 1023), exponent - 25) : ldexp(bits & 1023, -24);
    return bits & 0x8000 ? -size : size;
}

STK_TEST(halves_are_rounded_to_the_nearest_and_ties_to_even)
{
    for (uint32_t bits = 0; bits < 0x7C00; bits++) {
        const double here = f16_value((uint16_t)bits), next = f16_value((uint16_t)(bits + 1));
        const float  between = (float)((here + next) / 2);
        EXPECT_INT_EQ(bits, stk_f16_of((float)here));
        EXPECT_INT_EQ(bits | 0x8000, stk_f16_of(-(float)here));
        if (bits + 1 == 0x7C00) break;
        EXPECT_INT_EQ(bits + (bits & 1), stk_f16_of(between));
        EXPECT_INT_EQ(bits, stk_f16_of(nextafterf(between, 0)));
        EXPECT_INT_EQ(bits + 1, stk_f16_of(nextafterf(between, INFINITY)));
    }
    EXPECT_INT_EQ(0x7BFF, stk_f16_of(65519));
    EXPECT_INT_EQ(0x7C00, stk_f16_of(65520));
    EXPECT_INT_EQ(0xFC00, stk_f16_of(-INFINITY));
    EXPECT_INT_EQ(0x7E00, stk_f16_of(NAN) & 0x7FFF);
}

STK_TEST(bfloats_and_bytes_are_rounded_to_the_nearest_and_ties_to_even)
{
    EXPECT_INT_EQ(0x3F80, stk_bf16_of(1));
    EXPECT_INT_EQ(0x3F80, stk_bf16_of(1 + 0x1p-8f));
    EXPECT_INT_EQ(0x3F82, stk_bf16_of(1 + 3 * 0x1p-8f));
    EXPECT_INT_EQ(0x7F80, stk_bf16_of(INFINITY));
    EXPECT_INT_EQ(0x7FC0, stk_bf16_of(NAN) & 0x7FC0);
    EXPECT_INT_EQ(0, stk_u8_of(0.5f));
    EXPECT_INT_EQ(2, stk_u8_of(1.5f));
    EXPECT_INT_EQ(254, stk_u8_of(254.5f));
    EXPECT_INT_EQ(255, stk_u8_of(1e9f));
    EXPECT_INT_EQ(0, stk_u8_of(-3));
    EXPECT_INT_EQ(0, stk_u8_of(NAN));
}

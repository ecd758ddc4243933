/* The kernels of JPEG decoding against their plain forms, on any numbers and odd sizes. */
#include "image/jpeg/jpeg_kernels.h"
#include "image/jpeg_support.h"

enum { BLOCKS = 7, STRIDE = 64, ROOM = 4096 };

static bool has(const stk_jpeg_kernels *kernels)
{
    const stk_jpeg_kernels *best = stk_jpeg_kernels_best();
    return best == kernels || best == &stk_jpeg_kernels_avx512;
}

/* Coefficients of a few sizes, none to all of them. */
static void paint_block(int16_t *block, uint64_t *seed)
{
    static const int ranges[] = {3, 100, 2047, 32767};
    const int        range = ranges[jpeg_random(seed) % 4];
    const int        count = (int)(jpeg_random(seed) % 65), rows = (int)(jpeg_random(seed) % 3);
    memset(block, 0, 64 * sizeof *block);
    for (int i = 0; i < count; i++)
        block[jpeg_random(seed) % (rows ? 64 : 8)] =
            (int16_t)((int)(jpeg_random(seed) % (uint32_t)(2 * range + 1)) - range);
}

static void expect_idct(stk_idct_fn plain, stk_idct_fn fast, uint64_t *seed)
{
    static _Alignas(64) int16_t want[BLOCKS][64], got[BLOCKS][64], quant[BLOCKS][64];
    uint8_t                     plain_out[8 * STRIDE] = {0}, fast_out[8 * STRIDE] = {0};
    stk_idct_job                plain_jobs[BLOCKS], fast_jobs[BLOCKS];
    const int                   count = 1 + (int)(jpeg_random(seed) % BLOCKS);
    for (int i = 0; i < count; i++) {
        paint_block(want[i], seed);
        memcpy(got[i], want[i], sizeof want[i]);
        for (int k = 0; k < 64; k++)
            quant[i][k] = (int16_t)(1 + jpeg_random(seed) % 255);
        plain_jobs[i] = (stk_idct_job){plain_out + 8 * i, STRIDE, want[i], quant[i]};
        fast_jobs[i] = (stk_idct_job){fast_out + 8 * i, STRIDE, got[i], quant[i]};
    }
    plain(plain_jobs, count);
    fast(fast_jobs, count);
    EXPECT_MEM_EQ(plain_out, fast_out, sizeof plain_out);
    for (int i = 0; i < count; i++)
        for (int k = 0; k < 64; k++)
            EXPECT_INT_EQ(0, got[i][k]);
}

STK_TEST(transforms_agree_on_any_coefficients)
{
    uint64_t seed = 1;
    for (int i = 0; i < 3000; i++) {
        if (has(&stk_jpeg_kernels_avx2)) {
            expect_idct(stk_idct_8x8_plain, stk_idct_8x8_avx2, &seed);
            expect_idct(stk_idct_4x4_plain, stk_idct_4x4_avx2, &seed);
        }
        if (has(&stk_jpeg_kernels_avx512))
            expect_idct(stk_idct_8x8_plain, stk_idct_8x8_avx512, &seed);
    }
}

static void fill_random(uint8_t *bytes, size_t count, uint64_t *seed)
{
    for (size_t i = 0; i < count; i++)
        bytes[i] = (uint8_t)(jpeg_random(seed) >> 7);
}

STK_TEST(upsampling_agrees_at_any_width)
{
    const stk_upsampler *a = &stk_upsampler_plain, *b = &stk_upsampler_avx2;
    static uint8_t       near[ROOM], far[ROOM], want[ROOM], got[ROOM];
    uint64_t             seed = 2;
    if (!has(&stk_jpeg_kernels_avx2)) skip();
    fill_random(near, ROOM, &seed);
    fill_random(far, ROOM, &seed);
    for (int32_t count = 1; count < 150; count++) {
        a->h2v1(want, near + 1, count);
        b->h2v1(got, near + 1, count);
        EXPECT_MEM_EQ(want, got, 2 * (size_t)count);
        a->h2v2(want, near + 1, far + 1, count);
        b->h2v2(got, near + 1, far + 1, count);
        EXPECT_MEM_EQ(want, got, 2 * (size_t)count);
        a->h1v2(want, near, far, count, 1 + count % 2);
        b->h1v2(got, near, far, count, 1 + count % 2);
        EXPECT_MEM_EQ(want, got, (size_t)count);
    }
}

STK_TEST(colours_agree_for_every_chroma_and_width)
{
    const stk_jpeg_colour *a = &stk_jpeg_colour_plain, *b = &stk_jpeg_colour_avx2;
    static uint8_t         rows[3][ROOM], want[3 * ROOM], got[3 * ROOM];
    uint64_t               seed = 3;
    if (!has(&stk_jpeg_kernels_avx2)) skip();
    for (int cb = 0; cb < 256; cb++) {
        for (int cr = 0; cr < 256; cr++) {
            rows[0][cr] = (uint8_t)jpeg_random(&seed);
            rows[1][cr] = (uint8_t)cb;
            rows[2][cr] = (uint8_t)cr;
        }
        a->from_ycc(want, rows[0], rows[1], rows[2], 256);
        b->from_ycc(got, rows[0], rows[1], rows[2], 256);
        EXPECT_MEM_EQ(want, got, 3 * 256);
    }
    for (int32_t count = 1; count < 150; count++) {
        memset(got, 7, sizeof got);
        a->join(want, rows[0], rows[1], rows[2], count);
        b->join(got, rows[0], rows[1], rows[2], count);
        EXPECT_MEM_EQ(want, got, 3 * (size_t)count);
        EXPECT_INT_EQ(7, got[3 * count]);
        a->from_ycc(want, rows[0], rows[1], rows[2], count);
        b->from_ycc(got, rows[0], rows[1], rows[2], count);
        EXPECT_MEM_EQ(want, got, 3 * (size_t)count);
    }
}

STK_TEST(bytes_are_unstuffed_alike_and_stop_at_markers)
{
    static uint8_t src[ROOM], want[ROOM], got[ROOM];
    uint64_t       seed = 4;
    if (!has(&stk_jpeg_kernels_avx2)) skip();
    for (int i = 0; i < 20000; i++) {
        const size_t size = jpeg_random(&seed) % 300, scratch = 1 + jpeg_random(&seed) % 300;
        const int    rare = 1 + (int)(jpeg_random(&seed) % 100);
        fill_random(src, size + 1, &seed);
        for (size_t k = 0; k + 1 < size; k++) {
            if (jpeg_random(&seed) % (uint32_t)rare == 0) src[k] = 0xff;
            if (src[k] == 0xff && jpeg_random(&seed) % 16) src[k + 1] = 0;
        }
        const stk_bytes     bytes = stk_bytes_of(src, size);
        const stk_unstuffed a = stk_unstuff_plain(want, scratch, bytes);
        const stk_unstuffed b = stk_unstuff_avx2(got, scratch, bytes);
        EXPECT_INT_EQ(a.read, b.read);
        EXPECT_INT_EQ(a.written, b.written);
        EXPECT_INT_EQ(a.marker, b.marker);
        EXPECT_MEM_EQ(want, got, a.written);
        EXPECT_INT_EQ(stk_find_marker_plain(bytes), stk_find_marker_avx2(bytes));
    }
}

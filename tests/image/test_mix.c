/* MixUp, CutMix and the beta distribution they draw from. */
#include "harness.h"
#include "image/batch/beta.h"
#include "image/batch/mix.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 1000 };

STK_TEST(mix_kernels_agree_with_plain_c)
{
    static const size_t lengths[] = {0, 1, 7, 8, 9, 31, 32, 33, 65, MOST};
    static const int    shares[] = {0, 1, 12345, 1 << 14, (1 << 15) - 1};
    stk_random          random = stk_random_for(1, 1, 1, 1);
    uint8_t             a[2][MOST], b[2][MOST];
    float               x[2][MOST], y[2][MOST];
    if (!stk_mix_u8_avx2()) skip();
    for (size_t i = 0; i < COUNT_OF(lengths); i++)
        for (size_t s = 0; s < COUNT_OF(shares); s++) {
            for (size_t k = 0; k < MOST; k++) {
                a[0][k] = a[1][k] = (uint8_t)stk_random_u32(&random);
                b[0][k] = b[1][k] = (uint8_t)stk_random_u32(&random);
                x[0][k] = x[1][k] = stk_random_float(&random);
                y[0][k] = y[1][k] = stk_random_float(&random);
            }
            stk_mix_u8_plain(a[0], b[0], lengths[i], shares[s]);
            stk_mix_u8_avx2()(a[1], b[1], lengths[i], shares[s]);
            stk_mix_f32_plain(x[0], y[0], lengths[i], (float)shares[s] / 32768);
            stk_mix_f32_avx2()(x[1], y[1], lengths[i], (float)shares[s] / 32768);
            EXPECT_MEM_EQ(a[0], a[1], sizeof a[0]);
            EXPECT_MEM_EQ(b[0], b[1], sizeof b[0]);
            EXPECT_MEM_EQ(x[0], x[1], sizeof x[0]);
            EXPECT_MEM_EQ(y[0], y[1], sizeof y[0]);
        }
}

STK_TEST(mixup_mixes_each_row_with_its_partner_and_leaves_the_middle)
{
    uint8_t            images[] = {0, 255, 100, 100, 50, 60, 7, 8, 100, 101};
    float              labels[] = {1, 0, 1, 0, 0, 1, 0, 1, 0, 1};
    const stk_mix_rows rows = {images, STK_DTYPE_U8, 5, 2};
    const stk_mix_rows classes = {labels, STK_DTYPE_F32, 5, 2};
    stk_error          err;
    EXPECT_OK(stk_mixup(&rows, &classes, 0.75, &err));
    EXPECT_MEM_EQ(((uint8_t[]){25, 217, 77, 77, 50, 60, 30, 31, 75, 139}), images, sizeof images);
    EXPECT_MEM_EQ(((float[]){.75f, .25f, .75f, .25f, 0, 1, .25f, .75f, .25f, .75f}), labels,
                  sizeof labels);
}

STK_TEST(mixup_of_all_or_nothing_keeps_or_swaps_rows)
{
    uint8_t            images[512];
    float              reals[4] = {1, 2, 3, 4};
    const stk_mix_rows rows = {images, STK_DTYPE_U8, 2, 256};
    stk_error          err;
    for (int i = 0; i < 256; i++) {
        images[i] = (uint8_t)i;
        images[256 + i] = (uint8_t)(255 - i);
    }
    EXPECT_OK(stk_mixup(&rows, NULL, 1, &err));
    for (int i = 0; i < 256; i++)
        EXPECT_INT_EQ(i, images[i]);
    EXPECT_OK(stk_mixup(&rows, NULL, 0, &err));
    for (int i = 0; i < 256; i++)
        EXPECT_INT_EQ(i, images[256 + i]);
    EXPECT_OK(stk_mixup(&(stk_mix_rows){reals, STK_DTYPE_F32, 2, 2}, NULL, 0, &err));
    EXPECT_MEM_EQ(((float[]){3, 4, 1, 2}), reals, sizeof reals);
}

/* Two images of 4 x 3 x 2: every element says which image, pixel and channel it is. */
static void expect_cut(bool planar)
{
    float              images[2 * 24], labels[] = {1, 0, 0, 1};
    const stk_mix_rows rows = {images, STK_DTYPE_F32, 2, 24},
                       classes = {labels, STK_DTYPE_F32, 2, 2};
    const stk_mix_image image = {.width = 4, .height = 3, .channels = 2, .planar = planar};
    stk_error           err;
    for (int i = 0; i < 48; i++)
        images[i] = (float)i;
    EXPECT_OK(stk_cutmix(&rows, &image, (stk_rect){1, 1, 3, 2}, &classes, &err));
    for (int i = 0; i < 48; i++) {
        const int at = i % 24, pixel = planar ? at % 12 : at / 2, x = pixel % 4, y = pixel / 4;
        const int from = x >= 1 && y >= 1 ? (i + 24) % 48 : i;
        EXPECT_INT_EQ(from, images[i]);
    }
    EXPECT_MEM_EQ(((float[]){.5f, .5f, .5f, .5f}), labels, sizeof labels);
}

STK_TEST(cutmix_exchanges_the_box_in_either_layout)
{
    expect_cut(false);
    expect_cut(true);
}

STK_TEST(cutmix_boxes_are_inside_and_cover_what_they_should)
{
    stk_random random = stk_random_for(4, 4, 4, 4);
    double     widest = 0;
    for (int i = 0; i < 2000; i++) {
        const double   lambda = stk_random_double(&random);
        const stk_rect box = stk_cutmix_box(&random, 60, 40, lambda);
        EXPECT(box.x >= 0 && box.y >= 0 && box.width >= 0 && box.height >= 0);
        EXPECT(box.x + box.width <= 60 && box.y + box.height <= 40);
        EXPECT(box.width <= 60 * sqrt(1 - lambda));
        widest = fmax(widest, box.width / 60.0 - sqrt(1 - lambda));
    }
    EXPECT(widest > -0.05); /* some reach their full width */
    const stk_rect none = stk_cutmix_box(&random, 60, 40, 1);
    EXPECT_INT_EQ(0, none.width * none.height);
    const stk_rect one = stk_cutmix_box(&random, 1, 1, 0);
    EXPECT(one.width <= 1 && one.height <= 1);
}

STK_TEST(mixing_refuses_what_does_not_fit_together)
{
    uint8_t            images[12] = {0};
    float              labels[12] = {0};
    const stk_mix_rows rows = {images, STK_DTYPE_U8, 2, 6}, halves = {images, STK_DTYPE_F16, 2, 3};
    const stk_mix_rows classes = {labels, STK_DTYPE_F32, 2, 3},
                       three = {labels, STK_DTYPE_F32, 3, 3};
    const stk_mix_image image = {.width = 3, .height = 2, .channels = 1};
    stk_error           err;
    EXPECT_STATUS(STK_E_TYPE, stk_mixup(&halves, NULL, 0.5, &err));
    EXPECT_STATUS(STK_E_TYPE, stk_mixup(&rows, &rows, 0.5, &err));
    EXPECT_CONTAINS("labels are uint8", err.message);
    EXPECT_STATUS(STK_E_SHAPE, stk_mixup(&rows, &three, 0.5, &err));
    EXPECT_STATUS(STK_E_INVALID, stk_mixup(&rows, &classes, NAN, &err));
    EXPECT_STATUS(STK_E_INVALID, stk_mixup(&rows, &classes, 1.01, &err));
    EXPECT_STATUS(STK_E_RANGE, stk_cutmix(&rows, &image, (stk_rect){2, 0, 2, 1}, NULL, &err));
    EXPECT_STATUS(STK_E_RANGE,
                  stk_cutmix(&rows, &image, (stk_rect){INT32_MAX, 0, 2, 1}, NULL, &err));
    EXPECT_STATUS(STK_E_SHAPE, stk_cutmix(&classes, &image, (stk_rect){0, 0, 1, 1}, NULL, &err));
}

/* Beta(a, a) has mean 1/2 and variance 1 / (4 (2a + 1)), and is symmetric. */
STK_TEST(beta_has_its_mean_and_variance)
{
    static const double alphas[] = {0.05, 0.2, 0.5, 1, 2, 30};
    enum { DRAWS = 40000 };
    for (size_t k = 0; k < COUNT_OF(alphas); k++) {
        stk_random   random = stk_random_for(k, 1, 2, 3);
        const double variance = 1 / (4 * (2 * alphas[k] + 1));
        double       sum = 0, squares = 0;
        for (int i = 0; i < DRAWS; i++) {
            const double x = stk_beta_draw(&random, alphas[k]);
            EXPECT(x >= 0 && x <= 1);
            sum += x;
            squares += (x - 0.5) * (x - 0.5);
        }
        EXPECT(fabs(sum / DRAWS - 0.5) < 4.5 * sqrt(variance / DRAWS));
        EXPECT(fabs(squares / DRAWS / variance - 1) < 0.04);
    }
}

/* Beta(1, 1) is uniform and Beta(1/2, 1/2) the arcsine distribution: both have simple quantiles. */
static void expect_cells(double alpha, double (*cumulative)(double))
{
    enum { DRAWS = 16000, CELLS = 16 };
    uint32_t   cells[CELLS] = {0};
    double     chi = 0;
    stk_random random = stk_random_for(5, 6, 7, 8);
    for (int i = 0; i < DRAWS; i++) {
        const int cell = (int)(cumulative(stk_beta_draw(&random, alpha)) * CELLS);
        cells[cell < CELLS ? cell : CELLS - 1]++;
    }
    for (int i = 0; i < CELLS; i++)
        chi += pow(cells[i] - DRAWS / (double)CELLS, 2) / (DRAWS / (double)CELLS);
    if (chi > 45) fail_msg("alpha %g: chi-square %g", alpha, chi);
}

static double uniform(double x)
{
    return x;
}

static double arcsine(double x)
{
    return asin(sqrt(x)) * 2 / M_PI;
}

/* 3x^2 - 2x^3 */
static double of_two(double x)
{
    return x * x * (3 - 2 * x);
}

STK_TEST(beta_has_the_right_distribution)
{
    expect_cells(1, uniform);
    expect_cells(0.5, arcsine);
    expect_cells(2, of_two);
}

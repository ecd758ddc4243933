/* Whitening filters decorrelate patches. */
#include "model_support.h"

enum { SIZE = 9, IMAGES = 7 };

static const float mean[4] = {0.5f, 0.4f, 0.45f, 0.6f}, deviation[4] = {0.2f, 0.25f, 0.3f, 0.15f};

/* Neighbours and channels are correlated, as in photos. */
static uint8_t *make_images(int channels)
{
    int64_t  count = (int64_t)IMAGES * SIZE * SIZE * channels;
    float   *values = malloc((size_t)count * sizeof *values);
    uint8_t *bytes = malloc((size_t)count);
    fill_images("x", values, count);
    for (int64_t i = channels; i < count; i++)
        values[i] = 0.6f * values[i] + 0.3f * values[i - 1] + 0.2f * values[i - channels];
    for (int64_t i = 0; i < count; i++)
        bytes[i] = (uint8_t)fminf(fmaxf(128 + 60 * values[i], 0), 255);
    free(values);
    return bytes;
}

static double normalized(uint8_t byte, int channel)
{
    return ((double)byte / 255 - (double)mean[channel]) / (double)deviation[channel];
}

static double respond(const uint8_t *images, const float *filter, int channels, int n, int y, int x)
{
    double sum = 0;
    for (int c = 0; c < channels; c++)
        for (int i = 0; i < 2; i++)
            for (int j = 0; j < 2; j++)
                sum += (double)filter[(c * 2 + i) * 2 + j] *
                       normalized(images[((n * SIZE + y + i) * SIZE + x + j) * channels + c], c);
    return sum;
}

/* Mean product of two filters' results. */
static double moment(const uint8_t *images, const float *weights, int channels, int a, int b)
{
    int    order = 4 * channels;
    double sum = 0;
    for (int n = 0; n < IMAGES; n++)
        for (int y = 0; y < SIZE - 1; y++)
            for (int x = 0; x < SIZE - 1; x++)
                sum += respond(images, weights + a * order, channels, n, y, x) *
                       respond(images, weights + b * order, channels, n, y, x);
    return sum / (IMAGES * (SIZE - 1) * (SIZE - 1));
}

STK_TEST(filters_give_values_that_are_independent_and_of_variance_one)
{
    for (int channels = 1; channels <= 4; channels++) {
        stk_error err;
        float     weights[2 * 16 * 16];
        uint8_t  *images = make_images(channels);
        int       order = 4 * channels;
        stk_shape shape = stk_shape_4d(IMAGES, SIZE, SIZE, channels);
        EXPECT_OK(stk_model_whiten(images, &shape, mean, deviation, 1e-12, weights, &err));
        for (int a = 0; a < order; a++)
            for (int b = 0; b < order; b++)
                EXPECT(fabs(moment(images, weights, channels, a, b) - (a == b)) < 1e-4);
        for (int i = 0; i < order * order; i++)
            EXPECT(weights[order * order + i] == -weights[i]);
        free(images);
    }
}

STK_TEST(filters_begin_with_the_largest_eigenvalue)
{
    stk_error err;
    float     weights[24 * 12];
    uint8_t  *images = make_images(3);
    stk_shape shape = stk_shape_4d(IMAGES, SIZE, SIZE, 3);
    double    before = 0;
    EXPECT_OK(stk_model_whiten(images, &shape, mean, deviation, 0, weights, &err));
    for (int k = 0; k < 12; k++) { /* filters scale with the inverse root of their eigenvalue */
        double length = 0;
        for (int i = 0; i < 12; i++)
            length += (double)weights[k * 12 + i] * (double)weights[k * 12 + i];
        EXPECT(length >= before);
        before = length;
    }
    free(images);
}

STK_TEST(wide_images_are_summed_in_pieces)
{
    enum { WIDE = 1500, HIGH = 3 };
    stk_error err;
    float     weights[8 * 4], parts[8 * 4];
    uint8_t  *images = malloc(2 * HIGH * WIDE), *tall = malloc(2 * HIGH * WIDE);
    for (int i = 0; i < HIGH * WIDE; i++)
        images[i] = (uint8_t)(i * 7 % 251 + i % 3);
    for (int y = 0; y < HIGH; y++) /* transposed, and so are its patches */
        for (int x = 0; x < WIDE; x++)
            tall[x * HIGH + y] = images[y * WIDE + x];
    stk_shape shape = stk_shape_4d(1, HIGH, WIDE, 1), other = stk_shape_4d(1, WIDE, HIGH, 1);
    EXPECT_OK(stk_model_whiten(images, &shape, mean, deviation, 0, weights, &err));
    EXPECT_OK(stk_model_whiten(tall, &other, mean, deviation, 0, parts, &err));
    for (int k = 0; k < 4; k++)
        EXPECT(fabsf(weights[k * 4] - parts[k * 4]) < 1e-3f * fabsf(weights[k * 4]) &&
               fabsf(weights[k * 4 + 3] - parts[k * 4 + 3]) < 1e-3f * fabsf(weights[k * 4 + 3]));
    free(images);
    free(tall);
}

STK_TEST(images_without_patches_or_deviation_are_refused)
{
    stk_error   err;
    float       weights[32 * 16];
    uint8_t     images[5 * 2 * 2] = {1};
    const float flat[4] = {1, 0, 1, 1};
    stk_shape   thin = stk_shape_4d(1, 1, 4, 3), many = stk_shape_4d(1, 2, 2, 5),
              one = stk_shape_4d(2, 2, 2, 2);
    EXPECT_STATUS(STK_E_SHAPE, stk_model_whiten(images, &thin, mean, deviation, 0, weights, &err));
    EXPECT_CONTAINS("[1,1,4,3]", err.message);
    EXPECT_STATUS(STK_E_SHAPE, stk_model_whiten(images, &many, mean, deviation, 0, weights, &err));
    EXPECT_STATUS(STK_E_RANGE, stk_model_whiten(images, &one, mean, flat, 0, weights, &err));
    EXPECT_CONTAINS("channel 1", err.message);
}

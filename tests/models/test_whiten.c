/* Whitening filters make patches white. */
#include "model_support.h"

enum { SIZE = 9, PICTURES = 7 };

/* Neighbours and channels are alike, as in photos. */
static float *make_pictures(int channels)
{
    int64_t count = (int64_t)PICTURES * SIZE * SIZE * channels;
    float  *values = malloc((size_t)count * sizeof *values);
    fill_pictures("x", values, count);
    for (int64_t i = channels; i < count; i++)
        values[i] = 0.6f * values[i] + 0.5f * values[i - 1] + 0.3f * values[i - channels];
    return values;
}

static double respond(const float *pictures, const float *filter, int channels, int n, int y, int x)
{
    double sum = 0;
    for (int c = 0; c < channels; c++)
        for (int i = 0; i < 2; i++)
            for (int j = 0; j < 2; j++)
                sum += (double)filter[(c * 2 + i) * 2 + j] *
                       (double)pictures[((n * SIZE + y + i) * SIZE + x + j) * channels + c];
    return sum;
}

/* The mean product of what two filters give. */
static double moment(const float *pictures, const float *weights, int channels, int a, int b)
{
    int    order = 4 * channels;
    double sum = 0;
    for (int n = 0; n < PICTURES; n++)
        for (int y = 0; y < SIZE - 1; y++)
            for (int x = 0; x < SIZE - 1; x++)
                sum += respond(pictures, weights + a * order, channels, n, y, x) *
                       respond(pictures, weights + b * order, channels, n, y, x);
    return sum / (PICTURES * (SIZE - 1) * (SIZE - 1));
}

STK_TEST(filters_give_values_that_are_independent_and_of_variance_one)
{
    for (int channels = 1; channels <= 4; channels++) {
        stk_error err;
        float     weights[2 * 16 * 16], *pictures = make_pictures(channels);
        int       order = 4 * channels;
        stk_shape shape = stk_shape_4d(PICTURES, SIZE, SIZE, channels);
        EXPECT_OK(stk_model_whiten(pictures, &shape, 1e-12, weights, &err));
        for (int a = 0; a < order; a++)
            for (int b = 0; b < order; b++)
                EXPECT(fabs(moment(pictures, weights, channels, a, b) - (a == b)) < 1e-4);
        for (int i = 0; i < order * order; i++)
            EXPECT(weights[order * order + i] == -weights[i]);
        free(pictures);
    }
}

STK_TEST(filters_begin_with_the_largest_eigenvalue)
{
    stk_error err;
    float     weights[24 * 12], *pictures = make_pictures(3);
    stk_shape shape = stk_shape_4d(PICTURES, SIZE, SIZE, 3);
    double    before = 0;
    EXPECT_OK(stk_model_whiten(pictures, &shape, 0, weights, &err));
    for (int k = 0; k < 12; k++) { /* a filter is as long as its eigenvalue is small */
        double length = 0;
        for (int i = 0; i < 12; i++)
            length += (double)weights[k * 12 + i] * (double)weights[k * 12 + i];
        EXPECT(length >= before);
        before = length;
    }
    free(pictures);
}

STK_TEST(pictures_without_patches_or_with_nan_are_refused)
{
    stk_error err;
    float     weights[32 * 16], pictures[5 * 2 * 2] = {1, NAN};
    stk_shape thin = stk_shape_4d(1, 1, 4, 3), many = stk_shape_4d(1, 2, 2, 5),
              one = stk_shape_4d(5, 2, 2, 1);
    EXPECT_STATUS(STK_E_SHAPE, stk_model_whiten(pictures, &thin, 0, weights, &err));
    EXPECT_CONTAINS("[1,1,4,3]", err.message);
    EXPECT_STATUS(STK_E_SHAPE, stk_model_whiten(pictures, &many, 0, weights, &err));
    EXPECT_STATUS(STK_E_RANGE, stk_model_whiten(pictures, &one, 0, weights, &err));
}

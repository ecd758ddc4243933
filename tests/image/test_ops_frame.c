/* Framing: windows, sizes and their distributions. */
#include "ops_support.h"

#include <math.h>
#include <stdio.h>

STK_TEST(crop_takes_its_window_or_says_what_is_past_the_image)
{
    stk_error    err;
    stk_geometry f;
    EXPECT_OK(frame_by("crop", "x=1 y=2 width=3 height=4", 4, 6, &f, &err));
    expect_window(&f, 1, 2, 3, 4);
    EXPECT_INT_EQ(0, f.width);
    EXPECT_STATUS(STK_E_RANGE, frame_by("crop", "x=2 width=3 height=4", 4, 6, &f, &err));
    EXPECT_CONTAINS("3 x 4 at 2,0 reaches past an image of 4 x 6", err.message);
    EXPECT_STATUS(STK_E_RANGE, frame_by("crop", "y=65535 width=1 height=65535", 4, 6, &f, &err));
}

/* Begins as torchvision's CenterCrop computes them: round() to even, and // for borders. */
STK_TEST(centre_crop_rounds_halves_to_even_and_pads_what_is_too_small)
{
    static const int cases[][3] = {
        /* side, size, begin */
        {10, 4, 3}, {11, 4, 4}, {9, 4, 2},  {13, 4, 4}, {15, 4, 6}, {4, 4, 0},         {3, 4, 0},
        {2, 5, -1}, {1, 6, -2}, {1, 4, -1}, {7, 6, 0},  {5, 2, 2},  {65535, 1, 32767},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        char         text[32];
        stk_error    err;
        stk_geometry f;
        const int    side = cases[i][0], size = cases[i][1], begin = cases[i][2];
        snprintf(text, sizeof text, "size=3,%d", size);
        EXPECT_OK(frame_by("centre_crop", text, side, 3, &f, &err));
        expect_window(&f, begin, 0, size, 3);
        snprintf(text, sizeof text, "size=%d,3", size);
        EXPECT_OK(frame_by("centre_crop", text, 3, side, &f, &err));
        expect_window(&f, 0, begin, 3, size);
        EXPECT_INT_EQ(STK_BORDER_CONSTANT, f.border);
        EXPECT_INT_EQ(0, f.fill[0]);
    }
}

STK_TEST(random_crop_reaches_every_place_alike)
{
    enum { RUNS = 20000, PLACES = 13 };
    const stk_image_op *op = stk_image_op_find("random_crop");
    void               *params = params_of(op, "size=5,4 padding=2 border=edge fill=1,2,3");
    int                 xs[PLACES] = {0}, ys[PLACES] = {0};
    for (uint64_t i = 0; i < RUNS; i++) {
        stk_error    err;
        stk_geometry f;
        stk_random   random = stk_random_for(1, 0, i, 0);
        EXPECT_OK(op->geometry(params, &random, 8, 9, &f, &err));
        expect_window(&f, f.window.x, f.window.y, 4, 5);
        EXPECT(f.window.x >= -2 && f.window.x <= 6 && f.window.y >= -2 && f.window.y <= 6);
        EXPECT_INT_EQ(STK_BORDER_EDGE, f.border);
        EXPECT_INT_EQ(3, f.fill[2]);
        xs[f.window.x + 2]++;
        ys[f.window.y + 2]++;
    }
    free(params);
    for (int i = 0; i < 9; i++) { /* 5 standard deviations */
        EXPECT(abs(xs[i] - RUNS / 9) < 5 * 45);
        EXPECT(abs(ys[i] - RUNS / 9) < 5 * 45);
    }
}

STK_TEST(random_crop_refuses_small_images_unless_told)
{
    stk_error    err;
    stk_geometry f;
    EXPECT_STATUS(STK_E_RANGE, frame_by("random_crop", "size=8 padding=1", 8, 5, &f, &err));
    EXPECT_CONTAINS("a side of 5 with padding=1 is less than 8; set pad_if_needed=true",
                    err.message);
    EXPECT_OK(frame_by("random_crop", "size=8 padding=1 pad_if_needed=true", 8, 5, &f, &err));
    EXPECT(f.window.y >= -2 && f.window.y <= -1); /* 1 more on each side, 9 rows for 8 */
    EXPECT_OK(frame_by("random_crop", "size=8 padding=0", 8, 8, &f, &err));
    expect_window(&f, 0, 0, 8, 8);
    EXPECT_STATUS(STK_E_INVALID,
                  frame_by("random_crop", "size=4 padding=0 pad_if_needed=true border=reflect", 1,
                           1, &f, &err));
    EXPECT_CONTAINS("border=edge has no such limit", err.message);
}

static void expect_inside(const stk_rect *w, int32_t width, int32_t height)
{
    EXPECT(w->width >= 1 && w->height >= 1 && w->x >= 0 && w->y >= 0);
    EXPECT(w->width <= width - w->x && w->height <= height - w->y);
}

STK_TEST(random_resized_crops_are_inside_images_of_any_size)
{
    static const int32_t     sides[] = {1, 2, 3, 10, 500, 5000, 65535, INT32_MAX};
    static const char *const texts[] = {"size=8", "size=8 area=1e-9,1e-8", "size=8 area=1",
                                        "size=8 aspect=0.001,1000", "size=8 aspect=1000"};
    const stk_image_op      *op = stk_image_op_find("random_resized_crop");
    for (size_t t = 0; t < COUNT_OF(texts); t++) {
        void *params = params_of(op, texts[t]);
        for (uint64_t i = 0; i < COUNT_OF(sides) * COUNT_OF(sides) * 30; i++) {
            stk_error     err;
            stk_geometry  f;
            stk_random    random = stk_random_for(t, 0, i, 0);
            const int32_t width = sides[i % COUNT_OF(sides)];
            const int32_t height = sides[i / COUNT_OF(sides) % COUNT_OF(sides)];
            EXPECT_OK(op->geometry(params, &random, width, height, &f, &err));
            expect_inside(&f.window, width, height);
            EXPECT(f.width == 8 && f.height == 8);
        }
        free(params);
    }
}

/* In a large square no try fails but those near the whole area, so area and logarithm of the aspect
 * are uniform. */
STK_TEST(random_resized_crops_have_uniform_areas_and_logarithms_of_aspects)
{
    enum { RUNS = 20000, SIDE = 4000, BINS = 10 };
    const stk_image_op *op = stk_image_op_find("random_resized_crop");
    void               *params = params_of(op, "size=224 area=0.1,0.6 aspect=0.75,1.3333333333");
    int                 areas[BINS] = {0}, aspects[BINS] = {0};
    double              middle = 0;
    for (uint64_t i = 0; i < RUNS; i++) {
        stk_error    err;
        stk_geometry f;
        stk_random   random = stk_random_for(2, 0, i, 0);
        EXPECT_OK(op->geometry(params, &random, SIDE, SIDE, &f, &err));
        const stk_rect *w = &f.window;
        const double    area = (double)w->width * w->height / SIDE / SIDE;
        const double    aspect = log((double)w->width / w->height) / log(1.3333333333);
        EXPECT(area > 0.0999 && area < 0.6001 && fabs(aspect) < 1.001);
        areas[(int)fmin(fmax((area - 0.1) / 0.5 * BINS, 0), BINS - 1)]++;
        aspects[(int)fmin(fmax((aspect + 1) / 2 * BINS, 0), BINS - 1)]++;
        middle += w->width == SIDE ? 0.5 : (double)w->x / (SIDE - w->width);
    }
    free(params);
    for (int i = 0; i < BINS; i++) { /* 5 standard deviations */
        EXPECT(abs(areas[i] - RUNS / BINS) < 5 * 43);
        EXPECT(abs(aspects[i] - RUNS / BINS) < 5 * 43);
    }
    EXPECT(fabs(middle / RUNS - 0.5) < 0.01);
}

/* What torchvision's get_params returns once its ten tries have failed. */
STK_TEST(random_resized_crops_fall_back_to_the_middle)
{
    static const int cases[][6] = {
        /* image, window */
        {5000, 1, 2499, 0, 1, 1},
        {1, 5000, 0, 2499, 1, 1},
        {5000, 20, 2486, 0, 27, 20}, /* round(20 * 4/3) */
        {21, 4000, 0, 1986, 21, 28}, /* round(21 / 0.75) */
    };
    stk_error    err;
    stk_geometry f;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const int *c = cases[i];
        EXPECT_OK(frame_by("random_resized_crop", "size=8 area=1", c[0], c[1], &f, &err));
        expect_window(&f, c[2], c[3], c[4], c[5]);
    }
    EXPECT_OK(frame_by("random_resized_crop", "size=8 area=1e-9,1e-8", 100, 100, &f, &err));
    expect_window(&f, 0, 0, 100, 100);
}

STK_TEST(random_resized_crop_carries_its_sampling)
{
    stk_error    err;
    stk_geometry f;
    EXPECT_OK(frame_by("random_resized_crop", "size=7,9 filter=lanczos like=tf antialias=true", 50,
                       40, &f, &err));
    EXPECT_INT_EQ(9, f.width);
    EXPECT_INT_EQ(7, f.height);
    EXPECT_INT_EQ(STK_FILTER_LANCZOS, f.sampling.filter);
    EXPECT_INT_EQ(STK_RESIZE_TF, f.sampling.like);
    EXPECT(f.sampling.antialias);
}

STK_TEST(resize_keeps_the_shape_rounded_down)
{
    static const int cases[][5] = {
        /* image, size, result */
        {500, 375, 256, 341, 256}, {375, 500, 256, 256, 341}, {7, 7, 3, 3, 3},
        {3, 10, 2, 2, 6},          {10, 3, 5, 16, 5},         {1, 65535, 1, 1, 65535},
    };
    stk_error    err;
    stk_geometry f;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const int *c = cases[i];
        char       text[32];
        snprintf(text, sizeof text, "size=%d", c[2]);
        EXPECT_OK(frame_by("resize", text, c[0], c[1], &f, &err));
        expect_window(&f, 0, 0, c[0], c[1]);
        EXPECT_INT_EQ(c[3], f.width);
        EXPECT_INT_EQ(c[4], f.height);
        const stk_image_size size = measure_by("resize", text, c[0], c[1]);
        EXPECT_INT_EQ(c[3], size.width);
        EXPECT_INT_EQ(c[4], size.height);
    }
    EXPECT_OK(frame_by("resize", "width=12 height=34 filter=area", 7, 5, &f, &err));
    EXPECT_INT_EQ(12, f.width);
    EXPECT_INT_EQ(34, f.height);
    EXPECT_INT_EQ(STK_FILTER_AREA, f.sampling.filter);
}

STK_TEST(sizes_past_the_limits_are_refused)
{
    stk_error    err;
    stk_geometry f;
    EXPECT_STATUS(STK_E_LIMIT, frame_by("resize", "size=224", 1, 65535, &f, &err));
    EXPECT_CONTAINS("224 x 14679840 is more than 65535 a side", err.message);
    EXPECT_STATUS(STK_E_LIMIT, frame_by("resize", "size=65535", INT32_MAX, 1, &f, &err));
    EXPECT_STATUS(STK_E_LIMIT, frame_by("pad", "padding=65535", INT32_MAX, INT32_MAX, &f, &err));
    EXPECT_STATUS(STK_E_LIMIT, frame_by("pad", "left=65535", 1, 1, &f, &err));
    expect_refused(STK_E_LIMIT, "resize", "width=60000 height=60000", "pixels in all");
    EXPECT_INT_EQ(-1, measure_by("resize", "size=224", 1, 65535).width);
    EXPECT_INT_EQ(-1, measure_by("pad", "left=65535", 1, 1).width);
}

STK_TEST(flip_and_pad_frame_the_whole_image)
{
    stk_error    err;
    stk_geometry f;
    EXPECT_OK(frame_by("flip", "", 4, 3, &f, &err));
    expect_window(&f, 0, 0, 4, 3);
    EXPECT(f.flip_x && !f.flip_y);
    EXPECT_OK(frame_by("flip", "axis=vertical", 4, 3, &f, &err));
    EXPECT(!f.flip_x && f.flip_y);
    EXPECT_OK(frame_by("pad", "padding=2 top=5 right=0 fill=9", 4, 3, &f, &err));
    expect_window(&f, -2, -5, 6, 10);
    EXPECT_INT_EQ(9, f.fill[1]);
    EXPECT_OK(frame_by("pad", "left=3 top=2 border=reflect", 4, 3, &f, &err));
    EXPECT_STATUS(STK_E_INVALID, frame_by("pad", "left=4 border=reflect", 4, 3, &f, &err));
    EXPECT_STATUS(STK_E_INVALID, frame_by("pad", "bottom=3 border=reflect", 4, 3, &f, &err));
    EXPECT_OK(frame_by("pad", "bottom=2 border=reflect", 4, 3, &f, &err));
}

STK_TEST(measuring_fixes_what_an_operation_fixes)
{
    EXPECT_INT_EQ(3, measure_by("crop", "width=3 height=2", -1, -1).width);
    EXPECT_INT_EQ(5, measure_by("centre_crop", "size=5,6", -1, -1).height);
    EXPECT_INT_EQ(6, measure_by("random_crop", "size=5,6", -1, -1).width);
    EXPECT_INT_EQ(7, measure_by("random_resized_crop", "size=7", -1, -1).height);
    EXPECT_INT_EQ(-1, measure_by("resize", "size=7", -1, -1).width);
    EXPECT_INT_EQ(9, measure_by("resize", "width=9 height=7", -1, -1).width);
    EXPECT_INT_EQ(-1, measure_by("pad", "left=7", -1, -1).width);
    EXPECT_INT_EQ(17, measure_by("pad", "left=7", 10, -1).width);
    EXPECT_INT_EQ(-1, measure_by("flip", "", -1, -1).width);
    EXPECT_INT_EQ(10, measure_by("rotate", "degrees=7", 10, 10).width);
    EXPECT_INT_EQ(-1, measure_by("rotate", "degrees=7 expand=true", 10, 10).width);
}

static void expect_fit(int width, int height, int x, int y, int wide, int high)
{
    stk_error    err;
    stk_geometry f;
    EXPECT_OK(frame_by("fit", "size=32", width, height, &f, &err));
    expect_window(&f, x, y, wide, high);
    EXPECT_INT_EQ(32, f.width);
    EXPECT_INT_EQ(32, f.height);
}

STK_TEST(fit_shows_the_most_of_an_image_that_has_the_shape)
{
    expect_fit(32, 32, 0, 0, 32, 32);
    expect_fit(500, 375, 62, 0, 375, 375);
    expect_fit(375, 500, 0, 62, 375, 375);
    expect_fit(8, 8, 0, 0, 8, 8);
    expect_fit(32, 64, 0, 16, 32, 32);
    expect_fit(1000, 100, 250, 0, 500, 100); /* a banner: half of it, squeezed */
    expect_fit(1, 65535, 0, 16383, 1, 32768);
    expect_fit(3, 2, 0, 0, 2, 2);
}

STK_TEST(fit_without_a_size_squeezes_only_what_is_long)
{
    stk_error            err;
    stk_geometry         f;
    const stk_image_size banner = measure_by("fit", "max_ratio=2", 1000, 100);
    const stk_image_size unknown = measure_by("fit", "max_ratio=2", -1, -1);
    EXPECT_OK(frame_by("fit", "max_ratio=2", 500, 375, &f, &err));
    expect_window(&f, 0, 0, 500, 375);
    EXPECT_INT_EQ(500, f.width);
    EXPECT_INT_EQ(375, f.height);
    EXPECT_OK(frame_by("fit", "max_ratio=2", 100, 1000, &f, &err));
    expect_window(&f, 0, 0, 100, 1000);
    EXPECT_INT_EQ(224, f.width); /* as many pixels as before */
    EXPECT_INT_EQ(448, f.height);
    EXPECT_INT_EQ(448, banner.width);
    EXPECT_INT_EQ(224, banner.height);
    EXPECT_STATUS(STK_E_LIMIT, frame_by("fit", "max_ratio=1000000", 3000000, 3000000, &f, &err));
    EXPECT_INT_EQ(-1, unknown.width);
    EXPECT_INT_EQ(24, measure_by("fit", "size=24", -1, -1).height);
    expect_refused(STK_E_INVALID, "fit", "max_ratio=0.5", "max_ratio");
    EXPECT_STATUS(STK_E_LIMIT, frame_by("fit", "size=0", (1 << 23) - 1, (1 << 23) - 1, &f, &err));
}

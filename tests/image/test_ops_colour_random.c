/* What colour operations draw: noise, rectangles, factors and orders are as likely as they say. */
#include "colour_support.h"

#include <math.h>

static void run(const char *text, const stk_pixels *src, uint64_t index,
                stk_canvas_buffers *buffers)
{
    stk_error err;
    EXPECT_OK(run_job(&(paint_job){.text = text, .src = *src, .index = index}, buffers, &err));
}

static void expect_between(double low, double high, double actual)
{
    if (!(actual >= low && actual <= high)) fail_msg("%g is not in %g..%g", actual, low, high);
}

STK_TEST(gaussian_noise_has_its_mean_and_deviation)
{
    const stk_pixels   src = make_pixels(200, 200, 3, 128);
    stk_canvas_buffers buffers;
    stk_canvas_buffers_init(&buffers, NULL);
    run("noise stddev=0.1", &src, 0, &buffers);
    const spread s = spread_of(buffers.canvas.pixels.data, stk_area_bytes(&src));
    expect_between(127.7, 128.3, s.mean); /* 4 standard errors */
    expect_between(25.2, 25.8, sqrt(s.variance));
    run("noise stddev=0.002", &src, 0, &buffers); /* about half a level: most stay */
    size_t same = 0;
    for (size_t i = 0; i < stk_area_bytes(&src); i++)
        same += buffers.canvas.pixels.data[i] == 128;
    /* P(|z| < 0.5 / 0.51) */
    expect_between(0.66, 0.69, (double)same / (double)stk_area_bytes(&src));
    stk_canvas_buffers_release(&buffers);
    free(src.data);
}

/* Counts of each level beside the normal distribution's: chi-square of 41 cells. */
STK_TEST(gaussian_noise_is_normal)
{
    const stk_pixels   src = make_pixels(300, 300, 1, 128);
    const double       sigma = 10.2, count = 90000;
    uint32_t           seen[256] = {0};
    double             chi = 0;
    stk_canvas_buffers buffers;
    stk_canvas_buffers_init(&buffers, NULL);
    run("noise stddev=0.04", &src, 5, &buffers);
    for (size_t i = 0; i < stk_area_bytes(&src); i++)
        seen[buffers.canvas.pixels.data[i]]++;
    for (int d = -20; d <= 20; d++) {
        const double share =
            0.5 * (erf((d + 0.5) / sigma / sqrt(2)) - erf((d - 0.5) / sigma / sqrt(2)));
        chi += pow(seen[128 + d] - share * count, 2) / (share * count);
    }
    expect_between(15, 85, chi);
    stk_canvas_buffers_release(&buffers);
    free(src.data);
}

STK_TEST(salt_and_pepper_change_the_share_of_pixels_they_say)
{
    const stk_pixels   src = make_pixels(200, 200, 3, 100);
    size_t             salt = 0, pepper = 0;
    stk_canvas_buffers buffers;
    stk_canvas_buffers_init(&buffers, NULL);
    run("noise kind=salt_pepper amount=0.1", &src, 0, &buffers);
    for (size_t i = 0; i < stk_area_pixels(&src); i++) {
        const uint8_t *p = buffers.canvas.pixels.data + 3 * i;
        EXPECT(p[0] == p[1] && p[1] == p[2]);
        salt += p[0] == 255;
        pepper += p[0] == 0;
    }
    expect_between(1800, 2200, (double)salt);
    expect_between(1800, 2200, (double)pepper);
    stk_canvas_buffers_release(&buffers);
    free(src.data);
}

/* The erased part is one rectangle; its box and how many pixels are in it. */
static stk_rect find_erased(const stk_pixels *pixels, size_t *erased)
{
    int32_t left = pixels->width, top = pixels->height, right = -1, bottom = -1;
    *erased = 0;
    for (int32_t y = 0; y < pixels->height; y++)
        for (int32_t x = 0; x < pixels->width; x++) {
            if (pixels->data[y * pixels->width + x] == 100) continue;
            left = x < left ? x : left;
            right = x > right ? x : right;
            top = y < top ? y : top;
            bottom = y > bottom ? y : bottom;
            ++*erased;
        }
    return (stk_rect){left, top, right - left + 1, bottom - top + 1};
}

STK_TEST(erase_wipes_out_one_rectangle_of_the_area_and_aspect_it_says)
{
    const stk_pixels   src = make_pixels(120, 80, 1, 100);
    double             area_sum = 0;
    stk_canvas_buffers buffers;
    stk_canvas_buffers_init(&buffers, NULL);
    for (uint64_t i = 0; i < 500; i++) {
        size_t erased;
        run("erase area=0.1,0.3 aspect=0.5,2 fill=7", &src, i, &buffers);
        const stk_rect box = find_erased(&buffers.canvas.pixels, &erased);
        EXPECT_INT_EQ((int64_t)box.width * box.height, erased);
        const double part = (double)erased / (120 * 80), aspect = (double)box.height / box.width;
        expect_between(0.09, 0.31, part);
        expect_between(0.48, 2.09, aspect);
        area_sum += part;
    }
    expect_between(0.19, 0.21, area_sum / 500);
    stk_canvas_buffers_release(&buffers);
    free(src.data);
}

STK_TEST(erase_with_the_mean_takes_the_mean)
{
    stk_pixels         src = make_pixels(40, 40, 3, 10);
    stk_canvas_buffers buffers;
    size_t             thirty = 0;
    for (size_t i = 0; i < stk_area_bytes(&src); i += 2)
        src.data[i] = 50;
    stk_canvas_buffers_init(&buffers, NULL);
    run("erase area=0.2 aspect=1 value=mean", &src, 0, &buffers);
    for (size_t i = 0; i < stk_area_bytes(&src); i++)
        thirty += buffers.canvas.pixels.data[i] == 30;
    EXPECT_INT_EQ(18 * 18 * 3, thirty);
    stk_canvas_buffers_release(&buffers);
    free(src.data);
}

STK_TEST(cutout_wipes_out_squares_that_may_reach_outside)
{
    const stk_pixels   src = make_pixels(50, 30, 1, 100);
    bool               whole = false, cut = false;
    stk_canvas_buffers buffers;
    stk_canvas_buffers_init(&buffers, NULL);
    for (uint64_t i = 0; i < 100; i++) {
        size_t erased;
        run("cutout size=8", &src, i, &buffers);
        const stk_rect box = find_erased(&buffers.canvas.pixels, &erased);
        EXPECT_INT_EQ((int64_t)box.width * box.height, erased);
        EXPECT(box.width <= 8 && box.height <= 8 && box.width >= 4 && box.height >= 4);
        whole |= erased == 64;
        cut |= erased < 64;
    }
    EXPECT(whole && cut);
    stk_canvas_buffers_release(&buffers);
    free(src.data);
}

STK_TEST(brightness_draws_evenly_from_its_range)
{
    const stk_pixels   src = make_pixels(1, 1, 1, 100);
    uint32_t           cells[4] = {0};
    stk_canvas_buffers buffers;
    stk_canvas_buffers_init(&buffers, NULL);
    for (uint64_t i = 0; i < 4000; i++) {
        run("brightness factor=0.5,1.3", &src, i, &buffers);
        const int level = buffers.canvas.pixels.data[0];
        EXPECT(level >= 50 && level < 130);
        cells[(level - 50) / 20]++;
    }
    for (int i = 0; i < 4; i++)
        expect_between(880, 1120, cells[i]);
    stk_canvas_buffers_release(&buffers);
    free(src.data);
}

/* Large factors: brightness first makes both levels white, contrast first leaves black and white.
 */
STK_TEST(colour_jitter_runs_its_steps_in_every_order)
{
    const uint8_t      two[2] = {100, 200};
    const stk_pixels   src = {(uint8_t *)(uintptr_t)two, 2, 1, 1, 2};
    uint32_t           kinds[2] = {0};
    stk_canvas_buffers buffers;
    stk_canvas_buffers_init(&buffers, NULL);
    for (uint64_t i = 0; i < 400; i++) {
        run("colour_jitter brightness=999 contrast=999", &src, i, &buffers);
        const uint8_t *p = buffers.canvas.pixels.data;
        kinds[p[0] == 255 && p[1] == 255]++;
    }
    expect_between(80, 320, kinds[0]);
    expect_between(80, 320, kinds[1]);
    stk_canvas_buffers_release(&buffers);
}

STK_TEST(augmentations_choose_among_many_results)
{
    const char *const  texts[] = {"rand_augment", "trivial_augment"};
    const stk_pixels   src = make_pixels(24, 24, 3, -1);
    stk_canvas_buffers buffers;
    stk_canvas_buffers_init(&buffers, NULL);
    for (size_t t = 0; t < COUNT_OF(texts); t++) {
        uint32_t changed = 0;
        for (uint64_t i = 0; i < 200; i++) {
            run(texts[t], &src, i, &buffers);
            changed += memcmp(src.data, buffers.canvas.pixels.data, stk_area_bytes(&src)) != 0;
        }
        expect_between(120, 200, changed);
    }
    stk_canvas_buffers_release(&buffers);
    free(src.data);
}

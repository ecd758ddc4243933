/* Warping against Pillow's and torchvision's results, and its kernels against each other. */
#include "image/ops/warp.h"
#include "image/ops/warp_row.h"
#include "ops_support.h"

#include <stdio.h>

static const char *golden_folder(void)
{
    const char *by_hand = getenv("STK_WARP_GOLDEN");
    return by_hand ? by_hand : STK_TEST_DATA "/image/warp";
}

static stk_bytes read_golden(const char *name)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", golden_folder(), name);
    return stk_test_read_file(path);
}

/* An image as Pillow writes it: "P6\n37 29\n255\n", then the pixels. */
static stk_pixels read_pnm(const char *name)
{
    const stk_bytes bytes = read_golden(name);
    int             kind, width, height, end = 0;
    EXPECT(sscanf((const char *)bytes.data, "P%d %d %d 255%n", &kind, &width, &height, &end) == 3);
    const int32_t channels = kind == 6 ? 3 : 1;
    EXPECT_INT_EQ(bytes.size, (size_t)(end + 1) + (size_t)width * (size_t)height * channels);
    return (stk_pixels){(uint8_t *)bytes.data + end + 1, width, height, channels,
                        (size_t)width * channels};
}

static void expect_pixels(const stk_pixels *expected, const stk_pixels *actual, const char *what)
{
    const size_t bytes = (size_t)expected->width * expected->height * expected->channels;
    EXPECT_INT_EQ(expected->width, actual->width);
    EXPECT_INT_EQ(expected->height, actual->height);
    if (memcmp(expected->data, actual->data, bytes) == 0) return;
    size_t differ = 0;
    for (size_t i = 0; i < bytes; i++)
        differ += expected->data[i] != actual->data[i];
    fail_msg("%zu of %zu bytes differ: %s", differ, bytes, what);
}

/* "warp FILTER WIDTH HEIGHT M0 .. M5" */
static void run_warp(const char *line, stk_canvas *canvas)
{
    static const char *const filters[] = {"nearest", "bilinear", "bicubic"};
    static const uint8_t     fill[3] = {10, 200, 30};
    stk_error                err;
    char                     name[16];
    int                      width, height, filter = 0;
    double                   m[6];
    EXPECT(sscanf(line, "warp %15s %d %d %lf %lf %lf %lf %lf %lf", name, &width, &height, &m[0],
                  &m[1], &m[2], &m[3], &m[4], &m[5]) == 9);
    while (strcmp(filters[filter], name) != 0)
        filter++;
    EXPECT_OK(stk_warp_canvas("warp", canvas, width, height, m, (stk_filter)filter, fill, &err));
}

static void run_op(const char *line, stk_canvas *canvas)
{
    stk_error  err;
    char       name[32];
    stk_random random = stk_random_for(0, 0, 0, 0);
    EXPECT(sscanf(line, "%31s", name) == 1);
    const stk_image_op *op = stk_image_op_find(name);
    void               *params = params_of(op, line + strlen(name));
    EXPECT_OK(op->pixels(params, &random, canvas, &err));
    free(params);
}

static void run_case(const char *line)
{
    char               source_name[32], result_name[32];
    int                used = 0;
    stk_canvas_buffers buffers;
    EXPECT(sscanf(line, "%31s %31s %n", source_name, result_name, &used) == 2);
    const stk_pixels source = read_pnm(source_name), expected = read_pnm(result_name);
    stk_canvas_buffers_init(&buffers, NULL);
    stk_canvas_use(&buffers.canvas, &source);
    if (strncmp(line + used, "warp", 4) == 0)
        run_warp(line + used, &buffers.canvas);
    else
        run_op(line + used, &buffers.canvas);
    expect_pixels(&expected, &buffers.canvas.pixels, line);
    stk_canvas_buffers_release(&buffers);
}

STK_TEST(results_are_pillows_to_the_bit)
{
    const stk_bytes cases = read_golden("cases.txt");
    const char     *at = (const char *)cases.data, *end = at + cases.size;
    while (at < end) {
        char         line[512];
        const size_t length = (size_t)((const char *)memchr(at, '\n', (size_t)(end - at)) - at);
        EXPECT(length < sizeof line);
        memcpy(line, at, length);
        line[length] = 0;
        run_case(line);
        at += length + 1;
    }
}

enum { SIDE_MAX = 70 };

static void make_noise(const stk_pixels *pixels, stk_random *random)
{
    for (size_t i = 0; i < pixels->stride * (size_t)pixels->height; i++)
        pixels->data[i] = (uint8_t)stk_random_u32(random);
}

/* Every pixel by the plain kernel alone. */
static void warp_plainly(const stk_pixels *src, const stk_pixels *dst, const double m[6],
                         stk_filter filter)
{
    memset(dst->data, 0, dst->stride * (size_t)dst->height);
    for (int32_t y = 0; y < dst->height; y++) {
        const stk_warp_row row = {src, m, y + 0.5, dst->data + (size_t)y * dst->stride};
        for (int32_t x = 0; x < dst->width; x++) {
            const double at_x = stk_warp_x(&row, x), at_y = stk_warp_y(&row, x);
            if (at_x < 0 || at_x >= src->width || at_y < 0 || at_y >= src->height) continue;
            (filter == STK_FILTER_BICUBIC ? stk_warp_bicubic : stk_warp_bilinear)(&row, x, x + 1);
        }
    }
}

STK_TEST(spans_and_kernels_agree_with_the_plain_kernel_at_each_pixel)
{
    static const uint8_t black[3] = {0};
    stk_random           random = stk_random_for(3, 0, 0, 0);
    for (int i = 0; i < 800; i++) {
        /* Blocks of the exact size, so that a sanitizer sees a read past the end. */
        const int32_t w = 1 + (int32_t)stk_random_below(&random, SIDE_MAX);
        const int32_t h = 1 + (int32_t)stk_random_below(&random, SIDE_MAX);
        const int32_t channels = i / 2 % 2 ? 3 : 1;
        stk_pixels    pixels[3];
        for (int k = 0; k < 3; k++)
            pixels[k] = (stk_pixels){malloc((size_t)(w * h * channels)), w, h, channels,
                                     (size_t)(w * channels)};
        make_noise(&pixels[0], &random);
        const stk_filter filter = i % 2 ? STK_FILTER_BICUBIC : STK_FILTER_BILINEAR;
        double           m[6];
        for (int k = 0; k < 6; k++)
            m[k] = stk_random_double(&random) * 4 - 2;
        if (i % 5 == 0) m[0] = m[4] = 1, m[1] = m[3] = m[2] = m[5] = 0;
        if (i % 5 == 1) m[0] = m[4] = -1, m[1] = m[3] = 0;
        stk_warp_centre(m, w, h, i % 7, i % 3);
        stk_warp(&pixels[0], &pixels[1], m, filter, black);
        warp_plainly(&pixels[0], &pixels[2], m, filter);
        expect_pixels(&pixels[2], &pixels[1], "spans");
        for (int k = 0; k < 3; k++)
            free(pixels[k].data);
    }
}

STK_TEST(one_pixel_and_matrices_of_any_size_are_safe)
{
    static const double  sizes[] = {0, 1e-300, 1, -1, 1e9, -1e18, 1e300};
    static const uint8_t fill[3] = {1, 2, 3};
    uint8_t              pixel[3] = {7, 8, 9}, out[4 * 4 * 3];
    const stk_pixels     src = {pixel, 1, 1, 3, 3}, dst = {out, 4, 4, 3, 12};
    for (size_t i = 0; i < COUNT_OF(sizes) * COUNT_OF(sizes) * 6; i++) {
        double m[6] = {1, 0, 0, 0, 1, 0};
        m[i % 6] = sizes[i / 6 % COUNT_OF(sizes)];
        m[(i + 1) % 6] = sizes[i / 6 / COUNT_OF(sizes)];
        for (int filter = STK_FILTER_NEAREST; filter <= STK_FILTER_BICUBIC; filter++) {
            stk_warp(&src, &dst, m, (stk_filter)filter, fill);
            for (int k = 0; k < 16; k++)
                EXPECT(memcmp(out + 3 * k, pixel, 3) == 0 || memcmp(out + 3 * k, fill, 3) == 0);
        }
    }
}

/* A whole turn at once, and in four quarters. */
static void expect_turned_back(int32_t width, int32_t height)
{
    stk_error          err;
    stk_random         random = stk_random_for(5, 0, 0, 0);
    stk_canvas_buffers buffers;
    uint8_t            before[6 * 4 * 3];
    const size_t       bytes = (size_t)(width * height) * 3;
    stk_canvas_buffers_init(&buffers, NULL);
    EXPECT_OK(stk_canvas_buffers_start(&buffers, width, height, 3, &err));
    make_noise(&buffers.canvas.pixels, &random);
    memcpy(before, buffers.canvas.pixels.data, bytes);
    run_op("rotate degrees=360", &buffers.canvas);
    EXPECT_MEM_EQ(before, buffers.canvas.pixels.data, bytes);
    for (int i = 0; i < 4; i++) {
        run_op("rotate degrees=90 expand=true filter=bilinear", &buffers.canvas);
        EXPECT_INT_EQ(i % 2 ? width : height, buffers.canvas.pixels.width);
        EXPECT_INT_EQ(i % 2 ? height : width, buffers.canvas.pixels.height);
    }
    EXPECT_MEM_EQ(before, buffers.canvas.pixels.data, bytes);
    stk_canvas_buffers_release(&buffers);
}

STK_TEST(a_whole_turn_changes_nothing_and_right_angles_swap_sides)
{
    expect_turned_back(6, 4);
    expect_turned_back(5, 4); /* the middle of one is no middle of the other */
    expect_turned_back(1, 2);
}

STK_TEST(affine_moves_by_whole_pixels_up_to_its_part_either_way)
{
    enum { SIDE = 21, RUNS = 2000 };
    const stk_image_op *op = stk_image_op_find("affine");
    void               *params = params_of(op, "translate=0.2,0.1");
    int                 seen[2 * SIDE] = {0}, rows[2 * SIDE] = {0};
    for (uint64_t i = 0; i < RUNS; i++) {
        stk_error          err;
        stk_canvas_buffers buffers;
        stk_random         random = stk_random_for(9, 0, i, 0);
        stk_canvas_buffers_init(&buffers, NULL);
        EXPECT_OK(stk_canvas_buffers_start(&buffers, SIDE, SIDE, 1, &err));
        memset(buffers.canvas.pixels.data, 0, SIDE * SIDE);
        buffers.canvas.pixels.data[SIDE * SIDE / 2] = 255;
        EXPECT_OK(op->pixels(params, &random, &buffers.canvas, &err));
        const uint8_t *dot = memchr(buffers.canvas.pixels.data, 255, SIDE * SIDE);
        EXPECT(dot);
        seen[(dot - buffers.canvas.pixels.data) % SIDE + SIDE / 2]++;
        rows[(dot - buffers.canvas.pixels.data) / SIDE + SIDE / 2]++;
        stk_canvas_buffers_release(&buffers);
    }
    free(params);
    for (int i = 0; i < 2 * SIDE; i++) {
        EXPECT((seen[i] > 0) == (abs(i - 20) <= 4)); /* round(4.2) is 4 */
        EXPECT((rows[i] > 0) == (abs(i - 20) <= 2));
    }
}

STK_TEST(results_past_the_limits_are_refused_before_anything_is_allocated)
{
    static const double  m[6] = {1, 0, 0, 0, 1, 0};
    static const uint8_t fill[3] = {0};
    stk_error            err;
    stk_canvas_buffers   buffers;
    stk_random           random = stk_random_for(0, 0, 0, 0);
    uint8_t              pixel = 0;
    stk_canvas_buffers_init(&buffers, NULL);
    buffers.canvas.pixels = (stk_pixels){&pixel, 1, 1, 1, 1};
    static const int64_t sizes[][2] = {
        {65536, 1}, {1, 65536}, {65535, 65535}, {INT64_MAX, INT64_MAX}, {1LL << 32, 1}};
    for (size_t i = 0; i < COUNT_OF(sizes); i++)
        EXPECT_STATUS(STK_E_LIMIT, stk_warp_canvas("warp", &buffers.canvas, sizes[i][0],
                                                   sizes[i][1], m, STK_FILTER_NEAREST, fill, &err));
    EXPECT_STATUS(STK_E_INVALID, stk_warp_canvas("warp", &buffers.canvas, 0, -1, m,
                                                 STK_FILTER_NEAREST, fill, &err));
    /* Its corners would need 84853 a side. */
    buffers.canvas.pixels.width = buffers.canvas.pixels.height = 60000;
    const stk_image_op *op = stk_image_op_find("rotate");
    void               *params = params_of(op, "degrees=45 expand=true");
    EXPECT_STATUS(STK_E_LIMIT, op->pixels(params, &random, &buffers.canvas, &err));
    EXPECT_CONTAINS("is more than 65535 a side", err.message);
    EXPECT_STR_EQ("rotate", err.component);
    free(params);
    EXPECT(!buffers.areas[0].data && !buffers.areas[1].data);
    stk_canvas_buffers_release(&buffers);
}

STK_TEST(an_easels_areas_take_turns_and_stay_below_the_ceiling)
{
    stk_error          err;
    stk_canvas_buffers buffers;
    stk_ledger        *ledger;
    stk_pixels         scratch, again;
    EXPECT_OK(stk_ledger_new(&ledger, 1000, &err));
    stk_canvas_buffers_init(&buffers, ledger);
    EXPECT_OK(stk_canvas_buffers_start(&buffers, 10, 10, 3, &err));
    uint8_t *first = buffers.canvas.pixels.data;
    EXPECT_OK(buffers.canvas.reserve(&buffers.canvas, 5, 4, 1, &scratch, &err));
    EXPECT(scratch.data != first);
    EXPECT_INT_EQ(5, scratch.stride);
    EXPECT_OK(buffers.canvas.reserve(&buffers.canvas, 5, 4, 1, &again, &err));
    EXPECT(again.data == scratch.data);
    stk_canvas_use(&buffers.canvas, &scratch);
    EXPECT_OK(buffers.canvas.reserve(&buffers.canvas, 10, 10, 3, &again, &err));
    EXPECT(again.data == first);
    EXPECT_STATUS(STK_E_CEILING,
                  buffers.canvas.reserve(&buffers.canvas, 100, 100, 3, &again, &err));
    EXPECT_STATUS(STK_E_INVALID, buffers.canvas.reserve(&buffers.canvas, 0, 100, 3, &again, &err));
    EXPECT_STATUS(STK_E_INVALID, buffers.canvas.reserve(&buffers.canvas, -1, -1, 3, &again, &err));
    stk_canvas_buffers_release(&buffers);
    uint64_t held, ceiling;
    stk_ledger_total(ledger, &held, &ceiling);
    EXPECT_INT_EQ(0, held);
    stk_ledger_unref(ledger);
}

static stk_status turn_twice(void *context, stk_error *err)
{
    const stk_image_op *op = stk_image_op_find("rotate");
    stk_random          random = stk_random_for(0, 0, 0, 0);
    stk_canvas_buffers  buffers;
    void               *params = NULL;
    (void)context;
    stk_canvas_buffers_init(&buffers, NULL);
    stk_status st = stk_image_params_parse(&params, op, "degrees=10 expand=true", err);
    if (!st) st = stk_canvas_buffers_start(&buffers, 9, 7, 3, err);
    if (!st) memset(buffers.canvas.pixels.data, 1, 9 * 7 * 3);
    for (int i = 0; !st && i < 2; i++)
        st = op->pixels(params, &random, &buffers.canvas, err);
    stk_canvas_buffers_release(&buffers);
    free(params);
    return st;
}

STK_TEST(painting_survives_every_failed_allocation)
{
    stk_test_fail_each_allocation(turn_twice, NULL);
}

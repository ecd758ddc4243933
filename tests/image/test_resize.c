/* What stk_resize promises: copies, parts, flips, endings, extreme sizes, refusals, memory. */
#include "resize_support.h"

#include <math.h>

STK_TEST(a_box_of_the_results_size_is_copied_bit_for_bit)
{
    const stk_pixels p = make_image(40, 30, 3);
    for (int like = 0; like < STK_RESIZE_LIKES; like++)
        for (int filter = 0; filter < STK_FILTERS; filter++) {
            stk_resize_request r = make_request(&p, 17, 11, like, filter);
            r.x = 5, r.y = 7, r.width = 17, r.height = 11;
            uint8_t *const got = resize_with(NULL, &p, &r);
            for (size_t y = 0; y < 11; y++)
                EXPECT_MEM_EQ(p.data + (7 + y) * p.stride + 5 * 3, got + y * 17 * 3, 17 * 3);
            free(got);
        }
    free(p.data);
}

STK_TEST(an_axis_that_keeps_its_size_keeps_its_pixels)
{
    const stk_pixels p = make_image(8, 33, 1);
    for (int like = 0; like < STK_RESIZE_LIKES; like++) {
        const stk_resize_request r = make_request(&p, 16, 33, like, STK_FILTER_NEAREST);
        uint8_t *const           got = resize_with(NULL, &p, &r);
        for (size_t i = 0; i < 16 * 33; i++)
            EXPECT_INT_EQ(p.data[i / 16 * 8 + i % 16 / 2], got[i]);
        free(got);
    }
    free(p.data);
}

/* Pixels of a whole result, cut out and flipped by the definition. */
static void expect_part(const uint8_t *whole, const stk_resize_request *r, size_t pixel,
                        const uint8_t *got)
{
    for (int32_t y = 0; y < r->part.height; y++)
        for (int32_t x = 0; x < r->part.width; x++) {
            const int32_t from_x = r->part.x + (r->flip_x ? r->part.width - 1 - x : x);
            const int32_t from_y = r->part.y + (r->flip_y ? r->part.height - 1 - y : y);
            EXPECT_MEM_EQ(whole + (size_t)(from_y * r->out_width + from_x) * pixel, got, pixel);
            got += pixel;
        }
}

STK_TEST(a_part_is_cut_out_of_the_whole_and_then_flipped)
{
    const stk_pixels p = make_image(61, 47, 3);
    for (int like = 0; like < STK_RESIZE_LIKES; like++)
        for (int filter = 0; filter < STK_FILTERS; filter++)
            for (int flips = 0; flips < 4; flips++) {
                stk_resize_request r = make_request(&p, 39, 80, like, filter);
                r.sampling.antialias = flips == 2;
                uint8_t *const whole = resize_with(NULL, &p, &r);
                r.part = (stk_rect){7, 13, 21, 50};
                r.flip_x = flips & 1;
                r.flip_y = flips & 2;
                uint8_t *const got = resize_with(NULL, &p, &r);
                expect_part(whole, &r, 3, got);
                free(got);
                free(whole);
            }
    free(p.data);
}

STK_TEST(a_box_gives_what_cutting_it_out_first_gives)
{
    const stk_pixels p = make_image(70, 50, 3);
    stk_pixels       cut = {p.data + 9 * p.stride + 11 * 3, 41, 33, 3, p.stride};
    for (int like = 0; like < STK_RESIZE_LIKES; like++)
        for (int filter = 0; filter < STK_FILTERS; filter++) {
            const stk_resize_request of_cut = make_request(&cut, 19, 37, like, filter);
            stk_resize_request       of_box = of_cut;
            of_box.x = 11, of_box.y = 9;
            uint8_t *const expected = resize_with(NULL, &cut, &of_cut);
            uint8_t *const got = resize_with(NULL, &p, &of_box);
            EXPECT_MEM_EQ(expected, got, 19 * 37 * 3);
            free(got);
            free(expected);
        }
    free(p.data);
}

static float real_at(const uint8_t *values, size_t i, stk_dtype dtype)
{
    float    real;
    uint16_t half;
    if (dtype == STK_DTYPE_F32) {
        memcpy(&real, values + 4 * i, 4);
        return real;
    }
    memcpy(&half, values + 2 * i, 2);
    if (dtype == STK_DTYPE_F16) {
        const int exponent = half >> 10 & 31;
        real = exponent ? ldexpf((float)(1024 + (half & 1023)), exponent - 25)
                        : ldexpf((float)(half & 1023), -24);
        return half & 0x8000 ? -real : real;
    }
    const uint32_t bits = (uint32_t)half << 16;
    memcpy(&real, &bits, 4);
    return real;
}

/* One ending against bytes and plain arithmetic. relative: what the type's rounding may take. */
static void expect_ending(const stk_pixels *p, stk_resize_request *r, const uint8_t *bytes,
                          float relative)
{
    const size_t   written = (size_t)(r->ending.channels ? r->ending.channels : p->channels);
    const size_t   pixels = (size_t)r->part.width * (size_t)r->part.height;
    uint8_t *const got = resize_with(NULL, p, r);
    for (size_t i = 0; i < pixels; i++)
        for (size_t c = 0; c < written; c++) {
            const size_t at = r->ending.planar ? c * pixels + i : i * written + c;
            float        want = 0;
            if (c < (size_t)p->channels) {
                want = bytes[i * (size_t)p->channels + c];
                if (r->ending.scaled && r->ending.dtype != STK_DTYPE_U8)
                    want = want * r->ending.scale[c] + r->ending.offset[c];
            }
            const float is =
                r->ending.dtype == STK_DTYPE_U8 ? got[at] : real_at(got, at, r->ending.dtype);
            if (!(fabsf(is - want) <= relative * fabsf(want)))
                fail_msg("pixel %zu channel %zu is %g, expected %g", i, c, is, want);
        }
    free(got);
}

STK_TEST(endings_are_casts_scales_planes_and_padding_of_the_bytes)
{
    static const struct {
        stk_dtype dtype;
        float     relative;
    } types[] = {{STK_DTYPE_U8, 0},
                 {STK_DTYPE_F32, 0},
                 {STK_DTYPE_F16, 0x1p-11f},
                 {STK_DTYPE_BF16, 0x1p-8f}};
    for (int32_t channels = 1; channels <= 3; channels += 2) {
        const stk_pixels   p = make_image(53, 31, channels);
        stk_resize_request r = make_request(&p, 271, 19, STK_RESIZE_PIL, STK_FILTER_BICUBIC);
        uint8_t *const     bytes = resize_with(NULL, &p, &r);
        for (size_t t = 0; t < COUNT_OF(types); t++)
            for (int form = 0; form < 8; form++) {
                r.ending = (stk_output_format){.dtype = types[t].dtype,
                                               .planar = form & 1,
                                               .scaled = form & 2,
                                               .channels = form & 4 ? 4 : 0,
                                               .scale = {1 / 58.0f, 1 / 57.0f, 1 / 57.5f},
                                               .offset = {-2.1f, -2.0f, -1.8f}};
                expect_ending(&p, &r, bytes, types[t].relative);
            }
        free(bytes);
        free(p.data);
    }
}

STK_TEST(tensorflows_real_results_keep_fractions_and_bytes_are_rounded)
{
    uint8_t            two[2] = {10, 11}, bytes[3];
    const stk_pixels   p = {two, 2, 1, 1, 2};
    stk_resize_request r = make_request(&p, 3, 1, STK_RESIZE_TF, STK_FILTER_BILINEAR);
    float             *real;
    r.ending.dtype = STK_DTYPE_F32;
    real = (float *)(void *)resize_with(NULL, &p, &r);
    EXPECT(real[0] == 10 && real[1] == 10 && real[2] == 11); /* a byte first */
    free(real);
    r.fractions = true;
    real = (float *)(void *)resize_with(NULL, &p, &r);
    EXPECT(real[0] == 10 && real[1] == 10.5f && real[2] == 11);
    free(real);
    r.ending.dtype = STK_DTYPE_U8;
    uint8_t *const got = resize_with(NULL, &p, &r);
    memcpy(bytes, got, 3);
    EXPECT_INT_EQ(10, bytes[1]);
    free(got);
}

/* All of a plain column of that height to every height up to MOST. */
static void expect_plain(int32_t height, stk_resize_like like, stk_filter filter)
{
    enum { LEVEL = 200, MOST = 240 };
    stk_pixels p = make_image(1, height, 1);
    memset(p.data, LEVEL, (size_t)height);
    for (int32_t result = 1; result <= MOST; result++) {
        const stk_resize_request r = make_request(&p, 1, result, like, filter);
        uint8_t *const           got = resize_with(NULL, &p, &r);
        for (int32_t y = 0; y < result; y++)
            EXPECT(abs(got[y] - LEVEL) <= 1);
        free(got);
    }
    free(p.data);
}

STK_TEST(plain_images_stay_plain_wherever_results_lie_between_pixels)
{
    for (int32_t height = 1; height <= 9; height++)
        for (int like = 0; like < STK_RESIZE_LIKES; like++)
            for (int filter = 0; filter < STK_FILTERS; filter++)
                expect_plain(height, like, filter);
}

STK_TEST(extreme_ratios_stay_inside_the_image)
{
    static const int32_t sides[][4] = {{1000, 2, 1, 1}, {1, 1, 1000, 3}, {2, 1000, 3, 1},
                                       {3, 1, 1, 1000}, {1, 1, 1, 2},    {5000, 1, 7, 1}};
    for (size_t i = 0; i < COUNT_OF(sides); i++)
        for (int like = 0; like < STK_RESIZE_LIKES; like++)
            for (int filter = 0; filter < STK_FILTERS; filter++) {
                stk_pixels p = make_image(sides[i][0], sides[i][1], i & 1 ? 1 : 3);
                memset(p.data, 77, p.stride * (size_t)p.height);
                const stk_resize_request r =
                    make_request(&p, sides[i][2], sides[i][3], like, filter);
                uint8_t *const got = resize_with(NULL, &p, &r);
                for (size_t k = 0; k < result_bytes(&p, &r); k++)
                    EXPECT_INT_EQ(77, got[k]);
                free(got);
                free(p.data);
            }
}

STK_TEST(a_resizer_serves_any_sequence_of_requests)
{
    stk_error    err;
    stk_resizer *resizer;
    uint32_t     seed = 11;
    EXPECT_OK(stk_resizer_new(&resizer, NULL, &err));
    for (int i = 0; i < 200; i++) {
        const stk_pixels         p = make_image(40, 30, draw(&seed, 2) ? 1 : 3);
        const stk_resize_request r =
            make_request(&p, 20 + (int32_t)draw(&seed, 2), 15, draw(&seed, STK_RESIZE_LIKES),
                         draw(&seed, STK_FILTERS));
        uint8_t *const expected = resize_with(NULL, &p, &r), *const got =
                                                                 malloc(result_bytes(&p, &r));
        EXPECT_OK(stk_resize(resizer, &p, &r, got, &err));
        EXPECT_MEM_EQ(expected, got, result_bytes(&p, &r));
        free(got);
        free(expected);
        free(p.data);
    }
    stk_resizer_free(resizer);
    stk_resizer_free(NULL);
}

static void expect_refused(stk_status status, const char *part, const stk_pixels *p,
                           const stk_resize_request *r)
{
    static uint8_t out[64];
    stk_error      err;
    stk_resizer   *resizer;
    EXPECT_OK(stk_resizer_new(&resizer, NULL, &err));
    EXPECT_STATUS(status, stk_resize(resizer, p, r, out, &err));
    EXPECT_CONTAINS(part, err.message);
    stk_resizer_free(resizer);
}

STK_TEST(what_makes_no_sense_is_refused)
{
    stk_pixels               p = make_image(4, 4, 3);
    const stk_resize_request good = make_request(&p, 2, 2, STK_RESIZE_PIL, STK_FILTER_BILINEAR);
    stk_resize_request       r = good;
    r.x = 0.5;
    expect_refused(STK_E_RANGE, "not inside the image", &p, &r);
    r.x = NAN;
    expect_refused(STK_E_RANGE, "not inside the image", &p, &r);
    r = good, r.width = 0;
    expect_refused(STK_E_RANGE, "not inside the image", &p, &r);
    r = good, r.part.width = 3;
    expect_refused(STK_E_RANGE, "not inside the result", &p, &r);
    r = good, r.out_height = 0;
    expect_refused(STK_E_RANGE, "not inside the result", &p, &r);
    r = good, r.ending.dtype = STK_DTYPE_I32;
    expect_refused(STK_E_TYPE, "int32", &p, &r);
    r = good, r.ending.channels = 2;
    expect_refused(STK_E_INVALID, "2 channels", &p, &r);
    r = good, r.sampling.filter = STK_FILTERS;
    expect_refused(STK_E_INVALID, "no filter", &p, &r);
    p.channels = 2;
    expect_refused(STK_E_INVALID, "2 channels", &p, &good);
    free(p.data);
}

STK_TEST(sizes_past_all_memory_are_an_error)
{
    const stk_pixels p = make_image(4, 4, 1);
    for (int like = 0; like < STK_RESIZE_LIKES; like++)
        for (int filter = 0; filter < STK_FILTERS; filter++) {
            stk_resize_request r = make_request(&p, INT32_MAX, 1, like, filter);
            expect_refused(STK_E_LIMIT, "weights", &p, &r);
            r = make_request(&p, 1, INT32_MAX, like, filter);
            expect_refused(STK_E_LIMIT, "weights", &p, &r);
            r = make_request(&p, INT32_MAX, INT32_MAX, like, filter);
            r.ending.dtype = STK_DTYPE_F32;
            r.ending.channels = 4;
            expect_refused(STK_E_LIMIT, "", &p, &r);
        }
    free(p.data);
}

static stk_status resize_in_a_ledger(void *context, stk_error *err)
{
    static uint8_t           out[30 * 20 * 3 * 4];
    const stk_pixels        *p = context;
    stk_resizer             *resizer = NULL;
    stk_ledger              *ledger = NULL;
    const stk_resize_request r = make_request(p, 30, 20, STK_RESIZE_PIL, STK_FILTER_LANCZOS);
    stk_status               st = stk_ledger_new(&ledger, 1 << 20, err);
    if (!st) st = stk_resizer_new(&resizer, ledger, err);
    if (!st) st = stk_resize(resizer, p, &r, out, err);
    stk_resizer_free(resizer);
    stk_ledger_unref(ledger);
    return st;
}

STK_TEST(resizing_survives_every_failed_allocation)
{
    stk_pixels p = make_image(40, 30, 3);
    stk_test_fail_each_allocation(resize_in_a_ledger, &p);
    free(p.data);
}

STK_TEST(the_ledgers_ceiling_holds_and_all_is_given_back)
{
    static uint8_t   out[1000 * 300];
    stk_error        err;
    stk_ledger      *ledger;
    stk_resizer     *resizer;
    uint64_t         held, ceiling;
    const stk_pixels p = make_image(20, 20, 1);
    EXPECT_OK(stk_ledger_new(&ledger, 20000, &err));
    EXPECT_OK(stk_resizer_new(&resizer, ledger, &err));
    stk_resize_request r = make_request(&p, 1000, 300, STK_RESIZE_PIL, STK_FILTER_LANCZOS);
    EXPECT_STATUS(STK_E_CEILING, stk_resize(resizer, &p, &r, out, &err));
    r = make_request(&p, 10, 10, STK_RESIZE_PIL, STK_FILTER_BILINEAR);
    EXPECT_OK(stk_resize(resizer, &p, &r, out, &err));
    stk_resizer_free(resizer);
    stk_ledger_total(ledger, &held, &ceiling);
    EXPECT_INT_EQ(0, held);
    stk_ledger_unref(ledger);
    free(p.data);
}

/* edit_images and mix_images: windows and borders, ops, mixtures, invalid edits. */
#include "compute/ops/op_support.h"
#include "edit/edit.h"
#include <math.h>
#include <stoker/ops.h>
#include <stoker/program.h>
#include <string.h>

enum { ROWS = 2, HEIGHT = 3, WIDTH = 4, BATCH_MAX = 4, PIXELS_MAX = 64 };

typedef struct edit_case {
    int      height, width, channels; /* of results */
    int      batch;
    bool     mixes; /* the images are the batch */
    stk_edit edits[BATCH_MAX];
} edit_case;

/* Level of channel c: 100 * row + 10 * y + x + 40 * c. */
static void fill_images(uint8_t *to, int rows, int height, int width, int channels)
{
    for (int row = 0; row < rows; row++)
        for (int y = 0; y < height; y++)
            for (int x = 0; x < width; x++)
                for (int c = 0; c < channels; c++)
                    *to++ = (uint8_t)(100 * row + 10 * y + x + 40 * c);
}

static void run_on(const char *backend, const edit_case *c, uint8_t *out)
{
    const int      rows = c->mixes ? c->batch : ROWS;
    const int      height = c->mixes ? c->height : HEIGHT, width = c->mixes ? c->width : WIDTH;
    const size_t   bytes = (size_t)(c->batch * c->height * c->width * c->channels);
    uint8_t        images[BATCH_MAX * PIXELS_MAX * 3];
    stk_error      err;
    stk_graph     *g;
    stk_device    *device;
    stk_variables *variables;
    stk_program   *program;
    fill_images(images, rows, height, width, c->channels);
    EXPECT_OK(stk_graph_new(&g, NULL, &err));
    stk_symbol from =
        stk_graph_input(g, "x", STK_DTYPE_U8, stk_shape_4d(rows, height, width, c->channels));
    stk_symbol edits =
        stk_graph_input(g, "edits", STK_DTYPE_I32, stk_shape_2d(c->batch, STK_EDIT_WORDS));
    stk_graph_output(g, "y",
                     c->mixes ? stk_mix_images(g, from, edits)
                              : stk_edit_images(g, from, edits, c->height, c->width));
    EXPECT_OK(stk_device_open(&device, backend, &(stk_device_options){.threads = 2}, &err));
    EXPECT_OK(stk_variables_new(&variables, device, 1, &err));
    EXPECT_OK(stk_program_compile(&program, g, variables, NULL, &err));
    EXPECT_OK(stk_program_feed(program, "x", images, (size_t)(rows * height * width * c->channels),
                               &err));
    EXPECT_OK(
        stk_program_feed(program, "edits", c->edits, (size_t)c->batch * sizeof(stk_edit), &err));
    EXPECT_OK(stk_program_run(program, NULL, &err));
    EXPECT_OK(stk_program_fetch(program, "y", out, bytes, &err));
    stk_program_free(program);
    stk_variables_free(variables);
    stk_device_free(device);
    stk_graph_free(g);
}

static void expect_bytes(const edit_case *c, const uint8_t *expected)
{
    static const char *const backends[] = {"ref", "cpu"};
    const size_t             bytes = (size_t)(c->batch * c->height * c->width * c->channels);
    for (size_t b = 0; b < COUNT_OF(backends); b++) {
        uint8_t out[BATCH_MAX * PIXELS_MAX * 3];
        run_on(backends[b], c, out);
        for (size_t i = 0; i < bytes; i++)
            EXPECT_INT_EQ(expected[i], out[i]);
    }
}

static stk_edit at(int source, int x, int y, int flip, int border)
{
    stk_edit edit = stk_edit_none(source);
    edit.x = x;
    edit.y = y;
    edit.flip = flip;
    edit.border = border;
    edit.fill = 200;
    return edit;
}

STK_TEST(a_window_is_cut_out_of_the_row_and_flipped)
{
    const edit_case      c = {.height = 2,
                              .width = 2,
                              .channels = 1,
                              .batch = 4,
                              .edits = {at(1, 1, 1, 0, 0), at(0, 2, 0, STK_EDIT_FLIP_X, 0),
                                        at(0, 2, 0, STK_EDIT_FLIP_Y, 0),
                                        at(1, 0, 0, STK_EDIT_FLIP_X | STK_EDIT_FLIP_Y, 0)}};
    static const uint8_t expected[] = {111, 112, 121, 122, 3,   2,   13,  12,
                                       12,  13,  2,   3,   111, 110, 101, 100};
    expect_bytes(&c, expected);
}

STK_TEST(a_window_may_reach_outside)
{
    const edit_case      c = {.height = 1,
                              .width = 8,
                              .channels = 1,
                              .batch = 4,
                              .edits = {at(0, -2, 0, 0, STK_EDIT_CONSTANT),
                                        at(0, -2, 1, 0, STK_EDIT_EDGE),
                                        at(0, -2, -1, STK_EDIT_FLIP_X, STK_EDIT_REFLECT),
                                        at(0, 0, INT32_MIN, 0, STK_EDIT_CONSTANT)}};
    static const uint8_t expected[] = {200, 200, 0,   1,   2,   3,   200, 200, 10,  10, 10,
                                       11,  12,  13,  13,  13,  11,  12,  13,  12,  11, 10,
                                       11,  12,  200, 200, 200, 200, 200, 200, 200, 200};
    expect_bytes(&c, expected);
}

STK_TEST(a_row_that_is_not_there_is_black_and_so_is_nothing_else)
{
    edit_case            c = {.height = 1,
                              .width = 1,
                              .channels = 3,
                              .batch = 4,
                              .edits = {stk_edit_none(-1), stk_edit_none(ROWS), stk_edit_none(1),
                                        at(0, INT32_MAX, INT32_MIN, 3, STK_EDIT_REFLECT)}};
    static const uint8_t expected[] = {0, 0, 0, 0, 0, 0, 100, 140, 180, 1, 41, 81};
    c.edits[0].step[0].kind = STK_EDIT_INVERT;
    expect_bytes(&c, expected);
}

static stk_edit with_step(int kind, float number, int word)
{
    stk_edit edit = stk_edit_none(0);
    edit.step[0].kind = kind;
    if (word)
        edit.step[0].word[0] = word;
    else
        edit.step[0].number[0] = number;
    return edit;
}

STK_TEST(steps_change_levels)
{
    const edit_case c = {
        .height = 1,
        .width = 2,
        .channels = 3,
        .batch = 4,
        .edits = {with_step(STK_EDIT_BRIGHTNESS, 1.5f, 0), with_step(STK_EDIT_CONTRAST, 0, 0),
                  with_step(STK_EDIT_SOLARIZE, 0, 41), with_step(STK_EDIT_POSTERIZE, 0, 3)}};
    static const uint8_t expected[] = {0, 60, 120, 1, 61,  121, 34, 34, 34, 34, 34, 34,
                                       0, 40, 175, 1, 214, 174, 0,  32, 64, 0,  32, 64};
    expect_bytes(&c, expected);
}

STK_TEST(steps_come_in_order_and_the_first_end_is_the_last)
{
    edit_case c = {.height = 1, .width = 2, .channels = 1, .batch = 2};
    stk_edit  edit = with_step(STK_EDIT_INVERT, 0, 0);
    edit.step[1] = (stk_edit_op){.kind = STK_EDIT_ERASE, .word = {-3, 0, 4, 9, 77}};
    edit.step[2] = (stk_edit_op){.kind = STK_EDIT_INVERT};
    c.edits[0] = edit;
    edit.step[1].kind = STK_EDIT_END;
    c.edits[1] = edit;
    expect_bytes(&c, (const uint8_t[]){178, 1, 255, 254});
}

STK_TEST(a_warp_looks_at_other_pixels)
{
    const float right = -1;
    edit_case   c = {.height = 1, .width = 4, .channels = 1, .batch = 4};
    stk_edit    edit = with_step(STK_EDIT_WARP, 0, 0);
    float      *m = edit.step[0].number;
    m[0] = m[4] = 1;
    m[2] = right;
    edit.step[0].word[STK_EDIT_WARP_HOW] = 99;
    c.edits[0] = edit;
    m[2] = -0.5f;
    edit.step[0].word[STK_EDIT_WARP_HOW] = 1 << 24 | 99;
    edit.source = 1;
    c.edits[1] = edit;
    m[1] = 1e-3f; /* not axis-aligned: evaluated per pixel */
    edit.step[0].word[STK_EDIT_WARP_HOW] = 99;
    c.edits[2] = edit;
    for (int i = 0; i < 6; i++)
        m[i] = NAN;
    c.edits[3] = edit;
    expect_bytes(
        &c, (const uint8_t[]){99, 0, 1, 2, 100, 100, 101, 102, 100, 101, 102, 103, 99, 99, 99, 99});
}

static stk_edit mixed(int partner, float share, int x, int width)
{
    stk_edit edit = stk_edit_none(0);
    edit.partner = partner;
    edit.fraction = share;
    memcpy(edit.box, (const int32_t[4]){x, 0, width, 1}, sizeof edit.box);
    return edit;
}

STK_TEST(images_are_mixed_with_their_partners)
{
    const edit_case c = {
        .height = 1,
        .width = 3,
        .channels = 1,
        .batch = 3,
        .mixes = true,
        .edits = {mixed(1, 0.75f, 0, 0), mixed(0, 0.755f, 0, 0), mixed(0, 1, 1, INT32_MAX)}};
    expect_bytes(&c, (const uint8_t[]){25, 26, 27, 76, 77, 78, 200, 1, 2});
}

STK_TEST(partners_that_are_none_leave_a_image_as_it_is)
{
    const edit_case c = {.height = 1,
                         .width = 2,
                         .channels = 1,
                         .batch = 2,
                         .mixes = true,
                         .edits = {mixed(-1, 0, 0, 0), mixed(2, 0, 0, 2)}};
    expect_bytes(&c, (const uint8_t[]){0, 1, 100, 101});
}

static void expect_refused(stk_dtype dtype, stk_shape images, stk_shape edits, int side,
                           stk_status status, const char *message)
{
    stk_error  err;
    stk_graph *g;
    EXPECT_OK(stk_graph_new(&g, NULL, &err));
    stk_symbol x = stk_graph_input(g, "x", dtype, images);
    stk_symbol e = stk_graph_input(g, "e", STK_DTYPE_I32, edits);
    if (side < 0)
        stk_mix_images(g, x, e);
    else
        stk_edit_images(g, x, e, side, side);
    EXPECT_STATUS(status, stk_graph_check(g, &err));
    EXPECT_CONTAINS(message, err.message);
    stk_graph_free(g);
}

STK_TEST(what_are_no_images_or_no_edits_is_refused)
{
    const stk_shape images = stk_shape_4d(5, 4, 4, 3), edits = stk_shape_2d(2, 64);
    expect_refused(STK_DTYPE_F32, images, edits, 4, STK_E_TYPE, "float32, not uint8");
    expect_refused(STK_DTYPE_U8, stk_shape_4d(5, 4, 4, 4), edits, 4, STK_E_SHAPE, "4 channels");
    expect_refused(STK_DTYPE_U8, images, stk_shape_2d(2, 16), 4, STK_E_SHAPE, "[2,16]");
    expect_refused(STK_DTYPE_U8, images, edits, 0, STK_E_INVALID, "0 x 0");
    expect_refused(STK_DTYPE_U8, images, edits, -1, STK_E_SHAPE, "5 images but 2 edits");
}

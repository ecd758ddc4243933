/* edit_images and mix_images: the bits of the reference for all edits. */
#include "base/philox.h"
#include "compute/cuda/cuda_support.h"
#include "compute/ops/edit_op_inputs.h"
#include "compute/ops/graph_ops.h"
#include <math.h>
#include <string.h>

enum { BATCH = 7, ROWS = 3 };

typedef struct sizes {
    int source_height, source_width, height, width, channels;
} sizes;

/* Rows for accesses of 16, 4 and 1 bytes; windows inside, outside and across the source. */
static const sizes all_sizes[] = {
    {32, 32, 32, 32, 3}, {9, 20, 9, 16, 3},  {11, 7, 8, 4, 3},  {5, 6, 7, 9, 3},
    {40, 50, 24, 32, 1}, {13, 11, 6, 20, 1}, {13, 11, 6, 9, 1}, {1, 1, 3, 5, 3},
};

static int below(stk_random *random, int count)
{
    return (int)stk_random_below(random, (uint64_t)count);
}

static float between(stk_random *random, double low, double high)
{
    return (float)(low + (high - low) * stk_random_double(random));
}

static void draw_warp(stk_random *random, stk_edit_op *step)
{
    const int how = below(random, 3);
    step->number[0] = how == 2 ? 1 : between(random, -1.5, 1.5);
    step->number[1] = how == 2 ? 0 : between(random, -1.5, 1.5);
    step->number[2] = how == 2 ? (float)(below(random, 9) - 4) : between(random, -8, 30);
    step->number[3] = how == 2 ? 0 : between(random, -1.5, 1.5);
    step->number[4] = how == 2 ? 1 : between(random, -1.5, 1.5);
    step->number[5] = how == 1 ? 40000 : between(random, -8, 30);
    step->word[STK_EDIT_WARP_HOW] = below(random, 2) << 24 | below(random, 1 << 24);
}

static void draw_step(stk_random *random, stk_edit_op *step)
{
    step->kind = 1 + below(random, STK_EDIT_ERASE);
    step->number[0] = between(random, step->kind == STK_EDIT_HUE ? -0.5 : 0,
                              step->kind == STK_EDIT_HUE ? 0.5 : 2);
    if (step->kind == STK_EDIT_SOLARIZE) step->word[0] = below(random, 257);
    if (step->kind == STK_EDIT_POSTERIZE) step->word[0] = below(random, 9);
    if (step->kind == STK_EDIT_WARP) draw_warp(random, step);
    for (int i = 0; i < 5 && step->kind == STK_EDIT_ERASE; i++)
        step->word[i] = below(random, 12) - (i < 2 ? 3 : 0);
}

static stk_edit draw_edit(stk_random *random, const sizes *s, int steps)
{
    const bool inside =
        below(random, 2) && s->source_width >= s->width && s->source_height >= s->height;
    stk_edit edit = stk_edit_none(below(random, ROWS));
    edit.x = inside ? below(random, s->source_width - s->width + 1) : below(random, 13) - 6;
    edit.y = inside ? below(random, s->source_height - s->height + 1) : below(random, 9) - 4;
    edit.flip = below(random, 4);
    edit.border = below(random, 3);
    edit.fill = below(random, 1 << 24);
    for (int i = 0; i < steps; i++)
        draw_step(random, &edit.step[i]);
    return edit;
}

/* Images with a limited number of levels, or data if it is not NULL. */
static void expect_images(const sizes *s, const stk_edit *edits, int levels, const uint8_t *data)
{
    const stk_edit_images_attrs attrs = {s->height, s->width};
    EXPECT_CUDA((&(cuda_case){
        .op = &stk_graph_op_edit_images,
        .attrs = &attrs,
        .inputs = 2,
        .only_float32 = true,
        .in = {{.shape = NHWC(ROWS, s->source_height, s->source_width, s->channels),
                .dtype = STK_DTYPE_U8,
                .high = levels,
                .data = data},
               {.shape = MATRIX(BATCH, STK_EDIT_WORDS), .dtype = STK_DTYPE_I32, .data = edits}}}));
}

static void expect_edits(const sizes *s, const stk_edit *edits)
{
    expect_images(s, edits, 256, NULL);
}

STK_TEST(windows_of_all_sizes)
{
    stk_random random = stk_random_for(7, 0, 0, 3);
    for (size_t i = 0; i < COUNT_OF(all_sizes); i++)
        for (int turn = 0; turn < 3; turn++) {
            stk_edit edits[BATCH];
            for (int b = 0; b < BATCH; b++)
                edits[b] = draw_edit(&random, &all_sizes[i], 0);
            expect_edits(&all_sizes[i], edits);
        }
}

STK_TEST(steps_in_any_order)
{
    stk_random random = stk_random_for(8, 0, 0, 3);
    for (size_t i = 0; i < COUNT_OF(all_sizes); i++)
        for (int turn = 0; turn < 2; turn++) {
            stk_edit edits[BATCH];
            for (int b = 0; b < BATCH; b++)
                edits[b] = draw_edit(&random, &all_sizes[i], below(&random, 4));
            expect_edits(&all_sizes[i], edits);
        }
}

static void draw_rotation(stk_random *random, const sizes *s, stk_edit_op *step)
{
    const float turn = between(random, -3.2, 3.2), across = cosf(turn), down = sinf(turn);
    step->kind = STK_EDIT_WARP;
    step->number[0] = step->number[4] = across;
    step->number[1] = -down;
    step->number[3] = down;
    step->number[2] = (float)s->width / 2 * (1 - across) + (float)s->height / 2 * down;
    step->number[5] = (float)s->height / 2 * (1 - across) - (float)s->width / 2 * down;
    step->word[STK_EDIT_WARP_HOW] = below(random, 4) ? 1 << 24 : 0;
}

/* Gathered in words: windows inside of the source, one warp, ops before and after it. With two
 * levels most pixels differ from a neighbour. */
STK_TEST(rotated_windows_within)
{
    static const sizes all[] = {
        {44, 52, 36, 40, 3}, {40, 36, 40, 36, 3}, {9, 39, 7, 35, 3}, {28, 32, 26, 28, 1}};
    stk_random random = stk_random_for(12, 0, 0, 3);
    for (int turn = 0; turn < 10; turn++) {
        const sizes *s = &all[turn % 4];
        stk_edit     edits[BATCH];
        for (int b = 0; b < BATCH; b++) {
            const int at = below(&random, 3), steps = at + below(&random, 3);
            edits[b] = draw_edit(&random, s, 0);
            edits[b].x = below(&random, s->source_width - s->width + 1);
            edits[b].y = below(&random, s->source_height - s->height + 1);
            for (int i = 0; i < steps; i++)
                do
                    draw_step(&random, &edits[b].step[i]);
                while (edits[b].step[i].kind == STK_EDIT_WARP);
            if (b) draw_rotation(&random, s, &edits[b].step[at]);
        }
        expect_images(s, edits, turn < 4 ? 2 : 256, NULL);
    }
}

/* Colours with an integer hue, where rounding decides: all of them, shifted. */
STK_TEST(hues_that_are_whole_numbers)
{
    enum { RANGE = 85, SIDE = 24 };
    static const sizes   s = {SIDE, SIDE, SIDE, SIDE, 3};
    static const uint8_t orders[6][3] = {{2, 1, 0}, {1, 2, 0}, {0, 2, 1},
                                         {0, 1, 2}, {1, 0, 2}, {2, 0, 1}};
    static uint8_t       images[ROWS][SIDE * SIDE][3];
    stk_edit             edits[BATCH];
    for (int row = 0; row < ROWS; row++)
        for (int i = 0; i < SIDE * SIDE; i++) {
            const int range = row < 2 ? RANGE * (row + 1) : 3 * RANGE, low = 20 * (2 - row);
            const int level[3] = {low, low + i % (RANGE + 1) * (row + 1), low + range};
            for (int c = 0; c < 3; c++)
                images[row][i][c] = (uint8_t)level[orders[i / (RANGE + 1) % 6][c]];
        }
    for (int b = 0; b < BATCH; b++) {
        edits[b] = stk_edit_none(b % ROWS);
        edits[b].step[0].kind = STK_EDIT_HUE;
        edits[b].step[0].number[0] = (float)(b - BATCH / 2) * 0.13f;
    }
    expect_images(&s, edits, 256, images[0][0]);
}

STK_TEST(as_many_warps_as_there_are_steps)
{
    static const sizes s = {8, 8, 8, 8, 3};
    stk_random         random = stk_random_for(9, 0, 0, 3);
    stk_edit           edits[BATCH];
    for (int b = 0; b < BATCH; b++) {
        edits[b] = draw_edit(&random, &s, 0);
        for (int i = 0; i < STK_EDIT_OPS && b < 2; i++) {
            draw_warp(&random, &edits[b].step[i]);
            edits[b].step[i].kind = STK_EDIT_WARP;
        }
    }
    expect_edits(&s, edits);
}

/* Arbitrary bits: nothing is read out of bounds, and results equal the reference's. */
STK_TEST(edits_that_make_no_sense)
{
    static const sizes s = {6, 8, 5, 8, 3};
    stk_random         random = stk_random_for(10, 0, 0, 3);
    for (int turn = 0; turn < 8; turn++) {
        stk_edit edits[BATCH];
        for (int b = 0; b < BATCH; b++)
            for (int i = 0; i < STK_EDIT_WORDS; i++)
                ((uint32_t *)&edits[b])[i] = stk_random_u32(&random);
        for (int b = 1; b < BATCH; b++) {
            edits[b].source = below(&random, ROWS);
            for (int i = 0; i < 2; i++)
                edits[b].step[i].kind = below(&random, STK_EDIT_ERASE + 2);
        }
        expect_edits(&s, edits);
    }
}

static void expect_mixed(const sizes *s, const stk_edit *edits)
{
    EXPECT_CUDA((&(cuda_case){
        .op = &stk_graph_op_mix_images,
        .inputs = 2,
        .only_float32 = true,
        .in = {{.shape = NHWC(BATCH, s->height, s->width, s->channels),
                .dtype = STK_DTYPE_U8,
                .high = 256},
               {.shape = MATRIX(BATCH, STK_EDIT_WORDS), .dtype = STK_DTYPE_I32, .data = edits}}}));
}

STK_TEST(mixtures_of_all_sizes)
{
    stk_random random = stk_random_for(11, 0, 0, 3);
    for (size_t i = 0; i < COUNT_OF(all_sizes); i++)
        for (int turn = 0; turn < 3; turn++) {
            stk_edit edits[BATCH];
            for (int b = 0; b < BATCH; b++) {
                edits[b] = stk_edit_none(0);
                edits[b].partner = below(&random, BATCH + 2) - 1;
                edits[b].fraction = between(&random, -0.1, 1.1);
                for (int k = 0; k < 4 && b % 2; k++)
                    edits[b].box[k] = below(&random, 9) - 1;
            }
            expect_mixed(&all_sizes[i], edits);
        }
}

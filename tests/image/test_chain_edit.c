/* Chains as edits: a device that does what they say gives what the chain gives. */
#include "../harness.h"

#include "compute/ops/edit_op_inputs.h"
#include "compute/ops/graph_ops.h"
#include "image/batch/mix.h"
#include "image/chain/chain_edit.h"

#include <stdio.h>
#include <stdlib.h>

enum { MOST_STEPS = 5, SIDE_MOST = 200 };

static const char *const frames[][2] = {
    {"crop", "x=1 y=2 width=9 height=8"},
    {"centre_crop", "size=12"},
    {"centre_crop", "size=40"},
    {"random_crop", "size=10 padding=3"},
    {"random_crop", "size=14 padding=4 border=reflect"},
    {"random_crop", "size=14 padding=4 border=edge fill=9"},
    {"random_crop", "size=18 padding=5 fill=9,200,30"},
    {"flip", "axis=horizontal"},
    {"flip", "axis=vertical"},
    {"pad", "padding=2 fill=40"},
};

static const char *const colours[][2] = {
    {"brightness", "factor=0.2,1.9"},
    {"contrast", "factor=0.2,1.9"},
    {"saturation", "factor=0,3"},
    {"hue", "shift=-0.5,0.5"},
    {"hue", "shift=0.2"},
    {"grey", ""},
    {"invert", ""},
    {"solarize", "threshold=0,256"},
    {"posterize", "bits=1,8"},
    {"colour_jitter", "brightness=0.4 contrast=0.4 saturation=0.4 hue=0.2"},
    {"colour_jitter", "brightness=0.4 saturation=0.4"},
    {"erase", "fill=3,100,250"},
    {"cutout", "size=6 holes=2 fill=1,2,3"},
};

static const char *const warps[][2] = {
    {"rotate", "degrees=-180,180"},
    {"rotate", "degrees=90 fill=255"},
    {"affine", "degrees=-30,30 translate=0.1 scale=0.8,1.2 shear=-10,10 fill=7"},
    {"affine", "translate=0.3"},
};

typedef struct plan {
    stk_chain_op steps[MOST_STEPS];
    void        *params[MOST_STEPS];
    stk_random   randoms[MOST_STEPS];
    size_t       count;
} plan;

static uint32_t dice_state = 1;

static uint32_t dice(uint32_t bound)
{
    dice_state = dice_state * 1664525u + 1013904223u;
    return (dice_state >> 8) % bound;
}

static void add(plan *p, const char *name, const char *text, double probability)
{
    stk_error           err;
    const stk_image_op *op = stk_image_op_find(name);
    EXPECT(op && p->count < MOST_STEPS);
    EXPECT_OK(stk_image_params_parse(&p->params[p->count], op, text, &err));
    p->steps[p->count] = (stk_chain_op){op, p->params[p->count], probability};
    p->randoms[p->count] = stk_random_for(dice(1 << 20), 0, p->count, 0);
    p->count++;
}

static stk_chain chain_of(const plan *p)
{
    return (stk_chain){.steps = p->steps, .count = p->count};
}

static void drop(plan *p)
{
    for (size_t i = 0; i < p->count; i++)
        free(p->params[i]);
    p->count = 0;
}

typedef struct image {
    stk_pixels pixels;
    uint8_t    bytes[3 * SIDE_MOST * SIDE_MOST];
} image;

static void make_image(image *to, int32_t width, int32_t height, int32_t channels)
{
    to->pixels = (stk_pixels){to->bytes, width, height, channels, (size_t)(width * channels)};
    for (int32_t i = 0; i < width * height * channels; i++)
        to->bytes[i] = (uint8_t)(i * 7 + (int32_t)dice(64));
}

static stk_status place(void *context, const stk_shape *shape, stk_dtype dtype, void **data,
                        stk_error *err)
{
    image *to = context;
    (void)dtype, (void)err;
    to->pixels = (stk_pixels){to->bytes, (int32_t)shape->dim[1], (int32_t)shape->dim[0],
                              (int32_t)shape->dim[2], (size_t)(shape->dim[1] * shape->dim[2])};
    *data = to->bytes;
    return STK_OK;
}

/* As a device would, to the size that the chain gave. */
static void edit_image(const image *from, const stk_edit *edit, image *to)
{
    const stk_pixels           *f = &from->pixels, *t = &to->pixels;
    const stk_edit_images_attrs attrs = {t->height, t->width};
    const stk_tensor_type in[] = {{STK_DTYPE_U8, stk_shape_4d(1, f->height, f->width, f->channels)},
                                  {STK_DTYPE_I32, stk_shape_2d(1, STK_EDIT_WORDS)}};
    stk_tensor_type       out;
    const stk_op_instance use = {"edit", &attrs, 2, 1, in, &out};
    stk_error             err;
    EXPECT_OK(stk_graph_op_edit_images.infer(&use, &out, &err));
    stk_graph_op_edit_images.reference(&use, (const void *[]){from->bytes, edit},
                                       (void *[]){to->bytes});
}

typedef struct tally {
    long edits, refusals, pixels, levels, places;
} tally;

static void compare(const image *a, const image *b, tally *t)
{
    const int32_t count = a->pixels.width * a->pixels.height, channels = a->pixels.channels;
    t->edits++;
    t->pixels += count;
    for (int32_t i = 0; i < count; i++) {
        int most = 0;
        for (int32_t c = 0; c < channels; c++) {
            const int apart = abs(a->bytes[i * channels + c] - b->bytes[i * channels + c]);
            most = apart > most ? apart : most;
        }
        t->levels += most == 1;
        t->places += most > 1;
    }
}

static void try_plan(const plan *p, stk_image_workspace *workspace, int32_t side, int32_t channels,
                     tally *t)
{
    static image         source, by_chain, by_edit;
    const stk_chain      chain = chain_of(p);
    const stk_image_size size = {side, side + (int32_t)dice(9), channels, STK_DTYPE_U8, false};
    stk_edit             edit;
    stk_error            err;
    make_image(&source, size.width, size.height, channels);
    const stk_status can = stk_chain_can_edit(&chain, &size, &err);
    const stk_status st = stk_chain_edit(&chain, &size, p->randoms, &edit, &err);
    EXPECT(can || !st);
    t->refusals += st != STK_OK;
    if (st) {
        EXPECT(st == STK_E_UNSUPPORTED || st == STK_E_RANGE || st == STK_E_INVALID);
        return;
    }
    EXPECT_OK(stk_chain_run(&chain, workspace, &(stk_chain_source){.pixels = source.pixels},
                            p->randoms, &(stk_chain_target){place, &by_chain}, NULL, &err));
    by_edit.pixels = by_chain.pixels;
    edit_image(&source, &edit, &by_edit);
    compare(&by_chain, &by_edit, t);
}

static const char *const *choose(uint32_t kind)
{
    if (kind == 0) return colours[dice(COUNT_OF(colours))];
    return kind == 1 ? frames[dice(COUNT_OF(frames))] : warps[dice(COUNT_OF(warps))];
}

static tally try_many(int rounds, int kinds, const char *filter, int32_t side)
{
    stk_image_workspace *workspace;
    stk_error            err;
    tally                t = {0};
    EXPECT_OK(stk_image_workspace_new(&workspace, NULL, &err));
    for (int round = 0; round < rounds; round++) {
        plan         p = {.count = 0};
        const size_t steps = 1 + dice(MOST_STEPS);
        for (size_t i = 0; i < steps; i++) {
            const uint32_t     kind = dice((uint32_t)kinds);
            const char *const *line = choose(kind);
            char               text[160];
            snprintf(text, sizeof text, "%s%s", line[1], kind == 2 ? filter : "");
            add(&p, line[0], text, dice(3) ? 1 : 0.5);
        }
        try_plan(&p, workspace, side + (int32_t)dice(20), dice(4) ? 3 : 1, &t);
        drop(&p);
    }
    stk_image_workspace_free(workspace);
    return t;
}

STK_TEST(windows_and_colours_are_those_of_the_chain_to_the_bit)
{
    const tally t = try_many(1500, 2, "", 20);
    EXPECT(t.edits > 500 && t.refusals > 100);
    EXPECT_INT_EQ(0, t.levels);
    EXPECT_INT_EQ(0, t.places);
}

STK_TEST(nearest_warps_of_small_images_are_those_of_the_chain_to_the_bit)
{
    const tally t = try_many(600, 3, " filter=nearest", 20);
    EXPECT(t.edits > 100);
    EXPECT_INT_EQ(0, t.levels);
    EXPECT_INT_EQ(0, t.places);
}

STK_TEST(nearest_warps_of_large_images_take_other_pixels_in_few_places)
{
    const tally t = try_many(60, 3, " filter=nearest", 150);
    EXPECT(t.edits > 10);
    EXPECT((double)(t.levels + t.places) <= 1e-4 * (double)t.pixels);
}

STK_TEST(bilinear_warps_differ_by_a_level_in_few_places)
{
    plan                 p = {.count = 0};
    stk_image_workspace *workspace;
    stk_error            err;
    tally                t = {0};
    EXPECT_OK(stk_image_workspace_new(&workspace, NULL, &err));
    for (int round = 0; round < 60; round++) {
        const char *const *line = choose(2);
        char               text[160];
        snprintf(text, sizeof text, "%s filter=bilinear", line[1]);
        add(&p, line[0], text, 1);
        try_plan(&p, workspace, round % 2 ? 150 : 20, 3, &t);
        drop(&p);
    }
    stk_image_workspace_free(workspace);
    EXPECT_INT_EQ(60, t.edits);
    EXPECT((double)t.levels <= 1e-2 * (double)t.pixels);
    EXPECT((double)t.places <= 1e-4 * (double)t.pixels);
}

static void expect_refused(const plan *p, const char *component, const char *message)
{
    const stk_chain      chain = chain_of(p);
    const stk_image_size size = {32, 32, 3, STK_DTYPE_U8, false};
    stk_error            err;
    EXPECT_STATUS(STK_E_UNSUPPORTED, stk_chain_can_edit(&chain, &size, &err));
    EXPECT_STR_EQ(component, err.component);
    EXPECT_CONTAINS(message, err.message);
}

STK_TEST(what_there_is_no_edit_for_is_said_by_the_operations_name)
{
    static const char *const lines[][4] = {
        {"resize", "size=16", "resize", "32x32 would become 16x16"},
        {"random_resized_crop", "size=24", "random_resized_crop", "not resized"},
        {"blur", "sigma=1", "blur", "no such operation"},
        {"rand_augment", "", "rand_augment", "no such operation"},
        {"rotate", "degrees=9 filter=bicubic", "rotate", "filter=bilinear"},
        {"rotate", "degrees=9 expand=true", "rotate", "expand"},
        {"erase", "value=random", "erase", "value=constant"},
        {"grey", "channels=1", "grey", "channels"},
        {"normalize", "preset=imagenet", "normalize", "bytes"},
        {"cutout", "size=3 holes=7", "cutout", "6 steps"},
    };
    for (size_t i = 0; i < COUNT_OF(lines); i++) {
        plan p = {.count = 0};
        add(&p, lines[i][0], lines[i][1], 1);
        expect_refused(&p, lines[i][2], lines[i][3]);
        drop(&p);
    }
}

STK_TEST(windows_come_before_what_depends_on_places)
{
    plan p = {.count = 0};
    add(&p, "rotate", "degrees=-10,10", 0.5);
    add(&p, "flip", "axis=horizontal", 0.1);
    expect_refused(&p, "flip", "before rotate");
    drop(&p);
    add(&p, "contrast", "factor=2", 1);
    add(&p, "flip", "axis=horizontal", 1);
    add(&p, "centre_crop", "size=8", 1);
    expect_refused(&p, "centre_crop", "before contrast");
    drop(&p);
    add(&p, "centre_crop", "size=8", 0.5);
    expect_refused(&p, "image", "one size");
    drop(&p);
}

/* A batch mixed in place, and one whose rows are mixed by their edits. */
static void compare_mixed(bool cut, int64_t rows)
{
    enum { SIDE = 9, BYTES = 3 * SIDE * SIDE, ROWS_MOST = 6 };
    static uint8_t      by_rows[ROWS_MOST * BYTES], from[ROWS_MOST * BYTES], to[ROWS_MOST * BYTES];
    stk_edit            edits[ROWS_MOST];
    stk_random          random = stk_random_for(dice(1 << 20), 0, 0, 0);
    stk_error           err;
    const stk_mix       mix = stk_mix_draw(&random, cut, 1, SIDE, SIDE);
    const stk_mix_rows  images = {by_rows, STK_DTYPE_U8, rows, BYTES};
    const stk_mix_image size = {SIDE, SIDE, 3, false};
    const stk_tensor_type in[] = {{STK_DTYPE_U8, stk_shape_4d(rows, SIDE, SIDE, 3)},
                                  {STK_DTYPE_I32, stk_shape_2d(rows, STK_EDIT_WORDS)}};
    const stk_op_instance use = {"mix", NULL, 2, 1, in, in};
    for (size_t i = 0; i < sizeof from; i++)
        from[i] = by_rows[i] = (uint8_t)dice(256);
    for (int64_t i = 0; i < rows; i++)
        edits[i] = stk_edit_none(0);
    stk_mix_edit(&mix, edits, rows);
    EXPECT_OK(cut ? stk_cutmix(&images, &size, mix.box, NULL, &err)
                  : stk_mixup(&images, NULL, mix.lambda, &err));
    stk_graph_op_mix_images.reference(&use, (const void *[]){from, edits}, (void *[]){to});
    EXPECT_MEM_EQ(by_rows, to, (size_t)rows * BYTES);
}

STK_TEST(batches_are_mixed_by_their_edits_to_the_bit)
{
    for (int round = 0; round < 200; round++)
        compare_mixed(round % 2, 5 + round % 4 / 2);
}

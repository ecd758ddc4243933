/* Chains: the same to the bit as one operation after the other, whatever is run in one pass. */
#include "../harness.h"

#include "image/chain/lazy_view.h"
#include "image/chain/workspace_pool.h"

#include <stdio.h>
#include <stdlib.h>
#include <stoker/image.h>

enum { MOST_STEPS = 6 };

/* Operations of every kind, with and without randomness. */
static const char *const menu[][2] = {
    {"crop", "x=1 y=2 width=9 height=8"},
    {"centre_crop", "size=12"},
    {"centre_crop", "size=40"},
    {"random_crop", "size=10 padding=3"},
    {"random_crop", "size=14 padding=4 border=reflect"},
    {"random_crop", "size=14 padding=4 border=edge"},
    {"random_resized_crop", "size=11,13"},
    {"random_resized_crop", "size=30 filter=bicubic"},
    {"resize", "size=17"},
    {"resize", "width=9 height=21 filter=nearest"},
    {"flip", "axis=horizontal"},
    {"flip", "axis=vertical"},
    {"pad", "padding=2"},
    {"rotate", "degrees=-30,30"},
};

enum { MENU = sizeof menu / sizeof menu[0] };

static uint32_t dice_state = 1;

static uint32_t dice(uint32_t bound)
{
    dice_state = dice_state * 1664525u + 1013904223u;
    return (dice_state >> 8) % bound;
}

/* A result with memory of its own. */
typedef struct result {
    stk_shape shape;
    stk_dtype dtype;
    uint8_t  *data;
    size_t    bytes;
} result;

static stk_status place(void *context, const stk_shape *shape, stk_dtype dtype, void **data,
                        stk_error *err)
{
    result *r = context;
    int64_t count = 0;
    STK_TRY(stk_shape_count(shape, &count, err));
    r->shape = *shape;
    r->dtype = dtype;
    r->bytes = (size_t)count * stk_dtype_bytes(dtype);
    r->data = malloc(r->bytes);
    *data = r->data;
    return r->data ? STK_OK : STK_E_NOMEM;
}

static stk_pixels pixels_of(const result *r)
{
    return (stk_pixels){.data = r->data,
                        .width = (int32_t)r->shape.dim[1],
                        .height = (int32_t)r->shape.dim[0],
                        .channels = (int32_t)r->shape.dim[2],
                        .stride = (size_t)(r->shape.dim[1] * r->shape.dim[2])};
}

/* A chain that a test holds. */
typedef struct plan {
    stk_chain_op steps[MOST_STEPS];
    void        *params[MOST_STEPS];
    stk_random   randoms[MOST_STEPS];
    size_t       count;
} plan;

static void add(plan *p, const char *name, const char *text, double probability)
{
    stk_error           err;
    const stk_image_op *op = stk_image_op_find(name);
    EXPECT(op);
    EXPECT_OK(stk_image_params_parse(&p->params[p->count], op, text, &err));
    p->steps[p->count] = (stk_chain_op){op, p->params[p->count], probability};
    p->randoms[p->count] = stk_random_for(dice(1 << 20), 0, p->count, 0);
    p->count++;
}

static void drop(plan *p)
{
    for (size_t i = 0; i < p->count; i++)
        free(p->params[i]);
    p->count = 0;
}

static stk_status run(const plan *p, size_t first, size_t count, bool decodes,
                      const stk_chain_source *source, stk_image_workspace *workspace, result *out,
                      stk_error *err)
{
    static const stk_chain_decode decode = {.channels = 3};
    const stk_chain               chain = {
                      .decode = decodes ? &decode : NULL, .steps = p->steps + first, .count = count};
    *out = (result){0};
    return stk_chain_run(&chain, workspace, source, p->randoms + first,
                         &(stk_chain_target){place, out}, NULL, err);
}

/* The image decoded, then each operation by itself. */
static stk_status run_apart(const plan *p, const stk_chain_source *source,
                            stk_image_workspace *workspace, result *out, stk_error *err)
{
    STK_TRY(run(p, 0, 0, true, source, workspace, out, err));
    for (size_t i = 0; i < p->count; i++) {
        const result           before = *out;
        const stk_chain_source pixels = {.pixels = pixels_of(&before)};
        const stk_status       st = run(p, i, 1, false, &pixels, workspace, out, err);
        free(before.data);
        if (st) {
            free(out->data);
            return st;
        }
    }
    return STK_OK;
}

static void make_image(stk_blob *png, int32_t width, int32_t height)
{
    stk_error  err;
    stk_pixels p = {.width = width, .height = height, .channels = 3, .stride = (size_t)width * 3};
    p.data = malloc((size_t)height * p.stride);
    for (size_t i = 0; i < (size_t)height * p.stride; i++)
        p.data[i] = (uint8_t)(i * 7 + dice(64));
    EXPECT_OK(stk_image_write_png(png, &p, &err));
    free(p.data);
}

static void compare(const result *a, const result *b, const plan *p)
{
    const bool same = stk_shape_equal(&a->shape, &b->shape) && a->bytes == b->bytes &&
                      memcmp(a->data, b->data, a->bytes) == 0;
    for (size_t i = 0; i < p->count && !same; i++)
        fprintf(stderr, "%s ", p->steps[i].op->name);
    EXPECT(same);
}

STK_TEST(any_chain_gives_what_its_operations_give_one_after_the_other)
{
    stk_image_workspace *workspace;
    stk_error            err;
    size_t               compared = 0;
    EXPECT_OK(stk_image_workspace_new(&workspace, NULL, &err));
    for (int round = 0; round < 2000; round++) {
        stk_blob png;
        plan     p = {.count = 0};
        stk_blob_init(&png, NULL, STK_MEMORY_OUTPUT);
        make_image(&png, 10 + (int32_t)dice(30), 11 + (int32_t)dice(30));
        const stk_chain_source source = {.encoded = stk_blob_bytes(&png)};
        const size_t           steps = 1 + dice(MOST_STEPS);
        for (size_t i = 0; i < steps; i++) {
            const uint32_t which = dice(MENU);
            add(&p, menu[which][0], menu[which][1], dice(3) ? 1 : 0.5);
        }
        result           one, apart;
        const stk_status st = run(&p, 0, p.count, true, &source, workspace, &one, &err);
        const stk_status st_apart = run_apart(&p, &source, workspace, &apart, &err);
        EXPECT(st == st_apart);
        if (!st) {
            compare(&one, &apart, &p);
            free(apart.data);
            compared++;
        }
        free(one.data);
        drop(&p);
        stk_blob_release(&png);
    }
    EXPECT(compared > 1000);
    stk_image_workspace_free(workspace);
}

STK_TEST(an_ending_is_carried_out_in_the_last_pass)
{
    stk_image_workspace *workspace;
    stk_error            err;
    stk_blob             png;
    plan                 p = {.count = 0};
    result               floats, bytes;
    stk_blob_init(&png, NULL, STK_MEMORY_OUTPUT);
    make_image(&png, 31, 23);
    EXPECT_OK(stk_image_workspace_new(&workspace, NULL, &err));
    const stk_chain_source source = {.encoded = stk_blob_bytes(&png)};
    add(&p, "random_resized_crop", "size=8", 1);
    add(&p, "flip", "axis=horizontal", 1);
    add(&p, "normalize", "mean=0.5,0.25,0.125 std=0.5,0.25,1", 1);
    add(&p, "layout", "order=nchw", 1);
    EXPECT_OK(run(&p, 0, 2, true, &source, workspace, &bytes, &err));
    EXPECT_OK(run(&p, 0, 4, true, &source, workspace, &floats, &err));
    EXPECT(floats.dtype == STK_DTYPE_F32 && floats.shape.dim[0] == 3 && floats.shape.dim[2] == 8);
    static const float mean[] = {0.5f, 0.25f, 0.125f}, deviation[] = {0.5f, 0.25f, 1};
    for (int c = 0; c < 3; c++)
        for (int i = 0; i < 64; i++) {
            const float want = ((float)bytes.data[i * 3 + c] / 255 - mean[c]) / deviation[c];
            const float have = ((const float *)(const void *)floats.data)[c * 64 + i];
            EXPECT(have > want - 1e-5f && have < want + 1e-5f);
        }
    free(floats.data);
    free(bytes.data);
    drop(&p);
    stk_image_workspace_free(workspace);
    stk_blob_release(&png);
}

STK_TEST(painting_after_an_ending_is_refused_with_both_names)
{
    stk_error      err;
    plan           p = {.count = 0};
    stk_image_size size = {-1, -1, 3, STK_DTYPE_U8, false};
    add(&p, "normalize", "preset=imagenet", 1);
    add(&p, "rotate", "degrees=5", 1);
    const stk_chain chain = {.steps = p.steps, .count = p.count};
    EXPECT(stk_chain_measure(&chain, &size, &size, &err) == STK_E_INVALID);
    EXPECT(strcmp(err.component, "rotate") == 0 && strstr(err.message, "normalize"));
    drop(&p);
}

STK_TEST(sizes_are_known_beforehand_where_operations_fix_them)
{
    stk_error              err;
    plan                   p = {.count = 0};
    stk_image_size         size = {-1, -1, -1, STK_DTYPE_U8, false};
    const stk_chain_decode decode = {.channels = 3};
    add(&p, "random_resized_crop", "size=7,9", 1);
    add(&p, "flip", "", 0.5);
    stk_chain chain = {.decode = &decode, .steps = p.steps, .count = p.count};
    EXPECT_OK(stk_chain_measure(&chain, &size, &size, &err));
    EXPECT(size.height == 7 && size.width == 9 && size.channels == 3);
    add(&p, "centre_crop", "size=5", 0.5); /* not always, so not known */
    chain.count = p.count;
    EXPECT_OK(stk_chain_measure(&chain, &size, &size, &err));
    EXPECT(size.height == -1 && size.width == -1);
    drop(&p);
}

STK_TEST(large_jpegs_may_be_decoded_small_and_are_near_to_the_full_result)
{
    enum { SIDE = 256 };
    stk_image_workspace *workspace;
    stk_error            err;
    stk_blob             jpeg;
    plan                 p = {.count = 0};
    result               full, shrunk = {0};
    stk_pixels           px = {.width = SIDE, .height = SIDE, .channels = 3, .stride = SIDE * 3};
    px.data = malloc(SIDE * SIDE * 3);
    for (int i = 0; i < SIDE * SIDE; i++)
        for (int c = 0; c < 3; c++)
            px.data[i * 3 + c] = (uint8_t)((i % SIDE) / 2 + (i / SIDE) / 3 + c * 20);
    stk_blob_init(&jpeg, NULL, STK_MEMORY_OUTPUT);
    EXPECT_OK(stk_image_write_jpeg(&jpeg, &px, NULL, &err));
    EXPECT_OK(stk_image_workspace_new(&workspace, NULL, &err));
    const stk_chain_source source = {.encoded = stk_blob_bytes(&jpeg)};
    add(&p, "crop", "x=13 y=21 width=201 height=211", 1);
    add(&p, "resize", "width=40 height=40", 1);
    EXPECT_OK(run(&p, 0, 2, true, &source, workspace, &full, &err));
    const stk_chain_decode decode = {.channels = 3, .shrink = true};
    const stk_chain        chain = {.decode = &decode, .steps = p.steps, .count = 2};
    EXPECT_OK(stk_chain_run(&chain, workspace, &source, p.randoms,
                            &(stk_chain_target){place, &shrunk}, NULL, &err));
    for (size_t i = 0; i < full.bytes; i++)
        EXPECT(abs((int)full.data[i] - (int)shrunk.data[i]) <= 3);
    free(full.data);
    free(shrunk.data);
    free(px.data);
    drop(&p);
    stk_image_workspace_free(workspace);
    stk_blob_release(&jpeg);
}

/* A JPEG of a ramp with that EXIF orientation; no side is a multiple of 2. */
static void make_turned_ramp(stk_blob *jpeg, int orientation)
{
    enum { WIDTH = 249, HEIGHT = 233 };
    static const uint8_t exif[] = {0xff, 0xe1, 0, 34, 'E', 'x', 'i', 'f', 0, 0,  'M', 'M',
                                   0,    42,   0, 0,  0,   8,   0,   1,   1, 18, 0,   3,
                                   0,    0,    0, 1,  0,   0,   0,   0,   0, 0,  0,   0};
    stk_error            err;
    stk_blob             plain;
    stk_pixels           px = {NULL, WIDTH, HEIGHT, 1, WIDTH};
    px.data = malloc(WIDTH * HEIGHT);
    for (int i = 0; i < WIDTH * HEIGHT; i++)
        px.data[i] = (uint8_t)(i % WIDTH / 2 + i / WIDTH / 2);
    stk_blob_init(&plain, NULL, STK_MEMORY_OUTPUT);
    EXPECT_OK(stk_image_write_jpeg(&plain, &px, NULL, &err));
    EXPECT_OK(stk_blob_append(jpeg, plain.data, 2, &err));
    EXPECT_OK(stk_blob_append(jpeg, exif, sizeof exif, &err));
    jpeg->data[2 + 29] = (uint8_t)orientation;
    EXPECT_OK(stk_blob_append(jpeg, plain.data + 2, plain.size - 2, &err));
    stk_blob_release(&plain);
    free(px.data);
}

STK_TEST(decoding_small_moves_no_image_whichever_way_it_is_turned)
{
    static const stk_chain_decode decode = {.channels = 3, .shrink = true};
    stk_image_workspace          *workspace;
    stk_error                     err;
    EXPECT_OK(stk_image_workspace_new(&workspace, NULL, &err));
    for (int orientation = 1; orientation <= 8; orientation++) {
        plan     p = {.count = 0};
        result   full, shrunk = {0};
        stk_blob jpeg;
        stk_blob_init(&jpeg, NULL, STK_MEMORY_OUTPUT);
        make_turned_ramp(&jpeg, orientation);
        const stk_chain_source source = {.encoded = stk_blob_bytes(&jpeg)};
        stk_image_info         info;
        EXPECT_OK(stk_image_read_info(source.encoded, NULL, &info, &err));
        EXPECT_INT_EQ(orientation, info.orientation);
        add(&p, "resize", "width=25 height=25", 1);
        const stk_chain chain = {.decode = &decode, .steps = p.steps, .count = 1};
        EXPECT_OK(run(&p, 0, 1, true, &source, workspace, &full, &err));
        EXPECT_OK(stk_chain_run(&chain, workspace, &source, p.randoms,
                                &(stk_chain_target){place, &shrunk}, NULL, &err));
        for (size_t i = 0; i < full.bytes; i++)
            EXPECT(abs((int)full.data[i] - (int)shrunk.data[i]) <= 1);
        free(full.data);
        free(shrunk.data);
        drop(&p);
        stk_blob_release(&jpeg);
    }
    stk_image_workspace_free(workspace);
}

STK_TEST(a_pool_gives_studios_of_the_ledger_that_is_asked_for)
{
    stk_image_workspace_pool pool;
    stk_ledger              *a, *b;
    stk_image_workspace     *one, *two, *three;
    stk_error                err;
    EXPECT_OK(stk_ledger_new(&a, 1 << 20, &err));
    EXPECT_OK(stk_ledger_new(&b, 1 << 20, &err));
    stk_image_workspace_pool_init(&pool);
    EXPECT_OK(stk_image_workspace_pool_acquire(&pool, a, &one, &err));
    stk_image_workspace_pool_put_back(&pool, one);
    EXPECT_OK(stk_image_workspace_pool_acquire(&pool, a, &two, &err));
    EXPECT(one == two);
    stk_image_workspace_pool_put_back(&pool, two);
    EXPECT_OK(stk_image_workspace_pool_acquire(&pool, b, &three, &err));
    EXPECT(stk_image_workspace_ledger(three) == b && pool.count == 0);
    stk_image_workspace_pool_put_back(&pool, three);
    stk_image_workspace_pool_release(&pool);
    stk_ledger_unref(a);
    stk_ledger_unref(b);
}

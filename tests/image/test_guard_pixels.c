/* Nothing is read behind the last pixel and nothing written behind the result's last byte,
 * whichever instruction set is at work: what lies there is a page that cannot be touched. */
#include "guard_support.h"
#include "resize_support.h"

#include "image/chain/chain.h"

enum { RESIZES = 1500, WINDOWS = 1500, CHAINS = 600 };

static stk_resize_request random_request(uint32_t *state, const stk_pixels *p)
{
    static const stk_dtype dtypes[] = {STK_DTYPE_U8, STK_DTYPE_F16, STK_DTYPE_BF16, STK_DTYPE_F32};
    const int32_t          width = 1 + (int32_t)draw(state, 70);
    const int32_t          height = 1 + (int32_t)draw(state, 30);
    stk_resize_request     r =
        make_request(p, width, height, draw(state, STK_RESIZE_LIKES), draw(state, STK_FILTERS));
    r.sampling.antialias = draw(state, 2);
    r.fractions = draw(state, 2);
    r.part.x = (int32_t)draw(state, (uint32_t)width);
    r.part.width = 1 + (int32_t)draw(state, (uint32_t)(width - r.part.x));
    r.flip_x = draw(state, 2);
    r.flip_y = draw(state, 2);
    r.ending = (stk_output_format){.dtype = dtypes[draw(state, 4)],
                                   .planar = draw(state, 2),
                                   .scaled = draw(state, 2),
                                   .channels = draw(state, 2) ? 4 : 0,
                                   .scale = {0.1f, 0.2f, 0.3f, 0},
                                   .offset = {1, 2, 3, 0}};
    return r;
}

/* An image before a guard; its rows lie stride apart, as a window of a larger one does. */
static guarded image_guarded(uint32_t *state, stk_pixels *p)
{
    const int32_t width = 1 + (int32_t)draw(state, draw(state, 4) ? 60 : 400);
    *p = (stk_pixels){
        .width = width, .height = 1 + (int32_t)draw(state, 30), .channels = draw(state, 2) ? 3 : 1};
    const size_t row = (size_t)width * (size_t)p->channels;
    p->stride = row + draw(state, 2) * draw(state, 50);
    guarded g = guarded_new((size_t)(p->height - 1) * p->stride + row);
    for (size_t i = 0; i < g.size; i++)
        g.data[i] = (uint8_t)draw(state, 256);
    p->data = g.data;
    return g;
}

STK_TEST(resampling_stays_inside_source_and_result)
{
    uint32_t seed = 11;
    for (int i = 0; i < RESIZES; i++) {
        stk_pixels               p;
        stk_error                err;
        guarded                  src = image_guarded(&seed, &p);
        const stk_resize_request r = random_request(&seed, &p);
        guarded                  dst = guarded_new(result_bytes(&p, &r));
        for (int k = 0; k < KERNELS; k++) {
            stk_resizer *resizer;
            if (!kernels_number(k)) continue;
            EXPECT_OK(stk_resizer_new(&resizer, NULL, &err));
            stk_resizer_use(resizer, kernels_number(k));
            EXPECT_OK(stk_resize(resizer, &p, &r, dst.data, &err));
            stk_resizer_free(resizer);
        }
        guarded_free(&src);
        guarded_free(&dst);
    }
}

STK_TEST(copied_windows_stay_inside_source_and_result)
{
    static const uint8_t fill[3] = {1, 2, 3};
    uint32_t             seed = 13;
    for (int i = 0; i < WINDOWS; i++) {
        stk_pixels               p;
        guarded                  src = image_guarded(&seed, &p);
        const stk_resize_request r = random_request(&seed, &p);
        const stk_rect window = {(int32_t)draw(&seed, 120) - 60, (int32_t)draw(&seed, 60) - 30,
                                 1 + (int32_t)draw(&seed, 90), 1 + (int32_t)draw(&seed, 40)};
        const size_t   bytes =
            stk_output_format_bytes(&r.ending, window.width, window.height, p.channels);
        guarded dst = guarded_new(bytes);
        stk_copy_window(&p, window, draw(&seed, 3), fill, r.flip_x, r.flip_y, &r.ending, dst.data);
        guarded_free(&src);
        guarded_free(&dst);
    }
}

/* Where a chain writes: memory that ends with its result. */
static stk_status place(void *context, const stk_shape *shape, stk_dtype dtype, void **data,
                        stk_error *err)
{
    guarded *g = context;
    int64_t  count = 0;
    STK_TRY(stk_shape_count(shape, &count, err));
    *g = guarded_new((size_t)count * stk_dtype_bytes(dtype));
    *data = g->data;
    return STK_OK;
}

static stk_chain_op step_of(const char *name, const char *text)
{
    stk_error           err;
    void               *params;
    const stk_image_op *op = stk_image_op_find(name);
    EXPECT_OK(stk_image_params_parse(&params, op, text, &err));
    return (stk_chain_op){op, params, 1};
}

/* Painting on pixels before a guard, and every ending. */
STK_TEST(chains_stay_inside_pixels_and_result)
{
    static const char *const paints[][2] = {
        {"flip", "axis=vertical"},
        {"rotate", "degrees=-60,60 filter=bicubic"},
        {"affine", "degrees=20"},
        {"hue", "shift=-0.5,0.5"},
        {"saturation", "factor=0,2"},
        {"contrast", "factor=0,2"},
        {"equalize", ""},
        {"sharpness", "factor=0,3"},
        {"blur", ""},
        {"noise", ""},
        {"grey", ""},
        {"autocontrast", ""},
        {"posterize", "bits=3"},
        {"centre_crop", "size=25,19"},
        {"random_crop", "size=9 padding=5 pad_if_needed=true border=edge"}};
    static const char *const endings[][2] = {{"normalize", "preset=imagenet"},
                                             {"cast", "dtype=float16"},
                                             {"layout", "order=nchw"},
                                             {"pad_channels", ""},
                                             {"to_float", ""}};
    uint32_t                 seed = 17;
    stk_error                err;
    stk_image_workspace     *workspace;
    EXPECT_OK(stk_image_workspace_new(&workspace, NULL, &err));
    for (uint32_t i = 0; i < CHAINS; i++) {
        const char *const *paint = paints[draw(&seed, COUNT_OF(paints))];
        const char *const *ending = endings[draw(&seed, COUNT_OF(endings))];
        const stk_chain_op steps[] = {step_of(paint[0], paint[1]), step_of(ending[0], ending[1])};
        const stk_random   randoms[] = {stk_random_for(i, 0, 0, 0), stk_random_for(i, 0, 1, 0)};
        const stk_chain    chain = {.steps = steps, .count = 1 + draw(&seed, 2)};
        stk_chain_source   source = {0};
        guarded            dst = {0}, src = image_guarded(&seed, &source.pixels);
        const stk_chain_target target = {place, &dst};
        source.pixels.stride = (size_t)source.pixels.width * (size_t)source.pixels.channels;
        source.pixels.data =
            src.data + src.size - source.pixels.stride * (size_t)source.pixels.height;
        /* One channel has no mean for each of three, say, and is refused. */
        if (stk_chain_run(&chain, workspace, &source, randoms, &target, NULL, &err))
            EXPECT(err.message[0]);
        if (dst.pages) guarded_free(&dst);
        guarded_free(&src);
        free((void *)steps[0].params);
        free((void *)steps[1].params);
    }
    stk_image_workspace_free(workspace);
}

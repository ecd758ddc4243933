/* Chains of any operations on arbitrary bytes: what comes out is what the operations give one after
 * the other, and what was measured beforehand. The first byte chooses the decoding, the second how
 * many steps there are; each step is two bytes, which choose from the menu. */
#include "image/chain/chain.h"

#include <stdio.h>
#include <stdlib.h>
#include <stoker/image.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { HEADER = 2, MOST_STEPS = 6, MOST_PIXELS = 1 << 14, MOST_GIVEN = 1 << 20 };

static const char *const menu[][2] = {
    {"crop", "x=1 y=2 width=9 height=8"},
    {"centre_crop", "size=12"},
    {"centre_crop", "size=40,3"},
    {"random_crop", "size=10 padding=3"},
    {"random_crop", "size=14 padding=4 border=reflect pad_if_needed=true"},
    {"random_crop", "size=14 padding=40 border=edge"},
    {"random_resized_crop", "size=11,13"},
    {"random_resized_crop", "size=1,70 filter=bicubic"},
    {"random_resized_crop", "size=9 filter=area like=opencv"},
    {"resize", "size=17"},
    {"resize", "width=9 height=21 filter=nearest"},
    {"resize", "width=50 height=2 filter=lanczos"},
    {"resize", "width=33 height=31 like=tf antialias=true"},
    {"flip", "axis=horizontal"},
    {"flip", "axis=vertical"},
    {"pad", "padding=2"},
    {"rotate", "degrees=-30,30"},
    {"rotate", "degrees=90 filter=nearest"},
    {"affine", "degrees=-20,20 translate=0.2"},
    {"brightness", "factor=0.5,2"},
    {"contrast", "factor=0,2"},
    {"saturation", "factor=0,3"},
    {"hue", "shift=-0.5,0.5"},
    {"gamma", "gamma=0.1,9"},
    {"grey", ""},
    {"colour_jitter", ""},
    {"solarize", ""},
    {"posterize", "bits=1,8"},
    {"equalize", ""},
    {"autocontrast", ""},
    {"invert", ""},
    {"sharpness", "factor=0,4"},
    {"blur", ""},
    {"noise", ""},
    {"erase", ""},
    {"cutout", "size=7"},
    {"rand_augment", ""},
    {"trivial_augment", ""},
    {"normalize", "preset=imagenet"},
    {"to_float", ""},
    {"cast", "dtype=float16"},
    {"cast", "dtype=bfloat16"},
    {"layout", "order=nchw"},
    {"pad_channels", ""},
};

enum { MENU = sizeof menu / sizeof menu[0] };

typedef struct result {
    stk_shape shape;
    stk_dtype dtype;
    uint8_t  *data;
    size_t    bytes;
} result;

typedef struct plan {
    stk_chain_decode decode;
    stk_chain_op     steps[MOST_STEPS];
    void            *params[MOST_STEPS];
    stk_random       randoms[MOST_STEPS];
    size_t           count;
} plan;

static void demand(bool condition, const char *what)
{
    if (condition) return;
    fprintf(stderr, "fuzz_chain: %s\n", what);
    abort();
}

static stk_status place(void *context, const stk_shape *shape, stk_dtype dtype, void **data,
                        stk_error *err)
{
    result *r = context;
    int64_t count = 0;
    STK_TRY(stk_shape_count(shape, &count, err));
    if (count > MOST_GIVEN) return stk_fail(err, STK_E_LIMIT, "fuzz", NULL, "large");
    demand(!r->data, "a second place");
    r->shape = *shape;
    r->dtype = dtype;
    r->bytes = (size_t)count * stk_dtype_bytes(dtype);
    *data = r->data = malloc(r->bytes);
    return r->data ? STK_OK : stk_fail(err, STK_E_NOMEM, "fuzz", NULL, "no memory");
}

/* An error comes with a reason and leaves no result. */
static stk_status run(const plan *p, size_t first, size_t count, bool decodes,
                      const stk_chain_source *source, stk_image_workspace *studio, result *out)
{
    stk_error       err = {0};
    const stk_chain chain = {
        .decode = decodes ? &p->decode : NULL, .steps = p->steps + first, .count = count};
    *out = (result){0};
    const stk_status st = stk_chain_run(&chain, studio, source, p->randoms + first,
                                        &(stk_chain_target){place, out}, NULL, &err);
    if (!st) return STK_OK;
    demand(err.message[0] && err.status == st, "no reason");
    free(out->data);
    out->data = NULL;
    return st;
}

static bool step_finishes(const plan *p, size_t step)
{
    return p->steps[step].op->output != NULL;
}

/* The image decoded, then each operation by itself; those that finish, together. */
static stk_status run_apart(const plan *p, const stk_chain_source *source,
                            stk_image_workspace *studio, result *out)
{
    stk_status st = run(p, 0, 0, true, source, studio, out);
    for (size_t i = 0; i < p->count && !st;) {
        const result           before = *out;
        const stk_chain_source pixels = {
            .pixels = {.data = before.data,
                       .width = (int32_t)before.shape.dim[1],
                       .height = (int32_t)before.shape.dim[0],
                       .channels = (int32_t)before.shape.dim[2],
                       .stride = (size_t)(before.shape.dim[1] * before.shape.dim[2])}};
        const size_t count = step_finishes(p, i) ? p->count - i : 1;
        st = run(p, i, count, false, &pixels, studio, out);
        free(before.data);
        i += count;
    }
    return st;
}

static bool is_as_measured(int32_t measured, int64_t given)
{
    return measured < 0 || measured == given;
}

static void expect_measured(const stk_image_size *m, const result *r)
{
    const int     at = m->planar ? 1 : 0;
    const int64_t channels = r->shape.dim[m->planar ? 0 : 2];
    demand(is_as_measured(m->height, r->shape.dim[at]) &&
               is_as_measured(m->width, r->shape.dim[at + 1]) &&
               is_as_measured(m->channels, channels) && m->dtype == r->dtype,
           "another size than was measured");
}

static void add(plan *p, const uint8_t choice[2])
{
    stk_error           err = {0};
    const char *const  *chosen = menu[choice[0] % MENU];
    const stk_image_op *op = stk_image_op_find(chosen[0]);
    demand(op != NULL, chosen[0]);
    if (stk_image_params_parse(&p->params[p->count], op, chosen[1], &err)) demand(0, err.message);
    const bool sometimes = choice[1] & 1 && !op->output;
    p->steps[p->count] = (stk_chain_op){op, p->params[p->count], sometimes ? 0.5 : 1};
    p->randoms[p->count] = stk_random_for(choice[1], 0, p->count, 0);
    p->count++;
}

static void fuzz_image(const plan *p, stk_bytes encoded)
{
    stk_error              err;
    stk_image_workspace   *studio;
    stk_image_size         size = {-1, -1, -1, STK_DTYPE_U8, false};
    result                 one, apart;
    const stk_chain        chain = {.decode = &p->decode, .steps = p->steps, .count = p->count};
    const stk_chain_source source = {.encoded = encoded};
    if (stk_chain_measure(&chain, &size, &size, &err)) return;
    if (stk_image_workspace_new(&studio, NULL, &err)) abort();
    const stk_status st = run(p, 0, p->count, true, &source, studio, &one);
    if (!st) expect_measured(&size, &one);
    const stk_status st_apart = run_apart(p, &source, studio, &apart);
    if (!st && !st_apart && !p->decode.shrink && !p->decode.recover)
        demand(stk_shape_equal(&one.shape, &apart.shape) && one.bytes == apart.bytes &&
                   !memcmp(one.data, apart.data, one.bytes),
               "not what the operations give one after the other");
    free(one.data);
    free(apart.data);
    stk_image_workspace_free(studio);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < HEADER) return 0;
    const size_t steps = data[1] % (MOST_STEPS + 1), begin = HEADER + 2 * steps;
    if (size <= begin) return 0;
    plan p = {.decode = {.limits = {.pixels = MOST_PIXELS},
                         .channels = data[0] & 1 ? 1 : 3,
                         .recover = data[0] & 2,
                         .stored_orientation = data[0] & 4,
                         .shrink = data[0] & 8,
                         .blank = data[0] >> 4 == 15}};
    for (size_t i = 0; i < steps; i++)
        add(&p, data + HEADER + 2 * i);
    uint8_t *copy = malloc(size - begin); /* memory that ends where the image does */
    if (!copy) abort();
    memcpy(copy, data + begin, size - begin);
    fuzz_image(&p, stk_bytes_of(copy, size - begin));
    free(copy);
    for (size_t i = 0; i < p.count; i++)
        free(p.params[i]);
    return 0;
}

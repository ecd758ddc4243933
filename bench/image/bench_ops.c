/* Painting operations on one image of 224 x 224 in colour: microseconds each, and how fast the
 * kernels under them are. */
#include "bench.h"
#include "image/ops/area.h"
#include "image/ops/blend.h"
#include "image/ops/canvas.h"
#include "image/ops/hsv.h"
#include "image/ops/luma.h"
#include "image/ops/lut.h"

#include <string.h>

enum { SIDE = 224, PIXELS = SIDE * SIDE, TIMES = 20, ROUNDS = 15 };

typedef struct job {
    const stk_image_op *op;
    void               *params;
    stk_canvas_buffers  buffers;
    stk_random          random;
} job;

/* On its own result again and again, which takes the same time. */
static void paint(void *context)
{
    job *j = context;
    for (int i = 0; i < TIMES; i++)
        if (j->op->pixels(j->params, &j->random, &j->buffers.canvas, NULL)) exit(1);
}

static void fill(uint8_t *data, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        data[i] = (uint8_t)((i * 2654435761u >> 13) % 200 + i / 3 % 50);
}

static void measure_op(const char *name, const char *text)
{
    char label[96];
    job  j = {.op = stk_image_op_find(name), .random = stk_random_for(1, 2, 3, 4)};
    if (stk_image_params_parse(&j.params, j.op, text, NULL)) exit(1);
    stk_canvas_buffers_init(&j.buffers, NULL);
    if (stk_canvas_buffers_start(&j.buffers, SIDE, SIDE, 3, NULL)) exit(1);
    fill(j.buffers.canvas.pixels.data, stk_area_bytes(&j.buffers.canvas.pixels));
    const bench_result r = bench_run(paint, &j, ROUNDS);
    snprintf(label, sizeof label, "%s %s", name, text);
    printf("%-64s %8.1f us (best %.1f, worst %.1f)\n", label, r.median * 1e6 / TIMES,
           r.best * 1e6 / TIMES, r.worst * 1e6 / TIMES);
    stk_canvas_buffers_release(&j.buffers);
    free(j.params);
}

typedef struct kernel_job {
    stk_lut_fn     lut;
    stk_blend_fn   blend;
    stk_luma_fn    luma;
    stk_hsv_fn     hsv;
    stk_lut_rgb_fn lut_rgb;
    uint8_t       *data, *other;
} kernel_job;

static void run_kernel(void *context)
{
    static const uint8_t tables[3][STK_LUT_SIZE] = {{1}};
    kernel_job          *k = context;
    for (int i = 0; i < TIMES; i++) {
        if (k->lut) k->lut(k->data, 3 * PIXELS, tables[0]);
        if (k->lut_rgb) k->lut_rgb(k->data, PIXELS, tables);
        if (k->blend) k->blend(k->data, k->other, 3 * PIXELS, 0.7f);
        if (k->luma) k->luma(k->data, k->other, PIXELS);
        if (k->hsv) k->hsv(k->data, PIXELS, 11);
    }
}

static void measure_kernel(const char *name, kernel_job k)
{
    if (!k.lut && !k.lut_rgb && !k.blend && !k.luma && !k.hsv) return;
    k.data = malloc(3 * PIXELS);
    k.other = malloc(3 * PIXELS);
    if (!k.data || !k.other) exit(1);
    fill(k.data, 3 * PIXELS);
    fill(k.other, 3 * PIXELS);
    bench_print(name, bench_run(run_kernel, &k, ROUNDS), TIMES * 3e-9 * PIXELS, "GB/s");
    free(k.data);
    free(k.other);
}

int main(void)
{
    static const char *const ops[][2] = {
        {"brightness", "factor=1.1"},
        {"contrast", "factor=0.9"},
        {"saturation", "factor=0.9"},
        {"hue", "shift=0.1"},
        {"gamma", "gamma=1.1"},
        {"grey", ""},
        {"colour_jitter", "brightness=0.4 contrast=0.4 saturation=0.4 hue=0.1"},
        {"posterize", "bits=4"},
        {"equalize", ""},
        {"autocontrast", ""},
        {"sharpness", "factor=1.5"},
        {"blur", "sigma=1 kernel=5"},
        {"blur", "sigma=2 kernel=23"},
        {"noise", "stddev=0.1"},
        {"noise", "kind=salt_pepper amount=0.05"},
        {"erase", ""},
        {"erase", "value=random"},
        {"cutout", "size=112"},
        {"rotate", "degrees=20"},
        {"rand_augment", ""},
        {"trivial_augment", ""},
    };
    for (size_t i = 0; i < sizeof ops / sizeof ops[0]; i++)
        measure_op(ops[i][0], ops[i][1]);
    measure_kernel("lut/plain", (kernel_job){.lut = stk_lut_plain});
    measure_kernel("lut/avx2", (kernel_job){.lut = stk_lut_avx2()});
    measure_kernel("lut/avx512", (kernel_job){.lut = stk_lut_avx512()});
    measure_kernel("lut_rgb/plain", (kernel_job){.lut_rgb = stk_lut_rgb_plain});
    measure_kernel("lut_rgb/avx512", (kernel_job){.lut_rgb = stk_lut_rgb_avx512()});
    measure_kernel("blend/plain", (kernel_job){.blend = stk_blend_plain});
    measure_kernel("blend/avx2", (kernel_job){.blend = stk_blend_avx2()});
    measure_kernel("blend/avx512", (kernel_job){.blend = stk_blend_avx512()});
    measure_kernel("luma/plain", (kernel_job){.luma = stk_luma_plain});
    measure_kernel("luma/avx2", (kernel_job){.luma = stk_luma_avx2()});
    measure_kernel("hsv/plain", (kernel_job){.hsv = stk_hsv_turn_plain});
    measure_kernel("hsv/avx2", (kernel_job){.hsv = stk_hsv_turn_avx2()});
    return 0;
}

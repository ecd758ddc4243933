/* Resampling: time of one image by size, filter, ending and kernels, and of what it consists of.
 * The box changes its size with every call, as random crops do, so that weights are computed each
 * time. compare_resize.py runs other libraries on the same sizes. */
#include "bench.h"
#include "image/resize/resize_kernels.h"

#include <string.h>

enum { ROUNDS = 15, LARGEST = 1000, MOST_OUT = 224 };

typedef struct job {
    stk_resizer       *resizer;
    stk_pixels         src;
    stk_resize_request request;
    int                times, calls;
    void              *out;
} job;

static void resize(void *context)
{
    job      *j = context;
    stk_error err;
    for (int i = 0; i < j->times; i++) {
        j->request.width = j->src.width - (j->calls & 1);
        j->request.height = j->src.height - (j->calls++ & 1);
        if (stk_resize(j->resizer, &j->src, &j->request, j->out, &err)) exit(1);
    }
}

typedef struct setting {
    const char       *name;
    int32_t           from, to;
    stk_sampling      sampling;
    stk_output_format ending;
} setting;

static void print_time(const char *what, const char *kernels, bench_result r, int times)
{
    const double unit = 1e6 / times;
    char         name[64];
    snprintf(name, sizeof name, "resize/%s/%s", what, kernels);
    printf("%-44s %12.4g us           (best %.4g, worst %.4g)\n", name, r.median * unit,
           r.best * unit, r.worst * unit);
}

static void measure(const setting *s, const stk_resize_kernels *kernels, uint8_t *pixels, void *out)
{
    stk_error err;
    job       j = {.src = {pixels, s->from, s->from, 3, (size_t)s->from * 3}, .out = out};
    if (!kernels || stk_resizer_new(&j.resizer, NULL, &err)) return;
    stk_resizer_use(j.resizer, kernels);
    j.request = (stk_resize_request){.out_width = s->to,
                                     .out_height = s->to,
                                     .part = {0, 0, s->to, s->to},
                                     .sampling = s->sampling,
                                     .ending = s->ending};
    j.times = kernels == stk_resize_kernels_plain() ? 10 : 100;
    print_time(s->name, kernels->name, bench_run(resize, &j, ROUNDS), j.times);
    stk_resizer_free(j.resizer);
}

typedef struct weighing {
    stk_axis           axis;
    stk_axis_request   request;
    stk_row_gather     gather;
    stk_resize_kernels kernels;
    int                times, calls;
} weighing;

static void weigh(void *context)
{
    weighing *w = context;
    stk_error err;
    for (int i = 0; i < w->times; i++) {
        w->request.length = 300 - (w->calls++ & 1);
        if (stk_axis_build(&w->axis, &w->request, &err)) exit(1);
    }
}

static void arrange(void *context)
{
    weighing *w = context;
    for (int i = 0; i < w->times; i++)
        w->kernels.arrange(&w->gather);
}

/* What a crop of a new size costs before its first pixel. */
static void measure_weights(const char *name, stk_filter filter, const stk_resize_kernels *kernels)
{
    weighing w = {.times = 1000, .request = {.out = 224, .count = 224, .shrinks = true}};
    char     what[64];
    w.request.sampling = (stk_sampling){.filter = filter};
    stk_axis_init(&w.axis, NULL);
    snprintf(what, sizeof what, "weights/%s/300-224", name);
    print_time(what, "plain", bench_run(weigh, &w, ROUNDS), w.times);
    w.kernels = *kernels;
    w.gather = (stk_row_gather){.axis = &w.axis, .channels = 3};
    w.gather.scratch_bytes = kernels->scratch(&w.axis, 3);
    w.gather.scratch = malloc(w.gather.scratch_bytes + 1);
    if (!w.gather.scratch) return;
    snprintf(what, sizeof what, "arrange/%s/300-224", name);
    print_time(what, kernels->name, bench_run(arrange, &w, ROUNDS), w.times);
    free(w.gather.scratch);
    stk_axis_release(&w.axis);
}

typedef struct copying {
    stk_pixels        src;
    stk_rect          window;
    stk_border        border;
    stk_output_format ending;
    bool              flip;
    int               times;
    void             *out;
} copying;

static void copy(void *context)
{
    static const uint8_t black[3];
    copying             *c = context;
    for (int i = 0; i < c->times; i++) {
        c->window.x = -4 + i % 9;
        stk_copy_window(&c->src, c->window, c->border, black, c->flip, false, &c->ending, c->out);
    }
}

/* Images of 32x32 cut out of one padded by 4: CIFAR's augmentation. */
static void measure_copy(const char *name, bool flip, stk_output_format ending, uint8_t *pixels,
                         void *out)
{
    copying c = {.src = {pixels, 32, 32, 3, 96},
                 .window = {0, -2, 32, 32},
                 .ending = ending,
                 .flip = flip,
                 .times = 10000,
                 .out = out};
    print_time(name, stk_resize_kernels_best()->name, bench_run(copy, &c, ROUNDS), c.times);
}

int main(void)
{
    static const stk_output_format bytes = {.dtype = STK_DTYPE_U8};
    static const stk_output_format real = {.dtype = STK_DTYPE_F32,
                                           .planar = true,
                                           .scaled = true,
                                           .scale = {1 / 58.4f, 1 / 57.1f, 1 / 57.4f},
                                           .offset = {-2.1f, -2.0f, -1.8f}};
    const setting                  settings[] = {
                         {"pil-bilinear/300-224", 300, 224, {STK_FILTER_BILINEAR, STK_RESIZE_PIL, false}, bytes},
                         {"pil-bilinear/150-224", 150, 224, {STK_FILTER_BILINEAR, STK_RESIZE_PIL, false}, bytes},
                         {"pil-bilinear/500-224", 500, 224, {STK_FILTER_BILINEAR, STK_RESIZE_PIL, false}, bytes},
                         {"pil-bilinear/1000-224", 1000, 224, {STK_FILTER_BILINEAR, STK_RESIZE_PIL, false}, bytes},
                         {"pil-bicubic/300-224", 300, 224, {STK_FILTER_BICUBIC, STK_RESIZE_PIL, false}, bytes},
                         {"pil-bilinear-f32-planes/300-224",
                          300,
                          224,
                          {STK_FILTER_BILINEAR, STK_RESIZE_PIL, false},
                          real},
                         {"opencv-bilinear/300-224",
                          300,
                          224,
                          {STK_FILTER_BILINEAR, STK_RESIZE_OPENCV, false},
                          bytes},
                         {"opencv-area/300-224", 300, 224, {STK_FILTER_AREA, STK_RESIZE_OPENCV, false}, bytes},
                         {"tf-bilinear-f32/300-224",
                          300,
                          224,
                          {STK_FILTER_BILINEAR, STK_RESIZE_TF, false},
                          {.dtype = STK_DTYPE_F32}},
    };
    uint8_t *pixels = malloc((size_t)LARGEST * LARGEST * 3);
    void    *out = malloc((size_t)MOST_OUT * MOST_OUT * 3 * sizeof(float));
    if (!pixels || !out) return 1;
    for (size_t i = 0; i < (size_t)LARGEST * LARGEST * 3; i++)
        pixels[i] = (uint8_t)(i * 2654435761u >> 13);
    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++) {
        measure(&settings[i], stk_resize_kernels_plain(), pixels, out);
        measure(&settings[i], stk_resize_kernels_avx2(), pixels, out);
        measure(&settings[i], stk_resize_kernels_avx512(), pixels, out);
    }
    measure_weights("bilinear", STK_FILTER_BILINEAR, stk_resize_kernels_best());
    measure_weights("lanczos", STK_FILTER_LANCZOS, stk_resize_kernels_best());
    measure_copy("copy/32x32", false, bytes, pixels, out);
    measure_copy("copy-flipped/32x32", true, bytes, pixels, out);
    measure_copy("copy-f32-planes/32x32", true, real, pixels, out);
    free(pixels);
    free(out);
    return 0;
}

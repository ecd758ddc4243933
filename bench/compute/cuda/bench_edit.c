/* Images that a GPU makes of those it has: microseconds, GB/s of what must be read and written,
 * and how much of what its memory gives that is. Arguments: GB/s of the memory (4300). */
#include "bench.h"
#include "compute/ops/edit_op_inputs.h"
#include "compute/ops/graph_ops.h"
#include "compute/runtime/backend.h"
#include <string.h>

enum { TURNS = 5, COPIES = 8, REPEATS = 3, NOISE = 1 << 22 }; /* more copies than any cache holds */

typedef struct line {
    const char *name;
    int         rows, source, batch, side; /* images that are there; those that are made */
    int         kinds[STK_EDIT_OPS];
    bool        bilinear, mixes, cut;
} line;

#define CIFAR .rows = 50000, .source = 32, .batch = 1024, .side = 32
#define IMAGENET .rows = 4096, .source = 256, .batch = 256, .side = 224

#define JITTER STK_EDIT_BRIGHTNESS, STK_EDIT_CONTRAST, STK_EDIT_SATURATION, STK_EDIT_HUE

static const line lines[] = {
    {.name = "crop, flip: CIFAR", CIFAR},
    {.name = "crop, flip: ImageNet", IMAGENET},
    {.name = "brightness", IMAGENET, .kinds = {STK_EDIT_BRIGHTNESS}},
    {.name = "contrast", IMAGENET, .kinds = {STK_EDIT_CONTRAST}},
    {.name = "saturation", IMAGENET, .kinds = {STK_EDIT_SATURATION}},
    {.name = "hue", IMAGENET, .kinds = {STK_EDIT_HUE}},
    {.name = "posterize", IMAGENET, .kinds = {STK_EDIT_POSTERIZE}},
    {.name = "erase", IMAGENET, .kinds = {STK_EDIT_ERASE}},
    {.name = "colour_jitter", IMAGENET, .kinds = {JITTER}},
    {.name = "colour_jitter: CIFAR", CIFAR, .kinds = {JITTER}},
    {.name = "rotate, nearest", IMAGENET, .kinds = {STK_EDIT_WARP}},
    {.name = "rotate, bilinear", IMAGENET, .kinds = {STK_EDIT_WARP}, .bilinear = true},
    {.name = "rotate: CIFAR", CIFAR, .kinds = {STK_EDIT_WARP}},
    {.name = "jitter, rotate", IMAGENET, .kinds = {JITTER, STK_EDIT_WARP}, .bilinear = true},
    {.name = "rotate, jitter", IMAGENET, .kinds = {STK_EDIT_WARP, JITTER}, .bilinear = true},
    {.name = "mixup: CIFAR", CIFAR, .mixes = true},
    {.name = "mixup: ImageNet", IMAGENET, .mixes = true},
    {.name = "cutmix: ImageNet", IMAGENET, .mixes = true, .cut = true},
};

typedef struct trial {
    stk_device           *device;
    const line           *line;
    const stk_kernel     *kernel;
    stk_edit_images_attrs attrs;
    stk_tensor_type       in[2], out;
    stk_op_instance       instance;
    stk_format            plain[2];
    void                 *data[COPIES][3], *scratch;
    stk_kernel_call       calls[COPIES];
} trial;

static void stop(const char *what, const stk_error *err)
{
    fprintf(stderr, "bench_edit: %s: %s: %s\n", what, err->where, err->message);
    exit(1);
}

static stk_edit edit_of(const line *l, int copy, int i)
{
    const int slack = l->source - l->side, reach = slack ? slack : 8;
    stk_edit  e = stk_edit_none((int)((int64_t)(copy * l->batch + i) * 7919 % l->rows));
    e.x = i * 13 % (reach + 1) - (slack ? 0 : 4);
    e.y = i * 29 % (reach + 1) - (slack ? 0 : 4);
    e.flip = i & STK_EDIT_FLIP_X;
    e.partner = l->batch - 1 - i;
    e.fraction = 0.3f;
    for (int k = 0; k < 4 && l->cut; k++)
        e.box[k] = k < 2 ? l->side / 5 : l->side / 2;
    for (int k = 0; k < STK_EDIT_OPS && l->kinds[k]; k++) {
        e.step[k].kind = l->kinds[k];
        e.step[k].number[0] = l->kinds[k] == STK_EDIT_HUE ? 0.1f : 0.9f;
        if (l->kinds[k] == STK_EDIT_POSTERIZE) e.step[k].word[0] = 4;
        for (int n = 0; n < 4 && l->kinds[k] == STK_EDIT_ERASE; n++)
            e.step[k].word[n] = l->side / 3;
        if (l->kinds[k] != STK_EDIT_WARP) continue;
        memcpy(e.step[k].number, (const float[]){0.9f, 0.4f, -30, -0.4f, 0.9f, 50},
               6 * sizeof(float));
        e.step[k].word[STK_EDIT_WARP_HOW] = (int)l->bilinear << 24;
    }
    return e;
}

static void *alloc(const trial *t, const stk_tensor_type *type)
{
    stk_error err = {.message = "no memory"};
    void     *data = t->device->backend->alloc(t->device, stk_type_bytes(type));
    if (!data) stop(t->line->name, &err);
    return data;
}

/* Noise: no two neighbours are alike, which is the most work. */
static void fill_images(const trial *t, unsigned char *to, size_t bytes)
{
    static unsigned char noise[NOISE];
    uint32_t             x = 1;
    for (size_t i = 0; i < NOISE; i++, x = x * 1664525 + 1013904223)
        noise[i] = (unsigned char)(x >> 24);
    for (size_t at = 0; at < bytes; at += NOISE)
        t->device->backend->upload(t->device, to + at, noise,
                                   bytes - at < NOISE ? bytes - at : NOISE);
}

/* Calls come one after the other: they share scratch memory. */
static void prepare(trial *t, stk_kernel_call *call)
{
    stk_error err = {.message = "no memory"};
    size_t    scratch = 0;
    if (t->kernel->prepare(call, &scratch, &err)) stop(t->line->name, &err);
    if (!t->scratch) t->scratch = t->device->backend->alloc(t->device, scratch);
    if (!t->scratch) stop(t->line->name, &err);
    call->scratch = t->scratch;
}

static void fill(trial *t, int copy)
{
    const stk_backend  *backend = t->device->backend;
    const stk_graph_op *op = t->kernel->op;
    const line         *l = t->line;
    stk_edit           *edits = calloc((size_t)l->batch, sizeof *edits);
    const bool          shares = copy && !l->mixes;
    for (int i = 0; i < l->batch && edits; i++)
        edits[i] = edit_of(l, copy, i);
    t->data[copy][0] = shares ? t->data[0][0] : alloc(t, &t->in[0]);
    t->data[copy][1] = alloc(t, &t->in[1]);
    t->data[copy][2] = alloc(t, &t->out);
    if (!shares) fill_images(t, t->data[copy][0], stk_type_bytes(&t->in[0]));
    if (edits) backend->upload(t->device, t->data[copy][1], edits, stk_type_bytes(&t->in[1]));
    t->calls[copy] = (stk_kernel_call){.device = t->device,
                                       .op = op,
                                       .instance = t->instance,
                                       .in_format = t->plain,
                                       .out_format = t->plain,
                                       .in = (const void *const *)t->data[copy],
                                       .out = t->data[copy] + 2};
    if (t->kernel->prepare) prepare(t, &t->calls[copy]);
    free(edits);
}

static void drop(trial *t)
{
    for (int copy = 0; copy < COPIES; copy++)
        for (int i = copy && !t->line->mixes; i < 3; i++)
            t->device->backend->free(t->device, t->data[copy][i], 0);
    if (t->scratch) t->device->backend->free(t->device, t->scratch, 0);
}

static void run_all(trial *t)
{
    stk_error err = {0};
    for (int i = 0; i < REPEATS * COPIES; i++)
        if (t->kernel->run(&t->calls[i % COPIES], &err)) stop(t->line->name, &err);
}

/* Seconds of one call: the best turn, as part of a recording where there are such. */
static double measure(trial *t)
{
    stk_error          err = {0};
    stk_device        *device = t->device;
    const stk_backend *backend = device->backend;
    void              *recording = NULL;
    double             best = 1e9;
    run_all(t);
    if (backend->capture_begin) {
        if (backend->capture_begin(device, &err)) stop("capture_begin", &err);
        run_all(t);
        if (backend->capture_end(device, &recording, &err)) stop("capture_end", &err);
    }
    for (int turn = 0; turn < TURNS; turn++) {
        if (backend->sync(device, &err)) stop("sync", &err);
        const double begin = bench_seconds();
        if (recording && backend->capture_launch(device, recording, &err))
            stop("capture_launch", &err);
        if (!recording) run_all(t);
        if (backend->sync(device, &err)) stop("sync", &err);
        const double took = bench_seconds() - begin;
        best = took < best ? took : best;
    }
    if (recording) backend->capture_free(device, recording);
    return best / (REPEATS * COPIES);
}

static void bench(stk_device *device, const line *l, double memory)
{
    static trial        t;
    stk_error           err = {0};
    const stk_graph_op *op = l->mixes ? &stk_graph_op_mix_images : &stk_graph_op_edit_images;
    const int           rows = l->mixes ? l->batch : l->rows, side = l->mixes ? l->side : l->source;
    t = (trial){.device = device,
                .line = l,
                .attrs = {l->side, l->side},
                .in = {{STK_DTYPE_U8, stk_shape_4d(rows, side, side, 3)},
                       {STK_DTYPE_I32, stk_shape_2d(l->batch, STK_EDIT_WORDS)}}};
    t.instance = (stk_op_instance){l->name, &t.attrs, 2, 1, t.in, &t.out};
    if (op->infer(&t.instance, &t.out, &err)) stop(l->name, &err);
    t.kernel = device->backend->kernel(device, op, &t.instance);
    if (!t.kernel) stop(l->name, &err);
    for (int copy = 0; copy < COPIES; copy++)
        fill(&t, copy);
    const double bytes = (l->mixes && !l->cut ? 3 : 2) * (double)stk_type_bytes(&t.out);
    const double seconds = measure(&t), floor = bytes / (memory * 1e9);
    printf("%-24s %8.1f us %7.0f GB/s %5.1f %% of %.1f us\n", l->name, seconds * 1e6,
           bytes / seconds / 1e9, 100 * floor / seconds, floor * 1e6);
    drop(&t);
}

int main(int argc, char **argv)
{
    const double memory = argc > 1 ? atof(argv[1]) : 4300;
    stk_device  *device;
    stk_error    err;
    if (stk_device_open(&device, "cuda", NULL, &err)) stop("cuda", &err);
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        bench(device, &lines[i], memory);
    stk_device_free(device);
    return 0;
}

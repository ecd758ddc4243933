/* Pooling of ResNet-50's stem alone and with the norm before it, images from bytes and the
 * depthwise convolutions of MobileNetV2, in float16: microseconds, GB/s of what must be read and
 * written, and how much of what a GPU's memory gives that is. Arguments: batch (256), GB/s of the
 * memory (4300). */
#include "bench.h"
#include "compute/ops/conv2d.h"
#include "compute/ops/graph_ops.h"
#include "compute/ops/pool.h"
#include "compute/ops/update_ops.h"
#include "compute/runtime/backend.h"
#include <string.h>

enum { TENSORS = 12, INPUTS = 10, TURNS = 5, COPIES_MAX = 64 };

/* More than any cache holds, so that every turn reads from memory. */
static const double cold_bytes = 1e9;

typedef struct trial {
    stk_device         *device;
    const stk_kernel   *kernel;
    const stk_graph_op *op;
    stk_op_instance     instance;
    stk_tensor_type     in[INPUTS], out[2];
    stk_format          in_format[INPUTS], out_format[2];
    stk_kernel_call     calls[COPIES_MAX];
    void               *data[COPIES_MAX][TENSORS];
    int                 copies;
    double              bytes;
} trial;

static void stop(const char *what, const stk_error *err)
{
    fprintf(stderr, "bench_pool: %s: %s: %s\n", what, err->where, err->message);
    exit(1);
}

static size_t bytes_of(const trial *t, int i)
{
    bool                   is_in = i < t->instance.input_count;
    const stk_tensor_type *type = is_in ? &t->in[i] : &t->out[i - t->instance.input_count];
    stk_format format = is_in ? t->in_format[i] : t->out_format[i - t->instance.input_count];
    return t->device->backend->format_bytes(t->device, type, format);
}

static void choose(trial *t)
{
    stk_error  err = {0};
    stk_format have[INPUTS] = {0};
    if (t->op->infer(&t->instance, t->out, &err)) stop(t->op->name, &err);
    t->kernel = t->device->backend->kernel(t->device, t->op, &t->instance);
    if (!t->kernel) stop(t->op->name, &err);
    if (t->kernel->formats &&
        t->kernel->formats(t->device, &t->instance, have, t->in_format, t->out_format, &err))
        stop(t->op->name, &err);
    for (int i = 0; i < t->instance.input_count + t->instance.output_count; i++)
        t->bytes += (double)bytes_of(t, i);
    if (t->op == &stk_graph_op_bn_pool_grad_sums) t->bytes = t->op->cost(&t->instance).bytes;
    t->copies = (int)(cold_bytes / t->bytes) + 1;
    if (t->copies > COPIES_MAX) t->copies = COPIES_MAX;
}

static void fill(trial *t, int copy)
{
    stk_error          err = {0};
    const stk_backend *backend = t->device->backend;
    size_t             scratch = 0;
    int                tensors = t->instance.input_count + t->instance.output_count;
    for (int i = 0; i < tensors; i++) {
        t->data[copy][i] = backend->alloc(t->device, bytes_of(t, i));
        if (!t->data[copy][i]) stop("no memory", &err);
        backend->clear(t->device, t->data[copy][i], bytes_of(t, i));
    }
    t->calls[copy] = (stk_kernel_call){t->device,
                                       t->op,
                                       t->instance,
                                       t->in_format,
                                       t->out_format,
                                       (const void *const *)t->data[copy],
                                       t->data[copy] + t->instance.input_count,
                                       NULL,
                                       NULL};
    if (t->kernel->prepare && t->kernel->prepare(&t->calls[copy], &scratch, &err))
        stop(t->op->name, &err);
    t->calls[copy].scratch = backend->alloc(t->device, scratch + 64);
}

static void run_all(trial *t)
{
    stk_error err = {0};
    for (int i = 0; i < t->copies; i++)
        if (t->kernel->run(&t->calls[i], &err)) stop(t->op->name, &err);
}

/* Seconds of one call: the best turn, as part of a recording where there are such. */
static double measure(trial *t)
{
    stk_error          err = {0};
    const stk_backend *backend = t->device->backend;
    void              *recording = NULL;
    double             best = 1e9;
    run_all(t);
    if (backend->capture_begin) {
        if (backend->capture_begin(t->device, &err)) stop("capture_begin", &err);
        run_all(t);
        if (backend->capture_end(t->device, &recording, &err)) stop("capture_end", &err);
    }
    for (int turn = 0; turn < TURNS; turn++) {
        if (backend->sync(t->device, &err)) stop("sync", &err);
        double begin = bench_seconds();
        if (recording && backend->capture_launch(t->device, recording, &err))
            stop("capture_launch", &err);
        if (!recording) run_all(t);
        if (backend->sync(t->device, &err)) stop("sync", &err);
        double took = bench_seconds() - begin;
        if (took < best) best = took;
    }
    if (recording) backend->capture_free(t->device, recording);
    return best / t->copies;
}

/* Prints a line and gives the seconds. */
static double bench(trial *t, const char *name, double memory)
{
    choose(t);
    for (int i = 0; i < t->copies; i++)
        fill(t, i);
    double seconds = measure(t), floor = t->bytes / (memory * 1e9);
    printf("%-36s %-9s %8.1f us %7.0f GB/s %5.1f %% of %.1f us\n", name, t->kernel->name,
           seconds * 1e6, t->bytes / seconds / 1e9, 100 * floor / seconds, floor * 1e6);
    for (int i = 0; i < t->copies; i++) {
        if (t->kernel->release) t->kernel->release(&t->calls[i]);
        t->device->backend->free(t->device, t->calls[i].scratch, 0);
        for (int k = 0; k < t->instance.input_count + t->instance.output_count; k++)
            t->device->backend->free(t->device, t->data[i][k], 0);
    }
    return seconds;
}

static double bench_op(stk_device *device, const stk_graph_op *op, const void *attrs,
                       const char *name, const stk_tensor_type *in, int inputs, double memory)
{
    static trial t;
    t = (trial){.device = device, .op = op};
    t.instance = (stk_op_instance){
        name, attrs, inputs, op->outputs_min ? op->outputs_min : op->outputs, t.in, t.out};
    if (op == &stk_graph_op_max_pool || op == &stk_graph_op_bn_pool) t.instance.output_count = 2;
    memcpy(t.in, in, (size_t)inputs * sizeof *in);
    return bench(&t, name, memory);
}

static void bench_norm_and_pool(stk_device *device, int64_t batch, double memory)
{
    stk_pool_attrs  pool = {.kernel = {3, 3}, .stride = {2, 2}, .pad = {1, 1, 1, 1}};
    stk_tensor_type x = {STK_DTYPE_F16, stk_shape_4d(batch, 112, 112, 64)};
    stk_tensor_type dy = {STK_DTYPE_F16, stk_shape_4d(batch, 56, 56, 64)}, places = dy;
    stk_tensor_type c = {STK_DTYPE_F32, stk_shape_1d(64)};
    places.dtype = STK_DTYPE_U8;
    bench_op(device, &stk_graph_op_bn_pool, &pool, "bn_pool 112 64", (stk_tensor_type[]){x, c, c},
             3, memory);
    pool.size[0] = pool.size[1] = 112;
    bench_op(device, &stk_graph_op_bn_pool_grad_sums, &pool, "bn_pool_grad_sums 112 64",
             (stk_tensor_type[]){dy, places, x, c, c, c, c, dy}, 8, memory);
    bench_op(device, &stk_graph_op_bn_pool_grad_apply, &pool, "bn_pool_grad_apply 112 64",
             (stk_tensor_type[]){dy, places, x, c, c, c, c, c, c, c}, 10, memory);
}

static void bench_stem(stk_device *device, int64_t batch, double memory)
{
    stk_pool_attrs            pool = {.kernel = {3, 3}, .stride = {2, 2}, .pad = {1, 1, 1, 1}};
    stk_normalize_image_attrs image = {
        .deviation = {1, 1, 1, 1}, .channels = 3, .dtype = STK_DTYPE_F16};
    stk_tensor_type bytes = {STK_DTYPE_U8, stk_shape_4d(batch, 224, 224, 3)};
    stk_tensor_type x = {STK_DTYPE_F16, stk_shape_4d(batch, 112, 112, 64)};
    stk_tensor_type dy[] = {{STK_DTYPE_F16, stk_shape_4d(batch, 56, 56, 64)},
                            {STK_DTYPE_U8, stk_shape_4d(batch, 56, 56, 64)}};
    bench_op(device, &stk_graph_op_normalize_image, &image, "normalize_image 224", &bytes, 1,
             memory);
    bench_op(device, &stk_graph_op_max_pool, &pool, "max_pool 112 64", &x, 1, memory);
    pool.size[0] = pool.size[1] = 112;
    bench_op(device, &stk_graph_op_max_pool_grad, &pool, "max_pool_grad 112 64", dy, 2, memory);
}

typedef struct layer {
    int64_t size, channels;
    int     stride, times;
} layer;

static const layer layers[] = {
    {112, 32, 1, 1}, {112, 96, 2, 1}, {56, 144, 1, 1}, {56, 144, 2, 1}, {28, 192, 1, 2},
    {28, 192, 2, 1}, {14, 384, 1, 4}, {14, 576, 1, 2}, {14, 576, 2, 1}, {7, 960, 1, 3},
};

static double bench_layer(stk_device *device, const layer *l, int pass, int64_t batch,
                          double memory)
{
    static const stk_graph_op *const ops[] = {&stk_graph_op_conv2d, &stk_graph_op_conv2d_grad_input,
                                              &stk_graph_op_conv2d_grad_weight};
    int64_t                          after = (l->size - 1) / l->stride + 1;
    stk_tensor_type  x = {STK_DTYPE_F16, stk_shape_4d(batch, l->size, l->size, l->channels)};
    stk_tensor_type  y = {STK_DTYPE_F16, stk_shape_4d(batch, after, after, l->channels)};
    stk_tensor_type  w = {STK_DTYPE_F16, stk_shape_4d(l->channels, 1, 3, 3)};
    stk_conv2d_attrs attrs = {.stride = {l->stride, l->stride},
                              .dilation = {1, 1},
                              .pad = {1, 1, 1, 1},
                              .groups = (int)l->channels};
    char             name[64];
    if (pass) attrs.size[0] = attrs.size[1] = pass == 1 ? (int)l->size : 3;
    snprintf(name, sizeof name, "%s %lld %lld/%d", ops[pass]->name, (long long)l->size,
             (long long)l->channels, l->stride);
    return bench_op(device, ops[pass], &attrs, name,
                    (stk_tensor_type[]){pass == 1 ? y : x, pass == 2 ? y : w}, 2, memory);
}

int main(int argc, char **argv)
{
    int64_t     batch = argc > 1 ? atoi(argv[1]) : 256;
    double      memory = argc > 2 ? atof(argv[2]) : 4300, all = 0;
    stk_device *device;
    stk_error   err;
    if (stk_device_open(&device, "cuda", NULL, &err)) stop("cuda", &err);
    bench_stem(device, batch, memory);
    bench_norm_and_pool(device, batch, memory);
    for (int pass = 0; pass < 3; pass++) {
        double sum = 0;
        for (size_t l = 0; l < sizeof layers / sizeof *layers; l++)
            sum += layers[l].times * bench_layer(device, &layers[l], pass, batch, memory);
        printf("MobileNetV2's, %s: %.0f us\n",
               pass == 0   ? "forward"
               : pass == 1 ? "by x"
                           : "by weights",
               sum * 1e6);
        all += sum;
    }
    printf("all: %.0f us\n", all * 1e6);
    stk_device_free(device);
    return 0;
}

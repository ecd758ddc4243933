/* Convolutions that have own kernels on a GPU: microseconds of each way, beside the floor that
 * memory (images with their padding, results) or arithmetic sets. What computes each is told. 3x3
 * of 64 channels has kernels for some widths; an image of about as many pixels that is wider has
 * none, and shows what the library takes. bench_cuda_conv [f16|bf16] */
#include "bench.h"
#include "compute/ops/conv2d.h"
#include "compute/ops/graph_ops.h"
#include "compute/runtime/backend.h"
#include <string.h>

enum { INPUTS = 2, ROUNDS = 7, TURNS = 20, COPIES = 16 };
/* A copy and a product of an H200; bytes that no L2 holds. */
enum { FLOOR_GBS = 4300, FLOOR_TFLOPS = 782, PAST_CACHE = 200 << 20 };
enum { NOISE = 1 << 20 }; /* elements */

typedef enum bench_kind { FORWARD, STATISTICS, BY_INPUT, BY_WEIGHT, KINDS } bench_kind;

static const char *const kind_names[KINDS] = {"forward", "with statistics", "by input",
                                              "by weight"};

static const struct conv_case {
    int batch, height, width, in, kernel, stride, pad, out;
} cases[] = {
    {256, 224, 224, 3, 7, 2, 3, 64}, {256, 224, 224, 3, 3, 2, 1, 32},
    {512, 32, 32, 3, 3, 1, 1, 64},   {512, 32, 32, 3, 3, 1, 1, 16},
    {1000, 32, 32, 3, 2, 1, 0, 24},  {2, 224, 224, 3, 7, 2, 3, 64},
    {256, 56, 56, 64, 3, 1, 1, 64},  {256, 54, 58, 64, 3, 1, 1, 64},
    {512, 32, 32, 64, 3, 1, 1, 64},  {512, 30, 34, 64, 3, 1, 1, 64},
    {10, 56, 56, 64, 3, 1, 1, 64},   {10, 54, 58, 64, 3, 1, 1, 64},
};

typedef struct job {
    stk_device       *device;
    const stk_kernel *kernel;
    stk_op_instance   instance;
    stk_conv2d_attrs  attrs;
    stk_tensor_type   in[INPUTS], out[STK_OP_OUTPUTS];
    stk_format        in_format[INPUTS], out_format[STK_OP_OUTPUTS];
    const void       *inputs[COPIES][INPUTS];
    void             *outputs[COPIES][STK_OP_OUTPUTS];
    stk_kernel_call   call;
    int               copies; /* of all tensors, so that none is in a cache when it is read */
    void             *recording;
} job;

static void fail(const char *what, const stk_error *err)
{
    fprintf(stderr, "bench_cuda_conv: %s: %s\n", what, err ? err->message : "");
    exit(1);
}

static size_t bytes_of(const job *j, const stk_tensor_type *type, stk_format format)
{
    return j->device->backend->format_bytes(j->device, type, format);
}

/* Products of zeros take less power than others, and are faster. Fractions at random, between 1/4
 * and 1/2, of either sign. */
static const uint16_t *noise_of(stk_dtype dtype)
{
    static uint16_t noise[NOISE];
    const uint16_t  keep = dtype == STK_DTYPE_F16 ? 0x83ff : 0x807f;
    const uint16_t  exponent = dtype == STK_DTYPE_F16 ? 0x3400 : 0x3e80;
    uint32_t        state = 1;
    for (int i = 0; i < NOISE && noise[NOISE - 1] == 0; i++) {
        state = state * 1664525u + 1013904223u;
        noise[i] = (uint16_t)((state >> 16 & keep) | exponent);
    }
    return noise;
}

static void *device_memory(const job *j, size_t bytes)
{
    void       *data = j->device->backend->alloc(j->device, bytes);
    const void *noise = noise_of(j->in[0].dtype);
    size_t      most = NOISE * sizeof(uint16_t);
    if (!data) fail("no memory on the device", NULL);
    for (size_t at = 0; at < bytes; at += most)
        j->device->backend->upload(j->device, (char *)data + at, noise,
                                   bytes - at < most ? bytes - at : most);
    return data;
}

static void each_tensor(job *j, bool make)
{
    for (int k = 0; k < j->copies; k++) {
        for (int i = 0; i < INPUTS; i++)
            if (make)
                j->inputs[k][i] = device_memory(j, bytes_of(j, &j->in[i], j->in_format[i]));
            else
                j->device->backend->free(j->device, (void *)j->inputs[k][i], 0);
        for (int o = 0; o < j->instance.output_count; o++)
            if (make)
                j->outputs[k][o] = device_memory(j, bytes_of(j, &j->out[o], j->out_format[o]));
            else
                j->device->backend->free(j->device, j->outputs[k][o], 0);
    }
}

static void run_turns(job *j)
{
    stk_error err;
    for (int t = 0; t < TURNS; t++) {
        j->call.in = j->inputs[t % j->copies];
        j->call.out = j->outputs[t % j->copies];
        if (j->kernel->run(&j->call, &err)) fail(j->instance.name, &err);
    }
}

/* All turns as one recording, where the backend has that: nothing is started in between. */
static void run(void *context)
{
    job               *j = context;
    const stk_backend *backend = j->device->backend;
    stk_error          err;
    if (!backend->capture_begin)
        run_turns(j);
    else if (backend->capture_launch(j->device, j->recording, &err))
        fail("play", &err);
    if (backend->sync(j->device, &err)) fail("sync", &err);
}

static int side_of(const struct conv_case *c, int side)
{
    return (side + 2 * c->pad - c->kernel) / c->stride + 1;
}

static const stk_graph_op *describe(job *j, const struct conv_case *c, bench_kind kind,
                                    stk_dtype dtype)
{
    stk_shape x = stk_shape_4d(c->batch, c->height, c->width, c->in);
    stk_shape w = stk_shape_4d(c->out, c->in, c->kernel, c->kernel);
    stk_shape y = stk_shape_4d(c->batch, side_of(c, c->height), side_of(c, c->width), c->out);
    j->attrs = (stk_conv2d_attrs){.stride = {c->stride, c->stride},
                                  .dilation = {1, 1},
                                  .pad = {c->pad, c->pad, c->pad, c->pad},
                                  .groups = 1};
    if (kind == BY_WEIGHT) j->attrs.size[0] = j->attrs.size[1] = c->kernel;
    if (kind == BY_INPUT) j->attrs.size[0] = c->height, j->attrs.size[1] = c->width;
    j->in[0] = (stk_tensor_type){dtype, kind == BY_INPUT ? y : x};
    j->in[1] = (stk_tensor_type){dtype, kind == BY_WEIGHT ? y : w};
    j->instance = (stk_op_instance){kind_names[kind],
                                    &j->attrs,
                                    INPUTS,
                                    kind == STATISTICS ? STK_CONV2D_OUTPUTS : 1,
                                    j->in,
                                    j->out};
    return kind == BY_WEIGHT  ? &stk_graph_op_conv2d_grad_weight
           : kind == BY_INPUT ? &stk_graph_op_conv2d_grad_input
                              : &stk_graph_op_conv2d;
}

static void begin(job *j, const stk_graph_op *op)
{
    const stk_backend *backend = j->device->backend;
    stk_format         have[INPUTS] = {STK_FORMAT_PLAIN, STK_FORMAT_PLAIN};
    stk_error          err;
    size_t             scratch = 0, bytes = 0;
    if (op->infer(&j->instance, j->out, &err)) fail(j->instance.name, &err);
    j->kernel = backend->kernel(j->device, op, &j->instance);
    if (!j->kernel) fail("no kernel", NULL);
    if (j->kernel->formats &&
        j->kernel->formats(j->device, &j->instance, have, j->in_format, j->out_format, &err))
        fail("formats", &err);
    for (int i = 0; i < INPUTS; i++)
        bytes += bytes_of(j, &j->in[i], j->in_format[i]);
    bytes += bytes_of(j, &j->out[0], j->out_format[0]);
    j->copies = (int)(PAST_CACHE / bytes) + 2 < COPIES ? (int)(PAST_CACHE / bytes) + 2 : COPIES;
    each_tensor(j, true);
    j->call = (stk_kernel_call){.device = j->device,
                                .op = op,
                                .instance = j->instance,
                                .in_format = j->in_format,
                                .out_format = j->out_format,
                                .in = j->inputs[0],
                                .out = j->outputs[0]};
    if (j->kernel->prepare && j->kernel->prepare(&j->call, &scratch, &err)) fail("prepare", &err);
    j->call.scratch = backend->alloc(j->device, scratch);
    if (!backend->capture_begin) return;
    if (backend->capture_begin(j->device, &err)) fail("capture_begin", &err);
    run_turns(j);
    if (backend->capture_end(j->device, &j->recording, &err)) fail("capture_end", &err);
}

static void end(job *j)
{
    each_tensor(j, false);
    j->device->backend->free(j->device, j->call.scratch, 0);
    if (j->kernel->release) j->kernel->release(&j->call);
    if (j->recording) j->device->backend->capture_free(j->device, j->recording);
}

/* Microseconds that memory or arithmetic alone would take. */
static double floor_of(const job *j, const struct conv_case *c, bench_kind kind)
{
    double bytes =
        (double)bytes_of(j, &j->in[0], j->in_format[0]) +
        (double)(kind == BY_WEIGHT ? stk_type_bytes(&j->in[1]) : stk_type_bytes(&j->out[0]));
    double products = (double)c->batch * side_of(c, c->height) * side_of(c, c->width) * c->out *
                      c->in * c->kernel * c->kernel;
    double memory = bytes / (FLOOR_GBS * 1e3), arithmetic = 2 * products / (FLOOR_TFLOPS * 1e6);
    return memory > arithmetic ? memory : arithmetic;
}

static void measure(stk_device *device, const struct conv_case *c, bench_kind kind, stk_dtype dtype)
{
    job    j = {.device = device};
    double us, least;
    begin(&j, describe(&j, c, kind, dtype));
    us = bench_run(run, &j, ROUNDS).median / TURNS * 1e6;
    least = floor_of(&j, c, kind);
    printf("%4d x %3d x %3d x %2d, %dx%d/%d to %2d  %-15s %7.1f us, floor %6.1f: %5.1f %%  %s\n",
           c->batch, c->height, c->width, c->in, c->kernel, c->kernel, c->stride, c->out,
           kind_names[kind], us, least, 100 * least / us,
           j.kernel->detail ? j.kernel->detail(&j.call) : j.kernel->name);
    end(&j);
}

int main(int argc, char **argv)
{
    stk_device *device;
    stk_error   err;
    stk_dtype   dtype = argc > 1 && strcmp(argv[1], "bf16") == 0 ? STK_DTYPE_BF16 : STK_DTYPE_F16;
    if (stk_device_open(&device, "cuda", NULL, &err)) fail("cuda", &err);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        for (int kind = 0; kind < KINDS; kind++)
            if (kind != BY_INPUT || cases[i].in > 4) measure(device, &cases[i], kind, dtype);
    stk_device_free(device);
    return 0;
}

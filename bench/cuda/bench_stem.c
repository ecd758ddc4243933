/* First convolutions on a GPU: microseconds of forward, forward with statistics and by weight,
 * beside the floor that memory sets (pictures with their padding, results). What computes each is
 * told. bench_stem [f16|bf16] */
#include "backend/backend.h"
#include "bench.h"
#include "ops/conv2d.h"
#include "ops/ops.h"
#include <string.h>

enum { INPUTS = 2, ROUNDS = 7, TURNS = 20, COPIES = 16 };
enum { FLOOR_GBS = 4300, PAST_CACHE = 200 << 20 }; /* a copy of an H200; bytes that no L2 holds */

typedef enum bench_kind { FORWARD, STATISTICS, BY_WEIGHT, KINDS } bench_kind;

static const char *const kind_names[KINDS] = {"forward", "with statistics", "by weight"};

static const struct stem_case {
    int batch, size, kernel, stride, pad, out;
} cases[] = {
    {256, 224, 7, 2, 3, 64}, {256, 224, 3, 2, 1, 32}, {512, 32, 3, 1, 1, 64},
    {512, 32, 3, 1, 1, 16},  {1000, 32, 2, 1, 0, 24}, {2, 224, 7, 2, 3, 64},
};

typedef struct job {
    stk_device       *device;
    const stk_kernel *kernel;
    stk_op_use        use;
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
    fprintf(stderr, "bench_stem: %s: %s\n", what, err ? err->message : "");
    exit(1);
}

static size_t bytes_of(const job *j, const stk_tensor_type *type, stk_format format)
{
    return j->device->backend->format_bytes(j->device, type, format);
}

static void *device_memory(const job *j, size_t bytes)
{
    void *data = j->device->backend->alloc(j->device, bytes);
    if (!data) fail("no memory on the device", NULL);
    j->device->backend->clear(j->device, data, bytes);
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
        for (int o = 0; o < j->use.output_count; o++)
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
        if (j->kernel->run(&j->call, &err)) fail(j->use.name, &err);
    }
}

/* All turns as one recording, where the backend has that: nothing is started in between. */
static void run(void *context)
{
    job               *j = context;
    const stk_backend *backend = j->device->backend;
    stk_error          err;
    if (!backend->record)
        run_turns(j);
    else if (backend->play(j->device, j->recording, &err))
        fail("play", &err);
    if (backend->sync(j->device, &err)) fail("sync", &err);
}

static const stk_graph_op *describe(job *j, const struct stem_case *s, bench_kind kind,
                                    stk_dtype dtype)
{
    int side = (s->size + 2 * s->pad - s->kernel) / s->stride + 1;
    j->attrs = (stk_conv2d_attrs){.stride = {s->stride, s->stride},
                                  .dilation = {1, 1},
                                  .pad = {s->pad, s->pad, s->pad, s->pad},
                                  .groups = 1};
    if (kind == BY_WEIGHT) j->attrs.size[0] = j->attrs.size[1] = s->kernel;
    j->in[0] = (stk_tensor_type){dtype, stk_shape_4d(s->batch, s->size, s->size, 3)};
    j->in[1] =
        (stk_tensor_type){dtype, kind == BY_WEIGHT ? stk_shape_4d(s->batch, side, side, s->out)
                                                   : stk_shape_4d(s->out, 3, s->kernel, s->kernel)};
    j->use = (stk_op_use){kind_names[kind],
                          &j->attrs,
                          INPUTS,
                          kind == STATISTICS ? STK_CONV2D_OUTPUTS : 1,
                          j->in,
                          j->out};
    return kind == BY_WEIGHT ? &stk_graph_op_conv2d_grad_weight : &stk_graph_op_conv2d;
}

static void begin(job *j, const stk_graph_op *op)
{
    const stk_backend *backend = j->device->backend;
    stk_format         have[INPUTS] = {STK_FORMAT_PLAIN, STK_FORMAT_PLAIN};
    stk_error          err;
    size_t             scratch = 0, bytes = 0;
    if (op->infer(&j->use, j->out, &err)) fail(j->use.name, &err);
    j->kernel = backend->kernel(j->device, op, &j->use);
    if (!j->kernel) fail("no kernel", NULL);
    if (j->kernel->formats &&
        j->kernel->formats(j->device, &j->use, have, j->in_format, j->out_format, &err))
        fail("formats", &err);
    for (int i = 0; i < INPUTS; i++)
        bytes += bytes_of(j, &j->in[i], j->in_format[i]);
    bytes += bytes_of(j, &j->out[0], j->out_format[0]);
    j->copies = (int)(PAST_CACHE / bytes) + 2 < COPIES ? (int)(PAST_CACHE / bytes) + 2 : COPIES;
    each_tensor(j, true);
    j->call = (stk_kernel_call){.device = j->device,
                                .op = op,
                                .use = j->use,
                                .in_format = j->in_format,
                                .out_format = j->out_format,
                                .in = j->inputs[0],
                                .out = j->outputs[0]};
    if (j->kernel->prepare && j->kernel->prepare(&j->call, &scratch, &err)) fail("prepare", &err);
    j->call.scratch = backend->alloc(j->device, scratch);
    if (!backend->record) return;
    if (backend->record(j->device, &err)) fail("record", &err);
    run_turns(j);
    if (backend->recorded(j->device, &j->recording, &err)) fail("recorded", &err);
}

static void end(job *j)
{
    each_tensor(j, false);
    j->device->backend->free(j->device, j->call.scratch, 0);
    if (j->kernel->release) j->kernel->release(&j->call);
    if (j->recording) j->device->backend->forget(j->device, j->recording);
}

static void measure(stk_device *device, const struct stem_case *s, bench_kind kind, stk_dtype dtype)
{
    job    j = {.device = device};
    double bytes, seconds;
    begin(&j, describe(&j, s, kind, dtype));
    seconds = bench_run(run, &j, ROUNDS).median / TURNS;
    bytes = (double)bytes_of(&j, &j.in[0], j.in_format[0]) +
            (double)(kind == BY_WEIGHT ? stk_type_bytes(&j.in[1]) : stk_type_bytes(&j.out[0]));
    printf("%4d x %3d^2, %dx%d/%d to %2d  %-15s %8.1f us, memory alone %6.1f us: %5.1f %%  %s\n",
           s->batch, s->size, s->kernel, s->kernel, s->stride, s->out, kind_names[kind],
           seconds * 1e6, bytes / (FLOOR_GBS * 1e3), bytes / seconds * 1e-7 / FLOOR_GBS,
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
            measure(device, &cases[i], kind, dtype);
    stk_device_free(device);
    return 0;
}

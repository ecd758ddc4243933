/* Batch norm on a GPU, for every norm of ResNet-50: microseconds and bytes per second of what a
 * kernel must read and write, and the sum over a step beside the floor that memory sets. Then norms
 * and gradients as programs have them, two kernels after each other, which of few rows are one.
 * bench_norm [BATCH [f32|f16|bf16]]; without a batch 256 and 2. */
#include "bench.h"
#include "compute/ops/batch_norm.h"
#include "compute/ops/graph_ops.h"
#include "compute/runtime/backend.h"
#include <string.h>

enum { INPUTS = 9, ROUNDS = 7, TURNS = 20, COPIES = 16 };
enum { FLOOR_GBS = 4300, PAST_CACHE = 200 << 20 }; /* a copy of an H200; bytes that no L2 holds */

typedef enum norm_kind { PLAIN, RESIDUAL, SCALED, SHORTCUT } norm_kind;

/* Inputs: c per channel, x images, b bits. tensors: images read and written; bits, a sixteenth
 * of one, are left out. */
typedef struct bench_op {
    const char         *name;
    const stk_graph_op *op;
    const void         *attrs;
    const char         *inputs;
    int                 outputs, tensors;
    unsigned            kinds; /* bits: norms that run it */
} bench_op;

static const stk_bn_finalize_attrs finalize = {1e-5f, 0.1f, 50};
static const stk_bn_apply_attrs    relu = {{&stk_activation_relu, 0, 0}};
static const stk_bn_grad_attrs     none = {.mask = STK_BN_MASK_NONE},
                               from_x = {STK_BN_MASK_INPUT, 0, {&stk_activation_relu, 0, 0}},
                               from_bits = {STK_BN_MASK_BITS, 0, {&stk_activation_relu, 0, 0}};

static const bench_op ops[] = {
    {"stats", &stk_graph_op_bn_stats_finalize, &finalize, "xcccc", 6, 1, ~0u},
    {"apply", &stk_graph_op_bn_apply, &relu, "xcc", 1, 2, 1 << PLAIN},
    {"apply residual", &stk_graph_op_bn_apply, &relu, "xccx", 2, 3, 1 << RESIDUAL},
    {"apply scaled", &stk_graph_op_bn_apply, &relu, "xccxcc", 2, 3, 1 << SCALED},
    {"sums", &stk_graph_op_bn_grad_sums, &none, "xxcc", 2, 2, 1 << SHORTCUT},
    {"sums from x", &stk_graph_op_bn_grad_sums, &from_x, "xxcccc", 2, 2, 1 << PLAIN},
    {"sums from bits", &stk_graph_op_bn_grad_sums, &from_bits, "xxccb", 2, 2,
     1 << RESIDUAL | 1 << SCALED},
    {"grad", &stk_graph_op_bn_grad_apply, &none, "xxccccc", 1, 3, 1 << SHORTCUT},
    {"grad from x", &stk_graph_op_bn_grad_apply, &from_x, "xxccccccc", 1, 3, 1 << PLAIN},
    {"grad from bits", &stk_graph_op_bn_grad_apply, &from_bits, "xxcccccb", 2, 4,
     1 << RESIDUAL | 1 << SCALED},
};

/* How many norms of each kind have images of this size. */
static const struct norm_shape {
    int size, channels, norms[4];
} shapes[] = {
    {112, 64, {1, 0, 0, 0}}, {56, 64, {6, 0, 0, 0}},   {56, 256, {0, 2, 1, 1}},
    {56, 128, {1, 0, 0, 0}}, {28, 128, {7, 0, 0, 0}},  {28, 512, {0, 3, 1, 1}},
    {28, 256, {1, 0, 0, 0}}, {14, 256, {11, 0, 0, 0}}, {14, 1024, {0, 5, 1, 1}},
    {14, 512, {1, 0, 0, 0}}, {7, 512, {5, 0, 0, 0}},   {7, 2048, {0, 2, 1, 1}},
};

typedef struct job {
    stk_device       *device;
    const stk_kernel *kernel;
    stk_op_instance   instance;
    stk_tensor_type   in[INPUTS], out[STK_OP_OUTPUTS];
    stk_format        in_format[INPUTS], out_format[STK_OP_OUTPUTS];
    const void       *inputs[COPIES][INPUTS];
    void             *outputs[COPIES][STK_OP_OUTPUTS];
    stk_kernel_call   call;
    int               copies; /* of all tensors, so that none is in a cache when it is read */
    void             *recording;
    struct job       *then; /* NULL, or what follows it; of its results, too */
    const void       *wired[COPIES][INPUTS];
} job;

static void fail(const char *what, const stk_error *err)
{
    fprintf(stderr, "bench_norm: %s: %s\n", what, err ? err->message : "");
    exit(1);
}

static void *device_memory(job *j, const stk_tensor_type *type)
{
    void *data = j->device->backend->alloc(j->device, stk_type_bytes(type));
    if (!data) fail("no memory on the device", NULL);
    j->device->backend->clear(j->device, data, stk_type_bytes(type));
    return data;
}

static void each_tensor(job *j, bool make)
{
    for (int k = 0; k < j->copies; k++) {
        for (int i = 0; i < j->instance.input_count; i++)
            if (make)
                j->inputs[k][i] = device_memory(j, &j->in[i]);
            else
                j->device->backend->free(j->device, (void *)j->inputs[k][i], 0);
        for (int o = 0; o < j->instance.output_count; o++)
            if (make)
                j->outputs[k][o] = device_memory(j, &j->out[o]);
            else
                j->device->backend->free(j->device, j->outputs[k][o], 0);
    }
}

static void run_one(job *j, const void **inputs, int copy)
{
    stk_error err;
    j->call.in = inputs;
    j->call.out = j->outputs[copy];
    if (j->kernel->run(&j->call, &err)) fail(j->instance.name, &err);
}

static void run_turns(job *j)
{
    stk_error err;
    for (int t = 0; t < TURNS; t++) {
        run_one(j, j->inputs[t % j->copies], t % j->copies);
        if (j->then) run_one(j->then, j->then->wired[t % j->copies], t % j->copies);
        if (j->device->backend->flush(j->device, &err)) fail("flush", &err);
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

static void make(job *j, const bench_op *o, stk_shape shape, stk_dtype dtype)
{
    const stk_backend *backend = j->device->backend;
    stk_error          err;
    size_t             scratch = 0, bytes = 0;
    j->instance =
        (stk_op_instance){o->name, o->attrs, (int)strlen(o->inputs), o->outputs, j->in, j->out};
    for (int i = 0; i < j->instance.input_count; i++) {
        j->in[i] = (stk_tensor_type){dtype, shape};
        if (o->inputs[i] == 'c')
            j->in[i] = (stk_tensor_type){STK_DTYPE_F32, stk_shape_1d(shape.dim[3])};
        if (o->inputs[i] == 'b') j->in[i] = stk_bn_bits_of(&j->in[0]);
        bytes += stk_type_bytes(&j->in[i]);
    }
    if (o->op->infer(&j->instance, j->out, &err)) fail(o->name, &err);
    j->kernel = backend->kernel(j->device, o->op, &j->instance);
    if (!j->kernel) fail("no kernel", NULL);
    if (!j->copies)
        j->copies = (int)(PAST_CACHE / bytes) + 1 < COPIES ? (int)(PAST_CACHE / bytes) + 1 : COPIES;
    each_tensor(j, true);
    j->call = (stk_kernel_call){.device = j->device,
                                .op = o->op,
                                .instance = j->instance,
                                .in_format = j->in_format,
                                .out_format = j->out_format,
                                .in = j->inputs[0],
                                .out = j->outputs[0]};
    if (j->kernel->prepare && j->kernel->prepare(&j->call, &scratch, &err)) fail(o->name, &err);
    j->call.scratch = backend->alloc(j->device, scratch);
}

static void record(job *j)
{
    const stk_backend *backend = j->device->backend;
    stk_error          err;
    if (!backend->capture_begin) return;
    if (backend->capture_begin(j->device, &err)) fail("capture_begin", &err);
    run_turns(j);
    if (backend->capture_end(j->device, &j->recording, &err)) fail("capture_end", &err);
}

static void end(job *j)
{
    each_tensor(j, false);
    j->device->backend->free(j->device, j->call.scratch, 0);
    if (j->recording) j->device->backend->capture_free(j->device, j->recording);
}

/* Adds what all norms of this shape take to sum and floor, in seconds. */
static void measure(stk_device *device, const struct norm_shape *s, const bench_op *o, int batch,
                    stk_dtype dtype, double *sum, double *floor_)
{
    job       j = {.device = device};
    int       count = 0;
    stk_shape shape = stk_shape_4d(batch, s->size, s->size, s->channels);
    for (int k = PLAIN; k <= SHORTCUT; k++)
        if (o->kinds >> k & 1) count += s->norms[k];
    if (count == 0) return;
    make(&j, o, shape, dtype);
    record(&j);
    double          seconds = bench_run(run, &j, ROUNDS).median / TURNS;
    stk_tensor_type type = {dtype, shape};
    double          bytes = (double)stk_type_bytes(&type) * o->tensors;
    printf("%4d^2 x %4d  %-15s x%-2d %8.1f us %7.0f GB/s %5.1f %%\n", s->size, s->channels, o->name,
           count, seconds * 1e6, bytes / seconds * 1e-9, bytes / seconds * 1e-7 / FLOOR_GBS);
    *sum += seconds * count;
    *floor_ += bytes / (FLOOR_GBS * 1e9) * count;
    end(&j);
}

/* The second has the images of the first, its results, and what its mask is made of. */
static void wire(job *first, job *second, bool back)
{
    for (int k = 0; k < second->copies; k++) {
        const void **in = second->wired[k];
        memcpy(in, second->inputs[k], sizeof second->wired[k]);
        in[0] = first->inputs[k][0];
        in[back ? 5 : 1] = first->outputs[k][back ? 0 : 1];
        in[back ? 6 : 2] = first->outputs[k][back ? 1 : 2];
        for (int i = 1; back && i < first->instance.input_count; i++)
            in[i < 4 ? i : i + 3] = first->inputs[k][i];
    }
    first->then = second;
}

/* Seconds of all norms of this shape, forward or back; and their floor, had each read once. */
static void measure_pairs(stk_device *device, const struct norm_shape *s, int batch,
                          stk_dtype dtype, bool back, double *sum, double *floor_)
{
    static const struct {
        int first, second;
    } pairs[2][4] = {{{0, 1}, {0, 2}, {0, 3}, {0, -1}}, {{5, 8}, {6, 9}, {6, 9}, {4, 7}}};
    stk_shape       shape = stk_shape_4d(batch, s->size, s->size, s->channels);
    stk_tensor_type type = {dtype, shape};
    for (int k = PLAIN; k <= SHORTCUT; k++) {
        int a = pairs[back][k].first, b = pairs[back][k].second;
        job first = {.device = device}, second = {.device = device};
        if (s->norms[k] == 0) continue;
        make(&first, &ops[a], shape, dtype);
        second.copies = first.copies;
        if (b >= 0) make(&second, &ops[b], shape, dtype);
        if (b >= 0) wire(&first, &second, back);
        record(&first);
        double seconds = bench_run(run, &first, ROUNDS).median / TURNS;
        double bytes = (double)stk_type_bytes(&type) * ops[b < 0 ? a : b].tensors;
        printf("%4d^2 x %4d  %-6s %-15s x%-2d %8.1f us\n", s->size, s->channels,
               back ? "sums," : "stats,", b < 0 ? "-" : ops[b].name, s->norms[k], seconds * 1e6);
        *sum += seconds * s->norms[k];
        *floor_ += bytes / (FLOOR_GBS * 1e9) * s->norms[k];
        end(&first);
        if (b >= 0) end(&second);
    }
}

static void measure_all(stk_device *device, int batch, stk_dtype dtype)
{
    double sum[2] = {0}, floor_[2] = {0};
    printf("batch %d\n", batch);
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++)
        for (size_t o = 0; o < sizeof ops / sizeof ops[0]; o++) {
            int back = strncmp(ops[o].op->name, "bn_grad", 7) == 0;
            measure(device, &shapes[i], &ops[o], batch, dtype, &sum[back], &floor_[back]);
        }
    double paired[2] = {0}, once[2] = {0};
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++)
        for (int back = 0; back < 2; back++)
            measure_pairs(device, &shapes[i], batch, dtype, back, &paired[back], &once[back]);
    for (int back = 0; back < 2; back++)
        printf("%s: %.3f ms, memory alone %.3f ms: %.1f %%\n", back ? "backward" : "forward",
               sum[back] * 1e3, floor_[back] * 1e3, 100 * floor_[back] / sum[back]);
    for (int back = 0; back < 2; back++)
        printf("%s, two by two: %.3f ms, memory alone, read once, %.3f ms\n",
               back ? "backward" : "forward", paired[back] * 1e3, once[back] * 1e3);
}

int main(int argc, char **argv)
{
    stk_device *device;
    stk_error   err;
    const char *name = argc > 2 ? argv[2] : "f16";
    stk_dtype   dtype = strcmp(name, "f32") == 0    ? STK_DTYPE_F32
                        : strcmp(name, "bf16") == 0 ? STK_DTYPE_BF16
                                                    : STK_DTYPE_F16;
    if (stk_device_open(&device, "cuda", NULL, &err)) fail("cuda", &err);
    measure_all(device, argc > 1 ? atoi(argv[1]) : 256, dtype);
    if (argc < 2) measure_all(device, 2, dtype);
    stk_device_free(device);
    return 0;
}

/* Arithmetic, moves, sums, casts and products of the CUDA backend at the sizes of ResNet-50 with
 * 256 images: microseconds, bytes a second, share of what a copy reaches on an H200. Tensors that
 * fit into the cache (50 MB) may do better than that. */
#include "base/clock.h"
#include "compute/ops/graph_ops.h"
#include "compute/ops/matmul.h"
#include "compute/ops/shapes.h"
#include "compute/runtime/backend.h"
#include <stdio.h>
#include <stdlib.h>

#define COPY_BYTES_A_SECOND 4.3e12
#define NHWC(n, h, w, c)                                                                           \
    {                                                                                              \
        .rank = 4, .dim = { n, h, w, c }                                                           \
    }
#define MATRIX(m, n)                                                                               \
    {                                                                                              \
        .rank = 2, .dim = { m, n }                                                                 \
    }
#define VECTOR(n)                                                                                  \
    {                                                                                              \
        .rank = 1, .dim = { n }                                                                    \
    }

enum { INPUTS = 3, RUNS = 20, TURNS = 5, WEIGHTS = 54 };

typedef struct row {
    const char         *name;
    const stk_graph_op *op;
    const void         *attrs;
    int                 inputs;
    stk_shape           in[INPUTS];
    bool                float32; /* else float16; vectors are float32 */
} row;

static const stk_scale_attrs     half_of = {0.5, 0};
static const stk_cast_attrs      to_f32 = {STK_DTYPE_F32}, to_f16 = {STK_DTYPE_F16};
static const stk_shape_attrs     spread = {NHWC(256, 7, 7, 2048)};
static const stk_transpose_attrs to_nchw = {4, {0, 3, 1, 2}};
static const stk_concat_attrs    channels = {3};
static const stk_slice_attrs     first_half = {{0}, {256, 56, 56, 128}};
static const stk_pad_attrs       border = {{0, 3, 3, 0}, {0, 3, 3, 0}, 0};
static const stk_fill_attrs      zeros = {NHWC(256, 56, 56, 256), STK_DTYPE_F16, 0, 0};
static const stk_reduce_attrs    per_channel = {7, 0}, per_image = {6, 0}, per_row = {2, 0},
                              all = {15, 0}, rows = {1, 0};
static const stk_matmul_attrs nt = {.transpose_b = true}, nn = {0}, tn = {.transpose_a = true};

#define BIG NHWC(256, 56, 56, 256)
static const row table[] = {
    {"add", &stk_graph_op_add, NULL, 2, {BIG, BIG}, false},
    {"mul per image", &stk_graph_op_mul, NULL, 2, {BIG, NHWC(256, 1, 1, 256)}, false},
    {"bias", &stk_graph_op_bias, NULL, 2, {BIG, VECTOR(256)}, false},
    {"scale", &stk_graph_op_scale, &half_of, 1, {BIG}, false},
    {"cast to float32", &stk_graph_op_cast, &to_f32, 1, {BIG}, false},
    {"cast to float16", &stk_graph_op_cast, &to_f16, 1, {BIG}, true},
    {"fill", &stk_graph_op_fill, &zeros, 0, {{0}}, false},
    {"broadcast", &stk_graph_op_broadcast, &spread, 1, {NHWC(256, 1, 1, 2048)}, false},
    {"transpose to nchw", &stk_graph_op_transpose, &to_nchw, 1, {BIG}, false},
    {"slice", &stk_graph_op_slice, &first_half, 1, {BIG}, false},
    {"concat", &stk_graph_op_concat, &channels, 2, {BIG, BIG}, false},
    {"pad", &stk_graph_op_pad, &border, 1, {NHWC(256, 112, 112, 64)}, false},
    {"sum per channel 64", &stk_graph_op_reduce_sum, &per_channel, 1, {NHWC(256, 112, 112, 64)}, 0},
    {"sum per channel 2048",
     &stk_graph_op_reduce_sum,
     &per_channel,
     1,
     {NHWC(256, 14, 14, 2048)},
     0},
    {"mean of images", &stk_graph_op_reduce_mean, &per_image, 1, {NHWC(256, 7, 7, 2048)}, false},
    {"sum of rows", &stk_graph_op_reduce_sum, &per_row, 1, {MATRIX(200000, 1000)}, false},
    {"sum of all", &stk_graph_op_reduce_sum, &all, 1, {BIG}, false},
    {"sum of a bias", &stk_graph_op_reduce_sum, &rows, 1, {MATRIX(256, 1000)}, false},
    {"dense",
     &stk_graph_op_matmul,
     &nt,
     3,
     {MATRIX(256, 2048), MATRIX(1000, 2048), VECTOR(1000)},
     0},
    {"dense dx", &stk_graph_op_matmul, &nn, 2, {MATRIX(256, 1000), MATRIX(1000, 2048)}, false},
    {"dense dw", &stk_graph_op_matmul, &tn, 2, {MATRIX(256, 1000), MATRIX(256, 2048)}, false},
    {"product 8192", &stk_graph_op_matmul, &nt, 2, {MATRIX(8192, 8192), MATRIX(8192, 8192)}, false},
    {"product 4096 float32",
     &stk_graph_op_matmul,
     &nt,
     2,
     {MATRIX(4096, 4096), MATRIX(4096, 4096)},
     true},
};

typedef struct job {
    stk_device       *device;
    const stk_kernel *kernel;
    stk_tensor_type   types[INPUTS + 1];
    stk_format        formats[INPUTS + 1];
    const void       *in[INPUTS];
    void             *out[STK_OP_OUTPUTS], *scratch;
    stk_kernel_call   call;
    double            bytes;
} job;

static void *take(stk_device *device, size_t bytes)
{
    void *data = device->backend->alloc(device, bytes + 1);
    if (data) device->backend->clear(device, data, bytes);
    return data;
}

static bool begin(job *j, stk_device *device, const row *r, stk_error *err)
{
    size_t    scratch = 0;
    stk_dtype dtype = r->float32 ? STK_DTYPE_F32 : STK_DTYPE_F16;
    *j = (job){.device = device};
    for (int i = 0; i < r->inputs; i++)
        j->types[i] = (stk_tensor_type){i && r->in[i].rank == 1 ? STK_DTYPE_F32 : dtype, r->in[i]};
    stk_op_instance instance = {r->name, r->attrs, r->inputs, 1, j->types, &j->types[INPUTS]};
    if (r->op->infer(&instance, &j->types[INPUTS], err)) return false;
    j->kernel = device->backend->kernel(device, r->op, &instance);
    if (!j->kernel) return false;
    for (int i = 0; i < r->inputs; i++) {
        j->in[i] = take(device, stk_type_bytes(&j->types[i]));
        j->bytes += (double)stk_type_bytes(&j->types[i]);
    }
    j->out[0] = take(device, stk_type_bytes(&j->types[INPUTS]));
    j->bytes += (double)stk_type_bytes(&j->types[INPUTS]);
    if (r->op == &stk_graph_op_slice) j->bytes = 2 * (double)stk_type_bytes(&j->types[INPUTS]);
    j->call =
        (stk_kernel_call){device, r->op, instance, j->formats, j->formats, j->in, j->out, 0, 0};
    if (j->kernel->prepare && j->kernel->prepare(&j->call, &scratch, err)) return false;
    j->call.scratch = j->scratch = take(device, scratch);
    return j->out[0] && j->scratch;
}

static void end(job *j)
{
    const stk_backend *b = j->device->backend;
    if (j->kernel && j->kernel->release) j->kernel->release(&j->call);
    for (int i = 0; i < INPUTS; i++)
        if (j->in[i]) b->free(j->device, (void *)j->in[i], 0);
    if (j->out[0]) b->free(j->device, j->out[0], 0);
    if (j->scratch) b->free(j->device, j->scratch, 0);
}

/* Seconds of one run, the best of some turns: the host's part is hidden behind the runs before. */
static double time_runs(job *jobs, int count, stk_error *err)
{
    stk_device *device = jobs[0].device;
    double      best = 0;
    for (int turn = 0; turn <= TURNS; turn++) {
        if (device->backend->sync(device, err)) return 0;
        uint64_t from = stk_clock_ns();
        for (int run = 0; run < RUNS; run++) {
            for (int i = 0; i < count; i++)
                if (jobs[i].kernel->run(&jobs[i].call, err)) return 0;
            if (device->backend->flush(device, err)) return 0;
        }
        if (device->backend->sync(device, err)) return 0;
        double now = (double)(stk_clock_ns() - from) * 1e-9 / RUNS;
        if (turn > 0 && (best == 0 || now < best)) best = now;
    }
    return best;
}

static void tell(const char *name, double seconds, double bytes, double flops, const char *error)
{
    if (seconds <= 0) {
        printf("%-24s failed: %s\n", name, error);
        return;
    }
    printf("%-24s %9.1f us %8.0f GB/s %5.1f %%", name, seconds * 1e6, bytes / seconds * 1e-9,
           100 * bytes / seconds / COPY_BYTES_A_SECOND);
    if (flops > 0) printf(" %7.1f TFLOP/s", flops / seconds * 1e-12);
    printf("\n");
}

static void measure(stk_device *device, const row *r)
{
    stk_error err = {.message = "no kernel or no memory"};
    job       j;
    double    flops = 0, seconds = begin(&j, device, r, &err) ? time_runs(&j, 1, &err) : 0;
    if (seconds > 0 && r->op == &stk_graph_op_matmul) flops = r->op->cost(&j.call.instance).flops;
    tell(r->name, seconds, j.bytes, flops, err.message);
    end(&j);
}

/* As many weights as ResNet-50 has convolutions, and as many elements in all: one launch. */
static void measure_weights(stk_device *device)
{
    stk_error err = {.message = "no memory"};
    const row r = {"54 weights to float16", &stk_graph_op_cast, &to_f16, 1, {VECTOR(472000)}, true};
    static job jobs[WEIGHTS];
    double     bytes = 0;
    int        made = 0;
    while (made < WEIGHTS && begin(&jobs[made], device, &r, &err))
        bytes += jobs[made++].bytes;
    tell(r.name, made == WEIGHTS ? time_runs(jobs, made, &err) : 0, bytes, 0, err.message);
    for (int i = 0; i < made; i++)
        end(&jobs[i]);
}

int main(void)
{
    stk_device *device;
    stk_error   err;
    if (stk_device_open(&device, "cuda", NULL, &err)) {
        fprintf(stderr, "bench_elem: %s: %s\n", err.where, err.message);
        return EXIT_FAILURE;
    }
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        measure(device, &table[i]);
    measure_weights(device);
    stk_device_free(device);
    return EXIT_SUCCESS;
}

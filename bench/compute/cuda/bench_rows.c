/* bench_rows [TEXT]: softmax, losses, dropout and embeddings of the CUDA backend: microseconds of a
 * call, GB/s of what must be read and written, and its share of what an H200 copies. Small calls
 * are mostly their launches. With TEXT, those whose names have it. */
#include "bench.h"
#include "compute/ops/graph_ops.h"
#include "compute/ops/update_ops.h"
#include "compute/runtime/backend.h"
#include <string.h>

enum { INPUTS = 3, CALLS = 20, ROUNDS = 9 };

static const double copied = 4.3e12; /* bytes a second, measured */

typedef struct bench_case {
    const char         *name;
    const stk_graph_op *op;
    const void         *attrs;
    int                 inputs;
    stk_tensor_type     in[INPUTS];
} bench_case;

typedef struct job {
    stk_kernel_call   call;
    const stk_kernel *kernel;
} job;

static void run(void *context)
{
    job      *j = context;
    stk_error err;
    for (int i = 0; i < CALLS; i++)
        if (j->kernel->run(&j->call, &err)) exit(1);
    if (j->call.device->backend->sync(j->call.device, &err)) exit(1);
}

/* Labels below 1000, ids below 50000, or floats from 0 to 1; 16-bit floats are 0. */
static void *filled(stk_device *device, const stk_tensor_type *type)
{
    size_t count = (size_t)stk_type_elements(type), bytes = stk_type_bytes(type);
    void  *host = calloc(1, bytes + 8), *data = device->backend->alloc(device, bytes + 64);
    if (!host || !data) exit(1);
    size_t below = count > 256 ? 50000 : 1000;
    for (size_t i = 0; i < count; i++) {
        if (type->dtype == STK_DTYPE_I64) ((int64_t *)host)[i] = (int64_t)(i * 2654435761u % below);
        if (type->dtype == STK_DTYPE_F32) ((float *)host)[i] = (float)(i * 2654435761u % 997) / 997;
    }
    device->backend->upload(device, data, host, bytes);
    free(host);
    return data;
}

static void measure(stk_device *device, const bench_case *c)
{
    stk_error       err;
    stk_format      plain[INPUTS] = {0};
    const void     *in[INPUTS] = {0};
    void           *out[1];
    stk_tensor_type type;
    size_t          scratch = 0;
    double          bytes = 0;
    stk_op_instance instance = {c->name, c->attrs, c->inputs, 1, c->in, &type};
    if (c->op->infer(&instance, &type, &err)) exit(1);
    for (int i = 0; i < c->inputs; i++) {
        in[i] = filled(device, &c->in[i]);
        bytes += (double)stk_type_bytes(&c->in[i]);
    }
    out[0] = filled(device, &type);
    bytes += (double)stk_type_bytes(&type);
    job j = {{device, c->op, instance, plain, plain, in, out, NULL, NULL},
             device->backend->kernel(device, c->op, &instance)};
    if (!j.kernel || (j.kernel->prepare && j.kernel->prepare(&j.call, &scratch, &err))) exit(1);
    j.call.scratch = device->backend->alloc(device, scratch + 64);
    bench_result r = bench_run(run, &j, ROUNDS);
    double       seconds = r.median / CALLS;
    printf("%-40s %9.2f us (%.2f .. %.2f) %8.0f GB/s %5.1f %%\n", c->name, seconds * 1e6,
           r.best / CALLS * 1e6, r.worst / CALLS * 1e6, bytes / seconds * 1e-9,
           100 * bytes / seconds / copied);
    device->backend->free(device, j.call.scratch, scratch + 64);
    device->backend->free(device, out[0], 0);
    for (int i = 0; i < c->inputs; i++)
        device->backend->free(device, (void *)in[i], 0);
}

#define T2(type, a, b)                                                                             \
    {                                                                                              \
        STK_DTYPE_##type,                                                                          \
        {                                                                                          \
            .rank = 2, .dim = { a, b }                                                             \
        }                                                                                          \
    }
#define T1(type, a)                                                                                \
    {                                                                                              \
        STK_DTYPE_##type,                                                                          \
        {                                                                                          \
            .rank = 1, .dim = { a }                                                                \
        }                                                                                          \
    }
#define T0(type)                                                                                   \
    {                                                                                              \
        STK_DTYPE_##type,                                                                          \
        {                                                                                          \
            .rank = 0                                                                              \
        }                                                                                          \
    }

static const stk_cross_entropy_attrs sharp = {0}, smooth = {0.1};
static const stk_top_k_attrs         five = {5};
static const stk_dropout_attrs       drop = {.rate = 0.2, .seed = 1};
static const stk_embedding_attrs     words = {50000};

static const bench_case cases[] = {
    {"cross_entropy 256x1000",
     &stk_graph_op_softmax_cross_entropy,
     &sharp,
     2,
     {T2(F32, 256, 1000), T1(I64, 256)}},
    {"cross_entropy_grad 256x1000",
     &stk_graph_op_softmax_cross_entropy_grad,
     &smooth,
     3,
     {T2(F32, 256, 1000), T1(I64, 256), T0(F32)}},
    {"top_k_correct 256x1000",
     &stk_graph_op_top_k_correct,
     &five,
     2,
     {T2(F32, 256, 1000), T1(I64, 256)}},
    {"count_labels 256", &stk_graph_op_count_labels, NULL, 1, {T1(I64, 256)}},
    {"cross_entropy 8192x50000",
     &stk_graph_op_softmax_cross_entropy,
     &sharp,
     2,
     {T2(F32, 8192, 50000), T1(I64, 8192)}},
    {"softmax 605184x197", &stk_graph_op_softmax, NULL, 1, {T2(F32, 605184, 197)}},
    {"softmax 262144x1024 fp16", &stk_graph_op_softmax, NULL, 1, {T2(F16, 262144, 1024)}},
    {"softmax_grad 262144x1024 fp16",
     &stk_graph_op_softmax_grad,
     NULL,
     2,
     {T2(F16, 262144, 1024), T2(F16, 262144, 1024)}},
    {"mean_squared_error 2^27",
     &stk_graph_op_mean_squared_error,
     NULL,
     2,
     {T1(F32, 1 << 27), T1(F32, 1 << 27)}},
    {"dropout 2^28 fp16", &stk_graph_op_dropout, &drop, 2, {T1(F16, 1 << 28), T0(I64)}},
    {"dropout 2^27", &stk_graph_op_dropout, &drop, 2, {T1(F32, 1 << 27), T0(I64)}},
    {"dropout 256x1280 fp16", &stk_graph_op_dropout, &drop, 2, {T2(F16, 256, 1280), T0(I64)}},
    {"embedding 65536 of 50000x768 fp16",
     &stk_graph_op_embedding,
     &words,
     2,
     {T2(F16, 50000, 768), T1(I64, 65536)}},
    {"embedding_grad 8192 to 50000x768",
     &stk_graph_op_embedding_grad,
     &words,
     2,
     {T2(F32, 8192, 768), T1(I64, 8192)}},
};

int main(int argc, char **argv)
{
    stk_device *device;
    stk_error   err;
    if (stk_device_open(&device, "cuda", NULL, &err)) {
        printf("no CUDA: %s\n", err.message);
        return 0;
    }
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (argc < 2 || strstr(cases[i].name, argv[1])) measure(device, &cases[i]);
    stk_device_free(device);
    return 0;
}

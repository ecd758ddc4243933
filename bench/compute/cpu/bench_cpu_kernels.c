/* Own kernels of the CPU backend in GB/s of what they must read and write, beside a copy: tensors
 * of 12.8 MB, which caches may hold, and of 51 MB. */
#include "bench.h"
#include "compute/cpu/cpu.h"
#include "compute/ops/batch_norm.h"
#include "compute/ops/graph_ops.h"
#include "compute/runtime/backend.h"
#include <string.h>

enum { INPUTS = 9, ROUNDS = 9 };

typedef struct bench_case {
    const char         *name;
    const stk_graph_op *op;
    const void         *attrs;
    int                 inputs, outputs;
    unsigned            per_channel; /* bits: inputs that are one value a channel */
} bench_case;

typedef struct job {
    stk_kernel_call   call;
    const stk_kernel *kernel;
    stk_tensor_type   in[INPUTS], out[STK_OP_OUTPUTS];
    stk_format        in_format[INPUTS], out_format[STK_OP_OUTPUTS];
    void             *data[INPUTS + STK_OP_OUTPUTS];
} job;

static void run(void *context)
{
    job      *j = context;
    stk_error err;
    if (j->kernel->run(&j->call, &err)) exit(1);
}

static void *filled(size_t bytes)
{
    float *data = aligned_alloc(64, (bytes + 127) & ~(size_t)63);
    for (size_t i = 0; i < bytes / sizeof *data; i++)
        data[i] = (float)(i * 2654435761u % 1000) / 500 - 1;
    return data;
}

static void measure(stk_device *device, const bench_case *c, stk_shape shape, stk_format format)
{
    job        j = {0};
    stk_error  err;
    stk_format have[INPUTS];
    size_t     scratch = 0, bytes = 0;
    char       name[96];
    for (int i = 0; i < c->inputs; i++) {
        bool small = c->per_channel >> i & 1;
        have[i] = small ? STK_FORMAT_PLAIN : format;
        j.in[i] = (stk_tensor_type){STK_DTYPE_F32, small ? stk_shape_1d(shape.dim[3]) : shape};
    }
    stk_op_instance instance = {c->name, c->attrs, c->inputs, c->outputs, j.in, j.out};
    if (c->op->infer(&instance, j.out, &err)) return;
    j.kernel = device->backend->kernel(device, c->op, &instance);
    if (j.kernel->formats &&
        j.kernel->formats(device, &instance, have, j.in_format, j.out_format, &err))
        return;
    for (int i = 0; i < c->inputs + c->outputs; i++) {
        bool   in = i < c->inputs;
        size_t size =
            device->backend->format_bytes(device, in ? &j.in[i] : &j.out[i - c->inputs],
                                          in ? j.in_format[i] : j.out_format[i - c->inputs]);
        j.data[i] = filled(size);
        bytes += size;
    }
    j.call = (stk_kernel_call){device,
                               c->op,
                               instance,
                               j.in_format,
                               j.out_format,
                               (const void *const *)j.data,
                               j.data + c->inputs,
                               NULL,
                               NULL};
    if (j.kernel->prepare && j.kernel->prepare(&j.call, &scratch, &err)) return;
    j.call.scratch = filled(scratch + 64);
    snprintf(name, sizeof name, "%s/%s %lldx%lldx%lld format %u", j.kernel->name, c->name,
             (long long)shape.dim[0], (long long)shape.dim[1], (long long)shape.dim[3], format);
    bench_print(name, bench_run(run, &j, ROUNDS), (double)bytes / 1e9, "GB/s");
    if (j.kernel->release) j.kernel->release(&j.call);
    free(j.call.scratch);
    for (int i = 0; i < c->inputs + c->outputs; i++)
        free(j.data[i]);
}

typedef struct copy_job {
    const stk_cpu *cpu;
    char          *from, *to;
    size_t         bytes;
} copy_job;

static void copy_part(void *context, int part, int parts)
{
    copy_job *j = context;
    int64_t   begin, end;
    stk_team_share((int64_t)j->bytes, 4096, part, parts, &begin, &end);
    memcpy(j->to + begin, j->from + begin, (size_t)(end - begin));
}

static void copy(void *context)
{
    copy_job *j = context;
    stk_team_run(&j->cpu->team, copy_part, j);
}

static void measure_copy(const stk_device *device, size_t bytes)
{
    copy_job j = {stk_cpu_of(device), filled(bytes), filled(bytes), bytes};
    bench_print("copy", bench_run(copy, &j, ROUNDS), 2 * (double)bytes / 1e9, "GB/s");
    free(j.from);
    free(j.to);
}

static const stk_activation     relu = {&stk_activation_relu, 0, 0};
static const stk_activation     gelu = {&stk_activation_gelu, 0, 0};
static const stk_activation     silu = {&stk_activation_silu, 0, 0};
static const stk_bn_apply_attrs apply_relu = {{&stk_activation_relu, 0, 0}};
static const stk_bn_apply_attrs apply_silu = {{&stk_activation_silu, 0, 0}};
static const stk_bn_grad_attrs  no_mask = {.mask = STK_BN_MASK_NONE};
static const stk_bn_grad_attrs  relu_mask = {.mask = STK_BN_MASK_OUTPUT,
                                             .act = {&stk_activation_relu, 0, 0}};

static const bench_case cases[] = {
    {"add", &stk_graph_op_add, NULL, 2, 1, 0},
    {"add per channel", &stk_graph_op_add, NULL, 2, 1, 2},
    {"relu", &stk_graph_op_relu, &relu, 1, 1, 0},
    {"relu_grad", &stk_graph_op_relu_grad, &relu, 2, 1, 0},
    {"gelu", &stk_graph_op_gelu, &gelu, 1, 1, 0},
    {"silu", &stk_graph_op_silu, &silu, 1, 1, 0},
    {"bn_stats", &stk_graph_op_bn_stats, NULL, 1, 2, 0},
    {"bn_apply relu", &stk_graph_op_bn_apply, &apply_relu, 3, 1, 6},
    {"bn_apply relu residual", &stk_graph_op_bn_apply, &apply_relu, 4, 1, 6},
    {"bn_apply silu", &stk_graph_op_bn_apply, &apply_silu, 3, 1, 6},
    {"bn_grad_sums", &stk_graph_op_bn_grad_sums, &no_mask, 4, 2, 12},
    {"bn_grad_sums relu", &stk_graph_op_bn_grad_sums, &relu_mask, 5, 2, 12},
    {"bn_grad_apply", &stk_graph_op_bn_grad_apply, &no_mask, 7, 1, 124},
    {"bn_grad_apply relu dz", &stk_graph_op_bn_grad_apply, &relu_mask, 8, 2, 124},
};

int main(int argc, char **argv)
{
    static const stk_shape  shapes[] = {{.rank = 4, .dim = {1, 28, 28, 64}},
                                        {.rank = 4, .dim = {16, 56, 56, 64}},
                                        {.rank = 4, .dim = {64, 14, 14, 256}},
                                        {.rank = 4, .dim = {64, 56, 56, 64}},
                                        {.rank = 4, .dim = {64, 56, 56, 24}}};
    static const stk_format formats[] = {STK_FORMAT_PLAIN, STK_FORMAT_C16};
    stk_device             *device;
    stk_error               err;
    stk_device_options      options = {.threads = argc > 2 ? atoi(argv[2]) : 0};
    if (stk_device_open(&device, "cpu", &options, &err)) return 1;
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
        stk_tensor_type type = {STK_DTYPE_F32, shapes[s]};
        measure_copy(device, stk_type_bytes(&type));
        for (size_t f = 0; f < sizeof formats / sizeof *formats; f++)
            for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
                if (argc < 2 || strstr(cases[c].name, argv[1]))
                    measure(device, &cases[c], shapes[s], formats[f]);
    }
    stk_device_free(device);
    return 0;
}

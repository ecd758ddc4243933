/* Depthwise convolutions of MobileNetV2, batch 16: the own kernels beside oneDNN's, in GB/s of what
 * must be read and written. Argument: threads. */
#include "bench.h"
#include "compute/cpu/cpu.h"
#include "compute/ops/conv2d.h"
#include "compute/ops/graph_ops.h"
#include "compute/runtime/backend.h"
#include <string.h>

enum { BATCH = 16, ROUNDS = 15 };

typedef struct layer {
    int64_t size, channels;
    int     stride;
} layer;

static const layer layers[] = {{112, 32, 1}, {112, 96, 2}, {56, 144, 1}, {56, 144, 2}, {28, 192, 1},
                               {28, 192, 2}, {14, 384, 1}, {14, 576, 2}, {7, 960, 1}};

typedef struct job {
    stk_kernel_call   call;
    const stk_kernel *kernel;
    stk_tensor_type   in[2], out[2];
    stk_format        in_format[2], out_format[2];
    void             *data[4];
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

static const stk_kernel *find(const stk_kernel *const *list, const stk_device *device,
                              const stk_graph_op *op, const stk_op_instance *instance)
{
    for (; *list; list++)
        if ((*list)->op == op && (!(*list)->can || (*list)->can(device, instance))) return *list;
    return NULL;
}

static void measure(stk_device *device, const stk_kernel *const *list, const stk_graph_op *op,
                    const layer *l)
{
    int       pass = op == &stk_graph_op_conv2d ? 0 : op == &stk_graph_op_conv2d_grad_input ? 1 : 2;
    int64_t   after = (l->size - 1) / l->stride + 1;
    stk_shape x = stk_shape_4d(BATCH, l->size, l->size, l->channels);
    stk_shape y = stk_shape_4d(BATCH, after, after, l->channels);
    stk_shape w = stk_shape_4d(l->channels, 1, 3, 3);
    stk_conv2d_attrs attrs = {.stride = {l->stride, l->stride},
                              .dilation = {1, 1},
                              .pad = {1, 1, 1, 1},
                              .groups = (int)l->channels};
    job       j = {.in = {{STK_DTYPE_F32, pass == 1 ? y : x}, {STK_DTYPE_F32, pass == 2 ? y : w}}};
    stk_error err;
    size_t    scratch = 0, bytes = 0;
    char      name[96];
    if (pass) attrs.size[0] = attrs.size[1] = pass == 1 ? (int)l->size : 3;
    stk_op_instance instance = {"layer", &attrs, 2, 1, j.in, j.out};
    stk_format      have[2] = {STK_FORMAT_C16, pass == 2 ? STK_FORMAT_C16 : STK_FORMAT_ANY};
    if (op->infer(&instance, j.out, &err) || !(j.kernel = find(list, device, op, &instance)))
        return;
    if (j.kernel->formats(device, &instance, have, j.in_format, j.out_format, &err)) return;
    for (int i = 0; i < 3; i++) {
        size_t size = device->backend->format_bytes(device, i < 2 ? &j.in[i] : &j.out[0],
                                                    i < 2 ? j.in_format[i] : j.out_format[0]);
        j.data[i] = filled(size);
        bytes += size;
    }
    j.call = (stk_kernel_call){device,      op,           instance,
                               j.in_format, j.out_format, (const void *const *)j.data,
                               j.data + 2,  NULL,         NULL};
    if (j.kernel->prepare && j.kernel->prepare(&j.call, &scratch, &err)) return;
    j.call.scratch = filled(scratch + 64);
    snprintf(name, sizeof name, "%s/%s %lld stride %d %lld", j.kernel->name, op->name,
             (long long)l->size, l->stride, (long long)l->channels);
    bench_print(name, bench_run(run, &j, ROUNDS), (double)bytes / 1e9, "GB/s");
    if (j.kernel->release) j.kernel->release(&j.call);
    free(j.call.scratch);
    for (int i = 0; i < 3; i++)
        free(j.data[i]);
}

int main(int argc, char **argv)
{
    static const stk_graph_op *const ops[] = {&stk_graph_op_conv2d, &stk_graph_op_conv2d_grad_input,
                                              &stk_graph_op_conv2d_grad_weight};
    stk_device_options               options = {.threads = argc > 1 ? atoi(argv[1]) : 0};
    stk_device                      *device;
    stk_error                        err;
    if (stk_device_open(&device, "cpu", &options, &err)) return 1;
    for (size_t l = 0; l < sizeof layers / sizeof *layers; l++)
        for (int o = 0; o < 3; o++) {
            measure(device, stk_cpu_kernels_native, ops[o], &layers[l]);
            measure(device, stk_cpu_kernels_onednn, ops[o], &layers[l]);
        }
    stk_device_free(device);
    return 0;
}

/* Convolutions of the CPU backend, forward and both gradients, as programs run them: GFLOP/s of
 * each with oneDNN's name of the implementation, and what the reorders around them take. Arguments:
 * beginnings of layers' names ("resnet18"); OMP_NUM_THREADS says how many threads. Compare with
 * STOKER_CPU_OFF=winograd. */
#include "bench.h"
#include "compute/ops/conv2d.h"
#include "compute/ops/graph_ops.h"
#include <stoker/ops.h>
#include <stoker/program.h>
#include <string.h>

enum { ROUNDS = 7, MOST_STEPS = 64 };

typedef struct layer {
    const char *name;
    int64_t     batch, size, in, out;
    int         kernel, stride, groups;
} layer;

static const layer layers[] = {
    {"resnet18/conv1", 32, 224, 3, 64, 7, 2, 1},
    {"resnet18/3x3-64-56", 32, 56, 64, 64, 3, 1, 1},
    {"resnet18/3x3-64-128-s2", 32, 56, 64, 128, 3, 2, 1},
    {"resnet18/1x1-64-128-s2", 32, 56, 64, 128, 1, 2, 1},
    {"resnet18/3x3-128-28", 32, 28, 128, 128, 3, 1, 1},
    {"resnet18/3x3-256-14", 32, 14, 256, 256, 3, 1, 1},
    {"resnet18/3x3-512-7", 32, 7, 512, 512, 3, 1, 1},
    {"resnet50/1x1-64-256-56", 16, 56, 64, 256, 1, 1, 1},
    {"resnet50/1x1-256-64-56", 16, 56, 256, 64, 1, 1, 1},
    {"resnet50/3x3-128-s2", 16, 56, 128, 128, 3, 2, 1},
    {"resnet50/1x1-1024-256-14", 16, 14, 1024, 256, 1, 1, 1},
    {"resnet50/1x1-512-2048-7", 16, 7, 512, 2048, 1, 1, 1},
    {"mobilenet_v2/conv1", 16, 224, 3, 32, 3, 2, 1},
    {"mobilenet_v2/dw-32-112", 16, 112, 32, 32, 3, 1, 32},
    {"mobilenet_v2/1x1-32-16-112", 16, 112, 32, 16, 1, 1, 1},
    {"mobilenet_v2/1x1-16-96-112", 16, 112, 16, 96, 1, 1, 1},
    {"mobilenet_v2/dw-96-s2", 16, 112, 96, 96, 3, 2, 96},
    {"mobilenet_v2/1x1-24-144-56", 16, 56, 24, 144, 1, 1, 1},
    {"mobilenet_v2/dw-144-56", 16, 56, 144, 144, 3, 1, 144},
    {"mobilenet_v2/1x1-144-24-56", 16, 56, 144, 24, 1, 1, 1},
    {"mobilenet_v2/1x1-160-960-7", 16, 7, 160, 960, 1, 1, 1},
    {"mobilenet_v2/dw-960-7", 16, 7, 960, 960, 3, 1, 960},
    {"lenet/conv1", 128, 28, 1, 32, 5, 1, 1},
    {"lenet/conv2", 128, 14, 32, 64, 5, 1, 1},
    {"lenet5/conv2", 128, 14, 6, 16, 5, 1, 1},
    {"resnet20/conv1", 128, 32, 3, 16, 3, 1, 1},
    {"resnet20/3x3-16-32", 128, 32, 16, 16, 3, 1, 1},
    {"resnet20/3x3-32-16", 128, 16, 32, 32, 3, 1, 1},
    {"resnet20/3x3-64-8", 128, 8, 64, 64, 3, 1, 1},
    {"one/3x3-64-56", 1, 56, 64, 64, 3, 1, 1},
    {"one/3x3-512-7", 1, 7, 512, 512, 3, 1, 1},
};

static void die(const stk_error *err)
{
    fprintf(stderr, "%s: %s: %s\n", err->component, err->where, err->message);
    exit(1);
}

/* y, and the gradients of x and of the weight with y as dy. */
static void build(stk_graph *g, const layer *l)
{
    int              pad = l->kernel / 2;
    stk_conv2d_attrs attrs = {.stride = {l->stride, l->stride},
                              .dilation = {1, 1},
                              .pad = {pad, pad, pad, pad},
                              .groups = l->groups};
    stk_symbol       x =
        stk_graph_input(g, "x", STK_DTYPE_F32, stk_shape_4d(l->batch, l->size, l->size, l->in));
    stk_symbol w = stk_graph_variable(g, "w", STK_DTYPE_F32,
                                      stk_shape_4d(l->out, l->in / l->groups, l->kernel, l->kernel),
                                      &(stk_variable_options){.init = {STK_INIT_NORMAL, 0, 0.1}});
    stk_symbol y = stk_graph_add2(g, &stk_graph_op_conv2d, x, w, &attrs), dw;
    attrs.size[0] = attrs.size[1] = (int)l->size;
    stk_symbol dx = stk_graph_add2(g, &stk_graph_op_conv2d_grad_input, y, w, &attrs);
    attrs.size[0] = attrs.size[1] = l->kernel;
    stk_graph_add(g, &stk_graph_op_conv2d_grad_weight, (stk_symbol[]){x, y}, 2, &attrs, &dw, 1);
    stk_graph_output(g, "dx", dx);
    stk_graph_output(g, "dw", dw);
}

static bench_result result_of(double *seconds)
{
    qsort(seconds, ROUNDS, sizeof *seconds, bench_compare);
    return (bench_result){seconds[ROUNDS / 2], seconds[0], seconds[ROUNDS - 1]};
}

static void report(const layer *l, const stk_program *program, double seconds[][ROUNDS])
{
    double reorders = 0, best = 0, bytes = 0;
    for (size_t s = 0; s < stk_program_instruction_count(program); s++) {
        stk_program_instruction step = stk_program_instruction_at(program, s);
        bench_result            r = result_of(seconds[s]);
        char                    name[96];
        snprintf(name, sizeof name, "conv/%s/%s", l->name, step.operation);
        if (strncmp(step.operation, "conv2d", 6) == 0) {
            printf("%-60s %8.1f GFLOP/s (best %.1f, worst %.1f) %9.3f ms  %s\n", name,
                   step.flops / r.median * 1e-9, step.flops / r.best * 1e-9,
                   step.flops / r.worst * 1e-9, r.median * 1e3, step.detail);
        } else {
            reorders += r.median;
            best += r.best;
            bytes += step.bytes;
        }
    }
    printf("conv/%s/%-*s %8.1f GB/s    (best %.1f) %9.3f ms\n", l->name,
           (int)(54 - strlen(l->name)), "reorders", bytes / reorders * 1e-9, bytes / best * 1e-9,
           reorders * 1e3);
}

static void measure(const layer *l, stk_device *device)
{
    static double  seconds[MOST_STEPS][ROUNDS];
    stk_error      err;
    stk_graph     *g;
    stk_variables *variables;
    stk_program   *program;
    if (stk_graph_new(&g, NULL, &err)) die(&err);
    build(g, l);
    if (stk_variables_new(&variables, device, 1, &err) ||
        stk_program_compile(&program, g, variables, NULL, &err) ||
        stk_program_run(program, NULL, &err))
        die(&err);
    stk_program_time(program, true);
    for (int i = 0; i < ROUNDS; i++) {
        uint64_t before[MOST_STEPS];
        for (size_t s = 0; s < stk_program_instruction_count(program); s++)
            before[s] = stk_program_instruction_at(program, s).nanoseconds;
        if (stk_program_run(program, NULL, &err)) die(&err);
        for (size_t s = 0; s < stk_program_instruction_count(program); s++)
            seconds[s][i] =
                (double)(stk_program_instruction_at(program, s).nanoseconds - before[s]) * 1e-9;
    }
    report(l, program, seconds);
    stk_program_free(program);
    stk_variables_free(variables);
    stk_graph_free(g);
}

static int wanted(const char *name, int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (strncmp(name, argv[i], strlen(argv[i])) == 0) return 1;
    return argc < 2;
}

int main(int argc, char **argv)
{
    stk_error   err;
    stk_device *device;
    const char *threads = getenv("OMP_NUM_THREADS");
    if (stk_device_open(&device, "cpu",
                        &(stk_device_options){.threads = threads ? atoi(threads) : 0}, &err))
        die(&err);
    for (size_t i = 0; i < sizeof layers / sizeof *layers; i++)
        if (wanted(layers[i].name, argc, argv)) measure(&layers[i], device);
    stk_device_free(device);
    return 0;
}

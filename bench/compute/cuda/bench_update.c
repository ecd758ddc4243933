/* The end of a step of training ResNet-50 on a GPU: 161 parameters, 25.6 million elements. Each
 * line is a program that is played as it is in training: microseconds, GB/s of what must be read
 * and written, and the part of what an H200 copies at (4.3 TB/s). */
#include "bench.h"
#include "compute/ops/graph_ops.h"
#include "compute/ops/update_ops.h"
#include "compute/runtime/device.h"
#include <stdio.h>
#include <stdlib.h>
#include <stoker/ops.h>
#include <stoker/program.h>
#include <string.h>

enum { MOST = 200, RUNS = 50, ROUNDS = 7 };

static const double copy_bytes_per_second = 4.3e12;

typedef enum part { NORM = 1, SGD = 2, ADAMW = 4, EMA = 8, LARS = 16, CAST = 32 } part;

typedef struct model {
    stk_shape shape[MOST];
    int       count;
} model;

static void add_conv(model *m, int64_t outs, int64_t ins, int64_t side)
{
    m->shape[m->count++] = stk_shape_4d(outs, ins, side, side);
    m->shape[m->count++] = stk_shape_1d(outs);
    m->shape[m->count++] = stk_shape_1d(outs);
}

static model resnet50(void)
{
    static const int blocks[] = {3, 4, 6, 3};
    model            m = {.count = 0};
    int64_t          ins = 64;
    add_conv(&m, 64, 3, 7);
    for (int s = 0; s < 4; s++)
        for (int b = 0; b < blocks[s]; b++) {
            int64_t width = (int64_t)64 << s;
            add_conv(&m, width, ins, 1);
            add_conv(&m, width, width, 3);
            add_conv(&m, 4 * width, width, 1);
            if (b == 0) add_conv(&m, 4 * width, ins, 1);
            ins = 4 * width;
        }
    m.shape[m.count++] = stk_shape_2d(1000, 2048);
    m.shape[m.count++] = stk_shape_1d(1000);
    return m;
}

static stk_symbol variable(stk_graph *g, const char *what, int i, stk_shape shape)
{
    char name[32];
    snprintf(name, sizeof name, "%s%d", what, i);
    return stk_graph_variable(g, name, STK_DTYPE_F32, shape, NULL);
}

static void add_update(stk_graph *g, unsigned parts, int i, stk_shape shape, stk_symbol gradient,
                       stk_symbol hyper, stk_symbol guard)
{
    const stk_graph_op *op = parts & SGD    ? &stk_graph_op_sgd
                             : parts & LARS ? &stk_graph_op_lars
                                            : &stk_graph_op_adamw;
    stk_optimizer_attrs attrs = {.rate = 1,
                                 .weight_decay = shape.rank > 1 ? 1e-4 : 0,
                                 .beta1 = 0.9,
                                 .beta2 = 0.999,
                                 .epsilon = 1e-8,
                                 .trust = 1e-3,
                                 .adapt = shape.rank > 1};
    stk_symbol          w = variable(g, "w", i, shape), next = w, in[6] = {w, gradient}, out[3];
    int                 slots = op->inputs_min - 4;
    char                name[32];
    if (parts & (SGD | LARS | ADAMW)) {
        for (int s = 0; s < slots; s++)
            in[2 + s] = variable(g, s ? "v" : "m", i, shape);
        in[2 + slots] = hyper, in[3 + slots] = guard;
        stk_graph_add(g, op, in, slots + 4, &attrs, out, slots + 1);
        stk_graph_assign(g, w, next = out[0]);
        for (int s = 0; s < slots; s++)
            stk_graph_assign(g, in[2 + s], out[1 + s]);
    }
    if (parts & EMA) {
        stk_symbol mean = variable(g, "e", i, shape);
        stk_graph_assign(
            g, mean,
            stk_graph_add3(g, &stk_graph_op_ema, mean, next, guard, &(stk_ema_attrs){0.9999}));
    }
    snprintf(name, sizeof name, "half%d", i);
    if (parts & CAST) stk_graph_output(g, name, stk_cast(g, w, STK_DTYPE_F16));
}

static stk_graph *build(const model *m, unsigned parts, stk_dtype dtype)
{
    stk_error  err;
    stk_graph *g;
    stk_symbol gradients[MOST], hyper, guard, out[2];
    char       name[32];
    if (stk_graph_new(&g, NULL, &err)) exit(1);
    for (int i = 0; i < m->count; i++) {
        snprintf(name, sizeof name, "g%d", i);
        gradients[i] = stk_graph_input(g, name, dtype, m->shape[i]);
    }
    hyper = stk_graph_input(g, "hyper", STK_DTYPE_F32, stk_shape_1d(STK_HYPER_COUNT));
    guard = stk_graph_input(g, "guard", STK_DTYPE_F32, stk_shape_1d(STK_GUARD_COUNT));
    g->phase = STK_PHASE_UPDATE;
    if (parts & NORM) {
        stk_symbol state =
            stk_graph_variable(g, "state", STK_DTYPE_F32, stk_shape_1d(STK_STATE_COUNT),
                               &(stk_variable_options){.init = {STK_INIT_FIRST, 1, 0}});
        stk_symbol in[2] = {state};
        stk_graph_add(g, &stk_graph_op_gradient_norm, gradients, m->count, NULL, &in[1], 1);
        stk_graph_add(g, &stk_graph_op_grad_guard, in, 2, &(stk_guard_attrs){.multiply = 1}, out,
                      2);
        stk_graph_assign(g, state, out[1]);
        stk_graph_output(g, "guarded", guard = out[0]);
    }
    for (int i = 0; i < m->count; i++)
        add_update(g, parts, i, m->shape[i], gradients[i], hyper, guard);
    return g;
}

static void check(stk_status st, const stk_error *err)
{
    if (!st) return;
    fprintf(stderr, "bench_update: %s: %s: %s\n", err->component, err->where, err->message);
    exit(1);
}

static void feed(stk_program *program, const model *m, stk_dtype dtype)
{
    static const float hyper[STK_HYPER_COUNT] = {0.1f, 0.9f}, guard[STK_GUARD_COUNT] = {1, 0, 7, 0};
    stk_error          err;
    char               name[32];
    for (int i = 0; i < m->count; i++) {
        stk_tensor_type type = {dtype, m->shape[i]};
        void           *zeros = calloc(1, stk_type_bytes(&type));
        snprintf(name, sizeof name, "g%d", i);
        check(stk_program_feed(program, name, zeros, stk_type_bytes(&type), &err), &err);
        free(zeros);
    }
    check(stk_program_feed(program, "hyper", hyper, sizeof hyper, &err), &err);
    check(stk_program_feed(program, "guard", guard, sizeof guard, &err), &err);
}

typedef struct job {
    stk_device  *device;
    stk_program *program;
} job;

static void run(void *context)
{
    job      *j = context;
    stk_error err;
    for (int i = 0; i < RUNS; i++)
        check(stk_program_run(j->program, NULL, &err), &err);
    check(stk_device_sync(j->device, &err), &err);
}

static void measure(stk_device *device, const char *name, unsigned parts, stk_dtype dtype)
{
    stk_error      err;
    stk_variables *variables;
    job            j = {.device = device};
    model          m = resnet50();
    stk_graph     *g = build(&m, parts, dtype);
    double         bytes = 0;
    check(stk_variables_new(&variables, device, 1, &err), &err);
    check(stk_program_compile(&j.program, g, variables, NULL, &err), &err);
    stk_graph_free(g);
    feed(j.program, &m, dtype);
    for (size_t i = 0; i < stk_program_instruction_count(j.program); i++)
        bytes += stk_program_instruction_at(j.program, i).bytes;
    double seconds = bench_run(run, &j, ROUNDS).median / RUNS;
    printf("%-24s %-8s %8.1f us %8.0f GB/s %6.1f %%\n", name, stk_dtype_name(dtype), seconds * 1e6,
           bytes / seconds / 1e9, 100 * bytes / seconds / copy_bytes_per_second);
    stk_program_free(j.program);
    stk_variables_free(variables);
}

int main(void)
{
    static const struct {
        const char *name;
        unsigned    parts;
    } rows[] = {{"norm, guard", NORM},    {"sgd", SGD}, {"adamw", ADAMW},
                {"lars", LARS},           {"ema", EMA}, {"norm, guard, sgd, ema", NORM | SGD | EMA},
                {"cast of weights", CAST}};
    stk_device *device;
    stk_error   err;
    check(stk_device_open(&device, "cuda", NULL, &err), &err);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        measure(device, rows[i].name, rows[i].parts, STK_DTYPE_F32);
        if (rows[i].parts & ~(unsigned)(EMA | CAST))
            measure(device, rows[i].name, rows[i].parts, STK_DTYPE_F16);
    }
    stk_device_free(device);
    return 0;
}

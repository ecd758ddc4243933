/* Random graphs on the reference backend: buffer reuse must not change a bit, and failing
 * allocations must neither leak nor go unnoticed. */
#include "base/philox.h"
#include "compute/graph/graph_node.h"
#include "harness.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 4, VALUES = 40, VARIABLES = 3, SEEDS = 120 };

/* Square matrices only, so that any op takes any value. Covers views, in-place ops, several
 * readers, and variables read after their next value is computed. */
static stk_symbol grow(stk_graph *g, stk_random *random, const stk_symbol *pool, uint32_t count)
{
    stk_symbol a = pool[stk_random_below(random, count)], b = pool[stk_random_below(random, count)];
    switch (stk_random_below(random, 10)) {
    case 0:
        return stk_add(g, a, b);
    case 1:
        return stk_relu(g, a);
    case 2:
        return stk_tanh(g, a);
    case 3:
        return stk_scale(g, a, 0.5, 0.25);
    case 4:
        return stk_tanh(g, stk_matmul(g, a, b, &(stk_matmul_options){true, false}));
    case 5:
        return stk_transpose(g, a, (int[]){1, 0});
    case 6:
        return stk_reshape(g, stk_reshape(g, a, stk_shape_1d(SIDE * SIDE)),
                           stk_shape_2d(SIDE, SIDE));
    case 7:
        return stk_add(g, a, stk_reduce_sum(g, b, 1u << 0, true));
    case 8:
        return stk_sigmoid(
            g, stk_add(g, stk_matmul(g, a, b, NULL), stk_reduce_mean(g, b, 1u << 1, false)));
    default:
        return stk_scale(g, stk_add(g, a, a), 0.5, 0);
    }
}

static stk_symbol build(stk_graph *g, uint64_t seed, uint32_t values)
{
    stk_random random = stk_random_for(seed, 0, 0, 5);
    stk_shape  square = stk_shape_2d(SIDE, SIDE);
    stk_symbol pool[VALUES + VARIABLES + 1], variables[VARIABLES], grads[VARIABLES];
    uint32_t   count = 0;
    pool[count++] = stk_graph_input(g, "x", STK_DTYPE_F32, square);
    for (int i = 0; i < VARIABLES; i++) {
        char name[16];
        snprintf(name, sizeof name, "v%d", i);
        variables[i] = pool[count++] =
            stk_graph_variable(g, name, STK_DTYPE_F32, square,
                               &(stk_variable_options){.init = {STK_INIT_NORMAL, 0, 0.5}});
    }
    while (count < values + VARIABLES + 1) {
        pool[count] = grow(g, &random, pool, count);
        count++;
    }
    stk_symbol loss = stk_reduce_mean(g, stk_tanh(g, pool[count - 1]), 0, false);
    stk_graph_gradients(g, loss, STK_NO_SYMBOL, variables, VARIABLES, grads);
    g->phase = STK_PHASE_UPDATE;
    for (int i = 0; i < VARIABLES; i++)
        stk_graph_assign(g, variables[i],
                         stk_add(g, variables[i], stk_scale(g, grads[i], -0.1, 0)));
    g->phase = STK_PHASE_FORWARD;
    stk_graph_output(g, "loss", loss);
    stk_graph_output(g, "late", stk_scale(g, stk_add(g, variables[0], pool[count / 2]), 2, 0));
    return loss;
}

typedef struct results {
    float loss[3], late[3][SIDE * SIDE], variables[VARIABLES][SIDE * SIDE];
} results;

static void run(uint64_t seed, unsigned off, results *out)
{
    stk_error      err;
    stk_graph     *g;
    stk_device    *device;
    stk_variables *variables;
    stk_program   *program;
    float          x[SIDE * SIDE];
    memset(out, 0, sizeof *out);
    EXPECT_OK(stk_graph_new(&g, NULL, &err));
    (void)build(g, seed, VALUES);
    EXPECT_OK(stk_graph_verify(g, &err));
    EXPECT_OK(stk_device_open(&device, "ref", NULL, &err));
    EXPECT_OK(stk_variables_new(&variables, device, 1, &err));
    EXPECT_OK(stk_program_compile(&program, g, variables, &(stk_program_options){.passes_off = off},
                                  &err));
    stk_graph_free(g);
    for (int i = 0; i < SIDE * SIDE; i++)
        x[i] = sinf((float)(i + 1) * 1.3f);
    EXPECT_OK(stk_program_feed(program, "x", x, sizeof x, &err));
    for (int step = 0; step < 3; step++) {
        EXPECT_OK(stk_program_run(program, NULL, &err));
        EXPECT_OK(stk_program_fetch(program, "loss", &out->loss[step], sizeof(float), &err));
        EXPECT_OK(
            stk_program_fetch(program, "late", out->late[step], sizeof out->late[step], &err));
    }
    for (size_t i = 0; i < VARIABLES; i++) {
        char name[16];
        snprintf(name, sizeof name, "v%zu", i);
        EXPECT_OK(stk_variables_read(variables, stk_variables_find(variables, name),
                                     out->variables[i], sizeof out->variables[i], &err));
    }
    stk_program_free(program);
    stk_variables_free(variables);
    stk_device_free(device);
}

STK_TEST(sharing_memory_changes_no_bit)
{
    static results with, without;
    for (uint64_t seed = 0; seed < SEEDS; seed++)
        for (int passes = 0; passes < 2; passes++) {
            unsigned off = passes ? 0 : STK_GRAPH_PASS_ALL & ~(unsigned)STK_GRAPH_PASS_REUSE;
            run(seed, off, &with);
            run(seed, off | STK_GRAPH_PASS_REUSE, &without);
            if (memcmp(&with, &without, sizeof with) != 0)
                fail_msg("graph %llu with passes off 0x%x differs when memory is shared",
                         (unsigned long long)seed, off);
        }
}

STK_TEST(passes_change_results_by_rounding_only)
{
    static results with, without;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        run(seed, 0, &with);
        run(seed, STK_GRAPH_PASS_ALL, &without);
        const float *a = with.loss, *b = without.loss;
        for (size_t i = 0; i < sizeof with / sizeof *a; i++)
            if (!(fabsf(a[i] - b[i]) <= 2e-5f * (1 + fabsf(b[i]))))
                fail_msg("graph %llu: element %zu is %g, without passes %g",
                         (unsigned long long)seed, i, (double)a[i], (double)b[i]);
    }
}

static stk_status compile_with(stk_graph *g, stk_error *err)
{
    stk_device    *device;
    stk_variables *variables = NULL;
    stk_program   *program = NULL;
    stk_blob       text;
    stk_blob_init(&text, NULL, STK_MEMORY_INDEX);
    STK_TRY(stk_device_open(&device, "ref", NULL, err));
    stk_status st = stk_variables_new(&variables, device, 1, err);
    if (!st)
        st = stk_program_compile(&program, g, variables, &(stk_program_options){.explain = &text},
                                 err);
    if (!st) st = stk_program_run(program, NULL, err);
    stk_program_free(program);
    stk_variables_free(variables);
    stk_device_free(device);
    stk_blob_release(&text);
    return st;
}

static stk_status build_and_compile(void *context, stk_error *err)
{
    stk_graph *g;
    (void)context;
    STK_TRY(stk_graph_new(&g, NULL, err));
    (void)build(g, 7, 8);
    stk_status st = stk_graph_check(g, err);
    if (!st) st = compile_with(g, err);
    stk_graph_free(g);
    return st;
}

STK_TEST(every_allocation_of_building_passes_and_compiling_may_fail)
{
    stk_test_fail_each_allocation(build_and_compile, NULL);
}

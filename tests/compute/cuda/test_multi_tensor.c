/* Casts are deferred and launched together. The deferred items of a run depend on each other in all
 * ways: through results, and through reused memory. */
#include "compute/cuda/cuda_support.h"
#include "compute/ops/graph_ops.h"
#include "compute/ops/shapes.h"
#include <stdio.h>
#include <stoker/ops.h>
#include <stoker/program.h>

enum { CHAINS = 40, COUNT = 300 };

static void fill(float *x, int seed)
{
    for (int i = 0; i < COUNT; i++)
        x[i] = (float)((i * 7 + seed * 13) % 256) / 4;
}

/* Each chain passes through 16 bits and back twice; multiples of 1/4 below 64 fit float16. */
static stk_symbol chain(stk_graph *g, int index)
{
    char name[16];
    snprintf(name, sizeof name, "x%d", index);
    stk_symbol x = stk_graph_input(g, name, STK_DTYPE_F32, stk_shape_1d(COUNT));
    stk_symbol half = stk_cast(g, x, STK_DTYPE_F16);
    stk_symbol whole = stk_cast(g, stk_cast(g, half, STK_DTYPE_I32), STK_DTYPE_BF16);
    return stk_cast(g, whole, STK_DTYPE_F32);
}

STK_TEST(casts_that_depend_on_each_other_come_in_order)
{
    stk_graph     *g;
    stk_variables *variables;
    stk_program   *program;
    stk_error      err;
    float          x[COUNT], y[COUNT];
    char           name[16];
    EXPECT_OK(stk_graph_new(&g, NULL, &err));
    for (int i = 0; i < CHAINS; i++) {
        snprintf(name, sizeof name, "y%d", i);
        stk_graph_output(g, name, chain(g, i));
    }
    EXPECT_OK(stk_variables_new(&variables, cuda_device(), 1, &err));
    EXPECT_OK(stk_program_compile(&program, g, variables, NULL, &err));
    for (int i = 0; i < CHAINS; i++) {
        snprintf(name, sizeof name, "x%d", i);
        fill(x, i);
        EXPECT_OK(stk_program_feed(program, name, x, sizeof x, &err));
    }
    for (int run = 0; run < 3; run++)
        EXPECT_OK(stk_program_run(program, NULL, &err));
    for (int i = 0; i < CHAINS; i++) {
        snprintf(name, sizeof name, "y%d", i);
        fill(x, i);
        EXPECT_OK(stk_program_fetch(program, name, y, sizeof y, &err));
        for (int k = 0; k < COUNT; k++)
            EXPECT(y[k] == (float)(int)x[k]);
    }
    stk_program_free(program);
    stk_variables_free(variables);
    stk_graph_free(g);
}

/* More than the capacity. */
STK_TEST(a_long_list_is_begun_in_pieces)
{
    enum { MANY = 1500, SIZE = 64 };
    stk_device       *device = cuda_device();
    stk_error         err;
    stk_tensor_type   in = {STK_DTYPE_F32, VECTOR(SIZE)}, out = {STK_DTYPE_BF16, VECTOR(SIZE)};
    stk_cast_attrs    attrs = {STK_DTYPE_BF16};
    stk_op_instance   instance = {"many", &attrs, 1, 1, &in, &out};
    const stk_kernel *kernel = device->backend->kernel(device, &stk_graph_op_cast, &instance);
    stk_format        plain[1] = {STK_FORMAT_PLAIN};
    float             ones[SIZE];
    uint16_t          found[MANY * SIZE];
    uint8_t          *to = device->backend->alloc(device, sizeof found);
    void             *from = device->backend->alloc(device, sizeof ones);
    for (int i = 0; i < SIZE; i++)
        ones[i] = 1;
    device->backend->upload(device, from, ones, sizeof ones);
    EXPECT(kernel->deferred);
    for (int i = 0; i < MANY; i++) {
        const void     *ins[1] = {from};
        void           *outs[1] = {to + (size_t)i * SIZE * 2};
        stk_kernel_call call = {device, &stk_graph_op_cast, instance, plain, plain, ins, outs, 0,
                                0};
        EXPECT_OK(kernel->run(&call, &err));
    }
    EXPECT_OK(device->backend->flush(device, &err));
    device->backend->download(device, found, to, sizeof found);
    for (int i = 0; i < MANY * SIZE; i++)
        EXPECT_INT_EQ(0x3f80, found[i]);
    device->backend->free(device, to, sizeof found);
    device->backend->free(device, from, sizeof ones);
}

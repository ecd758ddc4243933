/* bfloat16 convolutions and GEMMs on the CPU backend. */
#include "compute/ops/op_support.h"
#include "tensor/half.h"
#include <math.h>
#include <stdlib.h>

enum { CAPACITY = 1 << 14 };

typedef struct layer {
    stk_shape x, w;
    bool      dense;
} layer;

static size_t elements(stk_shape shape)
{
    size_t count = 1;
    for (int i = 0; i < shape.rank; i++)
        count *= (size_t)shape.dim[i];
    return count;
}

static void feed(stk_program *program, const char *name, size_t count, float start)
{
    static uint16_t data[CAPACITY];
    stk_error       err;
    for (size_t i = 0; i < count; i++)
        data[i] = stk_bf16_from_float(sinf(start + (float)i));
    EXPECT_OK(stk_program_feed(program, name, data, count * sizeof *data, &err));
}

static size_t compute(const layer *l, const char *backend, float *out)
{
    stk_error       err;
    stk_graph      *g;
    stk_device     *device;
    stk_variables  *variables;
    stk_program    *program;
    static uint16_t result[CAPACITY];
    EXPECT_OK(stk_graph_new(&g, NULL, &err));
    stk_symbol x = stk_graph_input(g, "x", STK_DTYPE_BF16, l->x);
    stk_symbol w = stk_graph_input(g, "w", STK_DTYPE_BF16, l->w);
    stk_symbol y =
        l->dense ? stk_dense(g, x, w, STK_NO_SYMBOL) : stk_conv2d(g, x, w, STK_NO_SYMBOL, NULL);
    size_t count = elements(stk_symbol_shape(g, y));
    stk_graph_output(g, "y", y);
    EXPECT_OK(stk_device_open(&device, backend, NULL, &err));
    EXPECT_OK(stk_variables_new(&variables, device, 1, &err));
    EXPECT_OK(stk_program_compile(&program, g, variables, NULL, &err));
    feed(program, "x", elements(l->x), 0);
    feed(program, "w", elements(l->w), 1);
    EXPECT_OK(stk_program_run(program, NULL, &err));
    EXPECT_OK(stk_program_fetch(program, "y", result, count * sizeof *result, &err));
    stk_floats_from_half(STK_DTYPE_BF16, result, out, (int64_t)count);
    stk_program_free(program);
    stk_variables_free(variables);
    stk_device_free(device);
    stk_graph_free(g);
    return count;
}

STK_TEST(layers_in_bfloat16_are_those_of_the_reference_but_for_rounding)
{
    const layer layers[] = {
        {stk_shape_4d(2, 7, 6, 3), stk_shape_4d(17, 3, 3, 3), false},
        {stk_shape_4d(2, 5, 6, 32), stk_shape_4d(33, 32, 3, 3), false},
        {stk_shape_4d(2, 5, 6, 24), stk_shape_4d(16, 24, 1, 1), false},
        {stk_shape_2d(5, 129), stk_shape_2d(10, 129), true},
    };
    static float expected[CAPACITY], found[CAPACITY];
    for (size_t i = 0; i < COUNT_OF(layers); i++) {
        float  most = 0;
        size_t count = compute(&layers[i], "ref", expected);
        EXPECT_INT_EQ(count, compute(&layers[i], "cpu", found));
        for (size_t j = 0; j < count; j++)
            most = fmaxf(most, fabsf(expected[j]));
        for (size_t j = 0; j < count; j++)
            EXPECT(fabsf(expected[j] - found[j]) <= 1e-2f * most);
    }
}

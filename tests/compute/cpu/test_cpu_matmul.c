/* GEMMs and gradients of the CPU backend equal the reference. */
#include "compute/ops/op_support.h"
#include <math.h>
#include <string.h>

typedef struct kind {
    bool ta, tb;
} kind;

static int build(stk_graph *g, const stk_symbol *in, stk_symbol *out, const void *context)
{
    const kind *k = context;
    out[0] = stk_matmul(g, in[0], in[1], &(stk_matmul_options){k->ta, k->tb});
    return 1;
}

static int build_dense(stk_graph *g, const stk_symbol *in, stk_symbol *out, const void *context)
{
    (void)context;
    out[0] = stk_dense(g, in[0], in[1], in[2]);
    return 1;
}

static stk_shape matrix(int64_t batch, int64_t rows, int64_t columns, bool transposed)
{
    int64_t r = transposed ? columns : rows, c = transposed ? rows : columns;
    return batch ? stk_shape_3d(batch, r, c) : stk_shape_2d(r, c);
}

static void expect_product(int64_t batch, int64_t m, int64_t k, int64_t n, unsigned off)
{
    static const kind kinds[] = {{false, false}, {true, false}, {false, true}, {true, true}};
    for (size_t i = 0; i < COUNT_OF(kinds); i++)
        EXPECT_LIKE_REF((&(op_case){.build = build,
                                    .context = &kinds[i],
                                    .inputs = 2,
                                    .in = {{.shape = matrix(batch, m, k, kinds[i].ta)},
                                           {.shape = matrix(batch, k, n, kinds[i].tb)}},
                                    .passes_off = off}),
                        "cpu", 1e-4);
}

STK_TEST(products_of_odd_sizes_are_those_of_the_reference)
{
    static const int64_t sizes[] = {1, 3, 16, 17, 129};
    for (size_t i = 0; i < COUNT_OF(sizes); i++)
        for (size_t j = 0; j < COUNT_OF(sizes); j++) {
            expect_product(0, sizes[i], sizes[j], 17, 0);
            expect_product(0, 5, sizes[i], sizes[j], STK_GRAPH_PASS_ALL);
        }
}

STK_TEST(batches_of_products_are_those_of_the_reference)
{
    static const int64_t sizes[] = {1, 3, 17};
    for (size_t i = 0; i < COUNT_OF(sizes); i++)
        for (size_t j = 0; j < COUNT_OF(sizes); j++) {
            expect_product(2, sizes[i], sizes[j], 16, 0);
            expect_product(6, 4, sizes[i], sizes[j], STK_GRAPH_PASS_ALL);
        }
}

STK_TEST(dense_layers_are_those_of_the_reference)
{
    static const unsigned off[] = {0, STK_GRAPH_PASS_ALL};
    for (int i = 0; i < 2; i++) {
        EXPECT_LIKE_REF((&(op_case){.build = build_dense,
                                    .inputs = 3,
                                    .in = {{.shape = stk_shape_2d(5, 129)},
                                           {.shape = stk_shape_2d(10, 129)},
                                           {.shape = stk_shape_1d(10)}},
                                    .passes_off = off[i]}),
                        "cpu", 1e-4);
        EXPECT_LIKE_REF((&(op_case){.build = build_dense,
                                    .inputs = 3,
                                    .in = {{.shape = stk_shape_3d(3, 7, 24)},
                                           {.shape = stk_shape_2d(70, 24)},
                                           {.shape = stk_shape_1d(70)}},
                                    .passes_off = off[i]}),
                        "cpu", 1e-4);
    }
}

enum { ROWS = 9, IN = 37, OUT = 70, STEPS = 4 };

/* w -= 0.002 d(sum of squares)/dw: updates pass through the weights' opaque format. False if the
 * backend refuses the precision. */
static bool train(const char *backend, stk_dtype precision, float *weights)
{
    stk_error      err;
    stk_graph     *g;
    stk_device    *device;
    stk_variables *variables;
    stk_program   *program;
    stk_symbol     grads[2];
    float          x[ROWS * IN];
    EXPECT_OK(stk_graph_new(&g, NULL, &err));
    stk_variable_options normal = {.init = {STK_INIT_NORMAL, 0, 0.3}};
    stk_symbol           in = stk_graph_input(g, "x", STK_DTYPE_F32, stk_shape_2d(ROWS, IN));
    stk_symbol w = stk_graph_variable(g, "w", STK_DTYPE_F32, stk_shape_2d(OUT, IN), &normal);
    stk_symbol v = stk_graph_variable(g, "v", STK_DTYPE_F32, stk_shape_2d(3, OUT), &normal);
    stk_symbol y = stk_dense(g, stk_relu(g, stk_dense(g, in, w, STK_NO_SYMBOL)), v, STK_NO_SYMBOL);
    stk_symbol square = stk_matmul(g, y, y, &(stk_matmul_options){.transpose_a = true});
    stk_symbol loss = stk_reduce_mean(g, square, 0, false);
    stk_graph_gradients(g, loss, STK_NO_SYMBOL, (stk_symbol[]){w, v}, 2, grads);
    stk_graph_assign(g, w, stk_add(g, w, stk_scale(g, grads[0], -0.002, 0)));
    stk_graph_assign(g, v, stk_add(g, v, stk_scale(g, grads[1], -0.002, 0)));
    EXPECT_OK(stk_device_open(&device, backend, NULL, &err));
    EXPECT_OK(stk_variables_new(&variables, device, 7, &err));
    const stk_program_options options = {.precision = precision};
    const stk_status          st = stk_program_compile(&program, g, variables, &options, &err);
    EXPECT(st == STK_OK || st == STK_E_UNSUPPORTED);
    for (int i = 0; i < ROWS * IN; i++)
        x[i] = sinf((float)i);
    if (!st) EXPECT_OK(stk_program_feed(program, "x", x, sizeof x, &err));
    for (int i = 0; i < STEPS && !st; i++)
        EXPECT_OK(stk_program_run(program, NULL, &err));
    if (!st)
        EXPECT_OK(stk_variables_read(variables, stk_variables_find(variables, "w"), weights,
                                     OUT * IN * sizeof *weights, &err));
    stk_program_free(program);
    stk_variables_free(variables);
    stk_device_free(device);
    stk_graph_free(g);
    return st == STK_OK;
}

STK_TEST(weights_that_lie_in_blocks_learn_the_same)
{
    static float expected[OUT * IN], found[OUT * IN];
    EXPECT(train("ref", STK_DTYPE_F32, expected));
    EXPECT(train("cpu", STK_DTYPE_F32, found));
    for (int i = 0; i < OUT * IN; i++)
        EXPECT(fabsf(expected[i] - found[i]) < 1e-4f);
}

/* The variable is float32, the GEMM's blocks are bfloat16. */
STK_TEST(weights_that_are_cast_to_bfloat16_learn_the_same_but_for_rounding)
{
    static float expected[OUT * IN], found[OUT * IN];
    EXPECT(train("ref", STK_DTYPE_F32, expected));
    if (!train("cpu", STK_DTYPE_BF16, found)) return;
    for (int i = 0; i < OUT * IN; i++)
        EXPECT(fabsf(expected[i] - found[i]) < 1e-2f);
}

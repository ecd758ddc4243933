/* Graphs: their text, the verifier, rewrites. */
#include "compute/graph/rewrite.h"
#include "compute/ops/graph_ops.h"
#include "harness.h"
#include <stdlib.h>
#include <string.h>

static stk_graph *new_graph(void)
{
    stk_error  err;
    stk_graph *g;
    EXPECT_OK(stk_graph_new(&g, NULL, &err));
    return g;
}

static void expect_text(const stk_graph *g, const char *expected)
{
    stk_error err;
    stk_blob  text;
    stk_blob_init(&text, NULL, STK_MEMORY_INDEX);
    EXPECT_OK(stk_graph_dump(g, &text, &err));
    EXPECT_OK(stk_blob_append(&text, "", 1, &err));
    EXPECT_STR_EQ(expected, (const char *)text.data);
    stk_blob_release(&text);
}

STK_TEST(a_graph_is_printed_one_operation_a_line)
{
    stk_graph  *g = new_graph();
    const float two = 2;
    stk_symbol  x = stk_graph_input(g, "x", STK_DTYPE_F32, stk_shape_2d(8, 3));
    stk_symbol  c = stk_graph_constant(g, "two", STK_DTYPE_F32, stk_shape_scalar(), &two);
    stk_graph_push_scope(g, "layer1");
    stk_graph_push_scope(g, "fc");
    stk_symbol w = stk_graph_variable(g, "weight", STK_DTYPE_F32, stk_shape_2d(5, 3), NULL);
    stk_symbol y = stk_dense(g, x, w, STK_NO_SYMBOL);
    stk_graph_pop_scope(g);
    y = stk_relu6(g, y);
    stk_graph_pop_scope(g);
    stk_graph_assign(g, w, stk_scale(g, w, 0.5, 0));
    stk_graph_output(g, "y", stk_add(g, y, c));
    expect_text(g, "%1 = input \"x\" : float32[8,3]\n"
                   "%2 = constant \"two\" : float32[]\n"
                   "%3 = variable \"layer1.fc.weight\" : float32[5,3]\n"
                   "%4 = matmul(%1, %3) tb : float32[8,5]  # layer1.fc\n"
                   "%5 = clip(%4) a=0 b=6 : float32[8,5]  # layer1\n"
                   "%6 = scale(%3) scale=0.5 shift=0 : float32[5,3]\n"
                   "%7 = add(%5, %2) : float32[8,5]\n"
                   "assign \"layer1.fc.weight\" = %6\n"
                   "output \"y\" = %7\n");
    stk_graph_free(g);
}

static stk_graph *named_product(stk_symbol *y)
{
    stk_graph *g = new_graph();
    stk_symbol x = stk_graph_input(g, "x", STK_DTYPE_F32, stk_shape_2d(8, 3));
    stk_symbol w = stk_graph_input(g, "w", STK_DTYPE_F32, stk_shape_2d(3, 5));
    stk_graph_push_scope(g, "head");
    *y = stk_matmul(g, x, w, NULL);
    stk_graph_pop_scope(g);
    return g;
}

STK_TEST(the_verifier_names_the_node_and_both_shapes)
{
    stk_error  err;
    stk_symbol y;
    stk_graph *g = named_product(&y);
    EXPECT_OK(stk_graph_verify(g, &err));
    g->symbols[y.id].type.shape = stk_shape_2d(8, 6); /* a wrong shape, as from a faulty pass */
    EXPECT_STATUS(STK_E_SHAPE, stk_graph_verify(g, &err));
    EXPECT_STR_EQ("matmul", err.component);
    EXPECT_STR_EQ("head", err.where);
    EXPECT_CONTAINS("float32[8,6]", err.message);
    EXPECT_CONTAINS("float32[8,5]", err.message);
    stk_graph_free(g);
}

STK_TEST(the_verifier_finds_a_node_that_reads_what_is_made_later)
{
    stk_error  err;
    stk_symbol y;
    stk_graph *g = named_product(&y);
    (void)stk_relu(g, y);
    stk_graph_node first = g->nodes[0];
    g->nodes[0] = g->nodes[1];
    g->nodes[1] = first;
    g->symbols[g->nodes[0].out[0].id].node = 0;
    g->symbols[y.id].node = 1;
    EXPECT_STATUS(STK_E_INVALID, stk_graph_verify(g, &err));
    EXPECT_STR_EQ("relu", err.component);
    EXPECT_CONTAINS("which node 1 makes later", err.message);
    stk_graph_free(g);
}

STK_TEST(a_variable_takes_only_its_own_shape)
{
    stk_error  err;
    stk_graph *g = new_graph();
    stk_symbol v = stk_graph_variable(g, "v", STK_DTYPE_F32, stk_shape_1d(3), NULL);
    stk_symbol x = stk_graph_input(g, "x", STK_DTYPE_F32, stk_shape_1d(4));
    stk_symbol y = stk_relu(g, x);
    g->symbols[v.id].assigned = y;
    EXPECT_STATUS(STK_E_SHAPE, stk_graph_verify(g, &err));
    EXPECT_STR_EQ("v", err.where);
    EXPECT_CONTAINS("[3]", err.message);
    EXPECT_CONTAINS("[4]", err.message);
    stk_graph_free(g);
}

STK_TEST(a_rewrite_drops_what_nobody_needs)
{
    stk_error   err;
    stk_graph  *g = new_graph(), *out;
    stk_rewrite r;
    stk_symbol  x = stk_graph_input(g, "x", STK_DTYPE_F32, stk_shape_1d(3));
    stk_symbol  a = stk_relu(g, x), b = stk_tanh(g, a);
    (void)stk_sigmoid(g, b);
    stk_graph_output(g, "a", a);
    EXPECT_OK(stk_rewrite_begin(&r, g, &err));
    for (uint32_t n = 0; n < g->node_count; n++)
        stk_rewrite_copy(&r, &g->nodes[n]);
    EXPECT_OK(stk_rewrite_finish(&r, &out, &err));
    expect_text(out, "%1 = input \"x\" : float32[3]\n"
                     "%2 = relu(%1) : float32[3]\n"
                     "output \"a\" = %2\n");
    EXPECT_INT_EQ(1, out->node_count);
    stk_graph_free(out);
    stk_graph_free(g);
}

STK_TEST(the_first_error_of_building_stays)
{
    stk_error  err;
    stk_graph *g = new_graph();
    stk_symbol x = stk_graph_input(g, "x", STK_DTYPE_F32, stk_shape_2d(2, 3));
    stk_graph_push_scope(g, "bad");
    stk_symbol y = stk_matmul(g, x, x, NULL);
    EXPECT(stk_symbol_is_none(y));
    EXPECT(stk_symbol_is_none(stk_relu(g, y)));
    stk_graph_pop_scope(g);
    EXPECT_STATUS(STK_E_SHAPE, stk_graph_check(g, &err));
    EXPECT_STR_EQ("matmul", err.component);
    EXPECT_STR_EQ("bad", err.where);
    EXPECT_STATUS(STK_E_SHAPE, stk_graph_verify(g, &err));
    stk_graph_free(g);
}

/* simplify: fewer nodes, equal results. */
#include "compute/passes/pass_support.h"

static stk_graph *new_graph(stk_layout layout)
{
    stk_error  err;
    stk_graph *g;
    EXPECT_OK(stk_graph_new(&g, &(stk_graph_options){.layout = layout}, &err));
    return g;
}

STK_TEST(what_changes_nothing_is_taken_out)
{
    stk_graph *g = new_graph(STK_LAYOUT_NHWC);
    stk_symbol x = stk_graph_input(g, "x", STK_DTYPE_F32, stk_shape_3d(2, 3, 4)), y;
    y = stk_scale(g, x, 1, 0);
    y = stk_transpose(g, stk_transpose(g, y, (int[]){2, 0, 1}), (int[]){1, 2, 0});
    y = stk_reshape(g, stk_reshape(g, y, stk_shape_2d(6, 4)), stk_shape_3d(2, 3, 4));
    y = stk_add(g, y, stk_fill(g, STK_DTYPE_F32, stk_shape_scalar(), 0));
    y = stk_reduce_sum(g, stk_reshape(g, y, stk_shape_4d(2, 3, 1, 4)), 1u << 2, false);
    y = stk_scale(g, stk_scale(g, y, 2, 1), 3, -4);
    stk_graph_output(g, "y", y);
    EXPECT_TEXT_AFTER("%1 = input \"x\" : float32[2,3,4]\n"
                      "%2 = scale(%1) scale=6 shift=-1 : float32[2,3,4]\n"
                      "output \"y\" = %2\n",
                      g, stk_pass_simplify);
}

STK_TEST(equal_nodes_are_one_and_dead_ones_none)
{
    stk_graph *g = new_graph(STK_LAYOUT_NHWC);
    stk_symbol x = stk_graph_input(g, "x", STK_DTYPE_F32, stk_shape_2d(2, 2));
    (void)stk_tanh(g, x);
    stk_symbol a = stk_relu(g, stk_scale(g, x, 2, 0)), b = stk_relu(g, stk_scale(g, x, 2, 0));
    stk_graph_output(g, "y", stk_add(g, a, b));
    EXPECT_TEXT_AFTER("%1 = input \"x\" : float32[2,2]\n"
                      "%2 = scale(%1) scale=2 shift=0 : float32[2,2]\n"
                      "%3 = relu(%2) : float32[2,2]\n"
                      "%4 = add(%3, %3) : float32[2,2]\n"
                      "output \"y\" = %4\n",
                      g, stk_pass_simplify);
}

STK_TEST(a_variable_never_stands_for_its_copy)
{
    stk_graph *g = new_graph(STK_LAYOUT_NHWC);
    stk_symbol v = stk_graph_variable(g, "v", STK_DTYPE_F32, stk_shape_1d(3), NULL);
    stk_symbol w = stk_graph_variable(g, "w", STK_DTYPE_F32, stk_shape_1d(3), NULL);
    stk_graph_assign(g, w, stk_scale(g, v, 1, 0));
    stk_graph_assign(g, v, stk_scale(g, v, 2, 0));
    stk_graph_output(g, "before", stk_scale(g, stk_scale(g, v, 1, 0), 1, 0));
    EXPECT_TEXT_AFTER("%1 = variable \"v\" : float32[3]\n"
                      "%2 = variable \"w\" : float32[3]\n"
                      "%3 = scale(%1) scale=1 shift=0 : float32[3]\n"
                      "%4 = scale(%1) scale=2 shift=0 : float32[3]\n"
                      "assign \"v\" = %4\n"
                      "assign \"w\" = %3\n"
                      "output \"before\" = %3\n",
                      g, stk_pass_simplify);
}

STK_TEST(transposes_move_through_arithmetic_until_they_meet)
{
    stk_graph *g = new_graph(STK_LAYOUT_NCHW);
    const int  to_nchw[] = {0, 3, 1, 2}, to_nhwc[] = {0, 2, 3, 1};
    stk_symbol a = stk_graph_input(g, "a", STK_DTYPE_F32, stk_shape_4d(2, 5, 6, 3));
    stk_symbol b = stk_graph_input(g, "b", STK_DTYPE_F32, stk_shape_4d(2, 5, 6, 3));
    stk_symbol c = stk_graph_input(g, "c", STK_DTYPE_F32, stk_shape_3d(3, 1, 1));
    stk_symbol left = stk_relu(g, stk_transpose(g, a, to_nchw));
    stk_symbol right = stk_add(g, stk_transpose(g, b, to_nchw), c);
    stk_symbol y = stk_add(g, left, right);
    stk_graph_output(g, "y", stk_transpose(g, y, to_nhwc));
    stk_graph_output(g, "mean", stk_reduce_mean(g, y, 1u << 2 | 1u << 3, false));
    EXPECT_TEXT_AFTER("%1 = input \"a\" : float32[2,5,6,3]\n"
                      "%2 = input \"b\" : float32[2,5,6,3]\n"
                      "%3 = input \"c\" : float32[3,1,1]\n"
                      "%4 = relu(%1) : float32[2,5,6,3]\n"
                      "%5 = reshape(%3) : float32[1,1,1,3]\n"
                      "%6 = add(%2, %5) : float32[2,5,6,3]\n"
                      "%7 = add(%4, %6) : float32[2,5,6,3]\n"
                      "%8 = reduce_mean(%7) axes=1,2 : float32[2,3]\n"
                      "output \"y\" = %7\n"
                      "output \"mean\" = %8\n",
                      g, stk_pass_simplify);
}

static int build_shuffled(stk_graph *g, const stk_symbol *in, stk_symbol *out, const void *context)
{
    const int order[] = {2, 0, 1}, other[] = {1, 2, 0};
    (void)context;
    stk_symbol t = stk_transpose(g, in[0], order); /* [4,2,3] */
    out[0] = stk_sigmoid(g, stk_add(g, t, in[1]));
    out[1] = stk_reduce_sum(g, stk_add(g, t, stk_transpose(g, in[0], order)), 1u << 0, false);
    out[2] = stk_reduce_mean(g, stk_transpose(g, out[0], other), 1u << 1, true);
    out[3] = stk_scale(g, stk_scale(g, stk_broadcast(g, in[2], stk_shape_3d(4, 2, 3)), 2, 1), 3, 2);
    out[4] = stk_relu(g, stk_transpose(g, stk_add(g, t, out[3]), other));
    return 5;
}

STK_TEST(results_and_gradients_are_those_of_the_graph_as_it_was)
{
    op_case c = {.build = build_shuffled,
                 .inputs = 3,
                 .in = {{.shape = stk_shape_3d(2, 3, 4)},
                        {.shape = stk_shape_2d(2, 3)},
                        {.shape = stk_shape_3d(1, 2, 1)}}};
    expect_same_without(&c, STK_GRAPH_PASS_ALL, 1e-6);
    expect_same_without(&c, STK_GRAPH_PASS_SIMPLIFY, 1e-6);
    EXPECT_GRADIENTS(&c, 1e-2);
}

static int build_boxes(stk_graph *g, const stk_symbol *in, stk_symbol *out, const void *context)
{
    const int     order[] = {2, 0, 1};
    const int64_t start[] = {1, 0, 1}, size[] = {2, 2, 3}, before[] = {1, 0, 2},
                  after[] = {0, 3, 1};
    (void)context;
    stk_symbol a = stk_transpose(g, in[0], order), b = stk_transpose(g, in[1], order); /* [5,2,3] */
    out[0] = stk_concat(g, (stk_symbol[]){a, b}, 2, 1);
    out[1] = stk_slice(g, stk_mul(g, a, b), start, (int64_t[]){2, 2, 2});
    out[2] = stk_pad(g, stk_sub(g, a, in[2]), before, after, 0.5);
    out[3] = stk_slice(g, stk_concat(g, (stk_symbol[]){a, in[2], b}, 3, 2), start, size);
    return 4;
}

STK_TEST(transposes_move_through_boxes)
{
    op_case c = {.build = build_boxes,
                 .inputs = 3,
                 .in = {{.shape = stk_shape_3d(2, 3, 5)},
                        {.shape = stk_shape_3d(2, 3, 5)},
                        {.shape = stk_shape_3d(5, 2, 3)}}};
    expect_same_without(&c, STK_GRAPH_PASS_SIMPLIFY, 1e-6);
    EXPECT_GRADIENTS(&c, 1e-2);
}

static int build_dropped(stk_graph *g, const stk_symbol *in, stk_symbol *out, const void *context)
{
    const int order[] = {0, 2, 1}, other[] = {1, 0, 2};
    for (int i = 0; i < 4; i++)
        out[i] = stk_dropout(g, stk_transpose(g, in[0], i / 2 ? other : order), in[1],
                             &(stk_dropout_options){.rate = 0.5, .rows = i % 2});
    (void)context;
    return 4;
}

STK_TEST(what_is_dropped_stays_the_same)
{
    op_case c = {.build = build_dropped,
                 .inputs = 2,
                 .in = {{.shape = stk_shape_3d(6, 5, 3)},
                        {.dtype = STK_DTYPE_I64, .shape = stk_shape_scalar(), .high = 9}}};
    expect_same_without(&c, STK_GRAPH_PASS_SIMPLIFY, 0);
}

STK_TEST(a_concatenation_takes_the_transposes_of_its_parts)
{
    stk_graph *g = new_graph(STK_LAYOUT_NHWC);
    const int  there[] = {0, 2, 1};
    stk_symbol a = stk_graph_input(g, "a", STK_DTYPE_F32, stk_shape_3d(2, 3, 4));
    stk_symbol b = stk_graph_input(g, "b", STK_DTYPE_F32, stk_shape_3d(2, 3, 5));
    stk_symbol parts[] = {stk_transpose(g, a, there), stk_transpose(g, b, there)};
    stk_symbol y = stk_concat(g, parts, 2, 1);
    y = stk_slice(g, y, (int64_t[]){0, 2, 1}, (int64_t[]){2, 6, 2});
    y = stk_pad(g, y, (int64_t[]){0, 1, 0}, (int64_t[]){0, 0, 2}, 0);
    stk_graph_output(g, "y", stk_transpose(g, y, there));
    char *text = text_after(g, stk_pass_simplify);
    EXPECT(!strstr(text, "transpose"));
    EXPECT_CONTAINS("concat(%1, %2)", text);
    EXPECT_CONTAINS(" : float32[2,4,7]\n", text);
    free(text);
}

STK_TEST(a_cast_there_and_back_is_nothing_and_repeating_comes_after_it)
{
    stk_graph *g = new_graph(STK_LAYOUT_NHWC);
    stk_symbol x = stk_graph_input(g, "x", STK_DTYPE_BF16, stk_shape_2d(2, 1));
    stk_symbol w = stk_graph_input(g, "w", STK_DTYPE_F32, stk_shape_2d(2, 1));
    stk_symbol y = stk_cast(g, stk_cast(g, x, STK_DTYPE_F32), STK_DTYPE_BF16);
    stk_graph_output(g, "y", stk_relu(g, y));
    y = stk_cast(g, stk_broadcast(g, w, stk_shape_2d(2, 9)), STK_DTYPE_BF16);
    stk_graph_output(g, "z", y);
    y = stk_cast(g, stk_cast(g, w, STK_DTYPE_BF16), STK_DTYPE_F32); /* rounds: stays */
    stk_graph_output(g, "rounded", y);
    EXPECT_TEXT_AFTER("%1 = input \"x\" : bfloat16[2,1]\n"
                      "%2 = input \"w\" : float32[2,1]\n"
                      "%3 = relu(%1) : bfloat16[2,1]\n"
                      "%4 = cast(%2) to=bfloat16 : bfloat16[2,1]\n"
                      "%5 = broadcast(%4) : bfloat16[2,9]\n"
                      "%6 = cast(%4) to=float32 : float32[2,1]\n"
                      "output \"y\" = %3\n"
                      "output \"z\" = %5\n"
                      "output \"rounded\" = %6\n",
                      g, stk_pass_simplify);
}

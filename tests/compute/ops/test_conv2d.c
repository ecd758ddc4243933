/* conv2d: gradients of all kinds of convolutions, PyTorch's numbers, errors with both values. */
#include "compute/ops/conv2d.h"
#include "compute/ops/graph_ops.h"
#include "compute/ops/known_values.h"
#include <string.h>

typedef struct kind {
    stk_shape          x, w;
    stk_conv2d_options options;
} kind;

static int build(stk_graph *g, const stk_symbol *in, stk_symbol *out, const void *context)
{
    out[0] = stk_conv2d(g, in[0], in[1], in[2], &((const kind *)context)->options);
    return 1;
}

STK_TEST(convolutions_have_the_gradient_of_finite_differences)
{
    const kind kinds[] = {
        {stk_shape_4d(2, 5, 4, 3), stk_shape_4d(2, 3, 3, 3), {.pad = {1, 1, 1, 1}}},
        {stk_shape_4d(2, 7, 6, 3), stk_shape_4d(5, 3, 1, 1), {.stride = {2, 3}}},
        {stk_shape_4d(1, 7, 8, 4),
         stk_shape_4d(6, 2, 3, 2),
         {.stride = {2, 1}, .dilation = {1, 3}, .pad = {2, 0, 1, 3}, .groups = 2}},
        {stk_shape_4d(2, 5, 5, 3),
         stk_shape_4d(3, 1, 3, 3),
         {.stride = {2, 2}, .pad = {0, 1, 0, 1}, .groups = 3}},
    };
    for (size_t i = 0; i < COUNT_OF(kinds); i++)
        EXPECT_GRADIENTS((&(op_case){.build = build,
                                     .context = &kinds[i],
                                     .inputs = 3,
                                     .in = {{.shape = kinds[i].x},
                                            {.shape = kinds[i].w},
                                            {.shape = stk_shape_1d(kinds[i].w.dim[0])}}}),
                         1e-2);
}

/* x = p(80, 7, 11).view(1, 4, 5, 4), w = p(48, 5, 7).view(4, 2, 2, 3), b = p(4, 3, 5)
 * y = F.conv2d(F.pad(x, (0, 1, 1, 2)), w, b, stride=2, dilation=(2, 1), groups=2)
 * (y * p(24, 3, 5).view(y.shape)).sum().backward(): y, x.grad, w.grad, b.grad */
static int build_grouped(stk_graph *g, const stk_symbol *in, stk_symbol *out, const void *context)
{
    (void)in, (void)context;
    stk_symbol of[3] = {pattern(g, stk_shape_4d(1, 4, 5, 4), 7, 11),
                        pattern(g, stk_shape_4d(4, 2, 2, 3), 5, 7),
                        pattern(g, stk_shape_1d(4), 3, 5)};
    out[0] =
        stk_conv2d(g, of[0], of[1], of[2],
                   &(stk_conv2d_options){
                       .stride = {2, 2}, .dilation = {2, 1}, .pad = {1, 2, 0, 1}, .groups = 2});
    pattern_gradients(g, out[0], 3, 5, of, 3, out + 1);
    return 4;
}

STK_TEST(a_grouped_convolution_with_uneven_padding_is_that_of_pytorch)
{
    static const float expected[] = {
        -16, -4,  -11, -9, 8,   -11, 11,  0,  -22, 5,   -20, 9,   13, -21, 9,  23,
        3,   -20, -23, 17, -35, 26,  -16, 18, /* dx */
        0,   0,   0,   0,  11,  -10, -20, 7,  0,   0,   0,   0,   4,  -1,  4,  1,
        0,   0,   0,   0,  0,   0,   0,   0,  4,   11,  -9,  -10, 0,  0,   0,  0,
        -12, 4,   4,   3,  0,   0,   0,   0,  0,   0,   0,   0,   3,  5,   4,  -12,
        0,   0,   0,   0,  -10, 1,   16,  4,  0,   0,   0,   0,   0,  0,   0,  0,
        1,   3,   4,   4,  0,   0,   0,   0,  7,   -10, -9,  11,  0,  0,   0,  0, /* dw */
        -3,  1,   -4,  10, 10,  -13, 0,   -7, -1,  10,  -12, -4,  3,  -1,  -2, 1,
        -7,  14,  0,   18, -2,  -5,  -2,  5,  1,   -2,  -1,  3,   18, 2,   18, -7,
        -4,  -5,  -1,  5,  10,  -12, 5,   -3, -7,  -2,  -23, 10,  14, -6,  1,  -2, /* dbias */
        -2,  1,   -1,  2};
    EXPECT_VALUES((&(op_case){.build = build_grouped, .layout = STK_LAYOUT_NCHW}), expected, 1, 0);
}

/* F.conv2d(p(36, 7, 11).view(1, 3, 4, 3), p(54, 5, 7).view(6, 1, 3, 3), stride=(2, 1), padding=1,
 * groups=3) */
static int build_depthwise(stk_graph *g, const stk_symbol *in, stk_symbol *out, const void *context)
{
    (void)in, (void)context;
    out[0] = stk_conv2d(g, pattern(g, stk_shape_4d(1, 3, 4, 3), 7, 11),
                        pattern(g, stk_shape_4d(6, 1, 3, 3), 5, 7), STK_NO_SYMBOL,
                        &(stk_conv2d_options){.stride = {2, 1}, .pad = {1, 1, 1, 1}, .groups = 3});
    return 1;
}

STK_TEST(a_depthwise_convolution_is_that_of_pytorch)
{
    static const float expected[] = {-26, 0,   -2, 11,  -35, -5, -3, 15,  6,   -9, 21, 8,
                                     4,   -17, 34, -4,  -23, 29, -2, 11,  -17, -5, 31, -22,
                                     -13, 15,  4,  -25, 5,   6,  34, -19, -8,  29, 1,  -4};
    EXPECT_VALUES((&(op_case){.build = build_depthwise, .layout = STK_LAYOUT_NCHW}), expected, 1,
                  0);
}

/* Separate and fused: an activation in the attributes, and the gradient of the bias as second
 * output of grad_weight. */
static int build_fused(stk_graph *g, const stk_symbol *in, stk_symbol *out, const void *context)
{
    const bool      *fused = context;
    stk_conv2d_attrs attrs = {.stride = {1, 1}, .dilation = {1, 1}, .groups = 1};
    if (*fused) attrs.act = (stk_activation){.row = &stk_activation_relu};
    stk_graph_add(g, &stk_graph_op_conv2d, in, 3, &attrs, &out[0], 1);
    if (!*fused) out[0] = stk_relu(g, out[0]);
    attrs.act = (stk_activation){0};
    attrs.size[0] = 2, attrs.size[1] = 3;
    stk_graph_add(g, &stk_graph_op_conv2d_grad_weight, (stk_symbol[]){in[0], out[0]}, 2, &attrs,
                  &out[1], *fused ? 2 : 1);
    if (!*fused) out[2] = stk_reduce_sum(g, out[0], 7u, false);
    return 3;
}

STK_TEST(what_passes_fold_into_a_convolution_changes_nothing)
{
    enum { CAPACITY = 256 };
    float   results[2][CAPACITY];
    size_t  count[2];
    op_case c = {.build = build_fused,
                 .inputs = 3,
                 .in = {{.shape = stk_shape_4d(2, 4, 5, 2)},
                        {.shape = stk_shape_4d(3, 2, 2, 3)},
                        {.shape = stk_shape_1d(3)}}};
    for (int fused = 0; fused < 2; fused++) {
        c.context = &(bool){fused};
        count[fused] = op_results(&c, "ref", 1, false, results[fused], CAPACITY);
    }
    EXPECT_INT_EQ(2 * 3 * 3 * 3 + 3 * 2 * 2 * 3 + 3, count[0]);
    EXPECT_INT_EQ(count[0], count[1]);
    EXPECT_MEM_EQ(results[0], results[1], count[0] * sizeof *results[0]);
}

STK_TEST(a_convolution_says_what_it_costs_and_how_it_is_set)
{
    stk_error  err;
    stk_graph *g;
    stk_blob   text;
    EXPECT_OK(stk_graph_new(&g, NULL, &err));
    stk_symbol x = stk_graph_input(g, "x", STK_DTYPE_F32, stk_shape_4d(2, 8, 8, 4));
    stk_symbol w = stk_graph_input(g, "w", STK_DTYPE_F32, stk_shape_4d(6, 2, 3, 3));
    stk_conv2d(g, x, w, STK_NO_SYMBOL,
               &(stk_conv2d_options){.stride = {2, 2}, .pad = {1, 1, 1, 1}, .groups = 2});
    EXPECT_INT_EQ(2 * 2 * 4 * 4 * 6 * 3 * 3 * 2, stk_graph_count(g).flops);
    stk_blob_init(&text, NULL, STK_MEMORY_INDEX);
    EXPECT_OK(stk_graph_dump(g, &text, &err));
    EXPECT_OK(stk_blob_append(&text, "", 1, &err));
    EXPECT_CONTAINS("conv2d(%1, %2) stride=2,2 pad=1,1,1,1 groups=2 : float32[2,4,4,6]",
                    (const char *)text.data);
    stk_blob_release(&text);
    stk_graph_free(g);
}

typedef struct refusal {
    stk_shape          x, w;
    stk_conv2d_options options;
    stk_status         status;
    const char        *message;
} refusal;

STK_TEST(what_cannot_be_convolved_is_refused_with_both_values)
{
    const stk_shape x = stk_shape_4d(1, 5, 5, 4), w = stk_shape_4d(6, 4, 3, 3);
    const refusal   refusals[] = {
          {stk_shape_3d(5, 5, 4), w, {.groups = 1}, STK_E_SHAPE, "input 0 has shape [5,5,4]"},
          {x, stk_shape_2d(6, 4), {.groups = 1}, STK_E_SHAPE, "input 1 has shape [6,4]"},
          {x,
           stk_shape_4d(6, 3, 3, 3),
           {.groups = 1},
           STK_E_SHAPE,
           "4 channels in 1 groups but the weight"},
          {x, w, {.groups = 4}, STK_E_SHAPE, "4 channels in and 6 out cannot be split into 4"},
          {x,
           stk_shape_4d(6, 4, 6, 3),
           {.groups = 1},
           STK_E_SHAPE,
           "6x3, dilation 1,1, does not fit"},
          {x, w, {.dilation = {1, 3}}, STK_E_SHAPE, "dilation 1,3, does not fit into 5x5"},
          {x, w, {.stride = {-1, 1}}, STK_E_INVALID, "stride -1,1"},
          {x, w, {.pad = {0, 0, -2, 0}}, STK_E_INVALID, "padding 0,0,-2,0"},
    };
    for (size_t i = 0; i < COUNT_OF(refusals); i++) {
        stk_error      err;
        stk_graph     *g;
        const refusal *r = &refusals[i];
        EXPECT_OK(stk_graph_new(&g, NULL, &err));
        stk_graph_push_scope(g, "stem");
        stk_conv2d(g, stk_graph_input(g, "x", STK_DTYPE_F32, r->x),
                   stk_graph_input(g, "w", STK_DTYPE_F32, r->w), STK_NO_SYMBOL, &r->options);
        EXPECT_STATUS(r->status, stk_graph_check(g, &err));
        EXPECT_STR_EQ("conv2d", err.component);
        EXPECT_STR_EQ("stem", err.where);
        EXPECT_CONTAINS(r->message, err.message);
        stk_graph_free(g);
    }
}

STK_TEST(a_bias_of_other_channels_and_images_of_bytes_are_refused)
{
    stk_error  err;
    stk_graph *g;
    EXPECT_OK(stk_graph_new(&g, NULL, &err));
    stk_symbol x = stk_graph_input(g, "x", STK_DTYPE_F32, stk_shape_4d(1, 5, 5, 4));
    stk_symbol w = stk_graph_input(g, "w", STK_DTYPE_F32, stk_shape_4d(6, 4, 3, 3));
    stk_conv2d(g, x, w, stk_graph_input(g, "b", STK_DTYPE_F32, stk_shape_1d(4)), NULL);
    EXPECT_STATUS(STK_E_SHAPE, stk_graph_check(g, &err));
    EXPECT_CONTAINS("input 2 has shape [4] but must have [6]", err.message);
    stk_graph_free(g);
    EXPECT_OK(stk_graph_new(&g, NULL, &err));
    w = stk_graph_input(g, "w", STK_DTYPE_F32, stk_shape_4d(6, 4, 3, 3));
    x = stk_graph_input(g, "x", STK_DTYPE_U8, stk_shape_4d(1, 5, 5, 4));
    stk_conv2d(g, x, w, STK_NO_SYMBOL, NULL);
    EXPECT_STATUS(STK_E_TYPE, stk_graph_check(g, &err));
    EXPECT_CONTAINS("input 0 is uint8", err.message);
    stk_graph_free(g);
}

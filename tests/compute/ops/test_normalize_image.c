/* normalize_image: PyTorch's numbers, errors. */
#include "compute/ops/known_values.h"

static const float mean[4] = {0.485f, 0.456f, 0.406f, 0.5f};
static const float deviation[4] = {0.229f, 0.224f, 0.225f, 0.25f};

/* x = (torch.arange(12) * 29 % 256).to(torch.uint8).view(1, 3, 2, 2)
 * T.normalize(T.convert_image_dtype(x), [.485, .456, .406], [.229, .224, .225]) */
static int build(stk_graph *g, const stk_symbol *in, stk_symbol *out, const void *context)
{
    uint8_t x[12];
    (void)in, (void)context;
    for (int i = 0; i < 12; i++)
        x[i] = (uint8_t)(i * 29 % 256);
    out[0] = stk_normalize_image(
        g, stk_graph_constant(g, "x", STK_DTYPE_U8, stk_shape_4d(1, 3, 2, 2), x), mean, deviation);
    return 1;
}

STK_TEST(normalized_images_are_those_of_pytorch)
{
    static const float expected[] = {-2.11790395f,    -1.62128615f, -1.12466836f, -0.628050387f,
                                     -0.00490194978f, 0.502801239f, 1.01050425f,  1.51820731f,
                                     2.23912883f,     -1.71729851f, -1.21185172f, -0.706405222f};
    EXPECT_VALUES((&(op_case){.build = build, .layout = STK_LAYOUT_NCHW}), expected, 1, 1e-6);
}

static void expect_refused(stk_dtype dtype, stk_shape shape, const float *deviations,
                           stk_status status, const char *message)
{
    stk_error  err;
    stk_graph *g;
    EXPECT_OK(stk_graph_new(&g, NULL, &err));
    stk_normalize_image(g, stk_graph_input(g, "x", dtype, shape), mean, deviations);
    EXPECT_STATUS(status, stk_graph_check(g, &err));
    EXPECT_CONTAINS(message, err.message);
    stk_graph_free(g);
}

STK_TEST(what_are_no_images_of_bytes_is_refused)
{
    static const float zero[4] = {1, 0, 1, 1};
    expect_refused(STK_DTYPE_F32, stk_shape_4d(1, 2, 2, 3), deviation, STK_E_TYPE, "x is float32");
    expect_refused(STK_DTYPE_U8, stk_shape_4d(1, 2, 2, 5), deviation, STK_E_SHAPE, "[1,2,2,5]");
    expect_refused(STK_DTYPE_U8, stk_shape_3d(2, 2, 3), deviation, STK_E_SHAPE, "[2,2,3]");
    expect_refused(STK_DTYPE_U8, stk_shape_4d(1, 2, 2, 3), zero, STK_E_INVALID,
                   "deviation 0 of channel 1");
}

/* Layers: variables, initial values, shapes, errors. */
#include "model_support.h"

static stk_graph *new_graph(stk_layout layout)
{
    stk_error  err;
    stk_graph *g;
    EXPECT_OK(stk_graph_new(&g, &(stk_graph_options){.layout = layout}, &err));
    return g;
}

static stk_symbol images(stk_graph *g, int64_t a, int64_t b, int64_t c)
{
    return stk_graph_input(g, "x", STK_DTYPE_F32, stk_shape_4d(2, a, b, c));
}

static void expect_shape(stk_graph *g, stk_symbol x, const char *wanted)
{
    stk_error err;
    char      text[96];
    EXPECT_OK(stk_graph_check(g, &err));
    stk_shape shape = stk_symbol_shape(g, x);
    EXPECT_STR_EQ(wanted, stk_shape_text(&shape, text, sizeof text));
}

static void expect_variable(stk_graph *g, size_t index, const char *name, const char *wanted)
{
    stk_graph_variable_info info = stk_graph_variable_at(g, index);
    char                    text[96];
    EXPECT_STR_EQ(name, info.name);
    EXPECT_STR_EQ(wanted, stk_shape_text(&info.shape, text, sizeof text));
}

STK_TEST(a_convolution_has_pytorchs_variables)
{
    stk_graph     *g = new_graph(STK_LAYOUT_NHWC);
    stk_conv_layer conv = {
        .out = 12, .kernel = {3, 5}, .stride = 2, .pad = 1, .groups = 3, .bias = true};
    stk_symbol y = stk_layer_conv2d(g, images(g, 9, 11, 6), "stem", &conv);
    expect_shape(g, y, "[2,5,5,12]");
    expect_variable(g, 0, "stem.weight", "[12,2,3,5]");
    expect_variable(g, 1, "stem.bias", "[12]");
    stk_graph_free(g);
}

STK_TEST(same_padding_keeps_the_size_divided_by_the_stride)
{
    for (int stride = 1; stride <= 3; stride++)
        for (int kernel = 1; kernel <= 5; kernel++)
            for (int size = 5; size <= 9; size++) {
                stk_graph     *g = new_graph(STK_LAYOUT_NCHW);
                stk_conv_layer conv = {.out = 1,
                                       .kernel = {kernel},
                                       .stride = stride,
                                       .dilation = stride == 1 ? 2 : 1,
                                       .pad = STK_PAD_SAME};
                stk_symbol     y = stk_layer_conv2d(g, images(g, 3, size, 7), "c", &conv);
                stk_shape      shape = stk_symbol_shape(g, y);
                EXPECT_INT_EQ((size + stride - 1) / stride, shape.dim[2]);
                EXPECT_INT_EQ((7 + stride - 1) / stride, shape.dim[3]);
                stk_graph_free(g);
            }
}

STK_TEST(batch_norm_has_statistics_that_are_not_learnt)
{
    stk_graph *g = new_graph(STK_LAYOUT_NCHW);
    stk_layer_batch_norm(g, images(g, 5, 3, 3), "bn",
                         &(stk_norm_layer){.training = true, .bias_rate = 64});
    expect_variable(g, 0, "bn.weight", "[5]");
    expect_variable(g, 1, "bn.bias", "[5]");
    expect_variable(g, 2, "bn.running_mean", "[5]");
    expect_variable(g, 3, "bn.running_var", "[5]");
    EXPECT(stk_graph_variable_at(g, 0).options.init.a == 1);
    EXPECT(stk_graph_variable_at(g, 1).options.rate == 64);
    EXPECT_INT_EQ(STK_VARIABLE_STATISTIC, stk_graph_variable_at(g, 2).options.role);
    EXPECT(stk_graph_variable_at(g, 3).options.init.a == 1);
    stk_graph_free(g);
}

STK_TEST(embeddings_and_positions_are_learnt)
{
    stk_graph *g = new_graph(STK_LAYOUT_NHWC);
    stk_symbol ids = stk_graph_input(g, "ids", STK_DTYPE_I32, stk_shape_2d(2, 5));
    stk_symbol y = stk_layer_embedding(g, ids, "words", 11, 4);
    expect_shape(g, stk_layer_position(g, y, "place"), "[2,5,4]");
    expect_variable(g, 0, "words.weight", "[11,4]");
    expect_variable(g, 1, "place", "[1,5,4]");
    EXPECT(stk_graph_variable_at(g, 1).options.no_decay);
    stk_graph_free(g);
}

/* Deviations of initial values against the formulas, for a weight of 64x(32x3x3). */
STK_TEST(weights_begin_with_the_deviation_of_their_kind)
{
    static const struct {
        stk_layer_init init;
        double         deviation;
    } kinds[] = {
        {STK_LAYER_DEFAULT, 0.0340207},     /* 1/sqrt(3*288) */
        {STK_LAYER_FAN_OUT, 0.0589256},     /* sqrt(2/576) */
        {STK_LAYER_FAN_IN, 0.0518474},      /* sqrt(1/288), times 0.87988 for the truncation */
        {STK_LAYER_XAVIER, 0.0481125},      /* sqrt(2/864) */
        {STK_LAYER_UNIFORM_OUT, 0.0240563}, /* 1/sqrt(3*576) */
        {STK_LAYER_NORMAL, 0.01},           {STK_LAYER_ZERO, 0},
    };
    static float values[64 * 32 * 9];
    for (size_t k = 0; k < COUNT_OF(kinds); k++) {
        stk_error      err;
        stk_device    *device;
        stk_variables *variables;
        stk_program   *program;
        stk_graph     *g = new_graph(STK_LAYOUT_NHWC);
        stk_conv_layer conv = {.out = 64, .kernel = {3}, .init = kinds[k].init};
        stk_graph_output(g, "y", stk_layer_conv2d(g, images(g, 3, 3, 32), "c", &conv));
        EXPECT_OK(stk_device_open(&device, "ref", NULL, &err));
        EXPECT_OK(stk_variables_new(&variables, device, 3, &err));
        EXPECT_OK(stk_program_compile(&program, g, variables, NULL, &err));
        EXPECT_OK(stk_variables_read(variables, 0, values, sizeof values, &err));
        double squares = 0, sum = 0, count = (double)COUNT_OF(values);
        for (size_t i = 0; i < COUNT_OF(values); i++) {
            sum += (double)values[i];
            squares += (double)values[i] * (double)values[i];
        }
        EXPECT(fabs(sqrt(squares / count) - kinds[k].deviation) <= 0.02 * kinds[k].deviation);
        EXPECT(fabs(sum / count) <= 0.03 * kinds[k].deviation);
        stk_program_free(program);
        stk_variables_free(variables);
        stk_device_free(device);
        stk_graph_free(g);
    }
}

static void expect_refused(stk_graph *g, stk_status status, const char *where, const char *text)
{
    stk_error err;
    EXPECT_STATUS(status, stk_graph_check(g, &err));
    EXPECT_STR_EQ(where, err.where);
    EXPECT_CONTAINS(text, err.message);
    stk_graph_free(g);
}

STK_TEST(a_layer_on_something_that_is_no_image_is_refused)
{
    stk_graph *g = new_graph(STK_LAYOUT_NHWC);
    stk_symbol x = stk_graph_input(g, "x", STK_DTYPE_F32, stk_shape_1d(3));
    stk_layer_dense(g, x, "fc", &(stk_dense_layer){.out = 3});
    expect_refused(g, STK_E_SHAPE, "fc", "x is [3]");
    g = new_graph(STK_LAYOUT_NHWC);
    stk_layer_conv2d(g, STK_NO_SYMBOL, "c", &(stk_conv_layer){.out = 3, .kernel = {3}});
    expect_refused(g, STK_E_SHAPE, "c", "images or rows");
    g = new_graph(STK_LAYOUT_NHWC);
    stk_layer_layer_norm(g, STK_NO_SYMBOL, "ln", 0);
    expect_refused(g, STK_E_SHAPE, "ln", "images or rows");
}

STK_TEST(groups_and_heads_that_do_not_divide_are_refused)
{
    stk_graph *g = new_graph(STK_LAYOUT_NHWC);
    stk_layer_conv2d(g, images(g, 5, 5, 7), "c",
                     &(stk_conv_layer){.out = 4, .kernel = {1}, .groups = 2});
    expect_refused(g, STK_E_SHAPE, "c", "7 channels do not make 2 groups");
    g = new_graph(STK_LAYOUT_NHWC);
    stk_symbol x = stk_graph_input(g, "x", STK_DTYPE_F32, stk_shape_3d(2, 3, 10));
    stk_layer_attention(g, x, "a", 4);
    expect_refused(g, STK_E_SHAPE, "a", "a width for 4 heads");
}

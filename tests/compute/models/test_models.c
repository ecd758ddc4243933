/* The list of models: parameters, names and shapes as torchvision's; errors. */
#include "model_support.h"

static stk_graph *build(const char *name, const stk_model_options *options)
{
    stk_error        err;
    stk_graph       *g;
    const stk_model *model;
    EXPECT_OK(stk_model_find(&model, name, &err));
    EXPECT_OK(stk_graph_new(&g, NULL, &err));
    stk_graph_output(g, "logits",
                     stk_model_build(g, model, stk_model_input(g, model, options), options));
    return g;
}

static uint64_t parameters(const char *name, const stk_model_options *options)
{
    stk_error  err;
    stk_graph *g = build(name, options);
    EXPECT_OK(stk_graph_check(g, &err));
    EXPECT_OK(stk_graph_verify(g, &err));
    uint64_t count = stk_graph_count(g).parameters;
    stk_graph_free(g);
    return count;
}

STK_TEST(models_have_as_many_parameters_as_torchvisions)
{
    EXPECT_INT_EQ(11689512, parameters("resnet18", NULL));
    EXPECT_INT_EQ(21797672, parameters("resnet34", NULL));
    EXPECT_INT_EQ(25557032, parameters("resnet50", NULL));
    EXPECT_INT_EQ(3504872, parameters("mobilenet_v2", NULL));
    EXPECT_INT_EQ(5288548, parameters("efficientnet_b0", NULL));
}

/* torchvision's mobilenet_v2(width_mult=0.35) and (width_mult=1.4); the papers' counts for the
 * others. */
STK_TEST(models_that_torchvision_has_not_are_those_of_the_papers)
{
    EXPECT_INT_EQ(4231976, parameters("mobilenet_v1", NULL));
    EXPECT_INT_EQ(272474, parameters("resnet20", NULL));
    EXPECT_INT_EQ(11173962, parameters("resnet18_cifar", NULL));
    EXPECT_INT_EQ(78042, parameters("resnet8", NULL));
    EXPECT_INT_EQ(5717416, parameters("vit_tiny", NULL));
    EXPECT_INT_EQ(1677128, parameters("mobilenet_v2", &(stk_model_options){.width = 0.35}));
    EXPECT_INT_EQ(6108776, parameters("mobilenet_v2", &(stk_model_options){.width = 1.4}));
}

static void expect_variables(const char *name)
{
    char       path[256], *rest = NULL, line[160];
    stk_graph *g = build(name, NULL);
    snprintf(path, sizeof path, "%s/models/%s.txt", STK_TEST_DATA, name);
    stk_bytes bytes = stk_test_read_file(path);
    char     *text = strndup((const char *)bytes.data, bytes.size);
    size_t    index = 0;
    for (char *wanted = strtok_r(text, "\n", &rest); wanted; wanted = strtok_r(NULL, "\n", &rest)) {
        stk_graph_variable_info info = stk_graph_variable_at(g, index++);
        char                    shape[96];
        stk_shape_text(&info.shape, shape, sizeof shape);
        shape[strlen(shape) - 1] = 0; /* [1,2,3] without brackets */
        snprintf(line, sizeof line, "%s %s", info.name, shape + 1);
        EXPECT_STR_EQ(wanted, line);
    }
    EXPECT_INT_EQ(index, stk_graph_variable_count(g));
    free(text);
    stk_graph_free(g);
}

STK_TEST(variables_have_torchvisions_names_shapes_and_order)
{
    static const char *const names[] = {"resnet18", "resnet50", "mobilenet_v2", "efficientnet_b0",
                                        "vit_tiny"};
    for (size_t i = 0; i < COUNT_OF(names); i++)
        expect_variables(names[i]);
}

STK_TEST(every_model_builds_for_training_at_its_own_and_at_a_small_size)
{
    static const int sizes[] = {0, 32};
    const stk_model *model;
    for (size_t m = 0; (model = stk_model_at(m)) != NULL; m++)
        for (size_t s = 0; s < COUNT_OF(sizes); s++) {
            stk_error  err;
            stk_graph *g;
            EXPECT_OK(stk_graph_new(&g, NULL, &err));
            stk_symbol step =
                stk_graph_input(g, "step", STK_DTYPE_I64, (stk_shape){0}); /* a scalar */
            stk_model_options options = {.batch = 3,
                                         .size = sizes[s],
                                         .classes = 7,
                                         .width = 0.5,
                                         .training = true,
                                         .step = step};
            stk_symbol        x = stk_model_input(g, model, &options);
            stk_symbol        logits = stk_model_build(g, model, x, &options);
            EXPECT_OK(stk_graph_check(g, &err));
            stk_shape shape = stk_symbol_shape(g, logits), wanted = stk_shape_2d(3, 7);
            EXPECT(stk_shape_equal(&wanted, &shape));
            stk_graph_output(g, "logits", logits);
            EXPECT_OK(stk_graph_verify(g, &err));
            stk_graph_free(g);
        }
}

STK_TEST(residual_blocks_can_begin_as_identity)
{
    stk_graph *g = build("resnet50", &(stk_model_options){.zero_last_gamma = true});
    int        zeros = 0;
    for (size_t i = 0; i < stk_graph_variable_count(g); i++) {
        stk_graph_variable_info info = stk_graph_variable_at(g, i);
        bool                    zero = info.options.init.a == 0;
        if (!ends_with(info.name, "weight") || info.shape.rank != 1) continue;
        EXPECT(zero == ends_with(info.name, "bn3.weight"));
        zeros += zero;
    }
    EXPECT_INT_EQ(16, zeros);
    stk_graph_free(g);
}

STK_TEST(an_unknown_model_gets_a_suggestion)
{
    stk_error        err;
    const stk_model *model;
    EXPECT_STATUS(STK_E_NOTFOUND, stk_model_find(&model, "resnet51", &err));
    EXPECT(model == NULL);
    EXPECT_STR_EQ("resnet51", err.where);
    EXPECT_CONTAINS("did you mean resnet50", err.message);
    EXPECT_CONTAINS("? there are mlp, lenet,", err.message);
    EXPECT_STATUS(STK_E_NOTFOUND, stk_model_find(&model, "something else", &err));
    EXPECT_CONTAINS("no such model; there are mlp, lenet,", err.message);
    const size_t last = strlen(err.message) - strlen("vit_tiny");
    EXPECT_STR_EQ("vit_tiny", err.message + last);
}

static void expect_refused(const char *name, const stk_model_options *options, stk_status status,
                           const char *text)
{
    stk_error  err;
    stk_graph *g = build(name, options);
    EXPECT_STATUS(status, stk_graph_check(g, &err));
    EXPECT_CONTAINS(text, err.message);
    stk_graph_free(g);
}

STK_TEST(options_that_make_no_sense_are_refused)
{
    expect_refused("mlp", &(stk_model_options){.classes = -3}, STK_E_RANGE, "-3 classes");
    expect_refused("mlp", &(stk_model_options){.width = -1}, STK_E_RANGE, "width is -1");
    expect_refused("mlp", &(stk_model_options){.width = NAN}, STK_E_RANGE, "width");
    expect_refused("mlp", &(stk_model_options){.width = 1e9}, STK_E_RANGE, "at most 64");
    expect_refused("mlp", &(stk_model_options){.dropout = 1}, STK_E_RANGE, "dropout is 1");
    expect_refused("mobilenet_v2", &(stk_model_options){.training = true}, STK_E_INVALID,
                   "give options.step");
    expect_refused("mlp", &(stk_model_options){.size = -1}, STK_E_SHAPE, "");
}

STK_TEST(images_have_four_dimensions)
{
    stk_error        err;
    stk_graph       *g;
    const stk_model *model;
    EXPECT_OK(stk_model_find(&model, "resnet8", &err));
    EXPECT_OK(stk_graph_new(&g, NULL, &err));
    stk_symbol x = stk_graph_input(g, "x", STK_DTYPE_F32, stk_shape_2d(3, 4));
    EXPECT(stk_symbol_is_none(stk_model_build(g, model, x, NULL)));
    EXPECT_STATUS(STK_E_SHAPE, stk_graph_check(g, &err));
    EXPECT_CONTAINS("[3,4]", err.message);
    stk_graph_free(g);
}

static stk_status build_by_name(void *context, stk_error *err)
{
    const stk_model *model;
    stk_graph       *g;
    STK_TRY(stk_model_find(&model, context, err));
    STK_TRY(stk_graph_new(&g, NULL, err));
    stk_symbol x = stk_model_input(g, model, &(stk_model_options){.size = 32});
    stk_graph_output(g, "logits", stk_model_build(g, model, x, NULL));
    stk_status st = stk_graph_check(g, err);
    stk_graph_free(g);
    return st;
}

STK_TEST(a_failed_allocation_is_an_error_and_leaks_nothing)
{
    stk_test_fail_each_allocation(build_by_name, "efficientnet_b0");
    stk_test_fail_each_allocation(build_by_name, "vit_tiny");
    stk_test_fail_each_allocation(build_by_name, "airbench");
}

/* Models with known weights yield PyTorch's logits. */
#include "model_support.h"

enum { LOGITS_MAX = 64 };

typedef struct model_case {
    const char *model;
    int         size, batch, classes;
    bool        training;
    int         channels;
} model_case;

static const model_case cases[] = {
    {"lenet", 12, 2, 10, false, 1},           {"cnn", 16, 2, 10, true, 1},
    {"resnet8", 32, 2, 10, false, 3},         {"resnet8", 32, 2, 10, true, 3},
    {"resnet20", 32, 2, 10, false, 3},        {"resnet20", 16, 2, 10, true, 3},
    {"resnet18", 32, 1, 7, false, 3},         {"resnet50", 32, 1, 7, false, 3},
    {"mobilenet_v2", 32, 2, 13, false, 3},    {"mobilenet_v2", 96, 2, 13, true, 3},
    {"efficientnet_b0", 32, 2, 13, false, 3}, {"efficientnet_b0", 64, 2, 13, true, 3},
    {"vit_tiny", 16, 2, 5, false, 3},         {"airbench", 32, 2, 10, false, 3},
};

static stk_graph *build(const model_case *c, stk_layout layout)
{
    stk_error        err;
    stk_graph       *g;
    const stk_model *model;
    EXPECT_OK(stk_model_find(&model, c->model, &err));
    EXPECT_OK(stk_graph_new(&g, &(stk_graph_options){.layout = layout}, &err));
    stk_model_options options = {.batch = c->batch,
                                 .size = c->size,
                                 .channels = c->channels,
                                 .classes = c->classes,
                                 .training = c->training,
                                 .dropout = -1};
    stk_symbol        x = stk_model_input(g, model, &options);
    stk_graph_output(g, "logits", stk_model_build(g, model, x, &options));
    EXPECT_OK(stk_graph_check(g, &err));
    return g;
}

/* Converts values from [N,H,W,C] to the graph's layout. */
static float *in_layout(const model_case *c, stk_layout layout)
{
    int64_t area = (int64_t)c->size * c->size, each = area * c->channels, count = c->batch * each;
    float  *values = malloc((size_t)count * sizeof *values), *out;
    fill_images("x", values, count);
    if (layout != STK_LAYOUT_NCHW) return values;
    out = malloc((size_t)count * sizeof *out);
    for (int64_t i = 0; i < count; i++)
        out[i / each * each + i % c->channels * area + i % each / c->channels] = values[i];
    free(values);
    return out;
}

static void run(const model_case *c, const char *backend, stk_layout layout, float *logits)
{
    stk_error      err;
    stk_device    *device;
    stk_variables *variables;
    stk_program   *program;
    stk_graph     *g = build(c, layout);
    float         *x = in_layout(c, layout);
    EXPECT_OK(stk_device_open(&device, backend, NULL, &err));
    EXPECT_OK(stk_variables_new(&variables, device, 1, &err));
    EXPECT_OK(stk_program_compile(&program, g, variables, NULL, &err));
    stk_graph_free(g);
    fill_variables(variables);
    EXPECT_OK(stk_program_feed(
        program, "x", x, sizeof *x * (size_t)c->batch * c->size * c->size * c->channels, &err));
    EXPECT_OK(stk_program_run(program, NULL, &err));
    EXPECT_OK(stk_program_fetch(program, "logits", logits,
                                sizeof *logits * (size_t)c->batch * c->classes, &err));
    free(x);
    stk_program_free(program);
    stk_variables_free(variables);
    stk_device_free(device);
}

/* tolerance is relative to the largest logit. */
static void expect_logits(const model_case *c, const char *backend, stk_layout layout,
                          double tolerance)
{
    float  logits[LOGITS_MAX];
    double wanted[LOGITS_MAX], largest = 0, worst = 0;
    char   key[64];
    snprintf(key, sizeof key, "%s %d %d %d %d", c->model, c->size, c->batch, c->classes,
             c->training);
    int count = golden_numbers("logits.txt", key, wanted, LOGITS_MAX);
    EXPECT_INT_EQ(c->batch * c->classes, count);
    run(c, backend, layout, logits);
    for (int i = 0; i < count; i++) {
        largest = fmax(largest, fabs(wanted[i]));
        worst = fmax(worst, fabs(wanted[i] - (double)logits[i]));
    }
    if (!(worst <= tolerance * largest))
        fail_msg("%s on %s: off by %g of %g", key, backend, worst, largest);
}

STK_TEST(the_reference_backend_gives_pytorchs_logits)
{
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        expect_logits(&cases[i], "ref", STK_LAYOUT_NHWC, 1e-4);
}

STK_TEST(every_backend_gives_pytorchs_logits)
{
    const char *backend;
    for (size_t b = 0; (backend = stk_test_backend_at(b)) != NULL; b++)
        for (size_t i = 0; strcmp(backend, "ref") != 0 && i < COUNT_OF(cases); i++)
            expect_logits(&cases[i], backend, STK_LAYOUT_NHWC, 2e-4);
}

/* One model per kind of layer that depends on the layout. */
STK_TEST(the_layout_of_the_graph_does_not_matter)
{
    static const char *const names[] = {"lenet", "resnet8", "efficientnet_b0", "vit_tiny",
                                        "airbench"};
    for (size_t n = 0; n < COUNT_OF(names); n++)
        for (size_t i = 0; i < COUNT_OF(cases); i++)
            if (strcmp(cases[i].model, names[n]) == 0 && !cases[i].training)
                expect_logits(&cases[i], "ref", STK_LAYOUT_NCHW, 1e-4);
}

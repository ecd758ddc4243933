/* Each rule about operations: a graph that it tells, and one that it does not. */
#include "harness.h"

#include <stdlib.h>
#include <stoker/lint.h>
#include <string.h>

typedef struct bench {
    stk_device    *device;
    stk_variables *variables;
    stk_program   *program;
} bench;

static const stk_lint_machine machine = {.cores = 2, .flops = 1e11, .memory_bytes = 1e10};

/* Compiles g, which is taken over. False where this build has no such backend. */
static bool compile(bench *b, stk_graph *g, const char *backend, const stk_program_options *options)
{
    stk_error err;
    *b = (bench){0};
    if (stk_device_open(&b->device, backend, NULL, &err)) {
        stk_graph_free(g);
        return false;
    }
    EXPECT_OK(stk_variables_new(&b->variables, b->device, 1, &err));
    EXPECT_OK(stk_program_compile(&b->program, g, b->variables, options, &err));
    stk_graph_free(g);
    return true;
}

static void release(bench *b)
{
    stk_program_free(b->program);
    stk_variables_free(b->variables);
    stk_device_free(b->device);
}

static const stk_lint *find(const stk_lint_list *list, const char *rule)
{
    for (size_t i = 0; i < list->count; i++)
        if (strcmp(list->items[i].rule, rule) == 0) return &list->items[i];
    return NULL;
}

/* What is found in g on the reference backend. */
static stk_lint_list lint(stk_graph *g)
{
    stk_lint_list list = {0};
    bench         b;
    EXPECT(compile(&b, g, "ref", NULL));
    stk_lint_program(&list, b.program, &machine);
    stk_lint_rank(&list, NULL);
    release(&b);
    return list;
}

static stk_graph *begin(void)
{
    stk_graph *g;
    stk_error  err;
    EXPECT_OK(stk_graph_new(&g, NULL, &err));
    return g;
}

/* Convolutions one after the other, all k x k, with these channels; the first is the image's. */
static stk_lint_list lint_chain(int k, const int *channels, int count)
{
    stk_graph *g = begin();
    stk_symbol x = stk_graph_input(g, "x", STK_DTYPE_F32, stk_shape_4d(4, 32, 32, channels[0]));
    for (int i = 1; i < count; i++) {
        char name[8] = {'c', (char)('0' + i)};
        x = stk_layer_conv2d(g, x, name,
                             &(stk_conv_layer){.out = channels[i], .kernel = {k}, .pad = k / 2});
    }
    stk_graph_output(g, "y", x);
    return lint(g);
}

STK_TEST(channels_that_are_padded_are_told)
{
    stk_lint_list   list = lint_chain(3, (int[]){3, 16, 17, 16}, 4);
    const stk_lint *item = find(&list, "odd_channels");
    EXPECT(item != NULL);
    EXPECT_INT_EQ(STK_STAGE_COMPUTE, item->stage);
    EXPECT_CONTAINS("24", strstr(item->message, "are computed as"));
    EXPECT(item->saves > 0.2 && item->saves < 0.4);
    EXPECT(item->gain > item->saves);
    EXPECT(item->changes_training);
    list = lint_chain(3, (int[]){3, 16, 64, 16}, 4);
    EXPECT(!find(&list, "odd_channels"));
}

STK_TEST(a_large_convolution_is_told_with_the_chain_that_replaces_it)
{
    stk_lint_list   list = lint_chain(7, (int[]){8, 8, 8}, 3);
    const stk_lint *item = find(&list, "big_convolution");
    EXPECT(item != NULL);
    EXPECT_CONTAINS("7x7 convolution of 8 to 8 channels; 3 of 3x3", item->message);
    EXPECT_CONTAINS("55 % of its work", item->message);
    list = lint_chain(5, (int[]){8, 8, 8}, 3);
    EXPECT(!find(&list, "big_convolution"));
}

STK_TEST(a_stem_may_be_larger)
{
    stk_lint_list list = lint_chain(7, (int[]){3, 8}, 2);
    EXPECT(!find(&list, "big_convolution"));
    list = lint_chain(11, (int[]){3, 8}, 2);
    EXPECT(find(&list, "big_convolution") != NULL);
}

static stk_lint_list lint_dense(bool pooled)
{
    stk_graph *g = begin();
    stk_symbol x = stk_graph_input(g, "x", STK_DTYPE_F32, stk_shape_4d(4, 16, 16, 32));
    x = pooled ? stk_global_average_pool(g, x) : stk_flatten(g, x);
    x = stk_layer_dense(g, x, "fc", &(stk_dense_layer){.out = 256});
    stk_graph_output(g, "y", x);
    return lint(g);
}

STK_TEST(a_dense_layer_on_a_whole_image_is_told)
{
    stk_lint_list   list = lint_dense(false);
    const stk_lint *item = find(&list, "large_dense");
    EXPECT(item != NULL);
    EXPECT_STR_EQ("fc", item->where);
    EXPECT_CONTAINS("256 flattened pixels has 2.1 of the model's 2.1 million", item->message);
    EXPECT(item->saves > 0.9);
    list = lint_dense(true);
    EXPECT(!find(&list, "large_dense"));
}

STK_TEST(transpositions_that_are_left_are_told)
{
    stk_graph *g = begin();
    stk_symbol x = stk_graph_input(g, "x", STK_DTYPE_F32, stk_shape_4d(4, 16, 16, 32));
    x = stk_relu(g, stk_transpose(g, x, (int[]){0, 3, 1, 2}));
    stk_graph_output(g, "y", x);
    stk_lint_list   list = lint(g);
    const stk_lint *item = find(&list, "moved_layout");
    EXPECT(item != NULL);
    EXPECT_CONTAINS("1 transpositions between NHWC and NCHW", item->message);
    EXPECT_STR_EQ("transpose", item->where);
}

/* Unmeasured, an operation counts by its size; measured, by its time. */
STK_TEST(operations_without_a_kernel_are_told_on_other_backends)
{
    stk_graph *g = begin();
    stk_symbol x = stk_graph_input(g, "x", STK_DTYPE_F32, stk_shape_4d(4, 64, 64, 32));
    stk_symbol t = stk_graph_input(g, "t", STK_DTYPE_F32, stk_shape_4d(4, 64, 64, 32));
    stk_graph_output(g, "y", stk_mean_squared_error(g, x, t));
    stk_lint_list list = {0};
    bench         b;
    stk_error     err;
    if (!compile(&b, g, "cpu", NULL)) return;
    EXPECT_STR_EQ("reference", stk_program_instruction_at(b.program, 0).kernel);
    stk_lint_program(&list, b.program, &machine);
    const stk_lint *item = find(&list, "reference_kernels");
    EXPECT(item != NULL);
    EXPECT_CONTAINS("mean_squared_error has no kernel on the backend cpu", item->message);
    EXPECT(item->saves < 0);
    stk_program_time(b.program, true);
    EXPECT_OK(stk_program_run(b.program, NULL, &err));
    list = (stk_lint_list){0};
    stk_lint_program(&list, b.program, &machine);
    item = find(&list, "reference_kernels");
    EXPECT(item && item->saves > 0.5);
    EXPECT_CONTAINS("measured", item->how);
    release(&b);
}

static stk_graph *product(void)
{
    stk_graph *g = begin();
    stk_symbol x = stk_graph_input(g, "x", STK_DTYPE_F32, stk_shape_2d(64, 64));
    x = stk_layer_dense(g, x, "fc", &(stk_dense_layer){.out = 64});
    stk_graph_output(g, "y", x);
    return g;
}

STK_TEST(float32_is_told_where_bfloat16_is_faster)
{
    stk_lint_machine m = machine;
    stk_lint_list    list = {0};
    bench            b;
    if (!compile(&b, product(), "cpu", NULL)) return;
    stk_lint_program(&list, b.program, &m);
    EXPECT(!find(&list, "float32")); /* the processor has none */
    m.bf16 = __builtin_cpu_supports("avx512f");
    stk_lint_program(&list, b.program, &m);
    EXPECT(!find(&list, "float32")); /* not tried */
    m.bf16_speed = 1.5;
    list = (stk_lint_list){0};
    stk_lint_program(&list, b.program, &m);
    const stk_lint *item = find(&list, "float32");
    EXPECT(!m.bf16 || (item && item->saves > 0.33 && item->saves < 0.34));
    m.bf16_speed = 0.9;
    list = (stk_lint_list){0};
    stk_lint_program(&list, b.program, &m);
    EXPECT(!find(&list, "float32"));
    release(&b);
}

/* Models that are made for it have nothing that a rule would tell, but what a machine could do. */
STK_TEST(usual_networks_are_clean)
{
    static const char *const names[] = {"cnn", "resnet8", "airbench", "mobilenet_v2", "vit_tiny"};
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        stk_graph       *g = begin();
        const stk_model *model;
        stk_error        err;
        EXPECT_OK(stk_model_find(&model, names[i], &err));
        const stk_model_options o = {.batch = 8, .size = model->size > 64 ? 64 : model->size};
        stk_graph_output(g, "y", stk_model_build(g, model, stk_model_input(g, model, &o), &o));
        stk_lint_list list = lint(g);
        EXPECT_INT_EQ(0, list.count);
    }
}

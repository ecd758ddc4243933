/* Convolutions of common models: by cuDNN and cuBLAS on a GPU. */
#include "compute/cuda/conv_support.h"
#include <stdlib.h>
#include <string.h>

enum { PAD4 = 2, PAD8 = 4 };

#define SQUARE(n, size, in_, out_, k, s, p)                                                        \
    {                                                                                              \
        .batch = n, .height = size, .width = size, .in = in_, .out = out_, .kernel = {k, k},       \
        .stride = {s, s}, .dilation = {1, 1}, .pad = {p, p, p, p}, .groups = 1, .tolerance = 1e-5  \
    }

static const convolution usual[] = {
    SQUARE(2, 4, 64, 8, 1, 1, 0), SQUARE(3, 5, 8, 24, 1, 2, 0), SQUARE(1, 4, 16, 8, 3, 1, 1),
    SQUARE(1, 5, 8, 16, 3, 2, 1), SQUARE(1, 4, 8, 8, 5, 1, 2),  SQUARE(1, 7, 3, 8, 7, 2, 3),
    SQUARE(1, 4, 1, 8, 3, 1, 1),  SQUARE(1, 4, 5, 8, 3, 1, 1),  SQUARE(1, 4, 24, 5, 1, 1, 0),
};

static const convolution unusual[] = {
    {.batch = 2,
     .height = 9,
     .width = 8,
     .in = 8,
     .out = 16,
     .kernel = {3, 3},
     .stride = {2, 2},
     .dilation = {1, 1},
     .pad = {0, 1, 0, 1},
     .groups = 1,
     .tolerance = 1e-5},
    {.batch = 1,
     .height = 10,
     .width = 9,
     .in = 16,
     .out = 8,
     .kernel = {3, 3},
     .stride = {1, 1},
     .dilation = {2, 2},
     .pad = {2, 2, 2, 2},
     .groups = 1,
     .tolerance = 1e-5},
    {.batch = 1,
     .height = 7,
     .width = 7,
     .in = 16,
     .out = 16,
     .kernel = {3, 3},
     .stride = {1, 1},
     .dilation = {1, 1},
     .pad = {1, 1, 1, 1},
     .groups = 2,
     .tolerance = 1e-5},
    {.batch = 1,
     .height = 5,
     .width = 12,
     .in = 8,
     .out = 8,
     .kernel = {1, 7},
     .stride = {1, 1},
     .dilation = {1, 1},
     .pad = {0, 0, 3, 3},
     .groups = 1,
     .tolerance = 1e-5},
};

static void expect_all(const convolution *c)
{
    static const stk_activation none, relu = {&stk_activation_relu, 0, 0};
    expect_forward(c, none, false, STK_FORMAT_PLAIN);
    expect_forward(c, relu, true, STK_FORMAT_PLAIN);
    expect_gradients(c, STK_FORMAT_PLAIN);
}

STK_TEST(convolutions_of_models)
{
    for (size_t i = 0; i < COUNT_OF(usual); i++)
        expect_all(&usual[i]);
}

STK_TEST(convolutions_of_other_models)
{
    for (size_t i = 0; i < COUNT_OF(unusual); i++)
        expect_all(&unusual[i]);
}

STK_TEST(first_layers_take_images_as_they_come)
{
    static const convolution *const first[] = {&usual[5], &usual[7]};
    static const stk_activation     none;
    for (size_t i = 0; i < COUNT_OF(first); i++)
        for (stk_format have = PAD4; have <= PAD8; have += PAD8 - PAD4) {
            expect_forward(first[i], none, true, have);
            expect_gradients(first[i], have);
        }
}

STK_TEST(an_activation_without_a_bias)
{
    static const stk_activation acts[] = {{&stk_activation_relu, 0, 0},
                                          {&stk_activation_clip, 0, 0.5f},
                                          {&stk_activation_silu, 0, 0}};
    for (size_t i = 0; i < COUNT_OF(acts); i++)
        expect_forward(&usual[2], acts[i], false, STK_FORMAT_PLAIN);
}

/* Timing runs every algorithm; one with wrong results could win. */
STK_TEST(the_fastest_way_gives_the_same_results)
{
    static const stk_activation relu = {&stk_activation_relu, 0, 0};
    EXPECT_INT_EQ(0, setenv("STOKER_TUNE", "on", 1));
    static const convolution measured[] = {SQUARE(2, 4, 64, 8, 1, 1, 0),
                                           SQUARE(1, 5, 8, 16, 3, 1, 1)};
    for (size_t i = 0; i < COUNT_OF(measured); i++) {
        expect_forward(&measured[i], relu, true, STK_FORMAT_PLAIN);
        expect_gradients(&measured[i], STK_FORMAT_PLAIN);
    }
    EXPECT_INT_EQ(0, setenv("STOKER_TUNE", "off", 1));
}

typedef struct gradient {
    stk_tensor_type   in[3], out;
    stk_conv2d_attrs  attrs;
    stk_op_instance   instance;
    const stk_kernel *kernel;
    stk_format        in_format[3], out_format;
    void             *data[3]; /* on the device */
    size_t            bytes[3];
} gradient;

static void make_gradient(gradient *g, const convolution *c)
{
    stk_device *device = cuda_device();
    stk_error   err;
    stk_format  have[3] = {0};
    g->attrs = attrs_of(c);
    g->attrs.size[0] = (int)c->height, g->attrs.size[1] = (int)c->width;
    g->in[0] = (stk_tensor_type){STK_DTYPE_F32, y_of(c)};
    g->in[1] = (stk_tensor_type){STK_DTYPE_F32, w_of(c)};
    g->in[2] = g->out = (stk_tensor_type){STK_DTYPE_F32, x_of(c)};
    g->instance = (stk_op_instance){"gradient", &g->attrs, 3, 1, g->in, &g->out};
    g->kernel = device->backend->kernel(device, &stk_graph_op_conv2d_grad_input, &g->instance);
    EXPECT_OK(g->kernel->formats(device, &g->instance, have, g->in_format, &g->out_format, &err));
    for (int i = 0; i < 3; i++) {
        g->bytes[i] = stk_type_bytes(&g->in[i]);
        float *values = malloc(g->bytes[i]);
        for (size_t k = 0; k < g->bytes[i] / sizeof *values; k++)
            values[k] = (float)((k * 7 + (size_t)i) % 13) - 6;
        g->data[i] = device->backend->alloc(device, g->bytes[i]);
        device->backend->upload(device, g->data[i], values, g->bytes[i]);
        EXPECT_OK(device->backend->sync(device, &err));
        free(values);
    }
}

/* dx, on the host, of a run that writes it to `to`. */
static float *run_gradient(gradient *g, void *to)
{
    stk_device     *device = cuda_device();
    stk_error       err;
    size_t          scratch = 0;
    const void     *in[3] = {g->data[0], g->data[1], g->data[2]};
    stk_kernel_call call = {.device = device,
                            .op = &stk_graph_op_conv2d_grad_input,
                            .instance = g->instance,
                            .in_format = g->in_format,
                            .out_format = &g->out_format,
                            .in = in,
                            .out = &to};
    float          *result = malloc(g->bytes[2]);
    if (g->kernel->prepare) EXPECT_OK(g->kernel->prepare(&call, &scratch, &err));
    call.scratch = device->backend->alloc(device, scratch + 1);
    EXPECT_OK(g->kernel->run(&call, &err));
    device->backend->download(device, result, to, g->bytes[2]);
    EXPECT_OK(device->backend->sync(device, &err));
    if (g->kernel->release) g->kernel->release(&call);
    device->backend->free(device, call.scratch, scratch + 1);
    return result;
}

STK_TEST(a_gradient_is_added_where_it_lies)
{
    static const convolution *const list[] = {&usual[0], &usual[2]};
    for (size_t i = 0; i < COUNT_OF(list); i++) {
        stk_device *device = cuda_device();
        gradient    g;
        make_gradient(&g, list[i]);
        void  *elsewhere = device->backend->alloc(device, g.bytes[2]);
        float *apart = run_gradient(&g, elsewhere), *over = run_gradient(&g, g.data[2]);
        EXPECT_MEM_EQ(apart, over, g.bytes[2]);
        device->backend->free(device, elsewhere, g.bytes[2]);
        for (int k = 0; k < 3; k++)
            device->backend->free(device, g.data[k], g.bytes[k]);
        free(apart);
        free(over);
    }
}

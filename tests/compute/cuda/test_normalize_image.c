#include "compute/cuda/cuda_support.h"
#include "compute/ops/graph_ops.h"
#include "compute/ops/update_ops.h"
#include <math.h>
#include <stoker/ops.h>
#include <stoker/program.h>

STK_TEST(images_of_bytes_in_every_type)
{
    static const stk_dtype dtypes[] = {STK_DTYPE_NONE, STK_DTYPE_F32, STK_DTYPE_F16,
                                       STK_DTYPE_BF16};
    for (int channels = 1; channels <= 4; channels++)
        for (size_t d = 0; d < COUNT_OF(dtypes); d++) {
            stk_normalize_image_attrs attrs = {.mean = {0.485f, 0.456f, 0.406f, 0.5f},
                                               .deviation = {0.229f, 0.224f, 0.225f, 0.25f},
                                               .channels = channels,
                                               .dtype = (int)dtypes[d]};
            EXPECT_CUDA((&(cuda_case){
                .op = &stk_graph_op_normalize_image,
                .attrs = &attrs,
                .inputs = 1,
                .only_float32 = true,
                .tolerance = dtypes[d] == STK_DTYPE_F16    ? 1e-3
                             : dtypes[d] == STK_DTYPE_BF16 ? 8e-3
                                                           : 0,
                .in = {{.shape = NHWC(2, 35, 31, channels), .dtype = STK_DTYPE_U8, .high = 256}}}));
        }
}

enum { SIDE = 6, PIXELS = 2 * SIDE * SIDE, CHANNELS = 3 };

/* Only convolutions read padded images; other readers get them plain. */
static void first_op(const char *backend, stk_dtype precision, unsigned off, float *y, float *z)
{
    static const float mean[] = {0.5f, 0.4f, 0.3f}, deviation[] = {0.2f, 0.3f, 0.4f};
    stk_error          err;
    stk_graph         *g;
    stk_device        *device;
    stk_variables     *variables;
    stk_program       *program;
    uint8_t            bytes[PIXELS * CHANNELS];
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)(i * 37);
    EXPECT_OK(stk_graph_new(&g, NULL, &err));
    stk_symbol x = stk_normalize_image(
        g, stk_graph_input(g, "x", STK_DTYPE_U8, stk_shape_4d(2, SIDE, SIDE, CHANNELS)), mean,
        deviation);
    stk_graph_output(g, "y",
                     stk_max_pool(g, x, &(stk_pool_options){.kernel = {2, 2}, .stride = {2, 2}}));
    stk_graph_output(g, "z", x);
    EXPECT_OK(stk_device_open(&device, backend, NULL, &err));
    EXPECT_OK(stk_variables_new(&variables, device, 1, &err));
    EXPECT_OK(stk_program_compile(&program, g, variables,
                                  &(stk_program_options){.precision = precision, .passes_off = off},
                                  &err));
    EXPECT_OK(stk_program_feed(program, "x", bytes, sizeof bytes, &err));
    EXPECT_OK(stk_program_run(program, NULL, &err));
    EXPECT_OK(stk_program_fetch(program, "y", y, PIXELS / 4 * CHANNELS * sizeof *y, &err));
    EXPECT_OK(stk_program_fetch(program, "z", z, PIXELS * CHANNELS * sizeof *z, &err));
    stk_program_free(program);
    stk_variables_free(variables);
    stk_device_free(device);
    stk_graph_free(g);
}

STK_TEST(the_first_op_need_not_be_a_convolution)
{
    float y[2][PIXELS / 4 * CHANNELS], z[2][PIXELS * CHANNELS];
    first_op("ref", STK_DTYPE_F32, 0, y[0], z[0]);
    for (int plain = 0; plain < 2; plain++) {
        first_op("cuda", STK_DTYPE_F32, plain ? STK_GRAPH_PASS_LAYOUT : 0, y[1], z[1]);
        for (size_t i = 0; i < COUNT_OF(z[0]); i++)
            EXPECT(fabsf(z[0][i] - z[1][i]) < 1e-5f);
        for (size_t i = 0; i < COUNT_OF(y[0]); i++)
            EXPECT(fabsf(y[0][i] - y[1][i]) < 1e-5f);
    }
}

/* Arithmetic and activations of the CPU backend. */
#include "compute/cpu/cpu_support.h"
#include "compute/ops/activation.h"
#include "compute/ops/graph_ops.h"
#include "compute/ops/shapes.h"

static const int64_t channels[] = {1, 3, 8, 17, 24, 64};

STK_TEST(activations_agree_with_the_reference_in_every_format)
{
    static const stk_activation acts[] = {
        {&stk_activation_relu, 0, 0},      {&stk_activation_clip, 0, 6},
        {&stk_activation_clip, 1, 2},      {&stk_activation_leaky_relu, 0.25f, 0},
        {&stk_activation_gelu, 0, 0},      {&stk_activation_silu, 0, 0},
        {&stk_activation_sigmoid, 0, 0},   {&stk_activation_tanh, 0, 0},
        {&stk_activation_hardswish, 0, 0}, {&stk_activation_hardsigmoid, 0, 0},
    };
    for (size_t a = 0; a < COUNT_OF(acts); a++)
        for (size_t c = 0; c < COUNT_OF(channels); c++) {
            stk_shape           shape = NHWC(3, 5, 7, channels[c]);
            const stk_graph_op *op = stk_graph_op_find(acts[a].row->name);
            expect_cpu(&(cpu_case){
                .op = op, .attrs = &acts[a], .inputs = 1, .in = {{shape, 0, -8, 8, NULL}}});
            expect_cpu(&(cpu_case){.op = stk_activation_grad_op(op),
                                   .attrs = &acts[a],
                                   .inputs = 2,
                                   .in = {{.shape = shape}, {shape, 0, -8, 8, NULL}}});
        }
}

STK_TEST(arithmetic_agrees_with_the_reference_in_every_format)
{
    static const stk_graph_op *const ops[] = {&stk_graph_op_add, &stk_graph_op_sub,
                                              &stk_graph_op_mul};
    for (size_t o = 0; o < COUNT_OF(ops); o++)
        for (size_t c = 0; c < COUNT_OF(channels); c++) {
            int64_t         k = channels[c];
            const stk_shape whole = NHWC(2, 5, 7, k);
            const stk_shape others[] = {whole,
                                        stk_shape_1d(k),
                                        NHWC(2, 1, 1, k),
                                        NHWC(1, 1, 1, k),
                                        stk_shape_scalar(),
                                        NHWC(2, 5, 7, 1),
                                        NHWC(1, 5, 7, k),
                                        NHWC(2, 1, 7, k)};
            for (size_t b = 0; b < COUNT_OF(others); b++) {
                expect_cpu(&(cpu_case){
                    .op = ops[o], .inputs = 2, .in = {{.shape = whole}, {.shape = others[b]}}});
                expect_cpu(&(cpu_case){
                    .op = ops[o], .inputs = 2, .in = {{.shape = others[b]}, {.shape = whole}}});
            }
        }
}

STK_TEST(arithmetic_broadcasts_both_sides)
{
    expect_cpu(&(cpu_case){.op = &stk_graph_op_mul,
                           .inputs = 2,
                           .in = {{.shape = stk_shape_2d(9, 1)}, {.shape = stk_shape_2d(1, 700)}}});
    expect_cpu(
        &(cpu_case){.op = &stk_graph_op_add,
                    .inputs = 2,
                    .in = {{.shape = stk_shape_2d(33, 1001)}, {.shape = stk_shape_1d(1001)}}});
    expect_cpu(&(cpu_case){.op = &stk_graph_op_add,
                           .inputs = 2,
                           .in = {{.shape = stk_shape_scalar()}, {.shape = stk_shape_scalar()}}});
}

STK_TEST(scale_agrees_with_the_reference_in_every_format)
{
    for (size_t c = 0; c < COUNT_OF(channels); c++)
        for (int shift = 0; shift < 2; shift++)
            expect_cpu(&(cpu_case){.op = &stk_graph_op_scale,
                                   .attrs = &(stk_scale_attrs){1.5, shift},
                                   .inputs = 1,
                                   .in = {{.shape = NHWC(3, 5, 7, channels[c])}}});
}

/* x through one activation on the CPU backend, row-major. */
static void activate(const stk_activation *act, const char *off, const float *x, float *y,
                     int64_t count)
{
    stk_device     *device;
    stk_error       err;
    stk_tensor_type type = {STK_DTYPE_F32, stk_shape_1d(count)};
    stk_format      format = STK_FORMAT_PLAIN;
    setenv("STOKER_CPU_OFF", off, 1);
    EXPECT_OK(stk_device_open(&device, "cpu", &(stk_device_options){.threads = 1}, &err));
    unsetenv("STOKER_CPU_OFF");
    stk_kernel_call call = {.device = device,
                            .op = stk_graph_op_find(act->row->name),
                            .instance = {"case", act, 1, 1, &type, &type},
                            .in_format = &format,
                            .out_format = &format,
                            .in = (const void *[]){x},
                            .out = (void *[]){y}};
    EXPECT_OK(device->backend->kernel(device, call.op, &call.instance)->run(&call, &err));
    stk_device_free(device);
}

static double sigmoid_of(double x)
{
    return 1 / (1 + exp(-x));
}

/* Relative to the result: tanh must be accurate near 0; sigmoid far below 0 is e^x. */
STK_TEST(vectors_of_exp_and_tanh_are_as_exact_as_libm)
{
    enum { COUNT = 40001 };
    static float             x[COUNT], y[COUNT];
    static const char *const offs[] = {"", "avx512", "avx512,avx2"};
    for (size_t k = 0; k < COUNT_OF(offs); k++)
        for (int which = 0; which < 2; which++) {
            for (int i = 0; i < COUNT; i++)
                x[i] = (float)(i - COUNT / 2) * (which ? 5e-4f : 4.3e-3f);
            activate(
                &(stk_activation){which ? &stk_activation_tanh : &stk_activation_sigmoid, 0, 0},
                offs[k], x, y, COUNT);
            for (int i = 0; i < COUNT; i++) {
                double exact = which ? tanh((double)x[i]) : sigmoid_of((double)x[i]);
                if (!(fabs((double)y[i] - exact) <= 1e-6 * fabs(exact)))
                    fail_msg("%s(%.9g) is %.9g, not %.9g", which ? "tanh" : "sigmoid", (double)x[i],
                             (double)y[i], exact);
            }
        }
}

STK_TEST(what_is_not_a_number_or_infinite_passes_through_activations)
{
    static const char *const offs[] = {"", "avx512", "avx512,avx2"};
    const float              x[4] = {NAN, INFINITY, -INFINITY, 100};
    float                    y[4];
    for (size_t k = 0; k < COUNT_OF(offs); k++) {
        activate(&(stk_activation){&stk_activation_sigmoid, 0, 0}, offs[k], x, y, 4);
        EXPECT(isnan(y[0]) && y[1] == 1 && y[2] == 0 && y[3] == 1);
        activate(&(stk_activation){&stk_activation_tanh, 0, 0}, offs[k], x, y, 4);
        EXPECT(isnan(y[0]) && y[1] == 1 && y[2] == -1 && y[3] == 1);
        activate(&(stk_activation){&stk_activation_gelu, 0, 0}, offs[k], x, y, 4);
        EXPECT(isnan(y[0]) && isinf(y[1]) && y[3] == 100);
        activate(&(stk_activation){&stk_activation_clip, 0, 6}, offs[k], x, y, 4);
        EXPECT(isnan(y[0]) && y[1] == 6 && y[2] == 0 && y[3] == 6);
    }
}

#include "compute/cuda/cuda_support.h"
#include "compute/ops/batch_norm.h"
#include "compute/ops/graph_ops.h"

enum { PAD8 = 4 };

#define CHANNELS(c)                                                                                \
    {                                                                                              \
        .shape = VECTOR(c), .dtype = STK_DTYPE_F32                                                 \
    }
#define POSITIVE(c)                                                                                \
    {                                                                                              \
        .shape = VECTOR(c), .dtype = STK_DTYPE_F32, .low = 0.1, .high = 2                          \
    }

/* One; odd; one register; more rows than a small kernel takes; several tiles, the last incomplete;
 * more channels than rows. */
static const stk_shape shapes[] = {
    NHWC(1, 1, 1, 1),   NHWC(2, 3, 5, 3),    NHWC(2, 5, 3, 12),   NHWC(9, 15, 16, 72),
    NHWC(2, 5, 5, 264), NHWC(1, 2, 2, 2048), NHWC(30, 1, 1, 130),
};

static const stk_activation acts[] = {
    {NULL, 0, 0},
    {&stk_activation_relu, 0, 0},
    {&stk_activation_clip, -0.25f, 0.5f},
    {&stk_activation_leaky_relu, 0.1f, 0},
    {&stk_activation_gelu, 0, 0},
    {&stk_activation_silu, 0, 0},
    {&stk_activation_sigmoid, 0, 0},
    {&stk_activation_tanh, 0, 0},
    {&stk_activation_hardswish, 0, 0},
    {&stk_activation_hardsigmoid, 0, 0},
};

static const int mask_inputs[] = {0, 1, 2, 1};

static cuda_input seen_of(stk_shape shape, stk_bn_mask mask)
{
    stk_tensor_type type = {STK_DTYPE_F32, shape}, bits = stk_bn_bits_of(&type);
    if (mask == STK_BN_MASK_OUTPUT) return (cuda_input){.shape = shape};
    if (mask == STK_BN_MASK_BITS)
        return (cuda_input){.shape = bits.shape, .dtype = bits.dtype, .high = 256};
    return (cuda_input)CHANNELS((int)shape.dim[3]);
}

static void expect_grads(stk_shape shape, stk_bn_mask mask, const stk_activation *act,
                         stk_format have)
{
    const stk_bn_grad_attrs attrs = {mask, 0, *act};
    int                     c = (int)shape.dim[3];
    const cuda_input        channels = CHANNELS(c), positive = POSITIVE(c), full = {.shape = shape};
    const cuda_input        seen = seen_of(shape, mask);
    EXPECT_CUDA((&(cuda_case){.op = &stk_graph_op_bn_grad_sums,
                              .attrs = &attrs,
                              .inputs = 4 + mask_inputs[mask],
                              .have = have,
                              .tolerance = 1e-5,
                              .tolerance16 = 2e-5,
                              .in = {full, full, channels, positive, seen, channels}}));
    for (int outputs = 1; outputs <= 2; outputs++)
        EXPECT_CUDA((&(cuda_case){
            .op = &stk_graph_op_bn_grad_apply,
            .attrs = &attrs,
            .inputs = 7 + mask_inputs[mask],
            .outputs = outputs,
            .have = have,
            .in = {full, full, channels, positive, channels, channels, channels, seen, channels}}));
}

STK_TEST(bn_gradients)
{
    for (int mask = STK_BN_MASK_NONE; mask <= STK_BN_MASK_BITS; mask++)
        for (size_t i = 0; i < COUNT_OF(shapes); i++)
            expect_grads(shapes[i], (stk_bn_mask)mask, &acts[mask > 0], STK_FORMAT_PLAIN);
    for (int mask = STK_BN_MASK_OUTPUT; mask <= STK_BN_MASK_INPUT; mask++)
        for (size_t a = 1; a < COUNT_OF(acts); a++) {
            if (mask == STK_BN_MASK_OUTPUT && !acts[a].row->from_output) continue;
            expect_grads(NHWC(2, 3, 3, 16), (stk_bn_mask)mask, &acts[a], STK_FORMAT_PLAIN);
            expect_grads(NHWC(2, 3, 3, 5), (stk_bn_mask)mask, &acts[a], STK_FORMAT_PLAIN);
        }
    for (int mask = STK_BN_MASK_OUTPUT; mask <= STK_BN_MASK_BITS; mask++)
        expect_grads(NHWC(2, 3, 3, 13), (stk_bn_mask)mask, &acts[2], PAD8);
    expect_grads(NHWC(0, 3, 3, 8), STK_BN_MASK_NONE, &acts[0], STK_FORMAT_PLAIN);
}

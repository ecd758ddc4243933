#include "compute/cuda/cudnn_conv_problem.h"
#include "compute/cuda/act.h"
#include "compute/ops/graph_ops.h"
#include <stdio.h>

const stk_graph_op *stk_conv_op(stk_conv_direction pass)
{
    static const stk_graph_op *const ops[] = {
        [STK_CONV_FORWARD] = &stk_graph_op_conv2d,
        [STK_CONV_INPUT] = &stk_graph_op_conv2d_grad_input,
        [STK_CONV_WEIGHT] = &stk_graph_op_conv2d_grad_weight,
    };
    return ops[pass];
}

stk_conv_problem stk_conv_problem_of(const stk_device *device, stk_conv_direction pass,
                                     const stk_op_instance *instance, stk_format x)
{
    stk_conv_problem       c = {.pass = pass,
                                .dtype = instance->in[0].dtype,
                                .shape = stk_conv2d_shape_of(stk_conv_op(pass), instance),
                                .attrs = *(const stk_conv2d_attrs *)instance->attrs,
                                .bias = pass == STK_CONV_FORWARD && instance->input_count > 2,
                                .addend = pass == STK_CONV_INPUT && instance->input_count > 2,
                                .deterministic = device->options.deterministic,
                                .tf32 = device->options.tf32};
    const stk_tensor_type *images = pass == STK_CONV_INPUT ? &instance->out[0] : &instance->in[0];
    c.shape.in_c = stk_cuda_layout_of(images, x).padded;
    if (pass == STK_CONV_FORWARD) stk_cuda_act_of(&c.attrs.act, &c.act);
    return c;
}

bool stk_conv_is_gemm(const stk_conv_problem *c)
{
    const stk_conv2d_attrs *a = &c->attrs;
    return c->shape.kernel_h == 1 && c->shape.kernel_w == 1 && a->stride[0] == 1 &&
           a->stride[1] == 1 && a->groups == 1 && !a->pad[0] && !a->pad[1] && !a->pad[2] &&
           !a->pad[3];
}

bool stk_conv_has_more(const stk_conv_problem *c)
{
    return c->bias || c->addend || c->act.act != STK_CUDA_ACT_NONE;
}

char *stk_conv_key(const stk_conv_problem *c, char *text, size_t capacity)
{
    const stk_conv2d_shape *s = &c->shape;
    const stk_conv2d_attrs *a = &c->attrs;
    snprintf(text, capacity,
             "%s %s %lld,%lld,%lld,%lld %lld,%lld,%lld stride %d,%d dilation %d,%d pad %d,%d,%d,%d "
             "groups %d act %d,%g,%g%s%s%s%s",
             stk_conv_op(c->pass)->name, stk_dtype_name(c->dtype), (long long)s->batch,
             (long long)s->in_h, (long long)s->in_w, (long long)s->in_c, (long long)s->out_c,
             (long long)s->kernel_h, (long long)s->kernel_w, a->stride[0], a->stride[1],
             a->dilation[0], a->dilation[1], a->pad[0], a->pad[1], a->pad[2], a->pad[3], a->groups,
             (int)c->act.act, (double)c->act.a, (double)c->act.b, c->bias ? " bias" : "",
             c->addend ? " plus" : "", c->deterministic ? " deterministic" : "",
             c->tf32 ? " tf32" : "");
    return text;
}

static cudnnDataType_t type_of(stk_dtype dtype)
{
    return dtype == STK_DTYPE_F16    ? CUDNN_DATA_HALF
           : dtype == STK_DTYPE_BF16 ? CUDNN_DATA_BFLOAT16
                                     : CUDNN_DATA_FLOAT;
}

static void put_conv(const stk_conv_problem *c, stk_cudnn_spec *spec)
{
    static const stk_cudnn_kind kinds[] = {STK_CUDNN_CONV, STK_CUDNN_CONV_DATA,
                                           STK_CUDNN_CONV_FILTER};
    const stk_conv2d_attrs     *a = &c->attrs;
    stk_cudnn_op               *op = &spec->op[spec->ops++];
    *op = (stk_cudnn_op){.kind = kinds[c->pass], .tensor = {1, 2, 3}};
    for (int i = 0; i < 2; i++) {
        op->stride[i] = a->stride[i];
        op->dilation[i] = a->dilation[i];
        op->before[i] = a->pad[2 * i];
        op->after[i] = a->pad[2 * i + 1];
    }
}

static int put_pointwise(stk_cudnn_spec *spec, int mode, int x, int b, int y)
{
    spec->op[spec->ops++] =
        (stk_cudnn_op){.kind = STK_CUDNN_POINTWISE, .mode = mode, .tensor = {x, b, y}};
    return y;
}

static int put_tensor(stk_cudnn_spec *spec, const stk_cudnn_tensor *tensor)
{
    spec->tensor[spec->tensors++] = *tensor;
    return spec->tensors;
}

/* The pointwise mode of an activation; -1: cuDNN has no exact equivalent. */
static int mode_of(const stk_cuda_activation *act)
{
    switch (act->act) {
    case STK_CUDA_ACT_RELU:
        return CUDNN_POINTWISE_RELU_FWD;
    case STK_CUDA_ACT_CLIP:
        return act->a == 0 && act->b > 0 ? CUDNN_POINTWISE_RELU_FWD : -1;
    case STK_CUDA_ACT_SILU:
        return CUDNN_POINTWISE_SWISH_FWD;
    case STK_CUDA_ACT_SIGMOID:
        return CUDNN_POINTWISE_SIGMOID_FWD;
    default:
        return -1;
    }
}

bool stk_conv_spec_can(const stk_conv_problem *c)
{
    return c->act.act == STK_CUDA_ACT_NONE || mode_of(&c->act) >= 0;
}

/* A virtual tensor: not rounded. */
static int between(stk_cudnn_spec *spec)
{
    stk_cudnn_tensor t = spec->tensor[STK_CONV_RESULT];
    t.dtype = CUDNN_DATA_FLOAT;
    t.is_virtual = true;
    return put_tensor(spec, &t);
}

static void put_more(const stk_conv_problem *c, stk_cudnn_spec *spec)
{
    enum { RESULT = STK_CONV_RESULT + 1, THIRD = STK_CONV_THIRD + 1 };
    bool             acts = c->act.act != STK_CUDA_ACT_NONE, adds = c->bias || c->addend;
    stk_cudnn_tensor third = spec->tensor[STK_CONV_RESULT];
    if (c->bias)
        third = (stk_cudnn_tensor){.dim = {1, c->shape.out_c, 1, 1}, .dtype = CUDNN_DATA_FLOAT};
    third.is_virtual = !adds;
    put_tensor(spec, &third);
    int at = between(spec);
    spec->op[0].tensor[2] = at;
    if (adds)
        at = put_pointwise(spec, CUDNN_POINTWISE_ADD, at, THIRD, acts ? between(spec) : RESULT);
    if (!acts) return;
    put_pointwise(spec, mode_of(&c->act), at, 0, RESULT);
    if (c->act.act == STK_CUDA_ACT_CLIP) spec->op[spec->ops - 1].upper = (double)c->act.b;
}

void stk_conv_spec(const stk_conv_problem *c, bool more, stk_cudnn_spec *out)
{
    const stk_conv2d_shape *s = &c->shape;
    cudnnDataType_t         type = type_of(c->dtype);
    stk_cudnn_tensor        x = {.dim = {s->batch, s->in_c, s->in_h, s->in_w}, .dtype = type};
    stk_cudnn_tensor w = {.dim = {s->out_c, s->in_c / c->attrs.groups, s->kernel_h, s->kernel_w},
                          .dtype = type};
    stk_cudnn_tensor y = {.dim = {s->batch, s->out_c, s->out_h, s->out_w}, .dtype = type};
    *out = (stk_cudnn_spec){.name = stk_conv_op(c->pass)->name};
    put_tensor(out, c->pass == STK_CONV_INPUT ? &y : &x);
    put_tensor(out, c->pass == STK_CONV_WEIGHT ? &y : &w);
    put_tensor(out, c->pass == STK_CONV_FORWARD ? &y : c->pass == STK_CONV_INPUT ? &x : &w);
    put_conv(c, out);
    if (more) put_more(c, out);
}

/* Sums must be float32 of unrounded factors; transforms that lose precision are refused. Exception:
 * the engine for first layers sums partly in float16. Its error is 2.4 times that of one rounding,
 * its time a third. */
uint32_t stk_conv_refused(const stk_conv_problem *c)
{
    enum { FEW = 4 };
    uint32_t bits = 1u << CUDNN_NUMERICAL_NOTE_REDUCED_PRECISION_REDUCTION |
                    1u << CUDNN_NUMERICAL_NOTE_DOWN_CONVERT_INPUTS |
                    1u << CUDNN_NUMERICAL_NOTE_FFT | 1u << CUDNN_NUMERICAL_NOTE_WINOGRAD |
                    1u << CUDNN_NUMERICAL_NOTE_WINOGRAD_TILE_4x4 |
                    1u << CUDNN_NUMERICAL_NOTE_WINOGRAD_TILE_6x6 |
                    1u << CUDNN_NUMERICAL_NOTE_WINOGRAD_TILE_13x13;
    if (c->dtype == STK_DTYPE_F32 && !c->tf32) bits |= 1u << CUDNN_NUMERICAL_NOTE_TENSOR_CORE;
    if (c->dtype == STK_DTYPE_F32 && c->tf32)
        bits &= ~(1u << CUDNN_NUMERICAL_NOTE_DOWN_CONVERT_INPUTS);
    if (c->dtype == STK_DTYPE_F16 && c->shape.in_c <= FEW)
        bits &= ~(1u << CUDNN_NUMERICAL_NOTE_REDUCED_PRECISION_REDUCTION);
    if (c->deterministic) bits |= 1u << CUDNN_NUMERICAL_NOTE_NONDETERMINISTIC;
    return bits;
}

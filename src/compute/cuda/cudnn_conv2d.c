/* conv2d, dgrad and wgrad by cuDNN and cuBLAS. Weights are KRSC; input channels are zero-padded if
 * that is faster. */
#include "compute/cuda/cuda_kernels.h"
#include "compute/cuda/cudnn_conv_choose.h"
#include "compute/cuda/native_conv.h"
#include "compute/ops/graph_ops.h"
#include <stdio.h>
#include <stdlib.h>

enum { DETAIL = 256, ALIGNMENT = 256 };

typedef struct state {
    const stk_conv_chosen *chosen;
    stk_conv_bound_pack    bound_pack;
    const stk_kernel      *instead; /* used if no library algorithm runs; else NULL */
    size_t                 partial; /* offset in scratch of partial sums for the bias */
    char                   detail[DETAIL];
} state;

static bool can(const stk_device *device, const stk_op_instance *instance, stk_conv_direction pass)
{
    if (!stk_cuda_conv_can(stk_conv_op(pass), instance) || instance->in[0].shape.dim[0] == 0)
        return false;
    stk_conv_problem c = stk_conv_problem_of(device, pass, instance, STK_FORMAT_PLAIN);
    return stk_conv_can(device, &c);
}

/* Without tensor cores padding gains nothing, but existing padding does no harm. For float16 only,
 * cuDNN has an engine for first layers that takes four channels in a third of the time
 * (docs/design/cuda-convolutions.md). */
static stk_format wanted_padding(const stk_device *device, const stk_tensor_type *x,
                                 stk_format have)
{
    if (x->dtype == STK_DTYPE_F32 && !device->options.tf32)
        return have == STK_CUDA_PAD4 ? have : (stk_format)STK_FORMAT_PLAIN;
    return x->dtype == STK_DTYPE_BF16 ? (stk_format)STK_CUDA_PAD8 : stk_cuda_padding_of(x);
}

static stk_status decide(stk_device *device, const stk_op_instance *instance,
                         stk_conv_direction pass, stk_format have, stk_format *x, stk_error *err)
{
    const stk_conv2d_attrs *attrs = instance->attrs;
    *x = attrs->groups == 1 ? wanted_padding(device, &instance->in[0], have)
                            : (stk_format)STK_FORMAT_PLAIN;
    stk_conv_problem plain = stk_conv_problem_of(device, pass, instance, STK_FORMAT_PLAIN);
    stk_conv_problem padded = stk_conv_problem_of(device, pass, instance, *x);
    if (padded.shape.in_c == plain.shape.in_c || !stk_conv_can(device, &padded)) {
        *x = STK_FORMAT_PLAIN;
        padded = plain;
    }
    return stk_conv_enqueue_choice(device, &padded, err);
}

static stk_status formats(stk_device *device, const stk_op_instance *instance,
                          const stk_format *have, stk_format *in, stk_format *out, stk_error *err)
{
    STK_TRY(decide(device, instance, STK_CONV_FORWARD, have[0], &in[0], err));
    in[1] = STK_CUDA_WEIGHTS | in[0];
    if (instance->input_count > 2) in[2] = STK_FORMAT_PLAIN;
    out[0] = STK_FORMAT_PLAIN;
    return STK_OK;
}

static stk_status formats_input(stk_device *device, const stk_op_instance *instance,
                                const stk_format *have, stk_format *in, stk_format *out,
                                stk_error *err)
{
    (void)have;
    in[0] = out[0] = STK_FORMAT_PLAIN;
    in[1] = STK_CUDA_WEIGHTS;
    if (instance->input_count > 2) in[2] = STK_FORMAT_PLAIN;
    stk_conv_problem c = stk_conv_problem_of(device, STK_CONV_INPUT, instance, STK_FORMAT_PLAIN);
    return stk_conv_enqueue_choice(device, &c, err);
}

static stk_status formats_weight(stk_device *device, const stk_op_instance *instance,
                                 const stk_format *have, stk_format *in, stk_format *out,
                                 stk_error *err)
{
    STK_TRY(decide(device, instance, STK_CONV_WEIGHT, have[0], &in[0], err));
    in[1] = STK_FORMAT_PLAIN;
    out[0] = STK_CUDA_WEIGHTS | in[0];
    if (instance->output_count > 1) out[1] = STK_FORMAT_PLAIN;
    return STK_OK;
}

static bool has_bias_sum(const stk_kernel_call *call, stk_conv_direction pass)
{
    return pass == STK_CONV_WEIGHT && call->instance.output_count > 1;
}

static void describe(state *s, const stk_cuda_libraries *l)
{
    char text[STK_TUNING_CHOICE];
    int  used =
        snprintf(s->detail, sizeof s->detail, "%.60s, %s",
                 stk_conv_algorithm_text(&s->chosen->algorithm, text, sizeof text), s->chosen->how);
    if (s->chosen->us > 0)
        used +=
            snprintf(s->detail + used, sizeof s->detail - (size_t)used, ", %.1f us", s->chosen->us);
    snprintf(s->detail + used, sizeof s->detail - (size_t)used, "%.*s", DETAIL / 2, l->kept);
}

static stk_status prepare_instead(stk_kernel_call *call, stk_conv_direction pass, size_t *scratch,
                                  stk_error *err)
{
    static const stk_kernel *const rows[] = {&stk_cuda_direct, &stk_cuda_direct_input,
                                             &stk_cuda_direct_weight};
    state                         *s = call->state;
    s->instead = rows[pass];
    if (pass == STK_CONV_WEIGHT && call->out_format[0] != STK_CUDA_WEIGHTS)
        return stk_fail(err, STK_E_UNSUPPORTED, call->op->name, call->instance.name,
                        "no engine of cuDNN's that was proposed for it runs");
    return s->instead->prepare ? s->instead->prepare(call, scratch, err) : STK_OK;
}

static stk_status prepare_with(stk_kernel_call *call, stk_conv_direction pass, size_t *scratch,
                               stk_error *err)
{
    state              *s = call->state;
    stk_cuda_libraries *l;
    stk_conv_problem    c =
        stk_conv_problem_of(call->device, pass, &call->instance,
                            pass == STK_CONV_INPUT ? call->out_format[0] : call->in_format[0]);
    STK_TRY(stk_conv_choose(call->device, &c, &s->chosen, err));
    STK_TRY(stk_cuda_libraries_of(call->device, &l, err));
    describe(s, l);
    if (s->chosen->algorithm.kind == STK_CONV_NO_ALGORITHM)
        return prepare_instead(call, pass, scratch, err);
    *scratch = stk_conv_algorithm_scratch(&c, &s->chosen->algorithm);
    if (!has_bias_sum(call, pass)) return STK_OK;
    stk_cuda_reduce_args sum = stk_cuda_conv_bias_sum(call);
    s->partial = (*scratch + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    *scratch = s->partial + (size_t)(sum.splits * sum.inner) * sizeof(float);
    return STK_OK;
}

static void release(stk_kernel_call *call)
{
    state *s = call->state;
    if (!s) return;
    stk_conv_bound_pack_release(&s->bound_pack);
    free(s);
    call->state = NULL;
}

static stk_status prepare(stk_kernel_call *call, stk_conv_direction pass, size_t *scratch,
                          stk_error *err)
{
    call->state = calloc(1, sizeof(state));
    if (!call->state)
        return stk_fail(err, STK_E_NOMEM, call->op->name, call->instance.name, "no memory");
    stk_status st = prepare_with(call, pass, scratch, err);
    if (st) release(call);
    return st;
}

static stk_status sum_bias(const stk_kernel_call *call, stk_error *err)
{
    const state         *s = call->state;
    stk_cuda_reduce_args args = stk_cuda_conv_bias_sum(call);
    args.partial = (float *)((char *)call->scratch + s->partial);
    return stk_cuda_launched(call, stk_cuda_reduce_launch(&args, stk_cuda_of(call->device)->stream),
                             err);
}

static stk_status run(const stk_kernel_call *call, stk_conv_direction pass, stk_error *err)
{
    state              *s = call->state;
    stk_cuda_libraries *l;
    if (s->instead) return s->instead->run(call, err);
    STK_TRY(stk_cuda_libraries_of(call->device, &l, err));
    const stk_conv_addresses addresses = {
        .at = {[STK_CONV_FIRST] = (void *)call->in[0],
               [STK_CONV_SECOND] = (void *)call->in[1],
               [STK_CONV_RESULT] = call->out[0],
               [STK_CONV_THIRD] = call->instance.input_count > 2 ? (void *)call->in[2] : NULL},
        .scratch = call->scratch};
    STK_TRY(stk_conv_algorithm_run(call->device, l->cudnn, &s->chosen->c, &s->chosen->algorithm,
                                   &addresses, &s->bound_pack, err));
    return has_bias_sum(call, pass) && call->out[1] ? sum_bias(call, err) : STK_OK;
}

static const char *detail(const stk_kernel_call *call)
{
    return ((const state *)call->state)->detail;
}

#define ROW(id, pass, op_, formats_)                                                               \
    static bool can_##id(const stk_device *device, const stk_op_instance *instance)                \
    {                                                                                              \
        return can(device, instance, pass);                                                        \
    }                                                                                              \
    static stk_status prepare_##id(stk_kernel_call *call, size_t *scratch, stk_error *err)         \
    {                                                                                              \
        return prepare(call, pass, scratch, err);                                                  \
    }                                                                                              \
    static stk_status run_##id(const stk_kernel_call *call, stk_error *err)                        \
    {                                                                                              \
        return run(call, pass, err);                                                               \
    }                                                                                              \
    const stk_kernel stk_cuda_##id = {                                                             \
        .op = &stk_graph_op_##op_,                                                                 \
        .name = "cudnn",                                                                           \
        .can = can_##id,                                                                           \
        .formats = formats_,                                                                       \
        .requires_formats = true,                                                                  \
        .prepare = prepare_##id,                                                                   \
        .run = run_##id,                                                                           \
        .release = release,                                                                        \
        .detail = detail,                                                                          \
    }

ROW(cudnn_conv2d, STK_CONV_FORWARD, conv2d, formats);
ROW(cudnn_conv2d_input, STK_CONV_INPUT, conv2d_grad_input, formats_input);
ROW(cudnn_conv2d_weight, STK_CONV_WEIGHT, conv2d_grad_weight, formats_weight);

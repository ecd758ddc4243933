#include "compute/cuda/gemm.h"
#include "compute/cuda/cuda.h"
#include "compute/cuda/cuda_kernels.h"
#include "compute/cuda_kernels/hopper_gemm.h"
#include "compute/ops/conv2d.h"
#include "compute/ops/graph_ops.h"

/* With fewer rows prologue and epilogue dominate; with more columns x is reread too often; with
 * more depth libraries are faster (docs/design/cuda-convolutions.md). */
enum { ROWS_MIN = 8192, COLUMNS_MAX = 1024, DEPTH_MAX = 256 };

/* One row per pixel. */
static bool is_gemm(const stk_conv2d_attrs *a, const stk_conv2d_shape *s)
{
    return s->kernel_h == 1 && s->kernel_w == 1 && a->stride[0] == 1 && a->stride[1] == 1 &&
           a->groups == 1 && !a->pad[0] && !a->pad[1] && !a->pad[2] && !a->pad[3] && !a->act.row;
}

static int tile_of(int64_t columns, int64_t depth, int results)
{
    const int wide = STK_CUDA_GEMM_WIDE, narrow = STK_CUDA_GEMM_NARROW;
    if (stk_cuda_gemm_fits(columns, depth, wide, results)) return wide;
    return stk_cuda_gemm_fits(columns, depth, narrow, results) ? narrow : 0;
}

static stk_cuda_gemm_args args_of(const stk_device *device, const stk_graph_op *op,
                                  const stk_op_instance *instance)
{
    stk_cuda        *cuda = stk_cuda_of(device);
    stk_conv2d_shape s = stk_conv2d_shape_of(op, instance);
    bool             forward = op == &stk_graph_op_conv2d;
    int64_t          columns = forward ? s.out_c : s.in_c, depth = forward ? s.in_c : s.out_c;
    return (stk_cuda_gemm_args){.dtype = (int)instance->in[0].dtype,
                                .rows = s.batch * s.out_h * s.out_w,
                                .columns = columns,
                                .depth = depth,
                                .tile = tile_of(columns, depth, 1),
                                .processors = cuda->processors,
                                .counters = cuda->counters};
}

bool stk_cuda_gemm_in(const stk_device *device, stk_dtype precision)
{
    return stk_cuda_of(device)->hopper &&
           (precision == STK_DTYPE_F16 || precision == STK_DTYPE_BF16);
}

static bool pays(const stk_device *device, const stk_graph_op *op, const stk_op_instance *instance)
{
    stk_conv2d_shape s = stk_conv2d_shape_of(op, instance);
    if (!stk_cuda_gemm_in(device, instance->in[0].dtype) || !is_gemm(instance->attrs, &s))
        return false;
    stk_cuda_gemm_args args = args_of(device, op, instance);
    return args.tile && args.rows >= ROWS_MIN && args.columns <= COLUMNS_MAX &&
           args.depth <= DEPTH_MAX && args.rows <= INT32_MAX - STK_CUDA_GEMM_ROWS;
}

bool stk_cuda_gemm_stats_can(const stk_kernel_call *call, size_t *scratch)
{
    if (!pays(call->device, &stk_graph_op_conv2d, &call->instance)) return false;
    if (call->instance.input_count > 2 || call->in_format[0] != STK_FORMAT_PLAIN) return false;
    stk_cuda_gemm_args args = args_of(call->device, &stk_graph_op_conv2d, &call->instance);
    *scratch = stk_cuda_gemm_bytes(&args);
    return true;
}

stk_status stk_cuda_gemm_stats_run(const stk_kernel_call *call, stk_error *err)
{
    stk_cuda_gemm_args args = args_of(call->device, &stk_graph_op_conv2d, &call->instance);
    args.x = call->in[0];
    args.w = call->in[1];
    args.y = call->out[STK_CONV2D_Y];
    args.partials = call->scratch;
    args.mean = call->out[STK_CONV2D_MEAN];
    args.var = call->out[STK_CONV2D_VAR];
    return stk_cuda_launched(
        call, stk_cuda_gemm_stats_launch(&args, stk_cuda_of(call->device)->stream), err);
}

/* dgrad with an addend. */
static bool can_sum(const stk_device *device, const stk_op_instance *instance)
{
    return instance->input_count == 3 && instance->in[1].dtype == instance->in[0].dtype &&
           instance->in[2].dtype == instance->in[0].dtype &&
           pays(device, &stk_graph_op_conv2d_grad_input, instance);
}

static stk_status sum_formats(stk_device *device, const stk_op_instance *instance,
                              const stk_format *have, stk_format *in, stk_format *out,
                              stk_error *err)
{
    (void)device, (void)instance, (void)have, (void)err;
    in[0] = in[2] = out[0] = STK_FORMAT_PLAIN;
    in[1] = STK_CUDA_WEIGHTS;
    return STK_OK;
}

static stk_status run_sum(const stk_kernel_call *call, stk_error *err)
{
    stk_cuda_gemm_args args =
        args_of(call->device, &stk_graph_op_conv2d_grad_input, &call->instance);
    args.x = call->in[0];
    args.w = call->in[1];
    args.addend = call->in[2];
    args.y = call->out[0];
    return stk_cuda_launched(
        call, stk_cuda_gemm_sum_launch(&args, stk_cuda_of(call->device)->stream), err);
}

const stk_kernel stk_cuda_gemm_sum = {
    .op = &stk_graph_op_conv2d_grad_input,
    .name = "product",
    .can = can_sum,
    .formats = sum_formats,
    .requires_formats = true,
    .run = run_sum,
};

/* The same, masked by bits and with the sums of batch norm's gradient. */
static stk_op_instance sum_of(const stk_op_instance *instance)
{
    return (stk_op_instance){instance->name, instance->attrs, STK_GRAD_NORM_BITS, 1,
                             instance->in,   instance->out};
}

static stk_cuda_gemm_args norm_args(const stk_device *device, const stk_op_instance *instance)
{
    const stk_op_instance sum = sum_of(instance);
    stk_cuda_gemm_args    args = args_of(device, &stk_graph_op_conv2d_grad_input, &sum);
    args.tile = tile_of(args.columns, args.depth, 2);
    return args;
}

static bool can_norm(const stk_device *device, const stk_op_instance *instance)
{
    const stk_op_instance sum = sum_of(instance);
    return instance->in[STK_GRAD_NORM_X].dtype == instance->in[0].dtype && can_sum(device, &sum) &&
           norm_args(device, instance).tile;
}

static stk_status norm_formats(stk_device *device, const stk_op_instance *instance,
                               const stk_format *have, stk_format *in, stk_format *out,
                               stk_error *err)
{
    for (int i = STK_GRAD_NORM_BITS; i < STK_GRAD_NORM_INPUTS; i++)
        in[i] = STK_FORMAT_PLAIN;
    out[1] = out[2] = STK_FORMAT_PLAIN;
    return sum_formats(device, instance, have, in, out, err);
}

static stk_status prepare_norm(stk_kernel_call *call, size_t *scratch, stk_error *err)
{
    const stk_cuda_gemm_args args = norm_args(call->device, &call->instance);
    (void)err;
    *scratch = stk_cuda_gemm_bytes(&args);
    return STK_OK;
}

static stk_status run_norm(const stk_kernel_call *call, stk_error *err)
{
    stk_cuda_gemm_args args = norm_args(call->device, &call->instance);
    args.x = call->in[STK_GRAD_NORM_DY];
    args.w = call->in[STK_GRAD_NORM_W];
    args.addend = call->in[STK_GRAD_NORM_ADDEND];
    args.bits = call->in[STK_GRAD_NORM_BITS];
    args.norm_x = call->in[STK_GRAD_NORM_X];
    args.mean = (float *)call->in[STK_GRAD_NORM_MEAN];
    args.invstd = call->in[STK_GRAD_NORM_INVSTD];
    args.y = call->out[0];
    args.dgamma = call->out[1];
    args.dbeta = call->out[2];
    args.partials = call->scratch;
    return stk_cuda_launched(
        call, stk_cuda_gemm_norm_launch(&args, stk_cuda_of(call->device)->stream), err);
}

const stk_kernel stk_cuda_gemm_norm = {
    .op = &stk_graph_op_conv2d_grad_norm,
    .name = "product",
    .can = can_norm,
    .formats = norm_formats,
    .requires_formats = true,
    .prepare = prepare_norm,
    .run = run_norm,
};

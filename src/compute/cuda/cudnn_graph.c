/* Builds a cuDNN operation graph from tables of tensors and ops. */
#include "compute/cuda/cudnn_desc.h"
#include <stdlib.h>
#include <string.h>

enum { ALIGNMENT = 16, SPATIAL = 2 };

static const cudnnDataType_t compute = CUDNN_DATA_FLOAT;

/* Attribute names differ by op for the same meaning. */
typedef struct op_row {
    cudnnBackendDescriptorType_t type;
    /* Creates the descriptor of the op's settings, or sets them on the op. */
    stk_status (*settings)(const stk_cudnn_op *op, cudnnBackendDescriptor_t *out, const char *where,
                           stk_error *err);
    void (*inner)(const stk_cudnn_op *op, stk_cudnn_desc *desc);
    cudnnBackendAttributeName_t settings_name;
    cudnnBackendAttributeName_t alpha, beta;           /* of convolutions */
    cudnnBackendAttributeName_t role[STK_CUDNN_ROLES]; /* 0: end of the list */
} op_row;

static stk_status make_convolution(const stk_cudnn_op *op, cudnnBackendDescriptor_t *out,
                                   const char *where, stk_error *err)
{
    const cudnnConvolutionMode_t mode = CUDNN_CROSS_CORRELATION;
    const int64_t                spatial = SPATIAL;
    const int64_t                dilation[SPATIAL] = {op->dilation[0] ? op->dilation[0] : 1,
                                       op->dilation[1] ? op->dilation[1] : 1};
    stk_cudnn_desc d = stk_cudnn_begin(CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR);
    stk_cudnn_put(&d, CUDNN_ATTR_CONVOLUTION_COMP_TYPE, CUDNN_TYPE_DATA_TYPE, 1, &compute);
    stk_cudnn_put(&d, CUDNN_ATTR_CONVOLUTION_CONV_MODE, CUDNN_TYPE_CONVOLUTION_MODE, 1, &mode);
    stk_cudnn_put(&d, CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS, CUDNN_TYPE_INT64, 1, &spatial);
    stk_cudnn_put(&d, CUDNN_ATTR_CONVOLUTION_DILATIONS, CUDNN_TYPE_INT64, SPATIAL, dilation);
    stk_cudnn_put(&d, CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES, CUDNN_TYPE_INT64, SPATIAL, op->stride);
    stk_cudnn_put(&d, CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS, CUDNN_TYPE_INT64, SPATIAL, op->before);
    stk_cudnn_put(&d, CUDNN_ATTR_CONVOLUTION_POST_PADDINGS, CUDNN_TYPE_INT64, SPATIAL, op->after);
    return stk_cudnn_end(&d, out, where, err);
}

static stk_status make_pointwise(const stk_cudnn_op *op, cudnnBackendDescriptor_t *out,
                                 const char *where, stk_error *err)
{
    const cudnnPointwiseMode_t mode = (cudnnPointwiseMode_t)op->mode;
    stk_cudnn_desc             d = stk_cudnn_begin(CUDNN_BACKEND_POINTWISE_DESCRIPTOR);
    stk_cudnn_put(&d, CUDNN_ATTR_POINTWISE_MODE, CUDNN_TYPE_POINTWISE_MODE, 1, &mode);
    stk_cudnn_put(&d, CUDNN_ATTR_POINTWISE_MATH_PREC, CUDNN_TYPE_DATA_TYPE, 1, &compute);
    if (op->upper > 0)
        stk_cudnn_put(&d, CUDNN_ATTR_POINTWISE_RELU_UPPER_CLIP, CUDNN_TYPE_DOUBLE, 1, &op->upper);
    return stk_cudnn_end(&d, out, where, err);
}

static stk_status make_reduction(const stk_cudnn_op *op, cudnnBackendDescriptor_t *out,
                                 const char *where, stk_error *err)
{
    const cudnnReduceTensorOp_t reduce = (cudnnReduceTensorOp_t)op->mode;
    stk_cudnn_desc              d = stk_cudnn_begin(CUDNN_BACKEND_REDUCTION_DESCRIPTOR);
    stk_cudnn_put(&d, CUDNN_ATTR_REDUCTION_OPERATOR, CUDNN_TYPE_REDUCTION_OPERATOR_TYPE, 1,
                  &reduce);
    stk_cudnn_put(&d, CUDNN_ATTR_REDUCTION_COMP_TYPE, CUDNN_TYPE_DATA_TYPE, 1, &compute);
    return stk_cudnn_end(&d, out, where, err);
}

static void put_fractions(stk_cudnn_desc *d, cudnnBackendAttributeName_t name, const int64_t *value)
{
    const cudnnFraction_t fraction[SPATIAL] = {{value[0], 1}, {value[1], 1}};
    stk_cudnn_put(d, name, CUDNN_TYPE_FRACTION, SPATIAL, fraction);
}

static stk_status make_resample(const stk_cudnn_op *op, cudnnBackendDescriptor_t *out,
                                const char *where, stk_error *err)
{
    const cudnnResampleMode_t mode = (cudnnResampleMode_t)op->mode;
    const cudnnPaddingMode_t  padding =
        mode == CUDNN_RESAMPLE_MAXPOOL ? CUDNN_NEG_INF_PAD : CUDNN_ZERO_PAD;
    const int64_t  spatial = SPATIAL;
    stk_cudnn_desc d = stk_cudnn_begin(CUDNN_BACKEND_RESAMPLE_DESCRIPTOR);
    stk_cudnn_put(&d, CUDNN_ATTR_RESAMPLE_MODE, CUDNN_TYPE_RESAMPLE_MODE, 1, &mode);
    stk_cudnn_put(&d, CUDNN_ATTR_RESAMPLE_COMP_TYPE, CUDNN_TYPE_DATA_TYPE, 1, &compute);
    stk_cudnn_put(&d, CUDNN_ATTR_RESAMPLE_PADDING_MODE, CUDNN_TYPE_PADDING_MODE, 1, &padding);
    stk_cudnn_put(&d, CUDNN_ATTR_RESAMPLE_SPATIAL_DIMS, CUDNN_TYPE_INT64, 1, &spatial);
    put_fractions(&d, CUDNN_ATTR_RESAMPLE_WINDOW_DIMS, op->window);
    put_fractions(&d, CUDNN_ATTR_RESAMPLE_PRE_PADDINGS, op->before);
    put_fractions(&d, CUDNN_ATTR_RESAMPLE_POST_PADDINGS, op->after);
    put_fractions(&d, CUDNN_ATTR_RESAMPLE_STRIDES, op->stride);
    return stk_cudnn_end(&d, out, where, err);
}

static void set_genstats(const stk_cudnn_op *op, stk_cudnn_desc *d)
{
    (void)op;
    const cudnnGenStatsMode_t mode = CUDNN_GENSTATS_SUM_SQSUM;
    stk_cudnn_put(d, CUDNN_ATTR_OPERATION_GENSTATS_MODE, CUDNN_TYPE_GENSTATS_MODE, 1, &mode);
    stk_cudnn_put(d, CUDNN_ATTR_OPERATION_GENSTATS_MATH_PREC, CUDNN_TYPE_DATA_TYPE, 1, &compute);
}

static void set_finalize(const stk_cudnn_op *op, stk_cudnn_desc *d)
{
    (void)op;
    const cudnnBnFinalizeStatsMode_t mode = CUDNN_BN_FINALIZE_STATISTICS_TRAINING;
    stk_cudnn_put(d, CUDNN_ATTR_OPERATION_BN_FINALIZE_STATS_MODE, CUDNN_TYPE_BN_FINALIZE_STATS_MODE,
                  1, &mode);
    stk_cudnn_put(d, CUDNN_ATTR_OPERATION_BN_FINALIZE_MATH_PREC, CUDNN_TYPE_DATA_TYPE, 1, &compute);
}

static void set_bwd_weights(const stk_cudnn_op *op, stk_cudnn_desc *d)
{
    (void)op;
    stk_cudnn_put(d, CUDNN_ATTR_OPERATION_BN_BWD_WEIGHTS_MATH_PREC, CUDNN_TYPE_DATA_TYPE, 1,
                  &compute);
}

static void set_norm(const stk_cudnn_op *op, stk_cudnn_desc *d)
{
    const cudnnBackendNormMode_t     mode = (cudnnBackendNormMode_t)op->mode;
    const cudnnBackendNormFwdPhase_t phase = CUDNN_NORM_FWD_TRAINING;
    stk_cudnn_put(d, CUDNN_ATTR_OPERATION_NORM_FWD_MODE, CUDNN_TYPE_NORM_MODE, 1, &mode);
    stk_cudnn_put(d, CUDNN_ATTR_OPERATION_NORM_FWD_PHASE, CUDNN_TYPE_NORM_FWD_PHASE, 1, &phase);
}

static void set_norm_bwd(const stk_cudnn_op *op, stk_cudnn_desc *d)
{
    const cudnnBackendNormMode_t mode = (cudnnBackendNormMode_t)op->mode;
    stk_cudnn_put(d, CUDNN_ATTR_OPERATION_NORM_BWD_MODE, CUDNN_TYPE_NORM_MODE, 1, &mode);
}

static const op_row rows[STK_CUDNN_KINDS] = {
    [STK_CUDNN_CONV] = {.type = CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR,
                        .settings = make_convolution,
                        .settings_name = CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC,
                        .alpha = CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA,
                        .beta = CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA,
                        .role = {CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X,
                                 CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W,
                                 CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y}},
    [STK_CUDNN_CONV_DATA] = {.type = CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR,
                             .settings = make_convolution,
                             .settings_name = CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_CONV_DESC,
                             .alpha = CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_ALPHA,
                             .beta = CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_BETA,
                             .role = {CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DY,
                                      CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_W,
                                      CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DX}},
    [STK_CUDNN_CONV_FILTER] = {.type =
                                   CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR,
                               .settings = make_convolution,
                               .settings_name =
                                   CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_CONV_DESC,
                               .alpha = CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_ALPHA,
                               .beta = CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_BETA,
                               .role = {CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_X,
                                        CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DY,
                                        CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DW}},
    [STK_CUDNN_POINTWISE] = {.type = CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR,
                             .settings = make_pointwise,
                             .settings_name = CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR,
                             .role = {CUDNN_ATTR_OPERATION_POINTWISE_XDESC,
                                      CUDNN_ATTR_OPERATION_POINTWISE_BDESC,
                                      CUDNN_ATTR_OPERATION_POINTWISE_YDESC,
                                      CUDNN_ATTR_OPERATION_POINTWISE_TDESC}},
    [STK_CUDNN_POINTWISE_BWD] = {.type = CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR,
                                 .settings = make_pointwise,
                                 .settings_name = CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR,
                                 .role = {CUDNN_ATTR_OPERATION_POINTWISE_DYDESC,
                                          CUDNN_ATTR_OPERATION_POINTWISE_XDESC,
                                          CUDNN_ATTR_OPERATION_POINTWISE_DXDESC}},
    [STK_CUDNN_REDUCE] = {.type = CUDNN_BACKEND_OPERATION_REDUCTION_DESCRIPTOR,
                          .settings = make_reduction,
                          .settings_name = CUDNN_ATTR_OPERATION_REDUCTION_DESC,
                          .role = {CUDNN_ATTR_OPERATION_REDUCTION_XDESC,
                                   CUDNN_ATTR_OPERATION_REDUCTION_YDESC}},
    [STK_CUDNN_GENSTATS] = {.type = CUDNN_BACKEND_OPERATION_GEN_STATS_DESCRIPTOR,
                            .inner = set_genstats,
                            .role = {CUDNN_ATTR_OPERATION_GENSTATS_XDESC,
                                     CUDNN_ATTR_OPERATION_GENSTATS_SUMDESC,
                                     CUDNN_ATTR_OPERATION_GENSTATS_SQSUMDESC}},
    [STK_CUDNN_BN_FINALIZE] = {.type = CUDNN_BACKEND_OPERATION_BN_FINALIZE_STATISTICS_DESCRIPTOR,
                               .inner = set_finalize,
                               .role = {CUDNN_ATTR_OPERATION_BN_FINALIZE_Y_SUM_DESC,
                                        CUDNN_ATTR_OPERATION_BN_FINALIZE_Y_SQ_SUM_DESC,
                                        CUDNN_ATTR_OPERATION_BN_FINALIZE_SCALE_DESC,
                                        CUDNN_ATTR_OPERATION_BN_FINALIZE_BIAS_DESC,
                                        CUDNN_ATTR_OPERATION_BN_FINALIZE_PREV_RUNNING_MEAN_DESC,
                                        CUDNN_ATTR_OPERATION_BN_FINALIZE_PREV_RUNNING_VAR_DESC,
                                        CUDNN_ATTR_OPERATION_BN_FINALIZE_UPDATED_RUNNING_MEAN_DESC,
                                        CUDNN_ATTR_OPERATION_BN_FINALIZE_UPDATED_RUNNING_VAR_DESC,
                                        CUDNN_ATTR_OPERATION_BN_FINALIZE_SAVED_MEAN_DESC,
                                        CUDNN_ATTR_OPERATION_BN_FINALIZE_SAVED_INV_STD_DESC,
                                        CUDNN_ATTR_OPERATION_BN_FINALIZE_EQ_SCALE_DESC,
                                        CUDNN_ATTR_OPERATION_BN_FINALIZE_EQ_BIAS_DESC,
                                        CUDNN_ATTR_OPERATION_BN_FINALIZE_ACCUM_COUNT_DESC,
                                        CUDNN_ATTR_OPERATION_BN_FINALIZE_EPSILON_DESC,
                                        CUDNN_ATTR_OPERATION_BN_FINALIZE_EXP_AVERATE_FACTOR_DESC}},
    [STK_CUDNN_BN_BWD_WEIGHTS] = {.type = CUDNN_BACKEND_OPERATION_BN_BWD_WEIGHTS_DESCRIPTOR,
                                  .inner = set_bwd_weights,
                                  .role = {CUDNN_ATTR_OPERATION_BN_BWD_WEIGHTS_X_DESC,
                                           CUDNN_ATTR_OPERATION_BN_BWD_WEIGHTS_MEAN_DESC,
                                           CUDNN_ATTR_OPERATION_BN_BWD_WEIGHTS_INVSTD_DESC,
                                           CUDNN_ATTR_OPERATION_BN_BWD_WEIGHTS_BN_SCALE_DESC,
                                           CUDNN_ATTR_OPERATION_BN_BWD_WEIGHTS_DY_DESC,
                                           CUDNN_ATTR_OPERATION_BN_BWD_WEIGHTS_DBN_SCALE_DESC,
                                           CUDNN_ATTR_OPERATION_BN_BWD_WEIGHTS_DBN_BIAS_DESC,
                                           CUDNN_ATTR_OPERATION_BN_BWD_WEIGHTS_EQ_DY_SCALE_DESC,
                                           CUDNN_ATTR_OPERATION_BN_BWD_WEIGHTS_EQ_X_SCALE_DESC,
                                           CUDNN_ATTR_OPERATION_BN_BWD_WEIGHTS_EQ_BIAS}},
    [STK_CUDNN_NORM] = {.type = CUDNN_BACKEND_OPERATION_NORM_FORWARD_DESCRIPTOR,
                        .inner = set_norm,
                        .role = {CUDNN_ATTR_OPERATION_NORM_FWD_XDESC,
                                 CUDNN_ATTR_OPERATION_NORM_FWD_SCALE_DESC,
                                 CUDNN_ATTR_OPERATION_NORM_FWD_BIAS_DESC,
                                 CUDNN_ATTR_OPERATION_NORM_FWD_EPSILON_DESC,
                                 CUDNN_ATTR_OPERATION_NORM_FWD_MEAN_DESC,
                                 CUDNN_ATTR_OPERATION_NORM_FWD_INV_VARIANCE_DESC,
                                 CUDNN_ATTR_OPERATION_NORM_FWD_YDESC,
                                 CUDNN_ATTR_OPERATION_NORM_FWD_EXP_AVG_FACTOR_DESC,
                                 CUDNN_ATTR_OPERATION_NORM_FWD_INPUT_RUNNING_MEAN_DESC,
                                 CUDNN_ATTR_OPERATION_NORM_FWD_INPUT_RUNNING_VAR_DESC,
                                 CUDNN_ATTR_OPERATION_NORM_FWD_OUTPUT_RUNNING_MEAN_DESC,
                                 CUDNN_ATTR_OPERATION_NORM_FWD_OUTPUT_RUNNING_VAR_DESC}},
    [STK_CUDNN_NORM_BWD] =
        {.type = CUDNN_BACKEND_OPERATION_NORM_BACKWARD_DESCRIPTOR,
         .inner = set_norm_bwd,
         .role = {CUDNN_ATTR_OPERATION_NORM_BWD_XDESC, CUDNN_ATTR_OPERATION_NORM_BWD_DYDESC,
                  CUDNN_ATTR_OPERATION_NORM_BWD_SCALE_DESC, CUDNN_ATTR_OPERATION_NORM_BWD_MEAN_DESC,
                  CUDNN_ATTR_OPERATION_NORM_BWD_INV_VARIANCE_DESC,
                  CUDNN_ATTR_OPERATION_NORM_BWD_DSCALE_DESC,
                  CUDNN_ATTR_OPERATION_NORM_BWD_DBIAS_DESC, CUDNN_ATTR_OPERATION_NORM_BWD_DXDESC,
                  CUDNN_ATTR_OPERATION_NORM_BWD_EPSILON_DESC}},
    [STK_CUDNN_POOL] = {.type = CUDNN_BACKEND_OPERATION_RESAMPLE_FWD_DESCRIPTOR,
                        .settings = make_resample,
                        .settings_name = CUDNN_ATTR_OPERATION_RESAMPLE_FWD_DESC,
                        .role = {CUDNN_ATTR_OPERATION_RESAMPLE_FWD_XDESC,
                                 CUDNN_ATTR_OPERATION_RESAMPLE_FWD_YDESC,
                                 CUDNN_ATTR_OPERATION_RESAMPLE_FWD_IDXDESC}},
    [STK_CUDNN_POOL_BWD] = {.type = CUDNN_BACKEND_OPERATION_RESAMPLE_BWD_DESCRIPTOR,
                            .settings = make_resample,
                            .settings_name = CUDNN_ATTR_OPERATION_RESAMPLE_BWD_DESC,
                            .role = {CUDNN_ATTR_OPERATION_RESAMPLE_BWD_DYDESC,
                                     CUDNN_ATTR_OPERATION_RESAMPLE_BWD_DXDESC,
                                     CUDNN_ATTR_OPERATION_RESAMPLE_BWD_IDXDESC,
                                     CUDNN_ATTR_OPERATION_RESAMPLE_BWD_XDESC,
                                     CUDNN_ATTR_OPERATION_RESAMPLE_BWD_YDESC}},
};

size_t stk_cudnn_dtype_bytes(cudnnDataType_t dtype)
{
    switch (dtype) {
    case CUDNN_DATA_DOUBLE:
    case CUDNN_DATA_INT64:
        return 8;
    case CUDNN_DATA_FLOAT:
    case CUDNN_DATA_INT32:
        return 4;
    case CUDNN_DATA_HALF:
    case CUDNN_DATA_BFLOAT16:
        return 2;
    default:
        return 1;
    }
}

/* Channels last: for [N, C, H, W] the stride of C is 1. */
static void strides_of(const stk_cudnn_tensor *t, int64_t *stride)
{
    static const int64_t none[4];
    memcpy(stride, t->stride, sizeof t->stride);
    if (memcmp(stride, none, sizeof none) != 0) return;
    stride[1] = 1;
    stride[3] = t->dim[1];
    stride[2] = stride[3] * t->dim[3];
    stride[0] = stride[2] * t->dim[2];
}

uint64_t stk_cudnn_tensor_bytes(const stk_cudnn_tensor *tensor)
{
    int64_t stride[4], last = 0;
    strides_of(tensor, stride);
    for (int i = 0; i < 4; i++)
        last += (tensor->dim[i] - 1) * stride[i];
    return (uint64_t)(last + 1) * stk_cudnn_dtype_bytes(tensor->dtype);
}

uint64_t stk_cudnn_spec_bytes(const stk_cudnn_spec *spec)
{
    uint64_t bytes = 0;
    for (int i = 0; i < spec->tensors; i++)
        if (!spec->tensor[i].is_virtual) bytes += stk_cudnn_tensor_bytes(&spec->tensor[i]);
    return bytes;
}

static stk_status make_tensor(stk_cudnn_graph *g, int index, stk_error *err)
{
    const stk_cudnn_tensor *t = &g->spec.tensor[index];
    const int64_t           alignment = ALIGNMENT, uid = index + 1;
    int64_t                 stride[4];
    strides_of(t, stride);
    stk_cudnn_desc d = stk_cudnn_begin(CUDNN_BACKEND_TENSOR_DESCRIPTOR);
    stk_cudnn_put(&d, CUDNN_ATTR_TENSOR_DATA_TYPE, CUDNN_TYPE_DATA_TYPE, 1, &t->dtype);
    stk_cudnn_put(&d, CUDNN_ATTR_TENSOR_DIMENSIONS, CUDNN_TYPE_INT64, 4, t->dim);
    stk_cudnn_put(&d, CUDNN_ATTR_TENSOR_STRIDES, CUDNN_TYPE_INT64, 4, stride);
    stk_cudnn_put(&d, CUDNN_ATTR_TENSOR_UNIQUE_ID, CUDNN_TYPE_INT64, 1, &uid);
    stk_cudnn_put(&d, CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, CUDNN_TYPE_INT64, 1, &alignment);
    if (t->is_virtual)
        stk_cudnn_put(&d, CUDNN_ATTR_TENSOR_IS_VIRTUAL, CUDNN_TYPE_BOOLEAN, 1, &t->is_virtual);
    if (t->by_value)
        stk_cudnn_put(&d, CUDNN_ATTR_TENSOR_IS_BY_VALUE, CUDNN_TYPE_BOOLEAN, 1, &t->by_value);
    return stk_cudnn_end(&d, &g->tensor[index], g->spec.name, err);
}

static stk_status put_roles(const stk_cudnn_graph *g, const stk_cudnn_op *op, stk_cudnn_desc *d,
                            stk_error *err)
{
    const op_row *row = &rows[op->kind];
    for (int i = 0; i < STK_CUDNN_ROLES && row->role[i]; i++) {
        const int number = op->tensor[i];
        if (number < 0 || number > g->spec.tensors)
            return stk_fail(err, STK_E_RANGE, "cudnn", g->spec.name,
                            "op takes tensor %d, but there are %d", number, g->spec.tensors);
        if (number) stk_cudnn_put_desc(d, row->role[i], g->tensor[number - 1]);
    }
    return STK_OK;
}

static stk_status make_op(stk_cudnn_graph *g, int index, stk_error *err)
{
    const stk_cudnn_op *op = &g->spec.op[index];
    const op_row       *row = &rows[op->kind];
    if (row->settings) STK_TRY(row->settings(op, &g->settings[index], g->spec.name, err));
    stk_cudnn_desc   d = stk_cudnn_begin(row->type);
    const stk_status st = put_roles(g, op, &d, err);
    if (st) {
        stk_cudnn_drop(&d.it);
        return st;
    }
    if (row->settings) stk_cudnn_put_desc(&d, row->settings_name, g->settings[index]);
    if (row->inner) row->inner(op, &d);
    if (row->alpha) {
        const float alpha = 1, beta = (float)op->beta;
        stk_cudnn_put(&d, row->alpha, CUDNN_TYPE_FLOAT, 1, &alpha);
        stk_cudnn_put(&d, row->beta, CUDNN_TYPE_FLOAT, 1, &beta);
    }
    return stk_cudnn_end(&d, &g->op[index], g->spec.name, err);
}

static stk_status make_graph(stk_cudnn_graph *g, stk_error *err)
{
    for (int i = 0; i < g->spec.tensors; i++)
        STK_TRY(make_tensor(g, i, err));
    for (int i = 0; i < g->spec.ops; i++)
        STK_TRY(make_op(g, i, err));
    stk_cudnn_desc d = stk_cudnn_begin(CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR);
    if (g->target.handle)
        stk_cudnn_put(&d, CUDNN_ATTR_OPERATIONGRAPH_HANDLE, CUDNN_TYPE_HANDLE, 1,
                      &g->target.handle);
    stk_cudnn_put(&d, CUDNN_ATTR_OPERATIONGRAPH_OPS, CUDNN_TYPE_BACKEND_DESCRIPTOR, g->spec.ops,
                  g->op);
    return stk_cudnn_end(&d, &g->graph, g->spec.name, err);
}

stk_status stk_cudnn_graph_new(stk_cudnn_graph **out, const stk_cudnn_target *target,
                               const stk_cudnn_spec *spec, stk_error *err)
{
    *out = NULL;
    if (spec->tensors > STK_CUDNN_TENSORS || spec->ops > STK_CUDNN_OPS)
        return stk_fail(err, STK_E_LIMIT, "cudnn", spec->name,
                        "%d tensors and %d ops; at most %d and %d", spec->tensors, spec->ops,
                        STK_CUDNN_TENSORS, STK_CUDNN_OPS);
    stk_cudnn_graph *g = calloc(1, sizeof *g);
    if (!g) return stk_fail(err, STK_E_NOMEM, "cudnn", spec->name, "no memory for a graph");
    g->spec = *spec;
    g->target = *target;
    const stk_status st = make_graph(g, err);
    if (st) {
        stk_cudnn_graph_free(g);
        return st;
    }
    *out = g;
    return STK_OK;
}

void stk_cudnn_graph_free(stk_cudnn_graph *graph)
{
    if (!graph) return;
    stk_cudnn_drop(&graph->graph);
    for (int i = 0; i < STK_CUDNN_OPS; i++) {
        stk_cudnn_drop(&graph->op[i]);
        stk_cudnn_drop(&graph->settings[i]);
    }
    for (int i = 0; i < STK_CUDNN_TENSORS; i++)
        stk_cudnn_drop(&graph->tensor[i]);
    free(graph);
}

const stk_cudnn_spec *stk_cudnn_graph_spec(const stk_cudnn_graph *graph)
{
    return &graph->spec;
}

stk_status stk_cudnn_device_from_json(cudnnBackendDescriptor_t *out, const char *json,
                                      stk_error *err)
{
    stk_cudnn_desc d = stk_cudnn_begin(CUDNN_BACKEND_DEVICEPROP_DESCRIPTOR);
    stk_cudnn_put(&d, CUDNN_ATTR_DEVICEPROP_JSON_REPRESENTATION, CUDNN_TYPE_CHAR,
                  (int64_t)strlen(json), json);
    return stk_cudnn_end(&d, out, "device properties", err);
}

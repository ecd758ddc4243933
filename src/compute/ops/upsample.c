/* upsample: multiplies both sides of images by an integer factor, nearest or bilinear */
#include "base/checked.h"
#include "compute/graph/gradients.h"
#include "compute/ops/graph_ops.h"
#include "compute/ops/shapes.h"
#include <stdio.h>
#include <stoker/ops.h>

static stk_status check(const stk_graph_op *op, const stk_op_instance *instance, stk_error *err)
{
    const stk_upsample_attrs *attrs = instance->attrs;
    if (attrs->factor < 1)
        return stk_fail(err, STK_E_INVALID, op->name, instance->name, "factor %d is below 1",
                        attrs->factor);
    if (attrs->kind != STK_UPSAMPLE_NEAREST && attrs->kind != STK_UPSAMPLE_BILINEAR)
        return stk_fail(err, STK_E_INVALID, op->name, instance->name,
                        "no kind %d: there are %d and %d", attrs->kind, STK_UPSAMPLE_NEAREST,
                        STK_UPSAMPLE_BILINEAR);
    STK_TRY(stk_op_check_float(op, instance, 0, err));
    return stk_op_check_rank(op, instance, 0, 4, err);
}

static stk_status infer(const stk_op_instance *instance, stk_tensor_type *out, stk_error *err)
{
    const stk_upsample_attrs *attrs = instance->attrs;
    STK_TRY(check(&stk_graph_op_upsample, instance, err));
    out[0] = instance->in[0];
    for (int d = 1; d <= 2; d++)
        if (stk_mul_overflows_i64(out[0].shape.dim[d], attrs->factor, &out[0].shape.dim[d]))
            return stk_fail(err, STK_E_SHAPE, "upsample", instance->name, "a side of %lld times %d",
                            (long long)instance->in[0].shape.dim[d], attrs->factor);
    return STK_OK;
}

static stk_status grad_infer(const stk_op_instance *instance, stk_tensor_type *out, stk_error *err)
{
    const stk_upsample_attrs *attrs = instance->attrs;
    STK_TRY(check(&stk_graph_op_upsample_grad, instance, err));
    out[0] = instance->in[0];
    for (int d = 1; d <= 2; d++) {
        if (out[0].shape.dim[d] % attrs->factor)
            return stk_fail(err, STK_E_SHAPE, "upsample_grad", instance->name,
                            "a side of %lld is no multiple of %d", (long long)out[0].shape.dim[d],
                            attrs->factor);
        out[0].shape.dim[d] /= attrs->factor;
    }
    return STK_OK;
}

static void grad(stk_graph *g, const stk_graph_node *node, const stk_symbol *dout, stk_symbol *din,
                 stk_grad_sink *sink)
{
    (void)sink;
    din[0] = stk_graph_add1(g, &stk_graph_op_upsample_grad, dout[0], node->attrs);
}

/* One axis of the image. */
typedef struct side {
    int64_t size, factor;
    bool    linear;
} side;

static side side_of(const stk_upsample_attrs *attrs, int64_t size)
{
    return (side){size, attrs->factor, attrs->kind == STK_UPSAMPLE_BILINEAR};
}

/* Weight of element in result. Bilinear: pixels are squares, so the centre of result is at (result
 * + 0.5) / factor - 0.5. Beyond the outermost centres the edge element is replicated. */
static double weight(const side *s, int64_t result, int64_t element)
{
    if (!s->linear) return element == result / s->factor;
    double at = ((double)result + 0.5) / (double)s->factor - 0.5;
    if (at < 0) at = 0;
    if (at > (double)(s->size - 1)) at = (double)(s->size - 1);
    double distance = at > (double)element ? at - (double)element : (double)element - at;
    return distance < 1 ? 1 - distance : 0;
}

typedef struct range {
    int64_t first, end;
} range;

static range within(int64_t first, int64_t end, int64_t size)
{
    return (range){first < 0 ? 0 : first, end > size ? size : end};
}

/* Range of elements that result depends on, and of results that element affects. */
static range elements_of(const side *s, int64_t result)
{
    return within(result / s->factor - 1, result / s->factor + 2, s->size);
}

static range results_of(const side *s, int64_t element)
{
    return within((element - 1) * s->factor, (element + 2) * s->factor, s->size * s->factor);
}

/* Weighted sum for [row, column, c] of y (forward) or dx. The gradient uses the same weights
 * transposed. */
static double gather(const side side_at[2], bool forward, const float *from, int64_t row,
                     int64_t column, int64_t channels)
{
    const side *down = &side_at[0], *across = &side_at[1];
    int64_t     width = forward ? across->size : across->size * across->factor;
    range       rows = forward ? elements_of(down, row) : results_of(down, row);
    range       columns = forward ? elements_of(across, column) : results_of(across, column);
    double      sum = 0;
    for (int64_t y = rows.first; y < rows.end; y++)
        for (int64_t x = columns.first; x < columns.end; x++) {
            double part = forward ? weight(down, row, y) * weight(across, column, x)
                                  : weight(down, y, row) * weight(across, x, column);
            if (part != 0) sum += part * (double)from[(y * width + x) * channels];
        }
    return sum;
}

static void apply(const stk_op_instance *instance, bool forward, const float *from, float *to)
{
    const stk_shape *small = forward ? &instance->in[0].shape : &instance->out[0].shape;
    const stk_shape *src = &instance->in[0].shape, *dst = &instance->out[0].shape;
    side             sides[2] = {side_of(instance->attrs, small->dim[1]),
                                 side_of(instance->attrs, small->dim[2])};
    int64_t          channels = src->dim[3], image = src->dim[1] * src->dim[2] * channels;
    for (int64_t n = 0; n < dst->dim[0]; n++)
        for (int64_t row = 0; row < dst->dim[1]; row++)
            for (int64_t column = 0; column < dst->dim[2]; column++)
                for (int64_t c = 0; c < channels; c++)
                    *to++ =
                        (float)gather(sides, forward, from + n * image + c, row, column, channels);
}

static void reference(const stk_op_instance *instance, const void *const *in, void *const *out)
{
    apply(instance, true, in[0], out[0]);
}

static void grad_reference(const stk_op_instance *instance, const void *const *in, void *const *out)
{
    apply(instance, false, in[0], out[0]);
}

static void print(const void *attrs_, char *text, size_t capacity)
{
    const stk_upsample_attrs *attrs = attrs_;
    snprintf(text, capacity, "factor=%d %s", attrs->factor,
             attrs->kind == STK_UPSAMPLE_BILINEAR ? "bilinear" : "nearest");
}

const stk_graph_op stk_graph_op_upsample = {
    .name = "upsample",
    .inputs_min = 1,
    .inputs_max = 1,
    .outputs = 1,
    .attrs_size = sizeof(stk_upsample_attrs),
    .precision = STK_PRECISION_INFER,
    .infer = infer,
    .grad = grad,
    .reference = reference,
    .print = print,
};

const stk_graph_op stk_graph_op_upsample_grad = {
    .name = "upsample_grad",
    .inputs_min = 1,
    .inputs_max = 1,
    .outputs = 1,
    .attrs_size = sizeof(stk_upsample_attrs),
    .precision = STK_PRECISION_INFER,
    .infer = grad_infer,
    .reference = grad_reference,
    .print = print,
};

stk_symbol stk_upsample(stk_graph *g, stk_symbol x, int factor, stk_upsample_kind kind)
{
    stk_upsample_attrs attrs = {.factor = factor, .kind = (int)kind};
    return stk_from_nhwc(g, stk_graph_add1(g, &stk_graph_op_upsample, stk_to_nhwc(g, x), &attrs));
}

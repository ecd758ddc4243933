/* bn_pool: fused batch norm, relu and max_pool with gradients. The tensors in between are as large
 * as x and have no other readers.
 *
 *   bn_pool(x, scale, shift)                                         -> y, indices
 *   bn_pool_grad_sums(dy, indices, x, mean, invstd, scale, shift, y) -> dgamma, dbeta
 *   bn_pool_grad_apply(dy, indices, x, mean, invstd, scale, shift, gamma, dgamma, dbeta) -> dx
 *
 * indices locate the maximum of x * scale + shift: the largest x, or the smallest if scale is
 * negative. Windows that relu zeroes have no gradient. The sums recover x at the index from y, so
 * they do not read all of x. */
#include "compute/ops/batch_norm.h"
#include "compute/ops/graph_ops.h"
#include "compute/ops/pool.h"

enum { IMAGE, IMAGE_SCALE, IMAGE_SHIFT };
enum { DY, INDICES, X, MEAN, INVSTD, SCALE, SHIFT, GAMMA, DGAMMA, DBETA, Y = GAMMA };

static stk_status infer(const stk_op_instance *instance, stk_tensor_type *out, stk_error *err)
{
    const stk_graph_op *op = &stk_graph_op_bn_pool;
    STK_TRY(stk_max_pool_infer(op, instance, out, err));
    return stk_bn_check_channels(op, instance, IMAGE_SCALE, 2, err);
}

/* dx has the type of x. */
static stk_status check_inputs(const stk_graph_op *op, const stk_op_instance *instance, int vectors,
                               stk_tensor_type *dx, stk_error *err)
{
    STK_TRY(stk_max_pool_grad_infer(op, instance, dx, err));
    STK_TRY(stk_op_check_shape(op, instance, X, &dx->shape, "what was pooled", err));
    if (instance->in[X].dtype != dx->dtype)
        return stk_fail(err, STK_E_TYPE, op->name, instance->name, "x is %s but dy is %s",
                        stk_dtype_name(instance->in[X].dtype), stk_dtype_name(dx->dtype));
    return stk_bn_check_channels(op, instance, MEAN, vectors, err);
}

static stk_status infer_sums(const stk_op_instance *instance, stk_tensor_type *out, stk_error *err)
{
    stk_tensor_type dx;
    STK_TRY(check_inputs(&stk_graph_op_bn_pool_grad_sums, instance, Y - MEAN, &dx, err));
    STK_TRY(stk_bn_check_like_first(&stk_graph_op_bn_pool_grad_sums, instance, Y, err));
    out[0] = out[1] = instance->in[MEAN];
    return STK_OK;
}

static stk_status infer_apply(const stk_op_instance *instance, stk_tensor_type *out, stk_error *err)
{
    return check_inputs(&stk_graph_op_bn_pool_grad_apply, instance, DBETA + 1 - MEAN, out, err);
}

/* Reads dy and y only. */
static stk_op_cost sums_cost(const stk_op_instance *instance)
{
    return (stk_op_cost){5 * (double)stk_type_elements(&instance->in[DY]),
                         2 * (double)stk_type_bytes(&instance->in[DY])};
}

static stk_op_cost apply_cost(const stk_op_instance *instance)
{
    stk_op_cost c = stk_pool_cost(instance);
    c.flops += 6 * (double)stk_type_elements(&instance->in[X]);
    return c;
}

static void reference(const stk_op_instance *instance, const void *const *in, void *const *out)
{
    stk_pool_shape s = stk_pool_shape_of(instance);
    const float   *scale = in[IMAGE_SCALE], *shift = in[IMAGE_SHIFT];
    float         *y = out[0];
    uint8_t       *indices = instance->output_count > 1 ? out[1] : NULL;
    int64_t        at[3];
    for (at[0] = 0; at[0] < s.batch; at[0]++)
        for (at[1] = 0; at[1] < s.down.count; at[1]++)
            for (at[2] = 0; at[2] < s.across.count; at[2]++)
                for (int64_t c = 0; c < s.channels; c++) {
                    int64_t to = stk_pool_y_at(&s, at[0], at[1], at[2]) + c;
                    float   x = 0;
                    uint8_t index = stk_max_pool_index(&s, in[IMAGE], at, c, scale[c] < 0, &x);
                    float   z = (float)((double)x * (double)scale[c] + (double)shift[c]);
                    y[to] = z > 0 ? z : 0;
                    if (indices) indices[to] = index;
                }
}

typedef void (*visit)(void *state, int64_t i, int64_t c, double dz);

/* Visits element i of channel c for all of x in channels first to end - 1. */
static void each_dz(const stk_op_instance *instance, const void *const *in, int64_t first,
                    int64_t end, visit f, void *state)
{
    stk_pool_shape s = stk_pool_shape_of(instance);
    const float   *x = in[X], *scale = in[SCALE], *shift = in[SHIFT];
    int64_t        at[3];
    for (at[0] = 0; at[0] < s.batch; at[0]++)
        for (at[1] = 0; at[1] < s.down.size; at[1]++)
            for (at[2] = 0; at[2] < s.across.size; at[2]++)
                for (int64_t c = first; c < end; c++) {
                    int64_t i = stk_pool_x_at(&s, at[0], at[1], at[2]) + c;
                    bool    passes = (double)x[i] * (double)scale[c] + (double)shift[c] > 0;
                    f(state, i, c,
                      passes ? stk_max_pool_gradient(&s, in[DY], in[INDICES], at, c) : 0);
                }
}

typedef struct grad_state {
    const void *const *in;
    void *const       *out;
    double             each, sum, with_x; /* 1 / M */
} grad_state;

static void add_dz(void *state_, int64_t i, int64_t c, double dz)
{
    grad_state  *state = state_;
    const float *x = state->in[X], *mean = state->in[MEAN];
    state->sum += dz;
    state->with_x += dz * ((double)x[i] - (double)mean[c]);
}

static void sums_reference(const stk_op_instance *instance, const void *const *in, void *const *out)
{
    const float *invstd = in[INVSTD];
    for (int64_t c = 0; c < instance->in[MEAN].shape.dim[0]; c++) {
        grad_state state = {.in = in};
        each_dz(instance, in, c, c + 1, add_dz, &state);
        ((float *)out[0])[c] = (float)(state.with_x * (double)invstd[c]);
        ((float *)out[1])[c] = (float)state.sum;
    }
}

static void write_dx(void *state_, int64_t i, int64_t c, double dz)
{
    const grad_state *state = state_;
    const float      *x = state->in[X], *mean = state->in[MEAN], *invstd = state->in[INVSTD];
    const float      *gamma = state->in[GAMMA];
    const float      *dgamma = state->in[DGAMMA], *dbeta = state->in[DBETA];
    double            by = (double)invstd[c], xhat = ((double)x[i] - (double)mean[c]) * by;
    double            less = ((double)dbeta[c] + xhat * (double)dgamma[c]) * state->each;
    ((float *)state->out[0])[i] = (float)((double)gamma[c] * by * (dz - less));
}

static void apply_reference(const stk_op_instance *instance, const void *const *in,
                            void *const *out)
{
    int64_t channels = instance->in[MEAN].shape.dim[0], count = stk_type_elements(&instance->in[X]);
    grad_state state = {.in = in, .out = out, .each = count ? (double)channels / (double)count : 0};
    each_dz(instance, in, 0, channels, write_dx, &state);
}

const stk_graph_op stk_graph_op_bn_pool = {
    .name = "bn_pool",
    .inputs_min = 3,
    .inputs_max = 3,
    .outputs = 2,
    .outputs_min = 1,
    .attrs_size = sizeof(stk_pool_attrs),
    .precision = STK_PRECISION_INFER,
    .stays_float32 = stk_op_is_vector,
    .infer = infer,
    .cost = stk_pool_cost,
    .reference = reference,
    .print = stk_pool_print,
};

const stk_graph_op stk_graph_op_bn_pool_grad_sums = {
    .name = "bn_pool_grad_sums",
    .inputs_min = 8,
    .inputs_max = 8,
    .outputs = 2,
    .attrs_size = sizeof(stk_pool_attrs),
    .precision = STK_PRECISION_INFER,
    .stays_float32 = stk_op_is_vector,
    .infer = infer_sums,
    .cost = sums_cost,
    .reference = sums_reference,
    .print = stk_pool_print,
};

const stk_graph_op stk_graph_op_bn_pool_grad_apply = {
    .name = "bn_pool_grad_apply",
    .inputs_min = 10,
    .inputs_max = 10,
    .outputs = 1,
    .attrs_size = sizeof(stk_pool_attrs),
    .inplace = {X + 1},
    .precision = STK_PRECISION_INFER,
    .stays_float32 = stk_op_is_vector,
    .infer = infer_apply,
    .cost = apply_cost,
    .reference = apply_reference,
    .print = stk_pool_print,
};

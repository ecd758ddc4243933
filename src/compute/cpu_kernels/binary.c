/* add, sub, mul and bias. The narrow operand has one value per channel, one per channel and image,
 * or any broadcast shape, from fast to slow. The last is row-major only. */
#include "compute/cpu_kernels/channel_tiling.h"
#include "compute/cpu_kernels/cpu_kernels.h"
#include "compute/ops/broadcast_index.h"
#include "compute/ops/graph_ops.h"

typedef void (*binary_loop)(const float *a, const float *b, float *y, int64_t count);

#define STK_LOOPS "compute/cpu_kernels/binary_loops.h"
#include "compute/cpu_kernels/widths.h"

typedef enum operand { FULL, PER_CHANNEL, PER_IMAGE, OTHER } operand;

static operand kind_of(const stk_shape *narrow, const stk_shape *full)
{
    if (stk_shape_equal(narrow, full)) return FULL;
    int64_t before = 1, channels = narrow->rank ? narrow->dim[narrow->rank - 1] : 1;
    for (int i = 0; i < narrow->rank - 1; i++)
        before *= narrow->dim[i];
    if (!full->rank || channels != full->dim[full->rank - 1]) return OTHER;
    if (before == 1) return PER_CHANNEL;
    return narrow->rank == full->rank && full->rank > 2 && before == narrow->dim[0] ? PER_IMAGE
                                                                                    : OTHER;
}

static binary_loop loop_of(const stk_kernel_call *call)
{
    const stk_cpu *cpu = stk_cpu_of(call->device);
    if (call->op == &stk_graph_op_add || call->op == &stk_graph_op_bias) return STK_PICK(cpu, add);
    return call->op == &stk_graph_op_sub ? STK_PICK(cpu, sub) : STK_PICK(cpu, mul);
}

typedef struct job {
    const stk_kernel_call *call;
    binary_loop            loop;
    operand                kind[2];
    stk_channel_tiling     tiling;
    int64_t                count; /* FULL and FULL: floats; OTHER: rows */
    int64_t row; /* OTHER: elements of a row, within which each operand is contiguous or constant */
    stk_shape rows; /* OTHER: the dimensions outside of a row */
    int64_t   stride[2][STK_MAX_RANK];
    bool      flat[2]; /* OTHER: constant within a row */
} job;

static void full_part(void *context, int part, int parts)
{
    const job *j = context;
    int64_t    begin, end;
    stk_team_share(j->count, STK_TILE_DEFAULT, part, parts, &begin, &end);
    j->loop((const float *)j->call->in[0] + begin, (const float *)j->call->in[1] + begin,
            (float *)j->call->out[0] + begin, end - begin);
}

static const float *tile_of(const job *j, int which, const stk_tile_iter *iter,
                            float scratch[STK_TILE_CAPACITY], const float *before)
{
    const float *values = j->call->in[which];
    if (j->kind[which] == FULL) return values + iter->offset;
    if (!iter->entered) return before;
    if (j->kind[which] == PER_IMAGE) values += iter->run / j->tiling.blocks * j->tiling.channels;
    return stk_channel_tiling_values(&j->tiling, iter->run, values, scratch);
}

static void channel_part(void *context, int part, int parts)
{
    const job   *j = context;
    float        scratch[2][STK_TILE_CAPACITY], *y = j->call->out[0];
    const float *tile[2] = {0};
    for (stk_tile_iter iter = stk_tile_iter_begin(&j->tiling, part, parts);
         stk_tile_iter_next(&iter);) {
        for (int i = 0; i < 2; i++)
            tile[i] = tile_of(j, i, &iter, scratch[i], tile[i]);
        j->loop(tile[0], tile[1], y + iter.offset, iter.count);
    }
}

/* An operand constant within a row is expanded once per chunk. */
static void other_row(const job *j, const float *a, const float *b, float *y)
{
    float scratch[2][STK_TILE_DEFAULT];
    for (int64_t at = 0; at < j->row; at += STK_TILE_DEFAULT) {
        int64_t count = j->row - at < STK_TILE_DEFAULT ? j->row - at : STK_TILE_DEFAULT;
        if (at == 0)
            for (int64_t i = 0; i < count; i++) {
                scratch[0][i] = *a;
                scratch[1][i] = *b;
            }
        j->loop(j->flat[0] ? scratch[0] : a + at, j->flat[1] ? scratch[1] : b + at, y + at, count);
    }
}

static void other_part(void *context, int part, int parts)
{
    const job *j = context;
    int64_t    begin, end;
    stk_team_share(j->count, 1, part, parts, &begin, &end);
    for (int64_t r = begin; r < end; r++)
        other_row(j, (const float *)j->call->in[0] + stk_broadcast_at(r, &j->rows, j->stride[0]),
                  (const float *)j->call->in[1] + stk_broadcast_at(r, &j->rows, j->stride[1]),
                  (float *)j->call->out[0] + r * j->row);
}

/* A row consists of the last dimensions, as many as keep each operand contiguous or constant. */
static void find_row(job *j)
{
    const stk_op_instance *instance = &j->call->instance;
    const stk_shape       *full = &instance->out[0].shape;
    int                    d = full->rank - 1;
    j->row = 1;
    for (int i = 0; i < 2; i++) {
        stk_broadcast_strides(&instance->in[i].shape, full, j->stride[i]);
        j->flat[i] = true;
    }
    for (; d >= 0; d--) {
        bool same = true;
        for (int i = 0; i < 2 && j->row > 1 && full->dim[d] > 1; i++)
            same &= (j->stride[i][d] == 0) == j->flat[i];
        if (!same) break;
        for (int i = 0; i < 2 && full->dim[d] > 1; i++)
            j->flat[i] = j->stride[i][d] == 0;
        j->row *= full->dim[d];
    }
    j->rows = *full;
    j->rows.rank = d + 1;
    j->count = j->row ? stk_type_elements(&instance->out[0]) / j->row : 0;
}

static stk_status run(const stk_kernel_call *call, stk_error *err)
{
    const stk_cpu         *cpu = stk_cpu_of(call->device);
    const stk_tensor_type *type = &call->instance.out[0];
    int64_t                count = stk_call_floats(call, type, call->out_format[0]);
    job                    j = {.call = call, .loop = loop_of(call), .count = count};
    (void)err;
    for (int i = 0; i < 2; i++)
        j.kind[i] = kind_of(&call->instance.in[i].shape, &type->shape);
    operand worst = j.kind[0] > j.kind[1] ? j.kind[0] : j.kind[1];
    if (worst == FULL) {
        stk_work(cpu, count * 12, full_part, &j);
    } else if (worst == OTHER) {
        find_row(&j);
        stk_work(cpu, count * 12, other_part, &j);
    } else {
        j.tiling = worst == PER_IMAGE ? stk_channel_tiling_of_images(type, call->out_format[0])
                                      : stk_channel_tiling_of(type, call->out_format[0]);
        stk_work(cpu, count * 8, channel_part, &j);
    }
    return STK_OK;
}

static stk_status formats(stk_device *device, const stk_op_instance *instance,
                          const stk_format *have, stk_format *in, stk_format *out, stk_error *err)
{
    operand a = kind_of(&instance->in[0].shape, &instance->out[0].shape);
    operand b = kind_of(&instance->in[1].shape, &instance->out[0].shape);
    if (a == FULL && b == FULL) return stk_formats_any(device, instance, have, in, out, err);
    if (a != OTHER && b != OTHER && (a == FULL || b == FULL))
        return stk_formats_images(device, instance, have, in, out, err);
    in[0] = in[1] = out[0] = STK_FORMAT_PLAIN;
    return STK_OK;
}

#define KERNEL(id)                                                                                 \
    const stk_kernel stk_cpu_##id = {.op = &stk_graph_op_##id,                                     \
                                     .name = "native",                                             \
                                     .can = stk_cpu_float32,                                       \
                                     .formats = formats,                                           \
                                     .run = run}

KERNEL(add);
KERNEL(sub);
KERNEL(mul);
KERNEL(bias);

/* broadcast. One value per channel, or per channel and image, in any format: the gradient of global
 * average pooling. All others row by row, row-major. */
#include "compute/cpu_kernels/channel_tiling.h"
#include "compute/cpu_kernels/cpu_kernels.h"
#include "compute/ops/broadcast_index.h"
#include "compute/ops/graph_ops.h"
#include <string.h>

typedef enum small { PER_CHANNEL, PER_IMAGE, OTHER } small;

static small kind_of(const stk_shape *x, const stk_shape *y)
{
    int64_t before = 1;
    for (int i = 0; i < x->rank - 1; i++)
        before *= x->dim[i];
    if (!x->rank || !y->rank || x->dim[x->rank - 1] != y->dim[y->rank - 1]) return OTHER;
    if (before == 1) return PER_CHANNEL;
    return x->rank == y->rank && y->rank > 2 && before == x->dim[0] ? PER_IMAGE : OTHER;
}

typedef struct job {
    const float       *x;
    float             *y;
    small              kind;
    stk_channel_tiling tiling;
    stk_shape          rows; /* OTHER: the dimensions outside of a row */
    int64_t            stride[STK_MAX_RANK], row, count;
    bool               flat; /* OTHER: a row is constant */
} job;

static void channel_part(void *context, int part, int parts)
{
    const job   *j = context;
    float        scratch[STK_TILE_CAPACITY];
    const float *tile = NULL;
    for (stk_tile_iter iter = stk_tile_iter_begin(&j->tiling, part, parts);
         stk_tile_iter_next(&iter);) {
        int64_t image = j->kind == PER_IMAGE ? iter.run / j->tiling.blocks : 0;
        if (iter.entered)
            tile = stk_channel_tiling_values(&j->tiling, iter.run,
                                             j->x + image * j->tiling.channels, scratch);
        memcpy(j->y + iter.offset, tile, (size_t)iter.count * sizeof *tile);
    }
}

static void row_part(void *context, int part, int parts)
{
    const job *j = context;
    int64_t    begin, end;
    stk_team_share(j->count, 1, part, parts, &begin, &end);
    for (int64_t r = begin; r < end; r++) {
        const float *from = j->x + stk_broadcast_at(r, &j->rows, j->stride);
        float       *to = j->y + r * j->row;
        if (j->flat)
            for (int64_t i = 0; i < j->row; i++)
                to[i] = *from;
        else
            memcpy(to, from, (size_t)j->row * sizeof *to);
    }
}

/* A row consists of the last dimensions, as many as are all repeated or all not. */
static void find_row(job *j, const stk_op_instance *instance)
{
    const stk_shape *y = &instance->out[0].shape;
    int              d = y->rank - 1;
    stk_broadcast_strides(&instance->in[0].shape, y, j->stride);
    j->flat = true;
    for (j->row = 1; d >= 0; j->row *= y->dim[d--]) {
        if (y->dim[d] == 1) continue;
        if (j->row > 1 && (j->stride[d] == 0) != j->flat) break;
        j->flat = j->stride[d] == 0;
    }
    j->rows = *y;
    j->rows.rank = d + 1;
    j->count = j->row ? stk_type_elements(&instance->out[0]) / j->row : 0;
}

static stk_status run(const stk_kernel_call *call, stk_error *err)
{
    const stk_op_instance *instance = &call->instance;
    const stk_cpu         *cpu = stk_cpu_of(call->device);
    int64_t bytes = stk_call_floats(call, &instance->out[0], call->out_format[0]) * 4;
    job     j = {.x = call->in[0],
                 .y = call->out[0],
                 .kind = kind_of(&instance->in[0].shape, &instance->out[0].shape)};
    (void)err;
    if (j.kind == OTHER) {
        find_row(&j, instance);
        stk_work(cpu, bytes, row_part, &j);
        return STK_OK;
    }
    j.tiling = stk_channel_tiling_of_images(&instance->out[0], call->out_format[0]);
    stk_work(cpu, bytes, channel_part, &j);
    return STK_OK;
}

static stk_status formats(stk_device *device, const stk_op_instance *instance,
                          const stk_format *have, stk_format *in, stk_format *out, stk_error *err)
{
    (void)have, (void)err;
    small kind = kind_of(&instance->in[0].shape, &instance->out[0].shape);
    in[0] = STK_FORMAT_PLAIN;
    out[0] = kind == OTHER ? STK_FORMAT_PLAIN : stk_format_preferred(device, &instance->out[0]);
    return STK_OK;
}

const stk_kernel stk_cpu_broadcast = {.op = &stk_graph_op_broadcast,
                                      .name = "native",
                                      .can = stk_cpu_float32,
                                      .formats = formats,
                                      .run = run};

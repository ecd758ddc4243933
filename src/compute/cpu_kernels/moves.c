/* Ops that move elements: transpose, slice, pad, concat. Along channels, images stay blocked if the
 * boxes start and end at block borders. */
#include "compute/cpu_kernels/cpu_kernels.h"
#include "compute/cpu_kernels/move.h"
#include "compute/ops/graph_ops.h"
#include "compute/ops/shapes.h"
#include <string.h>

static size_t element_of(const stk_op_instance *instance)
{
    return stk_dtype_bytes(instance->in[0].dtype);
}

static stk_status run_transpose(const stk_kernel_call *call, stk_error *err)
{
    const stk_op_instance     *instance = &call->instance;
    const stk_transpose_attrs *attrs = instance->attrs;
    stk_move move = {.rank = instance->out[0].shape.rank, .element = element_of(instance)};
    int64_t  stride[STK_MAX_RANK];
    (void)err;
    stk_move_strides(&instance->in[0].shape, stride);
    stk_move_strides(&instance->out[0].shape, move.dst);
    for (int d = 0; d < move.rank; d++) {
        move.dim[d] = instance->out[0].shape.dim[d];
        move.src[d] = stride[attrs->order[d]];
    }
    stk_move_run(stk_cpu_of(call->device), &move, call->in[0], call->out[0]);
    return STK_OK;
}

/* Origin of a box, in elements, and its size, both in memory order. */
typedef struct box {
    stk_shape size;
    int64_t   stride[STK_MAX_RANK], begin;
} box;

static box box_of(const stk_tensor_type *type, stk_format format, const int64_t *start,
                  const stk_tensor_type *part)
{
    stk_shape full = stk_shape_in_memory(type, format);
    box       b = {.size = stk_shape_in_memory(part, format)};
    int64_t   at[STK_MAX_RANK];
    memcpy(at, start, sizeof at);
    if (format != STK_FORMAT_PLAIN) {
        at[1] = start[3] / format;
        at[2] = start[1];
        at[3] = start[2] * format;
    }
    stk_move_strides(&full, b.stride);
    for (int d = 0; d < full.rank; d++)
        b.begin += at[d] * b.stride[d];
    return b;
}

static stk_move move_of(const box *b, size_t element, bool out_of)
{
    stk_move move = {.rank = b->size.rank, .element = element};
    memcpy(move.dim, b->size.dim, sizeof move.dim);
    memcpy(out_of ? move.src : move.dst, b->stride, sizeof move.src);
    stk_move_strides(&b->size, out_of ? move.dst : move.src);
    return move;
}

static stk_status run_slice(const stk_kernel_call *call, stk_error *err)
{
    const stk_op_instance *instance = &call->instance;
    const stk_slice_attrs *attrs = instance->attrs;
    box      b = box_of(&instance->in[0], call->in_format[0], attrs->start, &instance->out[0]);
    stk_move move = move_of(&b, element_of(instance), true);
    (void)err;
    stk_move_run(stk_cpu_of(call->device), &move,
                 (const uint8_t *)call->in[0] + (size_t)b.begin * move.element, call->out[0]);
    return STK_OK;
}

static void put(const stk_kernel_call *call, int part, const int64_t *start)
{
    const stk_op_instance *instance = &call->instance;
    box      b = box_of(&instance->out[0], call->out_format[0], start, &instance->in[part]);
    stk_move move = move_of(&b, element_of(instance), false);
    stk_move_run(stk_cpu_of(call->device), &move, call->in[part],
                 (uint8_t *)call->out[0] + (size_t)b.begin * move.element);
}

static stk_status run_concat(const stk_kernel_call *call, stk_error *err)
{
    int     axis = ((const stk_concat_attrs *)call->instance.attrs)->axis;
    int64_t start[STK_MAX_RANK] = {0};
    (void)err;
    for (int i = 0; i < call->instance.input_count; i++) {
        put(call, i, start);
        start[axis] += call->instance.in[i].shape.dim[axis];
    }
    return STK_OK;
}

typedef struct filling {
    void  *data;
    float  value;
    size_t bytes;
} filling;

static void fill_part(void *context, int part, int parts)
{
    const filling *f = context;
    int64_t        begin, end;
    stk_team_share((int64_t)f->bytes, 4096, part, parts, &begin, &end);
    if (f->value == 0) {
        memset((uint8_t *)f->data + begin, 0, (size_t)(end - begin));
        return;
    }
    for (int64_t i = begin / 4; i < end / 4; i++)
        ((float *)f->data)[i] = f->value;
}

static stk_status run_pad(const stk_kernel_call *call, stk_error *err)
{
    const stk_pad_attrs *attrs = call->instance.attrs;
    filling              f = {call->out[0], (float)attrs->value,
                              call->device->backend->format_bytes(call->device, &call->instance.out[0],
                                                                  call->out_format[0])};
    (void)err;
    stk_work(stk_cpu_of(call->device), (int64_t)f.bytes, fill_part, &f);
    put(call, 0, attrs->before);
    return STK_OK;
}

/* Whether channels from `start` on are complete blocks or reach the last channel. */
static bool in_blocks(stk_format format, int64_t start, int64_t size, int64_t all)
{
    return start % format == 0 && (size % format == 0 || start + size == all);
}

static stk_format blocks_of(const stk_op_instance *instance, const stk_format *have)
{
    for (int i = 0; i < instance->input_count; i++)
        if ((have[i] == STK_FORMAT_C8 || have[i] == STK_FORMAT_C16) &&
            instance->out[0].shape.rank == 4)
            return have[i];
    return STK_FORMAT_PLAIN;
}

static stk_status take(stk_format format, const stk_op_instance *instance, stk_format *in,
                       stk_format *out)
{
    for (int i = 0; i < instance->input_count; i++)
        in[i] = format;
    out[0] = format;
    return STK_OK;
}

static stk_status formats_slice(stk_device *device, const stk_op_instance *instance,
                                const stk_format *have, stk_format *in, stk_format *out,
                                stk_error *err)
{
    const stk_slice_attrs *attrs = instance->attrs;
    stk_format             format = blocks_of(instance, have);
    (void)device, (void)err;
    if (format && !in_blocks(format, attrs->start[3], attrs->size[3], instance->in[0].shape.dim[3]))
        format = STK_FORMAT_PLAIN;
    return take(format, instance, in, out);
}

static stk_status formats_pad(stk_device *device, const stk_op_instance *instance,
                              const stk_format *have, stk_format *in, stk_format *out,
                              stk_error *err)
{
    const stk_pad_attrs *attrs = instance->attrs;
    stk_format           format = blocks_of(instance, have);
    (void)device, (void)err;
    /* The padding of blocks would be filled too. */
    if (format &&
        (attrs->value != 0 || !in_blocks(format, attrs->before[3], instance->in[0].shape.dim[3],
                                         instance->out[0].shape.dim[3])))
        format = STK_FORMAT_PLAIN;
    return take(format, instance, in, out);
}

static stk_status formats_concat(stk_device *device, const stk_op_instance *instance,
                                 const stk_format *have, stk_format *in, stk_format *out,
                                 stk_error *err)
{
    int        axis = ((const stk_concat_attrs *)instance->attrs)->axis;
    stk_format format = blocks_of(instance, have);
    int64_t    start = 0;
    (void)device, (void)err;
    for (int i = 0; i < instance->input_count && axis == 3 && format; i++) {
        int64_t size = instance->in[i].shape.dim[3];
        if (!in_blocks(format, start, size, instance->out[0].shape.dim[3]))
            format = STK_FORMAT_PLAIN;
        start += size;
    }
    return take(format, instance, in, out);
}

static bool can_pad(const stk_device *device, const stk_op_instance *instance)
{
    (void)device;
    return instance->in[0].dtype == STK_DTYPE_F32 ||
           ((const stk_pad_attrs *)instance->attrs)->value == 0;
}

const stk_kernel stk_cpu_transpose = {
    .op = &stk_graph_op_transpose, .name = "native", .run = run_transpose};
const stk_kernel stk_cpu_slice = {
    .op = &stk_graph_op_slice, .name = "native", .formats = formats_slice, .run = run_slice};
const stk_kernel stk_cpu_concat = {
    .op = &stk_graph_op_concat, .name = "native", .formats = formats_concat, .run = run_concat};
const stk_kernel stk_cpu_pad = {.op = &stk_graph_op_pad,
                                .name = "native",
                                .can = can_pad,
                                .formats = formats_pad,
                                .run = run_pad};

/* Iteration over channels tensors by tiles. */
#include "compute/cpu_kernels/channel_tiling.h"
#include <string.h>

int64_t stk_tile_pixels(int64_t block, int64_t floats)
{
    if (block >= floats) return 1;
    int64_t step = 16, wanted = (floats + block - 1) / block;
    while (step > 1 && block * (step / 2) % 16 == 0)
        step /= 2;
    int64_t rounded = (wanted + step - 1) / step * step;
    return rounded * block <= STK_TILE_CAPACITY ? rounded : wanted;
}

stk_channel_tiling stk_channel_tiling_of_images(const stk_tensor_type *type, stk_format format)
{
    stk_channels       c = stk_channels_of(type, format);
    stk_channel_tiling tiling = {.runs = c.outer * c.blocks,
                                 .blocks = c.blocks,
                                 .pixels = c.inner,
                                 .block = c.block,
                                 .channels = c.channels};
    tiling.tile = stk_tile_pixels(c.block ? c.block : 1, STK_TILE_DEFAULT);
    return tiling;
}

stk_channel_tiling stk_channel_tiling_of(const stk_tensor_type *type, stk_format format)
{
    stk_channel_tiling tiling = stk_channel_tiling_of_images(type, format);
    if (format != STK_FORMAT_C8 && format != STK_FORMAT_C16) {
        tiling.pixels *= tiling.runs;
        tiling.runs = 1;
    }
    return tiling;
}

const float *stk_channel_tiling_values(const stk_channel_tiling *tiling, int64_t run,
                                       const float *values, float scratch[STK_TILE_CAPACITY])
{
    int64_t first = run % tiling->blocks * tiling->block, real = tiling->channels - first;
    if (tiling->tile == 1 && tiling->block == tiling->channels) return values;
    if (real > tiling->block) real = tiling->block;
    for (int64_t c = 0; c < tiling->block; c++)
        scratch[c] = c < real ? values[first + c] : 0;
    for (int64_t done = 1; done < tiling->tile;) {
        int64_t more = done < tiling->tile - done ? done : tiling->tile - done;
        memcpy(scratch + done * tiling->block, scratch,
               (size_t)(more * tiling->block) * sizeof *scratch);
        done += more;
    }
    return scratch;
}

stk_tile_iter stk_tile_iter_begin(const stk_channel_tiling *tiling, int part, int parts)
{
    stk_tile_iter iter = {.tiling = tiling, .run = -1};
    iter.per_run = (tiling->pixels + tiling->tile - 1) / tiling->tile;
    stk_team_share(tiling->runs * iter.per_run, 1, part, parts, &iter.next, &iter.end);
    return iter;
}

bool stk_tile_iter_next(stk_tile_iter *iter)
{
    const stk_channel_tiling *tiling = iter->tiling;
    if (iter->next >= iter->end) return false;
    int64_t run = iter->next / iter->per_run, tile = iter->next % iter->per_run;
    int64_t pixel = tile * tiling->tile, pixels = tiling->pixels - pixel;
    iter->entered = run != iter->run;
    iter->run = run;
    iter->offset = (run * tiling->pixels + pixel) * tiling->block;
    iter->count = (pixels < tiling->tile ? pixels : tiling->tile) * tiling->block;
    iter->next++;
    return true;
}

typedef struct clearing {
    const stk_channel_tiling *tiling;
    float                    *data;
} clearing;

static void clear(void *context, int part, int parts)
{
    const clearing           *j = context;
    const stk_channel_tiling *tiling = j->tiling;
    int64_t begin, end, real = tiling->channels - (tiling->blocks - 1) * tiling->block;
    stk_team_share(tiling->runs / tiling->blocks, 1, part, parts, &begin, &end);
    for (int64_t n = begin; n < end; n++) {
        float *run = j->data + ((n + 1) * tiling->blocks - 1) * tiling->pixels * tiling->block;
        for (int64_t p = 0; p < tiling->pixels; p++)
            memset(run + p * tiling->block + real, 0, (size_t)(tiling->block - real) * sizeof *run);
    }
}

void stk_channel_tiling_clear_padding(const stk_cpu *cpu, const stk_channel_tiling *tiling,
                                      float *data)
{
    clearing j = {tiling, data};
    if (tiling->blocks * tiling->block == tiling->channels) return;
    stk_work(cpu, tiling->runs * tiling->pixels * tiling->block, clear, &j);
}

bool stk_cpu_float32(const stk_device *device, const stk_op_instance *instance)
{
    (void)device;
    for (int i = 0; i < instance->input_count + instance->output_count; i++) {
        stk_dtype dtype = i < instance->input_count
                              ? instance->in[i].dtype
                              : instance->out[i - instance->input_count].dtype;
        if (dtype == STK_DTYPE_F16 || dtype == STK_DTYPE_BF16 || dtype == STK_DTYPE_F64)
            return false;
    }
    return true;
}

static int leading(const stk_op_instance *instance, const stk_format *have)
{
    int lead = 0;
    for (int i = 1; i < instance->input_count; i++)
        if (stk_type_elements(&instance->in[i]) > stk_type_elements(&instance->in[lead])) lead = i;
    for (int i = lead; i < instance->input_count; i++)
        if (stk_shape_equal(&instance->in[i].shape, &instance->in[lead].shape) &&
            have[i] != STK_FORMAT_PLAIN && have[i] != (stk_format)STK_FORMAT_ANY)
            return i;
    return lead;
}

stk_status stk_formats_any(stk_device *device, const stk_op_instance *instance,
                           const stk_format *have, stk_format *in, stk_format *out, stk_error *err)
{
    (void)device, (void)err;
    return stk_formats_follow(instance, have, leading(instance, have), in, out);
}

stk_status stk_formats_images(stk_device *device, const stk_op_instance *instance,
                              const stk_format *have, stk_format *in, stk_format *out,
                              stk_error *err)
{
    (void)device, (void)err;
    int lead = leading(instance, have);
    if (have[lead] < STK_FORMAT_OPAQUE) return stk_formats_follow(instance, have, lead, in, out);
    for (int i = 0; i < instance->input_count; i++)
        in[i] = STK_FORMAT_PLAIN;
    for (int o = 0; o < instance->output_count; o++)
        out[o] = STK_FORMAT_PLAIN;
    return STK_OK;
}

stk_format stk_format_preferred(const stk_device *device, const stk_tensor_type *type)
{
    const stk_cpu *cpu = stk_cpu_of(device);
    int            rank = type->shape.rank;
    if (rank != 4 || type->shape.dim[rank - 1] < STK_FORMAT_C8) return STK_FORMAT_PLAIN;
    return cpu->avx512 ? STK_FORMAT_C16 : STK_FORMAT_C8;
}

int64_t stk_call_floats(const stk_kernel_call *call, const stk_tensor_type *type, stk_format format)
{
    return (int64_t)(call->device->backend->format_bytes(call->device, type, format) /
                     sizeof(float));
}

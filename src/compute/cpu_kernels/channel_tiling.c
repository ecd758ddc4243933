/* Walking tensors of channels. */
#include "compute/cpu_kernels/channel_tiling.h"
#include <string.h>

int64_t stk_tile_pixels(int64_t block, int64_t floats)
{
    if (block >= floats) return 1;
    int64_t step = 16, usual = (floats + block - 1) / block;
    while (step > 1 && block * (step / 2) % 16 == 0)
        step /= 2;
    int64_t whole = (usual + step - 1) / step * step;
    return whole * block <= STK_TILE_CAPACITY ? whole : usual;
}

stk_channel_tiling stk_channel_tiling_of_images(const stk_tensor_type *type, stk_format format)
{
    stk_channels       c = stk_channels_of(type, format);
    stk_channel_tiling grid = {.runs = c.outer * c.blocks,
                               .blocks = c.blocks,
                               .pixels = c.inner,
                               .block = c.block,
                               .channels = c.channels};
    grid.strip = stk_tile_pixels(c.block ? c.block : 1, STK_STRIP_USUAL);
    return grid;
}

stk_channel_tiling stk_channel_tiling_of(const stk_tensor_type *type, stk_format format)
{
    stk_channel_tiling grid = stk_channel_tiling_of_images(type, format);
    if (format != STK_FORMAT_C8 && format != STK_FORMAT_C16) {
        grid.pixels *= grid.runs;
        grid.runs = 1;
    }
    return grid;
}

const float *stk_channel_tiling_values(const stk_channel_tiling *grid, int64_t run,
                                       const float *values, float room[STK_TILE_CAPACITY])
{
    int64_t first = run % grid->blocks * grid->block, real = grid->channels - first;
    if (grid->strip == 1 && grid->block == grid->channels) return values;
    if (real > grid->block) real = grid->block;
    for (int64_t c = 0; c < grid->block; c++)
        room[c] = c < real ? values[first + c] : 0;
    for (int64_t done = 1; done < grid->strip;) {
        int64_t more = done < grid->strip - done ? done : grid->strip - done;
        memcpy(room + done * grid->block, room, (size_t)(more * grid->block) * sizeof *room);
        done += more;
    }
    return room;
}

stk_tile_iter stk_tile_iter_begin(const stk_channel_tiling *grid, int part, int parts)
{
    stk_tile_iter walk = {.grid = grid, .run = -1};
    walk.per_run = (grid->pixels + grid->strip - 1) / grid->strip;
    stk_team_share(grid->runs * walk.per_run, 1, part, parts, &walk.next, &walk.end);
    return walk;
}

bool stk_tile_iter_next(stk_tile_iter *walk)
{
    const stk_channel_tiling *grid = walk->grid;
    if (walk->next >= walk->end) return false;
    int64_t run = walk->next / walk->per_run, strip = walk->next % walk->per_run;
    int64_t pixel = strip * grid->strip, pixels = grid->pixels - pixel;
    walk->entered = run != walk->run;
    walk->run = run;
    walk->offset = (run * grid->pixels + pixel) * grid->block;
    walk->count = (pixels < grid->strip ? pixels : grid->strip) * grid->block;
    walk->next++;
    return true;
}

typedef struct clearing {
    const stk_channel_tiling *grid;
    float                    *data;
} clearing;

static void clear(void *context, int part, int parts)
{
    const clearing           *j = context;
    const stk_channel_tiling *grid = j->grid;
    int64_t                   begin, end, real = grid->channels - (grid->blocks - 1) * grid->block;
    stk_team_share(grid->runs / grid->blocks, 1, part, parts, &begin, &end);
    for (int64_t n = begin; n < end; n++) {
        float *run = j->data + ((n + 1) * grid->blocks - 1) * grid->pixels * grid->block;
        for (int64_t p = 0; p < grid->pixels; p++)
            memset(run + p * grid->block + real, 0, (size_t)(grid->block - real) * sizeof *run);
    }
}

void stk_channel_tiling_clear_padding(const stk_cpu *cpu, const stk_channel_tiling *grid,
                                      float *data)
{
    clearing j = {grid, data};
    if (grid->blocks * grid->block == grid->channels) return;
    stk_work(cpu, grid->runs * grid->pixels * grid->block, clear, &j);
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

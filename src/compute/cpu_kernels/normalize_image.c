/* normalize_image: bytes times scale plus shift per channel, row-major. */
#include "compute/cpu_kernels/channel_tiling.h"
#include "compute/cpu_kernels/cpu_kernels.h"
#include "compute/ops/graph_ops.h"
#include "compute/ops/update_ops.h"

#define STK_LOOPS "compute/cpu_kernels/normalize_image_loops.h"
#include "compute/cpu_kernels/widths.h"

enum { CHANNELS_MAX = 4 };

typedef struct job {
    const stk_cpu     *cpu;
    stk_channel_tiling tiling;
    const uint8_t     *x;
    float             *y, scale[CHANNELS_MAX], shift[CHANNELS_MAX];
} job;

static void work(void *context, int part, int parts)
{
    const job   *j = context;
    float        scratch[2][STK_TILE_CAPACITY];
    const float *scale = NULL, *shift = NULL;
    __auto_type loop = STK_PICK(j->cpu, normalize);
    for (stk_tile_iter iter = stk_tile_iter_begin(&j->tiling, part, parts);
         stk_tile_iter_next(&iter);) {
        if (iter.entered) {
            scale = stk_channel_tiling_values(&j->tiling, iter.run, j->scale, scratch[0]);
            shift = stk_channel_tiling_values(&j->tiling, iter.run, j->shift, scratch[1]);
        }
        loop(j->x + iter.offset, scale, shift, j->y + iter.offset, iter.count);
    }
}

static stk_status run(const stk_kernel_call *call, stk_error *err)
{
    const stk_normalize_image_attrs *attrs = call->instance.attrs;
    job                              j = {.cpu = stk_cpu_of(call->device),
                                          .tiling = stk_channel_tiling_of(&call->instance.in[0], STK_FORMAT_PLAIN),
                                          .x = call->in[0],
                                          .y = call->out[0]};
    (void)err;
    for (int c = 0; c < attrs->channels; c++) {
        j.scale[c] = (float)(1 / (255 * (double)attrs->deviation[c]));
        j.shift[c] = (float)(-(double)attrs->mean[c] / (double)attrs->deviation[c]);
    }
    stk_work(j.cpu, stk_type_elements(&call->instance.in[0]) * 5, work, &j);
    return STK_OK;
}

const stk_kernel stk_cpu_normalize_image = {
    .op = &stk_graph_op_normalize_image, .name = "native", .can = stk_cpu_float32, .run = run};

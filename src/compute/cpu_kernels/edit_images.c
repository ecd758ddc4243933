/* edit_images and mix_images: images are divided among threads. */
#include "compute/cpu_kernels/channel_tiling.h"
#include "compute/cpu_kernels/cpu_kernels.h"
#include "compute/ops/edit_op_inputs.h"
#include "compute/ops/graph_ops.h"

typedef struct job {
    const stk_kernel_call *call;
    void (*row)(const stk_op_instance *instance, const void *const *in, void *const *out,
                int64_t index);
} job;

static void work(void *context, int part, int parts)
{
    const job             *j = context;
    const stk_kernel_call *call = j->call;
    int64_t                begin, end;
    stk_team_share(call->instance.out[0].shape.dim[0], 1, part, parts, &begin, &end);
    for (int64_t i = begin; i < end; i++)
        j->row(&call->instance, call->in, call->out, i);
}

static stk_status run_edit(const stk_kernel_call *call, stk_error *err)
{
    job j = {call, stk_edit_row};
    (void)err;
    stk_work(stk_cpu_of(call->device), stk_type_elements(&call->instance.out[0]) * 2, work, &j);
    return STK_OK;
}

static stk_status run_mix(const stk_kernel_call *call, stk_error *err)
{
    job j = {call, stk_mix_row};
    (void)err;
    stk_work(stk_cpu_of(call->device), stk_type_elements(&call->instance.out[0]) * 3, work, &j);
    return STK_OK;
}

const stk_kernel stk_cpu_edit_images = {
    .op = &stk_graph_op_edit_images, .name = "native", .run = run_edit};
const stk_kernel stk_cpu_mix_images = {
    .op = &stk_graph_op_mix_images, .name = "native", .run = run_mix};

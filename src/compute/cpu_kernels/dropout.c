/* dropout: elementwise row-major; of rows, in any image format. */
#include "compute/cpu_kernels/channel_tiling.h"
#include "compute/cpu_kernels/cpu_kernels.h"
#include "compute/ops/graph_ops.h"
#include "compute/ops/update_ops.h"

typedef struct job {
    const stk_kernel_call *call;
    int64_t                count, group_size; /* elements; those that share one decision */
} job;

static void work(void *context, int part, int parts)
{
    const job               *j = context;
    const stk_dropout_attrs *attrs = j->call->instance.attrs;
    const float             *x = j->call->in[0];
    float                   *y = j->call->out[0], scale = (float)(1 / (1 - attrs->rate));
    int64_t                  begin, end, step = *(const int64_t *)j->call->in[1];
    stk_team_share(j->group_size > 0 ? j->count / j->group_size : 0, 1, part, parts, &begin, &end);
    for (int64_t r = begin; r < end; r++) {
        bool is_kept = stk_dropout_keeps(attrs, step, r);
        for (int64_t i = r * j->group_size; i < (r + 1) * j->group_size; i++)
            y[i] = is_kept ? x[i] * scale : 0;
    }
}

static stk_status run(const stk_kernel_call *call, stk_error *err)
{
    const stk_dropout_attrs *attrs = call->instance.attrs;
    job j = {call, stk_call_floats(call, &call->instance.in[0], call->in_format[0]), 1};
    (void)err;
    if (attrs->rows && j.count) j.group_size = j.count / call->instance.in[0].shape.dim[0];
    stk_work(stk_cpu_of(call->device), j.count * 64, work, &j);
    return STK_OK;
}

static stk_status formats(stk_device *device, const stk_op_instance *instance,
                          const stk_format *have, stk_format *in, stk_format *out, stk_error *err)
{
    const stk_dropout_attrs *attrs = instance->attrs;
    if (attrs->rows) return stk_formats_images(device, instance, have, in, out, err);
    in[0] = in[1] = out[0] = STK_FORMAT_PLAIN;
    return STK_OK;
}

const stk_kernel stk_cpu_dropout = {.op = &stk_graph_op_dropout,
                                    .name = "native",
                                    .can = stk_cpu_float32,
                                    .formats = formats,
                                    .run = run};

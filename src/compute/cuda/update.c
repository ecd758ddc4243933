/* sgd, lars, adamw, lamb, ema, lookahead and accumulate: elementwise in the format of the
 * parameter. Deferred, so that all parameters are updated in one launch. */
#include "compute/cuda_kernels/update.h"
#include "compute/cuda/cuda_kernels.h"
#include "compute/cuda/multi_tensor.h"
#include "compute/ops/graph_ops.h"
#include "compute/ops/update_ops.h"
#include <string.h>

/* Attributes shared by the tensors of a launch. */
typedef struct group {
    const float *hyper, *guard;
    int64_t      kind;
} group;

static int64_t count_of(const stk_kernel_call *call)
{
    return stk_cuda_layout_of(&call->instance.in[0], call->in_format[0]).elements;
}

static stk_cuda_update_rule rule_of(int64_t kind, const void *attrs)
{
    const stk_optimizer_attrs *a = attrs;
    if (kind == STK_CUDA_UPDATE_ACCUMULATE || kind == STK_CUDA_UPDATE_LOOKAHEAD)
        return (stk_cuda_update_rule){0};
    if (kind == STK_CUDA_UPDATE_EMA)
        return (stk_cuda_update_rule){.decay = ((const stk_ema_attrs *)attrs)->decay};
    return (stk_cuda_update_rule){.rate = a->rate,
                                  .freeze_after = a->freeze_after,
                                  .weight_decay = a->weight_decay,
                                  .beta1 = a->beta1,
                                  .beta2 = a->beta2,
                                  .epsilon = a->epsilon,
                                  .trust = a->trust,
                                  .nesterov = a->nesterov,
                                  .adapt = a->adapt};
}

/* STK_CUDA_UPDATE_RULES: the table is full. */
static int add_rule(stk_cuda_update_batch *batch, const stk_cuda_update_rule *rule)
{
    int i = 0;
    while (i < batch->rules && memcmp(&batch->rule[i], rule, sizeof *rule) != 0)
        i++;
    if (i == batch->rules && i < STK_CUDA_UPDATE_RULES) batch->rule[batch->rules++] = *rule;
    return i;
}

static stk_cuda_update_tensor tensor_of(const stk_kernel_call *call, int rule)
{
    stk_cuda_update_tensor t = {.w = call->in[0],
                                .g = call->in[1],
                                .to_w = call->out[0],
                                .sums = call->state,
                                .count = count_of(call),
                                .g_dtype = (int)call->instance.in[1].dtype,
                                .rule = rule};
    if (call->instance.output_count > 1)
        t.m = call->in[call->op->inplace[1] - 1], t.to_m = call->out[1];
    if (call->instance.output_count > 2) t.v = call->in[3], t.to_v = call->out[2];
    return t;
}

static cudaError_t launch(const void *attrs, const stk_cuda_multi_tensor_item *const *items,
                          int count, cudaStream_t stream)
{
    const group          *all = attrs;
    stk_cuda_update_batch batch = {
        .kind = (int)all->kind, .hyper = all->hyper, .guard = all->guard};
    for (int i = 0; i < count; i++) {
        const stk_kernel_call     *call = items[i]->context;
        const stk_cuda_update_rule rule = rule_of(all->kind, call->instance.attrs);
        int                        at = add_rule(&batch, &rule);
        if (at == STK_CUDA_UPDATE_RULES) {
            cudaError_t code = stk_cuda_update_launch(&batch, stream);
            if (code != cudaSuccess) return code;
            batch.tensors = batch.rules = 0;
            at = add_rule(&batch, &rule);
        }
        batch.tensor[batch.tensors++] = tensor_of(call, at);
    }
    return stk_cuda_update_launch(&batch, stream);
}

static const stk_cuda_multi_tensor_kind updates = {"update", STK_CUDA_UPDATE_TENSORS, launch};

static size_t bytes_of(const stk_kernel_call *call, const stk_tensor_type *type, stk_format format)
{
    return stk_cuda_format_bytes(call->device, type, format);
}

static stk_status note(const stk_kernel_call *call, const group *all, stk_error *err)
{
    const stk_op_instance     *instance = &call->instance;
    stk_cuda_multi_tensor_item item = {.count = count_of(call), .context = call};
    for (int i = 0; i < instance->input_count; i++)
        item.in[i] = (stk_cuda_span){(void *)call->in[i],
                                     bytes_of(call, &instance->in[i], call->in_format[i])};
    for (int o = 0; o < instance->output_count; o++)
        item.out[o] =
            (stk_cuda_span){call->out[o], bytes_of(call, &instance->out[o], call->out_format[o])};
    return stk_cuda_multi_tensor_add(call->device, &updates, all, sizeof *all, &item, err);
}

/* Inputs: w, g, the slots, hyper, guard. Outputs: w, the slots. */
static stk_status defer_update(const stk_kernel_call *call, stk_cuda_update_kind kind,
                               stk_error *err)
{
    int         inputs = call->instance.input_count;
    const group all = {call->in[inputs - 2], call->in[inputs - 1], kind};
    return note(call, &all, err);
}

static stk_status run_sgd(const stk_kernel_call *call, stk_error *err)
{
    return defer_update(call, STK_CUDA_UPDATE_SGD, err);
}

static stk_status run_lars(const stk_kernel_call *call, stk_error *err)
{
    return defer_update(call, STK_CUDA_UPDATE_LARS, err);
}

static stk_status run_adamw(const stk_kernel_call *call, stk_error *err)
{
    return defer_update(call, STK_CUDA_UPDATE_ADAMW, err);
}

static stk_status run_lamb(const stk_kernel_call *call, stk_error *err)
{
    return defer_update(call, STK_CUDA_UPDATE_LAMB, err);
}

static stk_status run_ema(const stk_kernel_call *call, stk_error *err)
{
    return note(call, &(group){NULL, call->in[2], STK_CUDA_UPDATE_EMA}, err);
}

static stk_status run_lookahead(const stk_kernel_call *call, stk_error *err)
{
    return note(call, &(group){call->in[2], NULL, STK_CUDA_UPDATE_LOOKAHEAD}, err);
}

static stk_status run_accumulate(const stk_kernel_call *call, stk_error *err)
{
    return note(call, &(group){NULL, NULL, STK_CUDA_UPDATE_ACCUMULATE}, err);
}

/* Partial sums have memory of their own: a deferred call runs when its scratch is reused. */
static stk_status prepare_sums(stk_kernel_call *call, size_t *scratch, stk_error *err)
{
    size_t size = stk_cuda_update_sums(count_of(call)) * sizeof(double);
    *scratch = 0;
    call->state = stk_cuda_alloc(call->device, size);
    if (call->state) return STK_OK;
    return stk_fail(err, STK_E_NOMEM, call->op->name, call->instance.name,
                    "no memory for %zu bytes of sums on the GPU", size);
}

static void release_sums(stk_kernel_call *call)
{
    if (call->state) stk_cuda_free(call->device, call->state, 0);
    call->state = NULL;
}

#define KERNEL(id, prepare_, release_)                                                             \
    const stk_kernel stk_cuda_##id = {.op = &stk_graph_op_##id,                                    \
                                      .name = "native",                                            \
                                      .formats = stk_cuda_formats_same,                            \
                                      .prepare = prepare_,                                         \
                                      .run = run_##id,                                             \
                                      .deferred = true,                                            \
                                      .release = release_}

KERNEL(sgd, NULL, NULL);
KERNEL(lars, prepare_sums, release_sums);
KERNEL(adamw, NULL, NULL);
KERNEL(lamb, prepare_sums, release_sums);
KERNEL(ema, NULL, NULL);
KERNEL(lookahead, NULL, NULL);
KERNEL(accumulate, NULL, NULL);

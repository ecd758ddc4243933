/* Primitives that are created once and run often. */
#include "compute/cpu/dnnl_state.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

dnnl_status_t stk_dnnl_layer_make(const stk_cpu *cpu, const stk_dnnl_layer *layer,
                                  dnnl_primitive_desc_t *pd)
{
    int           before = stk_dnnl_enter(cpu->dnnl_threads);
    dnnl_status_t st = stk_onednn_layer_create(pd, cpu->dnnl->engine, layer);
    stk_dnnl_leave(before);
    return st;
}

void stk_dnnl_layer_release(stk_dnnl_layer *layer)
{
    stk_md_release(&layer->src);
    stk_md_release(&layer->weights);
    stk_md_release(&layer->bias);
    stk_md_release(&layer->dst);
    stk_onednn_attr_destroy(layer->attr);
    layer->attr = NULL;
}

int stk_dnnl_grade(dnnl_primitive_desc_t pd)
{
    const char *name = stk_onednn_pd_name(pd);
    if (!*name || strstr(name, "ref") || strstr(name, "simple")) return 0;
    return strncmp(name, "gemm", 4) == 0 || strncmp(name, "x64:gemm", 8) == 0 ? 1 : 2;
}

static dnnl_status_t add_memory(stk_dnnl_job *job, const stk_cpu *cpu, int arg, stk_md_ref md)
{
    dnnl_exec_arg_t *at = &job->args[job->count];
    dnnl_status_t    st =
        md ? stk_onednn_memory_create(&at->memory, md, cpu->dnnl->engine) : dnnl_runtime_error;
    if (st) return st;
    at->arg = arg;
    job->count++;
    return st;
}

static size_t bytes_of(dnnl_primitive_desc_t pd, const stk_dnnl_arg *args, int count)
{
    size_t bytes = 0;
    for (int i = 0; i < count; i++) {
        stk_md_ref md = stk_onednn_pd_md(pd, args[i].query, args[i].index);
        if (md) bytes += stk_md_bytes(md);
    }
    return bytes;
}

static dnnl_status_t add_memories(stk_dnnl_job *job, const stk_cpu *cpu, dnnl_primitive_desc_t pd,
                                  const stk_dnnl_arg *args, int count, size_t *scratch)
{
    dnnl_status_t st = dnnl_success;
    for (int i = 0; i < count && !st; i++)
        st = add_memory(job, cpu, args[i].arg, stk_onednn_pd_md(pd, args[i].query, args[i].index));
    stk_md_ref pad = stk_onednn_pd_md(pd, dnnl_query_scratchpad_md, 0);
    *scratch = pad ? stk_md_bytes(pad) : 0;
    return st || !*scratch ? st : add_memory(job, cpu, DNNL_ARG_SCRATCHPAD, pad);
}

stk_status stk_dnnl_job_make(stk_dnnl_job *job, const stk_cpu *cpu, int threads,
                             dnnl_primitive_desc_t pd, const stk_dnnl_arg *args, int count,
                             size_t *scratch, const char *where, stk_error *err)
{
    snprintf(job->detail, sizeof job->detail, "%s", stk_onednn_pd_name(pd));
    job->threads = threads;
    job->bytes = bytes_of(pd, args, count);
    int           before = stk_dnnl_enter(threads);
    dnnl_status_t st = stk_onednn_primitive_create(&job->primitive, pd);
    stk_dnnl_leave(before);
    if (!st) st = add_memories(job, cpu, pd, args, count, scratch);
    return st ? stk_dnnl_fail(st, where, job->detail, job->bytes, err) : STK_OK;
}

/* Setting a handle makes oneDNN 2 rewrite the padding, so it is set only if it changes. */
static dnnl_status_t point(stk_dnnl_job *job, const void *const *at)
{
    dnnl_status_t st = dnnl_success;
    for (int i = 0; i < job->count && !st; i++) {
        if (job->at[i] == at[i]) continue;
        st = stk_onednn_memory_point(job->args[i].memory, at[i]);
        job->at[i] = st ? NULL : at[i];
    }
    return st;
}

/* The first run may generate code and start threads; later ones hardly allocate. */
stk_status stk_dnnl_job_run(stk_dnnl_job *job, const stk_cpu *cpu, const void *const *at,
                            const char *where, stk_error *err)
{
    if (!job->ran && !stk_dnnl_has_capacity(job->threads))
        return stk_dnnl_fail(dnnl_out_of_memory, where, job->detail, job->bytes, err);
    int           before = stk_dnnl_enter(job->threads);
    dnnl_status_t st = point(job, at);
    if (!st) st = stk_onednn_execute(job->primitive, cpu->dnnl->stream, job->count, job->args);
    job->ran = true;
    stk_dnnl_leave(before);
    return st ? stk_dnnl_fail(st, where, job->detail, job->bytes, err) : STK_OK;
}

void stk_dnnl_job_release(stk_dnnl_job *job)
{
    for (int i = 0; i < job->count; i++)
        stk_onednn_memory_destroy(job->args[i].memory);
    stk_onednn_primitive_destroy(job->primitive);
    *job = (stk_dnnl_job){0};
}

const stk_dnnl_arg *stk_dnnl_forward_args(const stk_op_instance *instance)
{
    static const stk_dnnl_arg bare[] = {{DNNL_ARG_SRC, dnnl_query_src_md, 0},
                                        {DNNL_ARG_WEIGHTS, dnnl_query_weights_md, 0},
                                        {DNNL_ARG_DST, dnnl_query_dst_md, 0}};
    static const stk_dnnl_arg with_bias[] = {{DNNL_ARG_SRC, dnnl_query_src_md, 0},
                                             {DNNL_ARG_WEIGHTS, dnnl_query_weights_md, 0},
                                             {DNNL_ARG_BIAS, dnnl_query_weights_md, 1},
                                             {DNNL_ARG_DST, dnnl_query_dst_md, 0}};
    return instance->input_count > 2 ? with_bias : bare;
}

const stk_dnnl_arg stk_dnnl_grad_input_args[] = {{DNNL_ARG_DIFF_DST, dnnl_query_diff_dst_md, 0},
                                                 {DNNL_ARG_WEIGHTS, dnnl_query_weights_md, 0},
                                                 {DNNL_ARG_DIFF_SRC, dnnl_query_diff_src_md, 0}};

stk_status stk_dnnl_kernel_prepare(stk_kernel_call *call, dnnl_primitive_desc_t pd,
                                   const stk_dnnl_arg *args, size_t *scratch, stk_error *err)
{
    const stk_cpu *cpu = stk_cpu_of(call->device);
    int            count = call->instance.input_count + call->instance.output_count;
    stk_dnnl_job  *job = calloc(1, sizeof *job);
    call->state = job;
    stk_status st = job ? stk_dnnl_job_make(job, cpu, cpu->dnnl_threads, pd, args, count, scratch,
                                            call->instance.name, err)
                        : stk_fail(err, STK_E_NOMEM, "onednn", call->instance.name, "no memory");
    stk_onednn_pd_destroy(pd);
    return st;
}

stk_status stk_dnnl_kernel_run(const stk_kernel_call *call, stk_error *err)
{
    const void *at[STK_DNNL_ARGS + 1];
    int         count = 0;
    for (int i = 0; i < call->instance.input_count; i++)
        at[count++] = call->in[i];
    for (int o = 0; o < call->instance.output_count; o++)
        at[count++] = call->out[o];
    at[count] = call->scratch;
    return stk_dnnl_job_run(call->state, stk_cpu_of(call->device), at, call->instance.name, err);
}

void stk_dnnl_kernel_release(stk_kernel_call *call)
{
    if (call->state) stk_dnnl_job_release(call->state);
    free(call->state);
    call->state = NULL;
}

const char *stk_dnnl_kernel_detail(const stk_kernel_call *call)
{
    const stk_dnnl_job *job = call->state;
    return job->detail;
}

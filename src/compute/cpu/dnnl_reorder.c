/* Reorders with an opaque format. Each pair is created once and cached, since creation takes longer
 * than most reorders. */
#include "compute/cpu/dnnl_state.h"
#include <stdio.h>
#include <stdlib.h>

/* Describes one side of a pair. The opaque side knows the tensor's row-major descriptor. */
static dnnl_status_t describe(const stk_cpu *cpu, const stk_tensor_type *type, stk_format format,
                              stk_format other, stk_md *out)
{
    if (format == STK_FORMAT_C8 || format == STK_FORMAT_C16)
        return stk_dnnl_image(cpu, type, format, out);
    stk_format opaque = format >= STK_FORMAT_OPAQUE ? format : other;
    stk_md_ref plain = stk_md_get(&cpu->dnnl->formats[opaque - STK_FORMAT_OPAQUE].plain);
    return stk_dnnl_format_md(cpu, format, plain, out);
}

/* Fewer bytes are copied before a second thread wakes up. */
enum { SMALL = 64 << 10 };

static stk_status make_job(stk_cpu *cpu, stk_dnnl_pair *r, const stk_md *from, const stk_md *to,
                           stk_error *err)
{
    static const stk_dnnl_arg args[] = {{DNNL_ARG_FROM, dnnl_query_src_md, 0},
                                        {DNNL_ARG_TO, dnnl_query_dst_md, 0}};
    struct stk_cpu_dnnl      *d = cpu->dnnl;
    dnnl_primitive_attr_t     attr;
    dnnl_primitive_desc_t     pd = NULL;
    size_t                    scratch = 0, bytes = stk_md_bytes(stk_md_get(to));
    int                       threads = bytes < SMALL ? 1 : cpu->team.threads;
    int                       before = stk_dnnl_enter(threads);
    dnnl_status_t             made = stk_dnnl_attr_make(&attr, NULL);
    if (!made)
        made = stk_onednn_reorder_create(&pd, d->engine, stk_md_get(from), stk_md_get(to), attr);
    stk_dnnl_leave(before);
    stk_onednn_attr_destroy(attr);
    if (made) return stk_dnnl_fail(made, "reorder", "a reorder", bytes, err);
    stk_status st = stk_dnnl_job_make(&r->job, cpu, threads, pd, args, 2, &scratch, "reorder", err);
    stk_onednn_pd_destroy(pd);
    if (st || !scratch) return st;
    r->scratch = aligned_alloc(64, (scratch + 63) & ~(size_t)63);
    return r->scratch ? STK_OK : stk_dnnl_fail(dnnl_out_of_memory, NULL, "a reorder", scratch, err);
}

static stk_status make(stk_cpu *cpu, const stk_tensor_type *type, stk_format from, stk_format to,
                       stk_dnnl_pair *r, stk_error *err)
{
    stk_md a = {0}, b = {0};
    *r = (stk_dnnl_pair){.from = from, .to = to};
    dnnl_status_t described = describe(cpu, type, from, to, &a);
    if (!described) described = describe(cpu, type, to, from, &b);
    stk_status st = described ? stk_dnnl_fail(described, NULL, "a description", 0, err)
                              : make_job(cpu, r, &a, &b, err);
    stk_md_release(&a);
    stk_md_release(&b);
    if (st) {
        stk_dnnl_job_release(&r->job);
        free(r->scratch);
    }
    return st;
}

static stk_status find(stk_cpu *cpu, const stk_tensor_type *type, stk_format from, stk_format to,
                       stk_dnnl_pair **out, stk_error *err)
{
    struct stk_cpu_dnnl *d = cpu->dnnl;
    for (size_t i = 0; i < d->reorder_count; i++) {
        *out = &d->reorders[i];
        if ((*out)->from == from && (*out)->to == to) return STK_OK;
    }
    if (d->reorder_count == d->reorder_capacity) {
        size_t         capacity = d->reorder_capacity ? d->reorder_capacity * 2 : 64;
        stk_dnnl_pair *grown = realloc(d->reorders, capacity * sizeof *grown);
        if (!grown) return stk_fail(err, STK_E_NOMEM, "onednn", NULL, "no memory for a reorder");
        d->reorders = grown;
        d->reorder_capacity = capacity;
    }
    *out = &d->reorders[d->reorder_count];
    STK_TRY(make(cpu, type, from, to, *out, err));
    d->reorder_count++;
    return STK_OK;
}

stk_status stk_dnnl_reorder(stk_cpu *cpu, const stk_tensor_type *type, stk_format from,
                            const void *src, stk_format to, void *dst, stk_error *err)
{
    stk_dnnl_pair *r = NULL;
    STK_TRY(find(cpu, type, from, to, &r, err));
    const void *at[] = {src, dst, r->scratch};
    return stk_dnnl_job_run(&r->job, cpu, at, "reorder", err);
}

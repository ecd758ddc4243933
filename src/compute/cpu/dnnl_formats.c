/* Maps memory descriptors of oneDNN to formats and back. */
#include "compute/cpu/dnnl_state.h"
#include <stdio.h>
#include <stdlib.h>

static const stk_dnnl_format *entry(const stk_cpu *cpu, stk_format format)
{
    return &cpu->dnnl->formats[format - STK_FORMAT_OPAQUE];
}

static stk_status append(struct stk_cpu_dnnl *d, stk_md_ref md, stk_md_ref plain, stk_error *err)
{
    if (d->format_count == d->format_capacity) {
        size_t           capacity = d->format_capacity ? d->format_capacity * 2 : 64;
        stk_dnnl_format *grown = realloc(d->formats, capacity * sizeof *grown);
        if (!grown) return stk_fail(err, STK_E_NOMEM, "onednn", NULL, "no memory for a format");
        d->formats = grown;
        d->format_capacity = capacity;
    }
    stk_dnnl_format *f = &d->formats[d->format_count];
    *f = (stk_dnnl_format){0};
    dnnl_status_t st = stk_md_copy(&f->md, md);
    if (!st) st = stk_md_copy(&f->plain, plain);
    if (!st) {
        d->format_count++;
        return STK_OK;
    }
    stk_md_release(&f->md);
    return stk_dnnl_fail(st, NULL, "a format", stk_md_bytes(md), err);
}

stk_status stk_dnnl_format_of(stk_cpu *cpu, stk_md_ref md, stk_md_ref plain, stk_format *out,
                              stk_error *err)
{
    struct stk_cpu_dnnl *d = cpu->dnnl;
    *out = STK_FORMAT_PLAIN;
    if (stk_md_equal(md, plain)) return STK_OK;
    size_t i = 0;
    while (i < d->format_count && !(stk_md_equal(md, stk_md_get(&d->formats[i].md)) &&
                                    stk_md_equal(plain, stk_md_get(&d->formats[i].plain))))
        i++;
    if (i == d->format_count) STK_TRY(append(d, md, plain, err));
    *out = STK_FORMAT_OPAQUE + (stk_format)i;
    return STK_OK;
}

dnnl_status_t stk_dnnl_image(const stk_cpu *cpu, const stk_tensor_type *type, stk_format format,
                             stk_md *out)
{
    if (format >= STK_FORMAT_OPAQUE) return stk_md_copy(out, stk_md_get(&entry(cpu, format)->md));
    const int64_t    *d = type->shape.dim;
    const dnnl_dims_t dims = {d[0], d[3], d[1], d[2]};
    dnnl_format_tag_t tag = format == STK_FORMAT_C16  ? dnnl_nChw16c
                            : format == STK_FORMAT_C8 ? dnnl_nChw8c
                                                      : dnnl_nhwc;
    return stk_md_by_tag(out, 4, dims, stk_dnnl_type(type->dtype), tag);
}

dnnl_status_t stk_dnnl_format_md(const stk_cpu *cpu, stk_format format, stk_md_ref plain,
                                 stk_md *out)
{
    return stk_md_copy(out,
                       format >= STK_FORMAT_OPAQUE ? stk_md_get(&entry(cpu, format)->md) : plain);
}

size_t stk_dnnl_format_bytes(const stk_cpu *cpu, stk_format format)
{
    return stk_md_bytes(stk_md_get(&entry(cpu, format)->md));
}

/* oneDNN's notation: dimensions from the outermost, blocked ones in capitals, then the blocks. */
void stk_dnnl_format_name(const stk_cpu *cpu, stk_format format, char *text, size_t capacity)
{
    stk_md_blocks b;
    char          order[DNNL_MAX_NDIMS + 1] = "";
    if (!stk_md_blocks_of(stk_md_get(&entry(cpu, format)->md), &b)) {
        snprintf(text, capacity, "onednn:%u", format);
        return;
    }
    bool done[DNNL_MAX_NDIMS] = {false};
    for (int i = 0; i < b.rank; i++) {
        int next = -1;
        for (int axis = 0; axis < b.rank; axis++)
            if (!done[axis] && (next < 0 || b.stride[axis] > b.stride[next])) next = axis;
        done[next] = true;
        order[i] = (char)('a' + next);
    }
    for (int i = 0; i < b.count; i++)
        for (int at = 0; at < b.rank; at++)
            if (order[at] == 'a' + b.axis[i]) order[at] = (char)('A' + b.axis[i]);
    size_t used = (size_t)snprintf(text, capacity, "%s", order);
    for (int i = 0; i < b.count && used < capacity; i++)
        used += (size_t)snprintf(text + used, capacity - used, "%d%c", (int)b.block[i],
                                 (char)('a' + b.axis[i]));
}

/* Backend "ref": the reference of every op, one thread, row-major. Slow; the oracle of tests. */
#include "compute/passes/passes.h"
#include "compute/runtime/reference.h"
#include <stdlib.h>
#include <string.h>

/* One kernel serves all ops. */
static const stk_kernel kernel = {
    .name = "reference",
    .prepare = stk_reference_prepare,
    .run = stk_reference_run,
    .release = stk_reference_release,
};

static stk_status open_device(stk_device *device, stk_error *err)
{
    (void)err;
    device->options.threads = 1;
    return STK_OK;
}

static void close_device(stk_device *device)
{
    (void)device;
}

static const stk_kernel *find_kernel(const stk_device *device, const stk_graph_op *op,
                                     const stk_op_instance *instance)
{
    (void)device, (void)instance;
    return op->reference ? &kernel : NULL;
}

static stk_status precision(const stk_device *device, stk_dtype dtype, stk_error *err)
{
    (void)device, (void)dtype, (void)err;
    return STK_OK; /* results are rounded to 16 bits after each op */
}

static size_t format_bytes(const stk_device *device, const stk_tensor_type *type, stk_format format)
{
    (void)device, (void)format;
    return stk_type_bytes(type);
}

static void format_name(const stk_device *device, stk_format format, char *text, size_t capacity)
{
    (void)device, (void)format;
    if (capacity) strncpy(text, "plain", capacity);
}

static stk_status reorder(stk_device *device, const stk_tensor_type *type, stk_format from,
                          const void *src, stk_format to, void *dst, stk_error *err)
{
    (void)device, (void)from, (void)to, (void)err;
    if (src != dst) memcpy(dst, src, stk_type_bytes(type));
    return STK_OK;
}

static unsigned fusions(const stk_device *device, stk_dtype precision)
{
    (void)device, (void)precision;
    return STK_FUSION_GRADIENT_SUM | STK_FUSION_MASK_BITS | STK_FUSION_NORM_STATS |
           STK_FUSION_STATISTICS | STK_FUSION_NORM_POOL | STK_FUSION_GRAD_NORM;
}

const stk_backend stk_backend_ref = {
    .name = "ref",
    .help = "plain C on one core: slow, for checking",
    .open = open_device,
    .close = close_device,
    .kernel = find_kernel,
    .precision = precision,
    .fusions = fusions,
    .alloc = stk_host_alloc,
    .memory = stk_host_memory,
    .free = stk_host_free,
    .upload = stk_host_copy,
    .download = stk_host_copy,
    .clear = stk_host_clear,
    .format_bytes = format_bytes,
    .format_name = format_name,
    .reorder = reorder,
    .finite = stk_host_finite,
};

/* The backend "cpu". */
#include "compute/cpu/cpu.h"
#include "compute/cpu/dnnl.h"
#include "compute/runtime/reference.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const stk_kernel reference = {
    .name = "reference",
    .prepare = stk_reference_prepare,
    .run = stk_reference_run,
    .release = stk_reference_release,
};

static bool allowed(const char *feature)
{
    const char *off = getenv("STOKER_CPU_OFF");
    return !off || !strstr(off, feature);
}

static stk_status open_device(stk_device *device, stk_error *err)
{
    stk_cpu *cpu = calloc(1, sizeof *cpu);
    if (!cpu) return stk_fail(err, STK_E_NOMEM, "backend", "cpu", "no memory");
    cpu->team.threads = device->options.threads;
    cpu->dnnl_threads = device->options.deterministic ? 1 : cpu->team.threads;
    cpu->avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && allowed("avx2");
    cpu->avx512 = cpu->avx2 && __builtin_cpu_supports("avx512f") &&
                  __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
                  __builtin_cpu_supports("avx512dq") && allowed("avx512");
    cpu->no_winograd = !allowed("winograd");
    device->state = cpu;
    stk_status st = stk_team_open(&cpu->team, err);
    if (!st) st = stk_dnnl_open(cpu, err);
    if (st) free(cpu);
    return st;
}

static void close_device(stk_device *device)
{
    stk_cpu *cpu = stk_cpu_of(device);
    stk_dnnl_close(cpu);
    free(cpu);
}

static const stk_kernel *find_in(const stk_kernel *const *list, const stk_device *device,
                                 const stk_graph_op *op, const stk_op_instance *instance)
{
    for (; *list; list++)
        if ((*list)->op == op && (!(*list)->can || (*list)->can(device, instance))) return *list;
    return NULL;
}

static const stk_kernel *find_kernel(const stk_device *device, const stk_graph_op *op,
                                     const stk_op_instance *instance)
{
    const stk_kernel *found = find_in(stk_cpu_kernels_native, device, op, instance);
    if (!found) found = find_in(stk_cpu_kernels_onednn, device, op, instance);
    return found || !op->reference ? found : &reference;
}

static stk_status precision(const stk_device *device, stk_dtype dtype, stk_error *err)
{
    if (dtype == STK_DTYPE_F16)
        return stk_fail(err, STK_E_UNSUPPORTED, "precision", "float16",
                        "CPUs compute float32 and, some, bfloat16; use --precision bf16 or fp32");
    const bool has = __builtin_cpu_supports("avx512bf16") && allowed("avx512bf16");
    if (!has || !stk_cpu_of(device)->avx512 || !stk_dnnl_has_bf16())
        return stk_fail(err, STK_E_UNSUPPORTED, "precision", "bfloat16",
                        "this CPU has no AVX-512 BF16 instructions%s, so bfloat16 would be slower "
                        "than float32; use --precision fp32",
                        has ? " that may be used (STOKER_CPU_OFF, DNNL_MAX_CPU_ISA)" : "");
    if (stk_dnnl_bf16_breaks())
        return stk_fail(err, STK_E_UNSUPPORTED, "precision", "bfloat16",
                        "oneDNN 2 crashes with AMX, which is switched on in this process; set "
                        "DNNL_MAX_CPU_ISA=AVX512_CORE_BF16, or use --precision fp32");
    return STK_OK;
}

static size_t format_bytes(const stk_device *device, const stk_tensor_type *type, stk_format format)
{
    if (format >= STK_FORMAT_OPAQUE) return stk_dnnl_format_bytes(stk_cpu_of(device), format);
    stk_channels c = stk_channels_of(type, format);
    return (size_t)(c.outer * c.blocks * c.inner * c.block) * stk_dtype_bytes(type->dtype);
}

static void format_name(const stk_device *device, stk_format format, char *text, size_t capacity)
{
    if (format >= STK_FORMAT_OPAQUE)
        stk_dnnl_format_name(stk_cpu_of(device), format, text, capacity);
    else if (format)
        snprintf(text, capacity, "nChw%uc", format);
    else
        snprintf(text, capacity, "plain");
}

static stk_status reorder(stk_device *device, const stk_tensor_type *type, stk_format from,
                          const void *src, stk_format to, void *dst, stk_error *err)
{
    if (from == to) {
        if (src != dst) memcpy(dst, src, format_bytes(device, type, from));
        return STK_OK;
    }
    if (from < STK_FORMAT_OPAQUE && to < STK_FORMAT_OPAQUE) {
        stk_reorder_channels(stk_cpu_of(device), type, from, src, to, dst);
        return STK_OK;
    }
    return stk_dnnl_reorder(stk_cpu_of(device), type, from, src, to, dst, err);
}

const stk_backend stk_backend_cpu = {
    .name = "cpu",
    .help = "oneDNN and native kernels on the cores of this machine",
    .open = open_device,
    .close = close_device,
    .kernel = find_kernel,
    .precision = precision,
    .half_gemm_only = true,
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

/* State of oneDNN: engine, threads, data types. */
#include "compute/cpu/dnnl_state.h"
#include <stdlib.h>

/* Functions of OpenMP, declared as in team.c: the compiler's header needs its pragmas. */
int  omp_get_max_threads(void);
void omp_set_num_threads(int threads);

/* In oneDNN 2, bfloat16 GEMMs with AMX raise SIGILL if the last rows do not fill a tile. AVX-512
 * supports bfloat16 too. An ISA set by the environment is respected. */
static void leave_out_amx(void)
{
    const bool is_set = getenv("DNNL_MAX_CPU_ISA") || getenv("ONEDNN_MAX_CPU_ISA");
    if (!is_set && stk_onednn_major() < 3) stk_onednn_limit_isa(dnnl_cpu_isa_avx512_core_bf16);
}

bool stk_dnnl_has_bf16(void)
{
    return stk_onednn_has_isa(dnnl_cpu_isa_avx512_core_bf16);
}

bool stk_dnnl_bf16_breaks(void)
{
    return stk_onednn_major() < 3 && stk_onednn_has_isa(dnnl_cpu_isa_avx512_core_amx);
}

stk_status stk_dnnl_open(stk_cpu *cpu, stk_error *err)
{
    struct stk_cpu_dnnl *d = calloc(1, sizeof *d);
    cpu->dnnl = d;
    if (!d) return stk_fail(err, STK_E_NOMEM, "onednn", NULL, "no memory");
    if (!stk_dnnl_reserve_open()) {
        free(d);
        cpu->dnnl = NULL;
        return stk_dnnl_fail(dnnl_out_of_memory, "cpu", "its reserve", 0, err);
    }
    leave_out_amx();
    d->block = stk_onednn_has_isa(dnnl_cpu_isa_avx512_core) ? STK_FORMAT_C16 : STK_FORMAT_C8;
    dnnl_status_t st = stk_onednn_engine_create(&d->engine);
    if (!st) st = stk_onednn_stream_create(&d->stream, d->engine);
    if (!st) return STK_OK;
    stk_dnnl_close(cpu);
    return stk_dnnl_fail(st, "cpu", "its engine", 0, err);
}

void stk_dnnl_close(stk_cpu *cpu)
{
    struct stk_cpu_dnnl *d = cpu->dnnl;
    if (!d) return;
    for (size_t i = 0; i < d->reorder_count; i++) {
        stk_dnnl_job_release(&d->reorders[i].job);
        free(d->reorders[i].scratch);
    }
    for (size_t i = 0; i < d->format_count; i++) {
        stk_md_release(&d->formats[i].md);
        stk_md_release(&d->formats[i].plain);
    }
    free(d->reorders);
    free(d->formats);
    stk_onednn_stream_destroy(d->stream);
    stk_onednn_engine_destroy(d->engine);
    stk_dnnl_reserve_close();
    free(d);
    cpu->dnnl = NULL;
}

/* The thread count is a property of the calling thread, which may use OpenMP itself. */
int stk_dnnl_enter(int threads)
{
    int before = omp_get_max_threads();
    if (before != threads) omp_set_num_threads(threads);
    return before;
}

void stk_dnnl_leave(int before)
{
    if (before != omp_get_max_threads()) omp_set_num_threads(before);
}

dnnl_data_type_t stk_dnnl_type(stk_dtype dtype)
{
    return dtype == STK_DTYPE_BF16 ? dnnl_bf16 : dnnl_f32;
}

static bool has_type(const stk_cpu *cpu, const stk_tensor_type *type)
{
    if (type->dtype == STK_DTYPE_BF16) return cpu->dnnl->block == STK_FORMAT_C16;
    return type->dtype == STK_DTYPE_F32;
}

bool stk_dnnl_can_compute(const stk_cpu *cpu, const stk_op_instance *instance)
{
    bool can = instance->in[0].dtype == instance->in[1].dtype;
    for (int i = 0; i < instance->input_count; i++)
        can = can && has_type(cpu, &instance->in[i]) && stk_type_elements(&instance->in[i]) > 0;
    for (int o = 0; o < instance->output_count; o++)
        can = can && has_type(cpu, &instance->out[o]) && stk_type_elements(&instance->out[o]) > 0;
    return can;
}

size_t stk_dnnl_use_bytes(const stk_op_instance *instance)
{
    size_t bytes = 0;
    for (int i = 0; i < instance->input_count; i++)
        bytes +=
            (size_t)stk_type_elements(&instance->in[i]) * stk_dtype_bytes(instance->in[i].dtype);
    for (int o = 0; o < instance->output_count; o++)
        bytes +=
            (size_t)stk_type_elements(&instance->out[o]) * stk_dtype_bytes(instance->out[o].dtype);
    return bytes;
}

bool stk_dnnl_is_failure(dnnl_status_t status)
{
    return status == dnnl_out_of_memory || status == dnnl_runtime_error;
}

stk_status stk_dnnl_fail(dnnl_status_t status, const char *where, const char *what, size_t bytes,
                         stk_error *err)
{
    if (status == dnnl_out_of_memory)
        return stk_fail(err, STK_E_NOMEM, "onednn", where,
                        "no memory for %s: its tensors have %zu bytes, and oneDNN takes up to 8 "
                        "MiB more for its code and for each thread; allow this process more memory "
                        "(ulimit -v), or take a smaller batch",
                        what, bytes);
    return stk_fail(err, STK_E_UNSUPPORTED, "onednn", where,
                    "status %d from oneDNN for %s; the backend \"ref\" can compute it", (int)status,
                    what);
}

/* oneDNN in one place: its engine, its threads, its types. */
#include "backend/cpu/dnnl_state.h"
#include <stdlib.h>

/* OpenMP's own, declared as in team.c: the compiler's header comes with its pragmas. */
int  omp_get_max_threads(void);
void omp_set_num_threads(int threads);

static bool has_isa(dnnl_cpu_isa_t isa)
{
    return (dnnl_get_effective_cpu_isa() & isa) == isa;
}

/* Products of bfloat16 by AMX end in an illegal instruction in oneDNN 2 where the last rows do not
 * fill a tile; AVX-512 has instructions for them, too. What the environment says counts. */
static void leave_out_amx(void)
{
    const bool said = getenv("DNNL_MAX_CPU_ISA") || getenv("ONEDNN_MAX_CPU_ISA");
    if (!said && dnnl_version()->major < 3)
        (void)dnnl_set_max_cpu_isa(dnnl_cpu_isa_avx512_core_bf16);
}

bool stk_dnnl_has_bf16(void)
{
    return has_isa(dnnl_cpu_isa_avx512_core_bf16);
}

bool stk_dnnl_bf16_breaks(void)
{
    return dnnl_version()->major < 3 && has_isa(dnnl_cpu_isa_avx512_core_amx);
}

stk_status stk_dnnl_open(stk_cpu *cpu, stk_error *err)
{
    struct stk_cpu_dnnl *d = calloc(1, sizeof *d);
    cpu->dnnl = d;
    if (!d) return stk_fail(err, STK_E_NOMEM, "onednn", NULL, "no memory");
    leave_out_amx();
    d->block = has_isa(dnnl_cpu_isa_avx512_core) ? STK_FORMAT_C16 : STK_FORMAT_C8;
    if (dnnl_engine_create(&d->engine, dnnl_cpu, 0) == dnnl_success &&
        dnnl_stream_create(&d->stream, d->engine, dnnl_stream_default_flags) == dnnl_success)
        return STK_OK;
    stk_dnnl_close(cpu);
    return stk_fail(err, STK_E_UNSUPPORTED, "onednn", NULL, "no engine for this CPU");
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
    if (d->stream) dnnl_stream_destroy(d->stream);
    if (d->engine) dnnl_engine_destroy(d->engine);
    free(d);
    cpu->dnnl = NULL;
}

/* The number belongs to the calling thread, which may use OpenMP for something else. */
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

bool stk_dnnl_can_compute(const stk_cpu *cpu, const stk_op_use *use)
{
    bool can = use->in[0].dtype == use->in[1].dtype;
    for (int i = 0; i < use->input_count; i++)
        can = can && has_type(cpu, &use->in[i]) && stk_type_elements(&use->in[i]) > 0;
    for (int o = 0; o < use->output_count; o++)
        can = can && has_type(cpu, &use->out[o]) && stk_type_elements(&use->out[o]) > 0;
    return can;
}

stk_status stk_dnnl_fail(dnnl_status_t status, const char *where, const char *what, stk_error *err)
{
    if (status == dnnl_out_of_memory)
        return stk_fail(err, STK_E_NOMEM, "onednn", where, "no memory for %s", what);
    return stk_fail(err, STK_E_UNSUPPORTED, "onednn", where,
                    "status %d from oneDNN for %s; the backend \"ref\" can compute it", (int)status,
                    what);
}

/* Throughput and utilisation of stages and shared resources. */
#include "observe/diagnose/context.h"

#include <math.h>
#include <stdio.h>

static stk_stage_throughput *add_row(stk_diagnosis_ctx *c, stk_stage stage, const char *name)
{
    stk_diagnosis *d = c->out;
    if (d->row_count == STK_DIAGNOSIS_ROWS) return NULL;
    stk_stage_throughput *row = &d->rows[d->row_count++];
    *row = (stk_stage_throughput){.stage = stage, .samples_per_s = -1, .utilisation = -1};
    snprintf(row->name, sizeof row->name, "%s", name);
    return row;
}

/* Nanoseconds of a batch in a stage, with all its threads. */
static double service_ns(const stk_diagnosis_ctx *c, int stage)
{
    const stk_sim_model *m = c->model;
    double               sum = 0;
    for (size_t i = 0; i < m->count; i++) {
        if (stage == STK_STAGE_READ)
            sum += m->steps[i].read * m->read_scale;
        else if (stage == STK_STAGE_PREPROCESS)
            sum += m->steps[i].prepare * m->prepare_scale / fmax(1, m->helpers);
        else
            sum += m->steps[i].own[stage];
    }
    return sum / (double)m->count;
}

static void add_stage(stk_diagnosis_ctx *c, int stage)
{
    stk_stage_throughput *row = add_row(c, (stk_stage)stage, stk_stage_name((stk_stage)stage));
    const double          ns = service_ns(c, stage);
    if (!row) return;
    row->exposed = c->fraction[stage].value;
    row->utilisation = fmin(1, ns / c->step_ns);
    if (ns > 0) row->samples_per_s = c->samples_a_step / ns * 1e9;
    row->binding = c->out->limit.stage == (stk_stage)stage;
}

/* used and limit: per second. */
static void add_resource(stk_diagnosis_ctx *c, const char *name, double used, double limit)
{
    if (!(used > 0) || !(limit > 0)) return;
    stk_stage_throughput *row = add_row(c, STK_STAGE_NONE, name);
    if (!row) return;
    row->utilisation = fmin(1, used / limit); /* a later probe may give less */
    row->samples_per_s = c->rate / row->utilisation;
    row->binding = row->utilisation >= 0.9;
}

static double mean_resource(const stk_profile *p, size_t offset)
{
    double sum = 0;
    size_t count = 0;
    for (size_t i = 0; i < p->resource_count; i++) {
        const double value = *(const double *)((const char *)&p->resources[i] + offset);
        if (value < 0) continue;
        sum += value;
        count++;
    }
    return count ? sum / (double)count : -1;
}

static double cores_used(const stk_profile *p)
{
    const double sampled = mean_resource(p, offsetof(stk_resource_sample, own_cores));
    double       cpu_ns = 0;
    for (int s = 0; s < STK_STAGE_COUNT; s++)
        cpu_ns += fmax(0, p->stages[s].cpu_ns);
    if (cpu_ns > 0 && p->measured_ns > 0) return cpu_ns / p->measured_ns;
    return sampled;
}

/* Rates of a step's operations by their FLOPs and bytes. */
static void add_compute(stk_diagnosis_ctx *c)
{
    const stk_profile *p = c->profile;
    double             flops = 0, bytes = 0, ns = 0;
    for (size_t i = 0; i < p->op_count; i++) {
        flops += fmax(0, p->ops[i].flops) * (double)p->ops[i].runs;
        bytes += fmax(0, p->ops[i].bytes) * (double)p->ops[i].runs;
        ns += (double)p->ops[i].ns;
    }
    if (!(ns > 0)) return;
    const double fraction = c->fraction[STK_STAGE_COMPUTE].value;
    add_resource(c, "arithmetic", flops / ns * 1e9 * fraction, p->limits.flops);
    add_resource(c, "memory bandwidth", bytes / ns * 1e9 * fraction, p->limits.memory_bytes);
}

void stk_diagnosis_ctx_capacities(stk_diagnosis_ctx *c)
{
    const stk_profile *p = c->profile;
    const double       seconds = p->measured_ns / 1e9;
    for (int s = STK_STAGE_READ; s < STK_STAGE_COUNT; s++)
        add_stage(c, s);
    add_resource(c, "cores", cores_used(p), p->machine.cores);
    add_compute(c);
    if (!(seconds > 0)) return;
    add_resource(c, "disk", p->stages[STK_STAGE_READ].bytes / seconds, p->limits.disk_bytes);
    add_resource(c, "copies", p->stages[STK_STAGE_HOST_TO_DEVICE].bytes / seconds,
                 p->limits.copy_bytes);
    add_resource(c, "network", mean_resource(p, offsetof(stk_resource_sample, net_in)),
                 p->limits.link_bytes);
}

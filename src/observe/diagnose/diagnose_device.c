/* Bottleneck inside an asynchronous device: launches, memory, or arithmetic. */
#include "observe/diagnose/context.h"

/* An operation is bound by a peak from this fraction of it on. */
static const double at_a_limit = 0.6;
/* A device with less utilisation is the one that waits. */
static const double idles = 0.85;
/* Fractions of the operations' time, or of the device's compute time. */
static const double half = 0.5, nearly_all = 0.9;

static void add_op(stk_device_use *u, const stk_profile *p, const stk_profile_op *op)
{
    const stk_machine_peaks *l = &p->limits;
    const double             s = (double)op->ns / (double)op->runs / 1e9;
    const double             memory = l->memory_bytes > 0 ? op->bytes / s / l->memory_bytes : 0;
    const double             math = l->flops > 0 ? op->flops / s / l->flops : 0;
    if (math >= at_a_limit && math >= memory)
        u->math += (double)op->ns;
    else if (memory >= at_a_limit)
        u->memory += (double)op->ns;
    if (l->launch_ns > 0) u->starts += (double)op->runs * l->launch_ns;
}

stk_device_use stk_diagnosis_ctx_device_use(const stk_diagnosis_ctx *c)
{
    const stk_profile *p = c->profile;
    stk_device_use     u = {.busy = -1, .launch = -1};
    double             all = 0;
    if (p->device.work_ns < 0 || !(p->measured_ns > 0)) return u;
    u.known = true;
    u.busy = p->device.work_ns / p->measured_ns;
    if (p->device.launch_ns >= 0) u.launch = p->device.launch_ns / p->measured_ns;
    for (size_t i = 0; i < p->op_count; i++) {
        if (!p->ops[i].runs || !p->ops[i].ns) continue;
        all += (double)p->ops[i].ns;
        add_op(&u, p, &p->ops[i]);
    }
    if (!(all > 0)) return u;
    u.memory /= all;
    u.math /= all;
    u.starts /= all;
    return u;
}

bool stk_device_is_launch_bound(const stk_device_use *u)
{
    return u->known && u->busy < idles && u->launch >= nearly_all * u->busy;
}

stk_cause stk_device_cause(const stk_device_use *u)
{
    if (!u->known) return STK_CAUSE_COMPUTE;
    if (stk_device_is_launch_bound(u) || u->starts >= half) return STK_CAUSE_LAUNCH;
    if (u->math >= half) return STK_CAUSE_MATH;
    return u->memory >= half ? STK_CAUSE_MEMORY : STK_CAUSE_COMPUTE;
}

void stk_diagnosis_ctx_show_device(stk_diagnosis_ctx *c)
{
    const stk_device_use u = stk_diagnosis_ctx_device_use(c);
    const char          *name = *c->profile->device.name ? c->profile->device.name : "the device";
    if (!u.known) return;
    if (u.launch >= 0)
        stk_diagnosis_ctx_show(
            c, "%.60s computes for %.0f %% of the time; telling it what to do takes %.0f %%", name,
            100 * u.busy, 100 * u.launch);
    else
        stk_diagnosis_ctx_show(c, "%.60s computes for %.0f %% of the time", name, 100 * u.busy);
    if (u.memory + u.math + u.starts > 0)
        stk_diagnosis_ctx_show(
            c,
            "of its operations' time %.0f %% goes to those near the limit of its memory, "
            "%.0f %% to those near that of arithmetic; starting them takes %.0f %%",
            100 * u.memory, 100 * u.math, 100 * u.starts);
}

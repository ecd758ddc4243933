/* Evidence for the verdict, and warnings about weak evidence. */
#include "observe/diagnose/context.h"

#include <math.h>
#include <string.h>

enum { FEW_STEPS = 50 };

/* More variation of step times, or longer waits for a core, indicate another program. */
static const double noisy_variation = 0.3, crowded_fraction = 0.15;

static void show_shares(stk_diagnosis_ctx *c)
{
    for (int s = 0; s < STK_STAGE_COUNT; s++) {
        const stk_estimate *e = &c->fraction[s];
        if (e->value < STK_FRACTION_WORTH) continue;
        stk_diagnosis_ctx_show(
            c, "%s is exposed for %.2f ms of %.2f ms a step: %.1f %% (%.1f to %.1f)",
            s ? stk_stage_name((stk_stage)s) : "the loop itself", e->value * c->step_ns / 1e6,
            c->step_ns / 1e6, 100 * e->value, 100 * e->low, 100 * e->high);
    }
}

static void show_queues(stk_diagnosis_ctx *c)
{
    const stk_profile *p = c->profile;
    if (!(c->model->helpers > 0) && c->profile->program.workers <= 0)
        stk_diagnosis_ctx_show(c, "the training thread prepares batches itself, between steps");
    for (size_t i = 0; i < p->input_count && i < 4; i++) {
        const stk_profile_input *in = &p->inputs[i];
        if (!in->has_queue || in->queue_empty < 0 || in->queue_full < 0) continue;
        stk_diagnosis_ctx_show(c, "queue after %s: empty %.0f %%, full %.0f %% of the time",
                               in->name, 100 * in->queue_empty, 100 * in->queue_full);
    }
}

static void show_decoder(stk_diagnosis_ctx *c)
{
    const stk_profile *p = c->profile;
    double             sum = 0;
    for (size_t i = 0; i < p->input_count; i++)
        sum += fmax(0, p->inputs[i].device_items);
    if (sum > 0 && p->samples > 0)
        stk_diagnosis_ctx_show(c, "the device's decoder did %.0f %% of the images",
                               100 * fmin(1, sum / p->samples));
}

static void show_resources(stk_diagnosis_ctx *c)
{
    for (size_t i = 0; i < c->out->row_count; i++) {
        const stk_stage_throughput *row = &c->out->rows[i];
        if (row->stage || row->utilisation < 0) continue;
        if (strcmp(row->name, "cores") == 0)
            stk_diagnosis_ctx_show(c, "cores: %.1f of %d are used",
                                   row->utilisation * c->profile->machine.cores,
                                   c->profile->machine.cores);
        else if (row->utilisation >= 0.05)
            stk_diagnosis_ctx_show(c, "%s: %.0f %% of what the machine gives", row->name,
                                   100 * row->utilisation);
    }
}

static void show_callbacks(stk_diagnosis_ctx *c)
{
    const stk_profile *p = c->profile;
    for (size_t i = 0; i < p->callback_count; i++) {
        const stk_profile_callback *b = &p->callbacks[i];
        if (!b->on_training_thread || !b->calls) continue;
        const double a_step = (double)b->ns / fmax(1, p->steps);
        if (a_step < STK_FRACTION_WORTH * c->step_ns) continue;
        stk_diagnosis_ctx_show(c, "callback '%.60s' takes %.2f ms a call on the training thread",
                               b->name, (double)b->ns / (double)b->calls / 1e6);
    }
}

/* The top operation, and all that stand out. */
static void show_operations(stk_diagnosis_ctx *c)
{
    stk_op_time_fraction ops[STK_DIAGNOSIS_OPS];
    const size_t         count = stk_diagnosis_top_ops(c, ops);
    for (size_t i = 0; i < count; i++) {
        const stk_op_time_fraction *op = &ops[i];
        if (!stk_diagnosis_ctx_op_stands_out(op) && (i > 0 || op->fraction < 0.15)) continue;
        if (op->roofline >= 0)
            stk_diagnosis_ctx_show(
                c, "operation %.60s (%.30s): %.0f %% of compute's time, %.0f %% of its work",
                op->name, op->operation, 100 * op->fraction, 100 * op->roofline);
        else
            stk_diagnosis_ctx_show(c, "operation %.60s: %.0f %% of compute's time", op->name,
                                   100 * op->fraction);
    }
}

void stk_diagnosis_ctx_evidence(stk_diagnosis_ctx *c)
{
    const stk_profile *p = c->profile;
    if (*p->run.inject)
        stk_diagnosis_ctx_show(c, "faults were injected on purpose: %.200s", p->run.inject);
    show_shares(c);
    if (c->fraction[STK_STAGE_READ].value + c->fraction[STK_STAGE_PREPROCESS].value >=
        STK_FRACTION_WORTH)
        stk_diagnosis_ctx_show_input_ops(c);
    show_queues(c);
    show_decoder(c);
    show_callbacks(c);
    show_resources(c);
    show_operations(c);
    stk_diagnosis_ctx_show_device(c);
}

static double variation(const stk_sim_model *m)
{
    double mean = 0, square = 0;
    size_t count = 0;
    for (size_t i = 0; i < m->count; i++) {
        const double ns = m->steps[i].ns - m->steps[i].own[STK_STAGE_WRITE];
        mean += ns;
        square += ns * ns;
        count++;
    }
    mean /= (double)count;
    const double variance = square / (double)count - mean * mean;
    return mean > 0 && variance > 0 ? sqrt(variance) / mean : 0;
}

static void warn_of_noise(stk_diagnosis_ctx *c)
{
    const stk_profile_stage *s = &c->profile->stages[STK_STAGE_COMPUTE];
    const double             cv = variation(c->model);
    if (cv > noisy_variation)
        stk_diagnosis_ctx_warn(
            c, "step times vary by %.0f %%: intervals are wide; a longer run narrows them",
            100 * cv);
    if (s->cpu_ns > 0 && s->runnable_ns > crowded_fraction * (s->cpu_ns + s->runnable_ns))
        stk_diagnosis_ctx_warn(
            c,
            "compute's threads were ready but without a core for %.0f %% of their time: "
            "other programs run, or there are more threads than cores",
            100 * s->runnable_ns / (s->cpu_ns + s->runnable_ns));
}

void stk_diagnosis_ctx_warnings(stk_diagnosis_ctx *c)
{
    const stk_profile *p = c->profile;
    if (c->model->count < FEW_STEPS)
        stk_diagnosis_ctx_warn(c, "only %zu like steps were recorded: at least %d make it sure",
                               c->model->count, FEW_STEPS);
    if (c->model->count && (double)c->model->count < p->steps && p->steps < (double)p->step_count)
        stk_diagnosis_ctx_warn(
            c, "the verdict is of %zu steps like each other, of %.0f that were measured",
            c->model->count, p->steps);
    if (!p->step_count)
        stk_diagnosis_ctx_warn(
            c, "no single steps were recorded, only their sums: nothing is known of how "
               "they vary");
    if (p->trace_dropped > 0)
        stk_diagnosis_ctx_warn(c, "%.0f events of the trace were lost: its rings were too small",
                               p->trace_dropped);
    if (stk_diagnosis_ctx_is_foreign(c))
        stk_diagnosis_ctx_warn(
            c,
            "this is a recording of %.60s: it does not tell how deep queues are, and "
            "recording itself takes time, so gains are rough",
            p->run.source);
    if (c->model->count) warn_of_noise(c);
}

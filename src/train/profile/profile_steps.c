/* Stages and steps, as the meter has them; operations. */
#include "train/profile/profile_parts.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_STEPS = 4096, MOST_WINDOWS = 1024 };

/* Who has threads of their own tells what these did; what the training thread does itself is all
 * exposed. */
static double busy_of(stk_stage stage, const stk_stage_meter *m)
{
    if (stage == STK_STAGE_READ || stage == STK_STAGE_PREPROCESS) return (double)m->work_ns;
    return (double)(m->exposed_ns + m->work_ns);
}

static void fill_stages(stk_profile *out, const stk_meter_totals *totals)
{
    out->steps = (double)totals->steps;
    out->samples = (double)totals->samples;
    out->measured_ns = (double)totals->ns;
    out->evaluation_ns = (double)totals->evaluation_ns;
    out->evaluations = (double)totals->evaluations;
    memcpy(out->evaluation_stages_ns, totals->evaluation_stages_ns,
           sizeof out->evaluation_stages_ns);
    out->run.startup_s = (double)totals->first_step_ns / 1e9;
    for (int s = 0; s < STK_STAGE_COUNT; s++) {
        const stk_stage_meter *m = &totals->stages[s];
        stk_profile_stage     *stage = &out->stages[s];
        stage->exposed_ns = (double)m->exposed_ns;
        stage->busy_ns = busy_of((stk_stage)s, m);
        stage->items = (double)m->items;
        stage->bytes = (double)m->bytes;
        stage->cpu_ns = stage->runnable_ns = stage->io_ns = -1;
    }
}

stk_status stk_profile_fill_steps(stk_profile *out, stk_meter *meter, stk_error *err)
{
    stk_meter_totals totals;
    stk_meter_read_measured(meter, &totals);
    fill_stages(out, &totals);
    out->step_list = malloc(MOST_STEPS * sizeof *out->step_list);
    out->windows = malloc(MOST_WINDOWS * sizeof *out->windows);
    if (!out->step_list || !out->windows)
        return stk_fail(err, STK_E_NOMEM, "profile", NULL, "no memory for the steps");
    out->step_count = stk_meter_steps(meter, out->step_list, MOST_STEPS);
    out->window_count = stk_meter_windows(meter, out->windows, MOST_WINDOWS);
    return STK_OK;
}

static void copy_op(stk_profile_op *out, const stk_program_instruction *step)
{
    *out = (stk_profile_op){
        .flops = step->flops, .bytes = step->bytes, .runs = step->runs, .ns = step->nanoseconds};
    snprintf(out->operation, sizeof out->operation, "%s", step->operation);
    snprintf(out->name, sizeof out->name, "%s", step->name);
    snprintf(out->kernel, sizeof out->kernel, "%s%s%s", step->kernel, *step->detail ? " " : "",
             step->detail);
    snprintf(out->phase, sizeof out->phase, "%s", step->phase);
}

void stk_profile_ops_of(stk_program *program, stk_profile_op **out, size_t *count)
{
    const size_t all = program ? stk_program_instruction_count(program) : 0;
    *count = 0;
    *out = NULL;
    for (size_t i = 0; i < all; i++) {
        const stk_program_instruction step = stk_program_instruction_at(program, i);
        if (!step.runs) continue;
        if (!*out && !(*out = calloc(all, sizeof **out))) return;
        copy_op(&(*out)[(*count)++], &step);
    }
}

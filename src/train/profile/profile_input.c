/* The input's stages and queues. */
#include "train/profile/profile_parts.h"
#include <stdio.h>
#include <string.h>

static void copy_stage(stk_profile_input *out, const stk_operator_stats *stage)
{
    *out = (stk_profile_input){.stage = stage->stage,
                               .depth = stage->depth,
                               .has_queue = stage->runs_ahead,
                               .items = (double)stage->items,
                               .bytes = (double)stage->bytes,
                               .busy_ns = (double)stage->busy_ns,
                               .starved_ns = (double)stage->starved_ns,
                               .blocked_ns = (double)stage->blocked_ns,
                               .device_items = (double)stage->device_items};
    snprintf(out->name, sizeof out->name, "%s", stage->name);
    if (!stage->runs_ahead) return;
    out->queue_mean = stage->queue_mean;
    out->queue_capacity = (double)stage->queue_limit;
    out->queue_empty = stage->queue_empty;
    out->queue_full = stage->queue_full;
}

static void copy_operations(stk_input_state *out, const stk_iterator_report *report)
{
    for (size_t i = 0; i < report->operation_count && i < STK_PROFILE_INPUT_OPS; i++) {
        const stk_function_stats *from = &report->operations[i];
        stk_profile_input_op     *to = &out->ops[out->op_count++];
        *to = (stk_profile_input_op){
            .depth = from->depth, .items = (double)from->items, .busy_ns = (double)from->busy_ns};
        snprintf(to->name, sizeof to->name, "%s", from->name);
    }
}

/* The report begins with the source. */
void stk_input_state_read(stk_input_state *out, const stk_iterator_report *report)
{
    const size_t capacity = sizeof report->stages / sizeof *report->stages;
    size_t       left = report->stage_count < capacity ? report->stage_count : capacity;
    *out = (stk_input_state){.helpers = report->threads - 1, .in_flight = report->io.limit};
    while (left > 0 && out->count < STK_PROFILE_STAGES)
        copy_stage(&out->list[out->count++], &report->stages[--left]);
    copy_operations(out, report);
    snprintf(out->limit, sizeof out->limit, "%s", report->limit);
}

/* Sums of calls that are timed now and then may fall. */
static double since(double now, double before)
{
    return now > before ? now - before : 0;
}

static void take_off(stk_profile_input *now, const stk_input_state *before)
{
    for (size_t i = 0; i < before->count; i++) {
        const stk_profile_input *was = &before->list[i];
        if (was->depth != now->depth || strcmp(was->name, now->name) != 0) continue;
        now->items = since(now->items, was->items);
        now->bytes = since(now->bytes, was->bytes);
        now->busy_ns = since(now->busy_ns, was->busy_ns);
        now->starved_ns = since(now->starved_ns, was->starved_ns);
        now->blocked_ns = since(now->blocked_ns, was->blocked_ns);
        now->device_items = since(now->device_items, was->device_items);
        return;
    }
}

static void take_off_operation(stk_profile_input_op *now, const stk_input_state *before)
{
    for (size_t i = 0; i < before->op_count; i++) {
        const stk_profile_input_op *was = &before->ops[i];
        if (was->depth != now->depth || strcmp(was->name, now->name) != 0) continue;
        now->items = since(now->items, was->items);
        now->busy_ns = since(now->busy_ns, was->busy_ns);
        return;
    }
}

static void fill_operations(stk_profile *out, const stk_input_state *now,
                            const stk_input_state *before)
{
    out->input_op_count = now->op_count;
    for (size_t i = 0; i < now->op_count; i++) {
        out->input_ops[i] = now->ops[i];
        take_off_operation(&out->input_ops[i], before);
    }
}

void stk_profile_fill_input(stk_profile *out, const stk_input_state *now,
                            const stk_input_state *before)
{
    out->input_count = now->count;
    for (size_t i = 0; i < now->count; i++) {
        stk_profile_input *one = &out->inputs[i];
        *one = now->list[i];
        take_off(one, before);
        out->stages[one->stage].starved_ns += one->starved_ns;
        out->stages[one->stage].blocked_ns += one->blocked_ns;
    }
    fill_operations(out, now, before);
    out->stages[STK_STAGE_READ].servers = now->in_flight;
    out->stages[STK_STAGE_PREPROCESS].servers = now->helpers;
    memcpy(out->input_limit, now->limit, sizeof out->input_limit);
}

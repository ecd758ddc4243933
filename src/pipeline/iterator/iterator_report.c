/* The report of all operators from a run's counters, with the bottleneck. Calls are sampled, inputs
 * included; an operator's own time is the rest without them. */
#include "pipeline/iterator/iterator_internal.h"

#include "base/clock.h"
#include "pipeline/iterator/bottleneck.h"
#include "pipeline/operators/fused_map.h"
#include "pipeline/runtime/run_io.h"

#include <stdio.h>
#include <stdlib.h>

static uint64_t load(const uint64_t *counter)
{
    return __atomic_load_n(counter, __ATOMIC_RELAXED);
}

static uint64_t results_of(const stk_node_counters *counters)
{
    return load(&counters->items) + load(&counters->errors);
}

static uint64_t scale(uint64_t sum, uint64_t sampled, uint64_t all)
{
    return sampled ? (uint64_t)((double)sum / (double)sampled * (double)all) : 0;
}

/* The operator of the plan for counters; NULL for nested ones. */
static const stk_dataset *plan_of(const stk_iterator *it, const stk_node_counters *counters)
{
    if (!counters->parent) return it->plan;
    const stk_dataset *above = plan_of(it, counters->parent);
    if (!above || counters->slot >= above->input_count) return NULL;
    const stk_dataset *data = above->inputs[counters->slot];
    return data->op == counters->op ? data : NULL;
}

static void name_stage(const stk_iterator *it, const stk_node_counters *counters, char *name,
                       size_t capacity)
{
    const stk_dataset *data = plan_of(it, counters);
    stk_blob           text;
    stk_blob_init(&text, NULL, STK_MEMORY_INDEX);
    if (data && stk_describe_stage(data, true, &text, NULL) == STK_OK && text.size)
        snprintf(name, capacity, "%s(%.*s)", counters->op->name, (int)text.size,
                 (const char *)text.data);
    else
        snprintf(name, capacity, "%s", counters->op->name);
    if (sizeof "()" + strlen(counters->op->name) + text.size > capacity)
        memcpy(name + capacity - sizeof "...", "...", sizeof "...");
    stk_blob_release(&text);
}

/* Pulling of a queue is work of the operators below it. */
static uint64_t own_time(const stk_node_counters *counters)
{
    const uint64_t busy = load(&counters->busy_ns), pull = load(&counters->pull_ns);
    if (busy || counters->runs_ahead) return busy > pull ? busy - pull : 0;
    return scale(load(&counters->sampled_own_ns), load(&counters->sampled), results_of(counters));
}

/* A queue of calls that wait reads; whatever else its operator may do. */
static stk_stage stage_of(const stk_node_counters *counters)
{
    return __atomic_load_n(&counters->reads, __ATOMIC_RELAXED) ? STK_STAGE_READ
                                                               : counters->op->stage;
}

/* Time of reading: its waits or, if it ran in the background without waits, the time with reads in
 * flight. */
static uint64_t reading_ns(stk_iterator *it, const stk_thread_activity *activity)
{
    const uint64_t waited = load(&activity->wait_ns), in_flight = stk_run_io_busy_ns(it->run);
    return waited > in_flight ? waited : in_flight;
}

/* I/O waits are rare and long: waits in timed calls are replaced by the average over all calls.
 * Blocking sources count as waits completely. */
void stk_iterator_read_times(stk_iterator *it, stk_iterator_times *times)
{
    stk_thread_activity *activity = stk_run_activity(it->run);
    *times = (stk_iterator_times){.elements = it->elements,
                                  .read_bytes = load(&activity->bytes),
                                  .read_busy_ns = reading_ns(it, activity)};
    stk_thread_activity_read(activity, &times->compute_ns, &times->read_only_ns);
    for (const stk_node_counters *one = stk_run_counters(it->run); one; one = one->next) {
        if (__atomic_load_n(&one->waits, __ATOMIC_RELAXED)) continue;
        const uint64_t own = own_time(one);
        const uint64_t waits =
            scale(load(&one->sampled_wait_ns), load(&one->sampled), results_of(one));
        if (stage_of(one) != STK_STAGE_READ)
            times->other_busy_ns += own;
        else
            times->read_busy_ns += own > waits ? own - waits : 0;
    }
}

static void read_times(const stk_node_counters *all, const stk_node_counters *counters,
                       stk_operator_stats *out)
{
    for (const stk_node_counters *one = all; one; one = one->next)
        if (one->parent == counters && one->runs_ahead) out->starved_ns += load(&one->waited_ns);
    out->busy_ns = own_time(counters);
    out->blocked_ns = load(&counters->blocked_ns);
}

static void read_queue(const stk_node_counters *counters, stk_operator_stats *out)
{
    const double watched = (double)load(&counters->watched_ns);
    out->queue_now = load(&counters->queue_now);
    out->queue_limit = load(&counters->queue_limit);
    if (watched <= 0) return;
    out->queue_mean = 1024 * (double)load(&counters->waiting_area) / watched;
    out->queue_empty = (double)load(&counters->empty_ns) / watched;
    out->queue_full = (double)load(&counters->blocked_ns) / watched;
}

static void read_stage(const stk_iterator *it, const stk_node_counters *all,
                       const stk_node_counters *counters, stk_operator_stats *out)
{
    *out = (stk_operator_stats){.stage = stage_of(counters), .depth = counters->depth};
    name_stage(it, counters, out->name, sizeof out->name);
    out->runs_ahead = __atomic_load_n(&counters->runs_ahead, __ATOMIC_RELAXED);
    out->errors = load(&counters->errors);
    out->items = results_of(counters) - out->errors;
    out->bytes = scale(load(&counters->sampled_bytes), load(&counters->sampled), out->items);
    read_times(all, counters, out);
    read_queue(counters, out);
    out->unit_size = (int64_t)load(&counters->unit_size);
    out->device_items = load(&counters->device_items);
}

static bool puts_together(const stk_operator *op, const stk_dataset *data)
{
    if (op == &stk_operator_fused_map)
        return data && ((const stk_fused_map_params *)data->params)->batch > 0;
    return op == &stk_operator_batch || op == &stk_operator_padded_batch ||
           op == &stk_operator_ragged_batch || op == &stk_operator_batch_of_ragged ||
           op == &stk_operator_sparse_batch || op == &stk_operator_rebatch ||
           op == &stk_operator_bucket_by_length;
}

/* Their results come from nested pipelines. */
static bool takes_batches_apart(const stk_operator *op)
{
    return op == &stk_operator_unbatch || op == &stk_operator_window ||
           op == &stk_operator_flat_map || op == &stk_operator_interleave ||
           op == &stk_operator_group_by_window;
}

static bool gives_batches(const stk_iterator *it, const stk_node_counters *all,
                          const stk_node_counters *counters)
{
    const bool separate = takes_batches_apart(counters->op);
    if (puts_together(counters->op, plan_of(it, counters))) return true;
    for (const stk_node_counters *one = all; one; one = one->next) {
        if (one->parent != counters || (separate && plan_of(it, one))) continue;
        if (gives_batches(it, all, one)) return true;
    }
    return false;
}

/* Source first, as explain has it. */
static int by_depth(const void *a, const void *b)
{
    const stk_operator_stats *x = a, *y = b;
    return (x->depth < y->depth) - (x->depth > y->depth);
}

static void read_stages(stk_iterator *it, stk_iterator_report *report)
{
    const size_t             capacity = sizeof report->stages / sizeof *report->stages;
    const stk_node_counters *all = stk_run_counters(it->run);
    size_t                   kept = 0;
    for (const stk_node_counters *counters = all; counters; counters = counters->next) {
        report->stage_count++;
        if (!counters->parent) report->batches = gives_batches(it, all, counters);
        if (kept == capacity) continue;
        stk_operator_stats *stage = &report->stages[kept++];
        read_stage(it, all, counters, stage);
        if (counters->parent) continue;
        stage->items = it->elements; /* this one is known exactly */
        report->bytes = stage->bytes;
    }
    qsort(report->stages, kept, sizeof *report->stages, by_depth);
}

/* Items that were dropped on the way were worked on, too. */
static uint64_t worked_on(const stk_node_counters *all, const stk_node_counters *counters)
{
    for (const stk_node_counters *one = all; one; one = one->next)
        if (one->parent == counters) return results_of(one);
    return results_of(counters);
}

static void read_parts(stk_iterator_report *report, const stk_node_counters *all,
                       const stk_node_counters *counters)
{
    const size_t          capacity = sizeof report->operations / sizeof *report->operations;
    const stk_part_times *parts = __atomic_load_n(&counters->parts, __ATOMIC_ACQUIRE);
    const uint64_t        items = worked_on(all, counters);
    for (size_t i = 0; parts && i < parts->count && report->operation_count < capacity; i++) {
        const double each = stk_part_times_each(parts, i);
        if (!(each > 0)) continue;
        stk_function_stats *one = &report->operations[report->operation_count++];
        *one = (stk_function_stats){.depth = counters->depth, .items = items};
        one->busy_ns = (uint64_t)(each * (double)items);
        snprintf(one->name, sizeof one->name, "%s", parts->list[i].name);
    }
}

/* Source first, and the parts of an operator in execution order. */
static void read_operations(stk_iterator *it, stk_iterator_report *report)
{
    const stk_node_counters *all = stk_run_counters(it->run);
    int                      deepest = 0;
    for (const stk_node_counters *one = all; one; one = one->next)
        if (one->depth > deepest) deepest = one->depth;
    for (int depth = deepest; depth >= 0; depth--)
        for (const stk_node_counters *one = all; one; one = one->next)
            if (one->depth == depth) read_parts(report, all, one);
}

void stk_iterator_read_report(stk_iterator *it, stk_iterator_report *report)
{
    *report = (stk_iterator_report){.elements = it->elements};
    report->seconds = (double)(stk_clock_ns() - it->started_ns) * 1e-9;
    report->first_seconds = (double)it->first_ns * 1e-9;
    report->wait_seconds = (double)it->wait_ns * 1e-9;
    if (report->wait_seconds > report->seconds) report->wait_seconds = report->seconds;
    report->threads = stk_run_options_of(it->run)->threads + 1;
    read_stages(it, report);
    read_operations(it, report);
    stk_run_io_stats(it->run, &report->io);
    stk_run_decisions(it->run, report->decisions,
                      sizeof report->decisions / sizeof *report->decisions,
                      &report->decision_count);
    stk_run_io_stats(it->run, &report->io);
    stk_ledger_read(stk_iterator_ledger(it), &report->memory);
    stk_bottleneck_find(report, report->limit, sizeof report->limit);
}

/* Sums of ticks, and names for spans that live as long as the trace. */
#include "pipeline/runtime/part_times.h"

#include <stdlib.h>

/* Primes: not in step with batches. An item of more ticks is a long one: some ten microseconds. */
enum { SHORT_EVERY = 61, LONG_EVERY = 7, LONG_TICKS = 100000 };

stk_part_times *stk_part_times_new(size_t count)
{
    stk_part_times *parts = calloc(1, sizeof *parts);
    if (parts) parts->list = calloc(count, sizeof *parts->list);
    if (!parts || !parts->list) {
        free(parts);
        return NULL;
    }
    parts->count = count;
    parts->every = LONG_EVERY;
    parts->begin = stk_clock_read_pair();
    return parts;
}

void stk_part_times_free(stk_part_times *parts)
{
    if (!parts) return;
    free(parts->list);
    free(parts);
}

uint64_t stk_part_times_every(const stk_part_times *parts)
{
    return __atomic_load_n(&parts->every, __ATOMIC_RELAXED);
}

void stk_part_times_add(stk_part_times *parts, const uint64_t *ticks, uint64_t items)
{
    uint64_t all = 0;
    for (size_t i = 0; i < parts->count; i++) {
        all += ticks[i];
        if (ticks[i]) __atomic_fetch_add(&parts->list[i].ticks, ticks[i], __ATOMIC_RELAXED);
    }
    __atomic_fetch_add(&parts->items, items, __ATOMIC_RELAXED);
    const uint64_t every = all / items > LONG_TICKS ? LONG_EVERY : SHORT_EVERY;
    if (stk_part_times_every(parts) != every)
        __atomic_store_n(&parts->every, every, __ATOMIC_RELAXED);
}

/* Two threads may both keep it: one of the two copies is used. */
static const char *traced_name(stk_part_time *part, stk_trace_thread *trace)
{
    const char *name = __atomic_load_n(&part->traced, __ATOMIC_ACQUIRE);
    if (name) return name;
    const stk_trace_op *kept = stk_trace_intern_op(trace, &(stk_trace_op){.name = part->name});
    if (!kept) return NULL;
    __atomic_store_n(&part->traced, kept->name, __ATOMIC_RELEASE);
    return kept->name;
}

void stk_part_times_record(stk_part_times *parts, const uint64_t *ticks, stk_trace_thread *trace,
                           stk_stage stage, uint64_t begin, uint64_t end)
{
    uint64_t all = 0, before = 0;
    for (size_t i = 0; i < parts->count; i++)
        all += ticks[i];
    const double scale = all ? (double)(end - begin) / (double)all : 0;
    for (size_t i = 0; i < parts->count; i++) {
        const char *name = ticks[i] ? traced_name(&parts->list[i], trace) : NULL;
        if (!name) continue;
        const uint64_t from = begin + (uint64_t)(scale * (double)before);
        before += ticks[i];
        stk_trace_record_between(trace, stage, name, from,
                                 begin + (uint64_t)(scale * (double)before), 0);
    }
}

double stk_part_times_each(const stk_part_times *parts, size_t part)
{
    const stk_clock_pair now = stk_clock_read_pair();
    const uint64_t       ticks = __atomic_load_n(&parts->list[part].ticks, __ATOMIC_RELAXED);
    const uint64_t       items = __atomic_load_n(&parts->items, __ATOMIC_RELAXED);
    const uint64_t       passed = now.ticks - parts->begin.ticks;
    if (!items || !passed) return 0;
    const double ns_a_tick = (double)(now.ns - parts->begin.ns) / (double)passed;
    return ns_a_tick * (double)ticks / (double)items;
}

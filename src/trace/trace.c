/* Recording: each thread writes into a ring of its own, without locks, a few stores an event. */
#include "trace/recording.h"

#include <inttypes.h>
#include <stdlib.h>

enum { DEFAULT_EVENTS = 65536, MOST_EVENTS = 1 << 26 };

/* The second word of an event: the duration above, kind and stage in the lowest byte. */
enum { DURATION_SHIFT = 8, COUNTER_BIT = 1 << 7, STAGE_MASK = COUNTER_BIT - 1 };
static const uint64_t longest_duration = UINT64_MAX >> DURATION_SHIFT;

static stk_status round_up(uint32_t asked, uint64_t *events, stk_error *err)
{
    *events = 1;
    if (asked > MOST_EVENTS)
        return stk_fail(err, STK_E_LIMIT, "trace", NULL,
                        "%" PRIu32 " events per thread asked; %d is the most", asked, MOST_EVENTS);
    while (*events < (asked ? asked : DEFAULT_EVENTS))
        *events *= 2;
    return STK_OK;
}

stk_status stk_trace_new(stk_trace **out, const stk_trace_options *options, stk_error *err)
{
    *out = NULL;
    const stk_trace_options chosen = options ? *options : (stk_trace_options){0};
    uint64_t                events;
    STK_TRY(round_up(chosen.events_per_thread, &events, err));
    stk_trace *trace = calloc(1, sizeof *trace);
    if (trace) trace->process_name = strdup(chosen.process_name ? chosen.process_name : "stoker");
    if (!trace || !trace->process_name) {
        stk_trace_free(trace);
        return stk_fail(err, STK_E_NOMEM, "trace", NULL, "no memory for a trace");
    }
    trace->events_per_thread = events;
    trace->begin = stk_clock_read_pair();
    *out = trace;
    return STK_OK;
}

static void free_thread(stk_trace_thread *thread)
{
    if (thread) free(thread->name);
    free(thread);
}

void stk_trace_free(stk_trace *trace)
{
    if (!trace) return;
    while (trace->newest) {
        stk_trace_thread *older = trace->newest->older;
        free_thread(trace->newest);
        trace->newest = older;
    }
    free(trace->process_name);
    free(trace);
}

/* The slots are not cleared: their pages come into being as events are written. */
static stk_trace_thread *new_thread(uint64_t events, const char *name)
{
    const size_t      slots = (size_t)events * sizeof(stk_event_slot);
    const size_t      unit = alignof(stk_trace_thread);
    stk_trace_thread *thread =
        aligned_alloc(unit, (sizeof *thread + slots + unit - 1) / unit * unit);
    if (!thread) return NULL;
    *thread = (stk_trace_thread){.mask = events - 1, .name = strdup(name ? name : "")};
    if (thread->name) return thread;
    free_thread(thread);
    return NULL;
}

stk_status stk_trace_attach(stk_trace *trace, const char *name, stk_trace_thread **out,
                            stk_error *err)
{
    *out = NULL;
    if (!trace) return STK_OK;
    stk_trace_thread *thread = new_thread(trace->events_per_thread, name);
    if (!thread)
        return stk_fail(err, STK_E_NOMEM, "trace", name, "no memory for %" PRIu64 " events",
                        trace->events_per_thread);
    stk_trace_thread *newest = __atomic_load_n(&trace->newest, __ATOMIC_ACQUIRE);
    do {
        thread->older = newest;
        thread->number = newest ? newest->number + 1 : 0;
    } while (!__atomic_compare_exchange_n(&trace->newest, &newest, thread, true, __ATOMIC_ACQ_REL,
                                          __ATOMIC_ACQUIRE));
    *out = thread;
    return STK_OK;
}

uint64_t stk_trace_now(void)
{
    return stk_clock_ticks();
}

static void store(uint64_t *word, uint64_t value)
{
    __atomic_store_n(word, value, __ATOMIC_RELAXED);
}

/* A reader that met a word of this event knows from `begun`, which it reads afterwards, that the
 * slot's former event is gone: the fence puts begun before the words. */
static void write_event(stk_trace_thread *thread, uint64_t begin, uint64_t ticks, unsigned kind,
                        const char *name, uint64_t value)
{
    const uint64_t  number = __atomic_load_n(&thread->written, __ATOMIC_RELAXED);
    stk_event_slot *slot = &thread->slots[number & thread->mask];
    store(&thread->begun, number + 1);
    __atomic_thread_fence(__ATOMIC_RELEASE);
    store(&slot->word[0], begin);
    store(&slot->word[1], ticks << DURATION_SHIFT | kind);
    store(&slot->word[2], (uintptr_t)name);
    store(&slot->word[3], value);
    __atomic_store_n(&thread->written, number + 1, __ATOMIC_RELEASE);
}

void stk_trace_record_span(stk_trace_thread *thread, stk_stage stage, const char *name,
                           uint64_t begin, uint64_t value)
{
    const uint64_t now = stk_clock_ticks(), ticks = now > begin ? now - begin : 0;
    write_event(thread, begin, ticks < longest_duration ? ticks : longest_duration,
                (unsigned)stage & STAGE_MASK, name, value);
}

void stk_trace_record_counter(stk_trace_thread *thread, stk_stage stage, const char *name,
                              double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    write_event(thread, stk_clock_ticks(), 0, COUNTER_BIT | ((unsigned)stage & STAGE_MASK), name,
                bits);
}

const stk_trace_thread *stk_trace_newest(const stk_trace *trace)
{
    return __atomic_load_n(&trace->newest, __ATOMIC_ACQUIRE);
}

void stk_trace_read_stats(const stk_trace *trace, stk_trace_stats *stats)
{
    *stats = (stk_trace_stats){0};
    if (!trace) return;
    for (const stk_trace_thread *t = stk_trace_newest(trace); t; t = t->older) {
        const uint64_t written = __atomic_load_n(&t->written, __ATOMIC_RELAXED), room = t->mask + 1;
        stats->events += written < room ? written : room;
        stats->dropped += written < room ? 0 : written - room;
        stats->threads++;
    }
}

static stk_event unpack(const stk_event_slot *slot)
{
    uint64_t word[STK_EVENT_WORDS];
    for (int i = 0; i < STK_EVENT_WORDS; i++)
        word[i] = __atomic_load_n(&slot->word[i], __ATOMIC_RELAXED);
    return (stk_event){.begin = word[0],
                       .ticks = word[1] >> DURATION_SHIFT,
                       .name = (const char *)(uintptr_t)word[2],
                       .value = word[3],
                       .stage = (stk_stage)(word[1] & STAGE_MASK),
                       .is_counter = (word[1] & COUNTER_BIT) != 0};
}

stk_status stk_trace_snapshot(const stk_trace_thread *thread, stk_blob *out, uint64_t *dropped,
                              stk_error *err)
{
    const uint64_t room = thread->mask + 1;
    const uint64_t end = __atomic_load_n(&thread->written, __ATOMIC_ACQUIRE);
    const uint64_t first = end > room ? end - room : 0;
    const size_t   count = (size_t)(end - first), before = out->size;
    if (!count) return STK_OK;
    STK_TRY(stk_blob_reserve(out, before + count * sizeof(stk_event), err));
    stk_event *events = (stk_event *)(void *)(out->data + before);
    for (size_t i = 0; i < count; i++)
        events[i] = unpack(&thread->slots[(first + i) & thread->mask]);
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    const uint64_t begun = __atomic_load_n(&thread->begun, __ATOMIC_RELAXED);
    const uint64_t oldest = begun > room ? begun - room : 0; /* what is older may be torn */
    const size_t   torn = oldest > first ? (size_t)(oldest < end ? oldest - first : count) : 0;
    if (torn) memmove(events, events + torn, (count - torn) * sizeof *events);
    out->size = before + (count - torn) * sizeof *events;
    *dropped += first + torn;
    return STK_OK;
}

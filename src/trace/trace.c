/* Recording: each thread writes into a ring of its own, without locks, a few stores an event. */
#include "trace/recording.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEFAULT_EVENTS = 65536, EVENTS_MAX = 1 << 26 };

/* The second word of an event: the duration above, kind and stage in the lowest byte. */
enum {
    DURATION_SHIFT = 8,
    COUNTER_BIT = 1 << 7,
    STEP_BIT = 1 << 6,
    OP_BIT = 1 << 5,     /* name leads to a stk_trace_op */
    LAUNCH_BIT = 1 << 4, /* value is its number */
    STAGE_MASK = LAUNCH_BIT - 1
};
static const uint64_t duration_max = UINT64_MAX >> DURATION_SHIFT;

/* An operation and its texts, in one piece. */
typedef struct stk_kept_op {
    struct stk_kept_op *older;
    stk_trace_op        op;
    char                texts[];
} stk_kept_op;

/* Each thread knows its ring in the trace it last recorded into: looking it up elsewhere would need
 * a lock for every span. Traces are told apart by number, since an address may be used again. */
static _Thread_local struct {
    uint64_t          trace;
    stk_trace_thread *thread;
} own;

static stk_status round_up(uint32_t asked, uint64_t *events, stk_error *err)
{
    *events = 1;
    if (asked > EVENTS_MAX)
        return stk_fail(err, STK_E_LIMIT, "trace", NULL,
                        "%" PRIu32 " events per thread asked; %d is the most", asked, EVENTS_MAX);
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
    trace->level = trace->highest = chosen.level ? chosen.level : STK_TRACE_OPS;
    static uint64_t traces; /* atomic; a number only, no state */
    trace->number = __atomic_add_fetch(&traces, 1, __ATOMIC_RELAXED);
    trace->begin = stk_clock_read_pair();
    trace->begin_unix_ns = stk_clock_unix_ns();
    const stk_status st = chosen.nvtx ? stk_nvtx_open(&trace->nvtx, NULL, err) : STK_OK;
    if (st)
        stk_trace_free(trace);
    else
        *out = trace;
    return st;
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
    while (trace->ops) {
        stk_kept_op *older = trace->ops->older;
        free(trace->ops);
        trace->ops = older;
    }
    stk_nvtx_close(&trace->nvtx);
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
    *thread = (stk_trace_thread){.taken = 1, .mask = events - 1, .name = strdup(name ? name : "")};
    if (thread->name) return thread;
    free_thread(thread);
    return NULL;
}

static stk_status attach(stk_trace *trace, const char *name, bool is_device, stk_trace_thread **out,
                         stk_error *err)
{
    stk_trace_thread *thread = new_thread(trace->events_per_thread, name);
    if (!thread)
        return stk_fail(err, STK_E_NOMEM, "trace", name, "no memory for %" PRIu64 " events",
                        trace->events_per_thread);
    thread->trace = trace;
    thread->is_device = is_device;
    stk_trace_thread *newest = __atomic_load_n(&trace->newest, __ATOMIC_ACQUIRE);
    do {
        thread->older = newest;
        thread->number = newest ? newest->number + 1 : 0;
    } while (!__atomic_compare_exchange_n(&trace->newest, &newest, thread, true, __ATOMIC_ACQ_REL,
                                          __ATOMIC_ACQUIRE));
    *out = thread;
    return STK_OK;
}

stk_status stk_trace_attach(stk_trace *trace, const char *name, stk_trace_thread **out,
                            stk_error *err)
{
    *out = NULL;
    if (!trace) return STK_OK;
    STK_TRY(attach(trace, name, false, out, err));
    own.trace = trace->number;
    own.thread = *out;
    return STK_OK;
}

stk_status stk_trace_attach_device(stk_trace *trace, const char *device, const char *stream,
                                   stk_trace_thread **out, stk_error *err)
{
    *out = NULL;
    if (!trace) return STK_OK;
    STK_TRY(attach(trace, stream, true, out, err));
    if (!*trace->device) snprintf(trace->device, sizeof trace->device, "%s", device);
    __atomic_store_n(&trace->has_devices, true, __ATOMIC_RELEASE);
    return STK_OK;
}

/* A ring that a thread of that name has left; its events stay. */
static stk_trace_thread *take_over(const stk_trace *trace, const char *name)
{
    stk_trace_thread *t = __atomic_load_n(&trace->newest, __ATOMIC_ACQUIRE);
    for (; t; t = t->older) {
        int free_now = 0;
        if (strcmp(t->name, name) == 0 &&
            __atomic_compare_exchange_n(&t->taken, &free_now, 1, false, __ATOMIC_ACQ_REL,
                                        __ATOMIC_RELAXED))
            return t;
    }
    return NULL;
}

stk_trace_thread *stk_trace_current(stk_trace *trace, const char *name)
{
    stk_error         unasked;
    stk_trace_thread *thread;
    if (!trace) return NULL;
    if (own.trace == trace->number) return own.thread;
    own.trace = trace->number;
    own.thread = take_over(trace, name);
    if (!own.thread && stk_trace_attach(trace, name, &thread, &unasked)) own.thread = NULL;
    return own.thread;
}

void stk_trace_leave(stk_trace *trace)
{
    if (!trace || own.trace != trace->number) return;
    if (own.thread) __atomic_store_n(&own.thread->taken, 0, __ATOMIC_RELEASE);
    own.trace = 0;
    own.thread = NULL;
}

void stk_trace_set_level(stk_trace *trace, stk_trace_level level)
{
    if (!trace) return;
    if (level > __atomic_load_n(&trace->highest, __ATOMIC_RELAXED))
        __atomic_store_n(&trace->highest, level, __ATOMIC_RELAXED);
    __atomic_store_n(&trace->level, level, __ATOMIC_RELAXED);
}

stk_trace_level stk_trace_get_level(const stk_trace *trace)
{
    return trace ? __atomic_load_n(&trace->level, __ATOMIC_RELAXED) : STK_TRACE_OFF;
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
    store(&thread->started, number + 1);
    __atomic_thread_fence(__ATOMIC_RELEASE);
    store(&slot->word[0], begin);
    store(&slot->word[1], ticks << DURATION_SHIFT | kind);
    store(&slot->word[2], (uintptr_t)name);
    store(&slot->word[3], value);
    __atomic_store_n(&thread->written, number + 1, __ATOMIC_RELEASE);
}

static uint64_t ticks_since(uint64_t begin)
{
    const uint64_t now = stk_clock_ticks(), ticks = now > begin ? now - begin : 0;
    return ticks < duration_max ? ticks : duration_max;
}

/* A number that is no stage stays one. */
static unsigned bits_of(stk_stage stage)
{
    return (unsigned)stage < STK_STAGE_COUNT ? (unsigned)stage : (unsigned)STAGE_MASK;
}

void stk_trace_record_span(stk_trace_thread *thread, stk_stage stage, const char *name,
                           uint64_t begin, uint64_t value)
{
    write_event(thread, begin, ticks_since(begin), bits_of(stage), name, value);
}

void stk_trace_record_between(stk_trace_thread *thread, stk_stage stage, const char *name,
                              uint64_t begin, uint64_t end, uint64_t value)
{
    const uint64_t ticks = end > begin ? end - begin : 0;
    write_event(thread, begin, ticks < duration_max ? ticks : duration_max, bits_of(stage), name,
                value);
}

void stk_trace_record_step(stk_trace_thread *thread, int64_t step, uint64_t begin)
{
    write_event(thread, begin, ticks_since(begin), STEP_BIT, "step", (uint64_t)step);
}

void stk_trace_push_range(stk_trace_thread *thread, const char *name)
{
    if (thread->trace->nvtx.push) (void)thread->trace->nvtx.push(name);
}

void stk_trace_pop_range(stk_trace_thread *thread)
{
    if (thread->trace->nvtx.pop) (void)thread->trace->nvtx.pop();
}

const stk_trace_op *stk_trace_intern_op(stk_trace_thread *thread, const stk_trace_op *op)
{
    const char  *texts[] = {op->name, op->layer, op->kernel};
    const char **kept_texts[3];
    size_t       sizes[3], capacity = 0;
    for (int i = 0; i < 3; i++) {
        if (!texts[i]) texts[i] = "";
        capacity += sizes[i] = strlen(texts[i]) + 1;
    }
    stk_kept_op *kept = malloc(sizeof *kept + capacity);
    if (!kept) return NULL;
    kept->op = *op;
    kept_texts[0] = &kept->op.name;
    kept_texts[1] = &kept->op.layer;
    kept_texts[2] = &kept->op.kernel;
    char *at = kept->texts;
    for (int i = 0; i < 3; at += sizes[i++])
        *kept_texts[i] = memcpy(at, texts[i], sizes[i]);
    kept->older = __atomic_load_n(&thread->trace->ops, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(&thread->trace->ops, &kept->older, kept, true,
                                        __ATOMIC_RELEASE, __ATOMIC_RELAXED)) {
    }
    return &kept->op;
}

uint64_t stk_trace_record_op(stk_trace_thread *thread, stk_stage stage, const stk_trace_op *op,
                             uint64_t begin)
{
    const uint64_t ticks = ticks_since(begin);
    write_event(thread, begin, ticks, OP_BIT | bits_of(stage), (const char *)op, 0);
    return begin + ticks;
}

uint64_t stk_trace_record_launch(stk_trace_thread *thread, stk_stage stage, const stk_trace_op *op,
                                 uint64_t begin, uint64_t number)
{
    const uint64_t ticks = ticks_since(begin);
    write_event(thread, begin, ticks, LAUNCH_BIT | OP_BIT | bits_of(stage), (const char *)op,
                number);
    return begin + ticks;
}

void stk_trace_record_device(stk_trace_thread *row, stk_stage stage, const stk_trace_op *op,
                             uint64_t begin_ns, uint64_t end_ns, uint64_t number)
{
    const stk_clock_pair start = row->trace->begin;
    if (end_ns > row->latest.ns) row->latest = stk_clock_read_pair();
    const uint64_t begin = stk_clock_ns_to_ticks(begin_ns, start, row->latest);
    const uint64_t end = stk_clock_ns_to_ticks(end_ns, start, row->latest);
    const uint64_t ticks = end > begin ? end - begin : 0;
    write_event(row, begin, ticks < duration_max ? ticks : duration_max, OP_BIT | bits_of(stage),
                (const char *)op, number);
}

void stk_trace_record_counter(stk_trace_thread *thread, stk_stage stage, const char *name,
                              double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    write_event(thread, stk_clock_ticks(), 0, COUNTER_BIT | bits_of(stage), name, bits);
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
        const uint64_t written = __atomic_load_n(&t->written, __ATOMIC_RELAXED),
                       capacity = t->mask + 1;
        stats->events += written < capacity ? written : capacity;
        stats->dropped += written < capacity ? 0 : written - capacity;
        stats->threads++;
    }
}

static stk_event unpack(const stk_event_slot *slot)
{
    uint64_t word[STK_EVENT_WORDS];
    for (int i = 0; i < STK_EVENT_WORDS; i++)
        word[i] = __atomic_load_n(&slot->word[i], __ATOMIC_RELAXED);
    const char         *name = (const char *)(uintptr_t)word[2];
    const stk_trace_op *op = word[1] & OP_BIT ? (const void *)name : NULL;
    return (stk_event){.begin = word[0],
                       .ticks = word[1] >> DURATION_SHIFT,
                       .name = name,
                       .op = op,
                       .value = word[3],
                       .stage = (stk_stage)(word[1] & STAGE_MASK),
                       .is_counter = (word[1] & COUNTER_BIT) != 0,
                       .is_step = (word[1] & STEP_BIT) != 0,
                       .is_launch = (word[1] & LAUNCH_BIT) != 0};
}

stk_status stk_trace_snapshot(const stk_trace_thread *thread, stk_blob *out, uint64_t *dropped,
                              stk_error *err)
{
    const uint64_t capacity = thread->mask + 1;
    const uint64_t end = __atomic_load_n(&thread->written, __ATOMIC_ACQUIRE);
    const uint64_t first = end > capacity ? end - capacity : 0;
    const size_t   count = (size_t)(end - first), before = out->size;
    if (!count) return STK_OK;
    STK_TRY(stk_blob_reserve(out, before + count * sizeof(stk_event), err));
    stk_event *events = (stk_event *)(void *)(out->data + before);
    for (size_t i = 0; i < count; i++)
        events[i] = unpack(&thread->slots[(first + i) & thread->mask]);
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    const uint64_t started = __atomic_load_n(&thread->started, __ATOMIC_RELAXED);
    const uint64_t oldest =
        started > capacity ? started - capacity : 0; /* older slots may be torn */
    const size_t torn = oldest > first ? (size_t)(oldest < end ? oldest - first : count) : 0;
    if (torn) memmove(events, events + torn, (count - torn) * sizeof *events);
    out->size = before + (count - torn) * sizeof *events;
    *dropped += first + torn;
    return STK_OK;
}

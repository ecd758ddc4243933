/* The trace's storage: a ring of fixed-size events per thread. */
#ifndef STK_TRACE_RECORDING_H
#define STK_TRACE_RECORDING_H

#include "base/clock.h"
#include "trace/nvtx.h"

#include <stdalign.h>
#include <stdbool.h>
#include <stoker/trace.h>

enum { STK_EVENT_WORDS = 4 };

/* One event in the ring: begin in ticks; duration, kind and stage; name; value. */
typedef struct stk_event_slot {
    uint64_t word[STK_EVENT_WORDS]; /* atomic: a dump may read while the thread writes */
} stk_event_slot;

/* The same, unpacked. */
typedef struct stk_event {
    uint64_t    begin, ticks; /* when, and how long */
    const char *name;
    uint64_t    value; /* of a counter: the bits of a double; of a step, a launch and what
                        * a device did: its number */
    stk_stage           stage;
    bool                is_counter, is_step;
    bool                is_launch; /* its device activity is on a device's row */
    const stk_trace_op *op;        /* NULL: none */
} stk_event;

struct stk_trace_thread {
    /* Atomic, written by the thread only: events started and events written. Between the two, one
     * slot is being written. */
    alignas(64) uint64_t started;
    uint64_t          written;
    int               taken; /* atomic: used by a thread */
    uint64_t          mask;  /* slots - 1; the following fields are immutable */
    stk_trace        *trace;
    stk_trace_thread *older;
    char             *name;
    uint32_t          number;    /* from 0, in the order of attaching */
    bool              is_device; /* a device stream */
    stk_clock_pair    latest;    /* of a device's row: a recent pair of both clocks */
    alignas(64) stk_event_slot slots[];
};

struct stk_trace {
    stk_trace_thread   *newest; /* atomic: an append-only, lock-free list */
    char               *process_name;
    uint64_t            events_per_thread; /* a power of two */
    stk_trace_level     level;             /* atomic */
    stk_trace_level     highest;           /* atomic: the highest level so far */
    struct stk_kept_op *ops;               /* atomic: append-only list */
    bool                has_devices;       /* atomic: some row is a device stream */
    char                device[32];        /* whose; written before has_devices */
    uint64_t            number;            /* of this trace in this process, from 1 */
    uint64_t            begin_unix_ns;
    stk_clock_pair      begin;
    stk_nvtx            nvtx; /* all zero: off */
};

const stk_trace_thread *stk_trace_newest(const stk_trace *trace);

/* Appends the thread's events (stk_event) to out, oldest first, leaving out those overwritten while
 * it reads, and adds the number of overwritten ones to *dropped. */
STK_NODISCARD stk_status stk_trace_snapshot(const stk_trace_thread *thread, stk_blob *out,
                                            uint64_t *dropped, stk_error *err);

#endif

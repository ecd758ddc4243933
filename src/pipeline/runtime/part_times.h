/* Times of the parts of a fused map: its functions and, inside image functions, the operations.
 * Times are sampled; all threads share the sums. */
#ifndef STK_PIPELINE_RUNTIME_PART_TIMES_H
#define STK_PIPELINE_RUNTIME_PART_TIMES_H

#include "base/clock.h"

#include <stddef.h>
#include <stoker/trace.h>

enum { STK_PART_NAME = 64, STK_PARTS_MAX = 96 };

typedef struct stk_part_time {
    char        name[STK_PART_NAME]; /* as written: "random_crop + flip" */
    uint64_t    ticks;               /* atomic: sum over timed items */
    const char *traced;              /* atomic: interned name of spans; NULL: none yet */
} stk_part_time;

typedef struct stk_part_times {
    size_t         count;
    stk_part_time *list;
    uint64_t       items; /* atomic: timed items */
    uint64_t       every; /* atomic: sampling period in items */
    stk_clock_pair begin;
} stk_part_times;

/* count is at most STK_PARTS_MAX; the caller fills the names. NULL without memory. */
stk_part_times *stk_part_times_new(size_t count);
void            stk_part_times_free(stk_part_times *parts); /* NULL is fine */

/* The sampling period: longer for short items, to make the overhead negligible. */
uint64_t stk_part_times_every(const stk_part_times *parts);
/* Adds the ticks of items, one sum per part. */
void stk_part_times_add(stk_part_times *parts, const uint64_t *ticks, uint64_t items);
/* Records the parts as consecutive spans of a thread: the interval of many items is divided in
 * proportion to the measured ticks. */
void stk_part_times_record(stk_part_times *parts, const uint64_t *ticks, stk_trace_thread *trace,
                           stk_stage stage, uint64_t begin, uint64_t end);
/* Mean nanoseconds of an item in one part. */
double stk_part_times_each(const stk_part_times *parts, size_t part);

#endif

/* How long the parts of a fused stage take: the functions of a fused_map, and inside of image
 * functions their operations. Some items are timed for all; sums are shared by all threads. */
#ifndef STK_PIPELINE_RUNTIME_PART_TIMES_H
#define STK_PIPELINE_RUNTIME_PART_TIMES_H

#include "base/clock.h"

#include <stddef.h>
#include <stoker/trace.h>

enum { STK_PART_NAME = 64, STK_PARTS_MAX = 96 };

typedef struct stk_part_time {
    char        name[STK_PART_NAME]; /* as it was written: "random_crop + flip" */
    uint64_t    ticks;               /* atomic: of timed items */
    const char *traced;              /* atomic: the name for spans; NULL: not yet */
} stk_part_time;

typedef struct stk_part_times {
    size_t         count;
    stk_part_time *list;
    uint64_t       items; /* atomic: that were timed */
    uint64_t       every; /* atomic: so many items for one that is timed */
    stk_clock_pair begin;
} stk_part_times;

/* count is STK_PARTS_MAX at most; names are the caller's to fill. NULL without memory. */
stk_part_times *stk_part_times_new(size_t count);
void            stk_part_times_free(stk_part_times *parts); /* NULL is fine */

/* Short items are timed less often, so that timing costs nothing to speak of. */
uint64_t stk_part_times_every(const stk_part_times *parts);
/* Adds the ticks of so many items, one sum a part. */
void stk_part_times_add(stk_part_times *parts, const uint64_t *ticks, uint64_t items);
/* The same as spans of a thread, one after the other: a time that was spent on many items is told
 * part by part, each as long as its share of what was timed. */
void stk_part_times_record(stk_part_times *parts, const uint64_t *ticks, stk_trace_thread *trace,
                           stk_stage stage, uint64_t begin, uint64_t end);
/* Nanoseconds of an item in one part. */
double stk_part_times_each(const stk_part_times *parts, size_t part);

#endif

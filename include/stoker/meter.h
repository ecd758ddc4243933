/* stoker/meter.h - where the time of training goes: always on.
 * The training thread's time is cut into pieces without gaps, each of one stage: what a stage costs
 * there is exposed, and the pieces of a step add up to the step. What stages do on other threads
 * meanwhile is work. A piece costs one clock read; nothing is allocated after the start. */
#ifndef STOKER_METER_H
#define STOKER_METER_H

#include <stdbool.h>
#include <stoker/trace.h>

STK_BEGIN_DECLS

typedef struct stk_meter stk_meter;

/* What else a step was: steps that are not like the others are judged apart. */
typedef enum stk_step_flag {
    STK_STEP_FIRST = 1,      /* of a feed: its queues were empty */
    STK_STEP_CHECKPOINT = 2, /* a checkpoint was taken */
    STK_STEP_REPORT = 4,     /* metrics were fetched */
    STK_STEP_EVALUATED = 8,  /* an evaluation came before the next step */
    STK_STEP_TRACED = 16     /* operations were recorded */
} stk_step_flag;

/* One step. Pieces of no stage (STK_STAGE_NONE) are the loop itself. */
typedef struct stk_step_record {
    int64_t  step;     /* of the run, from 0 */
    uint64_t begin_ns; /* since the meter began */
    uint64_t ns;       /* the sum of exposed_ns */
    uint64_t exposed_ns[STK_STAGE_COUNT];
    uint64_t work_ns[STK_STAGE_COUNT]; /* of threads of its own, as far as was told */
    uint32_t samples, marks;
} stk_step_record;

/* Sums over all steps so far. */
typedef struct stk_stage_meter {
    /* work_ns: of threads of its own; that of S1 and S2 also has what the training thread itself
     * prepares, which is exposed, too. */
    uint64_t exposed_ns, work_ns;
    uint64_t items, bytes; /* samples, and bytes that were moved */
} stk_stage_meter;

typedef struct stk_meter_totals {
    uint64_t steps, samples, ns;
    uint64_t evaluation_ns;                         /* not part of any step */
    uint64_t evaluations;                           /* times that it was left */
    uint64_t evaluation_stages_ns[STK_STAGE_COUNT]; /* of evaluation_ns, as far as was told */
    uint64_t first_step_ns; /* from the start to the end of the first step */
    stk_stage_meter stages[STK_STAGE_COUNT];
} stk_meter_totals;

/* Some steps in a row, for the whole run in few rows: their number doubles when there are too many.
 */
typedef struct stk_meter_window {
    uint64_t begin_ns, ns;
    uint64_t steps, samples;
    uint64_t exposed_ns[STK_STAGE_COUNT];
    uint64_t longest_ns; /* the slowest step */
} stk_meter_window;

typedef struct stk_meter_options {
    uint32_t          steps_kept;   /* the last ones, whole; 0: 4096 */
    uint32_t          windows_kept; /* 0: 1024 */
    stk_trace_thread *thread;       /* gets a span a piece and a mark a step; NULL: none */
    const stk_trace  *trace;        /* of thread: spans are recorded from level 1 on */
} stk_meter_options;

/* options may be NULL. */
STK_API STK_NODISCARD stk_status stk_meter_new(stk_meter **out, const stk_meter_options *options,
                                               stk_error *err);
/* NULL is fine. */
STK_API void stk_meter_free(stk_meter *meter);

/* For the training thread. A NULL meter measures nothing. */

/* Time is this stage's from now on. */
STK_API void stk_meter_enter(stk_meter *meter, stk_stage stage);
/* ns of what went to from since the step began belongs to another stage; no more than there is. */
STK_API void stk_meter_move(stk_meter *meter, stk_stage from, stk_stage to, uint64_t ns);
/* stage was at work for ns on a device of its own while the step went on: what other stages took
 * meanwhile delayed nobody and is its own, first of those that come after the device was given
 * work. Where it was waited for longer than that, the device itself waited: that is feeds's. */
STK_API void stk_meter_attribute(stk_meter *meter, stk_stage stage, uint64_t ns, stk_stage feeds);
/* What a stage did with threads of its own, or what went through it, since it was last told. */
STK_API void stk_meter_add(stk_meter *meter, stk_stage stage, uint64_t work_ns, uint64_t items,
                           uint64_t bytes);
STK_API void stk_meter_flag(stk_meter *meter, unsigned marks);
/* What follows belongs to no step, until the next enter: evaluation. */
STK_API void stk_meter_leave(stk_meter *meter);
/* While it is left: time is this stage's from now on. */
STK_API void stk_meter_aside(stk_meter *meter, stk_stage stage);
/* ns of what went to from since it was left belongs to another stage; no more than there is. */
STK_API void stk_meter_move_aside(stk_meter *meter, stk_stage from, stk_stage to, uint64_t ns);
/* The step is over; the next one begins now. */
STK_API void stk_meter_end_step(stk_meter *meter, int64_t step, uint32_t samples);
/* Warm-up is over: the measured part begins with the step at hand. */
STK_API void stk_meter_begin_measuring(stk_meter *meter);
/* Switches it off and on again, to measure what it costs. Off, nothing is counted. */
STK_API void stk_meter_switch(stk_meter *meter, bool on);
STK_API bool stk_meter_is_on(const stk_meter *meter); /* NULL: it is not */

/* For any thread, at any time. */

STK_API void stk_meter_read(stk_meter *meter, stk_meter_totals *totals);
/* The same of the measured part alone; of all steps as long as that has none. */
STK_API void stk_meter_read_measured(stk_meter *meter, stk_meter_totals *totals);
/* Copies the last steps, oldest first; returns how many. */
STK_API size_t stk_meter_steps(stk_meter *meter, stk_step_record *out, size_t capacity);
STK_API size_t stk_meter_windows(stk_meter *meter, stk_meter_window *out, size_t capacity);

STK_END_DECLS
#endif

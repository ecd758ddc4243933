/* stoker/meter.h - always-on time accounting of training. The training thread's time is divided
 * into pieces without gaps, each of one stage. Time there is exposed, and the pieces of a step add
 * up to the step. Time of stages on other threads is work. A piece costs one clock read; nothing is
 * allocated after the start. */
#ifndef STOKER_METER_H
#define STOKER_METER_H

#include <stdbool.h>
#include <stoker/trace.h>

STK_BEGIN_DECLS

typedef struct stk_meter stk_meter;

/* Events of a step; steps with some are analysed separately. */
typedef enum stk_step_flag {
    STK_STEP_FIRST = 1,      /* first of a loader: its queues were empty */
    STK_STEP_CHECKPOINT = 2, /* a checkpoint was taken */
    STK_STEP_REPORT = 4,     /* metrics were downloaded */
    STK_STEP_EVALUATED = 8,  /* an evaluation preceded the next step */
    STK_STEP_TRACED = 16     /* operations were recorded */
} stk_step_flag;

/* One step. STK_STAGE_NONE is the loop itself. */
typedef struct stk_step_record {
    int64_t  step;     /* of the run, from 0 */
    uint64_t begin_ns; /* since the meter was created */
    uint64_t ns;       /* the sum of exposed_ns */
    uint64_t exposed_ns[STK_STAGE_COUNT];
    uint64_t work_ns[STK_STAGE_COUNT]; /* of the stage's own threads, as far as reported */
    uint32_t samples, marks;
} stk_step_record;

/* Sums over all steps so far. */
typedef struct stk_stage_meter {
    /* work_ns: of the stage's own threads. For S1 and S2 it includes preparation on the training
     * thread, which is also exposed. */
    uint64_t exposed_ns, work_ns;
    uint64_t items, bytes; /* samples, and bytes moved */
} stk_stage_meter;

typedef struct stk_meter_totals {
    uint64_t steps, samples, ns;
    uint64_t evaluation_ns;                         /* not part of any step */
    uint64_t evaluations;                           /* calls of stk_meter_leave */
    uint64_t evaluation_stages_ns[STK_STAGE_COUNT]; /* of evaluation_ns, as far as reported */
    uint64_t first_step_ns; /* from the start to the end of the first step */
    stk_stage_meter stages[STK_STAGE_COUNT];
} stk_meter_totals;

/* Consecutive steps. Windows double in length when there are too many, so few rows cover the
 * run. */
typedef struct stk_meter_window {
    uint64_t begin_ns, ns;
    uint64_t steps, samples;
    uint64_t exposed_ns[STK_STAGE_COUNT];
    uint64_t longest_ns; /* the slowest step */
} stk_meter_window;

typedef struct stk_meter_options {
    uint32_t          steps_kept;   /* recent steps kept in full; 0: 4096 */
    uint32_t          windows_kept; /* 0: 1024 */
    stk_trace_thread *thread;       /* gets a span per piece and a mark per step; NULL: none */
    const stk_trace  *trace;        /* of thread; spans are recorded from level 1 on */
} stk_meter_options;

/* options may be NULL. */
STK_API STK_NODISCARD stk_status stk_meter_new(stk_meter **out, const stk_meter_options *options,
                                               stk_error *err);
/* NULL is fine. */
STK_API void stk_meter_free(stk_meter *meter);

/* Functions for the training thread. A NULL meter measures nothing. */

/* Attributes the time from now on to this stage. */
STK_API void stk_meter_enter(stk_meter *meter, stk_stage stage);
/* Moves up to ns of this step from one stage to another. */
STK_API void stk_meter_move(stk_meter *meter, stk_stage from, stk_stage to, uint64_t ns);
/* stage ran for ns on an asynchronous device during this step. Overlapping host time of other
 * stages is hidden and moves to stage, in launch order. Wait beyond ns is charged to feeds: the
 * device starved. */
STK_API void stk_meter_attribute(stk_meter *meter, stk_stage stage, uint64_t ns, stk_stage feeds);
/* Adds work of a stage's own threads, and items and bytes that passed through it, since the last
 * call. */
STK_API void stk_meter_add(stk_meter *meter, stk_stage stage, uint64_t work_ns, uint64_t items,
                           uint64_t bytes);
STK_API void stk_meter_flag(stk_meter *meter, unsigned marks);
/* Time until the next enter belongs to no step (evaluation). */
STK_API void stk_meter_leave(stk_meter *meter);
/* After leave: attributes the time from now on to this stage. */
STK_API void stk_meter_aside(stk_meter *meter, stk_stage stage);
/* After leave: moves up to ns from one stage to another. */
STK_API void stk_meter_move_aside(stk_meter *meter, stk_stage from, stk_stage to, uint64_t ns);
/* Ends the step; the next one begins now. */
STK_API void stk_meter_end_step(stk_meter *meter, int64_t step, uint32_t samples);
/* Ends warm-up: the measured part begins with the current step. */
STK_API void stk_meter_begin_measuring(stk_meter *meter);
/* Switches the meter off and on, to measure its cost. While off, nothing is counted. */
STK_API void stk_meter_switch(stk_meter *meter, bool on);
STK_API bool stk_meter_is_on(const stk_meter *meter); /* NULL: false */

/* Callable from any thread. */

STK_API void stk_meter_read(stk_meter *meter, stk_meter_totals *totals);
/* The same over the measured part; over all steps before it has any. */
STK_API void stk_meter_read_measured(stk_meter *meter, stk_meter_totals *totals);
/* Copies the last steps, oldest first; returns how many. */
STK_API size_t stk_meter_steps(stk_meter *meter, stk_step_record *out, size_t capacity);
STK_API size_t stk_meter_windows(stk_meter *meter, stk_meter_window *out, size_t capacity);

STK_END_DECLS
#endif

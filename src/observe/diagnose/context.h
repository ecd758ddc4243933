/* The case at hand: what all parts of a diagnosis look at and write to. */
#ifndef STK_OBSERVE_DIAGNOSE_CONTEXT_H
#define STK_OBSERVE_DIAGNOSE_CONTEXT_H

#include "observe/diagnose/sim_model.h"

/* Shares of a step. A stage other than compute is the limit from `limit` on, when its interval is
 * above `doubt`; below `worth` nothing is said about it. */
#define STK_FRACTION_LIMIT 0.10
#define STK_FRACTION_DOUBT 0.05
#define STK_FRACTION_WORTH 0.05
/* Gains below this are not worth a line. */
#define STK_GAIN_WORTH 0.01
#define STK_GAIN_WORTH_FOREIGN 0.05 /* of a trace of another tool, which tells less */

typedef struct stk_diagnosis_ctx {
    const stk_profile   *profile;
    const stk_sim_model *model;
    stk_diagnosis       *out;
    double               rate;                      /* samples a second, as it was */
    stk_estimate         fraction[STK_STAGE_COUNT]; /* of a step: exposed */
    double               without[STK_STAGE_COUNT];  /* samples a second when it costs nothing */
    double               step_ns, samples_a_step;   /* means */
} stk_diagnosis_ctx;

/* Each appends a line, as long as there is room. */
__attribute__((format(printf, 2, 3))) void stk_diagnosis_ctx_show(stk_diagnosis_ctx *c,
                                                                  const char        *format, ...);
__attribute__((format(printf, 2, 3))) void stk_diagnosis_ctx_warn(stk_diagnosis_ctx *c,
                                                                  const char        *format, ...);

/* share and without. */
void stk_diagnosis_ctx_expose(stk_diagnosis_ctx *c);
/* limits, limit, confidence; causes are told by stk_diagnosis_ctx_cause. */
void stk_diagnosis_ctx_rank(stk_diagnosis_ctx *c);
/* What limits when this is done: the largest exposed stage, or compute. */
stk_stage stk_diagnosis_ctx_next(const stk_diagnosis_ctx *c, const stk_what_if *what);
/* Why a stage costs what it does. */
stk_cause stk_diagnosis_ctx_cause(const stk_diagnosis_ctx *c, stk_stage stage);

/* rows. */
void stk_diagnosis_ctx_capacities(stk_diagnosis_ctx *c);
/* evidence and warnings. */
void stk_diagnosis_ctx_evidence(stk_diagnosis_ctx *c);
void stk_diagnosis_ctx_show_input_ops(
    stk_diagnosis_ctx *c); /* the dearest operation of the input */
void stk_diagnosis_ctx_warnings(stk_diagnosis_ctx *c);
/* phases. */
void stk_diagnosis_ctx_phases(stk_diagnosis_ctx *c);
/* Leaks, dips and the like, by the samples of what the run used. */
void stk_diagnosis_ctx_usage(stk_diagnosis_ctx *c);

/* fixes of the stages, the largest gain first. */
void stk_diagnosis_ctx_fixes(stk_diagnosis_ctx *c);
void stk_fixes_read(stk_diagnosis_ctx *c);
void stk_fixes_preprocess(stk_diagnosis_ctx *c);
void stk_fixes_compute(stk_diagnosis_ctx *c);
void stk_fixes_output(stk_diagnosis_ctx *c); /* S3 and S5 to S8 */
void stk_fixes_device(stk_diagnosis_ctx *c); /* S3, S4 and S6 of a device */
void stk_fixes_quiet(stk_diagnosis_ctx *c);  /* of any program: others that use its cores */
/* For programs of others, in their words. */
void stk_fixes_pytorch(stk_diagnosis_ctx *c);
void stk_fixes_tensorflow(stk_diagnosis_ctx *c);
void stk_fixes_jax(stk_diagnosis_ctx *c);
/* The recording is of another program. */
bool stk_diagnosis_ctx_is_foreign(const stk_diagnosis_ctx *c);
/* "samples" or "steps". */
const char *stk_diagnosis_ctx_unit(const stk_diagnosis_ctx *c);

/* What operations of a step cost, by name: forward and backward together. */
typedef struct stk_op_time_fraction {
    const char *name, *operation;
    double      fraction; /* of the time of all operations, 0 to 1 */
    double roofline; /* the same if every operation ran at the machine's limits; -1: not known */
} stk_op_time_fraction;

enum { STK_DIAGNOSIS_OPS = 16 };

/* All layers with 5 % of the time and more, the dearest first; gives their number, at most
 * STK_DIAGNOSIS_OPS. */
size_t stk_diagnosis_top_ops(const stk_diagnosis_ctx *c,
                             stk_op_time_fraction     ops[STK_DIAGNOSIS_OPS]);
/* It costs much more than its share of work, or nearly half of all. */
bool stk_diagnosis_ctx_op_stands_out(const stk_op_time_fraction *op);
/* One of the dear ones does. */
bool stk_diagnosis_ctx_has_odd_op(const stk_diagnosis_ctx *c);
/* What a device that computes behind the training thread's back is at. */
typedef struct stk_device_use {
    bool   known;
    double busy, launch; /* of the time: it computes; it is told what to do (-1: not known) */
    /* Of its operations' time: near the limit of memory, of arithmetic; only to start them. */
    double memory, math, starts;
} stk_device_use;

stk_device_use stk_diagnosis_ctx_device_use(const stk_diagnosis_ctx *c);
/* It computes faster than it is told what to do. */
bool stk_device_is_launch_bound(const stk_device_use *use);
/* Why S4 takes what it does, as far as the device tells: COMPUTE for no reason. */
stk_cause stk_device_cause(const stk_device_use *use);
void      stk_diagnosis_ctx_show_device(stk_diagnosis_ctx *c); /* evidence */
/* The batch that computes fastest, and how many samples a second more that is than at the batch of
 * the run, as a factor; 1 when no other was measured. */
double stk_diagnosis_ctx_best_batch(const stk_diagnosis_ctx *c, int64_t *batch);
/* The preparing threads: more of them, or compute's cores for them. */
typedef struct stk_workers {
    int         threads, input_threads; /* as the recipe counts them */
    double      rate;                   /* foretold */
    stk_what_if what;
} stk_workers;
stk_workers stk_diagnosis_ctx_best_workers(const stk_diagnosis_ctx *c);
/* Deeper queues alone would bring most of what the input costs. */
bool stk_diagnosis_ctx_is_uneven(const stk_diagnosis_ctx *c);

#endif

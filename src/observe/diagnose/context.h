/* The diagnosis context: input and output of all rules. */
#ifndef STK_OBSERVE_DIAGNOSE_CONTEXT_H
#define STK_OBSERVE_DIAGNOSE_CONTEXT_H

#include "observe/diagnose/sim_model.h"

/* Fractions of a step. A stage other than compute is a bottleneck from `limit` on if its interval
 * is above `doubt`; below `worth` it is not mentioned. */
#define STK_FRACTION_LIMIT 0.10
#define STK_FRACTION_DOUBT 0.05
#define STK_FRACTION_WORTH 0.05
/* Smaller gains are not listed. */
#define STK_GAIN_WORTH 0.01
#define STK_GAIN_WORTH_FOREIGN 0.05 /* for other tools' traces, which have less detail */

typedef struct stk_diagnosis_ctx {
    const stk_profile   *profile;
    const stk_sim_model *model;
    stk_diagnosis       *out;
    double               rate;                      /* measured samples per second */
    stk_estimate         fraction[STK_STAGE_COUNT]; /* of a step, exposed */
    double               without[STK_STAGE_COUNT];  /* samples per second if the stage were free */
    double               step_ns, samples_a_step;   /* means */
} stk_diagnosis_ctx;

/* Each appends a line, up to the list's capacity. */
__attribute__((format(printf, 2, 3))) void stk_diagnosis_ctx_show(stk_diagnosis_ctx *c,
                                                                  const char        *format, ...);
__attribute__((format(printf, 2, 3))) void stk_diagnosis_ctx_warn(stk_diagnosis_ctx *c,
                                                                  const char        *format, ...);

/* Fills fraction and without. */
void stk_diagnosis_ctx_expose(stk_diagnosis_ctx *c);
/* Fills limits, limit and confidence; stk_diagnosis_ctx_cause gives the causes. */
void stk_diagnosis_ctx_rank(stk_diagnosis_ctx *c);
/* The bottleneck after this change: the largest exposed stage, or compute. */
stk_stage stk_diagnosis_ctx_next(const stk_diagnosis_ctx *c, const stk_what_if *what);
/* The cause of a stage's exposed time. */
stk_cause stk_diagnosis_ctx_cause(const stk_diagnosis_ctx *c, stk_stage stage);

/* Fills rows. */
void stk_diagnosis_ctx_capacities(stk_diagnosis_ctx *c);
/* Fills evidence and warnings. */
void stk_diagnosis_ctx_evidence(stk_diagnosis_ctx *c);
void stk_diagnosis_ctx_show_input_ops(
    stk_diagnosis_ctx *c); /* reports the most expensive input operation */
void stk_diagnosis_ctx_warnings(stk_diagnosis_ctx *c);
/* Fills phases. */
void stk_diagnosis_ctx_phases(stk_diagnosis_ctx *c);
/* Adds findings about resource usage: leaks, dips. */
void stk_diagnosis_ctx_usage(stk_diagnosis_ctx *c);

/* Adds the fixes of all stages, largest gain first. */
void stk_diagnosis_ctx_fixes(stk_diagnosis_ctx *c);
void stk_fixes_read(stk_diagnosis_ctx *c);
void stk_fixes_preprocess(stk_diagnosis_ctx *c);
void stk_fixes_compute(stk_diagnosis_ctx *c);
void stk_fixes_output(stk_diagnosis_ctx *c); /* S3 and S5 to S8 */
void stk_fixes_device(stk_diagnosis_ctx *c); /* S3, S4 and S6 on a device */
void stk_fixes_quiet(stk_diagnosis_ctx *c);  /* other programs that use the cores */
/* For other frameworks, in their terms. */
void stk_fixes_pytorch(stk_diagnosis_ctx *c);
void stk_fixes_tensorflow(stk_diagnosis_ctx *c);
void stk_fixes_jax(stk_diagnosis_ctx *c);
/* Whether the recording is of another framework. */
bool stk_diagnosis_ctx_is_foreign(const stk_diagnosis_ctx *c);
/* "samples" or "steps". */
const char *stk_diagnosis_ctx_unit(const stk_diagnosis_ctx *c);

/* Cost of a step's operations by name, forward and backward together. */
typedef struct stk_op_time_fraction {
    const char *name, *operation;
    double      fraction; /* of the time of all operations, 0 to 1 */
    double      roofline; /* the same at the roofline; -1: not known */
} stk_op_time_fraction;

enum { STK_DIAGNOSIS_OPS = 16 };

/* All layers with at least 5 % of the time, most expensive first; returns how many, at most
 * STK_DIAGNOSIS_OPS. */
size_t stk_diagnosis_top_ops(const stk_diagnosis_ctx *c,
                             stk_op_time_fraction     ops[STK_DIAGNOSIS_OPS]);
/* Its cost far exceeds its roofline time, or is nearly half of all. */
bool stk_diagnosis_ctx_op_stands_out(const stk_op_time_fraction *op);
/* Whether one of the top operations stands out. */
bool stk_diagnosis_ctx_has_odd_op(const stk_diagnosis_ctx *c);
/* Utilisation of an asynchronous compute device. */
typedef struct stk_device_use {
    bool   known;
    double busy, launch; /* fractions of the time: computing; being launched to (-1: not known) */
    /* Fractions of its operations' time: memory-bound, compute-bound, launch-bound. */
    double memory, math, starts;
} stk_device_use;

stk_device_use stk_diagnosis_ctx_device_use(const stk_diagnosis_ctx *c);
/* Whether the device computes faster than the host launches. */
bool stk_device_is_launch_bound(const stk_device_use *use);
/* The cause of S4's time according to the device; COMPUTE: none in particular. */
stk_cause stk_device_cause(const stk_device_use *use);
void      stk_diagnosis_ctx_show_device(stk_diagnosis_ctx *c); /* adds evidence */
/* Returns the best measured speed-up of compute by another batch size, and that size; 1 if none was
 * measured. */
double stk_diagnosis_ctx_best_batch(const stk_diagnosis_ctx *c, int64_t *batch);
/* A division of the cores into input threads and compute threads. */
typedef struct stk_workers {
    int         threads, input_threads; /* as recipe keys */
    double      rate;                   /* predicted */
    stk_what_if what;
} stk_workers;
stk_workers stk_diagnosis_ctx_best_workers(const stk_diagnosis_ctx *c);
/* Whether deeper queues alone would regain most of the input's exposed time. */
bool stk_diagnosis_ctx_is_uneven(const stk_diagnosis_ctx *c);

#endif

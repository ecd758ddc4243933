/* A recorded run as a model that can be played again: a producer that reads, a producer that
 * prepares, a queue, and the training thread with all that it does itself. */
#ifndef STK_OBSERVE_DIAGNOSE_SIM_MODEL_H
#define STK_OBSERVE_DIAGNOSE_SIM_MODEL_H

#include <stoker/diagnosis.h>

enum {
    STK_SIM_BLOCK = 10, /* steps that are resampled together: neighbours are alike */
    STK_SIM_RESAMPLES = 200,
    STK_SIM_STEPS_MAX = 2000,
    STK_SIM_BUFFER_MAX = 64
};

/* One step, in nanoseconds. */
typedef struct stk_sim_model_step {
    double own[STK_STAGE_COUNT]; /* of the training thread itself; S1 and S2: what it waited */
    double read, prepare;        /* the work on one batch */
    double ns, samples;
} stk_sim_model_step;

typedef struct stk_sim_model {
    stk_sim_model_step *steps; /* like steps, in order */
    size_t              count;
    double              helpers;      /* threads that prepare beside the training thread */
    double              buffer;       /* batches that they may be ahead */
    double read_scale, prepare_scale; /* so that waits come out as they were measured */
    bool   reads_inline;              /* by the training thread, when it asks for a batch */
    double cores, threads;            /* 0: not known */
    double core_scale;
    double contention; /* of compute: the share that it waited for a core */
    size_t dropped;    /* steps that were not like the others */
} stk_sim_model;

/* What a run of the model came to. */
typedef struct stk_sim_model_run {
    double ns, samples;
    double wait_read, wait_prepare;
} stk_sim_model_run;

/* Fewer than two like steps give a model without any. On failure there is nothing to release. */
STK_NODISCARD stk_status stk_sim_model_make(stk_sim_model *out, const stk_profile *profile,
                                            stk_error *err);
void                     stk_sim_model_release(stk_sim_model *model);

/* All steps in order, or the given blocks of STK_SIM_BLOCK steps. */
stk_sim_model_run stk_sim_run(const stk_sim_model *model, const stk_what_if *what,
                              const uint32_t *blocks, size_t block_count);
/* Samples a second of all steps in order; 0 without steps. */
double stk_sim_model_rate(const stk_sim_model *model, const stk_what_if *what);
/* The same with its interval. */
stk_estimate stk_sim_model_estimate(const stk_sim_model *model, const stk_what_if *what);

/* The blocks of one of the resampled runs; count is STK_SIM_BLOCKS_MAX at most. The same number
 * gives the same blocks. */
enum { STK_SIM_BLOCKS_MAX = STK_SIM_STEPS_MAX / STK_SIM_BLOCK };
size_t stk_sim_model_resample(const stk_sim_model *model, unsigned number, uint32_t *blocks);

/* value with the spread that ratio-like results of resampled runs have; sorts them. */
stk_estimate stk_sim_model_interval(double value, double *resampled, size_t count);

#endif

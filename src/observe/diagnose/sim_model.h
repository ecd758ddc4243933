/* Simulation model of a recorded run: a reader, a preparing stage, a queue, and the training thread
 * with its own work. */
#ifndef STK_OBSERVE_DIAGNOSE_SIM_MODEL_H
#define STK_OBSERVE_DIAGNOSE_SIM_MODEL_H

#include <stoker/diagnosis.h>

enum {
    STK_SIM_BLOCK = 10, /* consecutive steps resampled together, since neighbours correlate */
    STK_SIM_RESAMPLES = 200,
    STK_SIM_STEPS_MAX = 2000,
    STK_SIM_BUFFER_MAX = 64
};

/* One step, in nanoseconds. */
typedef struct stk_sim_model_step {
    double own[STK_STAGE_COUNT]; /* of the training thread; S1 and S2: waits */
    double read, prepare;        /* work on one batch */
    double ns, samples;
} stk_sim_model_step;

typedef struct stk_sim_model {
    stk_sim_model_step *steps; /* comparable steps, in order */
    size_t              count;
    double              helpers;      /* threads that prepare in parallel to the training thread */
    double              buffer;       /* prefetched batches */
    double read_scale, prepare_scale; /* calibrated so that simulated waits equal measured ones */
    bool   reads_inline;              /* the training thread reads, when it needs a batch */
    double cores, threads;            /* 0: not known */
    double core_scale;
    double contention; /* of compute: fraction of the time it waited for a core */
    size_t dropped;    /* steps that were not comparable */
} stk_sim_model;

/* Result of a simulated run. */
typedef struct stk_sim_model_run {
    double ns, samples;
    double wait_read, wait_prepare;
} stk_sim_model_run;

/* With fewer than two comparable steps the model is empty. On failure there is nothing to
 * release. */
STK_NODISCARD stk_status stk_sim_model_make(stk_sim_model *out, const stk_profile *profile,
                                            stk_error *err);
void                     stk_sim_model_release(stk_sim_model *model);

/* Simulates all steps in order, or the given blocks of STK_SIM_BLOCK steps. */
stk_sim_model_run stk_sim_run(const stk_sim_model *model, const stk_what_if *what,
                              const uint32_t *blocks, size_t block_count);
/* Samples per second of all steps in order; 0 without steps. */
double stk_sim_model_rate(const stk_sim_model *model, const stk_what_if *what);
/* The same with its 95 % interval. */
stk_estimate stk_sim_model_estimate(const stk_sim_model *model, const stk_what_if *what);

/* The blocks of resampled run number; count is at most STK_SIM_BLOCKS_MAX. Equal numbers give equal
 * blocks. */
enum { STK_SIM_BLOCKS_MAX = STK_SIM_STEPS_MAX / STK_SIM_BLOCK };
size_t stk_sim_model_resample(const stk_sim_model *model, unsigned number, uint32_t *blocks);

/* An interval around value from the spread of resampled ratios, which it sorts. */
stk_estimate stk_sim_model_interval(double value, double *resampled, size_t count);

#endif

/* A training run, event by event, with known service times: the judge of the simulation. It knows
 * units of batches, threads and buffers, and nothing of the recursion of sim_run.c. */
#ifndef STK_TESTS_OBSERVE_DIAGNOSE_SIMULATOR_H
#define STK_TESTS_OBSERVE_DIAGNOSE_SIMULATOR_H

#include <stoker/diagnosis.h>

typedef struct simulation {
    double   mean_ns[STK_STAGE_COUNT]; /* of a step; S1 and S2: of one batch, one thread */
    double   cv[STK_STAGE_COUNT];
    int64_t  every[STK_STAGE_COUNT]; /* the stage is there in every so many steps; 0: in all */
    int      helpers, buffer;
    bool     reads_inline;   /* by the training thread, when it wants a batch; without helpers */
    int      cores, threads; /* 0: as many as are wanted; threads: of compute, 0: one */
    size_t   steps;
    uint64_t seed;
} simulation;

/* 100 us of S1, 500 us of S2, 4 ms of S4, little else; two helpers. */
simulation simulation_usual(void);
/* Fills an initialised profile as a trainer would. Stages keep their random numbers whatever the
 * means are, so that two runs differ by the means only. */
void simulate(const simulation *s, stk_profile *out);
/* Samples a second of it. */
double simulated_rate(const simulation *s);

#endif

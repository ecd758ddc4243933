/* A subject of a search without a machine: each change multiplies the rate by a known factor. */
#ifndef STK_TESTS_TUNE_SIMULATED_SUBJECT_H
#define STK_TESTS_TUNE_SIMULATED_SUBJECT_H

#include "tune/search/search.h"

enum { SIMULATED_CHANGES = 12 };

typedef struct simulated_change {
    const char    *key; /* set to "1" */
    double         factor;
    double         predicted; /* gain; below -1: not known */
    stk_tune_class kind;
    const char    *needs;          /* the factor counts only beside this key; NULL: always */
    bool           fails, guarded; /* cannot be opened; the guard refuses it */
} simulated_change;

/* Without an allocation: one that fails would be a change that fails. */
typedef struct simulated_arm {
    struct simulated *s;
    double            rate;
} simulated_arm;

typedef struct simulated {
    const simulated_change *changes;
    size_t                  count;
    double                  noise; /* deviation of a block's logarithm */
    uint64_t                state; /* of its random numbers */
    simulated_arm           arms[2];
    int                     opened, closed, blocks;
    int                     cancel_after; /* blocks; 0: never */
    stk_cancel              cancel;
    bool                    stops_in_list; /* cancel comes while candidates are listed */
    bool                    moves;         /* another stage limits once a change is kept */
} simulated;

stk_tune_subject simulated_table(simulated *s);
/* A number between 0 and 1; one of a normal distribution. */
double simulated_uniform(uint64_t *state);
double simulated_normal(uint64_t *state);

#endif

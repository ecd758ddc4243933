/* Autotune: tries one change at a time while the pipeline runs and keeps measurable gains. It tunes
 * the capacity of each queue and the size of its pieces of work; the I/O engine tunes its own
 * depth. Values set by the user stay fixed. */
#ifndef STK_PIPELINE_ITERATOR_TUNER_H
#define STK_PIPELINE_ITERATOR_TUNER_H

#include "pipeline/iterator/running_stats.h"
#include "pipeline/runtime/runtime.h"

typedef struct stk_tuner {
    stk_run *run;
    uint64_t begin_ns; /* start of the current sample */
    uint64_t results;  /* results in the current sample */
    uint64_t begin_wait_ns;
    double   wait_fraction; /* fraction of the consumer's time in the last full
                               measurement */
    uint64_t           round_wait_ns, round_begin_ns;
    int                warm_up_left; /* samples to discard after a change */
    bool               trying;       /* measuring a change, else the current setting */
    bool               kept_one;     /* a change was kept in this round over all knobs */
    uint64_t           rest_until_ns, rest_ns;
    size_t             turn; /* index of the next knob */
    stk_running_stats  incumbent, challenger;
    stk_node_counters *counters; /* of the knob being tried */
    uint64_t          *knob;
    uint64_t           before, after;
    uint64_t           put_back; /* former value of the knob; 0: was not tuned */
} stk_tuner;

void stk_tuner_init(stk_tuner *tuner, stk_run *run);

/* Counts a result; wait_ns: total wait of the consumer. Cheap: reads the clock only at the end of a
 * sample. */
void stk_tuner_note(stk_tuner *tuner, uint64_t wait_ns);

#endif

/* Autotune: tries one change at a time while the pipeline runs and keeps what is measurably better.
 * What it may change: how far each queue runs ahead, and how much work is handed over at a time.
 * (I/O requests in flight are the I/O engine's own to tune.) Values that a person gave are never
 * touched. */
#ifndef STK_PIPELINE_ITERATOR_TUNER_H
#define STK_PIPELINE_ITERATOR_TUNER_H

#include "pipeline/iterator/running_stats.h"
#include "pipeline/runtime/runtime.h"

typedef struct stk_tuner {
    stk_run           *run;
    uint64_t           begin_ns; /* of the sample at hand */
    uint64_t           results;  /* in it */
    uint64_t           begin_wait_ns;
    double             wait_fraction; /* of the consumer's time in the last full measurement */
    uint64_t           round_wait_ns, round_begin_ns;
    int                warm_up_left; /* samples still to be passed over after a change */
    bool               trying;       /* measuring a change, else the way things are */
    bool               kept_one;     /* in this round over all knobs */
    uint64_t           rest_until_ns, rest_ns;
    size_t             turn; /* which knob is next */
    stk_running_stats  incumbent, challenger;
    stk_node_counters *counters; /* the change being tried */
    uint64_t          *knob;
    uint64_t           before, after;
    uint64_t           put_back; /* what the knob held: 0 when it was not tuned before */
} stk_tuner;

void stk_tuner_init(stk_tuner *tuner, stk_run *run);

/* One more result was given; wait_ns is how long the consumer waited in all so far. Cheap: looks at
 * the clock only as often as samples end. */
void stk_tuner_note(stk_tuner *tuner, uint64_t wait_ns);

#endif

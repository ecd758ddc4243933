/* What an iterator holds, for its files. */
#ifndef STK_PIPELINE_ITERATOR_ITERATOR_INTERNAL_H
#define STK_PIPELINE_ITERATOR_ITERATOR_INTERNAL_H

#include "pipeline/iterator/rewind.h"
#include "pipeline/iterator/tuner.h"
#include "pipeline/runtime/run_node.h"

struct stk_iterator {
    stk_dataset  *data; /* as it was given */
    stk_dataset  *plan; /* as the passes left it */
    unsigned      passes;
    bool          relaxed;
    stk_allocator batch_memory; /* where the options name one */
    stk_run      *run;
    stk_node     *root; /* NULL when it could not be had again: rewind.failure says why */
    stk_rewind    rewind;
    stk_seed      seed;
    uint64_t      elements; /* given so far */
    uint64_t      started_ns, first_ns;
    uint64_t      wait_ns;    /* in next, by those calls that were timed */
    uint32_t      until_look; /* calls until the next one that is */
    stk_tuner     tuner;
    char         *tuning_file; /* NULL: values are not kept */
    stk_tuned    *tuned;       /* what it held */
};

#endif

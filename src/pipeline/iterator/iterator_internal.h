/* Internals of the iterator. */
#ifndef STK_PIPELINE_ITERATOR_ITERATOR_INTERNAL_H
#define STK_PIPELINE_ITERATOR_ITERATOR_INTERNAL_H

#include "pipeline/iterator/rewind.h"
#include "pipeline/iterator/tuner.h"
#include "pipeline/runtime/run_node.h"

struct stk_iterator {
    stk_dataset  *data; /* before passes */
    stk_dataset  *plan; /* after passes */
    unsigned      passes;
    bool          relaxed;
    stk_allocator batch_memory; /* copy of the option */
    stk_run      *run;
    stk_node     *root; /* NULL if reopening failed: rewind.failure has the reason */
    stk_rewind    rewind;
    stk_seed      seed;
    uint64_t      elements; /* returned so far */
    uint64_t      started_ns, first_ns;
    uint64_t      wait_ns;    /* spent in next, estimated from timed calls */
    uint32_t      until_look; /* calls until the next timed one */
    stk_tuner     tuner;
    char         *tuning_file; /* NULL: none */
    stk_tuned    *tuned;       /* its content */
};

#endif

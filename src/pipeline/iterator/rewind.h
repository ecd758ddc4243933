/* Going back, at the memory ceiling and after a result that was cut short. What runs ahead may hold
 * the memory that the next result needs, and what it holds cannot be taken from it. Then all of it
 * is dropped, the run goes back to a place that was kept, and makes the result serially
 * (runtime/runtime.h): what fails then does not fit. So a pipeline gives the same on any number of
 * threads under any ceiling that one unit at a time fits under. A stop in the middle of a
 * result leaves the tree between two results: a checkpoint that is made then is of the place that
 * was kept. */
#ifndef STK_PIPELINE_ITERATOR_REWIND_H
#define STK_PIPELINE_ITERATOR_REWIND_H

#include <stdbool.h>
#include <stoker/blob.h>
#include <stoker/iterator.h>

typedef struct stk_rewind {
    stk_blob  position;         /* a checkpoint; empty: there is none to go back to */
    uint64_t  reserved;         /* of a large one, in the ledger */
    uint64_t  since;            /* results given after it, errors among them */
    uint64_t  kept_ns, cost_ns; /* when it was kept, and what that took */
    uint64_t  eased_ns;         /* when the ceiling was last met, or more was ventured again */
    bool      stale;            /* results were lost after it: it leads to others */
    bool      relaxed;          /* a place serves for the next result only */
    bool      torn;             /* a stop cut a result short: the tree is at no result's end */
    stk_error failure;          /* status says whether going back failed: no tree is left */
} stk_rewind;

void stk_rewind_init(stk_rewind *rewind, const stk_iterator *it);
void stk_rewind_release(stk_rewind *rewind, const stk_iterator *it);

/* Before a result is asked for: keeps a place where it is time to. looked: the clock is to be
 * looked at. */
STK_NODISCARD stk_status stk_rewind_prepare(stk_iterator *it, bool looked, stk_error *err);
/* A result was given, or count were passed over. */
void stk_rewind_returned(stk_iterator *it, uint64_t count, stk_status status);
/* The place behind the last result that was given, of a torn iterator. */
STK_NODISCARD stk_status stk_rewind_save(stk_iterator *it, stk_blob *out, stk_error *err);
/* What a restored iterator goes back to; its bytes are taken over. */
void stk_rewind_restored(stk_iterator *it, stk_blob *saved);

/* Drops all that ran ahead, and with it the tree; what comes next is serial. */
void stk_rewind_drop_tree(stk_iterator *it);
/* After STK_E_CEILING: makes the result again, alone. err holds that error, and keeps it where
 * there is no way back. */
STK_NODISCARD stk_status stk_rewind_next(stk_iterator *it, stk_element **out, stk_error *err);
/* The same for stk_iterator_skip. */
STK_NODISCARD stk_status stk_rewind_skip(stk_iterator *it, uint64_t count, uint64_t *skipped,
                                         stk_error *err);

#endif

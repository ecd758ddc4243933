/* Rewinding: recovery at the memory ceiling and after a cancelled result. Work ahead may hold the
 * memory that the next result needs. Then it is dropped, the run goes back to a saved position, and
 * the result is computed in serial mode (runtime/runtime.h); an allocation that fails there does
 * not fit at all. So results are equal on any number of threads under any ceiling that one unit at
 * a time fits under. A cancelled result leaves the tree between two results: a checkpoint is then
 * made from the saved position. */
#ifndef STK_PIPELINE_ITERATOR_REWIND_H
#define STK_PIPELINE_ITERATOR_REWIND_H

#include <stdbool.h>
#include <stoker/blob.h>
#include <stoker/iterator.h>

typedef struct stk_rewind {
    stk_blob  position;         /* a checkpoint; empty: none */
    uint64_t  reserved;         /* bytes of a large one in the ledger */
    uint64_t  since;            /* results returned after it, errors included */
    uint64_t  kept_ns, cost_ns; /* time and cost of the save */
    uint64_t  eased_ns;         /* when the ceiling was last hit, or serial mode was left */
    bool      stale;            /* results were lost after it: replay would differ */
    bool      relaxed;          /* the position is valid for the next result only */
    bool      torn;             /* cancelled within a result: the tree is between two results */
    stk_error failure;          /* set if rewinding failed: no tree is left */
} stk_rewind;

void stk_rewind_init(stk_rewind *rewind, const stk_iterator *it);
void stk_rewind_release(stk_rewind *rewind, const stk_iterator *it);

/* Called before each result: saves a position if it is time to. looked: the clock may be read. */
STK_NODISCARD stk_status stk_rewind_prepare(stk_iterator *it, bool looked, stk_error *err);
/* Counts count results returned or skipped. */
void stk_rewind_returned(stk_iterator *it, uint64_t count, stk_status status);
/* Appends the position after the last returned result of a torn iterator. */
STK_NODISCARD stk_status stk_rewind_save(stk_iterator *it, stk_blob *out, stk_error *err);
/* Sets the rewind position of a restored iterator; takes ownership of the bytes. */
void stk_rewind_restored(stk_iterator *it, stk_blob *saved);

/* Drops all work ahead with the tree; continues in serial mode. */
void stk_rewind_drop_tree(stk_iterator *it);
/* After STK_E_CEILING: recomputes the result serially. err holds that error and keeps it if
 * rewinding is impossible. */
STK_NODISCARD stk_status stk_rewind_next(stk_iterator *it, stk_element **out, stk_error *err);
/* The same for stk_iterator_skip. */
STK_NODISCARD stk_status stk_rewind_skip(stk_iterator *it, uint64_t count, uint64_t *skipped,
                                         stk_error *err);

#endif

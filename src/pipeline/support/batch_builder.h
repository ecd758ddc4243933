/* The elements of the batch at hand: what all kinds of batches have in common. The list grows as
 * elements come, never to the size of the batch at once. */
#ifndef STK_PIPELINE_SUPPORT_BATCH_BUILDER_H
#define STK_PIPELINE_SUPPORT_BATCH_BUILDER_H

#include "pipeline/runtime/run_node.h"

typedef struct stk_batch_builder {
    stk_element **elements; /* one reference each */
    size_t        count, capacity;
    stk_ledger   *ledger;   /* not a reference; NULL is fine */
    uint64_t      reserved; /* for the list and the elements in it, of ledger */
} stk_batch_builder;

/* Takes over the element, also on failure. */
STK_NODISCARD stk_status stk_batch_builder_keep(stk_batch_builder *gather, stk_element *element,
                                                const char *stage, stk_error *err);
/* Drops the elements; the room stays. */
void stk_batch_builder_clear(stk_batch_builder *gather);
/* Drops the room as well. */
void stk_batch_builder_release(stk_batch_builder *gather);
/* The close of an operator whose state it is. */
void stk_batch_builder_close(stk_node *node);

/* How a batch meets errors of its input. */
typedef enum stk_batch_builder_errors {
    STK_ERRORS_END_THE_BATCH, /* what was gathered is lost, the next batch begins after it */
    STK_ERRORS_LOSE_THE_BATCH /* the batch is filled to its size, then dropped with its error */
} stk_batch_builder_errors;

/* Pulls up to size elements from input 0. *whole says whether there were as many. The first error
 * among them is returned, and nothing is kept then. */
STK_NODISCARD stk_status stk_batch_builder_fill(stk_batch_builder *gather, stk_node *node,
                                                int64_t size, stk_batch_builder_errors errors,
                                                bool *complete, stk_error *err);

/* How many batches of size count elements make; count may be unknown or infinite. */
int64_t stk_batch_builder_batches(int64_t count, int64_t size, bool drop_remainder);

#endif

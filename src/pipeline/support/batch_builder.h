/* Collects the elements of the current batch, for all kinds of batches. The list grows with the
 * elements, never to the batch size at once. */
#ifndef STK_PIPELINE_SUPPORT_BATCH_BUILDER_H
#define STK_PIPELINE_SUPPORT_BATCH_BUILDER_H

#include "pipeline/runtime/run_node.h"

typedef struct stk_batch_builder {
    stk_element **elements; /* one reference each */
    size_t        count, capacity;
    stk_ledger   *ledger;   /* borrowed; NULL is fine */
    uint64_t      reserved; /* bytes of the list and its elements in ledger */
} stk_batch_builder;

/* Takes ownership of element, also on failure. */
STK_NODISCARD stk_status stk_batch_builder_keep(stk_batch_builder *gather, stk_element *element,
                                                const char *component, stk_error *err);
/* Drops the elements, keeps the capacity. */
void stk_batch_builder_clear(stk_batch_builder *gather);
/* Drops the elements and the list. */
void stk_batch_builder_release(stk_batch_builder *gather);
/* The close function of an operator whose state begins with a batch builder. */
void stk_batch_builder_close(stk_node *node);

/* Effect of an input error on a batch. */
typedef enum stk_batch_builder_errors {
    STK_ERRORS_END_THE_BATCH, /* the collected elements are dropped, the next batch begins after the
                                 error */
    STK_ERRORS_LOSE_THE_BATCH /* the batch is filled to its size, then dropped with its error */
} stk_batch_builder_errors;

/* Pulls up to size elements from input 0; *complete: there were as many. Returns the first error
 * among them and then keeps nothing. */
STK_NODISCARD stk_status stk_batch_builder_fill(stk_batch_builder *gather, stk_node *node,
                                                int64_t size, stk_batch_builder_errors errors,
                                                bool *complete, stk_error *err);

/* Number of batches of size in count elements; count may be unknown or infinite. */
int64_t stk_batch_builder_batches(int64_t count, int64_t size, bool drop_remainder);

#endif

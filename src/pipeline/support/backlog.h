/* A list of results held back by an operator: elements or errors, oldest first. Memory beyond the
 * elements' buffers is in the ledger. Checkpoints can store it. */
#ifndef STK_PIPELINE_SUPPORT_BACKLOG_H
#define STK_PIPELINE_SUPPORT_BACKLOG_H

#include "pipeline/runtime/node_queue.h"

typedef struct stk_backlog {
    stk_queue_item *items;
    size_t          count, capacity;
    const char     *component; /* a literal, for messages */
    stk_ledger     *ledger;    /* borrowed */
} stk_backlog;

void stk_backlog_init(stk_backlog *held, const char *component, stk_ledger *ledger);
/* A zeroed struct is fine. */
void stk_backlog_release(stk_backlog *held);
/* Takes ownership of the item's content, also on failure. */
STK_NODISCARD stk_status stk_backlog_push(stk_backlog *held, stk_queue_item *item, stk_error *err);
/* Drops the oldest count results; there must be as many. */
void stk_backlog_drop(stk_backlog *held, size_t count);
/* Makes a dataset of every stride-th element from the first, or returns the first error among them.
 * Its spec is that of like. */
STK_NODISCARD stk_status stk_backlog_dataset(const stk_backlog *held, size_t stride,
                                             stk_dataset *like, stk_dataset **out, stk_error *err);

STK_NODISCARD stk_status stk_backlog_save(const stk_backlog *held, stk_state_out *out,
                                          stk_error *err);
/* Elements that contradict spec are STK_E_DATALOSS. */
STK_NODISCARD stk_status stk_backlog_restore(stk_backlog *held, const stk_element_spec *spec,
                                             stk_state_in *in, stk_error *err);

/* The status and error of an item; STK_OK for an element. */
stk_status stk_queue_item_tell(const stk_queue_item *item, const char *component, stk_error *err);
STK_NODISCARD stk_status stk_queue_item_save(const stk_queue_item *item, stk_state_out *out,
                                             stk_error *err);
/* The error's component becomes that of the restored operator: the original was a literal of the
 * program that saved it. */
STK_NODISCARD stk_status stk_queue_item_restore(stk_queue_item *item, const stk_element_spec *spec,
                                                stk_state_in *in, stk_error *err);

#endif

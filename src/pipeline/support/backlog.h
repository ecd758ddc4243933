/* Results that a stage holds back: elements or errors, oldest first. What they take beyond their
 * buffers is in the ledger; they can be written into checkpoints. */
#ifndef STK_PIPELINE_SUPPORT_BACKLOG_H
#define STK_PIPELINE_SUPPORT_BACKLOG_H

#include "pipeline/runtime/node_queue.h"

typedef struct stk_backlog {
    stk_queue_item *items;
    size_t          count, capacity;
    const char     *stage;  /* a literal, for messages */
    stk_ledger     *ledger; /* lent */
} stk_backlog;

void stk_backlog_init(stk_backlog *held, const char *stage, stk_ledger *ledger);
/* Also of one that was never initialised but is all zero. */
void stk_backlog_release(stk_backlog *held);
/* Takes over what item owns, also on failure. */
STK_NODISCARD stk_status stk_backlog_push(stk_backlog *held, stk_queue_item *item, stk_error *err);
/* Drops the oldest count, which must be there. */
void stk_backlog_drop(stk_backlog *held, size_t count);
/* A dataset of every stride-th element, from the first; the first error among them instead. Its
 * spec is that of like, where they come from. */
STK_NODISCARD stk_status stk_backlog_dataset(const stk_backlog *held, size_t stride,
                                             stk_dataset *like, stk_dataset **out, stk_error *err);

STK_NODISCARD stk_status stk_backlog_save(const stk_backlog *held, stk_state_out *out,
                                          stk_error *err);
/* Elements must keep to spec. */
STK_NODISCARD stk_status stk_backlog_restore(stk_backlog *held, const stk_element_spec *spec,
                                             stk_state_in *in, stk_error *err);

/* An item as status and error; STK_OK for an element. */
stk_status stk_queue_item_tell(const stk_queue_item *item, const char *stage, stk_error *err);
STK_NODISCARD stk_status stk_queue_item_save(const stk_queue_item *item, stk_state_out *out,
                                             stk_error *err);
/* An error's stage becomes the one that is restored: its own was a literal of the program that
 * wrote it. */
STK_NODISCARD stk_status stk_queue_item_restore(stk_queue_item *item, const stk_element_spec *spec,
                                                stk_state_in *in, stk_error *err);

#endif

/* The open datasets of interleave, and those opened in advance. */
#ifndef STK_PIPELINE_OPERATORS_INTERLEAVE_SLOTS_H
#define STK_PIPELINE_OPERATORS_INTERLEAVE_SLOTS_H

#include "pipeline/support/nested.h"

#include <stoker/dataset_operators.h>

typedef struct stk_interleave_params {
    stk_function *function; /* one reference */
    int64_t       cycle, block;
    int64_t       parallel; /* 0, STK_AUTO or at most cycle */
    stk_order     order;
} stk_interleave_params;

typedef struct stk_future stk_future; /* an open dataset or an error waiting for a slot */

typedef struct stk_slots {
    stk_nested *list;           /* slots used so far */
    size_t      used, capacity; /* of list */
    size_t      open;           /* slots with a dataset */
    stk_future *futures;        /* a ring, oldest first */
    size_t      first, waiting, ring_capacity;
    size_t      max;            /* max futures; 0 unless parallel */
    uint64_t    capacity_ahead; /* elements that a dataset runs ahead; 0: none */
    uint64_t    index;          /* of the next input */
    bool        ended;          /* the input ended */
} stk_slots;

STK_NODISCARD stk_status stk_slots_init(stk_slots *slots, stk_node *node, stk_error *err);
void                     stk_slots_release(stk_slots *slots);

/* Opens inputs in advance: one per empty slot and a few more. Fails only if the run must stop;
 * other errors wait for their turn. */
STK_NODISCARD stk_status stk_slots_look_ahead(stk_slots *slots, stk_node *node, stk_error *err);
/* Puts the next input into slot at, which is empty and at most used; leaves it empty at the input's
 * end. Returns an input's error. */
STK_NODISCARD stk_status stk_slots_fill(stk_slots *slots, stk_node *node, size_t at,
                                        stk_error *err);
void                     stk_slots_close(stk_slots *slots, size_t at);
/* Whether no slot will be filled again. */
bool stk_slots_input_is_used_up(const stk_slots *slots);

STK_NODISCARD stk_status stk_slots_save(const stk_slots *slots, stk_state_out *out, stk_error *err);
STK_NODISCARD stk_status stk_slots_restore(stk_slots *slots, stk_node *node, stk_state_in *in,
                                           stk_error *err);

#endif

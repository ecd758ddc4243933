/* A bounded first-in-first-out queue of pointers for any number of threads on both sides. */
#ifndef STK_BASE_RING_H
#define STK_BASE_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stoker/cancel.h>

typedef struct stk_ring stk_ring;

/* capacity items, at least 1. */
STK_NODISCARD stk_status stk_ring_new(stk_ring **out, size_t capacity, stk_error *err);
/* No thread may be inside a call. The caller owns the items left in it. */
void stk_ring_free(stk_ring *ring);

/* Waits for a free slot. False if the ring is closed or the token is set; the item is then not in
 * it. */
bool stk_ring_push(stk_ring *ring, void *item, const stk_cancel *cancel);
/* Waits for an item. False when the ring is closed and empty, or the token is set. */
bool stk_ring_pop(stk_ring *ring, void **item, const stk_cancel *cancel);
/* The same without waiting: false also when full or empty. */
bool stk_ring_try_push(stk_ring *ring, void *item);
bool stk_ring_try_pop(stk_ring *ring, void **item);
/* No more pushes; pops go on until it is empty. Wakes everyone. */
void   stk_ring_close(stk_ring *ring);
size_t stk_ring_count(const stk_ring *ring);

#endif

/* Pool of pinned host buffers, which devices copy to and from by DMA. */
#ifndef STK_COMPUTE_RUNTIME_PINNED_POOL_H
#define STK_COMPUTE_RUNTIME_PINNED_POOL_H

#include "compute/runtime/backend.h"

typedef struct stk_pinned_pool stk_pinned_pool;

/* All buffers must have been freed. NULL is fine. */
void stk_pinned_pool_free(stk_pinned_pool *pool);

#endif

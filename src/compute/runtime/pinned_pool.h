/* Memory of the host that a device copies from and to by itself. */
#ifndef STK_COMPUTE_RUNTIME_PINNED_POOL_H
#define STK_COMPUTE_RUNTIME_PINNED_POOL_H

#include "compute/runtime/backend.h"

typedef struct stk_pinned_pool stk_pinned_pool;

/* After everything that was taken was given back. NULL is fine. */
void stk_pinned_pool_free(stk_pinned_pool *pool);

#endif

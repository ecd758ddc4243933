/* Studios that wait for work: whoever runs a chain takes one and puts it back. */
#ifndef STK_IMAGE_CHAIN_WORKSPACE_POOL_H
#define STK_IMAGE_CHAIN_WORKSPACE_POOL_H

#include "image/chain/chain.h"

#include <pthread.h>

enum { STK_STUDIO_POOL_MOST = 256 }; /* that wait; more are freed */

typedef struct stk_studio_pool {
    pthread_mutex_t lock;
    size_t          count;
    stk_studio     *waiting[STK_STUDIO_POOL_MOST];
} stk_studio_pool;

void stk_studio_pool_init(stk_studio_pool *pool);
void stk_studio_pool_release(stk_studio_pool *pool);

/* One whose memory is in ledger: the one put back last, which is warm, or a new one. */
STK_NODISCARD stk_status stk_studio_pool_take(stk_studio_pool *pool, stk_ledger *ledger,
                                              stk_studio **out, stk_error *err);
void                     stk_studio_pool_put(stk_studio_pool *pool, stk_studio *studio);

#endif

/* A pool of idle workspaces: a thread acquires one to run chains and puts it back. */
#ifndef STK_IMAGE_CHAIN_WORKSPACE_POOL_H
#define STK_IMAGE_CHAIN_WORKSPACE_POOL_H

#include "image/chain/chain.h"

#include <pthread.h>

enum { STK_IMAGE_WORKSPACE_POOL_MAX = 256 }; /* idle ones; more are freed */

typedef struct stk_image_workspace_pool {
    pthread_mutex_t      lock;
    size_t               count;
    stk_image_workspace *waiting[STK_IMAGE_WORKSPACE_POOL_MAX];
} stk_image_workspace_pool;

void stk_image_workspace_pool_init(stk_image_workspace_pool *pool);
void stk_image_workspace_pool_release(stk_image_workspace_pool *pool);

/* Acquires a workspace accounted in ledger: the one put back last, whose memory is warm, or a new
 * one. */
STK_NODISCARD stk_status stk_image_workspace_pool_acquire(stk_image_workspace_pool *pool,
                                                          stk_ledger               *ledger,
                                                          stk_image_workspace     **out,
                                                          stk_error                *err);
void                     stk_image_workspace_pool_put_back(stk_image_workspace_pool *pool,
                                                           stk_image_workspace      *workspace);

#endif

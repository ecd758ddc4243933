/* The pool of idle workspaces. Runs share a chain, mostly one after the other, each with its own
 * ledger: a workspace of another run is not reused and is freed when the pool needs space. */
#include "image/chain/workspace_pool.h"

#include "base/ledger_pressure.h"

void stk_image_workspace_pool_init(stk_image_workspace_pool *pool)
{
    pthread_mutex_init(&pool->lock, NULL);
    pool->count = 0;
}

void stk_image_workspace_pool_release(stk_image_workspace_pool *pool)
{
    for (size_t i = 0; i < pool->count; i++)
        stk_image_workspace_free(pool->waiting[i]);
    pthread_mutex_destroy(&pool->lock);
}

static stk_image_workspace *find(stk_image_workspace_pool *pool, const stk_ledger *ledger)
{
    for (size_t i = pool->count; i-- > 0;) {
        stk_image_workspace *workspace = pool->waiting[i];
        if (stk_image_workspace_ledger(workspace) != ledger) continue;
        pool->waiting[i] = pool->waiting[--pool->count];
        return workspace;
    }
    return NULL;
}

/* If memory is scarce, idle workspaces are freed first: each holds the memory of its largest image.
 */
static void thin_out(stk_image_workspace_pool *pool, const stk_ledger *ledger)
{
    for (;;) {
        pthread_mutex_lock(&pool->lock);
        stk_image_workspace *idle = find(pool, ledger);
        pthread_mutex_unlock(&pool->lock);
        if (!idle) return;
        stk_image_workspace_free(idle);
    }
}

stk_status stk_image_workspace_pool_acquire(stk_image_workspace_pool *pool, stk_ledger *ledger,
                                            stk_image_workspace **out, stk_error *err)
{
    stk_image_workspace *stale = NULL;
    pthread_mutex_lock(&pool->lock);
    *out = find(pool, ledger);
    if (!*out && pool->count) stale = pool->waiting[--pool->count];
    pthread_mutex_unlock(&pool->lock);
    stk_image_workspace_free(stale);
    if (stk_ledger_is_pressed(ledger)) thin_out(pool, ledger);
    return *out ? STK_OK : stk_image_workspace_new(out, ledger, err);
}

void stk_image_workspace_pool_put_back(stk_image_workspace_pool *pool,
                                       stk_image_workspace      *workspace)
{
    pthread_mutex_lock(&pool->lock);
    const bool has_capacity = pool->count < STK_IMAGE_WORKSPACE_POOL_MAX;
    if (has_capacity) pool->waiting[pool->count++] = workspace;
    pthread_mutex_unlock(&pool->lock);
    if (!has_capacity) stk_image_workspace_free(workspace);
}

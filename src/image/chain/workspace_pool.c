/* Studios that wait. A chain is shared by runs, each with a ledger of its own, one after the other
 * most of the time: a studio of another run is not used, and goes when the pool is needed. */
#include "image/chain/workspace_pool.h"

#include "base/ledger_pressure.h"

void stk_studio_pool_init(stk_studio_pool *pool)
{
    pthread_mutex_init(&pool->lock, NULL);
    pool->count = 0;
}

void stk_studio_pool_release(stk_studio_pool *pool)
{
    for (size_t i = 0; i < pool->count; i++)
        stk_studio_free(pool->waiting[i]);
    pthread_mutex_destroy(&pool->lock);
}

static stk_studio *find(stk_studio_pool *pool, const stk_ledger *ledger)
{
    for (size_t i = pool->count; i-- > 0;) {
        stk_studio *studio = pool->waiting[i];
        if (stk_studio_ledger(studio) != ledger) continue;
        pool->waiting[i] = pool->waiting[--pool->count];
        return studio;
    }
    return NULL;
}

/* Where memory is scarce, those that wait go before another works: each holds what its largest
 * picture took. */
static void thin_out(stk_studio_pool *pool, const stk_ledger *ledger)
{
    for (;;) {
        pthread_mutex_lock(&pool->lock);
        stk_studio *idle = find(pool, ledger);
        pthread_mutex_unlock(&pool->lock);
        if (!idle) return;
        stk_studio_free(idle);
    }
}

stk_status stk_studio_pool_take(stk_studio_pool *pool, stk_ledger *ledger, stk_studio **out,
                                stk_error *err)
{
    stk_studio *stale = NULL;
    pthread_mutex_lock(&pool->lock);
    *out = find(pool, ledger);
    if (!*out && pool->count) stale = pool->waiting[--pool->count];
    pthread_mutex_unlock(&pool->lock);
    stk_studio_free(stale);
    if (stk_ledger_is_pressed(ledger)) thin_out(pool, ledger);
    return *out ? STK_OK : stk_studio_new(out, ledger, err);
}

void stk_studio_pool_put(stk_studio_pool *pool, stk_studio *studio)
{
    pthread_mutex_lock(&pool->lock);
    const bool room = pool->count < STK_STUDIO_POOL_MOST;
    if (room) pool->waiting[pool->count++] = studio;
    pthread_mutex_unlock(&pool->lock);
    if (!room) stk_studio_free(studio);
}

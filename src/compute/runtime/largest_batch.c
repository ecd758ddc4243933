/* Largest batch by linear extrapolation from two plans. Variables do not depend on the batch; the
 * arena grows linearly, up to alignment and fragmentation. */
#include <stoker/program.h>

static stk_status check(const stk_memory_plan *small, int64_t small_batch,
                        const stk_memory_plan *large, int64_t large_batch, stk_error *err)
{
    if (small_batch < 1 || large_batch <= small_batch)
        return stk_fail(err, STK_E_INVALID, "memory plan", NULL,
                        "plans of batches %lld and %lld; the first must be at least 1 and smaller",
                        (long long)small_batch, (long long)large_batch);
    if (large->arena <= small->arena)
        return stk_fail(err, STK_E_INVALID, "memory plan", NULL,
                        "a batch of %lld takes %llu bytes and one of %lld takes %llu: memory does "
                        "not grow with the batch",
                        (long long)small_batch, (unsigned long long)small->arena,
                        (long long)large_batch, (unsigned long long)large->arena);
    return STK_OK;
}

stk_status stk_memory_largest_batch(const stk_memory_plan *small, int64_t small_batch,
                                    const stk_memory_plan *large, int64_t large_batch,
                                    uint64_t limit, int64_t *batch, stk_error *err)
{
    *batch = 0;
    STK_TRY(check(small, small_batch, large, large_batch, err));
    double per_image = (double)(large->arena - small->arena) / (double)(large_batch - small_batch);
    double at_zero =
        (double)small->arena - per_image * (double)small_batch; /* extrapolated; may be negative */
    double available = (double)limit - (double)large->fixed - at_zero;
    if (available < per_image)
        return stk_fail(err, STK_E_LIMIT, "memory plan", NULL,
                        "a batch of 1 takes %.1f MB but there are %.1f MB",
                        ((double)large->fixed + at_zero + per_image) / 1e6, (double)limit / 1e6);
    double batch_max = available / per_image;
    *batch =
        batch_max < (double)(INT64_MAX / 2) ? (int64_t)(batch_max * (1 + 1e-12)) : INT64_MAX / 2;
    return STK_OK;
}

/* Chooses the CRC-32C implementation: once, on first use. */
#include "base/crc32c.h"

static uint32_t choose_and_run(uint32_t crc, const void *data, size_t size);

/* Atomic. Every thread that finds the first value stores the same second one, so that no lock or
 * constructor is needed and a call costs one load and one predicted jump. */
static stk_crc32c_fn chosen = choose_and_run;

static uint32_t choose_and_run(uint32_t crc, const void *data, size_t size)
{
    const stk_crc32c_fn sse42 = stk_crc32c_sse42();
    const stk_crc32c_fn best = sse42 ? sse42 : stk_crc32c_table();
    __atomic_store_n(&chosen, best, __ATOMIC_RELAXED);
    return best(crc, data, size);
}

uint32_t stk_crc32c(uint32_t crc, const void *data, size_t size)
{
    return __atomic_load_n(&chosen, __ATOMIC_RELAXED)(crc, data, size);
}

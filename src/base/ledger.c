/* The memory ledger: one atomic total against the ceiling, one atomic line per kind of memory. */
#include "base/ledger_block_cache.h"
#include "base/ledger_pressure.h"
#include "base/limits.h"

#include <inttypes.h>
#include <stdlib.h>
#include <stoker/ledger.h>

typedef struct line {
    uint64_t bytes, peak; /* atomic */
} line;

struct stk_ledger {
    uint64_t        ceiling; /* never changes */
    line            total;
    line            lines[STK_MEMORY_COUNT];
    uint64_t        watched;    /* atomic: the peak of the total since it is watched */
    uint64_t        refusals;   /* atomic */
    uint32_t        pressed;    /* atomic: times of pressure that are on */
    uint32_t        references; /* atomic */
    stk_block_cache cache;      /* their bytes are in no line, but count against the ceiling */
};

enum {
    SPARE_PART = 8, /* of the ceiling, that may wait to be used again */
    FREE_PART = 8   /* of the ceiling: where less is free, it is near */
};

static const char *const memory_names[STK_MEMORY_COUNT] = {
    [STK_MEMORY_READ] = "read",       [STK_MEMORY_RECORD] = "records",
    [STK_MEMORY_INDEX] = "index",     [STK_MEMORY_DECODE] = "decode",
    [STK_MEMORY_SHUFFLE] = "shuffle", [STK_MEMORY_CACHE] = "cache",
    [STK_MEMORY_BATCH] = "batches",   [STK_MEMORY_OUTPUT] = "output",
    [STK_MEMORY_DEVICE] = "device",
};

stk_status stk_ledger_new(stk_ledger **out, uint64_t ceiling_bytes, stk_error *err)
{
    *out = NULL;
    stk_ledger *ledger = calloc(1, sizeof *ledger);
    if (!ledger) return stk_fail(err, STK_E_NOMEM, "memory", NULL, "no memory for a ledger");
    ledger->ceiling = ceiling_bytes ? ceiling_bytes : stk_limits_memory_bytes() / 4;
    ledger->references = 1;
    stk_block_cache_init(&ledger->cache, ledger->ceiling / SPARE_PART);
    *out = ledger;
    return STK_OK;
}

stk_ledger *stk_ledger_ref(stk_ledger *ledger)
{
    if (ledger) __atomic_fetch_add(&ledger->references, 1, __ATOMIC_RELAXED);
    return ledger;
}

void stk_ledger_unref(stk_ledger *ledger)
{
    if (!ledger || __atomic_sub_fetch(&ledger->references, 1, __ATOMIC_ACQ_REL)) return;
    stk_block_cache_release(&ledger->cache);
    free(ledger);
}

stk_block_cache *stk_ledger_spares(stk_ledger *ledger)
{
    return ledger ? &ledger->cache : NULL;
}

void stk_ledger_press(stk_ledger *ledger, bool on)
{
    if (ledger) __atomic_fetch_add(&ledger->pressed, on ? 1 : UINT32_MAX, __ATOMIC_RELAXED);
}

bool stk_ledger_is_pressed(const stk_ledger *ledger)
{
    if (!ledger) return false;
    return __atomic_load_n(&ledger->pressed, __ATOMIC_RELAXED) ||
           __atomic_load_n(&ledger->total.bytes, __ATOMIC_RELAXED) >
               ledger->ceiling - ledger->ceiling / FREE_PART;
}

void stk_ledger_watch_peak(stk_ledger *ledger)
{
    if (!ledger) return;
    __atomic_store_n(&ledger->watched, __atomic_load_n(&ledger->total.bytes, __ATOMIC_RELAXED),
                     __ATOMIC_RELAXED);
}

uint64_t stk_ledger_watched_peak(const stk_ledger *ledger)
{
    return ledger ? __atomic_load_n(&ledger->watched, __ATOMIC_RELAXED) : 0;
}

static void raise_peak(uint64_t *peak, uint64_t now)
{
    uint64_t seen = __atomic_load_n(peak, __ATOMIC_RELAXED);
    while (seen < now && !__atomic_compare_exchange_n(peak, &seen, now, true, __ATOMIC_RELAXED,
                                                      __ATOMIC_RELAXED)) {
    }
}

/* Takes bytes if they fit; on refusal *held is what is held. */
static bool take(stk_ledger *ledger, stk_memory memory, uint64_t bytes, uint64_t *held)
{
    uint64_t now = __atomic_load_n(&ledger->total.bytes, __ATOMIC_RELAXED);
    /* A block on its way between use and the spares may be missed here; it is one block. */
    const uint64_t spare = __atomic_load_n(&ledger->cache.bytes, __ATOMIC_RELAXED);
    if (spare && (bytes > ledger->ceiling - now || spare > ledger->ceiling - now - bytes))
        stk_block_cache_purge(&ledger->cache);
    do {
        if (bytes > ledger->ceiling - now) {
            *held = now;
            return false;
        }
    } while (!__atomic_compare_exchange_n(&ledger->total.bytes, &now, now + bytes, true,
                                          __ATOMIC_ACQUIRE, __ATOMIC_RELAXED));
    raise_peak(&ledger->total.peak, now + bytes);
    raise_peak(&ledger->watched, now + bytes);
    line *of = &ledger->lines[memory];
    raise_peak(&of->peak, __atomic_add_fetch(&of->bytes, bytes, __ATOMIC_RELAXED));
    return true;
}

static stk_status refuse(stk_ledger *ledger, stk_memory memory, uint64_t bytes, uint64_t held,
                         stk_error *err)
{
    const uint64_t needed = bytes > UINT64_MAX - held ? UINT64_MAX : bytes + held;
    return stk_fail(err, STK_E_CEILING, "memory", memory_names[memory],
                    "%" PRIu64 " bytes asked, %" PRIu64 " held, the ceiling is %" PRIu64
                    ": raise the memory ceiling to %" PRIu64 " bytes (%" PRIu64
                    " MB) or more, or use smaller buffers",
                    bytes, held, ledger->ceiling, needed, needed / 1000000 + 1);
}

stk_status stk_ledger_reserve(stk_ledger *ledger, stk_memory memory, uint64_t bytes, stk_error *err)
{
    uint64_t held;
    if (!ledger || take(ledger, memory, bytes, &held)) return STK_OK;
    __atomic_fetch_add(&ledger->refusals, 1, __ATOMIC_RELAXED);
    return refuse(ledger, memory, bytes, held, err);
}

void stk_ledger_release(stk_ledger *ledger, stk_memory memory, uint64_t bytes)
{
    if (!ledger || !bytes) return;
    __atomic_fetch_sub(&ledger->lines[memory].bytes, bytes, __ATOMIC_RELAXED);
    __atomic_fetch_sub(&ledger->total.bytes, bytes, __ATOMIC_RELEASE);
}

void stk_ledger_total(const stk_ledger *ledger, uint64_t *held, uint64_t *ceiling)
{
    *held = ledger ? __atomic_load_n(&ledger->total.bytes, __ATOMIC_RELAXED) : 0;
    *ceiling = ledger ? ledger->ceiling : UINT64_MAX;
}

void stk_ledger_read(const stk_ledger *ledger, stk_ledger_report *report)
{
    *report = (stk_ledger_report){0};
    for (int i = 0; i < STK_MEMORY_COUNT; i++)
        report->lines[i].name = memory_names[i];
    if (!ledger) return;
    for (int i = 0; i < STK_MEMORY_COUNT; i++) {
        report->lines[i].bytes = __atomic_load_n(&ledger->lines[i].bytes, __ATOMIC_RELAXED);
        report->lines[i].peak_bytes = __atomic_load_n(&ledger->lines[i].peak, __ATOMIC_RELAXED);
    }
    report->bytes = __atomic_load_n(&ledger->total.bytes, __ATOMIC_RELAXED);
    report->peak_bytes = __atomic_load_n(&ledger->total.peak, __ATOMIC_RELAXED);
    report->ceiling_bytes = ledger->ceiling;
    report->refusals = __atomic_load_n(&ledger->refusals, __ATOMIC_RELAXED);
}

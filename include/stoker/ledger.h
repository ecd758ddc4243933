/* stoker/ledger.h - memory accounting under one hard ceiling. Every buffer, cache and scratch area
 * that grows with the data is reserved here before it is allocated. A reservation past the ceiling
 * is refused or waits. All functions are thread-safe. */
#ifndef STOKER_LEDGER_H
#define STOKER_LEDGER_H

#include <stddef.h>
#include <stdint.h>
#include <stoker/error.h>

STK_BEGIN_DECLS

/* Purposes of memory: the lines of the ledger. */
typedef enum stk_memory {
    STK_MEMORY_READ,    /* file buffers */
    STK_MEMORY_RECORD,  /* complete records and files */
    STK_MEMORY_INDEX,   /* record indexes, listings */
    STK_MEMORY_DECODE,  /* decoder and transformation scratch */
    STK_MEMORY_SHUFFLE, /* shuffle buffers */
    STK_MEMORY_CACHE,   /* caches in memory */
    STK_MEMORY_BATCH,   /* batches, being built or waiting */
    STK_MEMORY_OUTPUT,  /* bytes to be written */
    STK_MEMORY_DEVICE,  /* tensors of programs: variables, results, scratch */
    STK_MEMORY_COUNT
} stk_memory;

/* One MB in flags, recipes and messages. */
enum { STK_BYTES_PER_MB = 1000000 };

typedef struct stk_ledger stk_ledger;

typedef struct stk_ledger_line {
    const char *name; /* a literal */
    uint64_t    bytes;
    uint64_t    peak_bytes;
} stk_ledger_line;

typedef struct stk_ledger_report {
    stk_ledger_line lines[STK_MEMORY_COUNT];
    uint64_t        bytes;
    uint64_t        peak_bytes;
    uint64_t        ceiling_bytes;
    uint64_t        refusals; /* reservations refused */
} stk_ledger_report;

/* Makes a ledger with one reference. ceiling_bytes 0 means a quarter of the limit of the cgroup or,
 * without one, of the machine's memory. */
STK_API STK_NODISCARD stk_status stk_ledger_new(stk_ledger **out, uint64_t ceiling_bytes,
                                                stk_error *err);
STK_API stk_ledger              *stk_ledger_ref(stk_ledger *ledger);
/* Releases a reference; the last one frees the ledger. NULL is fine. */
STK_API void stk_ledger_unref(stk_ledger *ledger);

/* Reserves bytes, or fails with STK_E_CEILING naming the request, the bytes held and the ceiling. A
 * NULL ledger always succeeds: memory outside of any run, as in a small tool. */
STK_API STK_NODISCARD stk_status stk_ledger_reserve(stk_ledger *ledger, stk_memory memory,
                                                    uint64_t bytes, stk_error *err);

/* Gives back what reserve took. */
STK_API void stk_ledger_release(stk_ledger *ledger, stk_memory memory, uint64_t bytes);

/* Reads the bytes held and the ceiling (UINT64_MAX without a ledger) without a lock. */
STK_API void stk_ledger_total(const stk_ledger *ledger, uint64_t *held, uint64_t *ceiling);
STK_API void stk_ledger_read(const stk_ledger *ledger, stk_ledger_report *report);

STK_END_DECLS
#endif

/* stoker/ledger.h - who holds how many bytes, under one hard ceiling.
 * Every buffer, cache and scratch area that grows with the data is reserved here before it is
 * allocated. A reservation that would pass the ceiling is refused or waits; it never goes through.
 * All functions may be called from any thread. */
#ifndef STOKER_LEDGER_H
#define STOKER_LEDGER_H

#include <stddef.h>
#include <stdint.h>
#include <stoker/error.h>

STK_BEGIN_DECLS

/* What memory is for: the lines of the ledger. */
typedef enum stk_memory {
    STK_MEMORY_READ,    /* file buffers */
    STK_MEMORY_RECORD,  /* whole records and files */
    STK_MEMORY_INDEX,   /* record indexes, listings */
    STK_MEMORY_DECODE,  /* decoder and transformation scratch */
    STK_MEMORY_SHUFFLE, /* shuffle buffers */
    STK_MEMORY_CACHE,   /* caches in memory */
    STK_MEMORY_BATCH,   /* batches, being built or waiting */
    STK_MEMORY_OUTPUT,  /* bytes on their way to storage */
    STK_MEMORY_DEVICE,  /* tensors of programs: variables, results, scratch */
    STK_MEMORY_COUNT
} stk_memory;

/* An MB, in every flag, recipe and message. */
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

/* ceiling_bytes 0 means a quarter of what the cgroup or, without one, the machine allows.
 * The caller gets the first reference. */
STK_API STK_NODISCARD stk_status stk_ledger_new(stk_ledger **out, uint64_t ceiling_bytes,
                                                stk_error *err);
STK_API stk_ledger              *stk_ledger_ref(stk_ledger *ledger);
/* The last one frees it. NULL is fine. */
STK_API void stk_ledger_unref(stk_ledger *ledger);

/* Takes bytes or fails with STK_E_CEILING naming what was asked, what is held and the ceiling.
 * A NULL ledger takes nothing and succeeds: memory outside any run, as in a small tool. */
STK_API STK_NODISCARD stk_status stk_ledger_reserve(stk_ledger *ledger, stk_memory memory,
                                                    uint64_t bytes, stk_error *err);

/* Gives back what reserve took. */
STK_API void stk_ledger_release(stk_ledger *ledger, stk_memory memory, uint64_t bytes);

/* The quick look: bytes held now and the ceiling (UINT64_MAX without a ledger). */
STK_API void stk_ledger_total(const stk_ledger *ledger, uint64_t *held, uint64_t *ceiling);
STK_API void stk_ledger_read(const stk_ledger *ledger, stk_ledger_report *report);

STK_END_DECLS
#endif

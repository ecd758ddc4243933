/* stoker/blob.h - a growing byte array with one owner, accounted in a ledger. The caller holds the
 * struct, may read data and size, and may write data[0..size). */
#ifndef STOKER_BLOB_H
#define STOKER_BLOB_H

#include <stoker/bytes.h>
#include <stoker/ledger.h>

STK_BEGIN_DECLS

typedef struct stk_blob {
    uint8_t    *data;
    size_t      size;
    size_t      capacity;
    stk_ledger *ledger; /* not a reference: must outlive the blob; NULL is fine */
    stk_memory  memory;
} stk_blob;

/* Allocates nothing yet. */
STK_API void stk_blob_init(stk_blob *blob, stk_ledger *ledger, stk_memory memory);

/* Frees the bytes and releases their reservation. The blob is as after init. */
STK_API void stk_blob_release(stk_blob *blob);

/* Grows the capacity to at least capacity bytes, geometrically; never shrinks. On failure the blob
 * is unchanged. */
STK_API STK_NODISCARD stk_status stk_blob_reserve(stk_blob *blob, size_t capacity, stk_error *err);

/* Grows the capacity to exactly capacity bytes: for known sizes. */
STK_API STK_NODISCARD stk_status stk_blob_reserve_exact(stk_blob *blob, size_t capacity,
                                                        stk_error *err);

STK_API STK_NODISCARD stk_status stk_blob_append(stk_blob *blob, const void *data, size_t size,
                                                 stk_error *err);

static inline stk_bytes stk_blob_bytes(const stk_blob *blob)
{
    return stk_bytes_of(blob->data ? blob->data : (const uint8_t *)"", blob->size);
}

STK_END_DECLS
#endif

/* stoker/buffer.h - shared bytes: reference-counted, aligned for SIMD, accounted in a ledger. The
 * reference count is thread-safe; access to the bytes is not synchronised. */
#ifndef STOKER_BUFFER_H
#define STOKER_BUFFER_H

#include <stddef.h>
#include <stdint.h>
#include <stoker/ledger.h>

STK_BEGIN_DECLS

enum { STK_BUFFER_ALIGNMENT = 64 }; /* a cache line, and the widest vector register */

typedef struct stk_buffer stk_buffer;

/* The bytes are not cleared. Keeps a reference to ledger (NULL is fine) until the last unref.
 * On failure *out is NULL and nothing stays reserved. */
STK_API STK_NODISCARD stk_status stk_buffer_new(stk_buffer **out, stk_ledger *ledger,
                                                stk_memory memory, size_t size, stk_error *err);

/* Allocator of special memory: pinned for a device, shared with another process. Batches are
 * allocated and freed all the time, in few sizes: a slow allocator should keep freed blocks. */
typedef struct stk_allocator {
    /* Returns size bytes aligned to STK_BUFFER_ALIGNMENT, or NULL without memory. Both are called
     * from any thread. context must outlive every buffer made with it. */
    void *(*alloc)(void *context, size_t size);
    void (*free)(void *context, void *data, size_t size);
    void *context;
} stk_allocator;

/* The same with bytes from the allocator kind. */
STK_API STK_NODISCARD stk_status stk_buffer_new_with(stk_buffer **out, const stk_allocator *kind,
                                                     stk_ledger *ledger, stk_memory memory,
                                                     size_t size, stk_error *err);
STK_API stk_buffer              *stk_buffer_ref(stk_buffer *buffer);
/* NULL is fine. */
STK_API void     stk_buffer_unref(stk_buffer *buffer);
STK_API uint8_t *stk_buffer_data(stk_buffer *buffer);
STK_API size_t   stk_buffer_size(const stk_buffer *buffer);
/* True if the caller has the only reference and may write in place. */
STK_API int stk_buffer_is_unique(const stk_buffer *buffer);

STK_END_DECLS
#endif

/* A blob's bytes as a shared buffer, without a copy. */
#ifndef STK_BASE_BUFFER_ADOPT_H
#define STK_BASE_BUFFER_ADOPT_H

#include <stoker/blob.h>
#include <stoker/buffer.h>

/* Moves all that blob has capacity for, and what its ledger holds for it, into a new buffer. The
 * bytes keep their address, which need not be aligned: pointers to them stay valid as long as the
 * buffer. blob is empty then; on failure it is as before. */
STK_NODISCARD stk_status stk_buffer_adopt(stk_buffer **out, stk_blob *blob, stk_error *err);

#endif

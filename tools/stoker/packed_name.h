/* What an image was called before it was packed. */
#ifndef CLI_TOOLS_PACKED_NAME_H
#define CLI_TOOLS_PACKED_NAME_H

#include <stoker/element.h>

/* Gives the path that `stoker pack` kept in "image/filename" of the element's record; "" where the
 * element is from no record, or that has none, and on failure. memory_bytes: most that may be read
 * of it at a time, as for stk_ledger_new. */
STK_NODISCARD stk_status cli_packed_name(const stk_element *element, uint64_t memory_bytes,
                                         char *text, size_t capacity, stk_error *err);

#endif

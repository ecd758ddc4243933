/* The original file name of a packed image. */
#ifndef CLI_TOOLS_PACKED_NAME_H
#define CLI_TOOLS_PACKED_NAME_H

#include <stoker/element.h>

/* Writes the path that `stoker pack` stored in "image/filename" of the element's record; "" if
 * there is none, and on failure. memory_bytes: limit for the read, as in stk_ledger_new. */
STK_NODISCARD stk_status cli_packed_name(const stk_element *element, uint64_t memory_bytes,
                                         char *text, size_t capacity, stk_error *err);

#endif

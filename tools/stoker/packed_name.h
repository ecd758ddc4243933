/* What a picture was called before it was packed. */
#ifndef STK_TOOLS_PACKED_NAME_H
#define STK_TOOLS_PACKED_NAME_H

#include <stoker/element.h>

/* Gives the path that `stoker pack` kept in "image/filename" of the element's record; "" where the
 * element is from no record, or that has none, and on failure. */
STK_NODISCARD stk_status stk_packed_name(const stk_element *element, char *text, size_t capacity,
                                         stk_error *err);

#endif

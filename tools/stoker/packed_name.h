/* What a picture was called before it was packed. */
#ifndef STK_TOOLS_PACKED_NAME_H
#define STK_TOOLS_PACKED_NAME_H

#include <stoker/element.h>

/* The path that `stoker pack` kept in "image/filename" of the element's record; "" where the
 * element is from no record, or that has none. Returns text. */
char *stk_packed_name(const stk_element *element, char *text, size_t capacity);

#endif

/* stoker/bytes.h - a borrowed view of bytes. */
#ifndef STOKER_BYTES_H
#define STOKER_BYTES_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct stk_bytes {
    const uint8_t *data; /* NULL only without a value; an empty value has an address */
    size_t         size;
} stk_bytes;

static inline stk_bytes stk_bytes_of(const void *data, size_t size)
{
    const stk_bytes bytes = {(const uint8_t *)data, size};
    return bytes;
}

static inline stk_bytes stk_bytes_text(const char *text)
{
    return stk_bytes_of(text, strlen(text));
}

static inline int stk_bytes_equal(stk_bytes a, stk_bytes b)
{
    return a.size == b.size && (a.size == 0 || memcmp(a.data, b.data, a.size) == 0);
}

#endif

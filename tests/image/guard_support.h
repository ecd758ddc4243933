/* Memory that ends where a page does, with one behind it that nobody may touch. */
#ifndef STK_TESTS_GUARD_SUPPORT_H
#define STK_TESTS_GUARD_SUPPORT_H

#include "harness.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

typedef struct guarded {
    uint8_t *data; /* size bytes that end at the guard */
    size_t   size;
    uint8_t *pages;
    size_t   bytes; /* mapped */
} guarded;

static inline guarded guarded_new(size_t size)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), inside = (size + page - 1) / page * page;
    guarded      g = {.size = size, .bytes = inside + 2 * page};
    g.pages = mmap(NULL, g.bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    EXPECT(g.pages != MAP_FAILED);
    EXPECT_INT_EQ(0, mprotect(g.pages, page, PROT_NONE)); /* one before, too */
    EXPECT_INT_EQ(0, mprotect(g.pages + page + inside, page, PROT_NONE));
    g.data = g.pages + page + inside - size;
    return g;
}

static inline guarded guarded_copy(const void *bytes, size_t size)
{
    guarded g = guarded_new(size);
    if (size) memcpy(g.data, bytes, size);
    return g;
}

static inline void guarded_free(guarded *g)
{
    munmap(g->pages, g->bytes);
}

#endif

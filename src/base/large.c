/* Blocks of a mebibyte and more are mappings of their own. */
#include "base/large.h"

#include <malloc.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* A sanitizer sees only what malloc gives. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define MAPS false
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) ||                         \
    __has_feature(memory_sanitizer)
#define MAPS false
#endif
#endif
#ifndef MAPS
#define MAPS true
#endif

static bool is_large(size_t size)
{
    return MAPS && size >= STK_LARGE_BYTES_MIN;
}

static void *map(size_t size)
{
    void *block = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return block == MAP_FAILED ? NULL : block;
}

void *stk_large_new(size_t size)
{
    return is_large(size) ? map(size) : aligned_alloc(STK_LARGE_ALIGNMENT, size);
}

void stk_large_free(void *block, size_t size)
{
    if (block && is_large(size))
        munmap(block, size);
    else
        free(block);
}

/* From malloc's to a mapping, or back. */
static void *move(void *block, size_t size, size_t wanted)
{
    void *moved = is_large(wanted) ? map(wanted) : malloc(wanted);
    if (!moved) return NULL;
    if (block) memcpy(moved, block, size < wanted ? size : wanted);
    stk_large_free(block, size);
    return moved;
}

void *stk_large_resize(void *block, size_t size, size_t wanted)
{
    if (!is_large(size) && !is_large(wanted)) return realloc(block, wanted);
    if (!is_large(size) || !is_large(wanted)) return move(block, size, wanted);
    void *moved = mremap(block, size, wanted, MREMAP_MAYMOVE);
    return moved == MAP_FAILED ? NULL : moved;
}

void stk_large_trim(void)
{
#ifdef __GLIBC__
    if (MAPS) malloc_trim(0);
#endif
}

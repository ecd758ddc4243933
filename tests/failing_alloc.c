/* Counts and fails allocations. Atomic, since the library allocates from several threads. */
#include "failing_alloc.h"

#include <stddef.h>
#include <string.h>

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
void  __real_free(void *memory);

void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
char *__wrap_strdup(const char *text);
char *__wrap_strndup(const char *text, size_t length);
void  __wrap_free(void *memory);

static int64_t until_failure = -1; /* below 0: no failure is wanted */
static int     failed;
static int64_t live;

void stk_alloc_fail_after(int64_t after)
{
    __atomic_store_n(&failed, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&until_failure, after, __ATOMIC_SEQ_CST);
}

bool stk_alloc_fail_stop(void)
{
    __atomic_store_n(&until_failure, -1, __ATOMIC_SEQ_CST);
    return __atomic_load_n(&failed, __ATOMIC_RELAXED);
}

int64_t stk_alloc_live(void)
{
    return __atomic_load_n(&live, __ATOMIC_RELAXED);
}

static bool must_fail(void)
{
    int64_t now = __atomic_load_n(&until_failure, __ATOMIC_RELAXED);
    while (now >= 0)
        if (__atomic_compare_exchange_n(&until_failure, &now, now - 1, false, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED)) {
            if (now == 0) __atomic_store_n(&failed, 1, __ATOMIC_RELAXED);
            return now == 0;
        }
    return false;
}

static void *counted(void *memory)
{
    if (memory) __atomic_fetch_add(&live, 1, __ATOMIC_RELAXED);
    return memory;
}

void *__wrap_malloc(size_t size)
{
    return must_fail() ? NULL : counted(__real_malloc(size));
}

void *__wrap_calloc(size_t count, size_t size)
{
    return must_fail() ? NULL : counted(__real_calloc(count, size));
}

void *__wrap_realloc(void *old, size_t size)
{
    if (must_fail()) return NULL;
    void *memory = __real_realloc(old, size);
    return old ? memory : counted(memory);
}

void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
    return must_fail() ? NULL : counted(__real_aligned_alloc(alignment, size));
}

char *__wrap_strndup(const char *text, size_t length)
{
    length = strnlen(text, length);
    char *copy = __wrap_malloc(length + 1);
    if (!copy) return NULL;
    memcpy(copy, text, length);
    copy[length] = '\0';
    return copy;
}

char *__wrap_strdup(const char *text)
{
    return __wrap_strndup(text, strlen(text));
}

void __wrap_free(void *memory)
{
    if (memory) __atomic_fetch_sub(&live, 1, __ATOMIC_RELAXED);
    __real_free(memory);
}

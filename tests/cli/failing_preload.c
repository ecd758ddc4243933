/* To be preloaded: makes one allocation of a whole program fail, those of libraries too, which the
 * linker's --wrap of failing_alloc.c does not reach. `operator new` comes here as malloc.
 *   STK_FAIL_AT    the number of the allocation, from 1
 *   STK_FAIL_MANY  how many fail from there on, 1 unless told
 *   STK_FAIL_IN    only those that this library, or libstdc++ for it, asks for: a part of its name
 *   STK_FAIL_COUNT a file that gets their number when the program ends */
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

typedef struct range {
    uintptr_t begin, end;
} range;

static range library, runtime; /* where their code is; all zeros: anywhere */
static long  fail_at, fail_many = 1, count;
static bool  ready; /* before, nothing counts */

static void widen(range *r, uintptr_t begin, uintptr_t end)
{
    if (!r->end || begin < r->begin) r->begin = begin;
    if (end > r->end) r->end = end;
}

static void find_code(const char *name)
{
    char      line[512];
    uintptr_t begin, end;
    FILE     *maps = fopen("/proc/self/maps", "r");
    while (maps && fgets(line, sizeof line, maps)) {
        if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR, &begin, &end) != 2) continue;
        if (strstr(line, name)) widen(&library, begin, end);
        if (strstr(line, "libstdc++")) widen(&runtime, begin, end);
    }
    if (maps) fclose(maps);
}

__attribute__((constructor)) static void begin(void)
{
    const char *at = getenv("STK_FAIL_AT"), *in = getenv("STK_FAIL_IN");
    const char *many = getenv("STK_FAIL_MANY");
    if (at) fail_at = atol(at);
    if (many) fail_many = atol(many);
    if (in) find_code(in);
    unsetenv("LD_PRELOAD"); /* programs that this one starts are left alone */
    ready = true;
}

__attribute__((destructor)) static void end(void)
{
    const char *path = getenv("STK_FAIL_COUNT");
    ready = false;
    FILE *file = path ? fopen(path, "w") : NULL;
    if (file) fprintf(file, "%ld\n", count);
    if (file) fclose(file);
}

static bool within(const range *r, uintptr_t at)
{
    return at >= r->begin && at < r->end;
}

static bool must_fail(const void *caller)
{
    uintptr_t at = (uintptr_t)caller;
    if (!ready || (library.end && !within(&library, at) && !within(&runtime, at))) return false;
    long now = __atomic_add_fetch(&count, 1, __ATOMIC_RELAXED);
    bool fail = fail_at > 0 && now >= fail_at && now < fail_at + fail_many;
    if (fail) errno = ENOMEM;
    return fail;
}

#define CALLER __builtin_return_address(0)

void *malloc(size_t size)
{
    return must_fail(CALLER) ? NULL : __libc_malloc(size);
}

void *calloc(size_t items, size_t size)
{
    return must_fail(CALLER) ? NULL : __libc_calloc(items, size);
}

void *realloc(void *old, size_t size)
{
    return must_fail(CALLER) ? NULL : __libc_realloc(old, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    return must_fail(CALLER) ? NULL : __libc_memalign(alignment, size);
}

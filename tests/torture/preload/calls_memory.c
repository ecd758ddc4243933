/* Memory: the C library's own functions under other names, and a chosen call that gets nothing.
 * C++'s operator new comes here, too. */
#include "faults.h"

#include <errno.h>
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

static bool refused(stk_call call)
{
    const int      before = errno;
    const stk_fate fate = stk_fault_next(call, NULL, -1);
    if (fate == STK_FATE_AFTER || fate == STK_FATE_MIDDLE) stk_fault_die();
    if (fate == STK_FATE_FAIL || fate == STK_FATE_SHORT) {
        stk_caller_refused();
        errno = ENOMEM;
        return true;
    }
    errno = before;
    return false;
}

void *malloc(size_t size)
{
    return refused(STK_CALL_MALLOC) ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    return refused(STK_CALL_MALLOC) ? NULL : __libc_calloc(count, size);
}

void *realloc(void *old, size_t size)
{
    return refused(STK_CALL_MALLOC) ? NULL : __libc_realloc(old, size);
}

void *memalign(size_t alignment, size_t size)
{
    return refused(STK_CALL_MALLOC) ? NULL : __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    return memalign(alignment, size);
}

int posix_memalign(void **out, size_t alignment, size_t size)
{
    if (!alignment || alignment % sizeof(void *) || (alignment & (alignment - 1))) return EINVAL;
    void *memory = memalign(alignment, size);
    if (!memory) return ENOMEM;
    *out = memory;
    return 0;
}

static void *map(void *at, size_t size, int protection, int flags, int fd, off_t offset)
{
    if (refused(STK_CALL_MMAP)) return MAP_FAILED;
    return (void *)syscall(SYS_mmap, at, size, protection, flags, fd, offset);
}

void *mmap(void *at, size_t size, int protection, int flags, int fd, off_t offset)
{
    return map(at, size, protection, flags, fd, offset);
}

void *mmap64(void *at, size_t size, int protection, int flags, int fd, off64_t offset)
{
    return map(at, size, protection, flags, fd, offset);
}

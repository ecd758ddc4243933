/* Checks for free memory before oneDNN creates objects. Two of its allocators ignore NULL: they
 * construct objects at address 0 or write machine code there, which crashes. The check costs 2 us;
 * creation takes 100 us or more. The memory is never touched. */
#include "compute/cpu/dnnl_abi.h"
#include <pthread.h>
#include <sys/mman.h>

/* The largest measured use of one call is 2.5 MB: nine buffers for machine code. */
enum { MAX = 8 << 20 };

static size_t stack_bytes(void)
{
    pthread_attr_t attr;
    size_t         bytes = MAX;
    if (pthread_attr_init(&attr)) return bytes;
    (void)pthread_attr_getstacksize(&attr, &bytes);
    pthread_attr_destroy(&attr);
    return bytes;
}

bool stk_dnnl_has_capacity(int threads)
{
    size_t bytes = MAX;
    if (threads > 1) bytes += (size_t)(threads - 1) * stack_bytes();
    void *probe = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return probe != MAP_FAILED && munmap(probe, bytes) == 0;
}

/* Whether there is memory for what oneDNN makes. It does not look at what two of its allocators
 * give: objects are built at address 0 and machine code is written there, and the process ends. So
 * this asks before each call that makes something. It costs 2 us where making takes 100 or more;
 * the memory is never touched. */
#include "compute/cpu/dnnl_abi.h"
#include <pthread.h>
#include <sys/mman.h>

/* The most that one call took over all models is 2.5 MB: nine buffers for machine code. */
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

/* Reads through io_uring: what the ring gave is changed before the program sees it. */
#include "faults.h"

#include <dlfcn.h>
#include <errno.h>
#include <liburing.h>

/* The completions from *next on, which nobody has looked at yet. One thread drives a ring. */
static void change(struct io_uring *ring, unsigned *next)
{
    struct io_uring_cq *cq = &ring->cq;
    const unsigned      tail = io_uring_smp_load_acquire(cq->ktail);
    for (; *next != tail; ++*next) {
        struct io_uring_cqe *cqe = &cq->cqes[*next & *cq->kring_mask];
        if (!cqe->user_data || cqe->res < 0) continue;
        const stk_fate fate = stk_fault_next(STK_CALL_RING, NULL, -1);
        if (fate == STK_FATE_AFTER || fate == STK_FATE_MIDDLE) stk_fault_die();
        if (fate == STK_FATE_FAIL) cqe->res = -errno;
        if (fate == STK_FATE_SHORT) cqe->res = cqe->res > 1 ? cqe->res / 2 : cqe->res;
    }
}

int io_uring_submit_and_wait(struct io_uring *ring, unsigned wait)
{
    static _Thread_local struct io_uring *known;
    static _Thread_local unsigned         next_seen;
    int (*next)(struct io_uring *, unsigned);
    *(void **)&next = dlsym(RTLD_NEXT, "io_uring_submit_and_wait");
    if (known != ring) {
        known = ring;
        next_seen = *ring->cq.khead;
    }
    const int result = next(ring, wait);
    change(ring, &next_seen);
    return result;
}

/* A kernel or a container without rings. */
int io_uring_queue_init(unsigned entries, struct io_uring *ring, unsigned flags)
{
    int (*next)(unsigned, struct io_uring *, unsigned);
    *(void **)&next = dlsym(RTLD_NEXT, "io_uring_queue_init");
    const stk_fate fate = stk_fault_next(STK_CALL_RING, NULL, -1);
    return fate == STK_FATE_FAIL ? -errno : next(entries, ring, flags);
}

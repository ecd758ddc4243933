/* The ring: reads of local files through io_uring. One thread submits and reaps, so that nothing of
 * a read - not even the copy out of the page cache - costs the thread that asked for it. */
#include "storage/file/io_engine_parts.h"

#include <errno.h>
#include <liburing.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum { LARGEST_CALL = 1 << 30 };

struct stk_io_ring {
    struct io_uring ring;
    bool            has_ring;
    int             event;    /* written to wake the thread out of the kernel; -1: none */
    bool            sleeping; /* under the engine's lock: the event must be written */
    stk_thread      thread;
    /* The thread's own. */
    stk_io  *io;
    uint64_t event_count; /* buffer of the event counter */
    bool     listening;   /* that read is in the ring */
    int      reading;     /* requests in the ring */
    uint64_t turn;        /* counts submissions */
};

/* The ring has an entry for every request in flight and for the event; only when entries wait to be
 * submitted can it be full. */
static struct io_uring_sqe *entry(stk_io_ring *r)
{
    struct io_uring_sqe *sqe;
    while (!(sqe = io_uring_get_sqe(&r->ring)))
        io_uring_submit(&r->ring);
    return sqe;
}

static void read_missing(stk_io_ring *r, stk_io_request *request)
{
    size_t size = request->size - request->got;
    if (size > LARGEST_CALL) size = LARGEST_CALL;
    struct io_uring_sqe *sqe = entry(r);
    io_uring_prep_read(sqe, request->file->ops->descriptor(request->file),
                       (uint8_t *)request->dst + request->got, (unsigned)size,
                       request->offset + request->got);
    io_uring_sqe_set_data(sqe, request);
    request->turn = r->turn;
    r->reading++;
}

static void listen_for_event(stk_io_ring *r)
{
    if (r->listening) return;
    struct io_uring_sqe *sqe = entry(r);
    io_uring_prep_read(sqe, r->event, &r->event_count, sizeof r->event_count, 0);
    io_uring_sqe_set_data(sqe, NULL);
    r->listening = true;
}

/* A failed ring read is repeated as a plain read, which succeeds or returns the file system's
 * error. */
static void read_plainly(stk_io_ring *r, stk_io_request *request)
{
    stk_io *io = r->io;
    pthread_mutex_lock(&io->lock);
    const bool stopping = io->stopping;
    if (!stopping) {
        stk_io_list_push(&io->readable, request);
        stk_io_call_reader(io);
    }
    pthread_mutex_unlock(&io->lock);
    if (!stopping) return;
    stk_io_run(request);
    stk_io_finish(io, request, false);
}

/* A read that completed while it was submitted had its bytes in the page cache. */
static void finish_read(stk_io_ring *r, stk_io_request *request, int result)
{
    r->reading--;
    if (result == -EINTR || result == -EAGAIN) {
        read_missing(r, request);
    } else if (result < 0) {
        read_plainly(r, request);
    } else {
        request->got += (size_t)result;
        if (result && request->got < request->size) {
            read_missing(r, request);
            return;
        }
        request->at_once = request->turn == r->turn;
        stk_io_finish(r->io, request, false);
    }
}

/* Takes what has completed. */
static void reap(stk_io_ring *r)
{
    struct io_uring_cqe *cqe;
    while (!io_uring_peek_cqe(&r->ring, &cqe)) {
        stk_io_request *request = io_uring_cqe_get_data(cqe);
        const int       result = cqe->res;
        io_uring_cqe_seen(&r->ring, cqe);
        if (request)
            finish_read(r, request, result);
        else
            r->listening = false;
    }
    r->turn++;
}

/* Puts new requests into the ring; true when the engine stops. When there are none the thread goes
 * to sleep next, and says so before the lock is given up. */
static bool take_new(stk_io_ring *r, bool *any)
{
    stk_io *io = r->io;
    pthread_mutex_lock(&io->lock);
    stk_io_list list = io->stopping ? (stk_io_list){0} : io->ringable;
    if (!io->stopping) io->ringable = (stk_io_list){0};
    const bool stopping = io->stopping;
    *any = list.count > 0;
    r->sleeping = !*any && !stopping;
    pthread_mutex_unlock(&io->lock);
    for (stk_io_request *request; (request = list.first);) {
        list.first = request->next;
        read_missing(r, request);
    }
    return stopping;
}

/* A failure to submit (no memory in the kernel just now) is met again after a moment. */
static void submit(stk_io_ring *r, unsigned wait)
{
    const int result = io_uring_submit_and_wait(&r->ring, wait);
    if (result < 0 && result != -EINTR) usleep(1000);
}

static void *work(void *context)
{
    stk_io_ring *r = context;
    bool         any;
    while (!take_new(r, &any) || r->reading) {
        if (!any) listen_for_event(r);
        /* New requests are submitted without waiting: what the page cache has is there at once. */
        submit(r, any ? 0 : 1);
        reap(r);
    }
    return NULL;
}

static void release(stk_io_ring *r)
{
    if (!r) return;
    if (r->has_ring) io_uring_queue_exit(&r->ring);
    if (r->event >= 0) close(r->event);
    free(r);
}

/* 0, or the errno that says why the kernel will not. */
static int set_up(stk_io_ring *r, unsigned entries)
{
    const int result = io_uring_queue_init(entries, &r->ring, 0);
    if (result < 0) return -result;
    r->has_ring = true;
    struct io_uring_probe *probe = io_uring_get_probe_ring(&r->ring);
    const bool             reads = probe && io_uring_opcode_supported(probe, IORING_OP_READ);
    io_uring_free_probe(probe);
    if (!reads) return EOPNOTSUPP;
    r->event = eventfd(0, EFD_CLOEXEC);
    return r->event < 0 ? errno : 0;
}

stk_status stk_io_start_ring(stk_io *io, unsigned entries, stk_error *err)
{
    stk_io_ring *r = calloc(1, sizeof *r);
    if (!r) return stk_fail(err, STK_E_NOMEM, "read", NULL, "no memory for a ring");
    r->event = -1;
    r->io = io;
    const int refused = set_up(r, entries);
    if (refused) {
        char reason[64];
        snprintf(io->backend, sizeof io->backend,
                 "reader threads (the kernel refuses io_uring: %s)",
                 strerror_r(refused, reason, sizeof reason));
        release(r);
        return STK_OK;
    }
    /* Submitters look for the ring under the lock; none exists yet, as the engine has no owner. */
    const stk_status st = stk_thread_start(&r->thread, "stk-ring", work, r, err);
    if (st) {
        release(r);
        return st;
    }
    io->ring = r;
    snprintf(io->backend, sizeof io->backend, "io_uring");
    return STK_OK;
}

bool stk_io_ring_takes(const stk_io *io, const stk_io_request *request)
{
    stk_file *file = request->file;
    return io->ring && file && file->ops->descriptor && request->size &&
           request->offset <= INT64_MAX - request->size && file->ops->descriptor(file) >= 0;
}

void stk_io_call_ring(stk_io *io)
{
    static const uint64_t one = 1;
    stk_io_ring          *r = io->ring;
    if (!r || !r->sleeping) return;
    r->sleeping = false;
    /* The count cannot be full: it is written once for each sleep. */
    (void)!write(r->event, &one, sizeof one);
}

void stk_io_free_ring(stk_io *io)
{
    if (!io->ring) return;
    stk_thread_join(&io->ring->thread);
    release(io->ring);
    io->ring = NULL;
}

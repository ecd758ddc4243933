/* Internals of the engine: the queue (io_engine.c), reader threads, the ring. */
#ifndef STK_STORAGE_FILE_IO_ENGINE_PARTS_H
#define STK_STORAGE_FILE_IO_ENGINE_PARTS_H

#include "base/threads.h"
#include "storage/file/io_engine.h"

typedef struct stk_io_list {
    stk_io_request  *first;
    stk_io_request **last; /* NULL while empty */
    int              count;
} stk_io_list;

typedef struct stk_io_ring stk_io_ring;

enum { STK_IO_LATENCY_BUCKETS = 64 * 8 };

struct stk_io {
    /* Held briefly, never while a request runs or done is called. Callers may hold their locks when
     * they submit, so their locks come first and no callback runs under this one. */
    pthread_mutex_t lock;
    pthread_cond_t  work; /* readers sleep here */
    bool            has_lock, has_work;

    stk_io_list  queue;    /* queued */
    stk_io_list  readable; /* in flight, for a reader thread */
    stk_io_list  ringable; /* in flight, for the ring */
    bool         stopping;
    int          in_flight, in_flight_peak;
    int          limit; /* atomic: written under the lock */
    bool         pinned;
    stk_io_tuner tuner;

    stk_thread *readers; /* threads_max of them */
    int         threads_max, started, idle;
    int         coming; /* readers about to take a request: new ones, or in done */

    stk_io_ring *ring; /* NULL: refused by the kernel or disabled */
    char         backend[128];

    uint64_t requests, bytes, busy_ns, busy_since, latency_ns;
    uint64_t latencies[STK_IO_LATENCY_BUCKETS]; /* eight for each power of two */
};

void            stk_io_list_push(stk_io_list *list, stk_io_request *request);
stk_io_request *stk_io_list_pop(stk_io_list *list); /* NULL when empty */

/* Completes a request: counts it, starts others, calls done. reader: the calling thread takes the
 * next reader request itself. */
void stk_io_finish(stk_io *io, stk_io_request *request, bool reader);

/* Runs the request's function, or reads what is still missing at request->got. */
void stk_io_run(stk_io_request *request);

/* Starts the first reader; later ones start on demand and may fail to. */
STK_NODISCARD stk_status stk_io_start_readers(stk_io *io, stk_error *err);
/* Under the lock: announces one more request to the readers. */
void stk_io_call_reader(stk_io *io);
/* After stopping was set. */
void stk_io_join_readers(stk_io *io);

/* Makes io->ring if the kernel allows it; backend describes the outcome. */
STK_NODISCARD stk_status stk_io_start_ring(stk_io *io, unsigned entries, stk_error *err);
/* Whether this read can go through the ring. */
bool stk_io_ring_takes(const stk_io *io, const stk_io_request *request);
/* Under the lock: there may be new requests for the ring, or the engine stops. */
void stk_io_call_ring(stk_io *io);
/* After stopping was set. */
void stk_io_free_ring(stk_io *io);

#endif

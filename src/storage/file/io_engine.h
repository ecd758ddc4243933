/* Blocking input away from the threads that compute. An engine keeps a limited number of requests
 * in flight: reads of files, or any blocking function. Local files go through io_uring where the
 * kernel allows it; everything else runs on reader threads, started as they are needed. */
#ifndef STK_STORAGE_FILE_IO_ENGINE_H
#define STK_STORAGE_FILE_IO_ENGINE_H

#include "storage/file/io_tuner.h"

#include <stoker/filesystem.h>

typedef struct stk_io         stk_io;
typedef struct stk_io_request stk_io_request;

/* Embedded in a struct of the caller's; stays where it is until done was called. */
struct stk_io_request {
    /* Either a read ... */
    stk_file *file; /* NULL means run */
    void     *dst;
    size_t    size;
    uint64_t  offset;
    size_t    got;     /* bytes read: fewer than size only at the end of the file or on an error */
    bool      at_once; /* the kernel had the bytes in its cache; only io_uring can tell */
    /* ... or a blocking function. */
    void (*run)(stk_io_request *request);

    /* Called once, when finished (on a thread of the engine) or dropped by stk_io_free (there, with
     * status STK_E_CANCELLED). Must be short and must not block. The request may be submitted
     * again or freed inside; again only when it was not dropped. */
    void (*done)(stk_io_request *request);
    stk_status status; /* of a read, or STK_E_CANCELLED */
    stk_error *err;    /* where a read that fails says why; may be NULL */

    /* The engine's until done. */
    stk_io_request *next;
    uint64_t        submitted_ns, started_ns;
    uint64_t        turn; /* of the ring, that it was put into */
};

typedef struct stk_io_options {
    int  threads_max; /* reader threads at most, 1..1024; 0 means 64 */
    int  in_flight;   /* a fixed limit, 1..1024; 0 lets the engine tune it, 2..threads_max */
    bool no_uring;    /* reader threads only */
} stk_io_options;

typedef struct stk_io_stats {
    uint64_t    requests;        /* finished */
    uint64_t    bytes;           /* read */
    uint64_t    busy_ns;         /* time with at least one in flight */
    uint64_t    latency_ns_mean; /* from start to end, without the time in the queue */
    uint64_t    latency_ns_p95;  /* within an eighth */
    int         in_flight, in_flight_peak, limit, queued, threads;
    const char *backend; /* "io_uring", or "reader threads" and why; the engine's */
    uint64_t    raises, lowers;
} stk_io_stats;

/* NULL options are all zero. On failure *out is NULL and nothing runs. */
STK_NODISCARD stk_status stk_io_start(stk_io **out, const stk_io_options *options, stk_error *err);

/* Finishes what runs, drops what waits, joins. NULL is fine. */
void stk_io_free(stk_io *io);

/* Never blocks. Requests begin in the order they were submitted, when the limit allows. Callers may
 * hold locks of their own that done also takes. */
void stk_io_submit(stk_io *io, stk_io_request *request);

void stk_io_read_stats(const stk_io *io, stk_io_stats *stats);

/* Time with at least one request in flight, up to now: cheap. */
uint64_t stk_io_busy_ns(const stk_io *io);

/* The limit in force: cheap. */
int stk_io_limit(const stk_io *io);

/* The latest changes of the limit, newest last (at most STK_IO_DECISIONS are kept); returns how
 * many were written. */
size_t stk_io_decisions(const stk_io *io, stk_io_decision *out, size_t capacity);

#endif

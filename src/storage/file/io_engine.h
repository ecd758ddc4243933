/* The I/O engine: blocking input off the computing threads. It keeps a limited number of requests
 * in flight: file reads or any blocking function. Local files use io_uring where the kernel allows
 * it; everything else runs on reader threads, started on demand. */
#ifndef STK_STORAGE_FILE_IO_ENGINE_H
#define STK_STORAGE_FILE_IO_ENGINE_H

#include "storage/file/io_tuner.h"

#include <stoker/filesystem.h>

typedef struct stk_io         stk_io;
typedef struct stk_io_request stk_io_request;

/* Embedded in a caller's struct; must not move until done was called. */
struct stk_io_request {
    /* Either a read ... */
    stk_file *file; /* NULL means run */
    void     *dst;
    size_t    size;
    uint64_t  offset;
    size_t    got;     /* bytes read: fewer than size only at the end of the file or on an error */
    bool      at_once; /* served from the page cache; only io_uring knows */
    /* ... or a blocking function. */
    void (*run)(stk_io_request *request);

    /* Called once, when finished (on a thread of the engine) or dropped by stk_io_free (on its
     * thread, with STK_E_CANCELLED). Must be short and must not block. The request may be submitted
     * again or freed inside; again only when it was not dropped. */
    void (*done)(stk_io_request *request);
    stk_status status; /* of a read, or STK_E_CANCELLED */
    stk_error *err;    /* filled by a failed read; may be NULL */

    /* Used by the engine until done. */
    stk_io_request *next;
    uint64_t        submitted_ns, started_ns;
    uint64_t        turn; /* of the ring, that it was put into */
};

typedef struct stk_io_options {
    int  threads_max; /* max reader threads, 1..1024; 0 means 64 */
    int  in_flight;   /* fixed limit, 1..1024; 0: tuned, 2..threads_max */
    bool no_uring;    /* reader threads only */
} stk_io_options;

typedef struct stk_io_stats {
    uint64_t    requests;        /* finished */
    uint64_t    bytes;           /* read */
    uint64_t    busy_ns;         /* time with at least one in flight */
    uint64_t    latency_ns_mean; /* from start to end, without queueing */
    uint64_t    latency_ns_p95;  /* within an eighth */
    int         in_flight, in_flight_peak, limit, queued, threads;
    const char *backend; /* "io_uring", or "reader threads" and why; the engine's */
    uint64_t    raises, lowers;
} stk_io_stats;

/* NULL options are all zero. On failure *out is NULL and nothing runs. */
STK_NODISCARD stk_status stk_io_start(stk_io **out, const stk_io_options *options, stk_error *err);

/* Finishes requests in flight, drops queued ones, joins. NULL is fine. */
void stk_io_free(stk_io *io);

/* Queues a request; never blocks. Requests start in order of submission, as the limit allows.
 * Callers may hold locks that done also takes. */
void stk_io_submit(stk_io *io, stk_io_request *request);

void stk_io_read_stats(const stk_io *io, stk_io_stats *stats);

/* Time so far with at least one request in flight; cheap. */
uint64_t stk_io_busy_ns(const stk_io *io);

/* The current limit; cheap. */
int stk_io_limit(const stk_io *io);

/* Writes the latest changes of the limit, newest last (at most STK_IO_DECISIONS are kept); returns
 * how many. */
size_t stk_io_decisions(const stk_io *io, stk_io_decision *out, size_t capacity);

#endif

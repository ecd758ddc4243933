/* The I/O depth controller: finds by trials how many requests to keep in flight. Fed with
 * completions; no threads, no clock. It raises the limit while throughput grows, reverts it when it
 * does not, and lowers it when latency doubles without a gain. */
#ifndef STK_STORAGE_FILE_IO_TUNER_H
#define STK_STORAGE_FILE_IO_TUNER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { STK_IO_DECISIONS = 64 };

typedef enum stk_io_reason {
    STK_IO_WAITED,  /* requests were queued: a higher limit is tried */
    STK_IO_GAINED,  /* the last raise gained: one more is tried */
    STK_IO_NO_GAIN, /* the last raise gained nothing: it is reverted */
    STK_IO_SLOWED,  /* latency doubled without a gain */
} stk_io_reason;

/* The throughput of a limit over an interval. */
typedef struct stk_io_measure {
    double   rate;       /* of bytes a second, or requests where most were functions; 0: unknown */
    uint64_t latency_ns; /* mean, from start to end of a request */
    bool     bytes;      /* the rate's unit */
} stk_io_measure;

/* One change of the limit, and why. */
typedef struct stk_io_decision {
    uint64_t       at_ns;
    int            from, to;
    stk_io_reason  reason;
    stk_io_measure before, after; /* the measure compared with, and the one just made */
} stk_io_decision;

typedef struct stk_io_completion {
    uint64_t now_ns;     /* never earlier than the one before */
    uint64_t latency_ns; /* from start to end, without the time in the queue */
    uint64_t bytes;      /* of a read */
    bool     read;       /* not a function */
    bool     queued;     /* other requests were queued at this moment */
} stk_io_completion;

typedef struct stk_io_tuner {
    int            limit; /* in force */
    int            min, max;
    int            step;   /* of the next raise */
    int            before; /* the limit a trial began at; 0: no trial */
    int            losses; /* intervals of this trial without a gain */
    int            hold;   /* intervals until the next trial after a failed one */
    int            hold_next;
    stk_io_measure reference; /* of the limit in force, or in a trial of the one before */

    /* The current interval. */
    bool     warming_up; /* completions still show the limit before */
    bool     started;
    uint64_t idle_ns; /* start of the idle time; 0: not idle */
    uint64_t begin_ns, completions, reads, bytes, latency_ns, queued;
    uint64_t last_ns, gap_ns_max; /* between completions */
    uint64_t due;                 /* completions at its end unless a gap comes; 0: not yet known */

    stk_io_decision decisions[STK_IO_DECISIONS]; /* a ring */
    uint64_t        raises, lowers;
} stk_io_tuner;

/* Starts at start, between min and max (at least 1). */
void stk_io_tuner_init(stk_io_tuner *tuner, int start, int min, int max);

/* Counts a completion; true if the limit changed. */
bool stk_io_tuner_finish(stk_io_tuner *tuner, const stk_io_completion *completion);

/* Nothing is in flight: the time until the next request does not count. */
void stk_io_tuner_idle(stk_io_tuner *tuner, uint64_t now_ns);
void stk_io_tuner_busy(stk_io_tuner *tuner, uint64_t now_ns);

/* Copies the latest decisions, newest last; returns how many. */
size_t stk_io_tuner_decisions(const stk_io_tuner *tuner, stk_io_decision *out, size_t capacity);

/* "8 -> 16 in flight: 412 -> 798 MB/s, latency 20.1 -> 20.3 ms: the last raise gained", always
 * terminated; returns text. */
char *stk_io_decision_line(const stk_io_decision *decision, char *text, size_t capacity);

#endif

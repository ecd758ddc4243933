/* Three computations of the host that are nobody's code under test. Do not make them faster: bases
 * that were saved have their rates. A change needs another format version (bench_gate_file.c). */
#include "yardstick.h"

#include "spread.h"

#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

enum {
    THREADS_MAX = 1024,
    CHAINS = 4,
    PIECE_STEPS = 4096,       /* of arithmetic: some 10 us */
    PIECE_WORDS = 32 << 10,   /* of memory: 256 KiB */
    BUFFER_WORDS = 1 << 20,   /* of a thread, each of two: beyond its share of a cache */
    BUFFERS_WORDS = 128 << 20 /* of all threads together */
};

const char *cli_yardstick_name(int yardstick)
{
    static const char *const names[STK_RATE_YARDSTICKS] = {"arithmetic", "memory", "together"};
    return names[yardstick];
}

/* Threads of one measurement. Fields are atomic. */
typedef struct team {
    int      threads;
    int      arrived; /* at the barrier */
    uint64_t passed;  /* barriers */
    uint64_t last;    /* the barrier after which all leave */
    int      go;      /* 1: all threads are there; -1: they are not, and leave */
} team;

typedef struct part {
    pthread_t thread;
    team     *team;
    double    seconds;
    uint64_t *from, *to; /* NULL: arithmetic */
    size_t    words, at;
    bool      first, together;
    double    rate;
    uint64_t  sum; /* so that the work is not left out */
} part;

/* Integers and floating point in turn, as many chains as keep both kinds of units busy. */
static void piece_of_arithmetic(part *p)
{
    uint64_t whole[CHAINS] = {p->sum | 1, 3, 5, 7};
    double   real[CHAINS] = {1.5, 1.25, 1.125, 1.0625};
    for (int i = 0; i < PIECE_STEPS; i++)
        for (int c = 0; c < CHAINS; c++) {
            whole[c] = (whole[c] ^ (whole[c] >> 29)) * 0x9e3779b97f4a7c15u;
            real[c] = real[c] * 0.999 + 0.001;
        }
    for (int c = 0; c < CHAINS; c++)
        p->sum += whole[c] + (uint64_t)(real[c] * 1e6);
}

static void piece_of_memory(part *p)
{
    if (p->at + PIECE_WORDS > p->words) p->at = 0;
    const uint64_t *from = p->from + p->at;
    uint64_t       *to = p->to + p->at;
    for (size_t i = 0; i < PIECE_WORDS; i++)
        to[i] += from[i];
    p->at += PIECE_WORDS;
}

static void run_alone(part *p)
{
    const double begin = cli_seconds_now();
    double       now;
    uint64_t     pieces = 0;
    do {
        if (p->from)
            piece_of_memory(p);
        else
            piece_of_arithmetic(p);
        pieces++;
        now = cli_seconds_now();
    } while (now - begin < p->seconds);
    p->rate = (double)pieces / (now - begin);
}

/* As pools of threads do: turns for a while, and then lets others have the core. */
static void wait_at_barrier(team *t)
{
    enum { TURNS = 2000 };
    const uint64_t passed = __atomic_load_n(&t->passed, __ATOMIC_ACQUIRE);
    if (__atomic_add_fetch(&t->arrived, 1, __ATOMIC_ACQ_REL) == t->threads) {
        __atomic_store_n(&t->arrived, 0, __ATOMIC_RELAXED);
        __atomic_store_n(&t->passed, passed + 1, __ATOMIC_RELEASE);
        return;
    }
    for (int turn = 0; __atomic_load_n(&t->passed, __ATOMIC_ACQUIRE) == passed; turn++)
        if (turn > TURNS) sched_yield();
}

/* The first thread names the last barrier before it comes to it: none can have left by then. */
static void run_together(part *p)
{
    const double begin = cli_seconds_now();
    double       now = begin;
    uint64_t     pieces = 0;
    do {
        piece_of_arithmetic(p);
        pieces++;
        now = cli_seconds_now();
        if (p->first && now - begin >= p->seconds)
            __atomic_store_n(&p->team->last, pieces, __ATOMIC_RELEASE);
        wait_at_barrier(p->team);
    } while (pieces < __atomic_load_n(&p->team->last, __ATOMIC_ACQUIRE));
    p->rate = (double)pieces / (now - begin);
}

static void *run_part(void *context)
{
    part *p = context;
    int   go;
    while (!(go = __atomic_load_n(&p->team->go, __ATOMIC_ACQUIRE)))
        sched_yield();
    if (go > 0) p->together ? run_together(p) : run_alone(p);
    return NULL;
}

static stk_status run_all(part *parts, int threads, bool together, double *rate, stk_error *err)
{
    team t = {.threads = threads, .last = UINT64_MAX};
    int  started = 1, failure = 0;
    for (int i = 0; i < threads; i++) {
        parts[i].team = &t;
        parts[i].first = i == 0;
        parts[i].together = together;
    }
    while (started < threads && !failure) {
        failure = pthread_create(&parts[started].thread, NULL, run_part, &parts[started]);
        started += !failure;
    }
    __atomic_store_n(&t.go, failure ? -1 : 1, __ATOMIC_RELEASE);
    run_part(&parts[0]);
    *rate = parts[0].rate;
    for (int i = 1; i < started; i++) {
        pthread_join(parts[i].thread, NULL);
        *rate += parts[i].rate;
    }
    if (failure)
        return stk_fail_errno(err, failure, "yardstick", NULL, "start a thread to measure with");
    return STK_OK;
}

/* Each time anew, so that where the pages lie is part of the spread. They are touched before the
 * clock runs. */
static stk_status give_memory(part *parts, int threads, uint64_t **out, stk_error *err)
{
    const size_t most = BUFFERS_WORDS / 2 / (size_t)threads;
    const size_t words = most < BUFFER_WORDS ? most : BUFFER_WORDS;
    uint64_t    *memory = malloc(2 * words * (size_t)threads * sizeof *memory);
    *out = memory;
    if (!memory)
        return stk_fail(err, STK_E_NOMEM, "yardstick", NULL,
                        "no memory for the buffers of %d threads", threads);
    for (size_t i = 0; i < 2 * words * (size_t)threads; i++)
        memory[i] = i;
    for (int i = 0; i < threads; i++) {
        parts[i].words = words;
        parts[i].from = memory + 2 * words * (size_t)i;
        parts[i].to = parts[i].from + words;
    }
    return STK_OK;
}

stk_status cli_yardstick_measure(int threads, double seconds, double rates[STK_RATE_YARDSTICKS],
                                 stk_error *err)
{
    if (threads < 1) threads = 1;
    if (threads > THREADS_MAX) threads = THREADS_MAX;
    part *parts = calloc((size_t)threads, sizeof *parts);
    if (!parts) return stk_fail(err, STK_E_NOMEM, "yardstick", NULL, "no memory");
    for (int i = 0; i < threads; i++)
        parts[i].seconds = seconds;
    uint64_t  *memory = NULL;
    stk_status st = run_all(parts, threads, false, &rates[0], err);
    if (!st) st = run_all(parts, threads, true, &rates[2], err);
    if (!st) st = give_memory(parts, threads, &memory, err);
    if (!st) st = run_all(parts, threads, false, &rates[1], err);
    free(memory);
    free(parts);
    return st;
}

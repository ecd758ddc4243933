/* The engine: every request is done once, in order, within the limit, whatever happens. */
#include "base/clock.h"
#include "base/threads.h"
#include "failing_alloc.h"
#include "slow_filesystem.h"
#include "storage/file/io_engine.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

enum { FILE_BYTES = 200000 };

static uint8_t content[FILE_BYTES];

static const char *content_file(void)
{
    static const char *path;
    if (path) return path;
    path = stk_test_path("content");
    for (size_t i = 0; i < sizeof content; i++)
        content[i] = (uint8_t)(i * 7 + i / 251);
    stk_test_write_file(path, content, sizeof content);
    return path;
}

typedef struct job {
    stk_io_request  request; /* first */
    stk_eventcount *gate;
    int            *done;    /* atomic: of all jobs */
    int             calls;   /* of this one */
    int             order;   /* when it began to run */
    int            *running; /* atomic */
    int            *peak;
    unsigned        sleep_us;
    int             again; /* times to submit it again */
    stk_io         *io;
    stk_error       err;
} job;

static void note_done(stk_io_request *request)
{
    job *j = (job *)request;
    j->calls++;
    if (j->again-- > 0) {
        stk_io_submit(j->io, request);
        return;
    }
    stk_eventcount *gate = j->gate;
    __atomic_add_fetch(j->done, 1, __ATOMIC_SEQ_CST);
    if (gate) stk_eventcount_signal(gate);
}

static void sleep_and_count(stk_io_request *request)
{
    job      *j = (job *)request;
    const int running = __atomic_add_fetch(j->running, 1, __ATOMIC_SEQ_CST);
    int       peak = __atomic_load_n(j->peak, __ATOMIC_SEQ_CST);
    while (peak < running && !__atomic_compare_exchange_n(j->peak, &peak, running, false,
                                                          __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
    }
    if (j->sleep_us) usleep(j->sleep_us);
    __atomic_sub_fetch(j->running, 1, __ATOMIC_SEQ_CST);
}

typedef struct bed {
    stk_io        *io;
    stk_eventcount gate;
    int            done, running, peak;
} bed;

static void set_up(bed *b, stk_io_options options)
{
    stk_error err;
    alarm(60);
    *b = (bed){0};
    EXPECT_OK(stk_eventcount_init(&b->gate, &err));
    EXPECT_OK(stk_io_start(&b->io, &options, &err));
}

static void wait_for(bed *b, int count)
{
    for (;;) {
        const uint32_t epoch = stk_eventcount_epoch(&b->gate);
        if (__atomic_load_n(&b->done, __ATOMIC_SEQ_CST) >= count) return;
        stk_eventcount_wait(&b->gate, epoch, 0);
    }
}

static void tear_down(bed *b)
{
    stk_io_free(b->io);
    stk_eventcount_release(&b->gate);
    alarm(0);
}

static void init_job(job *j, bed *b)
{
    *j = (job){.gate = &b->gate, .done = &b->done, .running = &b->running, .peak = &b->peak};
    j->io = b->io;
    j->request.done = note_done;
    j->request.err = &j->err;
}

static void init_function(job *j, bed *b, unsigned sleep_us)
{
    init_job(j, b);
    j->request.run = sleep_and_count;
    j->sleep_us = sleep_us;
}

static const stk_io_options kinds[] = {{0},
                                       {.no_uring = true},
                                       {.in_flight = 1},
                                       {.in_flight = 3, .no_uring = true, .threads_max = 2}};

STK_TEST(reads_give_the_bytes_of_the_file_through_the_ring_and_through_threads)
{
    enum { READS = 300 };
    static job     jobs[READS];
    static uint8_t bytes[READS][3000];
    for (size_t kind = 0; kind < COUNT_OF(kinds); kind++) {
        stk_error    err;
        stk_file    *file;
        bed          b;
        stk_io_stats stats;
        uint64_t     sum = 0;
        set_up(&b, kinds[kind]);
        EXPECT_OK(stk_file_open(&file, NULL, content_file(), STK_ACCESS_RANDOM, &err));
        for (int i = 0; i < READS; i++) {
            init_job(&jobs[i], &b);
            jobs[i].request.file = file;
            jobs[i].request.dst = bytes[i];
            jobs[i].request.size = (size_t)i * 10;
            jobs[i].request.offset = (uint64_t)i * 670;
            stk_io_submit(b.io, &jobs[i].request);
        }
        wait_for(&b, READS);
        for (int i = 0; i < READS; i++) {
            const stk_io_request *r = &jobs[i].request;
            const size_t          left = FILE_BYTES > r->offset ? FILE_BYTES - r->offset : 0;
            EXPECT_INT_EQ(STK_OK, r->status);
            EXPECT_INT_EQ(r->size < left ? r->size : left, r->got);
            if (r->got) EXPECT_MEM_EQ(content + r->offset, bytes[i], r->got);
            EXPECT_INT_EQ(1, jobs[i].calls);
            sum += r->got;
        }
        stk_io_read_stats(b.io, &stats);
        EXPECT_INT_EQ(READS, stats.requests);
        EXPECT_INT_EQ(sum, stats.bytes);
        EXPECT_INT_EQ(0, stats.in_flight);
        EXPECT_INT_EQ(0, stats.queued);
        EXPECT(stats.in_flight_peak >= 1 && stats.in_flight_peak <= 64);
        EXPECT(stats.busy_ns > 0 && stats.latency_ns_mean > 0);
        EXPECT(stats.latency_ns_p95 > 0);
        if (kinds[kind].no_uring) EXPECT_STR_EQ("reader threads", stats.backend);
        stk_file_close(file);
        tear_down(&b);
    }
}

STK_TEST(no_more_requests_are_in_flight_than_allowed)
{
    enum { JOBS = 60 };
    static job jobs[JOBS];
    for (int limit = 1; limit <= 16; limit *= 4) {
        bed          b;
        stk_io_stats stats;
        set_up(&b, (stk_io_options){.in_flight = limit});
        for (int i = 0; i < JOBS; i++) {
            init_function(&jobs[i], &b, 2000);
            stk_io_submit(b.io, &jobs[i].request);
        }
        wait_for(&b, JOBS);
        EXPECT_INT_EQ(limit, b.peak);
        stk_io_read_stats(b.io, &stats);
        EXPECT_INT_EQ(limit, stats.limit);
        EXPECT_INT_EQ(limit, stats.in_flight_peak);
        EXPECT(stats.threads <= limit + 1);
        EXPECT(stats.latency_ns_mean >= 2000000);
        EXPECT(stats.latency_ns_p95 >= 2000000);
        EXPECT_INT_EQ(0, stats.raises + stats.lowers);
        EXPECT_INT_EQ(limit, stk_io_limit(b.io));
        tear_down(&b);
    }
}

static int begun; /* read by one thread at a time: the limit is 1 */

static void remember_order(stk_io_request *request)
{
    ((job *)request)->order = begun++;
}

STK_TEST(requests_begin_in_the_order_they_were_submitted)
{
    static job jobs[100];
    bed        b;
    set_up(&b, (stk_io_options){.in_flight = 1});
    begun = 0;
    for (int i = 0; i < 100; i++) {
        init_function(&jobs[i], &b, 0);
        jobs[i].request.run = remember_order;
        stk_io_submit(b.io, &jobs[i].request);
    }
    wait_for(&b, 100);
    for (int i = 0; i < 100; i++)
        EXPECT_INT_EQ(i, jobs[i].order);
    tear_down(&b);
}

STK_TEST(request_may_be_submitted_again_when_done)
{
    bed b;
    set_up(&b, (stk_io_options){0});
    job jobs[5];
    for (int i = 0; i < 5; i++) {
        init_function(&jobs[i], &b, 0);
        jobs[i].again = 1000;
        stk_io_submit(b.io, &jobs[i].request);
    }
    wait_for(&b, 5);
    for (int i = 0; i < 5; i++)
        EXPECT_INT_EQ(1001, jobs[i].calls);
    tear_down(&b);
}

static void count_running(stk_io_request *request)
{
    sleep_and_count(request);
    sched_yield();
}

/* A second thread would take turns with the first, and a third come when both are held up. */
STK_TEST(request_that_is_submitted_again_and_again_needs_one_thread)
{
    bed          b;
    job          j;
    stk_io_stats stats;
    set_up(&b, (stk_io_options){.threads_max = 64, .in_flight = 64, .no_uring = true});
    init_function(&j, &b, 0);
    j.request.run = count_running;
    j.again = 2000;
    stk_io_submit(b.io, &j.request);
    wait_for(&b, 1);
    stk_io_read_stats(b.io, &stats);
    EXPECT_INT_EQ(1, stats.threads);
    EXPECT_INT_EQ(2001, j.calls);
    tear_down(&b);
}

STK_TEST(short_reads_are_completed_and_errors_carry_the_text_of_the_file_system)
{
    stk_error       err;
    stk_file       *file;
    bed             b;
    slow_filesystem slow;
    static uint8_t  bytes[FILE_BYTES];
    slow_filesystem_init(&slow, 0);
    slow.most = 777;
    set_up(&b, (stk_io_options){0});
    EXPECT_OK(stk_file_open(&file, &slow.fs, content_file(), STK_ACCESS_RANDOM, &err));
    job j;
    init_job(&j, &b);
    j.request.file = file;
    j.request.dst = bytes;
    j.request.size = sizeof bytes;
    stk_io_submit(b.io, &j.request);
    wait_for(&b, 1);
    EXPECT_INT_EQ(FILE_BYTES, j.request.got);
    EXPECT_MEM_EQ(content, bytes, FILE_BYTES);
    EXPECT_INT_EQ(FILE_BYTES / 777 + 1, slow.reads);
    slow.error_at = 2000;
    stk_io_submit(b.io, &j.request);
    wait_for(&b, 2);
    EXPECT_INT_EQ(STK_E_IO, j.request.status);
    EXPECT_INT_EQ(2 * 777, j.request.got); /* what came before the error */
    EXPECT_STR_EQ(content_file(), j.err.where);
    EXPECT_CONTAINS("Input/output error", j.err.message);
    j.request.err = NULL;
    stk_io_submit(b.io, &j.request);
    wait_for(&b, 3);
    EXPECT_INT_EQ(STK_E_IO, j.request.status);
    stk_file_close(file);
    tear_down(&b);
}

STK_TEST(what_the_ring_cannot_read_is_said_in_the_words_of_a_plain_read)
{
    stk_error err;
    stk_file *file;
    bed       b;
    uint8_t   bytes[10];
    set_up(&b, (stk_io_options){0});
    EXPECT_OK(stk_file_open(&file, NULL, "/proc/self/mem", STK_ACCESS_RANDOM, &err));
    job j;
    init_job(&j, &b);
    j.request.file = file;
    j.request.dst = bytes;
    j.request.size = sizeof bytes;
    j.request.offset = 16;
    stk_io_submit(b.io, &j.request);
    wait_for(&b, 1);
    EXPECT_INT_EQ(STK_E_IO, j.request.status);
    EXPECT_CONTAINS("read 10 bytes at offset 16", j.err.message);
    EXPECT_STR_EQ("/proc/self/mem", j.err.where);
    stk_file_close(file);
    tear_down(&b);
}

STK_TEST(free_finishes_what_runs_and_drops_what_waits)
{
    enum { JOBS = 40 };
    static job     jobs[JOBS];
    static uint8_t bytes[JOBS][1000];
    for (size_t kind = 0; kind < COUNT_OF(kinds); kind++)
        for (unsigned wait_us = 0; wait_us < 3000; wait_us += 700) {
            stk_error err;
            stk_file *file;
            bed       b;
            int       dropped = 0;
            set_up(&b, kinds[kind]);
            EXPECT_OK(stk_file_open(&file, NULL, content_file(), STK_ACCESS_RANDOM, &err));
            for (int i = 0; i < JOBS; i++) {
                init_function(&jobs[i], &b, 1000);
                if (i % 3 == 0) {
                    jobs[i].request.file = file;
                    jobs[i].request.dst = bytes[i];
                    jobs[i].request.size = 1000;
                }
                stk_io_submit(b.io, &jobs[i].request);
            }
            usleep(wait_us);
            tear_down(&b);
            EXPECT_INT_EQ(JOBS, b.done);
            EXPECT_INT_EQ(0, b.running);
            for (int i = 0; i < JOBS; i++) {
                EXPECT_INT_EQ(1, jobs[i].calls);
                if (!jobs[i].request.status) continue;
                EXPECT_INT_EQ(STK_E_CANCELLED, jobs[i].request.status);
                EXPECT_CONTAINS("stopped before its turn", jobs[i].err.message);
                dropped++;
            }
            EXPECT(dropped > 0);
            stk_file_close(file);
        }
}

/* A source with 32 places where a request takes 20 ms: asked through functions that wait in it. */
typedef struct places {
    pthread_mutex_t lock;
    pthread_cond_t  free;
    int             left;
} places;

typedef struct visit {
    stk_io_request request; /* first */
    places        *at;
    stk_io        *io;
    int           *stop;  /* atomic */
    uint64_t      *count; /* atomic */
    int           *active;
} visit;

static void visit_source(stk_io_request *request)
{
    places *p = ((visit *)request)->at;
    pthread_mutex_lock(&p->lock);
    while (!p->left)
        pthread_cond_wait(&p->free, &p->lock);
    p->left--;
    pthread_mutex_unlock(&p->lock);
    usleep(20000);
    pthread_mutex_lock(&p->lock);
    p->left++;
    pthread_cond_signal(&p->free);
    pthread_mutex_unlock(&p->lock);
}

static void visit_again(stk_io_request *request)
{
    visit *v = (visit *)request;
    __atomic_add_fetch(v->count, 1, __ATOMIC_SEQ_CST);
    if (__atomic_load_n(v->stop, __ATOMIC_SEQ_CST))
        __atomic_sub_fetch(v->active, 1, __ATOMIC_SEQ_CST);
    else
        stk_io_submit(v->io, request);
}

STK_TEST(limit_finds_the_places_of_a_slow_source_within_three_seconds)
{
    enum { DEMAND = 128, PLACES = 32 };
    stk_error       err;
    static visit    visits[DEMAND];
    places          p = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, PLACES};
    int             stop = 0, active = DEMAND;
    uint64_t        count = 0;
    stk_io         *io;
    stk_io_stats    stats;
    stk_io_decision decisions[STK_IO_DECISIONS];
    alarm(60);
    EXPECT_OK(stk_io_start(&io, NULL, &err));
    for (int i = 0; i < DEMAND; i++) {
        visits[i] =
            (visit){{.run = visit_source, .done = visit_again}, &p, io, &stop, &count, &active};
        stk_io_submit(io, &visits[i].request);
    }
    usleep(2000000);
    const uint64_t begin = stk_clock_ns(), before = __atomic_load_n(&count, __ATOMIC_SEQ_CST);
    usleep(1000000);
    const double seconds = 1e-9 * (double)(stk_clock_ns() - begin);
    const double rate = (double)(__atomic_load_n(&count, __ATOMIC_SEQ_CST) - before) / seconds;
    /* The source sleeps 20 ms for each request, which takes longer on a busy machine. */
    const uint64_t asleep = stk_clock_ns();
    for (int i = 0; i < 20; i++)
        usleep(20000);
    const double slept = 1e-9 * (double)(stk_clock_ns() - asleep) / 20;
    stk_io_read_stats(io, &stats);
    const size_t made = stk_io_decisions(io, decisions, COUNT_OF(decisions));
    __atomic_store_n(&stop, 1, __ATOMIC_SEQ_CST);
    while (__atomic_load_n(&active, __ATOMIC_SEQ_CST))
        usleep(1000);
    stk_io_free(io);
    alarm(0);
    printf("%.0f requests/s of %d, limit %d\n", rate, PLACES * 50, stats.limit);
    for (size_t i = 0; i < made; i++) {
        char text[256];
        printf("  %s\n", stk_io_decision_line(&decisions[i], text, sizeof text));
    }
    EXPECT(made >= 3);
    EXPECT_INT_EQ(made, stats.raises + stats.lowers);
    EXPECT(stats.limit >= 30);
    EXPECT(rate >= 0.9 * PLACES / slept);
}

/* Refuses io_uring_setup for the calling thread and those it starts. */
static void refuse_uring(void)
{
    static struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_io_uring_setup, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const struct sock_fprog program = {COUNT_OF(filter), filter};
    EXPECT_INT_EQ(0, prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
    EXPECT_INT_EQ(0, prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program));
}

static void *read_without_uring(void *context)
{
    stk_error    err;
    stk_io_stats stats;
    stk_file    *file;
    bed          b;
    uint8_t      bytes[1000];
    refuse_uring();
    set_up(&b, (stk_io_options){0});
    stk_io_read_stats(b.io, &stats);
    snprintf(context, 128, "%s", stats.backend);
    EXPECT_OK(stk_file_open(&file, NULL, content_file(), STK_ACCESS_RANDOM, &err));
    job j;
    init_job(&j, &b);
    j.request.file = file;
    j.request.dst = bytes;
    j.request.size = sizeof bytes;
    stk_io_submit(b.io, &j.request);
    wait_for(&b, 1);
    EXPECT_INT_EQ(1000, j.request.got);
    stk_file_close(file);
    tear_down(&b);
    return NULL;
}

STK_TEST(kernel_that_refuses_io_uring_is_read_by_threads_and_named)
{
    stk_error  err;
    stk_thread thread;
    char       backend[128] = "";
    content_file();
    EXPECT_OK(stk_thread_start(&thread, "filtered", read_without_uring, backend, &err));
    stk_thread_join(&thread);
    EXPECT_CONTAINS("reader threads (the kernel refuses io_uring: Operation not permitted)",
                    backend);
}

STK_TEST(options_that_make_no_sense_are_refused)
{
    stk_error err;
    stk_io   *io;
    EXPECT_STATUS(STK_E_INVALID, stk_io_start(&io, &(stk_io_options){.threads_max = -1}, &err));
    EXPECT_CONTAINS("-1 reader threads asked; 1 to 1024", err.message);
    EXPECT_STATUS(STK_E_INVALID, stk_io_start(&io, &(stk_io_options){.in_flight = 5000}, &err));
    EXPECT_CONTAINS("5000 requests in flight asked", err.message);
    EXPECT(io == NULL);
    stk_io_free(NULL);
}

static stk_status start_and_free(void *context, stk_error *err)
{
    stk_io *io;
    (void)context;
    STK_TRY(stk_io_start(&io, NULL, err));
    stk_io_free(io);
    return STK_OK;
}

STK_TEST(engine_survives_every_failed_allocation)
{
    stk_test_fail_each_allocation(start_and_free, NULL);
}

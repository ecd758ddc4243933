/* Samples: from a machine made of files, and from this one. */
#include "observe/resources/resources_internal.h"

#include "base/clock.h"
#include "proc_fixture.h"

#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static stk_resources_paths places_at(const char *root)
{
    return (stk_resources_paths){
        .root = root, .gpu = {.nvml = "/nonexistent/nvml.so", .nvidia_smi = "/nonexistent/smi"}};
}

static void put_machine(const char *root, int busy, int idle, int bytes)
{
    char text[512];
    snprintf(text, sizeof text, "cpu  %d 0 0 %d 0 0 0 0\ncpu0 %d 0 0 %d 0 0 0 0\nprocesses %d\n",
             busy, idle, busy, idle, busy);
    fixture_put(root, "proc/stat", text);
    snprintf(text, sizeof text, " 8 0 sda %d 0 %d 0 %d 0 %d 0 0 %d 0\n", bytes, bytes * 2, bytes,
             bytes * 4, bytes);
    fixture_put(root, "proc/diskstats", text);
    snprintf(text, sizeof text, "eth0: %d 0 0 0 0 0 0 0 %d 0 0 0 0 0 0 0\n", bytes, bytes * 3);
    fixture_put(root, "proc/net/dev", text);
    fixture_put(root, "proc/meminfo", "MemTotal: 1000 kB\nMemAvailable: 600 kB\nCached: 300 kB\n");
}

STK_TEST(rates_are_counters_over_the_time_between)
{
    const char               *root = fixture_root("rates");
    const stk_resources_paths places = places_at(root);
    const uint64_t            t = stk_clock_ns();
    stk_resources            *r;
    stk_resource_sample       s;
    stk_error                 err;
    double                    core;
    put_machine(root, 100, 100, 1000);
    EXPECT_OK(stk_resources_open_at(&r, -1, &places, &err));
    EXPECT_STR_EQ("no NVIDIA driver", stk_resources_machine(r)->gpu_source);
    stk_resources_sample_at(r, t + 1000000000, &s);
    EXPECT(s.cpu == -1 && s.disk_read == -1 && s.net_in == -1 && s.own_cores == -1);
    EXPECT(s.memory_used == 400 * 1024 && s.page_cache == 300 * 1024 && s.swap_used == -1);
    put_machine(root, 130, 110, 3000);
    stk_resources_sample_at(r, t + 3000000000, &s); /* two seconds later */
    EXPECT(s.cpu == 0.75 && s.iowait == 0);
    EXPECT(s.disk_read == 2000 * 512.0 && s.disk_write == 4000 * 512.0);
    EXPECT(s.disk_reads == 1000 && s.disk_writes == 1000 && s.disk_busy == 1);
    EXPECT(s.net_in == 1000 && s.net_out == 3000);
    EXPECT(s.gpu_count == 0 && s.rate == -1 && s.own_memory == -1);
    EXPECT_INT_EQ(1, stk_resources_cores(r, &core, 1));
    EXPECT(core == 0.75);
    put_machine(root, 130, 110, 10); /* the disk was changed: no spike */
    stk_resources_sample_at(r, t + 4000000000, &s);
    EXPECT(s.disk_read == 0 && s.net_in == 0 && s.cpu == -1);
    stk_resources_close(r);
}

static void put_process(const char *root, int id, int parent, int ticks, int child_ticks, int bytes)
{
    char path[64], text[256];
    snprintf(path, sizeof path, "proc/%d/stat", id);
    snprintf(text, sizeof text, "%d (p) S %d 0 0 0 0 0 0 0 0 0 %d 0 %d 0 20 0 1 0 0 0 0", id,
             parent, ticks, child_ticks);
    fixture_put(root, path, text);
    snprintf(path, sizeof path, "proc/%d/io", id);
    snprintf(text, sizeof text, "rchar: 5\nread_bytes: %d\nwrite_bytes: %d\n", bytes, bytes * 2);
    fixture_put(root, path, text);
    snprintf(path, sizeof path, "proc/%d/statm", id);
    fixture_put(root, path, "9 3 1 0 0 0 0\n");
    snprintf(path, sizeof path, "proc/%d/task/%d/schedstat", id, id);
    snprintf(text, sizeof text, "%lld %lld %d\n", ticks * 10000000ll, ticks * 20000000ll, ticks);
    fixture_put(root, path, text);
    snprintf(path, sizeof path, "proc/%d/task/%d/comm", id, id);
    snprintf(text, sizeof text, "thread %d\n", id);
    fixture_put(root, path, text);
}

/* The state of test_child below, a second later each time. */
static stk_resource_sample next_second(stk_resources *r, uint64_t *t)
{
    stk_resource_sample s;
    *t += 1000000000;
    stk_resources_sample_at(r, *t, &s);
    return s;
}

STK_TEST(child_that_ended_counts_once)
{
    const char               *root = fixture_root("children");
    const stk_resources_paths places = places_at(root);
    uint64_t                  t = stk_clock_ns();
    const double              page = (double)sysconf(_SC_PAGESIZE);
    stk_resources            *r;
    stk_resource_sample       s;
    stk_thread_sample         threads[4];
    stk_error                 err;
    put_machine(root, 1, 1, 1);
    put_process(root, 100, 1, 500, 0, 1000);
    put_process(root, 101, 100, 40, 0, 100);
    put_process(root, 555, 1, 7, 0, 0); /* of somebody else */
    EXPECT_OK(stk_resources_open_at(&r, 100, &places, &err));
    s = next_second(r, &t);
    EXPECT(s.own_cores == -1);
    EXPECT(s.own_memory == 5 * page); /* two pages each, one that both share */
    put_machine(root, 2, 2, 2);
    put_process(root, 100, 1, 550, 0, 1000);
    put_process(root, 101, 100, 140, 0, 400);
    s = next_second(r, &t);
    EXPECT(s.own_cores > 1.49 && s.own_cores < 1.51); /* 50 and 100 ticks */
    EXPECT(s.own_read == 300 && s.own_write == 600);
    EXPECT(s.switches == 150);
    EXPECT(s.own_waiting > 2.99 && s.own_waiting < 3.01);
    EXPECT_INT_EQ(2, stk_resources_threads(r, threads, 4));
    EXPECT_INT_EQ(101, threads[0].id);
    EXPECT_STR_EQ("thread 101", threads[0].name);
    EXPECT(threads[0].cpu == 1 && threads[1].cpu == 0.5);
    put_machine(root, 3, 3, 3);
    fixture_remove(root, "proc/101"); /* it used 10 ticks more, which only its parent knows */
    put_process(root, 100, 1, 550, 150, 1410);
    s = next_second(r, &t);
    EXPECT(s.own_cores > 0.09 && s.own_cores < 0.11);
    EXPECT(s.own_read == 10);
    EXPECT_INT_EQ(1, stk_resources_threads(r, threads, 4));
    fixture_remove(root, "proc/100");
    s = next_second(r, &t);
    EXPECT(s.own_cores == 0 && s.own_memory == -1);
    stk_resources_close(r);
}

STK_TEST(machine_without_proc_is_unknown_but_no_failure)
{
    const stk_resources_paths places = places_at("/nonexistent");
    stk_resources            *r;
    stk_resource_sample       s;
    stk_error                 err;
    char                      note[64];
    EXPECT_OK(stk_resources_open_at(&r, 0, &places, &err));
    for (uint64_t i = 1; i < 3; i++) {
        stk_resources_sample_at(r, stk_clock_ns() + i * 1000000000, &s);
        EXPECT(s.cpu == -1 && s.memory_used == -1 && s.disk_read == -1 && s.own_memory == -1);
    }
    stk_resources_note(r, note, sizeof note);
    EXPECT_STR_EQ("", note);
    stk_resources_close(r);
}

static void burn(double seconds)
{
    const uint64_t end = stk_clock_thread_cpu_ns() + (uint64_t)(seconds * 1e9);
    while (stk_clock_thread_cpu_ns() < end) {
    }
}

/* CPU seconds by the samples are those by the clock: no judgement of speed. */
STK_TEST(own_cores_add_up_to_the_time_that_was_burnt)
{
    stk_resources      *r;
    stk_resource_sample first, s;
    stk_thread_sample   thread;
    stk_error           err;
    double              sum = 0, before;
    EXPECT_OK(stk_resources_open(&r, 0, &err));
    stk_resources_sample(r, &first);
    before = first.seconds;
    for (int i = 0; i < 4; i++) {
        burn(0.05);
        stk_resources_sample(r, &s);
        sum += s.own_cores * (s.seconds - before);
        before = s.seconds;
    }
    EXPECT(sum >= 0.199 && sum < 0.6);
    EXPECT(s.own_memory > 1e5 && s.memory_used > 0 && s.cpu > -2);
    EXPECT(stk_resources_threads(r, &thread, 1) == 1);
    EXPECT(thread.cpu_s >= 0.19);
    EXPECT(stk_resources_machine(r)->cores >= 1 && stk_resources_machine(r)->memory > 0);
    stk_resources_close(r);
}

STK_TEST(children_count_while_they_live_and_after)
{
    stk_resources      *r;
    stk_resource_sample s;
    stk_error           err;
    double              before, sum = 0;
    EXPECT_OK(stk_resources_open(&r, 0, &err));
    stk_resources_sample(r, &s);
    before = s.seconds;
    const pid_t child = fork();
    if (!child) {
        burn(0.3);
        _exit(0);
    }
    for (int i = 0; i < 3; i++) { /* some samples while it lives */
        nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
        stk_resources_sample(r, &s);
        sum += s.own_cores * (s.seconds - before);
        before = s.seconds;
    }
    waitpid(child, NULL, 0);
    nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    stk_resources_sample(r, &s);
    sum += s.own_cores * (s.seconds - before);
    EXPECT(sum > 0.27 && sum < 0.6);
    stk_resources_close(r);
}

static stk_status open_and_close(void *context, stk_error *err)
{
    const stk_resources_paths *places = context;
    stk_resources             *r;
    STK_TRY(stk_resources_open_at(&r, 0, places, err));
    stk_resources_close(r);
    return STK_OK;
}

STK_TEST(opening_fails_clean_without_memory)
{
    stk_resources_paths places = places_at("/");
    stk_test_fail_each_allocation(open_and_close, &places);
}

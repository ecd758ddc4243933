/* The sampler's thread, and a run of any length in bounded memory. */
#include "harness.h"
#include "observe/resources/series.h"

#include <pthread.h>
#include <time.h>

static stk_resource_sample sample_of(double seconds, double cpu, double gpu)
{
    stk_resource_sample s = {.seconds = seconds, .cpu = cpu, .iowait = -1, .gpu_count = 1};
    s.gpus[0].utilisation = gpu;
    return s;
}

STK_TEST(series_keeps_the_whole_run_and_its_means)
{
    stk_series series;
    stk_error  err;
    double     sum = 0, weighted = 0;
    EXPECT_OK(stk_series_init(&series, 16, &err));
    for (int i = 1; i <= 1000; i++) {
        const stk_resource_sample s = sample_of(i, i % 10 / 10.0, 0.5);
        stk_series_add(&series, &s);
        sum += s.cpu;
        EXPECT(series.count <= 16);
    }
    EXPECT(series.count >= 8);
    double before = 0;
    for (size_t i = 0; i < series.count; i++) {
        weighted += series.samples[i].cpu * (series.samples[i].seconds - before);
        EXPECT(series.samples[i].seconds > before);
        EXPECT(series.samples[i].iowait == -1);
        EXPECT(series.samples[i].gpus[0].utilisation == 0.5);
        before = series.samples[i].seconds;
    }
    EXPECT(before == 1000);
    EXPECT(weighted > sum - 1e-6 && weighted < sum + 1e-6);
    EXPECT(series.peaks.cpu == 0.9 && series.peaks.iowait == -1);
    stk_series_release(&series);
}

static void count_calls(void *context, const stk_resource_sample *sample)
{
    EXPECT(sample->seconds > 0);
    __atomic_fetch_add((int *)context, 1, __ATOMIC_RELAXED);
}

STK_TEST(monitor_samples_until_it_is_stopped)
{
    int                       calls = 0;
    const stk_monitor_options options = {
        .interval_s = 0.02, .threads = 4, .sampled = count_calls, .context = &calls};
    stk_monitor        *monitor;
    stk_resource_sample series[64], peaks, last;
    stk_thread_sample   threads[4];
    stk_error           err;
    double              cores[4];
    char                note[8];
    EXPECT_OK(stk_monitor_start(&monitor, &options, &err));
    for (int i = 0; i < 20; i++) {
        stk_monitor_count(monitor, 32);
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    }
    stk_monitor_stop(monitor);
    const size_t count = stk_monitor_series(monitor, series, 64);
    EXPECT(count >= 2 && (int)count == __atomic_load_n(&calls, __ATOMIC_RELAXED));
    EXPECT(stk_monitor_latest(monitor, &last));
    EXPECT(last.seconds == series[count - 1].seconds);
    double samples = 0, before = series[0].seconds - 0.02;
    for (size_t i = 0; i < count; i++) {
        samples += series[i].rate * (series[i].seconds - before);
        before = series[i].seconds;
    }
    EXPECT(samples > 640 / 2 && samples < 640 * 2);
    stk_monitor_peaks(monitor, &peaks);
    EXPECT(peaks.own_memory >= last.own_memory);
    EXPECT(stk_monitor_threads(monitor, threads, 4) >= 1);
    EXPECT(stk_monitor_cores(monitor, cores, 4) >= 1);
    EXPECT(stk_monitor_machine(monitor)->cores >= 1);
    stk_monitor_note(monitor, note, sizeof note);
    EXPECT_STR_EQ("", note);
    stk_monitor_free(monitor);
}

STK_TEST(rate_is_unknown_until_something_is_counted)
{
    const stk_monitor_options options = {.process = -1, .interval_s = 0.01};
    stk_monitor              *monitor;
    stk_resource_sample       last;
    stk_error                 err;
    EXPECT_OK(stk_monitor_start(&monitor, &options, &err));
    stk_monitor_count(NULL, 5);
    nanosleep(&(struct timespec){.tv_nsec = 30000000}, NULL);
    stk_monitor_stop(monitor);
    EXPECT(stk_monitor_latest(monitor, &last));
    EXPECT(last.rate == -1 && last.own_cores == -1 && last.own_memory == -1);
    stk_monitor_free(monitor);
    stk_monitor_free(NULL);
}

static stk_status start_and_free(void *context, stk_error *err)
{
    stk_monitor              *monitor;
    const stk_monitor_options options = {.threads = 2};
    (void)context;
    STK_TRY(stk_monitor_start(&monitor, &options, err));
    stk_monitor_free(monitor);
    return STK_OK;
}

STK_TEST(monitor_fails_clean_without_memory)
{
    stk_test_fail_each_allocation(start_and_free, NULL);
}

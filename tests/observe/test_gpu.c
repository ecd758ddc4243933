/* GPUs through a fake driver and a fake nvidia-smi: values, failure in the middle, absence. */
#include "observe/resources/gpu.h"

#include "base/clock.h"
#include "harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

static void say(const char *path, const char *state)
{
    stk_test_write_file(path, state, strlen(state));
}

static stk_gpu_paths fake_paths(void)
{
    return (stk_gpu_paths){STK_FAKE_NVML, "/nonexistent/smi", 0.01, 0.01};
}

/* Readings come from a thread: waits until they are as wanted. */
static stk_gpu_readings wait_for(stk_gpu_reader *reader, const stk_gpu_pids *pids,
                                 bool (*wanted)(const stk_gpu_readings *))
{
    const uint64_t   deadline = stk_clock_ns() + 20000000000u;
    stk_gpu_readings now;
    do {
        nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
        stk_gpu_reader_latest(reader, pids, &now);
    } while (!wanted(&now) && stk_clock_ns() < deadline);
    EXPECT(wanted(&now));
    return now;
}

static bool is_whole(const stk_gpu_readings *now)
{
    return now->gpus[0].utilisation == 0.9 && now->gpus[0].own_memory > 0;
}

static bool has_use(const stk_gpu_readings *now)
{
    return now->gpus[0].utilisation > 0;
}

static bool is_unknown(const stk_gpu_readings *now)
{
    return now->gpus[0].utilisation < 0 && now->gpus[0].watts < 0;
}

STK_TEST(nvml_values_are_in_our_units)
{
    const stk_gpu_paths paths = fake_paths();
    const stk_gpu_pids  pids = {1, {4242}};
    stk_machine_info    machine = {0};
    stk_gpu_reader     *reader;
    stk_error           err;
    char                note[64];
    setenv("FAKE_NVML", stk_test_path("state"), 1);
    say(stk_test_path("state"), "ok");
    EXPECT_OK(stk_gpu_reader_start(&reader, &paths, &machine, &err));
    EXPECT_STR_EQ("NVML 580.65", machine.gpu_source);
    EXPECT_INT_EQ(2, machine.gpu_count);
    EXPECT_STR_EQ("Fake A", machine.gpus[0].name);
    EXPECT_INT_EQ(16ll << 30, machine.gpus[0].memory);
    EXPECT_INT_EQ(1, machine.gpus[0].persistence);
    EXPECT_INT_EQ(0, machine.gpus[1].persistence);
    const stk_gpu_readings now = wait_for(reader, &pids, is_whole);
    const stk_gpu_sample  *a = &now.gpus[0], *b = &now.gpus[1];
    EXPECT(a->memory_used == 4.0 * (1 << 30) && a->memory_utilisation == 0.25);
    EXPECT(a->watts == 250.5 && a->celsius == 71 && a->clock_mhz == 1410 && a->throttled == 1);
    EXPECT(a->pcie_in == 2000 * 1024.0 && a->pcie_out == 1000 * 1024.0);
    EXPECT(a->own_memory == 1 << 30);
    EXPECT(b->utilisation == 0.1 && b->watts == -1 && b->throttled == 0);
    stk_gpu_reader_note(reader, note, sizeof note);
    EXPECT_STR_EQ("", note);
    stk_gpu_reader_stop(reader);
}

STK_TEST(gpu_that_is_lost_is_unknown_until_it_comes_back)
{
    const stk_gpu_paths paths = fake_paths();
    stk_machine_info    machine = {0};
    stk_gpu_reader     *reader;
    stk_error           err;
    char                note[64];
    setenv("FAKE_NVML", stk_test_path("state"), 1);
    say(stk_test_path("state"), "ok");
    EXPECT_OK(stk_gpu_reader_start(&reader, &paths, &machine, &err));
    wait_for(reader, NULL, has_use);
    say(stk_test_path("state"), "one");
    EXPECT(wait_for(reader, NULL, is_unknown).gpus[1].utilisation == 0.1);
    say(stk_test_path("state"), "lost");
    wait_for(reader, NULL, is_unknown);
    stk_gpu_reader_note(reader, note, sizeof note);
    EXPECT_STR_EQ("NVML: reading a GPU: GPU is lost", note);
    say(stk_test_path("state"), "ok");
    EXPECT_INT_EQ(2, wait_for(reader, NULL, has_use).count);
    stk_gpu_reader_stop(reader);
}

STK_TEST(driver_that_does_not_start_says_why)
{
    const stk_gpu_paths paths = fake_paths();
    stk_machine_info    machine = {0};
    stk_gpu_reader     *reader;
    stk_error           err;
    setenv("FAKE_NVML", stk_test_path("state"), 1);
    say(stk_test_path("state"), "lost");
    EXPECT_OK(stk_gpu_reader_start(&reader, &paths, &machine, &err));
    EXPECT(!reader);
    EXPECT_INT_EQ(0, machine.gpu_count);
    EXPECT_STR_EQ("NVML: init: GPU is lost", machine.gpu_source);
}

static const char *const smi_line = "NVIDIA H200, 580.65.06, 143771, Disabled, 51, 12, 1024, "
                                    "312.55, 44, 1980, 0x0000000000000004\n";

/* A program that prints what the file STATE holds, and fails when that is empty. */
static const char *fake_smi(void)
{
    const char *path = stk_test_path("nvidia-smi");
    char        text[512];
    snprintf(text, sizeof text, "#!/bin/sh\n[ -s '%s' ] || exit 9\ncat '%s'\n",
             stk_test_path("smi-state"), stk_test_path("smi-state"));
    say(path, text);
    EXPECT_INT_EQ(0, chmod(path, 0755));
    return path;
}

STK_TEST(nvidia_smi_is_the_second_way)
{
    const stk_gpu_paths paths = {"/nonexistent/nvml.so", fake_smi(), 0.01, 0.01};
    stk_machine_info    machine = {0};
    stk_gpu_reader     *reader;
    stk_error           err;
    char                note[64];
    say(stk_test_path("smi-state"), smi_line);
    EXPECT_OK(stk_gpu_reader_start(&reader, &paths, &machine, &err));
    EXPECT_STR_EQ("nvidia-smi 580.65.06", machine.gpu_source);
    EXPECT_STR_EQ("NVIDIA H200", machine.gpus[0].name);
    EXPECT_INT_EQ(143771ll << 20, machine.gpus[0].memory);
    EXPECT_INT_EQ(0, machine.gpus[0].persistence);
    const stk_gpu_sample s = wait_for(reader, NULL, has_use).gpus[0];
    EXPECT(s.utilisation == 0.51 && s.memory_used == (double)(1ll << 30) && s.watts == 312.55);
    EXPECT(s.celsius == 44 && s.clock_mhz == 1980 && s.throttled == 1 && s.pcie_in == -1);
    say(stk_test_path("smi-state"), "");
    wait_for(reader, NULL, is_unknown);
    stk_gpu_reader_note(reader, note, sizeof note);
    EXPECT_CONTAINS("nvidia-smi failed", note);
    say(stk_test_path("smi-state"), smi_line);
    wait_for(reader, NULL, has_use);
    stk_gpu_reader_stop(reader);
}

STK_TEST(nvidia_smi_may_not_know_everything)
{
    stk_gpu_readings out;
    stk_machine_info machine = {0};
    EXPECT(stk_nvidia_smi_parse("GeForce, 1.2, 100, [N/A], [Not Supported], 0, 5, [N/A], 30, "
                                "[Unknown Error], [N/A]\nB, 1.2, 1, Enabled, 0, 0, 0, 0, 0, 0, 0x0",
                                &machine, &out));
    EXPECT_INT_EQ(2, out.count);
    EXPECT(out.gpus[0].utilisation == -1 && out.gpus[0].memory_used == 5 * 1048576.0);
    EXPECT(out.gpus[0].clock_mhz == -1 && out.gpus[0].throttled == -1);
    EXPECT_INT_EQ(-1, machine.gpus[0].persistence);
    EXPECT_INT_EQ(1, machine.gpus[1].persistence);
    EXPECT(out.gpus[1].utilisation == 0 && out.gpus[1].throttled == 0);
    EXPECT(!stk_nvidia_smi_parse("", NULL, &out));
    EXPECT(!stk_nvidia_smi_parse("No devices were found\n", NULL, &out));
}

STK_TEST(machine_without_a_driver_has_no_gpus)
{
    const stk_gpu_paths paths = {"/nonexistent/nvml.so", "/nonexistent/smi", 0, 0};
    stk_machine_info    machine = {0};
    stk_gpu_readings    now;
    stk_gpu_reader     *reader;
    stk_error           err;
    EXPECT_OK(stk_gpu_reader_start(&reader, &paths, &machine, &err));
    EXPECT(!reader);
    EXPECT_STR_EQ("no NVIDIA driver", machine.gpu_source);
    stk_gpu_reader_latest(reader, NULL, &now);
    EXPECT_INT_EQ(0, now.count);
    stk_gpu_reader_stop(reader);
}

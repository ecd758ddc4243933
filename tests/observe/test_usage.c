/* Series made up: what is found in them, and that nothing is found in clean ones. */
#include "harness.h"
#include "observe/usage/detect.h"

#include <math.h>
#include <stdlib.h>
#include <stoker/usage.h>
#include <string.h>

enum { COUNT = 240 };

static stk_resource_sample samples[COUNT];

/* Noise between -1 and 1, the same every time. */
static double noise(size_t i)
{
    return (double)((i * 2654435761u >> 7) % 2001) / 1000 - 1;
}

/* A machine at work, without a GPU: half a second a sample, nothing at its limit. */
static stk_machine_info make_clean(int gpus)
{
    stk_machine_info machine = {.cores = 8, .memory = 32ull << 30, .link_bytes = 1.25e9};
    machine.gpu_count = gpus;
    for (int g = 0; g < gpus; g++)
        machine.gpus[g] = (stk_gpu_info){"Test", 16ull << 30, 1};
    for (size_t i = 0; i < COUNT; i++) {
        stk_resource_sample *s = &samples[i];
        *s = (stk_resource_sample){.seconds = 0.5 * (double)(i + 1), .gpu_count = gpus, .rate = -1};
        s->cpu = 0.5 + 0.05 * noise(i);
        s->own_cores = 4 + 0.4 * noise(i);
        s->own_memory = 2e9 + 2e7 * noise(i);
        s->net_in = 5e7 + 1e7 * noise(i);
        s->net_out = 1e5;
        s->own_write = 1e5 * (1 + noise(i));
        for (int g = 0; g < gpus; g++)
            s->gpus[g] = (stk_gpu_sample){
                0.95 + 0.04 * noise(i), 12e9, 0.4, 250, 60, 1400, 0, 1e9, 1e8, 1e9};
    }
    return machine;
}

static stk_usage judge(const stk_machine_info *machine)
{
    static stk_usage usage;
    stk_usage_analyze(&usage, machine, samples, COUNT, NULL);
    return usage;
}

static const stk_finding *find(const stk_usage *usage, stk_finding_kind kind)
{
    for (size_t i = 0; i < usage->finding_count; i++)
        if (usage->findings[i].kind == kind) return &usage->findings[i];
    return NULL;
}

STK_TEST(clean_run_has_no_findings)
{
    for (int gpus = 0; gpus <= 2; gpus++) {
        const stk_machine_info machine = make_clean(gpus);
        const stk_usage        usage = judge(&machine);
        for (size_t i = 0; i < usage.finding_count; i++)
            print_message("%s\n", usage.findings[i].sentence);
        EXPECT_INT_EQ(0, usage.finding_count);
        EXPECT_INT_EQ(gpus ? STK_USAGE_GPU : STK_USAGE_LATENCY, usage.limit);
        EXPECT(fabs(usage.cpu.median - 0.5) < 0.02 && usage.cpu.peak <= 0.55);
        EXPECT(usage.rate.median == -1 && usage.disk_busy.median == 0);
    }
}

STK_TEST(few_samples_are_not_judged)
{
    const stk_machine_info machine = make_clean(1);
    stk_usage              usage;
    for (size_t count = 0; count < 6; count++) {
        stk_usage_analyze(&usage, &machine, samples, count, NULL);
        EXPECT_INT_EQ(STK_USAGE_UNKNOWN, usage.limit);
        EXPECT_INT_EQ(0, usage.finding_count);
        EXPECT_CONTAINS("too few", usage.verdict);
    }
}

STK_TEST(median_without_zeros_is_of_the_time_in_use)
{
    const stk_machine_info machine = make_clean(1);
    for (size_t i = 0; i < COUNT; i++)
        samples[i].gpus[0].utilisation = i % 3 ? 0 : 0.6;
    const stk_usage usage = judge(&machine);
    EXPECT(usage.gpus[0].utilisation.median == 0);
    EXPECT(usage.gpus[0].median_nonzero == 0.6);
    EXPECT(usage.gpus[0].utilisation.peak == 0.6);
}

STK_TEST(dips_that_come_regularly_are_found_with_their_period)
{
    const stk_machine_info machine = make_clean(1);
    for (size_t i = 0; i < COUNT; i++)
        if (i % 40 >= 34) samples[i].gpus[0].utilisation = 0.05;
    const stk_usage    usage = judge(&machine);
    const stk_finding *f = find(&usage, STK_FINDING_GPU_DIPS);
    EXPECT(f != NULL);
    EXPECT_CONTAINS("every 20 s", f->sentence);
    EXPECT(f->value > 0.1 && f->value < 0.2);
    EXPECT(!find(&usage, STK_FINDING_CPU_DIPS));
}

STK_TEST(dips_of_the_processor_are_found)
{
    const stk_machine_info machine = make_clean(0);
    for (size_t i = 0; i < COUNT; i++)
        if (i % 60 == 30 || i % 60 == 31 || i % 60 == 40 || i % 60 == 45)
            samples[i].own_cores = 0.1;
    const stk_usage usage = judge(&machine);
    EXPECT(find(&usage, STK_FINDING_CPU_DIPS) != NULL);
    EXPECT_INT_EQ(1, usage.finding_count);
}

STK_TEST(start_and_end_of_a_run_are_no_dips)
{
    const stk_machine_info machine = make_clean(1);
    for (size_t i = 0; i < COUNT; i++)
        if (i < 15 || i > 220) samples[i].gpus[0].utilisation = samples[i].own_cores = 0;
    const stk_usage usage = judge(&machine);
    EXPECT(!find(&usage, STK_FINDING_GPU_DIPS) && !find(&usage, STK_FINDING_CPU_DIPS));
}

STK_TEST(leak_is_found_with_its_slope)
{
    const stk_machine_info machine = make_clean(0);
    for (size_t i = 0; i < COUNT; i++)
        samples[i].own_memory += 5e6 * samples[i].seconds;
    const stk_usage    usage = judge(&machine);
    const stk_finding *f = find(&usage, STK_FINDING_LEAK);
    EXPECT(f != NULL);
    EXPECT(f->value > 4.5e6 && f->value < 5.5e6);
    EXPECT_CONTAINS("MB a minute", f->sentence);
}

STK_TEST(memory_that_settles_is_no_leak)
{
    const stk_machine_info machine = make_clean(0);
    stk_usage              usage;
    for (size_t i = 0; i < COUNT; i++) /* a slow start */
        samples[i].own_memory += 2e9 * (1 - exp(-samples[i].seconds / 15));
    usage = judge(&machine);
    EXPECT(!find(&usage, STK_FINDING_LEAK));
    make_clean(0);
    for (size_t i = 0; i < COUNT; i++) /* what a collector of garbage does */
        samples[i].own_memory += 2e7 * (double)(i % 25);
    usage = judge(&machine);
    EXPECT(!find(&usage, STK_FINDING_LEAK));
    make_clean(0);
    for (size_t i = COUNT / 2; i < COUNT; i++) /* an evaluation takes its memory once */
        samples[i].own_memory += 1e9;
    usage = judge(&machine);
    EXPECT(!find(&usage, STK_FINDING_LEAK));
    make_clean(0);
    for (size_t i = 0; i < COUNT; i++) /* a drunkard's walk of a few MB */
        samples[i].own_memory += 1e6 * (double)(i / 20);
    usage = judge(&machine);
    EXPECT(!find(&usage, STK_FINDING_LEAK));
}

STK_TEST(memory_at_its_limit_is_found)
{
    stk_machine_info machine = make_clean(0);
    machine.memory = 2100000000;
    const stk_usage usage = judge(&machine);
    EXPECT(find(&usage, STK_FINDING_MEMORY_FULL) != NULL);
}

STK_TEST(input_that_stops_and_goes_is_found)
{
    const stk_machine_info machine = make_clean(0);
    for (size_t i = 0; i < COUNT; i++)
        samples[i].net_in = i % 20 < 6 ? 8e7 + 1e6 * noise(i) : 2e4;
    const stk_usage    usage = judge(&machine);
    const stk_finding *f = find(&usage, STK_FINDING_NETWORK_BURSTS);
    EXPECT(f != NULL);
    EXPECT(f->value > 0.25 && f->value < 0.35);
    EXPECT_INT_EQ(1, usage.finding_count);
}

STK_TEST(chatter_is_no_input)
{
    const stk_machine_info machine = make_clean(0);
    for (size_t i = 0; i < COUNT; i++)
        samples[i].net_in = i % 20 < 6 ? 8e4 : 0;
    const stk_usage usage = judge(&machine);
    EXPECT_INT_EQ(0, usage.finding_count);
}

STK_TEST(link_at_its_limit_is_found_and_named)
{
    const stk_machine_info machine = make_clean(1);
    for (size_t i = 0; i < COUNT; i++) {
        samples[i].net_in = 1.2e9 + 2e7 * noise(i);
        samples[i].gpus[0].utilisation = 0.22;
        samples[i].cpu = 0.1;
        samples[i].own_cores = 0.6;
    }
    const stk_usage usage = judge(&machine);
    EXPECT(find(&usage, STK_FINDING_NETWORK_FULL) != NULL);
    EXPECT(!find(&usage, STK_FINDING_NETWORK_BURSTS));
    EXPECT_INT_EQ(STK_USAGE_NETWORK, usage.limit);
}

STK_TEST(output_that_grows_each_time_is_found)
{
    const stk_machine_info machine = make_clean(0);
    for (size_t i = 0; i < COUNT; i++)
        samples[i].net_out = i % 24 < 3 ? 1e7 * (double)(1 + i / 24) : 1e4;
    stk_usage usage = judge(&machine);
    EXPECT(find(&usage, STK_FINDING_OUTPUT_GROWS) != NULL);
    make_clean(0);
    for (size_t i = 0; i < COUNT; i++) /* checkpoints of one size */
        samples[i].own_write = i % 24 < 3 ? 5e7 + 5e6 * noise(i) : 1e4;
    usage = judge(&machine);
    EXPECT(!find(&usage, STK_FINDING_OUTPUT_GROWS));
}

STK_TEST(gpu_that_starts_late_is_found)
{
    const stk_machine_info machine = make_clean(1);
    for (size_t i = 0; i < 60; i++)
        samples[i].gpus[0].utilisation = 0;
    const stk_usage    usage = judge(&machine);
    const stk_finding *f = find(&usage, STK_FINDING_GPU_LATE);
    EXPECT(f && f->value == 30);
    EXPECT_INT_EQ(STK_USAGE_GPU, usage.limit); /* from then on it is busy */
}

STK_TEST(gpu_that_is_never_used_is_found)
{
    const stk_machine_info machine = make_clean(1);
    for (size_t i = 0; i < COUNT; i++)
        samples[i].gpus[0] = (stk_gpu_sample){.memory_used = 5e8};
    const stk_usage usage = judge(&machine);
    EXPECT(find(&usage, STK_FINDING_GPU_UNUSED) != NULL);
    EXPECT(!usage.gpus[0].used);
    EXPECT_INT_EQ(STK_USAGE_LATENCY, usage.limit);
}

STK_TEST(state_of_the_gpu_is_found)
{
    stk_machine_info machine = make_clean(2);
    machine.gpus[1].persistence = 0;
    for (size_t i = 0; i < COUNT; i++)
        samples[i].gpus[0].throttled = i % 2;
    const stk_usage usage = judge(&machine);
    EXPECT(find(&usage, STK_FINDING_PERSISTENCE) != NULL);
    EXPECT(find(&usage, STK_FINDING_THROTTLED) != NULL);
    EXPECT_INT_EQ(2, usage.finding_count);
}

STK_TEST(sleep_of_the_machine_is_a_gap_and_nothing_else)
{
    const stk_machine_info machine = make_clean(1);
    for (size_t i = COUNT / 2; i < COUNT; i++)
        samples[i].seconds += 3600;
    const stk_usage usage = judge(&machine);
    EXPECT(find(&usage, STK_FINDING_GAP) != NULL);
    EXPECT_INT_EQ(1, usage.finding_count);
}

/* The case studies: a GPU that waits, and what for. */
STK_TEST(gpu_that_waits_is_walked_back_to_its_cause)
{
    static const struct {
        double               own, waiting, cpu, disk, iowait;
        stk_usage_bottleneck limit;
    } cases[] = {
        {7.7, 0, 0.97, 0, 0, STK_USAGE_CORES},     {1.0, 2, 0.97, 0, 0, STK_USAGE_OTHERS},
        {0.4, 0, 0.97, 0, 0, STK_USAGE_LATENCY}, /* others have the cores, but it wants none */
        {0.5, 0, 0.1, 0.99, 0.1, STK_USAGE_DISK},  {0.5, 0, 0.1, 0.2, 0.6, STK_USAGE_DISK},
        {1.02, 0, 0.15, 0.1, 0, STK_USAGE_THREAD}, {0.4, 0, 0.1, 0, 0, STK_USAGE_LATENCY},
    };
    for (size_t k = 0; k < COUNT_OF(cases); k++)
        for (int gpus = 0; gpus < 2; gpus++) {
            const stk_machine_info machine = make_clean(gpus);
            for (size_t i = 0; i < COUNT; i++) {
                samples[i].gpus[0].utilisation = 0.25 + 0.1 * noise(i);
                samples[i].own_cores = cases[k].own;
                samples[i].own_waiting = cases[k].waiting;
                samples[i].cpu = cases[k].cpu;
                samples[i].disk_busy = cases[k].disk;
                samples[i].iowait = cases[k].iowait;
            }
            const stk_usage usage = judge(&machine);
            EXPECT_INT_EQ(cases[k].limit, usage.limit);
            EXPECT(usage.verdict[0] && usage.advice[0]);
            EXPECT((strstr(usage.verdict, "GPU") != NULL) == (gpus == 1));
        }
}

STK_TEST(trend_knows_how_sure_it_is)
{
    double x[50], y[50];
    for (size_t i = 0; i < 50; i++) {
        x[i] = (double)i;
        y[i] = 3 * (double)i + 20 * noise(i);
    }
    y[10] = 1e6; /* an outlier moves nothing */
    stk_trend trend = stk_trend_of(x, y, 50);
    EXPECT(trend.low < 3 && trend.high > 3 && trend.low > 2 && trend.high < 4);
    for (size_t i = 0; i < 50; i++)
        y[i] = 20 * noise(i);
    trend = stk_trend_of(x, y, 50);
    EXPECT(trend.low < 0 && trend.high > 0);
    trend = stk_trend_of(x, y, 3);
    EXPECT(trend.slope == 0 && trend.points == 3);
}

STK_TEST(judgement_is_valid_json)
{
    const stk_machine_info machine = make_clean(1);
    const stk_usage        usage = judge(&machine);
    const stk_json_value  *root;
    stk_json_document     *document;
    stk_json_writer        json;
    stk_blob               text;
    stk_error              err;
    stk_blob_init(&text, NULL, STK_MEMORY_OUTPUT);
    stk_json_begin(&json, &text, 2);
    stk_json_object(&json);
    stk_usage_write(&usage, &json);
    stk_json_object_end(&json);
    EXPECT_OK(stk_json_end(&json, &err));
    EXPECT_OK(stk_json_parse(&document, stk_blob_bytes(&text), "usage", &err));
    root = stk_json_root(document);
    EXPECT(stk_json_get(root, "limit") != NULL);
    EXPECT_INT_EQ(STK_JSON_NULL,
                  stk_json_type_of(stk_json_get(stk_json_get(root, "samples_per_s"), "median")));
    stk_json_document_free(document);
    stk_blob_release(&text);
}

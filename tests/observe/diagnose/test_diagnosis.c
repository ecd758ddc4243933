/* For each cause a recording that has it, and clean ones that have none. */
#include "harness.h"
#include "simulator.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static stk_diagnosis diagnose(const stk_profile *p)
{
    stk_error     err;
    stk_diagnosis d;
    EXPECT_OK(stk_diagnose(&d, p, &err));
    return d;
}

static stk_profile recording(const simulation *s)
{
    stk_profile p;
    stk_profile_init(&p);
    simulate(s, &p);
    strcpy(p.run.data, "packed");
    strcpy(p.run.model, "lenet");
    return p;
}

static stk_profile faulty(stk_stage stage, double mean_ns, int64_t every, int helpers)
{
    simulation s = simulation_usual();
    s.mean_ns[stage] = mean_ns;
    s.every[stage] = every;
    s.helpers = helpers;
    return recording(&s);
}

static const stk_fix *fix_with(const stk_diagnosis *d, const char *text)
{
    for (size_t i = 0; i < d->fix_count; i++)
        if (strstr(d->fixes[i].title, text) || strstr(d->fixes[i].command, text))
            return &d->fixes[i];
    fail_msg("no fix has '%s' (verdict: %s)", text, d->verdict);
    return NULL;
}

static void expect_limit(const stk_diagnosis *d, stk_stage stage, stk_cause cause)
{
    if (d->limit.stage != stage || d->limit.cause != cause)
        fail_msg("expected %s by %s, got %s by %s: %s", stk_stage_name(stage),
                 stk_cause_name(cause), stk_stage_name(d->limit.stage),
                 stk_cause_name(d->limit.cause), d->verdict);
    EXPECT(d->confidence > 0.95);
}

/* So many samples a second apart: memory from 1 GB on, a core that is busy but for dips. */
static void use(stk_profile *p, size_t count, double grown_a_second, size_t dip_every)
{
    p->machine = (stk_machine_info){.cores = 4, .memory = 64000000000u, .link_bytes = -1};
    p->resources = calloc(count, sizeof *p->resources);
    p->resource_count = count;
    for (size_t i = 0; i < count; i++) {
        const bool low = dip_every && i % dip_every < 2;
        p->resources[i] = (stk_resource_sample){.seconds = (double)(i + 1),
                                                .cpu = 0.3,
                                                .own_cores = low ? 0.1 : 2,
                                                .own_memory = 1e9 + grown_a_second * (double)i,
                                                .swap_used = -1,
                                                .rate = 100};
    }
}

static const stk_usage_note *find_note(const stk_diagnosis *d, const char *name)
{
    for (size_t i = 0; i < d->finding_count; i++)
        if (strcmp(d->findings[i].name, name) == 0) return &d->findings[i];
    return NULL;
}

STK_TEST(leaks_and_dips_of_own_runs_are_told)
{
    const simulation s = simulation_usual();
    const struct {
        double      grown;
        size_t      dip_every;
        const char *cache;
        int64_t     data_count;
        bool        leak, dips;
    } cases[] = {
        {0, 0, "none", 5000, false, false},      {2e6, 0, "none", 5000, true, false},
        {0, 20, "none", 5000, false, true},      {2e6, 20, "disk", 5000, true, true},
        {2e6, 0, "memory", 50000, false, false}, /* it fills all the time */
        {2e6, 0, "memory", 5000, true, false},   /* full after 50 s */
        {2e6, 0, "memory", 0, false, false},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        stk_profile p = recording(&s);
        use(&p, 300, cases[i].grown, cases[i].dip_every);
        strcpy(p.run.cache, cases[i].cache);
        p.run.data_count = cases[i].data_count;
        const stk_diagnosis   d = diagnose(&p);
        const stk_usage_note *leak = find_note(&d, "leak"), *dips = find_note(&d, "cpu-dips");
        EXPECT_INT_EQ(cases[i].leak, leak != NULL);
        EXPECT_INT_EQ(cases[i].dips, dips != NULL);
        if (leak) EXPECT(strstr(leak->sentence, "grows by 120 MB a minute"));
        if (dips) EXPECT(strstr(dips->sentence, "every 20 s"));
        stk_profile_release(&p);
    }
}

STK_TEST(a_clean_run_is_limited_by_compute_as_it_should)
{
    static const double variations[] = {0.05, 0.3, 0.6};
    for (size_t v = 0; v < COUNT_OF(variations); v++)
        for (int helpers = 0; helpers < 3; helpers++) {
            simulation s = simulation_usual();
            s.helpers = helpers;
            s.mean_ns[STK_STAGE_PREPROCESS] = 3e5;
            for (int k = 0; k < STK_STAGE_COUNT; k++)
                s.cv[k] = variations[v];
            stk_profile         p = recording(&s);
            const stk_diagnosis d = diagnose(&p);
            expect_limit(&d, STK_STAGE_COMPUTE, STK_CAUSE_COMPUTE);
            EXPECT(d.compute_share > 0.85);
            EXPECT_INT_EQ(1, d.limit_count);
            stk_profile_release(&p);
        }
}

STK_TEST(every_stage_is_found_in_its_three_strengths)
{
    static const struct {
        stk_stage stage;
        stk_cause cause;
        int64_t   every;
    } cases[] = {{STK_STAGE_HOST_TO_DEVICE, STK_CAUSE_COPY, 0},
                 {STK_STAGE_ALLREDUCE, STK_CAUSE_ALLREDUCE, 0},
                 {STK_STAGE_DEVICE_TO_HOST, STK_CAUSE_FETCH, 0},
                 {STK_STAGE_OUTPUT, STK_CAUSE_CALLBACK, 0},
                 {STK_STAGE_WRITE, STK_CAUSE_WRITE, 10},
                 {STK_STAGE_NONE, STK_CAUSE_OTHER, 0}};
    static const double losses[] = {0.2, 0.4, 0.7};
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        for (size_t l = 0; l < COUNT_OF(losses); l++) {
            const double mean = 4.1e6 * losses[l] / (1 - losses[l]);
            stk_profile  p =
                faulty(cases[i].stage, mean * (cases[i].every ? 10 : 1), cases[i].every, 2);
            const stk_diagnosis d = diagnose(&p);
            expect_limit(&d, cases[i].stage, cases[i].cause);
            EXPECT(fabs(d.limit.share.value - losses[l]) < 0.03);
            EXPECT(d.limit.share.low < d.limit.share.value);
            EXPECT_INT_EQ(STK_STAGE_COMPUTE, d.limit.next);
            EXPECT(cases[i].stage == STK_STAGE_NONE || d.fix_count > 0);
            stk_profile_release(&p);
        }
}

STK_TEST(slow_reading_is_found_and_told_by_bandwidth_or_latency)
{
    for (int helpers = 0; helpers < 3; helpers++) {
        stk_profile p = faulty(STK_STAGE_READ, 9e6, 0, helpers);
        strcpy(p.run.data, "photos");
        strcpy(p.run.kind, "folder");
        p.stages[STK_STAGE_READ].bytes = p.measured_ns / 1e9 * 95e6;
        p.stages[STK_STAGE_READ].busy_ns = p.measured_ns;
        p.limits.disk_bytes = 100e6;
        stk_diagnosis d = diagnose(&p);
        expect_limit(&d, STK_STAGE_READ, STK_CAUSE_READ_BANDWIDTH);
        p.limits.disk_bytes = 2e9;
        d = diagnose(&p);
        expect_limit(&d, STK_STAGE_READ, STK_CAUSE_READ_LATENCY);
        EXPECT_CONTAINS("stoker pack photos photos-packed",
                        fix_with(&d, "pack the files")->command);
        p.stages[STK_STAGE_READ].busy_ns = 6 * p.measured_ns;
        d = diagnose(&p);
        expect_limit(&d, STK_STAGE_READ, STK_CAUSE_READ_BANDWIDTH);
        EXPECT(fix_with(&d, "data.cache=memory")->gain > 0.5);
        stk_profile_release(&p);
    }
}

STK_TEST(slow_preprocessing_wants_threads_where_cores_are_free)
{
    for (int helpers = 0; helpers < 3; helpers++) {
        stk_profile         p = faulty(STK_STAGE_PREPROCESS, 20e6, 0, helpers);
        const stk_diagnosis d = diagnose(&p);
        expect_limit(&d, STK_STAGE_PREPROCESS, STK_CAUSE_WORKERS);
        const stk_fix *fix = fix_with(&d, "--input-threads");
        EXPECT_CONTAINS("knobs: {threads: 1, input_threads: ", fix->recipe);
        EXPECT(fix->gain > 0.5 && !fix->changes_training);
        stk_profile_release(&p);
    }
}

STK_TEST(slow_preprocessing_without_free_cores_says_so)
{
    stk_profile p = faulty(STK_STAGE_PREPROCESS, 3e6, 0, 0);
    p.machine.cores = p.run.threads = 2;
    p.run.size = 224;
    p.run.stored_width = 2 * (p.run.stored_height = 512);
    const stk_diagnosis d = diagnose(&p);
    expect_limit(&d, STK_STAGE_PREPROCESS, STK_CAUSE_CORES);
    EXPECT(fix_with(&d, "--resize")->gain > 0.1);
    stk_profile_release(&p);
}

STK_TEST(threads_that_wait_for_cores_are_contention)
{
    stk_profile p = faulty(STK_STAGE_PREPROCESS, 20e6, 0, 2);
    p.stages[STK_STAGE_PREPROCESS].cpu_ns = 1e9;
    p.stages[STK_STAGE_PREPROCESS].runnable_ns = 1e9;
    const stk_diagnosis d = diagnose(&p);
    expect_limit(&d, STK_STAGE_PREPROCESS, STK_CAUSE_CONTENTION);
    stk_profile_release(&p);
}

STK_TEST(uneven_input_is_told_from_slow_input)
{
    simulation s = simulation_usual();
    s.mean_ns[STK_STAGE_PREPROCESS] = 6.5e6;
    s.cv[STK_STAGE_PREPROCESS] = 2;
    s.buffer = 2;
    stk_profile         p = recording(&s);
    const stk_diagnosis d = diagnose(&p);
    EXPECT_INT_EQ(STK_STAGE_PREPROCESS, d.limit.stage);
    EXPECT_INT_EQ(STK_CAUSE_VARIANCE, d.limit.cause);
    EXPECT_CONTAINS("uneven", d.verdict);
    stk_profile_release(&p);
}

STK_TEST(two_faults_are_the_two_first_limits)
{
    static const stk_stage pairs[][2] = {{STK_STAGE_OUTPUT, STK_STAGE_WRITE},
                                         {STK_STAGE_ALLREDUCE, STK_STAGE_HOST_TO_DEVICE},
                                         {STK_STAGE_PREPROCESS, STK_STAGE_OUTPUT}};
    for (size_t i = 0; i < COUNT_OF(pairs); i++) {
        simulation s = simulation_usual();
        s.helpers = 0;
        s.mean_ns[pairs[i][0]] = 4e6;
        s.mean_ns[pairs[i][1]] = 2e6;
        stk_profile         p = recording(&s);
        const stk_diagnosis d = diagnose(&p);
        EXPECT_INT_EQ(pairs[i][0], d.limits[0].stage);
        EXPECT_INT_EQ(pairs[i][1], d.limits[1].stage);
        EXPECT_INT_EQ(pairs[i][1], d.limit.next);
        stk_profile_release(&p);
    }
}

STK_TEST(a_fault_behind_another_is_told_as_the_next)
{
    simulation s = simulation_usual();
    s.mean_ns[STK_STAGE_READ] = 20e6;
    s.mean_ns[STK_STAGE_PREPROCESS] = 24e6; /* twelve with two helpers: hidden by the reads */
    stk_profile         p = recording(&s);
    const stk_diagnosis d = diagnose(&p);
    EXPECT_INT_EQ(STK_STAGE_READ, d.limits[0].stage);
    EXPECT_INT_EQ(STK_STAGE_PREPROCESS, d.limits[1].stage);
    stk_profile_release(&p);
}

static void add_op(stk_profile *p, const char *name, double flops, uint64_t ns)
{
    p->ops = realloc(p->ops, (p->op_count + 1) * sizeof *p->ops);
    stk_profile_op *op = &p->ops[p->op_count++];
    *op = (stk_profile_op){.operation = "conv2d", .flops = flops, .bytes = 1e3, .runs = 10};
    snprintf(op->name, sizeof op->name, "%s", name);
    op->ns = ns;
}

STK_TEST(an_operation_far_from_the_roofline_is_named)
{
    simulation  s = simulation_usual();
    stk_profile p = recording(&s);
    p.limits.flops = p.limits.memory_bytes = 1e11;
    add_op(&p, "stem", 1e8, 40000000);
    add_op(&p, "odd", 2e7, 10000000); /* forward and backward are told together */
    add_op(&p, "odd", 2e7, 20000000);
    add_op(&p, "head", 1e8, 30000000);
    const stk_diagnosis d = diagnose(&p);
    EXPECT_INT_EQ(STK_STAGE_COMPUTE, d.limit.stage);
    EXPECT_CONTAINS("compute", d.verdict);
    EXPECT_CONTAINS("stem", fix_with(&d, "make smaller operation")->title);
    p.ops[2].ns = 90000000;
    const stk_diagnosis worse = diagnose(&p);
    expect_limit(&worse, STK_STAGE_COMPUTE, STK_CAUSE_OPERATION);
    EXPECT_CONTAINS("odd", fix_with(&worse, "replace operation")->title);
    EXPECT(fix_with(&worse, "replace operation")->gain > 0.5);
    stk_profile_release(&p);
}

STK_TEST(a_batch_that_is_too_small_is_found_by_measured_rates)
{
    simulation  s = simulation_usual();
    stk_profile p = recording(&s);
    p.batches = calloc(3, sizeof *p.batches);
    p.batch_count = 3;
    for (int i = 0; i < 3; i++)
        p.batches[i] = (stk_profile_batch){.batch = 64 << i, .samples_per_s = 16e3 * (1 + i)};
    const stk_diagnosis d = diagnose(&p);
    expect_limit(&d, STK_STAGE_COMPUTE, STK_CAUSE_LAUNCH);
    const stk_fix *fix = fix_with(&d, "--batch 256");
    EXPECT(fix->changes_training && fix->gain > 1.5 && fix->gain < 2.1);
    p.largest_batch = 128;
    const stk_diagnosis small = diagnose(&p);
    EXPECT(fix_with(&small, "--batch 128")->gain > 0.7);
    p.largest_batch = 0;
    p.run.data_count = 200; /* a batch of 256 would be refused */
    const stk_diagnosis few = diagnose(&p);
    EXPECT(fix_with(&few, "--batch 128")->gain > 0.7);
    stk_profile_release(&p);
}

/* A run on a GPU that computes for this share of the time and is told what to do for another. */
static stk_profile on_a_gpu(double busy, double launch)
{
    simulation  s = simulation_usual();
    stk_profile p = recording(&s);
    strcpy(p.device.name, "NVIDIA H200");
    strcpy(p.run.precision, "fp32");
    p.device.work_ns = busy * p.measured_ns;
    p.device.launch_ns = launch * p.measured_ns;
    p.limits.flops = 50e12;
    p.limits.memory_bytes = 4e12;
    p.limits.launch_ns = 2000;
    return p;
}

/* Ten runs of 100 us each, at these shares of what the GPU gives. */
static void add_gpu_op(stk_profile *p, const char *name, double flops, double bytes)
{
    add_op(p, name, flops * 50e12 * 1e-4, 1000000);
    p->ops[p->op_count - 1].bytes = bytes * 4e12 * 1e-4;
}

STK_TEST(a_gpu_that_waits_to_be_told_is_launch_bound)
{
    stk_profile         p = on_a_gpu(0.3, 0.9);
    const stk_diagnosis d = diagnose(&p);
    expect_limit(&d, STK_STAGE_COMPUTE, STK_CAUSE_LAUNCH);
    EXPECT_CONTAINS("waits to be told", d.verdict);
    EXPECT(fix_with(&d, "play recorded steps")->gain > 1);
    stk_profile_release(&p);
    p = on_a_gpu(0.97, 0.9); /* it is told ahead of time */
    const stk_diagnosis ahead = diagnose(&p);
    expect_limit(&ahead, STK_STAGE_COMPUTE, STK_CAUSE_COMPUTE);
    stk_profile_release(&p);
}

STK_TEST(kernels_that_take_no_longer_than_their_start_are_launch_bound)
{
    stk_profile p = on_a_gpu(0.97, 0.1);
    for (int i = 0; i < 8; i++) {
        char name[16];
        snprintf(name, sizeof name, "tiny%d", i);
        add_op(&p, name, 1e3, 30000); /* ten runs of 3 us */
    }
    const stk_diagnosis d = diagnose(&p);
    expect_limit(&d, STK_STAGE_COMPUTE, STK_CAUSE_LAUNCH);
    stk_profile_release(&p);
}

STK_TEST(a_gpu_is_bound_by_its_memory_or_by_arithmetic)
{
    for (int math = 0; math < 2; math++) {
        stk_profile p = on_a_gpu(0.97, 0.1);
        for (int i = 0; i < 8; i++) {
            char name[16];
            snprintf(name, sizeof name, "layer%d", i);
            add_gpu_op(&p, name, math ? 0.8 : 0.1, math ? 0.3 : 0.85);
        }
        add_gpu_op(&p, "middling", 0.3, 0.3);
        stk_diagnosis d = diagnose(&p);
        expect_limit(&d, STK_STAGE_COMPUTE, math ? STK_CAUSE_MATH : STK_CAUSE_MEMORY);
        EXPECT_CONTAINS(math ? "arithmetic" : "memory", d.verdict);
        const stk_fix *fix = fix_with(&d, "--precision fp16");
        /* A number would be a guess: an H200 gave eight times where half was told. */
        EXPECT(fix->changes_training && fix->samples_per_s.value < 0 && fix->gain == 0);
        strcpy(p.run.precision, "fp16");
        d = diagnose(&p);
        for (size_t i = 0; i < d.fix_count; i++)
            EXPECT(!strstr(d.fixes[i].command, "--precision"));
        stk_profile_release(&p);
    }
}

STK_TEST(copies_and_results_that_a_gpu_waits_for_are_named)
{
    static const stk_stage stages[] = {STK_STAGE_HOST_TO_DEVICE, STK_STAGE_DEVICE_TO_HOST};
    for (int i = 0; i < 2; i++) {
        stk_profile p = faulty(stages[i], 3e6, 0, 2);
        p.device.work_ns = 0.5 * p.measured_ns;
        p.device.launch_ns = 0.1 * p.measured_ns;
        const stk_diagnosis d = diagnose(&p);
        expect_limit(&d, stages[i], i ? STK_CAUSE_FETCH : STK_CAUSE_COPY);
        EXPECT_CONTAINS("steps_in_flight: 2",
                        fix_with(&d, i ? "results come late" : "while the GPU computes")->recipe);
        stk_profile_release(&p);
    }
}

STK_TEST(a_recording_of_another_tool_has_the_same_classes)
{
    stk_profile p = on_a_gpu(0.2, 0.8);
    strcpy(p.run.source, "PyTorch Kineto");
    strcpy(p.program.framework, "pytorch");
    const stk_diagnosis d = diagnose(&p);
    EXPECT_INT_EQ(STK_CAUSE_LAUNCH, d.limit.cause);
    EXPECT_STR_EQ("", fix_with(&d, "CUDA graphs")->command);
    EXPECT_CONTAINS("torch.compile", fix_with(&d, "CUDA graphs")->code);
    stk_profile_release(&p);
}

STK_TEST(rows_of_capacity_name_the_one_that_binds)
{
    stk_profile p = faulty(STK_STAGE_OUTPUT, 6e6, 0, 2);
    p.stages[STK_STAGE_READ].bytes = p.measured_ns / 1e9 * 50e6;
    p.limits.disk_bytes = 100e6;
    const stk_diagnosis d = diagnose(&p);
    bool                disk = false;
    EXPECT(d.row_count >= 8);
    for (size_t i = 0; i < 8; i++) {
        EXPECT_INT_EQ(d.rows[i].stage == STK_STAGE_OUTPUT, d.rows[i].binding);
        EXPECT(d.rows[i].utilisation <= 1);
    }
    for (size_t i = 8; i < d.row_count; i++)
        if (strcmp(d.rows[i].name, "disk") == 0) {
            disk = true;
            EXPECT(fabs(d.rows[i].utilisation - 0.5) < 0.01);
        }
    EXPECT(disk);
    stk_profile_release(&p);
}

STK_TEST(each_phase_has_its_share_and_its_limit)
{
    stk_profile p = faulty(STK_STAGE_WRITE, 3e7, 10, 2);
    p.evaluation_ns = p.measured_ns;
    p.evaluations = 3;
    p.evaluation_stages_ns[STK_STAGE_READ] = (uint64_t)(0.8 * p.evaluation_ns);
    p.evaluation_stages_ns[STK_STAGE_COMPUTE] = (uint64_t)(0.2 * p.evaluation_ns);
    p.stages[STK_STAGE_WRITE].blocked_ns = 0.9 * p.stages[STK_STAGE_WRITE].exposed_ns;
    const stk_diagnosis      d = diagnose(&p);
    const stk_phase_verdict *train = &d.phases[0], *evaluate = &d.phases[1];
    const stk_phase_verdict *checkpoint = &d.phases[2];
    EXPECT_INT_EQ(3, d.phase_count);
    EXPECT_STR_EQ("train", train->name);
    EXPECT_STR_EQ("evaluate", evaluate->name);
    EXPECT_STR_EQ("checkpoint", checkpoint->name);
    EXPECT_INT_EQ(STK_STAGE_COMPUTE, train->stage);
    EXPECT_INT_EQ(STK_STAGE_READ, evaluate->stage);
    EXPECT(fabs(evaluate->share - 0.5) < 1e-6 && fabs(evaluate->stage_share - 0.8) < 1e-6);
    EXPECT_INT_EQ(3, evaluate->times);
    EXPECT_CONTAINS("S1 read takes 80 %", evaluate->sentence);
    EXPECT_CONTAINS("until the checkpoint before is written", checkpoint->sentence);
    EXPECT(fabs(train->share + evaluate->share + checkpoint->share - 1) < 1e-9);
    stk_profile_release(&p);
}

STK_TEST(a_trace_that_does_not_tell_of_evaluations_says_so)
{
    stk_profile p = faulty(STK_STAGE_COMPUTE, 4e6, 0, 2);
    p.evaluation_ns = p.measured_ns / 4;
    const stk_diagnosis d = diagnose(&p);
    EXPECT_INT_EQ(2, d.phase_count);
    EXPECT_CONTAINS("is not told", d.phases[1].sentence);
    EXPECT(d.phases[1].stage_share == -1);
    stk_profile_release(&p);
}

STK_TEST(poor_recordings_are_warned_of)
{
    simulation  s = simulation_usual();
    stk_profile p = recording(&s);
    p.step_count = 40;
    p.trace_dropped = 7;
    strcpy(p.run.source, "PyTorch");
    p.stages[STK_STAGE_COMPUTE].cpu_ns = p.stages[STK_STAGE_COMPUTE].runnable_ns = 1e9;
    const stk_diagnosis d = diagnose(&p);
    EXPECT_INT_EQ(4, d.warning_count);
    EXPECT_CONTAINS("like steps", d.warnings[0]);
    EXPECT_CONTAINS("7 events", d.warnings[1]);
    EXPECT_CONTAINS("PyTorch", d.warnings[2]);
    EXPECT_CONTAINS("without a core", d.warnings[3]);
    EXPECT_INT_EQ(STK_CAUSE_CONTENTION, d.limit.cause);
    EXPECT(fix_with(&d, "end other programs")->gain > 0.5);
    stk_profile_release(&p);
}

STK_TEST(too_few_steps_and_empty_profiles_give_no_verdict)
{
    simulation  s = simulation_usual();
    stk_profile p = recording(&s);
    p.step_count = 8;
    stk_diagnosis d = diagnose(&p);
    EXPECT_CONTAINS("nothing can be said", d.verdict);
    EXPECT(d.confidence == 0 && d.samples_per_s.value == -1);
    stk_profile_release(&p);
    d = diagnose(&p);
    EXPECT_CONTAINS("nothing can be said", d.verdict);
}

STK_TEST(totals_without_steps_are_judged_with_a_warning)
{
    stk_profile p = faulty(STK_STAGE_OUTPUT, 6e6, 0, 0);
    free(p.step_list);
    p.step_list = NULL;
    p.step_count = 0;
    const stk_diagnosis d = diagnose(&p);
    EXPECT_INT_EQ(STK_STAGE_OUTPUT, d.limit.stage);
    EXPECT_CONTAINS("no single steps", d.warnings[0]);
    stk_profile_release(&p);
}

STK_TEST(a_diagnosis_is_valid_json)
{
    stk_error           err;
    stk_blob            json;
    stk_json_document  *doc;
    stk_profile         p = faulty(STK_STAGE_OUTPUT, 6e6, 0, 2);
    const stk_diagnosis d = diagnose(&p);
    stk_blob_init(&json, NULL, STK_MEMORY_OUTPUT);
    EXPECT_OK(stk_diagnosis_write(&d, &json, &err));
    EXPECT_OK(stk_json_parse(&doc, stk_blob_bytes(&json), "diagnosis", &err));
    const stk_json_value *root = stk_json_root(doc);
    const stk_json_value *limit = stk_json_get(root, "limit");
    EXPECT_STR_EQ("S7 output", stk_json_text(stk_json_get(limit, "stage"), ""));
    EXPECT_STR_EQ("callback", stk_json_text(stk_json_get(limit, "cause"), ""));
    EXPECT_INT_EQ(d.fix_count, stk_json_count(stk_json_get(root, "fixes")));
    EXPECT_INT_EQ(d.evidence_count, stk_json_count(stk_json_get(root, "evidence")));
    stk_json_document_free(doc);
    stk_blob_release(&json);
    stk_profile_release(&p);
}

static stk_status diagnose_and_write(void *context, stk_error *err)
{
    stk_diagnosis d;
    stk_blob      json;
    stk_blob_init(&json, NULL, STK_MEMORY_OUTPUT);
    stk_status st = stk_diagnose(&d, context, err);
    if (!st) st = stk_diagnosis_write(&d, &json, err);
    stk_blob_release(&json);
    return st;
}

STK_TEST(every_allocation_may_fail)
{
    stk_profile p = faulty(STK_STAGE_OUTPUT, 6e6, 0, 2);
    p.step_count = 60;
    stk_test_fail_each_allocation(diagnose_and_write, &p);
    stk_profile_release(&p);
}

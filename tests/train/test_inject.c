/* Faults on purpose: what is said is understood, each slows its own stage, and none changes what is
 * learnt. */
#include "train/tiny_data.h"
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <stoker/train_bench.h>
#include <string.h>

STK_TEST(every_fault_is_read_and_printed_the_same)
{
    static const char *const same[] = {
        "read=20MB/s",  "read-latency=5ms", "preprocess=50us",    "copy=10x",
        "op=0.25x",     "allreduce=5ms",    "allreduce=50MB/s",   "fetch=50MB",
        "callback=5ms", "write=8MB/10",     "callback=5ms:sleep", "read=1.5GB/s",
        "write=500KB",  "preprocess=1.5s",  "copy=2x,fetch=1MB",  "fetch=512B"};
    char      text[512];
    stk_error err;
    for (size_t i = 0; i < COUNT_OF(same); i++) {
        stk_inject inject = {0};
        EXPECT_OK(stk_inject_parse(&inject, same[i], &err));
        EXPECT_STR_EQ(same[i], stk_inject_text(&inject, text, sizeof text));
    }
    stk_inject none = {0};
    EXPECT_STR_EQ("", stk_inject_text(&none, text, sizeof text));
    EXPECT_STR_EQ("", stk_inject_text(NULL, text, sizeof text));
}

static void count_note(void *context, const char *text)
{
    EXPECT_STR_EQ("--inject share is now called --inject allreduce", text);
    ++*(int *)context;
}

STK_TEST(a_former_name_of_a_fault_works_and_is_noted)
{
    int                     notes = 0;
    stk_inject              inject = {0};
    stk_error               err;
    const stk_params_source source = {
        .component = "inject", .prefix = "--inject ", .note = count_note, .context = &notes};
    EXPECT_OK(stk_inject_parse_from(&inject, "read=1MB/s,share=2ms", &source, &err));
    EXPECT(inject.allreduce_s == 2e-3 && notes == 1);
    EXPECT_OK(stk_inject_parse_from(&inject, "allreduce=3ms", &source, &err));
    EXPECT(inject.allreduce_s == 3e-3 && notes == 1);
    EXPECT_STATUS(STK_E_INVALID, stk_inject_parse(&inject, "share=1ms,allreduce=2ms", &err));
    EXPECT_CONTAINS("share is its former name", err.message);
    EXPECT(inject.allreduce_s == 3e-3);
}

STK_TEST(faults_add_up_and_the_last_word_counts)
{
    stk_inject inject = {0};
    char       text[512];
    stk_error  err;
    EXPECT_OK(stk_inject_parse(&inject, "callback=5ms:cpu,read=20000KB/s", &err));
    EXPECT_OK(stk_inject_parse(&inject, "write=1GB/100", &err));
    EXPECT_OK(stk_inject_parse(&inject, "allreduce=2ms", &err));
    EXPECT_OK(stk_inject_parse(&inject, "allreduce=1MB/s", &err));
    EXPECT_STR_EQ("read=20MB/s,allreduce=1MB/s,callback=5ms,write=1GB/100",
                  stk_inject_text(&inject, text, sizeof text));
    EXPECT(strlen(stk_inject_text(&inject, text, 10)) < 10);
    EXPECT_OK(stk_inject_parse(&inject, "read=1MB/s,callback=0s", &err));
    EXPECT(!strstr(stk_inject_text(&inject, text, sizeof text), "callback"));
}

STK_TEST(what_is_no_fault_is_refused_and_changes_nothing)
{
    static const char *const wrong[] = {"",
                                        "red=1MB/s",
                                        "read",
                                        "read=",
                                        "read=20",
                                        "read=20MB",
                                        "read=-1MB/s",
                                        "read=1KB/s",
                                        "read=nanMB/s",
                                        "copy=10",
                                        "copy=ten",
                                        "op=2000x",
                                        "allreduce=5",
                                        "callback=5ms:x",
                                        "callback=5mss",
                                        "write=8MB/",
                                        "write=8MB/0",
                                        "write=8MB/x",
                                        "write=8MB/1.5",
                                        "fetch=1TB",
                                        "read=1MB/s,",
                                        ",read=1MB/s",
                                        "preprocess=1m",
                                        "preprocess=11s",
                                        "write=8MB/10:cpu"};
    stk_inject               inject = {0};
    char                     text[512];
    stk_error                err;
    EXPECT_OK(stk_inject_parse(&inject, "copy=3x", &err));
    for (size_t i = 0; i < COUNT_OF(wrong); i++)
        EXPECT_STATUS(STK_E_INVALID, stk_inject_parse(&inject, wrong[i], &err));
    EXPECT_STATUS(STK_E_INVALID, stk_inject_parse(&inject, "callback=1ms,red=1MB/s", &err));
    EXPECT(strstr(err.message, "read-latency, preprocess"));
    EXPECT_STR_EQ("red=1MB/s", err.where);
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = 0;
    EXPECT_STATUS(STK_E_INVALID, stk_inject_parse(&inject, text, &err));
    EXPECT_STR_EQ("copy=3x", stk_inject_text(&inject, text, sizeof text));
}

STK_TEST(help_has_a_row_for_each)
{
    const char *usage, *meaning;
    size_t      count = 0;
    for (; (usage = stk_inject_help_at(count, &meaning)) != NULL; count++)
        EXPECT(strchr(usage, '=') && meaning[0] == 'S' && meaning[2] == ':');
    EXPECT_INT_EQ(9, count);
}

typedef struct run {
    stk_meter_totals totals;
    stk_bytes        weights;
    char             inject[STK_PROFILE_LINE];
    char             log[4096];
    bool             interrupted;
} run;

static void log_line(void *context, const char *line)
{
    run *r = context;
    snprintf(r->log + strlen(r->log), sizeof r->log - strlen(r->log), "%s\n", line);
}

static void stop_at(void *context, const stk_train_progress *p)
{
    if (p->step == 5) stk_cancel_request(context);
}

enum { STEPS = 12 };

/* STEPS steps of one net on one data set, with faults; name is the run's. */
static run train(const char *name, const char *faults, bool stop, bool resume)
{
    stk_train_recipe recipe;
    stk_train_data   data;
    stk_train_result result;
    stk_trainer     *trainer;
    stk_profile      profile;
    stk_error        err;
    run              out = {0};
    char             path[1024];
    stk_inject       inject = {0};
    stk_cancel       cancel = {0};
    const char      *folder = stk_test_path(name);
    tiny_recipe(&recipe, &data, tiny_data("data", 96, 16, 4), folder,
                (const char *const[]){"train.steps", "12", "data.validation", "none",
                                      "knobs.threads", "1", "knobs.input_threads", "1",
                                      "train.deterministic", "true", NULL});
    if (faults) EXPECT_OK(stk_inject_parse(&inject, faults, &err));
    const stk_callback        callback = {.name = "stop", .on_step = stop_at, .context = &cancel};
    const stk_trainer_options options = {.inject = &inject,
                                         .resume = resume,
                                         .cancel = &cancel,
                                         .callbacks = &callback,
                                         .callback_count = stop,
                                         .log = log_line,
                                         .log_context = &out};
    EXPECT_OK(stk_trainer_open(&trainer, &recipe, &data, &options, &err));
    EXPECT_OK(stk_trainer_run(trainer, &result, &err));
    EXPECT_OK(stk_trainer_profile(trainer, &profile, &err));
    snprintf(out.inject, sizeof out.inject, "%s", profile.run.inject);
    stk_profile_release(&profile);
    stk_meter_read(stk_trainer_meter(trainer), &out.totals);
    out.interrupted = result.interrupted;
    stk_trainer_free(trainer);
    stk_train_data_release(&data);
    if (stop) return out;
    snprintf(path, sizeof path, "%s/final.safetensors", folder);
    out.weights = stk_test_read_file(path);
    return out;
}

static double exposed_ms(const run *r, stk_stage stage)
{
    return (double)r->totals.stages[stage].exposed_ns / 1e6;
}

static void expect_same_weights(const run *a, const run *b)
{
    EXPECT_INT_EQ(a->weights.size, b->weights.size);
    EXPECT_MEM_EQ(a->weights.data, b->weights.data, a->weights.size);
}

/* Of 12 steps with 16 images of 256 bytes each. Copies are those of a cache: 1 GB may take 8 ms.
 */
static const struct {
    const char *fault;
    stk_stage   stage;
    double      least_ms; /* most of what the fault takes */
} faults[] = {
    {"read=100KB/s", STK_STAGE_PREPROCESS, 250},    {"read-latency=20ms", STK_STAGE_PREPROCESS, 20},
    {"preprocess=2ms", STK_STAGE_PREPROCESS, 200},  {"copy=20000x", STK_STAGE_HOST_TO_DEVICE, 2},
    {"allreduce=10ms", STK_STAGE_ALLREDUCE, 110},   {"allreduce=1MB/s", STK_STAGE_ALLREDUCE, 20},
    {"fetch=200MB", STK_STAGE_DEVICE_TO_HOST, 20},  {"callback=10ms", STK_STAGE_OUTPUT, 60},
    {"callback=10ms:sleep", STK_STAGE_OUTPUT, 110}, {"write=8MB/3", STK_STAGE_WRITE, 2},
};

/* What waits for input may count as read or prepared, whatever walked it back. */
static double input_ms(const run *r)
{
    return exposed_ms(r, STK_STAGE_READ) + exposed_ms(r, STK_STAGE_PREPROCESS);
}

/* Input is made beside the steps: what they take, which is much on a loaded machine, hides as much
 * of a slow input. */
static double hidden_ms(const run *r)
{
    double sum = 0;
    for (int i = 0; i < STK_STAGE_COUNT; i++)
        sum += exposed_ms(r, (stk_stage)i);
    return sum - input_ms(r);
}

STK_TEST(each_fault_slows_its_stage_and_changes_no_bit)
{
    const run clean = train("clean", NULL, false, false);
    EXPECT_STR_EQ("", clean.inject);
    EXPECT_INT_EQ(STEPS, clean.totals.steps);
    for (size_t i = 0; i < COUNT_OF(faults); i++) {
        char name[32];
        snprintf(name, sizeof name, "fault%zu", i);
        const run    r = train(name, faults[i].fault, false, false);
        const bool   input = faults[i].stage == STK_STAGE_PREPROCESS;
        const double after = input ? input_ms(&r) + hidden_ms(&r) : exposed_ms(&r, faults[i].stage);
        if (after < faults[i].least_ms) printf("%s: %.2f ms\n", faults[i].fault, after);
        EXPECT(after >= faults[i].least_ms);
        EXPECT_STR_EQ(faults[i].fault, r.inject);
        EXPECT(strstr(r.log, "injected on purpose: ") && strstr(r.log, faults[i].fault));
        EXPECT(!strstr(r.log, "cache: none: slow reads are injected") ==
               (strncmp(faults[i].fault, "read", 4) != 0));
        expect_same_weights(&clean, &r);
    }
}

STK_TEST(a_run_goes_on_with_faults_or_without_as_if_there_had_been_none)
{
    static const char *const input[] = {"preprocess=100us,read-latency=1ms", "allreduce=1ms"};
    const run                clean = train("whole", NULL, false, false);
    for (size_t i = 0; i < COUNT_OF(input); i++)
        for (int after = 0; after < 2; after++) {
            char name[32];
            snprintf(name, sizeof name, "half%zu-%d", i, after);
            EXPECT(train(name, after ? NULL : input[i], true, false).interrupted);
            const run rest = train(name, after ? input[i] : NULL, false, true);
            EXPECT_INT_EQ(STEPS - 5, rest.totals.steps);
            EXPECT_STR_EQ(after ? input[i] : "", after ? input[i] : rest.inject);
            expect_same_weights(&clean, &rest);
        }
}

STK_TEST(what_was_written_for_nothing_is_gone)
{
    const run      r = train("written", "write=100KB", false, false);
    DIR           *folder = opendir(stk_test_path("written"));
    struct dirent *entry;
    EXPECT(r.totals.stages[STK_STAGE_WRITE].bytes >= STEPS * 100000);
    while ((entry = readdir(folder)))
        EXPECT(!strstr(entry->d_name, "injected"));
    closedir(folder);
}

static void settle(stk_train_recipe *recipe)
{
    const stk_train_data data = {
        .classes = 3, .train_count = 1000, .width = 8, .height = 8, .channels = 3};
    stk_error err;
    stk_train_recipe_init(recipe);
    EXPECT_OK(stk_train_recipe_set(recipe, "model.name", "mlp", "test", &err));
    EXPECT_OK(stk_train_recipe_set(recipe, "knobs.backend", "ref", "test", &err));
    recipe->data.batch = 4;
    recipe->knobs.threads = 1;
    EXPECT_OK(stk_train_resolve(recipe, &data, NULL, &err));
}

static float loss_of(stk_train_bench *bench)
{
    float     loss;
    stk_error err;
    EXPECT_OK(stk_train_bench_step(bench, STK_TRAIN_BENCH_COMPUTE, &err));
    EXPECT_OK(stk_program_fetch(stk_train_bench_program(bench), "loss", &loss, 4, &err));
    return loss;
}

STK_TEST(the_operation_is_seen_in_both_directions_and_leaves_the_loss_alone)
{
    stk_inject                    inject = {0};
    const stk_train_bench_options options = {.inject = &inject};
    stk_train_recipe              recipe;
    stk_train_bench              *clean, *slow;
    stk_error                     err;
    int                           forward = 0, backward = 0;
    settle(&recipe);
    EXPECT_OK(stk_train_bench_open(&clean, &recipe, NULL, &options, &err));
    EXPECT_OK(stk_inject_parse(&inject, "op=2x", &err));
    EXPECT_OK(stk_train_bench_open(&slow, &recipe, NULL, &options, &err));
    EXPECT(fabsf(loss_of(clean) - loss_of(slow)) < 1e-5f);
    const stk_program *program = stk_train_bench_program(slow);
    for (size_t i = 0; i < stk_program_instruction_count(program); i++) {
        const stk_program_instruction step = stk_program_instruction_at(program, i);
        if (strcmp(step.name, "injected.conv") != 0) continue;
        forward += strcmp(step.operation, "conv2d") == 0;
        backward += strcmp(step.operation, "conv2d_grad_input") == 0;
    }
    EXPECT_INT_EQ(1, forward);
    EXPECT_INT_EQ(1, backward);
    stk_train_bench_free(clean);
    stk_train_bench_free(slow);
}

/* The least of a few runs: others of this machine only ever add to it. */
STK_TEST(a_run_with_the_operation_learns_the_same)
{
    enum { RUNS = 4 };
    double clean_ms = INFINITY, slow_ms = INFINITY;
    for (int i = 0; i < RUNS; i++) {
        char plain[32], op[32];
        snprintf(plain, sizeof plain, "plain%d", i);
        snprintf(op, sizeof op, "op%d", i);
        const run clean = train(plain, NULL, false, false),
                  slow = train(op, "op=40x", false, false);
        EXPECT_INT_EQ(clean.weights.size, slow.weights.size);
        clean_ms = fmin(clean_ms, exposed_ms(&clean, STK_STAGE_COMPUTE));
        slow_ms = fmin(slow_ms, exposed_ms(&slow, STK_STAGE_COMPUTE));
    }
    EXPECT(slow_ms > 3 * clean_ms);
}

static stk_status bench_all_faults(void *context, stk_error *err)
{
    stk_inject inject = {0};
    STK_TRY(stk_inject_parse(&inject, "copy=2x,op=0.01x,allreduce=1us,fetch=1KB", err));
    const stk_train_bench_options options = {.inject = &inject};
    stk_train_bench              *bench;
    STK_TRY(stk_train_bench_open(&bench, context, NULL, &options, err));
    stk_status st = stk_train_bench_step(bench, STK_TRAIN_BENCH_COMPUTE, err);
    if (!st) st = stk_train_bench_step(bench, STK_TRAIN_BENCH_COMPUTE, err);
    stk_train_bench_free(bench);
    return st;
}

STK_TEST(faults_survive_every_failing_allocation)
{
    stk_train_recipe recipe;
    settle(&recipe);
    recipe.model.trivial = true;
    stk_test_fail_each_allocation(bench_all_faults, &recipe);
}

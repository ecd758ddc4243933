/* What a run and a bench tell of themselves. */
#include "base/threads.h"
#include "failing_alloc.h"
#include "train/tiny_data.h"
#include <stdlib.h>
#include <stoker/train_bench.h>
#include <string.h>
#include <unistd.h>

static void tell_a_lie(void *context, const stk_train_progress *p)
{
    (void)context, (void)p;
    usleep(2000);
}

static stk_status report(void *context, const stk_train_progress *p, stk_error *err)
{
    (void)p, (void)err;
    ++*(int *)context;
    return STK_OK;
}

static double exposed(const stk_profile *p)
{
    double sum = 0;
    for (int s = 0; s < STK_STAGE_COUNT; s++)
        sum += p->stages[s].exposed_ns;
    return sum;
}

static void expect_whole(const stk_profile *p)
{
    EXPECT(p->measured_ns > 0 && exposed(p) == p->measured_ns);
    EXPECT(p->stages[STK_STAGE_COMPUTE].exposed_ns > 0);
    EXPECT_STR_EQ("stoker", p->run.source);
    EXPECT_STR_EQ("mlp", p->run.model);
    EXPECT_INT_EQ(16, p->run.batch);
    EXPECT(p->run.parameters > 100 && p->run.startup_s > 0);
    EXPECT(p->memory_count > 3 && p->arena_bytes > 0 && p->variable_bytes > 0);
    EXPECT_STR_EQ("parameters", p->memory[0].name);
    EXPECT_INT_EQ(4 * p->run.parameters, (int64_t)p->memory[0].bytes);
    EXPECT(p->step_count >= (size_t)p->steps && p->window_count > 0);
}

static void expect_input(const stk_profile *p)
{
    double read = 0;
    EXPECT(p->input_count >= 2);
    EXPECT_INT_EQ(0, p->inputs[0].depth);
    EXPECT(p->inputs[0].has_queue && p->inputs[0].queue_capacity > 0);
    for (size_t i = 0; i < p->input_count; i++)
        if (p->inputs[i].stage == STK_STAGE_READ) read += p->inputs[i].busy_ns;
    EXPECT(read > 0 && strlen(p->input_limit) > 0);
    const stk_profile_stage *s1 = &p->stages[STK_STAGE_READ];
    const stk_profile_stage *s2 = &p->stages[STK_STAGE_PREPROCESS];
    EXPECT(s1->items == p->samples && s2->items == p->samples);
    EXPECT(s1->busy_ns > 0 && s2->busy_ns > 0);
    EXPECT(s1->bytes >= p->samples * 144 && s2->bytes >= p->samples * 144);
}

STK_TEST(a_run_tells_of_all_its_stages)
{
    int                 lines = 0;
    const stk_callback  callbacks[] = {{.name = "lie", .on_step = tell_a_lie},
                                       {.name = "lines", .on_report = report, .context = &lines}};
    stk_trainer_options options = {
        .callbacks = callbacks, .callback_count = 2, .time_operations = true};
    stk_train_recipe recipe;
    stk_train_data   data;
    stk_train_result result;
    stk_trainer     *trainer;
    stk_profile      p;
    stk_error        err;
    tiny_recipe(&recipe, &data, tiny_data("whole", 256, 12, 4), stk_test_path("told"),
                (const char *const[]){"train.epochs", "4", "data.cache", "none", NULL});
    EXPECT_OK(stk_trainer_open(&trainer, &recipe, &data, &options, &err));
    EXPECT_OK(stk_trainer_run(trainer, &result, &err));
    EXPECT_OK(stk_trainer_profile(trainer, &p, &err));
    expect_whole(&p);
    expect_input(&p);
    EXPECT_INT_EQ(64, p.step_count);
    EXPECT_INT_EQ(64 - 12, (int)p.steps); /* a fifth is warm-up */
    EXPECT_INT_EQ(52 * 16, (int)p.samples);
    EXPECT(p.evaluation_ns > 0);
    EXPECT(p.stages[STK_STAGE_OUTPUT].exposed_ns > 52 * 2e6);
    EXPECT(p.stages[STK_STAGE_OUTPUT].items >= 40 && lines >= 60);
    EXPECT(p.stages[STK_STAGE_WRITE].items >= 4 && p.stages[STK_STAGE_WRITE].busy_ns > 0);
    EXPECT(p.stages[STK_STAGE_WRITE].bytes >= 4 * p.memory[0].bytes);
    EXPECT(p.stages[STK_STAGE_DEVICE_TO_HOST].items == p.samples);
    EXPECT(p.stages[STK_STAGE_HOST_TO_DEVICE].bytes >= p.samples * 144);
    EXPECT(p.callback_count >= 3);
    const stk_profile_callback *lie = &p.callbacks[p.callback_count - 2];
    EXPECT_STR_EQ("lie", lie->name);
    EXPECT(lie->calls == 64 && lie->ns > 64 * 2e6 && lie->on_training_thread);
    stk_profile_release(&p);
    stk_trainer_free(trainer);
    stk_train_data_release(&data);
}

STK_TEST(operations_have_their_phase)
{
    static const char *const phases[] = {"forward", "backward", "update"};
    stk_trainer_options      options = {.time_operations = true};
    stk_train_recipe         recipe;
    stk_train_data           data;
    stk_train_result         result;
    stk_trainer             *trainer;
    stk_profile              p;
    stk_error                err;
    tiny_recipe(&recipe, &data, tiny_data("parts", 256, 12, 4), stk_test_path("parts_run"), NULL);
    EXPECT_OK(stk_trainer_open(&trainer, &recipe, &data, &options, &err));
    EXPECT_OK(stk_trainer_run(trainer, &result, &err));
    EXPECT_OK(stk_trainer_profile(trainer, &p, &err));
    EXPECT(p.op_count > 5);
    for (int k = 0; k < 3; k++) {
        uint64_t ns = 0;
        for (size_t i = 0; i < p.op_count; i++)
            if (strcmp(p.ops[i].phase, phases[k]) == 0) ns += p.ops[i].ns;
        EXPECT(ns > 0);
    }
    EXPECT_INT_EQ((int)p.steps, p.ops[0].runs);
    stk_profile_release(&p);
    stk_trainer_free(trainer);
    stk_train_data_release(&data);
}

typedef struct asker {
    stk_trainer *trainer;
    bool         stop; /* atomic */
    int          asked;
} asker;

static void *ask(void *context)
{
    asker *a = context;
    while (!__atomic_load_n(&a->stop, __ATOMIC_ACQUIRE)) {
        stk_profile p;
        stk_error   err;
        EXPECT_OK(stk_trainer_profile(a->trainer, &p, &err));
        EXPECT(exposed(&p) == p.measured_ns);
        stk_profile_release(&p);
        a->asked++;
        usleep(1000);
    }
    return NULL;
}

STK_TEST(a_profile_can_be_asked_for_while_training_goes_on)
{
    stk_trainer_options options = {.time_operations = true};
    stk_train_recipe    recipe;
    stk_train_data      data;
    stk_train_result    result;
    stk_thread          thread;
    stk_error           err;
    asker               a = {0};
    tiny_recipe(&recipe, &data, tiny_data("asked", 256, 12, 4), stk_test_path("asked_run"),
                (const char *const[]){"train.epochs", "3", "progressive.sample_from", "0.5",
                                      "knobs.input_threads", "3", NULL});
    EXPECT_OK(stk_trainer_open(&a.trainer, &recipe, &data, &options, &err));
    EXPECT_OK(stk_thread_start(&thread, "asker", ask, &a, &err));
    EXPECT_OK(stk_trainer_run(a.trainer, &result, &err));
    __atomic_store_n(&a.stop, true, __ATOMIC_RELEASE);
    stk_thread_join(&thread);
    EXPECT(a.asked > 0);
    stk_trainer_free(a.trainer);
    stk_train_data_release(&data);
}

STK_TEST(a_bench_tells_of_steps_with_both)
{
    stk_train_recipe recipe;
    stk_train_data   data;
    stk_train_bench *bench;
    stk_profile      p;
    stk_error        err;
    tiny_recipe(&recipe, &data, tiny_data("bench", 256, 12, 4), stk_test_path("unused"),
                (const char *const[]){"data.cache", "none", NULL});
    EXPECT_OK(stk_train_bench_open(&bench, &recipe, &data, NULL, &err));
    for (int i = 0; i < STK_TRAIN_WARM_UP + 30; i++)
        EXPECT_OK(stk_train_bench_step(bench, STK_TRAIN_BENCH_BOTH, &err));
    for (int i = 0; i < 10; i++)
        EXPECT_OK(stk_train_bench_step(bench, STK_TRAIN_BENCH_INPUT, &err));
    EXPECT_OK(stk_train_bench_profile(bench, &p, &err));
    expect_whole(&p);
    expect_input(&p);
    EXPECT_INT_EQ(30, (int)p.steps);
    EXPECT_INT_EQ(0, p.callback_count);
    stk_profile_release(&p);
    stk_train_bench_free(bench);
    stk_train_data_release(&data);
}

/* Steps of a bench with a fault and so many threads that prepare. */
static void run_with(const stk_inject *fault, const char *threads, stk_profile *p)
{
    const stk_train_bench_options options = {.inject = fault};
    stk_train_recipe              recipe;
    stk_train_data                data;
    stk_train_bench              *bench;
    stk_error                     err;
    tiny_recipe(&recipe, &data, tiny_data("slow", 256, 12, 4), stk_test_path("unused"),
                (const char *const[]){"data.cache", "none", "knobs.input_threads", threads,
                                      "data.shuffle", "1", NULL});
    recipe.model.trivial = true;
    EXPECT_OK(stk_train_bench_open(&bench, &recipe, &data, &options, &err));
    for (int i = 0; i < STK_TRAIN_WARM_UP + 10; i++)
        EXPECT_OK(stk_train_bench_step(bench, STK_TRAIN_BENCH_BOTH, &err));
    EXPECT_OK(stk_train_bench_profile(bench, p, &err));
    stk_train_bench_free(bench);
    stk_train_data_release(&data);
}

STK_TEST(slow_storage_is_s1_and_a_slow_map_s2_with_and_without_threads)
{
    static const char *const threads[] = {"1", "3"};
    for (int i = 0; i < 2; i++) {
        stk_profile              p;
        const stk_profile_stage *s1 = &p.stages[STK_STAGE_READ];
        const stk_profile_stage *s2 = &p.stages[STK_STAGE_PREPROCESS];
        run_with(&(stk_inject){.read_latency_s = 2e-3}, threads[i], &p);
        EXPECT(s1->exposed_ns > 3 * s2->exposed_ns && s1->busy_ns > 3 * s2->busy_ns);
        EXPECT(s1->exposed_ns > p.measured_ns / 4);
        stk_profile_release(&p);
        run_with(&(stk_inject){.preprocess_s = 2e-3}, threads[i], &p);
        EXPECT(s2->exposed_ns > 3 * s1->exposed_ns && s2->busy_ns > 3 * s1->busy_ns);
        EXPECT(s2->exposed_ns > p.measured_ns / 4);
        stk_profile_release(&p);
    }
}

/* What is not vital may be missing then; the steps are vital. */
STK_TEST(a_profile_survives_every_failing_allocation)
{
    stk_train_recipe recipe;
    stk_train_data   data;
    stk_train_bench *bench;
    stk_profile      p;
    stk_error        err;
    int              failures = 0;
    bool             met = true;
    tiny_recipe(&recipe, &data, tiny_data("memory", 64, 12, 4), stk_test_path("no_memory"), NULL);
    EXPECT_OK(stk_train_bench_open(&bench, &recipe, &data, NULL, &err));
    stk_program_time(stk_train_bench_program(bench), true);
    for (int i = 0; i < 3; i++)
        EXPECT_OK(stk_train_bench_step(bench, STK_TRAIN_BENCH_BOTH, &err));
    EXPECT_OK(stk_train_bench_profile(bench, &p, &err));
    stk_profile_release(&p);
    for (int64_t n = 0; met; n++) {
        const int64_t before = stk_alloc_live();
        stk_alloc_fail_after(n);
        const stk_status st = stk_train_bench_profile(bench, &p, &err);
        met = stk_alloc_fail_stop();
        failures += st == STK_E_NOMEM;
        EXPECT(!st ? p.step_count == 3 && p.op_count > 0 : st == STK_E_NOMEM);
        stk_profile_release(&p);
        EXPECT_INT_EQ(before, stk_alloc_live());
    }
    EXPECT(failures >= 3);
    stk_train_bench_free(bench);
    stk_train_data_release(&data);
}

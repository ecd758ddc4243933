/* Tracing real runs: the steps that were asked for and no others, pieces that add up, files of slow
 * steps and checkpoints, and a run that goes on whatever becomes of its trace. */
#include "observe/small_disk.h"
#include "observe/timeline/slow_step.h"
#include "observe/trace_support.h"
#include "train/tiny_data.h"

#include <dirent.h>
#include <stdio.h>
#include <time.h>

typedef struct session {
    stk_tracer           *tracer;
    const stk_filesystem *fs;
    char                  log[4096];
} session;

static void on_step(void *context, const stk_train_progress *progress)
{
    session *s = context;
    stk_tracer_step(s->tracer, progress->step - 1);
}

static void note(void *context, const char *line)
{
    session *s = context;
    strncat(s->log, line, sizeof s->log - strlen(s->log) - 2);
    strcat(s->log, "\n");
}

/* A small run into a new folder with --trace spec; settings as for tiny_recipe. Gives the folder,
 * and the status of the trace. */
static const char *traced_run(session *s, const char *name, const char *spec,
                              const char *const *settings, stk_status *traced)
{
    stk_error        err;
    stk_train_recipe recipe;
    stk_train_data   data;
    stk_train_result result;
    stk_tracer_plan  plan;
    stk_trainer     *trainer;
    char             data_name[64];
    const char      *folder = stk_test_path(name);
    snprintf(data_name, sizeof data_name, "%s-data", name);
    tiny_recipe(&recipe, &data, tiny_data(data_name, 256, 12, 4), folder, settings);
    EXPECT_OK(stk_tracer_parse(&plan, spec, &err));
    const stk_tracer_options how = {.fs = s->fs, .folder = folder, .log = note, .log_context = s};
    EXPECT_OK(stk_tracer_start(&s->tracer, &plan, &how, &err));
    const stk_callback        callback = {.name = "trace", .on_step = on_step, .context = s};
    const stk_trainer_options options = {
        .callbacks = &callback, .callback_count = 1, .trace = stk_tracer_trace(s->tracer)};
    EXPECT_OK(stk_trainer_open(&trainer, &recipe, &data, &options, &err));
    stk_tracer_follow(s->tracer, stk_trainer_meter(trainer));
    EXPECT_OK(stk_trainer_run(trainer, &result, &err));
    *traced = stk_tracer_finish(s->tracer, &err);
    stk_trainer_free(trainer);
    stk_tracer_free(s->tracer);
    stk_train_data_release(&data);
    return folder;
}

static const char *path_in(const char *folder, const char *name)
{
    static char path[1024];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static int files_like(const char *folder, const char *begin, char *name, size_t capacity)
{
    DIR *all = opendir(folder);
    int  count = 0;
    EXPECT(all != NULL);
    for (struct dirent *entry; (entry = readdir(all));)
        if (strncmp(entry->d_name, begin, strlen(begin)) == 0) {
            count++;
            snprintf(name, capacity, "%s", entry->d_name);
        }
    closedir(all);
    return count;
}

/* On the row of the training thread, what lies directly below a step. */
static int64_t pieces_of(const trace_file *f, const stk_json_value *step)
{
    const int64_t begin = trace_ns(step, "ts"), end = begin + trace_ns(step, "dur");
    int64_t       sum = 0, covered = begin;
    for (size_t i = 0; i < stk_json_count(f->events); i++) {
        const stk_json_value *e = stk_json_at(f->events, i);
        if (e == step || strcmp(trace_text(e, "ph"), "X") != 0) continue;
        if (trace_number(e, "pid") != trace_number(step, "pid")) continue;
        if (trace_number(e, "tid") != trace_number(step, "tid")) continue;
        const int64_t at = trace_ns(e, "ts"), until = at + trace_ns(e, "dur");
        if (at < covered || until > end) continue; /* inside another piece, or of another step */
        sum += until - at;
        covered = until;
    }
    return sum;
}

STK_TEST(a_range_of_steps_is_recorded_whole_and_nothing_else)
{
    session               s = {0};
    stk_status            traced;
    const char *const     settings[] = {"train.epochs", "2", "data.batch", "16", NULL};
    const char           *folder = traced_run(&s, "range", "steps=5-9", settings, &traced);
    trace_file            f = trace_file_of(path_in(folder, "trace.json.gz"));
    const stk_json_value *step;
    EXPECT_INT_EQ(STK_OK, traced);
    EXPECT_INT_EQ(5, trace_count(&f, "X", "ProfilerStep#"));
    for (int i = 0; (step = trace_find(&f, "X", "ProfilerStep#", i)); i++) {
        char name[32];
        snprintf(name, sizeof name, "ProfilerStep#%d", 5 + i);
        EXPECT_STR_EQ(name, trace_text(step, "name"));
        const int64_t whole = trace_ns(step, "dur"), pieces = pieces_of(&f, step);
        EXPECT(pieces <= whole && (double)pieces >= 0.98 * (double)whole);
    }
    EXPECT_INT_EQ(5, trace_count(&f, "X", "compute"));
    EXPECT_INT_EQ(5, trace_count(&f, "C", "samples/s"));
    EXPECT(trace_count(&f, "X", "matmul") >= 5);
    expect_nested(&f);
    EXPECT_CONTAINS("trace.json.gz", s.log);
    EXPECT_CONTAINS("none dropped", s.log);
    trace_file_release(&f);
}

STK_TEST(level_1_has_stages_and_no_operations)
{
    session           s = {0};
    stk_status        traced;
    const char *const settings[] = {"train.epochs", "1", NULL};
    const char       *folder = traced_run(&s, "stages", "level=1", settings, &traced);
    trace_file        f = trace_file_of(path_in(folder, "trace.json.gz"));
    const int         steps = trace_count(&f, "X", "ProfilerStep#");
    EXPECT(steps > 4);
    EXPECT_INT_EQ(2 * steps, trace_count(&f, "X", "compute"));
    EXPECT_INT_EQ(0, trace_count(&f, "X", "matmul"));
    EXPECT_INT_EQ(1, trace_count(&f, "X", "evaluate"));
    EXPECT_INT_EQ(1, trace_number(f.other, "level"));
    expect_nested(&f);
    trace_file_release(&f);
}

STK_TEST(rows_nest_with_helpers_callbacks_and_checkpoints_at_work)
{
    session           s = {0};
    stk_status        traced;
    const char *const settings[] = {"train.epochs",
                                    "6",
                                    "knobs.input_threads",
                                    "3",
                                    "output.checkpoint_every",
                                    "5",
                                    "output.log_every",
                                    "2",
                                    NULL};
    const char       *path = stk_test_path("all.json");
    (void)traced_run(&s, "threads", path, settings, &traced);
    trace_file f = trace_file_of(path);
    EXPECT(expect_nested(&f) >= 4); /* train, device, callbacks, checkpoint; helpers if they ran */
    EXPECT(trace_count(&f, "X", "write checkpoint") >= 2);
    trace_file_release(&f);
}

static void make_step(stk_meter *meter, stk_tracer *tracer, int64_t number, long ms)
{
    stk_meter_enter(meter, STK_STAGE_COMPUTE);
    nanosleep(&(struct timespec){.tv_nsec = ms * 1000000}, NULL);
    stk_meter_end_step(meter, number, 1);
    stk_tracer_step(tracer, number);
}

/* Three steps are slow; a machine that is busy may make others slow, but not all that much. */
STK_TEST(a_slow_step_is_written_with_those_around_it)
{
    session                  s = {0};
    stk_error                err;
    stk_tracer_plan          plan;
    stk_trace_thread        *thread;
    stk_meter               *meter;
    char                     name[256];
    const char              *folder = stk_test_folder();
    const stk_tracer_options how = {.folder = folder, .log = note, .log_context = &s};
    EXPECT_OK(stk_tracer_parse(&plan, "on-slow-step=20x", &err));
    EXPECT_OK(stk_tracer_start(&s.tracer, &plan, &how, &err));
    stk_trace *trace = stk_tracer_trace(s.tracer);
    EXPECT_OK(stk_trace_attach(trace, "train", &thread, &err));
    EXPECT_OK(stk_meter_new(&meter, &(stk_meter_options){.thread = thread, .trace = trace}, &err));
    stk_tracer_follow(s.tracer, meter);
    for (int64_t i = 0; i < 60; i++)
        make_step(meter, s.tracer, i, i > 20 && i % 15 == 0 ? 400 : 2);
    EXPECT_OK(stk_tracer_finish(s.tracer, &err));
    EXPECT_INT_EQ(0, files_like(folder, "trace.json", name, sizeof name));
    EXPECT(files_like(folder, "slow-step-", name, sizeof name) >= 1);
    EXPECT_CONTAINS("times the median", s.log);
    trace_file f = trace_file_of(path_in(folder, "slow-step-30.json.gz"));
    EXPECT(trace_number(trace_find(&f, "X", "ProfilerStep#30", 0), "dur") > 399000);
    EXPECT(trace_find(&f, "X", "ProfilerStep#25", 0) != NULL);
    EXPECT(trace_find(&f, "X", "ProfilerStep#5", 0) == NULL);
    expect_nested(&f);
    trace_file_release(&f);
    stk_meter_free(meter);
    stk_tracer_free(s.tracer);
}

STK_TEST(steps_with_a_checkpoint_are_written_five_times_at_most)
{
    session           s = {0};
    stk_status        traced;
    char              name[256];
    const char *const settings[] = {
        "train.epochs", "6", "data.batch", "16", "output.checkpoint_every", "8", NULL};
    const char *folder = traced_run(&s, "checkpoints", "on-checkpoint", settings, &traced);
    const int   files = files_like(folder, "checkpoint-step-", name, sizeof name);
    EXPECT(files >= 2 && files <= 5);
    trace_file f = trace_file_of(path_in(folder, name));
    EXPECT(trace_count(&f, "X", "checkpoint") >= 1);
    trace_file_release(&f);
}

STK_TEST(a_trace_that_cannot_be_written_is_told_and_the_run_goes_on)
{
    session                  s = {0};
    stk_error                err;
    stk_status               traced;
    stk_tracer              *tracer;
    stk_tracer_plan          plan;
    const char *const        settings[] = {"train.epochs", "1", NULL};
    const char              *target = stk_test_path("gone/t.json");
    const stk_tracer_options how = {.folder = "."};
    small_disk               disk;
    EXPECT_OK(stk_tracer_parse(&plan, target, &err));
    EXPECT_STATUS(STK_E_NOTFOUND, stk_tracer_start(&tracer, &plan, &how, &err)); /* at once */
    EXPECT(tracer == NULL);
    small_disk_init(&disk, 100);
    s.fs = &disk.fs;
    (void)traced_run(&s, "refused", "on", settings, &traced);
    EXPECT_INT_EQ(STK_E_NOSPACE, traced);
    EXPECT_CONTAINS("training goes on", s.log);
}

STK_TEST(no_step_no_file)
{
    session           s = {0};
    stk_status        traced;
    char              name[256];
    const char *const settings[] = {"train.epochs", "1", NULL};
    const char       *folder = traced_run(&s, "none", "steps=100000-100001", settings, &traced);
    EXPECT_INT_EQ(STK_OK, traced);
    EXPECT_INT_EQ(0, files_like(folder, "trace", name, sizeof name));
    EXPECT_CONTAINS("no step was recorded", s.log);
}

STK_TEST(the_median_is_of_the_last_fifty)
{
    stk_slow_step steps = {0};
    for (uint64_t i = 0; i < STK_SLOW_MIN - 1; i++)
        stk_slow_step_add(&steps, 1000);
    EXPECT_INT_EQ(0, stk_slow_step_median(&steps));
    for (uint64_t i = 0; i < 1000; i++)
        stk_slow_step_add(&steps, (i * 7919) % 1000);
    uint64_t below = 0;
    for (int i = 0; i < STK_SLOW_STEPS; i++)
        below += steps.last[i] < stk_slow_step_median(&steps);
    EXPECT_INT_EQ(STK_SLOW_STEPS / 2, below);
    for (int i = 1; i < STK_SLOW_STEPS; i++)
        EXPECT(steps.sorted[i - 1] <= steps.sorted[i]);
    for (int i = 0; i < STK_SLOW_STEPS; i++)
        stk_slow_step_add(&steps, 5);
    EXPECT_INT_EQ(5, stk_slow_step_median(&steps));
}

/* One call profiles a training run: its parts, its files, and what is left when it fails. */
#include "base/clock.h"
#include "failing_alloc.h"
#include "train/tiny_data.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { STEPS = 60, PATH_BYTES = 1024 };

static const char *const settings[] = {"data.cache", "none", "data.shuffle", "16", NULL};

typedef struct subject {
    stk_train_recipe    recipe;
    stk_train_data      data;
    stk_profiler_result result; /* large */
} subject;

static subject *make_subject(const char *name)
{
    subject *s = calloc(1, sizeof *s);
    EXPECT(s != NULL);
    tiny_recipe(&s->recipe, &s->data, tiny_data(name, 256, 12, 4), stk_test_path("unused"),
                settings);
    return s;
}

static void free_subject(subject *s)
{
    stk_train_data_release(&s->data);
    free(s);
}

static stk_status profile(subject *s, const stk_profiler_options *options, stk_error *err)
{
    return stk_profiler_run(&s->result, &s->recipe, &s->data, options, err);
}

static const char *file_of(const char *folder, const char *name)
{
    static char path[PATH_BYTES];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static bool exists(const char *path)
{
    return access(path, F_OK) == 0;
}

static int entries_of(const char *folder)
{
    char  command[PATH_BYTES + 32], line[16] = "-1";
    FILE *out;
    snprintf(command, sizeof command, "ls -A %s | wc -l", folder);
    EXPECT((out = popen(command, "r")) != NULL);
    EXPECT(fgets(line, sizeof line, out) != NULL);
    pclose(out);
    return atoi(line);
}

/* A folder for what is temporary, empty. */
static const char *temporary(const char *name)
{
    const char *folder = stk_test_path(name);
    mkdir(folder, 0777);
    setenv("TMPDIR", folder, 1);
    return folder;
}

typedef struct course {
    int               calls;
    int64_t           steps;
    stk_profiler_part part;
    bool              disordered, seen[STK_PROFILER_DIAGNOSE + 1];
    stk_cancel       *cancel; /* NULL: none */
    stk_profiler_part cancel_in;
} course;

static void follow(void *context, const stk_profiler_progress *p)
{
    course *c = context;
    if (p->part < c->part || p->fraction < 0 || p->fraction > 1 || p->seconds < 0)
        c->disordered = true;
    c->part = p->part;
    c->seen[p->part] = true;
    c->calls++;
    if (p->steps > c->steps) c->steps = p->steps;
    if (c->cancel && p->part == c->cancel_in) stk_cancel_request(c->cancel);
}

static void expect_files(const subject *s, const char *folder)
{
    stk_profile   read;
    stk_timeline *timeline;
    stk_error     err;
    EXPECT_OK(stk_profile_load(&read, file_of(folder, "profile.json"), &err));
    EXPECT(read.steps == s->result.profile.steps && read.op_count == s->result.profile.op_count);
    EXPECT(read.trace_events > 0);
    EXPECT_STR_EQ("my command", read.run.command);
    stk_profile_release(&read);
    EXPECT_OK(stk_timeline_read(&timeline, file_of(folder, "trace.json.gz"), NULL, &err));
    EXPECT(stk_timeline_count(timeline) > 10);
    stk_timeline_free(timeline);
    EXPECT(exists(file_of(folder, "diagnosis.json")) && exists(file_of(folder, "report.html")));
    EXPECT(exists(file_of(folder, "run/recipe.yaml")));
}

STK_TEST(a_run_is_measured_and_its_files_say_the_same)
{
    subject                   *s = make_subject("all");
    const char                *folder = stk_test_path("made/here");
    course                     c = {0};
    stk_error                  err;
    const stk_profiler_options how = {.steps = STEPS,
                                      .extra_seconds = 0.5,
                                      .folder = folder,
                                      .command = "my command",
                                      .progress = follow,
                                      .context = &c};
    EXPECT_OK(profile(s, &how, &err));
    const stk_profile *p = &s->result.profile;
    EXPECT_INT_EQ(STEPS, (int64_t)p->steps);
    EXPECT_STR_EQ("mlp", p->run.model);
    EXPECT(p->op_count > 5 && p->batch_count > 0 && p->limits.flops > 0);
    EXPECT(p->limits.launch_ns > 0 && p->resource_count > 0 && p->machine.cores > 0);
    EXPECT(strlen(s->result.diagnosis.verdict) > 0 && s->result.diagnosis.row_count > 0);
    EXPECT(s->result.trace != NULL && !s->result.interrupted);
    EXPECT(!s->result.extras_error.status && !s->result.trace_error.status);
    EXPECT(!s->result.page_error.status);
    expect_files(s, folder);
    EXPECT(!c.disordered && c.steps > STEPS);
    for (size_t i = 0; i < COUNT_OF(c.seen); i++)
        EXPECT(c.seen[i]);
    stk_profiler_result_release(&s->result);
    EXPECT_STATUS(STK_E_EXISTS, profile(s, &how, &err));
    EXPECT_STR_EQ(file_of(folder, "profile.json"), err.where);
    stk_profiler_result_release(&s->result);
    free_subject(s);
}

STK_TEST(without_a_folder_nothing_stays)
{
    subject                   *s = make_subject("bare");
    const char                *folder = temporary("bare_tmp");
    stk_error                  err;
    const stk_profiler_options how = {.steps = STEPS, .extra_seconds = -1, .no_trace = true};
    EXPECT_OK(profile(s, &how, &err));
    EXPECT_INT_EQ(STEPS, (int64_t)s->result.profile.steps);
    EXPECT(!s->result.trace && !s->result.profile.batch_count);
    EXPECT(strlen(s->result.diagnosis.verdict) > 0);
    EXPECT_INT_EQ(0, entries_of(folder));
    EXPECT(!exists(stk_test_path("unused")));
    stk_profiler_result_release(&s->result);
    free_subject(s);
}

STK_TEST(an_open_recipe_is_resolved_by_the_call)
{
    stk_profiler_result       *result = calloc(1, sizeof *result);
    const char                *folder = temporary("open_tmp");
    stk_train_recipe           recipe;
    stk_error                  err;
    const stk_profiler_options how = {.seconds = 1, .extra_seconds = -1, .no_trace = true};
    stk_train_recipe_init(&recipe);
    EXPECT_OK(
        stk_train_recipe_set(&recipe, "data.path", tiny_data("open", 256, 12, 4), "test", &err));
    EXPECT_OK(stk_train_recipe_set(&recipe, "model.name", "mlp", "test", &err));
    EXPECT_OK(stk_train_recipe_set(&recipe, "data.batch", "16", "test", &err));
    const uint64_t begin = stk_clock_ns();
    EXPECT_OK(stk_profiler_run(result, &recipe, NULL, &how, &err));
    /* The step that the time ends in is not measured; on a busy machine it is a long one. */
    EXPECT(stk_clock_ns() - begin >= 1000000000);
    EXPECT(result->profile.steps > 10 && result->profile.measured_ns > 0.5e9);
    EXPECT(result->profile.measured_ns < 1.1e9);
    EXPECT_INT_EQ(0, entries_of(folder));
    stk_profiler_result_release(result);
    free(result);
}

STK_TEST(a_fault_is_what_limits)
{
    subject                   *s = make_subject("fault");
    stk_error                  err;
    const stk_inject           fault = {.preprocess_s = 2e-3};
    const stk_profiler_options how = {
        .steps = STEPS, .extra_seconds = -1, .no_trace = true, .inject = &fault};
    temporary("fault_tmp");
    EXPECT_OK(profile(s, &how, &err));
    EXPECT_INT_EQ(STK_STAGE_PREPROCESS, s->result.diagnosis.limit.stage);
    EXPECT_CONTAINS("preprocess", s->result.profile.run.inject);
    stk_profiler_result_release(&s->result);
    free_subject(s);
}

/* In each part: what there is until then is diagnosed and saved. */
STK_TEST(cancel_leaves_what_was_measured)
{
    subject *s = make_subject("cancelled");
    for (int part = STK_PROFILER_PREPARE; part <= STK_PROFILER_EXTRAS; part++) {
        char       name[32];
        stk_cancel cancel = STK_CANCEL_INIT;
        course     c = {.cancel = &cancel, .cancel_in = (stk_profiler_part)part};
        stk_error  err;
        snprintf(name, sizeof name, "cancelled-%d", part);
        const char                *folder = stk_test_path(name);
        const stk_profiler_options how = {.steps = STEPS,
                                          .extra_seconds = 0.5,
                                          .folder = folder,
                                          .cancel = &cancel,
                                          .progress = follow,
                                          .context = &c};
        EXPECT_OK(profile(s, &how, &err));
        EXPECT(s->result.interrupted);
        EXPECT(!s->result.extras_error.status);
        if (part >= STK_PROFILER_TRACE) EXPECT_INT_EQ(STEPS, (int64_t)s->result.profile.steps);
        EXPECT(exists(file_of(folder, "diagnosis.json")));
        EXPECT(c.seen[STK_PROFILER_EXTRAS] == (part == STK_PROFILER_EXTRAS));
        stk_profiler_result_release(&s->result);
    }
    free_subject(s);
}

static void expect_refused(subject *s, const char *folder, stk_status status)
{
    const stk_profiler_options how = {.steps = STEPS, .folder = folder};
    stk_error                  err;
    EXPECT_STATUS(status, profile(s, &how, &err));
    EXPECT(!s->result.trace && !s->result.profile.step_list && strlen(err.message) > 0);
    stk_profiler_result_release(&s->result);
}

STK_TEST(folders_that_cannot_be_are_refused_before_training)
{
    subject *s = make_subject("refused");
    char     below[PATH_BYTES], longest[2 * STK_TRAIN_PATH];
    stk_test_write_file(stk_test_path("a_file"), "x", 1);
    snprintf(below, sizeof below, "%s/folder", stk_test_path("a_file"));
    memset(longest, 'x', sizeof longest - 1);
    longest[sizeof longest - 1] = 0;
    expect_refused(s, "", STK_E_INVALID);
    expect_refused(s, longest, STK_E_INVALID);
    const stk_profiler_options how = {.steps = STEPS, .folder = below};
    stk_error                  err;
    EXPECT(profile(s, &how, &err) != STK_OK);
    EXPECT_CONTAINS("a_file", err.where);
    stk_profiler_result_release(&s->result);
    setenv("TMPDIR", below, 1);
    EXPECT(profile(s, &(stk_profiler_options){.steps = STEPS}, &err) != STK_OK);
    EXPECT_CONTAINS("a_file", err.where);
    stk_profiler_result_release(&s->result);
    free_subject(s);
}

STK_TEST(data_that_is_not_there_is_named)
{
    stk_profiler_result *result = calloc(1, sizeof *result);
    const char          *folder = temporary("nowhere_tmp");
    stk_train_recipe     recipe;
    stk_error            err;
    stk_train_recipe_init(&recipe);
    EXPECT_OK(stk_train_recipe_set(&recipe, "data.path", "/no/such/data", "test", &err));
    EXPECT_STATUS(STK_E_NOTFOUND, stk_profiler_run(result, &recipe, NULL, NULL, &err));
    EXPECT_CONTAINS("/no/such/data", err.where);
    EXPECT_INT_EQ(0, entries_of(folder));
    stk_profiler_result_release(result);
    free(result);
}

/* Every allocation would be thousands of runs: ever larger gaps between those that fail. */
STK_TEST(no_memory_leaves_nothing_behind)
{
    subject                   *s = make_subject("memory");
    const char                *folder = temporary("memory_tmp");
    stk_error                  err;
    const stk_profiler_options how = {.steps = 2, .extra_seconds = -1, .no_trace = true};
    int                        failures = 0;
    bool                       met = true;
    EXPECT_OK(profile(s, &how, &err));
    stk_profiler_result_release(&s->result);
    for (int64_t n = 0; met; n += 1 + n / 3) {
        const int64_t before = stk_alloc_live();
        stk_alloc_fail_after(n);
        const stk_status st = profile(s, &how, &err);
        met = stk_alloc_fail_stop();
        EXPECT(!st || st == STK_E_NOMEM);
        failures += st == STK_E_NOMEM;
        stk_profiler_result_release(&s->result);
        EXPECT_INT_EQ(before, stk_alloc_live());
        EXPECT_INT_EQ(0, entries_of(folder));
    }
    EXPECT(failures > 10);
    free_subject(s);
}

static void expect_same_profile(const stk_profile *a, const stk_profile *b)
{
    EXPECT_INT_EQ((int64_t)a->steps, (int64_t)b->steps);
    EXPECT_INT_EQ((int64_t)a->samples, (int64_t)b->samples);
    EXPECT_STR_EQ(a->run.model, b->run.model);
    EXPECT_STR_EQ(a->run.backend, b->run.backend);
    EXPECT_STR_EQ(a->run.precision, b->run.precision);
    EXPECT_STR_EQ(a->run.inject, b->run.inject);
    EXPECT_STR_EQ(a->run.cache, b->run.cache);
    EXPECT_INT_EQ(a->run.batch, b->run.batch);
    EXPECT_INT_EQ(a->run.size, b->run.size);
    EXPECT_INT_EQ(a->run.parameters, b->run.parameters);
    EXPECT_INT_EQ(a->run.threads, b->run.threads);
    EXPECT(a->arena_bytes == b->arena_bytes && a->variable_bytes == b->variable_bytes);
    EXPECT(a->largest_batch == b->largest_batch);
    EXPECT_INT_EQ(a->op_count, b->op_count);
    for (size_t i = 0; i < a->op_count; i++) {
        EXPECT_STR_EQ(a->ops[i].name, b->ops[i].name);
        EXPECT_STR_EQ(a->ops[i].kernel, b->ops[i].kernel);
        EXPECT(a->ops[i].flops == b->ops[i].flops);
    }
    EXPECT_INT_EQ(a->input_count, b->input_count);
    for (size_t i = 0; i < a->input_count; i++)
        EXPECT_STR_EQ(a->inputs[i].name, b->inputs[i].name);
    EXPECT(a->batch_count > 0 && b->batch_count > 0);
    EXPECT(a->batches[0].batch == b->batches[0].batch &&
           a->batches[0].bytes == b->batches[0].bytes);
    EXPECT_INT_EQ(a->callback_count, b->callback_count);
}

/* The fault is large enough to be the verdict of both. */
STK_TEST(the_command_says_what_the_call_says)
{
    stk_profiler_result       *result = calloc(1, sizeof *result);
    const char                *data = tiny_data("command", 256, 12, 4);
    const char                *folder = stk_test_path("by_command");
    const stk_inject           fault = {.callback_s = 4e-3};
    const stk_profiler_options how = {
        .seconds = 1, .steps = STEPS, .folder = stk_test_path("by_call"), .inject = &fault};
    stk_train_recipe recipe;
    stk_profile      read;
    stk_error        err;
    char             command[2 * PATH_BYTES];
    snprintf(command, sizeof command,
             "%s profile %s --model mlp --batch 16 --threads 1 --inject callback=4ms --seconds 1 "
             "--steps %d -o %s -q > /dev/null",
             STK_TEST_COMMAND, data, STEPS, folder);
    EXPECT_INT_EQ(0, system(command));
    stk_train_recipe_init(&recipe);
    EXPECT_OK(stk_train_recipe_set(&recipe, "data.path", data, "test", &err));
    EXPECT_OK(stk_train_recipe_set(&recipe, "model.name", "mlp", "test", &err));
    EXPECT_OK(stk_train_recipe_set(&recipe, "data.batch", "16", "test", &err));
    EXPECT_OK(stk_train_recipe_set(&recipe, "knobs.threads", "1", "test", &err));
    EXPECT_OK(stk_profiler_run(result, &recipe, NULL, &how, &err));
    EXPECT_OK(stk_profile_load(&read, file_of(folder, "profile.json"), &err));
    expect_same_profile(&result->profile, &read);
    stk_diagnosis *again = calloc(1, sizeof *again);
    EXPECT_OK(stk_diagnose(again, &read, &err));
    EXPECT_INT_EQ(STK_STAGE_OUTPUT, again->limit.stage);
    EXPECT_INT_EQ(STK_STAGE_OUTPUT, result->diagnosis.limit.stage);
    EXPECT_INT_EQ(again->limit.cause, result->diagnosis.limit.cause);
    free(again);
    stk_profile_release(&read);
    stk_profiler_result_release(result);
    free(result);
}

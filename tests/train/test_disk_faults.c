/* A disk that fails for a moment, or for a while: the run says so, and going on ends with the files
 * that an undisturbed run leaves. */
#include "failing_alloc.h"
#include "failing_io.h"
#include "train/loop/outputs.h"
#include "train/tiny_data.h"
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct course {
    stk_train_recipe recipe;
    stk_train_data   data;
    stk_train_result result;
    char             log[1 << 14];
    stk_cancel       cancel;
    int64_t          clear_at; /* the step after which what was in the way is removed; 0: never */
    const char      *in_the_way;
} course;

static const char *const settings[] = {"train.epochs",
                                       "3",
                                       "output.checkpoint_every",
                                       "4",
                                       "output.keep",
                                       "2",
                                       "train.deterministic",
                                       "true",
                                       "knobs.threads",
                                       "1",
                                       "model.width",
                                       "0.05",
                                       NULL};

static void log_line(void *context, const char *line)
{
    course *c = context;
    snprintf(c->log + strlen(c->log), sizeof c->log - strlen(c->log), "%s\n", line);
}

static void on_step(void *context, const stk_train_progress *p)
{
    course *c = context;
    if (c->clear_at && p->step == c->clear_at) EXPECT_INT_EQ(0, rmdir(c->in_the_way));
}

static stk_status train(course *c, bool resume, stk_error *err)
{
    const stk_callback        watch = {.name = "watch", .on_step = on_step, .context = c};
    const stk_trainer_options options = {.resume = resume,
                                         .callbacks = &watch,
                                         .callback_count = 1,
                                         .cancel = &c->cancel,
                                         .log = log_line,
                                         .log_context = c};
    stk_trainer              *trainer;
    *c->log = 0;
    STK_TRY(stk_trainer_open(&trainer, &c->recipe, &c->data, &options, err));
    const stk_status st = stk_trainer_run(trainer, &c->result, err);
    stk_trainer_free(trainer);
    return st;
}

static const char *path_of(const course *c, const char *name, char path[1024])
{
    snprintf(path, 1024, "%s/%s", c->recipe.output.folder, name);
    return path;
}

static bool is_there(const course *c, const char *name)
{
    char path[1024];
    return access(path_of(c, name, path), F_OK) == 0;
}

static stk_bytes file_of(const course *c, const char *name)
{
    char path[1024];
    return stk_test_read_file(path_of(c, name, path));
}

static void expect_same_file(const course *c, const course *whole, const char *name)
{
    const stk_bytes a = file_of(whole, name), b = file_of(c, name);
    EXPECT_INT_EQ(a.size, b.size);
    EXPECT_MEM_EQ(a.data, b.data, a.size);
}

static void expect_no_remains(const course *c)
{
    DIR           *folder = opendir(c->recipe.output.folder);
    struct dirent *entry;
    EXPECT(folder != NULL);
    while ((entry = readdir(folder)))
        EXPECT(!strstr(entry->d_name, ".tmp"));
    closedir(folder);
}

static void expect_same_run(const course *c, const course *whole)
{
    expect_same_file(c, whole, "best.safetensors");
    expect_same_file(c, whole, "final.safetensors");
    EXPECT(is_there(c, "checkpoints/step-000000012.safetensors"));
    EXPECT_STR_EQ(tiny_learnt(whole->recipe.output.folder, 0),
                  tiny_learnt(c->recipe.output.folder, 1));
    expect_no_remains(c);
}

static course *open_course(const char *name, const char *data)
{
    course *c = calloc(1, sizeof *c);
    EXPECT(c != NULL);
    tiny_recipe(&c->recipe, &c->data, data, stk_test_path(name), settings);
    return c;
}

static void close_course(course *c)
{
    stk_train_data_release(&c->data);
    free(c);
}

static void move_to(course *c, const char *name)
{
    snprintf(c->recipe.output.folder, sizeof c->recipe.output.folder, "%s", stk_test_path(name));
}

/* A failed start may have made no run yet: then it is begun anew, as a person would. */
static void expect_goes_on(course *c, const char *what, int64_t number)
{
    stk_error        err = {0};
    const stk_status st = train(c, is_there(c, "recipe.yaml"), &err);
    if (st)
        fail_msg("after failed %s %lld: %s: %s: %s", what, (long long)number, err.component,
                 err.where, err.message);
}

/* Fails call number 0, stride, ... of a run until it makes no more; returns how many it made. */
static int64_t fail_each(stk_io_call call, const char *what, int64_t times, int64_t stride,
                         const course *whole, course *c)
{
    for (int64_t n = 0;; n += stride) {
        char      name[64];
        stk_error err = {0};
        snprintf(name, sizeof name, "%s-%lld-%lld", what, (long long)times, (long long)n);
        move_to(c, name);
        stk_io_fail_after(call, n, times, n % 2 ? EIO : ENOSPC);
        const stk_status st = train(c, false, &err);
        if (!stk_io_fail_stop()) return n;
        if (st) {
            EXPECT(err.component && *err.component && *err.where && *err.message);
            expect_goes_on(c, what, n);
        }
        expect_same_run(c, whole);
    }
}

STK_TEST(a_call_that_fails_once_costs_no_file_and_no_bit)
{
    static const char *const names[] = {"open", "write", "fsync", "rename"};
    static const int64_t     strides[] = {1, 5, 2, 1};
    stk_error                err;
    const char              *data = tiny_data("data", 64, 8, 4);
    course                  *whole = open_course("whole", data), *c = open_course("c", data);
    EXPECT_OK(train(whole, false, &err));
    for (int call = STK_IO_OPEN; call <= STK_IO_RENAME; call++)
        EXPECT(fail_each((stk_io_call)call, names[call], 1, strides[call], whole, c) > 5);
    close_course(c);
    close_course(whole);
}

/* A whole epoch long nothing can be given its name. */
STK_TEST(a_disk_that_fails_for_a_while_costs_no_file_and_no_bit)
{
    stk_error   err;
    const char *data = tiny_data("data2", 64, 8, 4);
    course     *whole = open_course("whole2", data), *c = open_course("c2", data);
    EXPECT_OK(train(whole, false, &err));
    EXPECT(fail_each(STK_IO_RENAME, "renames", 4, 2, whole, c) > 5);
    EXPECT(fail_each(STK_IO_FSYNC, "fsyncs", 6, 5, whole, c) > 5);
    close_course(c);
    close_course(whole);
}

STK_TEST(a_best_model_that_is_gone_is_made_of_its_checkpoint)
{
    stk_error   err;
    char        path[1024];
    const char *data = tiny_data("data3", 64, 8, 4);
    course     *whole = open_course("whole3", data), *c = open_course("c3", data);
    EXPECT_OK(train(whole, false, &err));
    EXPECT_OK(train(c, false, &err));
    EXPECT_INT_EQ(0, unlink(path_of(c, "best.safetensors", path)));
    EXPECT_INT_EQ(0, unlink(path_of(c, "final.safetensors", path)));
    EXPECT_OK(train(c, true, &err));
    EXPECT_CONTAINS("best.safetensors was not there: it is written anew", c->log);
    EXPECT_CONTAINS("final.safetensors was not there: it is written anew", c->log);
    expect_same_run(c, whole);
    close_course(c);
    close_course(whole);
}

/* A run whose best model is not that of its last step, and which keeps the last checkpoint only. */
STK_TEST(a_model_that_cannot_be_made_again_is_an_error_that_names_it)
{
    stk_error err;
    char      path[1024];
    course   *c = open_course("c4", tiny_data("data4", 64, 8, 4));
    EXPECT_OK(stk_train_recipe_set(&c->recipe, "train.epochs", "9", "test", &err));
    EXPECT_OK(stk_train_recipe_set(&c->recipe, "train.steps", "36", "test", &err));
    EXPECT_OK(stk_train_recipe_set(&c->recipe, "output.keep", "1", "test", &err));
    EXPECT_OK(train(c, false, &err));
    EXPECT(c->result.best_step < 36);
    EXPECT_INT_EQ(0, unlink(path_of(c, "best.safetensors", path)));
    EXPECT_STATUS(STK_E_NOTFOUND, train(c, true, &err));
    EXPECT_STR_EQ(path, err.where);
    EXPECT_CONTAINS("are gone, and so is the checkpoint of that step", err.message);
    EXPECT_CONTAINS("WARNING: best.safetensors", c->log);
    EXPECT(is_there(c, "final.safetensors"));
    close_course(c);
}

/* The folder in the way fails the model alone; its checkpoint is written. */
STK_TEST(a_model_is_written_as_soon_as_it_can_be)
{
    stk_error   err;
    char        path[1024], other[1024];
    const char *data = tiny_data("data5", 64, 8, 4);
    course     *whole = open_course("whole5", data), *c = open_course("c5", data);
    EXPECT_OK(train(whole, false, &err));
    EXPECT_INT_EQ(0, mkdir(c->recipe.output.folder, 0777));
    EXPECT_INT_EQ(0, mkdir(path_of(c, "best.safetensors", path), 0777));
    c->clear_at = 10;
    c->in_the_way = path;
    EXPECT_OK(train(c, false, &err));
    EXPECT_CONTAINS("best.safetensors", c->log);
    expect_same_run(c, whole);
    c->clear_at = 0;
    move_to(c, "c5-stays");
    EXPECT_INT_EQ(0, mkdir(c->recipe.output.folder, 0777));
    EXPECT_INT_EQ(0, mkdir(path_of(c, "best.safetensors", other), 0777));
    EXPECT_STATUS(STK_E_INVALID, train(c, false, &err));
    EXPECT_CONTAINS("best.safetensors", err.where);
    EXPECT_INT_EQ(0, rmdir(other));
    EXPECT_OK(train(c, true, &err));
    expect_same_run(c, whole);
    close_course(c);
    close_course(whole);
}

STK_TEST(what_a_killed_run_left_of_its_files_is_removed)
{
    static const char *const left[] = {".best.safetensors.7-0.tmp", ".final.safetensors.123-4.tmp",
                                       ".metrics.csv.9-0.tmp"};
    static const char *const others[] = {".best.safetensors.tmp", ".mine.7-0.tmp",
                                         "best.safetensors.7-0.tmp"};
    stk_error                err;
    char                     path[1024];
    course                  *c = open_course("c6", tiny_data("data6", 64, 8, 4));
    EXPECT_OK(train(c, false, &err));
    for (size_t i = 0; i < COUNT_OF(left); i++) {
        stk_test_write_file(path_of(c, left[i], path), "half", 4);
        stk_test_write_file(path_of(c, others[i], path), "half", 4);
    }
    EXPECT_OK(train(c, true, &err));
    for (size_t i = 0; i < COUNT_OF(left); i++) {
        EXPECT(!is_there(c, left[i]));
        EXPECT(is_there(c, others[i]));
    }
    close_course(c);
}

static course *ordered;      /* the run whose renames are looked at */
static int     checkpoints;  /* seen so far */
static char    problem[256]; /* the first; the writer's thread cannot fail a test itself */

static int count_in(stk_bytes bytes, const char *text)
{
    int          count = 0;
    const size_t length = strlen(text);
    for (size_t i = 0; i + length <= bytes.size; i++)
        count += memcmp(bytes.data + i, text, length) == 0;
    return count;
}

/* Of the file whose name begins so, what is on the disk. */
static stk_bytes synced_part(const course *c, const char *begin)
{
    char           path[1024];
    DIR           *folder = opendir(c->recipe.output.folder);
    struct dirent *entry;
    stk_bytes      found = {0};
    while (folder && (entry = readdir(folder)))
        if (strncmp(entry->d_name, begin, strlen(begin)) == 0) {
            found = file_of(c, entry->d_name);
            found.size = (size_t)stk_io_synced_bytes(path_of(c, entry->d_name, path));
        }
    if (folder) closedir(folder);
    return found;
}

/* Before a checkpoint gets its name all that it covers is in the files: a row and a point a step,
 * and one more point an epoch. */
static void look_at_rename(const char *name)
{
    int step;
    if (sscanf(name, "step-%d", &step) != 1) return;
    const int rows = count_in(synced_part(ordered, "metrics.csv"), "\n") - 1;
    const int points = count_in(synced_part(ordered, "events.out"), "train/loss");
    const int epochs = count_in(synced_part(ordered, "events.out"), "train/epoch_loss");
    checkpoints++;
    if ((rows < step || points < step || epochs < step / 4) && !*problem)
        snprintf(problem, sizeof problem, "step %d: %d rows, %d points, %d epochs", step, rows,
                 points, epochs);
}

STK_TEST(rows_and_events_are_on_the_disk_before_the_checkpoint_that_covers_them)
{
    stk_error err;
    ordered = open_course("c7", tiny_data("data7", 64, 8, 4));
    stk_io_watch_renames(look_at_rename);
    EXPECT_OK(train(ordered, false, &err));
    stk_io_watch_renames(NULL);
    EXPECT_STR_EQ("", problem);
    EXPECT_INT_EQ(3, checkpoints);
    close_course(ordered);
}

/* Outputs without a run around them. */
typedef struct outputs_alone {
    stk_outputs  outputs;
    stk_samples *samples; /* none were taken */
    stk_callback list[2];
} outputs_alone;

static void open_outputs(outputs_alone *o, const course *c)
{
    stk_error err;
    EXPECT_OK(stk_samples_new(&o->samples, &c->recipe, &c->data, &err));
    const stk_outputs_options options = {
        .recipe = &c->recipe, .data = &c->data, .samples = o->samples, .resume_step = -1};
    EXPECT_OK(stk_outputs_open(&o->outputs, &options, &err));
    EXPECT_INT_EQ(2, stk_outputs_callbacks(&o->outputs, o->list));
}

static void close_outputs(outputs_alone *o)
{
    stk_outputs_close(&o->outputs);
    stk_samples_free(o->samples);
}

static stk_status report_step(const outputs_alone *o, int64_t step, stk_error *err)
{
    const stk_train_progress p = {.step = step, .epoch_steps = 4};
    return o->list[1].on_report(o->list[1].context, &p, err);
}

static int times_in_events(const outputs_alone *o, const char *text)
{
    stk_error err;
    EXPECT_OK(o->list[1].on_checkpoint(o->list[1].context, &err));
    return count_in(stk_test_read_file(stk_events_path(o->outputs.events)), text);
}

/* So many reports that each point of the later ones asks for a write, and is told that it failed.
 */
STK_TEST(reports_are_whole_in_the_events_though_the_disk_was_full_for_long)
{
    enum { REPORTS = 400 };
    stk_error     err;
    outputs_alone o;
    course       *c = open_course("c8", tiny_data("data8", 64, 8, 4));
    EXPECT_INT_EQ(0, mkdir(c->recipe.output.folder, 0777));
    open_outputs(&o, c);
    EXPECT_OK(report_step(&o, 1, &err));
    stk_io_fail_after(STK_IO_WRITE, 0, INT64_MAX / 2, ENOSPC);
    for (int64_t step = 2; step < REPORTS; step++)
        EXPECT_STATUS(STK_E_NOSPACE, report_step(&o, step, &err));
    EXPECT(stk_io_fail_stop());
    EXPECT_OK(report_step(&o, REPORTS, &err));
    EXPECT_INT_EQ(REPORTS, times_in_events(&o, "train/loss"));
    EXPECT_INT_EQ(REPORTS, times_in_events(&o, "train/learning_rate"));
    EXPECT_INT_EQ(REPORTS, times_in_events(&o, "speed/input_wait"));
    close_outputs(&o);
    close_course(c);
}

/* Whichever allocation of the first report fails: its points are there, and the settings come with
 * the next one. */
STK_TEST(a_report_that_memory_was_short_for_leaves_nothing_out_of_the_events)
{
    int64_t failed = 0;
    course *c = open_course("c9", tiny_data("data9", 64, 8, 4));
    EXPECT_INT_EQ(0, mkdir(c->recipe.output.folder, 0777));
    for (bool met = true; met; failed++) {
        stk_error     err;
        outputs_alone o;
        open_outputs(&o, c);
        stk_alloc_fail_after(failed);
        const stk_status st = report_step(&o, 1, &err);
        met = stk_alloc_fail_stop();
        EXPECT_INT_EQ(met ? STK_E_NOMEM : STK_OK, st);
        EXPECT_OK(report_step(&o, 2, &err));
        EXPECT_INT_EQ(2, times_in_events(&o, "train/loss"));
        EXPECT_INT_EQ(2, times_in_events(&o, "speed/input_wait"));
        EXPECT(times_in_events(&o, "_hparams_/session_start_info") == 1);
        close_outputs(&o);
    }
    EXPECT(failed > 10);
    close_course(c);
}

/* The writer: all that is put arrives, failures are told and do not stop it, and a process that is
 * killed at any moment leaves a checkpoint to go on from. */
#include "checkpoint_support.h"
#include "storage/full_disk.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct failures {
    int       count; /* written by the writer's thread, read after a flush */
    stk_error last;
} failures;

#define MODEL(path) ((const char *const[]){path, NULL})

static void note_failure(void *context, const stk_error *why)
{
    failures *f = context;
    f->count++;
    f->last = *why;
}

static stk_checkpoint_writer *start(const stk_filesystem *fs, const char *folder, int64_t keep,
                                    failures *f)
{
    stk_error                err;
    stk_checkpoint_writer   *writer;
    const stk_writer_options options = {
        .fs = fs, .folder = folder, .keep = keep, .failed = note_failure, .context = f};
    EXPECT_OK(stk_checkpoint_writer_start(&writer, &options, &err));
    return writer;
}

static stk_status put(stk_checkpoint_writer *writer, run *r, uint64_t seed, stk_error *err)
{
    run_fill(r, seed);
    return stk_checkpoint_writer_put(writer, r->variables, &r->state, NULL, NULL, NULL, err);
}

static void expect_loads(run *r, const char *folder, uint64_t seed)
{
    stk_error err;
    char      path[PATH_CAPACITY];
    EXPECT_OK(stk_checkpoint_load(NULL, step_path(folder, (int64_t)seed, path), r->variables,
                                  &r->state, &err));
    EXPECT(run_is(r, seed));
}

STK_TEST(puts_in_a_row_are_all_written_as_they_were)
{
    run                    r;
    stk_error              err;
    failures               f = {0};
    int                    count = -1;
    const char            *folder = make_folder("row");
    stk_checkpoint_writer *writer = start(NULL, folder, 9, &f);
    run_open_usual(&r);
    EXPECT_OK(stk_checkpoint_writer_flush(writer, &count, &err));
    for (uint64_t seed = 1; seed <= 5; seed++)
        EXPECT_OK(put(writer, &r, seed, &err));
    run_fill(&r, 99); /* the last is still being written: from its own copy */
    EXPECT_OK(stk_checkpoint_writer_flush(writer, &count, &err));
    EXPECT_INT_EQ(0, count);
    for (uint64_t seed = 1; seed <= 5; seed++)
        expect_loads(&r, folder, seed);
    EXPECT_OK(put(writer, &r, 6, &err));
    stk_checkpoint_writer_free(writer);
    expect_loads(&r, folder, 6);
    EXPECT_INT_EQ(0, f.count);
    stk_checkpoint_writer_free(NULL);
    run_close(&r);
}

STK_TEST(the_model_is_written_too_with_texts_of_its_own)
{
    run                    r;
    stk_error              err;
    failures               f = {0};
    stk_safetensors       *file;
    char                   key[] = "model", text[] = "tiny", prefix[] = "ema.", path[PATH_CAPACITY];
    const char            *metadata[] = {key, text, NULL};
    const char            *folder = make_folder("models");
    stk_checkpoint_writer *writer = start(NULL, folder, 9, &f);
    run_open_usual(&r);
    run_fill(&r, 1);
    snprintf(path, sizeof path, "%s/best.safetensors", folder);
    EXPECT_OK(stk_checkpoint_writer_put(writer, r.variables, &r.state, MODEL(path), prefix,
                                        metadata, &err));
    memset(key, 'x', 4);
    memset(text, 'x', 4);
    memset(prefix, 'x', 3);
    metadata[0] = NULL;
    EXPECT_OK(stk_checkpoint_writer_flush(writer, NULL, &err));
    EXPECT_OK(stk_safetensors_open(&file, NULL, path, NULL, &err));
    EXPECT_INT_EQ(4, stk_safetensors_count(file));
    EXPECT_STR_EQ("tiny", stk_safetensors_text(file, "model"));
    stk_safetensors_free(file);
    expect_loads(&r, folder, 1);
    EXPECT_OK(
        stk_checkpoint_writer_put(writer, r.variables, &r.state, MODEL(path), "none/", NULL, &err));
    EXPECT_STATUS(STK_E_NOTFOUND, stk_checkpoint_writer_flush(writer, NULL, &err));
    EXPECT_INT_EQ(1, f.count);
    stk_checkpoint_writer_free(writer);
    run_close(&r);
}

STK_TEST(after_a_failure_the_writer_goes_on_with_the_next)
{
    run                    r;
    stk_error              err;
    full_disk              disk;
    failures               f = {0};
    int                    count;
    const char            *folder = make_folder("goes_on");
    stk_checkpoint_writer *writer;
    run_open_usual(&r);
    full_disk_init(&disk, 2);
    writer = start(&disk.fs, folder, 2, &f);
    EXPECT_OK(put(writer, &r, 1, &err));
    EXPECT_OK(put(writer, &r, 2, &err));
    EXPECT_STATUS(STK_E_NOSPACE, stk_checkpoint_writer_flush(writer, &count, &err));
    EXPECT_INT_EQ(1, count);
    EXPECT_INT_EQ(1, f.count);
    EXPECT_CONTAINS("step-000000001", f.last.where);
    EXPECT_OK(stk_checkpoint_writer_flush(writer, &count, &err));
    EXPECT_INT_EQ(0, count);
    disk.at = disk.calls + 1;
    EXPECT_OK(put(writer, &r, 3, &err));
    EXPECT_OK(put(writer, &r, 4, &err));
    EXPECT_STATUS(STK_E_NOSPACE, stk_checkpoint_writer_flush(writer, &count, &err));
    EXPECT_INT_EQ(1, count);
    stk_checkpoint_writer_free(writer);
    EXPECT_INT_EQ(2, f.count);
    expect_loads(&r, folder, 2);
    expect_loads(&r, folder, 4);
    run_close(&r);
}

/* A folder of that name is in the way of the file. */
static const char *block(const char *folder, const char *name, char path[PATH_CAPACITY])
{
    snprintf(path, PATH_CAPACITY, "%s/%s", folder, name);
    EXPECT_INT_EQ(0, mkdir(path, 0777));
    return path;
}

static void put_best(stk_checkpoint_writer *writer, run *r, uint64_t seed, const char *path)
{
    char              step[32];
    const char *const metadata[] = {"of", step, NULL};
    stk_error         err;
    snprintf(step, sizeof step, "%d", (int)seed);
    run_fill(r, seed);
    EXPECT_OK(stk_checkpoint_writer_put(writer, r->variables, &r->state, path ? MODEL(path) : NULL,
                                        NULL, metadata, &err));
}

static void expect_model_of(const char *path, const char *seed)
{
    stk_safetensors *file;
    stk_error        err;
    EXPECT_OK(stk_safetensors_open(&file, NULL, path, NULL, &err));
    EXPECT_STR_EQ(seed, stk_safetensors_text(file, "of"));
    stk_safetensors_free(file);
}

static bool has_step(const char *folder, int64_t step)
{
    char path[PATH_CAPACITY];
    return access(step_path(folder, step, path), F_OK) == 0;
}

STK_TEST(a_model_that_cannot_be_written_is_owed_and_its_checkpoint_stays)
{
    run                    r;
    stk_error              err;
    failures               f = {0};
    int                    count;
    char                   best[PATH_CAPACITY];
    const char            *folder = make_folder("owed");
    stk_checkpoint_writer *writer = start(NULL, folder, 1, &f);
    run_open_usual(&r);
    block(folder, "best.safetensors", best);
    put_best(writer, &r, 1, best);
    put_best(writer, &r, 2, NULL);
    put_best(writer, &r, 3, NULL);
    EXPECT_STATUS(STK_E_INVALID, stk_checkpoint_writer_flush(writer, &count, &err));
    EXPECT_INT_EQ(1, count);
    EXPECT_STR_EQ(best, err.where);
    EXPECT(has_step(folder, 1) && has_step(folder, 3));
    EXPECT_INT_EQ(3, stk_checkpoint_writer_written(writer));
    EXPECT_INT_EQ(0, rmdir(best));
    put_best(writer, &r, 4, NULL);
    EXPECT_OK(stk_checkpoint_writer_flush(writer, &count, &err));
    expect_model_of(best, "1");
    EXPECT(!has_step(folder, 1) && !has_step(folder, 3) && has_step(folder, 4));
    EXPECT_INT_EQ(1, f.count);
    stk_checkpoint_writer_free(writer);
    run_close(&r);
}

STK_TEST(no_checkpoint_tells_of_a_model_that_nobody_can_make)
{
    run                    r;
    stk_error              err;
    failures               f = {0};
    int                    count;
    char                   best[PATH_CAPACITY], first[PATH_CAPACITY];
    const char            *folder = make_folder("nobody");
    stk_checkpoint_writer *writer = start(NULL, folder, 3, &f);
    run_open_usual(&r);
    block(folder, "best.safetensors", best);
    block(folder, "step-000000001.safetensors", first);
    put_best(writer, &r, 1, best);
    put_best(writer, &r, 2, NULL);
    EXPECT_STATUS(STK_E_INVALID, stk_checkpoint_writer_flush(writer, &count, &err));
    EXPECT_INT_EQ(3, count);
    EXPECT(!has_step(folder, 2));
    EXPECT_INT_EQ(-1, stk_checkpoint_writer_written(writer));
    EXPECT_INT_EQ(0, rmdir(best));
    put_best(writer, &r, 3, NULL);
    EXPECT_OK(stk_checkpoint_writer_flush(writer, &count, &err));
    expect_model_of(best, "1");
    EXPECT(has_step(folder, 3));
    EXPECT_INT_EQ(0, unlink(best));
    EXPECT_INT_EQ(0, mkdir(best, 0777));
    put_best(writer, &r, 4, best);
    EXPECT_STATUS(STK_E_INVALID, stk_checkpoint_writer_flush(writer, &count, &err));
    EXPECT_INT_EQ(0, rmdir(best));
    put_best(writer, &r, 5, best); /* a newer one takes its place */
    EXPECT_OK(stk_checkpoint_writer_flush(writer, &count, &err));
    expect_model_of(best, "5");
    stk_checkpoint_writer_free(writer);
    run_close(&r);
}

typedef struct ledger_of_marks {
    uint64_t   marks, waited; /* as they were asked for */
    stk_status answer;
} ledger_of_marks;

static uint64_t next_mark(void *context)
{
    return ++((ledger_of_marks *)context)->marks;
}

static stk_status wait_for_mark(void *context, uint64_t ticket, stk_error *err)
{
    ledger_of_marks *l = context;
    l->waited = ticket;
    return l->answer ? stk_fail(err, l->answer, "rows", "table", "cannot be written") : STK_OK;
}

STK_TEST(a_checkpoint_waits_for_what_it_covers)
{
    run                      r;
    stk_error                err;
    ledger_of_marks          l = {0};
    stk_checkpoint_writer   *writer;
    const char              *folder = make_folder("covers");
    const stk_writer_options options = {
        .folder = folder, .keep = 9, .ticket = next_mark, .before = wait_for_mark, .context = &l};
    run_open_usual(&r);
    EXPECT_OK(stk_checkpoint_writer_start(&writer, &options, &err));
    put_best(writer, &r, 1, NULL);
    EXPECT_OK(stk_checkpoint_writer_flush(writer, NULL, &err));
    EXPECT_INT_EQ(1, l.waited);
    EXPECT(has_step(folder, 1));
    l.answer = STK_E_NOSPACE;
    put_best(writer, &r, 2, NULL);
    EXPECT_STATUS(STK_E_NOSPACE, stk_checkpoint_writer_flush(writer, NULL, &err));
    EXPECT_STR_EQ("rows", err.component);
    EXPECT_INT_EQ(2, l.waited);
    EXPECT(!has_step(folder, 2));
    stk_checkpoint_writer_free(writer);
    run_close(&r);
}

STK_TEST(starting_removes_what_a_killed_process_left)
{
    failures    f = {0};
    char        left[PATH_CAPACITY], other[PATH_CAPACITY];
    const char *folder = make_folder("left");
    snprintf(left, sizeof left, "%s/.step-000000007.safetensors.123-0.tmp", folder);
    snprintf(other, sizeof other, "%s/.metrics.csv.123-0.tmp", folder);
    stk_test_write_file(left, "half", 4);
    stk_test_write_file(other, "half", 4);
    stk_checkpoint_writer_free(start(NULL, folder, 1, &f));
    EXPECT(access(left, F_OK) && !access(other, F_OK));
}

STK_TEST(a_folder_that_is_not_there_is_told_at_the_start)
{
    stk_error                err;
    stk_checkpoint_writer   *writer;
    const stk_writer_options options = {.folder = stk_test_path("nowhere"), .keep = 1};
    EXPECT_STATUS(STK_E_NOTFOUND, stk_checkpoint_writer_start(&writer, &options, &err));
    EXPECT(!writer);
}

static run         allocating;
static const char *allocating_folder;

/* A model that is made good by the flush was told as a failure all the same. */
static stk_status write_once(void *context, stk_error *err)
{
    const char *const        metadata[] = {"key", "text", NULL};
    stk_checkpoint_writer   *writer;
    failures                 f = {0};
    const stk_writer_options options = {
        .folder = allocating_folder, .keep = 1, .failed = note_failure, .context = &f};
    STK_TRY(stk_checkpoint_writer_start(&writer, &options, err));
    stk_status st = stk_checkpoint_writer_put(writer, allocating.variables, &allocating.state,
                                              MODEL(context), "ema.", metadata, err);
    if (!st) st = stk_checkpoint_writer_flush(writer, NULL, err);
    stk_checkpoint_writer_free(writer);
    return st ? st : f.last.status;
}

STK_TEST(the_writer_survives_every_failed_allocation)
{
    char path[PATH_CAPACITY];
    allocating_folder = make_folder("allocations");
    snprintf(path, sizeof path, "%s/model.safetensors", allocating_folder);
    run_open_usual(&allocating);
    write_seed(&allocating, allocating_folder, 1, 1);
    run_fill(&allocating, 2);
    stk_test_fail_each_allocation(write_once, path);
    expect_loads(&allocating, allocating_folder, 2);
    run_close(&allocating);
}

enum { KILLS = 50, LONGEST_US = 20000 };

static const run_variable large_variables[] = {
    {"a", STK_DTYPE_F32, {1, {65536}}, STK_VARIABLE_PARAMETER},
    {"b", STK_DTYPE_F32, {1, {777}}, STK_VARIABLE_OPTIMIZER},
};

/* Trains, so to speak, until it is killed; says when the first write begins. Runs in a child. */
static void train_on(const char *folder, uint64_t seed, int begun)
{
    run       r;
    failures  f = {0};
    stk_error err;
    alarm(60);
    run_open(&r, large_variables, COUNT_OF(large_variables));
    stk_checkpoint_writer *writer = start(NULL, folder, 2, &f);
    for (int first = 1;; first = 0)
        if (put(writer, &r, ++seed, &err) || (first && write(begun, "", 1) != 1)) _exit(1);
}

static void kill_while_training(const char *folder, uint64_t seed)
{
    int  status, ends[2];
    char byte;
    EXPECT(!pipe(ends));
    const pid_t child = fork();
    EXPECT(child >= 0);
    if (!child) train_on(folder, seed, ends[1]);
    EXPECT(read(ends[0], &byte, 1) == 1);
    usleep((useconds_t)(rand() % LONGEST_US));
    EXPECT(!kill(child, SIGKILL));
    EXPECT(waitpid(child, &status, 0) == child);
    EXPECT(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    close(ends[0]);
    close(ends[1]);
}

static stk_status count_remains(void *context, const char *name, const stk_file_info *info,
                                stk_error *err)
{
    (void)info, (void)err;
    *(int *)context += name[0] == '.';
    return STK_OK;
}

STK_TEST(a_process_killed_at_any_moment_leaves_a_checkpoint_to_go_on_from)
{
    run         r;
    stk_error   err;
    warnings    w = {0};
    char        path[PATH_CAPACITY];
    int         while_writing = 0;
    uint64_t    step = 1;
    const char *folder = make_folder("killed");
    run_open(&r, large_variables, COUNT_OF(large_variables));
    write_seed(&r, folder, 1, 2);
    srand(1);
    for (int i = 0; i < KILLS; i++) {
        kill_while_training(folder, step);
        EXPECT_OK(stk_path_list(NULL, folder, STK_LIST_KINDS, count_remains, &while_writing, &err));
        EXPECT_OK(stk_checkpoint_find(NULL, folder, take_warning, &w, path, sizeof path, &err));
        EXPECT_OK(stk_checkpoint_load(NULL, path, r.variables, &r.state, &err));
        EXPECT(r.state.step >= (int64_t)step);
        step = (uint64_t)r.state.step;
        EXPECT(run_is(&r, step));
        EXPECT_INT_EQ(0, w.count);
    }
    print_message("%d kills in %d steps, %d of them while writing\n", KILLS, (int)step,
                  while_writing);
    EXPECT(step > 1 && while_writing > 0);
    run_close(&r);
}

/* Folders of checkpoints: which is found, which stay, and what a full disk leaves. */
#include "checkpoint_support.h"
#include "storage/full_disk.h"

#include <unistd.h>

static bool is_there(const char *folder, int64_t step)
{
    char path[PATH_CAPACITY];
    return !access(step_path(folder, step, path), F_OK);
}

static void expect_found(const char *folder, int64_t step, int warned)
{
    char      found[PATH_CAPACITY], expected[PATH_CAPACITY];
    warnings  w = {0};
    stk_error err;
    EXPECT_OK(stk_checkpoint_find(NULL, folder, take_warning, &w, found, sizeof found, &err));
    EXPECT_STR_EQ(step_path(folder, step, expected), found);
    EXPECT_INT_EQ(warned, w.count);
}

static void cut(const char *path, size_t numerator, size_t denominator)
{
    const stk_bytes whole = stk_test_read_file(path);
    stk_test_write_file(path, whole.data, whole.size * numerator / denominator);
}

static void flip(const char *path, size_t offset)
{
    const stk_bytes whole = stk_test_read_file(path);
    uint8_t        *copy = malloc(whole.size);
    EXPECT(copy != NULL);
    memcpy(copy, whole.data, whole.size);
    copy[offset < whole.size ? offset : whole.size - 1] ^= 4;
    stk_test_write_file(path, copy, whole.size);
    free(copy);
}

STK_TEST(the_newest_by_step_is_found_among_other_files)
{
    run         r;
    stk_error   err;
    char        path[PATH_CAPACITY];
    const char *folder = make_folder("newest");
    EXPECT_STATUS(STK_E_NOTFOUND,
                  stk_checkpoint_find(NULL, folder, NULL, NULL, path, sizeof path, &err));
    run_open_usual(&r);
    write_seed(&r, folder, 1200, 9);
    write_seed(&r, folder, 900, 9);
    snprintf(path, sizeof path, "%s/step-5000.safetensors", folder);
    stk_test_write_file(path, "x", 1);
    snprintf(path, sizeof path, "%s/step-000005000.safetensors.old", folder);
    stk_test_write_file(path, "x", 1);
    snprintf(path, sizeof path, "%s/step-00000500x.safetensors", folder);
    stk_test_write_file(path, "x", 1);
    EXPECT(!mkdir(step_path(folder, 6000, path), 0777));
    expect_found(folder, 1200, 0);
    write_seed(&r, folder, 12345678901234, 9);
    expect_found(folder, 12345678901234, 0);
    EXPECT_STATUS(STK_E_LIMIT, stk_checkpoint_find(NULL, folder, NULL, NULL, path, 20, &err));
    EXPECT_STATUS(STK_E_NOTFOUND, stk_checkpoint_find(NULL, stk_test_path("nowhere"), NULL, NULL,
                                                      path, sizeof path, &err));
    run_close(&r);
}

STK_TEST(damaged_checkpoints_are_passed_over_with_a_warning_each)
{
    run         r;
    stk_error   err;
    warnings    w = {0};
    char        path[PATH_CAPACITY];
    const char *folder = make_folder("damaged");
    run_open_usual(&r);
    for (int64_t step = 1; step <= 5; step++)
        write_seed(&r, folder, step, 9);
    flip(step_path(folder, 5, path), SIZE_MAX);
    expect_found(folder, 4, 1);
    cut(step_path(folder, 4, path), 1, 2);
    expect_found(folder, 3, 2);
    cut(step_path(folder, 3, path), 0, 1);
    expect_found(folder, 2, 3);
    flip(step_path(folder, 2, path), 40);
    expect_found(folder, 1, 4);
    EXPECT_OK(stk_checkpoint_load(NULL, step_path(folder, 1, path), r.variables, &r.state, &err));
    EXPECT(run_is(&r, 1));
    flip(step_path(folder, 1, path), 1000);
    EXPECT_STATUS(STK_E_NOTFOUND,
                  stk_checkpoint_find(NULL, folder, take_warning, &w, path, sizeof path, &err));
    EXPECT_INT_EQ(5, w.count);
    EXPECT_CONTAINS("passed over", w.last);
    EXPECT_CONTAINS("step-000000001.safetensors", w.last);
    EXPECT_CONTAINS("of 5 checkpoints here none is whole", err.message);
    run_close(&r);
}

STK_TEST(the_newest_stay_and_others_go)
{
    run         r;
    const char *folder = make_folder("keep");
    run_open_usual(&r);
    for (int64_t step = 10; step <= 50; step += 10)
        write_seed(&r, folder, step, 3);
    for (int64_t step = 10; step <= 50; step += 10)
        EXPECT_INT_EQ(step >= 30, is_there(folder, step));
    write_seed(&r, folder, 60, 1);
    for (int64_t step = 10; step <= 60; step += 10)
        EXPECT_INT_EQ(step == 60, is_there(folder, step));
    write_seed(&r, folder, 60, 1);
    expect_found(folder, 60, 0);
    run_close(&r);
}

STK_TEST(the_newest_whole_one_stays_whatever_lies_around_it)
{
    run         r;
    char        path[PATH_CAPACITY];
    const char *folder = make_folder("whole");
    run_open_usual(&r);
    for (int64_t step = 10; step <= 50; step += 10)
        write_seed(&r, folder, step, 9);
    cut(step_path(folder, 50, path), 1, 2);
    cut(step_path(folder, 40, path), 1, 3);
    expect_found(folder, 30, 2);
    write_seed(&r, folder, 35, 1); /* went on from 30: 40 and 50 lie ahead */
    EXPECT(is_there(folder, 35) && !is_there(folder, 30) && is_there(folder, 50));
    expect_found(folder, 35, 2);
    write_seed(&r, folder, 45, 2); /* 40 does not count: 35 is the second */
    EXPECT(is_there(folder, 45) && is_there(folder, 35));
    write_seed(&r, folder, 55, 2);
    EXPECT(is_there(folder, 55) && is_there(folder, 45) && !is_there(folder, 35));
    expect_found(folder, 55, 0);
    run_close(&r);
}

STK_TEST(a_full_disk_at_any_call_leaves_the_checkpoint_before)
{
    run         r;
    stk_error   err;
    full_disk   disk;
    const char *folder = make_folder("full");
    run_open_usual(&r);
    write_seed(&r, folder, 1, 1);
    full_disk_init(&disk, -1);
    run_fill(&r, 2);
    EXPECT_OK(write_now(&r, &disk.fs, folder, 9, &err));
    const int calls = disk.calls;
    EXPECT(calls > 5);
    run_fill(&r, 3);
    for (int at = 0; at < calls; at++) {
        full_disk_init(&disk, at);
        EXPECT_STATUS(STK_E_NOSPACE, write_now(&r, &disk.fs, folder, 1, &err));
        EXPECT(is_there(folder, 1) && is_there(folder, 2) && !is_there(folder, 3));
    }
    expect_found(folder, 2, 0);
    run_close(&r);
}

static stk_status refuse(const stk_filesystem *fs, const char *path, stk_error *err)
{
    (void)fs;
    return stk_fail_errno(err, EACCES, "remove", path, "remove");
}

STK_TEST(a_failure_to_remove_is_told_and_the_new_one_is_there)
{
    run                r;
    stk_error          err;
    stk_filesystem_ops ops = *stk_filesystem_local()->ops;
    stk_filesystem     fs = {&ops, "no removing"};
    const char        *folder = make_folder("remove");
    run_open_usual(&r);
    write_seed(&r, folder, 1, 1);
    run_fill(&r, 2);
    ops.remove = refuse;
    EXPECT_STATUS(STK_E_PERMISSION, write_now(&r, &fs, folder, 1, &err));
    EXPECT_CONTAINS("step-000000001", err.where);
    expect_found(folder, 2, 0);
    run_close(&r);
}

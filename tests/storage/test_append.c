/* Outputs at the end of a file. */
#include "harness.h"
#include "storage/file/read_only.h"

#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

static void expect_content(const char *expected, const char *path)
{
    const stk_bytes got = stk_test_read_file(path);
    EXPECT_INT_EQ(strlen(expected), got.size);
    EXPECT_MEM_EQ(expected, got.data, got.size);
}

STK_TEST(what_is_appended_is_seen_at_once_and_stays)
{
    stk_error   err;
    stk_output *out;
    const char *path = stk_test_path("growing");
    EXPECT_OK(stk_output_append(&out, NULL, path, &err));
    EXPECT_STR_EQ(path, out->path);
    EXPECT_OK(stk_output_write(out, "one ", 4, &err));
    expect_content("one ", path);
    EXPECT_OK(stk_output_commit(out, &err));
    EXPECT_OK(stk_output_write(out, "two ", 4, &err));
    EXPECT_OK(stk_output_commit(out, &err));
    stk_output_close(out);
    EXPECT_OK(stk_output_append(&out, NULL, path, &err));
    EXPECT_OK(stk_output_write(out, "three", 5, &err));
    stk_output_close(out);
    expect_content("one two three", path);
}

STK_TEST(a_write_that_fails_leaves_the_file_as_it_was)
{
    stk_error     err;
    stk_output   *out;
    struct rlimit old, small;
    const char   *path = stk_test_path("limited");
    EXPECT_OK(stk_output_append(&out, NULL, path, &err));
    EXPECT_OK(stk_output_write(out, "before", 6, &err));
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    EXPECT_INT_EQ(0, getrlimit(RLIMIT_FSIZE, &old));
    small = old;
    small.rlim_cur = 10;
    EXPECT_INT_EQ(0, setrlimit(RLIMIT_FSIZE, &small));
    const stk_status st = stk_output_write(out, "too much", 8, &err);
    EXPECT_INT_EQ(0, setrlimit(RLIMIT_FSIZE, &old));
    signal(SIGXFSZ, handler);
    EXPECT_INT_EQ(STK_E_NOSPACE, st);
    EXPECT_STR_EQ(path, err.where);
    EXPECT_CONTAINS("write past 6 bytes", err.message);
    expect_content("before", path);
    EXPECT_OK(stk_output_write(out, " after", 6, &err));
    stk_output_close(out);
    expect_content("before after", path);
}

STK_TEST(folders_pipes_and_stores_that_cannot_grow_are_refused)
{
    stk_error          err;
    stk_output        *out;
    stk_read_only      view;
    stk_filesystem_ops ops = *stk_filesystem_local()->ops;
    stk_filesystem     fs = {&ops, "flat"};
    const char        *pipe = stk_test_path("pipe");
    EXPECT_STATUS(STK_E_INVALID, stk_output_append(&out, NULL, stk_test_folder(), &err));
    EXPECT(out == NULL);
    EXPECT_INT_EQ(0, mkfifo(pipe, 0600));
    EXPECT(stk_output_append(&out, NULL, pipe, &err) != STK_OK);
    EXPECT_STATUS(STK_E_NOTFOUND, stk_output_append(&out, NULL, "/none/at/all", &err));
    EXPECT_STATUS(STK_E_INVALID, stk_output_append(&out, NULL, "/dev/null", &err));
    ops.append = NULL;
    EXPECT_STATUS(STK_E_UNSUPPORTED, stk_output_append(&out, &fs, "x", &err));
    EXPECT_CONTAINS("'flat' cannot grow", err.message);
    stk_read_only_init(&view, stk_filesystem_local());
    EXPECT_STATUS(STK_E_PERMISSION, stk_output_append(&out, &view.fs, "x", &err));
}

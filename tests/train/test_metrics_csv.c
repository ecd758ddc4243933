/* The table of metrics: what is written, what a resumed run keeps, what is refused. */
#include "../storage/full_disk.h"
#include "failing_alloc.h"

#include <locale.h>
#include <math.h>
#include <string.h>

static const char *const columns[] = {"loss", "accuracy"};

static stk_metrics_csv *open_at(const char *path, int64_t keep_step)
{
    stk_error        err;
    stk_metrics_csv *csv;
    EXPECT_OK(stk_metrics_csv_open(&csv, NULL, path, columns, 2, keep_step, &err));
    return csv;
}

static void expect_content(const char *expected, const char *path)
{
    const stk_bytes got = stk_test_read_file(path);
    char            text[512];
    EXPECT(got.size < sizeof text);
    memcpy(text, got.data, got.size);
    text[got.size] = 0;
    EXPECT_STR_EQ(expected, text);
}

static void write_file(const char *path, const char *content)
{
    stk_test_write_file(path, content, strlen(content));
}

STK_TEST(lines_are_there_at_once_and_numbers_read_back_in_any_locale)
{
    static const char *const locales[] = {"C", "de_DE.UTF-8", "de_DE.utf8"};
    stk_error                err;
    const char              *path = stk_test_path("numbers.csv");
    for (size_t i = 0; i < COUNT_OF(locales); i++) {
        if (!setlocale(LC_ALL, locales[i])) continue;
        stk_metrics_csv *csv = open_at(path, -1);
        expect_content("step,loss,accuracy\n", path);
        EXPECT_OK(stk_metrics_csv_add(csv, 0, (double[]){2.5, 0.1}, NULL, &err));
        expect_content("step,loss,accuracy\n0,2.5,0.1\n", path);
        EXPECT_OK(stk_metrics_csv_add(csv, 7, (double[]){1.0 / 3, 1e-20}, NULL, &err));
        EXPECT_OK(stk_metrics_csv_add(csv, 7, (double[]){-NAN, -INFINITY}, NULL, &err));
        EXPECT_OK(stk_metrics_csv_add(csv, 8, (double[]){3, 4}, (bool[]){false, true}, &err));
        EXPECT_OK(stk_metrics_csv_flush(csv, &err));
        stk_metrics_csv_free(csv);
        expect_content("step,loss,accuracy\n0,2.5,0.1\n7,0.3333333333333333,1e-20\n"
                       "7,nan,-inf\n8,,4\n",
                       path);
    }
    setlocale(LC_ALL, "C");
}

STK_TEST(a_resumed_run_keeps_the_lines_up_to_its_step)
{
    stk_error   err;
    const char *path = stk_test_path("resumed.csv");
    write_file(path, "step,loss,accuracy\n1,1,1\n2,2,2\n2,3,3\n5,4,4\n6,5");
    stk_metrics_csv *csv = open_at(path, 5);
    expect_content("step,loss,accuracy\n1,1,1\n2,2,2\n2,3,3\n5,4,4\n", path);
    EXPECT_STATUS(STK_E_INVALID, stk_metrics_csv_add(csv, 4, (double[]){0, 0}, NULL, &err));
    EXPECT_CONTAINS("step 4 comes after step 5", err.message);
    stk_metrics_csv_free(csv);
    csv = open_at(path, 3);
    EXPECT_OK(stk_metrics_csv_add(csv, 3, (double[]){9, 9}, NULL, &err));
    stk_metrics_csv_free(csv);
    expect_content("step,loss,accuracy\n1,1,1\n2,2,2\n2,3,3\n3,9,9\n", path);
    stk_metrics_csv_free(open_at(path, -1));
    expect_content("step,loss,accuracy\n", path);
}

STK_TEST(a_file_killed_at_birth_is_begun_again)
{
    const char              *path = stk_test_path("birth.csv");
    static const char *const left[] = {"", "st", "step,loss,accuracy"};
    for (size_t i = 0; i < COUNT_OF(left); i++) {
        write_file(path, left[i]);
        stk_metrics_csv_free(open_at(path, 10));
        expect_content("step,loss,accuracy\n", path);
    }
}

static void expect_refused(stk_status expected, const char *message, const char *content)
{
    stk_error        err;
    stk_metrics_csv *csv;
    const char      *path = stk_test_path("refused.csv");
    write_file(path, content);
    EXPECT_STATUS(expected, stk_metrics_csv_open(&csv, NULL, path, columns, 2, 100, &err));
    EXPECT(csv == NULL);
    EXPECT_STR_EQ(path, err.where);
    EXPECT_CONTAINS(message, err.message);
    expect_content(content, path);
}

STK_TEST(a_file_of_another_kind_is_left_alone)
{
    expect_refused(STK_E_FORMAT, "has columns 'step,loss', this run writes 'step,loss,accuracy'",
                   "step,loss\n1,1\n");
    expect_refused(STK_E_FORMAT, "has columns 'something'", "something");
    expect_refused(STK_E_DATALOSS, "line 3 does not begin with a step of 1 or more",
                   "step,loss,accuracy\n1,1,1\nx,1,1\n2,1,1\n");
    expect_refused(STK_E_DATALOSS, "line 3 does not begin with a step of 5 or more",
                   "step,loss,accuracy\n5,1,1\n4,1,1\n");
    expect_refused(STK_E_DATALOSS, "line 2", "step,loss,accuracy\n99999999999999999999,1,1\n");
}

STK_TEST(names_that_would_break_the_table_are_refused)
{
    static const char *const bad[][2] = {{"a", ""},    {"a", "b,c"}, {"a", "\"b"},
                                         {"a", "b\n"}, {"a", "a"},   {"a", "step"}};
    stk_error                err;
    stk_metrics_csv         *csv;
    const char              *path = stk_test_path("names.csv");
    for (size_t i = 0; i < COUNT_OF(bad); i++)
        EXPECT_STATUS(STK_E_INVALID, stk_metrics_csv_open(&csv, NULL, path, bad[i], 2, -1, &err));
    EXPECT_STATUS(STK_E_LIMIT, stk_metrics_csv_open(&csv, NULL, path, NULL, 1025, -1, &err));
}

STK_TEST(a_full_disk_while_cutting_back_leaves_the_old_file)
{
    stk_error        err;
    full_disk        disk;
    stk_metrics_csv *csv;
    const char      *path = stk_test_path("kept.csv");
    const char      *content = "step,loss,accuracy\n1,1,1\n2,2,2\n";
    for (int at = 0; at < 3; at++) {
        write_file(path, content);
        full_disk_init(&disk, at);
        EXPECT_STATUS(STK_E_NOSPACE,
                      stk_metrics_csv_open(&csv, &disk.fs, path, columns, 2, 1, &err));
        expect_content(content, path);
    }
}

static stk_status write_some(void *path, stk_error *err)
{
    stk_metrics_csv *csv;
    STK_TRY(stk_metrics_csv_open(&csv, NULL, path, columns, 2, 3, err));
    stk_status st = stk_metrics_csv_add(csv, 3, (double[]){1, 2}, NULL, err);
    if (!st) st = stk_metrics_csv_add(csv, 4, (double[]){1, 2}, NULL, err);
    stk_metrics_csv_free(csv);
    return st;
}

STK_TEST(the_table_survives_every_failed_allocation)
{
    stk_test_fail_each_allocation(write_some, (void *)(uintptr_t)stk_test_path("allocations.csv"));
}

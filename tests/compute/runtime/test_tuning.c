#include "compute/runtime/tuning.h"
#include "harness.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[64];

/* A new cache for every test, in folders that do not exist yet. */
static void fresh(void)
{
    static char path[96];
    strcpy(folder, "/tmp/stoker-tuning-XXXXXX");
    EXPECT(mkdtemp(folder) != NULL);
    snprintf(path, sizeof path, "%s/a/b", folder);
    EXPECT_INT_EQ(0, setenv("STOKER_CACHE", path, 1));
}

static void remove_all(const char *path)
{
    char partial[160];
    remove(path);
    snprintf(partial, sizeof partial, "%s/a/b", folder);
    rmdir(partial);
    snprintf(partial, sizeof partial, "%s/a", folder);
    rmdir(partial);
    EXPECT_INT_EQ(0, rmdir(folder)); /* no other file remains */
}

STK_TEST(choices_are_there_the_next_time)
{
    stk_tuning *t;
    stk_error   err;
    double      us;
    char        path[256];
    fresh();
    EXPECT_OK(stk_tuning_open(&t, "GPU of / 80 GB.txt", &err));
    EXPECT(stk_tuning_find(t, "conv 1x1", NULL) == NULL);
    EXPECT_OK(stk_tuning_set(t, "conv 1x1", "engine 3", 12.5, &err));
    EXPECT_OK(stk_tuning_set(t, "conv 3x3", "engine 4", 7, &err));
    EXPECT_OK(stk_tuning_set(t, "conv 1x1", "engine 5", 11.25, &err));
    EXPECT_OK(stk_tuning_save(t, &err));
    EXPECT(strstr(stk_tuning_path(t), "/GPU-of---80-GB.txt") != NULL);
    stk_tuning_free(t);
    EXPECT_OK(stk_tuning_open(&t, "GPU of / 80 GB.txt", &err));
    EXPECT_STR_EQ("engine 5", stk_tuning_find(t, "conv 1x1", &us));
    EXPECT(us == 11.25);
    EXPECT_STR_EQ("engine 4", stk_tuning_find(t, "conv 3x3", &us));
    EXPECT(us == 7);
    snprintf(path, sizeof path, "%s", stk_tuning_path(t));
    stk_tuning_free(t);
    remove_all(path);
}

STK_TEST(what_two_processes_measured_stays)
{
    stk_tuning *a, *b, *c;
    stk_error   err;
    fresh();
    EXPECT_OK(stk_tuning_open(&a, "t", &err));
    EXPECT_OK(stk_tuning_open(&b, "t", &err));
    EXPECT_OK(stk_tuning_set(a, "first", "1", 1, &err));
    EXPECT_OK(stk_tuning_set(b, "second", "2", 2, &err));
    EXPECT_OK(stk_tuning_save(a, &err));
    EXPECT_OK(stk_tuning_save(b, &err));
    EXPECT_OK(stk_tuning_open(&c, "t", &err));
    EXPECT_STR_EQ("1", stk_tuning_find(c, "first", NULL));
    EXPECT_STR_EQ("2", stk_tuning_find(c, "second", NULL));
    remove_all(stk_tuning_path(c));
    stk_tuning_free(a);
    stk_tuning_free(b);
    stk_tuning_free(c);
}

STK_TEST(damaged_lines_are_left_out)
{
    static const char *const lines[] = {
        "good\t1.0\tone\n",  "no tabs\n",          "\t1\tno key\n",  "late\tx\tno time\n",
        "minus\t-1\tless\n", "one\t1\n",           "nothing\t1\t\n", "also\t2.0\ttwo\n",
        "good\t9\tlater\n",  "infinite\tinf\tx\n", "cut\t3.0\tthr"};
    stk_tuning *t;
    stk_error   err;
    double      us;
    fresh();
    EXPECT_OK(stk_tuning_open(&t, "t", &err));
    EXPECT_OK(stk_tuning_set(t, "k", "c", 1, &err));
    EXPECT_OK(stk_tuning_save(t, &err)); /* creates the folder */
    FILE *file = fopen(stk_tuning_path(t), "w");
    EXPECT(file != NULL);
    for (size_t i = 0; i < COUNT_OF(lines); i++)
        fputs(lines[i], file);
    fclose(file);
    stk_tuning_free(t);
    EXPECT_OK(stk_tuning_open(&t, "t", &err));
    EXPECT_STR_EQ("one", stk_tuning_find(t, "good", &us));
    EXPECT_STR_EQ("two", stk_tuning_find(t, "also", &us));
    static const char *const gone[] = {"no tabs", "",        "late",     "minus",
                                       "one",     "nothing", "infinite", "cut"};
    for (size_t i = 0; i < COUNT_OF(gone); i++)
        EXPECT(stk_tuning_find(t, gone[i], NULL) == NULL);
    remove_all(stk_tuning_path(t));
    stk_tuning_free(t);
}

STK_TEST(a_folder_that_cannot_be_is_told_and_nothing_is_lost)
{
    stk_tuning *t;
    stk_error   err;
    EXPECT_INT_EQ(0, setenv("STOKER_CACHE", "/dev/null/cache", 1));
    EXPECT_OK(stk_tuning_open(&t, "t", &err));
    EXPECT_OK(stk_tuning_set(t, "k", "c", 1, &err));
    EXPECT_STATUS(STK_E_IO, stk_tuning_save(t, &err));
    EXPECT_STR_EQ("c", stk_tuning_find(t, "k", NULL));
    stk_tuning_free(t);
}

STK_TEST(texts_that_are_no_line_are_refused)
{
    stk_tuning *t;
    stk_error   err;
    char        long_text[STK_TUNING_CHOICE + 1];
    memset(long_text, 'x', sizeof long_text);
    long_text[STK_TUNING_CHOICE] = 0;
    fresh();
    EXPECT_OK(stk_tuning_open(&t, "t", &err));
    EXPECT_STATUS(STK_E_INVALID, stk_tuning_set(t, "a\tb", "c", 1, &err));
    EXPECT_STATUS(STK_E_INVALID, stk_tuning_set(t, "a", "c\n", 1, &err));
    EXPECT_STATUS(STK_E_INVALID, stk_tuning_set(t, "", "c", 1, &err));
    EXPECT_STATUS(STK_E_INVALID, stk_tuning_set(t, "a", long_text, 1, &err));
    EXPECT_STATUS(STK_E_INVALID, stk_tuning_set(t, "a", "c", -1, &err));
    EXPECT_OK(stk_tuning_save(t, &err)); /* nothing new, so nothing is written */
    EXPECT(access(stk_tuning_path(t), F_OK) != 0);
    stk_tuning_free(t);
    EXPECT_INT_EQ(0, rmdir(folder));
}

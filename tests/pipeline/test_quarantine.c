#include "pipeline_support.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static stk_status fail_on_multiples(void *of, const stk_call *call, stk_element **element,
                                    stk_error *err)
{
    (void)call;
    const int64_t n = stk_test_number(*element);
    if (n % (int64_t)(intptr_t)of) return STK_OK;
    return stk_fail(err, STK_E_DATALOSS, "decode", NULL, "the \"number\" is %d", (int)n);
}

/* Numbers below count; those that of divides are bad. */
static stk_dataset *bad_numbers(int64_t count, int64_t of)
{
    stk_dataset *data = RANGE(count);
    APPLY(data, map, stk_test_map("bad", fail_on_multiples, (void *)(intptr_t)of, 0), NULL);
    return data;
}

static stk_dataset *guarded(stk_dataset *data, const char *file, double rate, uint64_t least)
{
    const stk_quarantine_options options = {.file = file, .max_rate = rate, .min_elements = least};
    APPLY(data, quarantine, &options);
    return data;
}

static const char *text_of(const char *path)
{
    static char     text[1 << 16];
    const stk_bytes bytes = stk_test_read_file(path);
    snprintf(text, sizeof text, "%.*s", (int)bytes.size, (const char *)bytes.data);
    return text;
}

STK_TEST(quarantine_passes_over_errors) /* 5 */
{
    stk_test_watchdog(60);
    const char *path = stk_test_path("passes_over");
    EXPECT_GIVES("1 2 4 5 7 8 .", guarded(bad_numbers(9, 3), path, 0, 0));
    EXPECT(access(path, F_OK) == 0);
}

STK_TEST(quarantine_writes_down_each_bad_element)
{
    const char  *path = stk_test_path("written_down");
    stk_dataset *data = guarded(bad_numbers(6, 5), path, 0, 0);
    EXPECT_STR_EQ("1 2 3 4 .", stk_test_run(data, NULL, 0));
    EXPECT_STR_EQ("{\"stage\":\"decode\",\"where\":\"element 0 of epoch 0\",\"status\":\"damaged "
                  "data\",\"message\":\"the \\\"number\\\" is 0\",\"epoch\":0,\"index\":0}\n"
                  "{\"stage\":\"decode\",\"where\":\"element 5 of epoch 0\",\"status\":\"damaged "
                  "data\",\"message\":\"the \\\"number\\\" is 5\",\"epoch\":0,\"index\":5}\n",
                  text_of(path));
    stk_dataset_unref(data);
}

STK_TEST(without_bad_elements_there_is_no_file)
{
    const char *path = stk_test_path("no_file");
    EXPECT_GIVES("0 1 2 .", guarded(RANGE(3), path, 0, 0));
    EXPECT(access(path, F_OK) != 0);
}

STK_TEST(too_many_bad_elements_stop_the_run)
{
    const char  *path = stk_test_path("too_many");
    stk_dataset *data = guarded(bad_numbers(100, 3), path, 0.25, 10);
    /* 0, 3, 6 and 9 of the first ten are bad. */
    EXPECT_BEGINS(8, "1 2 4 5 7 8 !over_a_limit !over_a_limit ...", stk_dataset_ref(data));
    stk_error     err;
    stk_iterator *it;
    stk_element  *element;
    stk_status    st;
    EXPECT_OK(stk_iterator_start(&it, data, NULL, &err));
    while ((st = stk_iterator_next(it, &element, &err)) == STK_OK)
        stk_element_unref(element);
    EXPECT_STATUS(STK_E_LIMIT, st);
    EXPECT_CONTAINS("4 of 10 elements were bad (40 %), more than the 25 % allowed", err.message);
    EXPECT_CONTAINS("too_many", err.where);
    stk_iterator_free(it);
    /* Nothing above may pass over it. */
    APPLY(data, ignore_errors, false);
    data = guarded(data, stk_test_path("outer"), 0, 0);
    EXPECT_BEGINS(7, "1 2 4 5 7 8 !over_a_limit ...", data);
}

STK_TEST(a_rate_at_the_limit_is_allowed)
{
    const char *path = stk_test_path("at_the_limit");
    EXPECT_GIVES("1 3 5 7 9 .", guarded(bad_numbers(10, 2), path, 0.5, 10));
    /* Reached by a good element, which is given first. */
    EXPECT_BEGINS(2, "1 !over_a_limit ...", guarded(bad_numbers(10, 2), path, 0.4, 2));
}

/* After a restored checkpoint the rate is that of the whole pass. */
STK_TEST(counts_are_in_the_checkpoint)
{
    const char *path = stk_test_path("counts");
    EXPECT_BEGINS(9, "1 2 3 4 6 7 8 9 !over_a_limit ...",
                  guarded(bad_numbers(100, 5), path, 0.2, 10));
}

STK_TEST(every_pass_is_written_down_with_its_number)
{
    const char  *path = stk_test_path("passes");
    stk_dataset *data = guarded(bad_numbers(2, 2), path, 1, 0);
    APPLY(data, repeat, 2);
    EXPECT_STR_EQ("1 1 .", stk_test_run(data, NULL, 0));
    EXPECT_CONTAINS("\"epoch\":0,\"index\":0}\n{", text_of(path));
    EXPECT_CONTAINS("\"epoch\":1,\"index\":0}\n", text_of(path));
    stk_dataset_unref(data);
}

/* The line is not lost: it is written when the file can be. */
STK_TEST(a_file_that_cannot_be_written_is_an_error_and_loses_nothing)
{
    const char   *folder = stk_test_path("missing_folder");
    const char   *path = stk_test_path("missing_folder/bad");
    stk_dataset  *data = guarded(bad_numbers(4, 2), path, 1, 0);
    stk_error     err;
    stk_iterator *it, *other;
    stk_element  *element;
    stk_blob      saved;
    EXPECT_OK(stk_iterator_start(&it, data, NULL, &err));
    for (int i = 0; i < 2; i++) {
        EXPECT_STATUS(STK_E_NOTFOUND, stk_iterator_next(it, &element, &err));
        EXPECT_STR_EQ("quarantine", err.component);
        EXPECT_CONTAINS("missing_folder/bad", err.where);
    }
    stk_blob_init(&saved, NULL, STK_MEMORY_INDEX);
    EXPECT_OK(stk_iterator_save(it, &saved, &err));
    EXPECT_OK(stk_iterator_start(&other, data, NULL, &err));
    EXPECT_OK(stk_iterator_restore(other, stk_blob_bytes(&saved), &err));
    stk_iterator_free(it);
    EXPECT_OK(stk_path_make_directory(NULL, folder, &err));
    EXPECT_OK(stk_iterator_next(other, &element, &err));
    EXPECT_INT_EQ(1, stk_test_number(element));
    stk_element_unref(element);
    EXPECT_CONTAINS("\"index\":0}\n", text_of(path));
    stk_blob_release(&saved);
    stk_iterator_free(other);
    stk_dataset_unref(data);
}

STK_TEST(a_full_disk_is_an_error)
{
    stk_error     err;
    stk_iterator *it;
    stk_element  *element;
    if (access("/dev/full", W_OK)) skip();
    stk_dataset *data = guarded(bad_numbers(4, 2), "/dev/full", 1, 0);
    EXPECT_OK(stk_iterator_start(&it, data, NULL, &err));
    EXPECT_STATUS(STK_E_NOSPACE, stk_iterator_next(it, &element, &err));
    EXPECT_STR_EQ("/dev/full", err.where);
    stk_iterator_free(it);
    /* What passes over errors must not try for ever. */
    APPLY(data, ignore_errors, false);
    EXPECT_OK(stk_iterator_start(&it, data, NULL, &err));
    EXPECT_STATUS(STK_E_NOSPACE, stk_iterator_next(it, &element, &err));
    stk_iterator_free(it);
    stk_dataset_unref(data);
}

STK_TEST(a_torn_line_does_not_run_into_the_next)
{
    const char *path = stk_test_path("torn");
    stk_test_write_file(path, "{\"sta", 5);
    stk_dataset *data = guarded(bad_numbers(2, 2), path, 1, 0);
    EXPECT_STR_EQ("1 .", stk_test_run(data, NULL, 0));
    EXPECT_CONTAINS("{\"sta\n{\"stage\":\"decode\"", text_of(path));
    stk_dataset_unref(data);
}

STK_TEST(lines_are_there_after_a_kill)
{
    const char *path = stk_test_path("killed");
    const pid_t child = fork();
    if (child == 0) {
        stk_dataset  *data = guarded(bad_numbers(4, 2), path, 1, 0);
        stk_error     err;
        stk_iterator *it;
        stk_element  *element;
        if (stk_iterator_start(&it, data, &(stk_iterator_options){.threads = 1}, &err)) _exit(1);
        if (stk_iterator_next(it, &element, &err)) _exit(1);
        kill(getpid(), SIGKILL);
    }
    int status;
    EXPECT_INT_EQ(child, waitpid(child, &status, 0));
    EXPECT(WIFSIGNALED(status));
    EXPECT_CONTAINS("\"index\":0}\n", text_of(path));
}

STK_TEST(quarantine_refuses_bad_options)
{
    stk_error            err;
    stk_dataset         *data = RANGE(3);
    const stk_filesystem other = *stk_filesystem_local();
    EXPECT_REFUSED(STK_E_INVALID, "no file is named", stk_dataset_quarantine(&data, NULL, &err));
    EXPECT_REFUSED(STK_E_INVALID, "the rate is 1.5; it must be above 0 and at most 1",
                   stk_dataset_quarantine(
                       &data, &(stk_quarantine_options){.file = "x", .max_rate = 1.5}, &err));
    EXPECT_REFUSED(STK_E_INVALID, "the rate is -1",
                   stk_dataset_quarantine(
                       &data, &(stk_quarantine_options){.file = "x", .max_rate = -1}, &err));
    EXPECT_REFUSED(
        STK_E_UNSUPPORTED, "local disks only",
        stk_dataset_quarantine(&data, &(stk_quarantine_options){.file = "x", .fs = &other}, &err));
    stk_dataset_unref(data);
}

STK_TEST(damaged_checkpoints_of_quarantine_are_harmless)
{
    stk_test_watchdog(60);
    stk_test_damage(guarded(bad_numbers(9, 3), stk_test_path("damage"), 1, 0), 3);
}

static const char *frugal_path;

static stk_status build(stk_dataset **out, stk_error *err)
{
    STK_TRY(stk_dataset_range(out, 0, 6, 1, err));
    return stk_dataset_quarantine(
        out, &(stk_quarantine_options){.file = frugal_path, .max_rate = 1}, err);
}

STK_TEST(quarantine_survives_want_of_memory)
{
    frugal_path = stk_test_path("frugal");
    stk_test_without_memory(build, 6);
}

#include "pipeline_support.h"

#include <stdio.h>
#include <unistd.h>

static stk_dataset *ignoring(stk_dataset *data, bool log)
{
    APPLY(data, ignore_errors, log);
    return data;
}

STK_TEST(ignore_errors_passes_over_errors) /* 5 */
{
    stk_test_watchdog(60);
    stk_dataset *data = NUMBERS(1, 2, 3, 4, 5);
    APPLY(data, map, stk_test_fail_on(4), NULL);
    data = ignoring(data, false);
    EXPECT_INT_EQ(STK_CARDINALITY_UNKNOWN, stk_dataset_cardinality(data));
    EXPECT_GIVES("1 2 3 5 .", data);
    data = NUMBERS(1, 2, 3, 4, 5);
    APPLY(data, map, stk_test_fail_on(5), &(stk_map_options){.parallel = 2});
    APPLY(data, prefetch, 2);
    EXPECT_GIVES("1 2 3 4 .", ignoring(data, false));
    data = NUMBERS(7);
    APPLY(data, map, stk_test_fail_on(7), NULL);
    EXPECT_GIVES(".", ignoring(data, false));
}

typedef struct lines {
    char text[4096];
    int  count;
} lines;

static void note(void *context, const char *line)
{
    lines *l = context;
    snprintf(l->text, sizeof l->text, "%s", line);
    l->count++;
}

STK_TEST(ignored_errors_reach_the_log) /* 5 */
{
    lines                      seen = {0};
    const stk_iterator_options options = {.threads = 2, .log = note, .log_context = &seen};
    stk_dataset               *data = NUMBERS(1, 4, 4, 5);
    APPLY(data, map, stk_test_fail_on(4), NULL);
    data = ignoring(data, true);
    EXPECT_STR_EQ("1 5 .", stk_test_run(data, &options, 0));
    EXPECT_INT_EQ(2, seen.count);
    EXPECT_CONTAINS("warning: passed over: test: element 0 of epoch 0: the number is 4", seen.text);
    stk_dataset_unref(data);
}

/* Reads the file whose number the element is. */
static stk_status read_file(void *context, const stk_call *call, stk_element **element,
                            stk_error *err)
{
    (void)context;
    (void)call;
    char name[32];
    snprintf(name, sizeof name, "f%d", (int)stk_test_number(*element));
    stk_blob bytes;
    stk_blob_init(&bytes, NULL, STK_MEMORY_RECORD);
    stk_status st = stk_file_read_all(NULL, stk_test_path(name), 0, 100, &bytes, err);
    if (!st) st = stk_element_make_unique(element, err);
    if (!st) st = stk_value_bytes(stk_element_edit(*element, 0), NULL, stk_blob_bytes(&bytes), err);
    stk_blob_release(&bytes);
    return st;
}

STK_TEST(a_deleted_file_is_passed_over) /* 7 */
{
    for (int i = 0; i < 5; i++) {
        char name[8];
        snprintf(name, sizeof name, "f%d", i);
        stk_test_write_file(stk_test_path(name), name, 2);
    }
    EXPECT_INT_EQ(0, unlink(stk_test_path("f0")));
    stk_dataset *data = RANGE(5);
    APPLY(data, map, stk_test_map("read", read_file, NULL, STK_FUNCTION_STATEFUL), NULL);
    stk_dataset_ref(data);
    EXPECT_GIVES_ONCE("!not_found 'f1' 'f2' 'f3' 'f4' .", data);
    EXPECT_GIVES_ONCE("'f1' 'f2' 'f3' 'f4' .", ignoring(data, false));
}

static stk_status always_fail(void *cancel, const stk_call *call, stk_element **element,
                              stk_error *err)
{
    (void)call;
    if (stk_test_number(*element) == 1000) stk_cancel_request(cancel);
    return stk_fail(err, STK_E_FORMAT, "test", NULL, "all of it is bad");
}

STK_TEST(errors_without_end_can_be_cancelled)
{
    stk_test_watchdog(60);
    stk_error     err;
    stk_iterator *it;
    stk_element  *element;
    stk_cancel    cancel = STK_CANCEL_INIT;
    stk_dataset  *data = stk_test_range(0, INT64_MAX, 1);
    APPLY(data, map, stk_test_map("fail", always_fail, &cancel, 0), NULL);
    data = ignoring(data, false);
    const stk_iterator_options options = {.threads = 1, .cancel = &cancel};
    EXPECT_OK(stk_iterator_start(&it, data, &options, &err));
    EXPECT_STATUS(STK_E_CANCELLED, stk_iterator_next(it, &element, &err));
    stk_iterator_free(it);
    stk_dataset_unref(data);
}

static stk_status fail_once(void *status, const stk_call *call, stk_element **element,
                            stk_error *err)
{
    (void)call;
    if (stk_test_number(*element) != 1) return STK_OK;
    return stk_fail(err, *(stk_status *)status, "test", NULL, "not the data's fault");
}

/* What the machine does is told, and what follows comes after it. */
STK_TEST(what_the_machine_does_is_not_passed_over)
{
    static const char *const expected[STK_STATUS_COUNT] = {
        [STK_E_NOMEM] = "0 !out_of_memory 2 .",   [STK_E_CEILING] = "0 !memory_ceiling 2 .",
        [STK_E_IO] = "0 !input/output_error 2 .", [STK_E_NOSPACE] = "0 !no_space_left 2 .",
        [STK_E_BUSY] = "0 !in_use 2 .",
    };
    for (int i = 1; i < STK_E_CANCELLED; i++) {
        stk_status   status = (stk_status)i;
        stk_dataset *data = RANGE(3);
        EXPECT_INT_EQ(expected[i] != NULL, stk_status_is_environment(status) != 0);
        APPLY(data, map, stk_test_map("fail_once", fail_once, &status, 0), NULL);
        data = ignoring(data, false);
        EXPECT_STR_EQ(expected[i] ? expected[i] : "0 2 .",
                      stk_test_run(data, &(stk_iterator_options){.threads = 2}, 0));
        stk_dataset_unref(data);
    }
}

static stk_status build(stk_dataset **out, stk_error *err)
{
    STK_TRY(stk_dataset_range(out, 0, 6, 1, err));
    return stk_dataset_ignore_errors(out, true, err);
}

STK_TEST(ignore_errors_survives_want_of_memory)
{
    stk_test_without_memory(build, 6);
}

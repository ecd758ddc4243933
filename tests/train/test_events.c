/* Event files: the bytes are TensorBoard's own, and nothing is lost or torn. */
#include "failing_alloc.h"
#include "harness.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

/* A clock that a test sets. */
static double tell(void *context)
{
    return *(const double *)context;
}

static const char *make_folder(const char *name)
{
    const char *folder = stk_test_path(name);
    EXPECT_INT_EQ(0, mkdir(folder, 0777));
    return folder;
}

static size_t file_bytes(const char *path)
{
    struct stat st;
    EXPECT_INT_EQ(0, stat(path, &st));
    return (size_t)st.st_size;
}

STK_TEST(events_are_to_the_byte_what_tensorboard_writes)
{
    stk_error                err;
    stk_events              *events;
    double                   now = 1700000000;
    const stk_bytes          png = stk_test_read_file(STK_TEST_DATA "/events/grey.png");
    const stk_events_options options = {
        .flush_seconds = -1, .host = "there", .now = tell, .now_context = &now};
    EXPECT_OK(stk_events_open(&events, make_folder("golden"), &options, &err));
    EXPECT_CONTAINS("/golden/events.out.tfevents.1700000000.there", stk_events_path(events));
    const stk_bytes version = stk_test_read_file(stk_events_path(events));
    const stk_bytes theirs = stk_test_read_file(STK_TEST_DATA "/events/reference.tfevents");
    EXPECT_MEM_EQ(theirs.data, version.data, version.size);
    now += 1;
    EXPECT_OK(stk_events_scalar(events, "loss/train", 0, 2.5, &err));
    now += 0.5;
    EXPECT_OK(stk_events_scalar(events, "größe", 300, 0, &err));
    now += 0.5;
    EXPECT_OK(stk_events_scalar(events, "loss/train", (int64_t)1 << 40, 1e300, &err));
    now += 0.5;
    EXPECT_OK(stk_events_text(events, "recipe", 301, "# a\n**b**", &err));
    now += 0.5;
    EXPECT_OK(stk_events_image(events, "samples", 302, png, &err));
    EXPECT_INT_EQ(version.size, file_bytes(stk_events_path(events)));
    EXPECT_OK(stk_events_flush(events, &err));
    const stk_bytes ours = stk_test_read_file(stk_events_path(events));
    /* Theirs has the event of a resumed run second. */
    const size_t resumed = theirs.size - ours.size;
    EXPECT_MEM_EQ(theirs.data + version.size + resumed, ours.data + version.size,
                  ours.size - version.size);
    stk_events_free(events);
}

static stk_status write_hparams(stk_events *events, stk_error *err)
{
    const stk_events_hparam list[] = {
        {.name = "model.name", .kind = STK_EVENTS_TEXT, .text = "lénet"},
        {.name = "train.deterministic", .kind = STK_EVENTS_BOOL, .number = 1},
        {.name = "train.learning_rate", .number = 0.1}};
    static const char *const metrics[] = {"validation/accuracy"};
    const stk_events_hparams all = {list, COUNT_OF(list), metrics, COUNT_OF(metrics)};
    STK_TRY(stk_events_hparams_begin(events, &all, err));
    return stk_events_hparams_end(events, true, err);
}

STK_TEST(settings_are_to_the_byte_what_the_plugins_messages_give)
{
    stk_error                err;
    stk_events              *events;
    double                   now = 1700000000;
    const stk_events_options options = {.flush_seconds = -1, .now = tell, .now_context = &now};
    EXPECT_OK(stk_events_open(&events, make_folder("hparams"), &options, &err));
    const size_t begun = file_bytes(stk_events_path(events));
    EXPECT_OK(write_hparams(events, &err));
    EXPECT_OK(stk_events_show(events, &err));
    const stk_bytes ours = stk_test_read_file(stk_events_path(events));
    const stk_bytes theirs = stk_test_read_file(STK_TEST_DATA "/events/hparams.tfevents");
    EXPECT_INT_EQ(theirs.size, ours.size - begun);
    EXPECT_MEM_EQ(theirs.data, ours.data + begun, theirs.size);
    const stk_events_hparam  bad = {.name = "a", .kind = STK_EVENTS_TEXT, .text = "b\xff"};
    const stk_events_hparams one = {.list = &bad, .count = 1};
    EXPECT_STATUS(STK_E_INVALID, stk_events_hparams_begin(events, &one, &err));
    EXPECT_CONTAINS("the a 'b", err.message);
    stk_events_free(events);
}

/* Both events have the time of opening; only that differs from the reference. */
STK_TEST(a_resumed_run_says_from_where_in_a_new_file)
{
    stk_error          err;
    stk_events        *first, *second;
    double             now = 1700000000;
    const char        *folder = make_folder("resumed");
    stk_events_options options = {.host = "there", .now = tell, .now_context = &now};
    EXPECT_OK(stk_events_open(&first, folder, &options, &err));
    options.resumed = true;
    options.resume_step = 7;
    EXPECT_OK(stk_events_open(&second, folder, &options, &err));
    EXPECT_CONTAINS("tfevents.1700000000.there.1", stk_events_path(second));
    const stk_bytes ours = stk_test_read_file(stk_events_path(second));
    const stk_bytes version = stk_test_read_file(stk_events_path(first));
    const stk_bytes theirs = stk_test_read_file(STK_TEST_DATA "/events/reference.tfevents");
    EXPECT(ours.size > version.size && ours.size < theirs.size);
    EXPECT_MEM_EQ(theirs.data, ours.data, version.size);
    enum { STEP_AT = STK_TFRECORD_HEADER + 9 }; /* behind tag and time */
    const size_t rest = ours.size - version.size - STEP_AT - STK_TFRECORD_FOOTER;
    EXPECT_MEM_EQ(theirs.data + version.size, ours.data + version.size, STK_TFRECORD_HEADER);
    EXPECT_MEM_EQ(theirs.data + version.size + STEP_AT, ours.data + version.size + STEP_AT, rest);
    stk_events_free(first);
    stk_events_free(second);
}

STK_TEST(events_wait_in_memory_until_their_time_is_up)
{
    stk_error                err;
    stk_events              *events;
    double                   now = 1700000000;
    const stk_events_options options = {.flush_seconds = 5, .now = tell, .now_context = &now};
    EXPECT_OK(stk_events_open(&events, make_folder("waiting"), &options, &err));
    const char  *path = stk_events_path(events);
    const size_t begun = file_bytes(path);
    now += 4;
    EXPECT_OK(stk_events_scalar(events, "a", 1, 1, &err));
    EXPECT_INT_EQ(begun, file_bytes(path));
    now += 1;
    EXPECT_OK(stk_events_scalar(events, "a", 2, 1, &err));
    const size_t two = file_bytes(path);
    EXPECT(two > begun);
    now -= 100; /* the clock is set back */
    EXPECT_OK(stk_events_scalar(events, "a", 3, 1, &err));
    const size_t three = file_bytes(path);
    EXPECT(three > two);
    for (int i = 0; i < 10000; i++)
        EXPECT_OK(stk_events_scalar(events, "a", 4 + i, 1, &err));
    EXPECT(file_bytes(path) > three + (64 << 10));
    char *kept = strdup(path);
    stk_events_free(events);
    /* All are there, whole, and in order. */
    stk_tfrecord_reader *reader;
    stk_record           record = {0};
    uint64_t             count = 0;
    EXPECT_OK(stk_tfrecord_reader_open(&reader, NULL, kept, NULL, &err));
    for (;; count++) {
        EXPECT_OK(stk_tfrecord_reader_next(reader, &record, &err));
        if (!record.bytes.data) break;
    }
    EXPECT_INT_EQ(1 + 3 + 10000, count);
    stk_tfrecord_reader_free(reader);
    free(kept);
}

STK_TEST(events_that_make_no_sense_are_refused)
{
    stk_error   err;
    stk_events *events;
    EXPECT_OK(stk_events_open(&events, make_folder("refused"), NULL, &err));
    EXPECT_STATUS(STK_E_INVALID, stk_events_scalar(events, "", 1, 1, &err));
    EXPECT_STATUS(STK_E_INVALID, stk_events_scalar(events, NULL, 1, 1, &err));
    EXPECT_STATUS(STK_E_INVALID, stk_events_scalar(events, "a", -1, 1, &err));
    EXPECT_CONTAINS("tag 'a' at step -1", err.message);
    EXPECT_STATUS(STK_E_INVALID, stk_events_scalar(events, "a\xff", 1, 1, &err));
    EXPECT_CONTAINS("not UTF-8 from byte 1", err.message);
    EXPECT_STATUS(STK_E_UNSUPPORTED,
                  stk_events_image(events, "a", 1, stk_bytes_text("no image"), &err));
    EXPECT_STATUS(STK_E_UNSUPPORTED,
                  stk_events_image(events, "a", 1, stk_bytes_text("P5\n1 1\n255\nx"), &err));
    EXPECT_CONTAINS("PNG and JPEG", err.message);
    stk_events_free(events);
    EXPECT_STATUS(STK_E_NOTFOUND, stk_events_open(&events, "/none/at/all", NULL, &err));
    EXPECT(events == NULL);
}

/* What a full disk refuses is kept and written when there is space again. */
STK_TEST(a_full_disk_loses_and_tears_nothing)
{
    stk_error                err;
    stk_events              *events;
    struct rlimit            old, small;
    double                   now = 1700000000;
    const stk_events_options options = {.flush_seconds = 1, .now = tell, .now_context = &now};
    EXPECT_OK(stk_events_open(&events, make_folder("full"), &options, &err));
    const char  *path = stk_events_path(events);
    const size_t begun = file_bytes(path);
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    EXPECT_INT_EQ(0, getrlimit(RLIMIT_FSIZE, &old));
    small = old;
    small.rlim_cur = begun + 10;
    now += 2;
    EXPECT_INT_EQ(0, setrlimit(RLIMIT_FSIZE, &small));
    const stk_status st = stk_events_scalar(events, "a", 1, 1, &err);
    const size_t     torn = file_bytes(path);
    EXPECT_INT_EQ(0, setrlimit(RLIMIT_FSIZE, &old));
    signal(SIGXFSZ, handler);
    EXPECT_INT_EQ(STK_E_NOSPACE, st);
    EXPECT_STR_EQ(path, err.where);
    EXPECT_INT_EQ(begun, torn);
    EXPECT_OK(stk_events_scalar(events, "a", 2, 1, &err));
    EXPECT_OK(stk_events_flush(events, &err));
    EXPECT(file_bytes(path) > begun + 60);
    stk_events_free(events);
}

/* With no memory to be had, more points than may wait in memory. */
STK_TEST(points_of_curves_take_no_memory_once_the_file_is_open)
{
    stk_error   err;
    stk_events *events;
    EXPECT_OK(stk_events_open(&events, make_folder("room"), NULL, &err));
    stk_alloc_fail_after(0);
    for (int i = 0; i < 3000; i++)
        EXPECT_OK(stk_events_scalar(events, "validation/accuracy", 1 + i, 0.5, &err));
    EXPECT_OK(stk_events_flush(events, &err));
    EXPECT(!stk_alloc_fail_stop());
    EXPECT(file_bytes(stk_events_path(events)) > 3000 * 49);
    stk_events_free(events);
}

/* Whichever of its allocations fails; a tag of this length has some. */
STK_TEST(a_point_that_there_is_no_memory_for_is_told_ever_after)
{
    enum { LONG = 40000 };
    static char tag[LONG + 1];
    const char *folder = make_folder("lost");
    int64_t     failed = 0;
    memset(tag, 'a', LONG);
    for (bool met = true; met;) {
        stk_error   err;
        stk_events *events;
        EXPECT_OK(stk_events_open(&events, folder, NULL, &err));
        stk_alloc_fail_after(failed);
        const stk_status st = stk_events_scalar(events, tag, 1, 1, &err);
        met = stk_alloc_fail_stop();
        EXPECT_INT_EQ(met ? STK_E_NOMEM : STK_OK, st);
        EXPECT_OK(stk_events_scalar(events, "b", 2, 1, &err));
        EXPECT_INT_EQ(met ? STK_E_DATALOSS : STK_OK, stk_events_flush(events, &err));
        if (met) EXPECT_CONTAINS("no memory", err.message);
        failed += met;
        stk_events_free(events);
    }
    EXPECT(failed >= 3);
}

/* A text that fails is not in the file: given again it is there once. */
STK_TEST(a_text_that_there_is_no_memory_for_may_be_given_again)
{
    enum { LONG = 40000 };
    static char text[LONG + 1];
    const char *folder = make_folder("again");
    size_t      whole = 0;
    int64_t     failed = 0;
    memset(text, 'a', LONG);
    for (bool met = true; met; failed++) {
        stk_error   err;
        stk_events *events;
        EXPECT_OK(stk_events_open(&events, folder, NULL, &err));
        stk_alloc_fail_after(failed);
        const stk_status st = stk_events_text(events, "b", 1, text, &err);
        met = stk_alloc_fail_stop();
        EXPECT_INT_EQ(met ? STK_E_NOMEM : STK_OK, st);
        if (met) EXPECT_OK(stk_events_text(events, "b", 1, text, &err));
        EXPECT_OK(stk_events_flush(events, &err));
        if (!whole) whole = file_bytes(stk_events_path(events));
        EXPECT_INT_EQ(whole, file_bytes(stk_events_path(events)));
        stk_events_free(events);
    }
    EXPECT(failed > 3);
}

static stk_status write_some(void *folder, stk_error *err)
{
    stk_events *events;
    STK_TRY(stk_events_open(&events, folder, NULL, err));
    stk_status st = stk_events_scalar(events, "a", 1, 1, err);
    if (!st) st = stk_events_text(events, "b", 1, "text", err);
    if (!st) st = write_hparams(events, err);
    if (!st) st = stk_events_flush(events, err);
    stk_events_free(events);
    return st;
}

STK_TEST(events_survive_every_failed_allocation)
{
    stk_test_fail_each_allocation(write_some, (void *)(uintptr_t)make_folder("allocations"));
}

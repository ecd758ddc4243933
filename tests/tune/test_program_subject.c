/* A program as a subject of a search: what is measured, what is tried next, what may be kept. */
#include "harness.h"
#include "tune/program/neighbours.h"
#include "tune/program/program_identity.h"
#include "tune/program/tuned_script.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char        said[1024];
static const char *knobs[] = {"speed=1,2,3,4,5,6", "amp=off,on"};

static void log_line(void *context, const char *line)
{
    (void)context;
    snprintf(said + strlen(said), sizeof said - strlen(said), "%s\n", line);
}

static stk_tune_options options_of(void)
{
    said[0] = 0;
    return (stk_tune_options){.folder = stk_test_path("tuned"), .log = log_line};
}

/* Prints a rate that is ten times the speed, and an accuracy of 0.5. */
static char *const trainer[] = {
    "/bin/sh",  "-c",    "while :; do echo rate $0 acc 0.5 $1; sleep 0.01; done",
    "{speed}0", "{amp}", NULL};

static stk_tune_program program_of(void)
{
    return (stk_tune_program){.argv = trainer,
                              .knobs = knobs,
                              .knob_count = COUNT_OF(knobs),
                              .rate = "rate ([0-9.]+)",
                              .warm_up_s = 0.001,
                              .measure_s = 0.05};
}

STK_TEST(a_setting_is_measured_by_a_run_of_its_command)
{
    const stk_tune_options   options = options_of();
    const stk_tune_program   program = program_of();
    const stk_tune_setting   now = {1, {{"speed", "3"}}};
    stk_tune_program_subject subject;
    void                    *arm;
    stk_tune_block           block;
    stk_error                err;
    EXPECT_OK(stk_tune_program_subject_init(&subject, &program, &options, &err));
    const stk_tune_subject table = stk_tune_program_subject_table(&subject);
    EXPECT(!table.blocks_of_four && !table.guard && !table.prepare);
    EXPECT_OK(table.open(table.context, &now, &arm, &err));
    EXPECT_OK(table.measure(arm, &block, &err));
    table.close(arm);
    EXPECT(block.seconds > 0);
    EXPECT(block.samples / block.seconds > 29.99 && block.samples / block.seconds < 30.01);
    EXPECT(stk_tune_records_find(subject.records, &now) != NULL);
    stk_tune_program_subject_release(&subject);
}

STK_TEST(what_could_be_tried_are_neighbours_that_did_not_run)
{
    const stk_tune_options   options = options_of();
    const stk_tune_program   program = program_of();
    const stk_tune_setting   now = {1, {{"speed", "3"}}};
    stk_tune_program_subject subject;
    stk_error                err;
    stk_tune_candidates     *list = calloc(1, sizeof *list);
    EXPECT(list != NULL);
    EXPECT_OK(stk_tune_program_subject_init(&subject, &program, &options, &err));
    EXPECT_OK(stk_tune_program_list(&subject, &now, list, &err)); /* by a run of its own */
    EXPECT_INT_EQ(3, list->count);
    EXPECT_STR_EQ("speed=2 instead of 3", list->list[0].title);
    EXPECT_STR_EQ("speed=4 instead of 3", list->list[1].title);
    EXPECT_STR_EQ("amp=on instead of off", list->list[2].title);
    EXPECT_STR_EQ("amp", list->list[2].action);
    EXPECT_STR_EQ("on", stk_tune_setting_get(&list->list[2].change, "amp"));
    EXPECT_INT_EQ(STK_TUNE_EQUAL, list->list[2].kind);
    stk_tune_program_subject_release(&subject);
    free(list);
}

/* Lists neighbours of a setting where some settings ran. */
static void list_of(stk_tune_candidates *out, const char *const *texts, size_t count,
                    const stk_tune_setting *now, const stk_tune_setting *ran,
                    stk_usage_bottleneck limit, bool guarded)
{
    stk_tune_record   *records = NULL;
    const stk_tune_run run = {0};
    stk_tune_knobs     parsed;
    stk_error          err;
    *out = (stk_tune_candidates){0};
    EXPECT_OK(stk_tune_knobs_parse(&parsed, texts, count, &err));
    if (ran) EXPECT_OK(stk_tune_records_add(&records, ran, &run, &err));
    stk_tune_neighbours_list(out, &parsed, now, records, limit, guarded);
    stk_tune_records_free(records);
    stk_tune_knobs_release(&parsed);
}

static const stk_tune_candidate *find(const stk_tune_candidates *list, const char *title)
{
    for (size_t i = 0; i < list->count; i++)
        if (strcmp(list->list[i].title, title) == 0) return &list->list[i];
    return NULL;
}

STK_TEST(numbers_are_ordered_by_size_and_few_of_them_all_tried)
{
    static const char *const many[] = {"n=16,0,4,1,8,2"}, *const few[] = {"n=8,0,32"};
    const stk_tune_setting start = {0}, eight = {1, {{"n", "8"}}}, four = {1, {{"n", "4"}}};
    stk_tune_candidates   *list = calloc(1, sizeof *list);
    EXPECT(list != NULL);
    list_of(list, many, 1, &start, NULL, STK_USAGE_UNKNOWN, false);
    EXPECT_INT_EQ(1, list->count); /* 16 is the largest */
    EXPECT(find(list, "n=8 instead of 16") != NULL);
    list_of(list, many, 1, &eight, NULL, STK_USAGE_UNKNOWN, false);
    EXPECT_INT_EQ(1, list->count); /* not back to the start */
    EXPECT(find(list, "n=4 instead of 8") != NULL);
    list_of(list, many, 1, &eight, &four, STK_USAGE_UNKNOWN, false);
    EXPECT_INT_EQ(0, list->count);
    list_of(list, few, 1, &start, NULL, STK_USAGE_UNKNOWN, false);
    EXPECT_INT_EQ(2, list->count);
    free(list);
}

STK_TEST(what_limits_says_what_is_tried_first)
{
    static const char *const texts[] = {"num_workers=2,0,4", "batch=32,64", "other=a,b"};
    const stk_tune_setting   start = {0};
    stk_tune_candidates     *list = calloc(1, sizeof *list);
    EXPECT(list != NULL);
    list_of(list, texts, 3, &start, NULL, STK_USAGE_LATENCY, false);
    const double more = find(list, "num_workers=4 instead of 2")->predicted.value;
    EXPECT(more > find(list, "num_workers=0 instead of 2")->predicted.value);
    EXPECT(more > find(list, "batch=64 instead of 32")->predicted.value);
    EXPECT(find(list, "other=b instead of a")->predicted.value < -1);
    EXPECT_INT_EQ(STK_STAGE_PREPROCESS, find(list, "num_workers=4 instead of 2")->stage);
    list_of(list, texts, 3, &start, NULL, STK_USAGE_GPU, false);
    EXPECT(find(list, "num_workers=4 instead of 2")->predicted.value < -1);
    EXPECT(find(list, "batch=64 instead of 32")->predicted.value > 0);
    list_of(list, texts, 3, &start, NULL, STK_USAGE_UNKNOWN, false);
    EXPECT(find(list, "num_workers=4 instead of 2")->predicted.value < -1);
    free(list);
}

STK_TEST(only_known_names_change_learning_and_only_if_that_is_checked)
{
    static const char *const texts[] = {"workers=2,4", "Batch_Size=32,64", "lr=0.1,0.2"};
    const stk_tune_setting   start = {0};
    stk_tune_candidates     *list = calloc(1, sizeof *list);
    EXPECT(list != NULL);
    list_of(list, texts, 3, &start, NULL, STK_USAGE_UNKNOWN, true);
    EXPECT_INT_EQ(STK_TUNE_EQUAL, list->list[0].kind);
    EXPECT_INT_EQ(STK_TUNE_LEARNING, list->list[1].kind);
    EXPECT_INT_EQ(STK_TUNE_LEARNING, list->list[2].kind);
    list_of(list, texts, 3, &start, NULL, STK_USAGE_UNKNOWN, false);
    EXPECT_INT_EQ(STK_TUNE_EQUAL, list->list[1].kind);
    EXPECT(!stk_tune_knob_changes_learning("color") && !stk_tune_knob_changes_learning("threads"));
    free(list);
}

/* What the guard says of numbers of three runs each and more. */
static stk_tune_guard_result guard_of(const double before[4], const double after[4], double margin,
                                      stk_tune_class kind)
{
    const stk_tune_options   options = options_of();
    stk_tune_program         program = program_of();
    const stk_tune_setting   start = {0}, changed = {1, {{"amp", "on"}}};
    stk_tune_candidate       candidate = {.kind = kind};
    stk_tune_program_subject subject;
    stk_tune_guard_result    out;
    stk_error                err;
    program.guard = "acc ([0-9.]+)";
    program.guard_margin = margin;
    EXPECT_OK(stk_tune_program_subject_init(&subject, &program, &options, &err));
    for (int i = 0; i < 4; i++) {
        const stk_tune_run a = {.has_guard = true, .guard = before[i]};
        const stk_tune_run b = {.has_guard = true, .guard = after[i]};
        EXPECT_OK(stk_tune_records_add(&subject.records, &start, &a, &err));
        EXPECT_OK(stk_tune_records_add(&subject.records, &changed, &b, &err));
    }
    EXPECT_OK(stk_tune_program_guard(&subject, &start, &changed, &candidate, &out, &err));
    stk_tune_program_subject_release(&subject);
    return out;
}

STK_TEST(a_guard_passes_what_is_shown_to_be_harmless)
{
    static const double   before[] = {0.70, 0.71, 0.705, 0.702};
    static const double   same[] = {0.701, 0.709, 0.704, 0.703}, worse[] = {0.60, 0.61, 0.6, 0.602};
    stk_tune_guard_result out = guard_of(before, same, 0.02, STK_TUNE_LEARNING);
    EXPECT(out.passed);
    EXPECT_CONTAINS("from 0.70425 to 0.70425 over 4 pairs of runs", out.reason);
    EXPECT_CONTAINS("excludes", out.reason);
    out = guard_of(before, worse, 0.02, STK_TUNE_LEARNING);
    EXPECT(!out.passed);
    EXPECT_CONTAINS("by more than 0.02", out.reason);
    EXPECT(!guard_of(before, worse, 0.02, STK_TUNE_EQUAL).passed);
    EXPECT(!guard_of(before, worse, 0, STK_TUNE_EQUAL).passed); /* a hundredth of it */
}

STK_TEST(a_guard_of_a_loss_goes_the_other_way)
{
    static const double before[] = {2.0, 2.01, 2.005, 2.002}, lower[] = {1.8, 1.81, 1.8, 1.802};
    EXPECT(guard_of(before, lower, -0.1, STK_TUNE_LEARNING).passed);
    EXPECT(!guard_of(lower, before, -0.1, STK_TUNE_LEARNING).passed);
    EXPECT(!guard_of(before, lower, 0.1, STK_TUNE_LEARNING).passed);
}

/* The trainer's accuracy is always 0.5: three pairs of runs show it. */
STK_TEST(a_guard_without_numbers_gets_them_from_runs)
{
    const stk_tune_options   options = options_of();
    stk_tune_program         program = program_of();
    const stk_tune_setting   start = {0}, same = {1, {{"amp", "off"}}}, on = {1, {{"amp", "on"}}};
    stk_tune_candidate       candidate = {.kind = STK_TUNE_LEARNING};
    stk_tune_program_subject subject;
    stk_tune_guard_result    out;
    stk_error                err;
    program.guard = "acc ([0-9.]+)";
    EXPECT_OK(stk_tune_program_subject_init(&subject, &program, &options, &err));
    EXPECT_OK(stk_tune_program_guard(&subject, &same, &on, &candidate, &out, &err));
    EXPECT(out.passed);
    EXPECT_INT_EQ(3, stk_tune_records_find(subject.records, &start)->guard_count);
    EXPECT_INT_EQ(3, stk_tune_records_find(subject.records, &on)->guard_count);
    stk_tune_program_subject_release(&subject);
}

STK_TEST(a_run_without_the_guards_number_fails)
{
    const stk_tune_options   options = options_of();
    stk_tune_program         program = program_of();
    const stk_tune_setting   start = {0};
    stk_tune_program_subject subject;
    stk_tune_block           block;
    stk_error                err;
    program.guard = "top1 ([0-9.]+)";
    EXPECT_OK(stk_tune_program_subject_init(&subject, &program, &options, &err));
    EXPECT_STATUS(STK_E_INVALID, stk_tune_program_subject_measure(&subject, &start, &block, &err));
    EXPECT_STR_EQ("--guard", err.where);
    stk_tune_program_subject_release(&subject);
}

static void expect_refused(const stk_tune_program *program, stk_status status, const char *where,
                           const char *message)
{
    const stk_tune_options   options = options_of();
    stk_tune_program_subject subject;
    stk_error                err;
    EXPECT_STATUS(status, stk_tune_program_subject_init(&subject, program, &options, &err));
    EXPECT_STR_EQ(where, err.where);
    EXPECT_CONTAINS(message, err.message);
    stk_tune_program_subject_release(&subject);
}

STK_TEST(options_name_knobs_that_there_are)
{
    const stk_tune_program   program = program_of();
    stk_tune_options         options = options_of();
    stk_tune_program_subject subject;
    stk_error                err;
    options.pinned = "sped";
    EXPECT_STATUS(STK_E_INVALID, stk_tune_program_subject_init(&subject, &program, &options, &err));
    EXPECT_CONTAINS("there is no knob \"sped\"; did you mean speed?", err.message);
    stk_tune_program_subject_release(&subject);
    options.pinned = "speed";
    options.only = "data.batch";
    EXPECT_STATUS(STK_E_INVALID, stk_tune_program_subject_init(&subject, &program, &options, &err));
    EXPECT_STR_EQ("--only", err.where);
    stk_tune_program_subject_release(&subject);
}

STK_TEST(programs_that_cannot_be_tuned_are_refused_before_they_run)
{
    char *const idle[] = {"train", NULL}, *const empty[] = {NULL};
    stk_tune_program p = program_of();
    p.knob_count = 0;
    expect_refused(&p, STK_E_INVALID, "--knob", "nothing to tune");
    p = program_of();
    p.warm_up_s = -1;
    expect_refused(&p, STK_E_INVALID, "--warm-up", "no time in seconds");
    p = program_of();
    p.rate = "rate";
    expect_refused(&p, STK_E_INVALID, "--rate", "needs one");
    p = program_of();
    p.guard = "acc (";
    expect_refused(&p, STK_E_INVALID, "--guard", "no regular expression");
    p = program_of();
    p.argv = idle;
    expect_refused(&p, STK_E_INVALID, "speed", "used nowhere");
    p.argv = empty;
    expect_refused(&p, STK_E_INVALID, "", "no command");
    p.argv = NULL;
    expect_refused(&p, STK_E_INVALID, "", "no command");
    p = program_of();
    stk_test_write_file(stk_test_path("a.bin"), "a\0b", 3);
    p.template_path = stk_test_path("a.bin");
    expect_refused(&p, STK_E_FORMAT, p.template_path, "a template is a text");
}

static stk_status choose(char *const *argv, stk_error *err)
{
    const stk_tune_options   options = options_of();
    stk_tune_program         program = program_of();
    stk_tune_program_subject subject;
    program.argv = argv;
    program.rate = NULL;
    program.measure_s = 0.2;
    stk_status st = stk_tune_program_subject_init(&subject, &program, &options, err);
    if (!st) st = stk_tune_program_subject_choose(&subject, err);
    stk_tune_program_subject_release(&subject);
    return st;
}

STK_TEST(a_program_that_tells_nothing_must_read_something)
{
    char *const reads[] = {
        "/bin/sh", "-c",    "while :; do head -c 300000 /dev/zero > /dev/null; done",
        "{speed}", "{amp}", NULL};
    char *const idles[] = {"/bin/sh", "-c", "sleep 600", "{speed}", "{amp}", NULL};
    stk_error   err;
    EXPECT_OK(choose(reads, &err));
    EXPECT_CONTAINS("by the bytes that it reads", said);
    EXPECT_STATUS(STK_E_INVALID, choose(idles, &err));
    EXPECT_CONTAINS("give --rate", err.message);
}

static stk_status write_tuned(void *context, stk_error *err)
{
    static const char *const environment[] = {"SPEED={speed}"};
    char *const              argv[] = {"/bin/sh",    "-c",       "echo $SPEED \"$0\"; cat \"$1\"",
                                       "it's {amp}", "{config}", NULL};
    const stk_tune_setting   best = {2, {{"amp", "on\nx"}, {"speed", "3"}}};
    stk_tune_knobs           parsed;
    stk_blob                 path;
    (void)context;
    stk_blob_init(&path, NULL, STK_MEMORY_OUTPUT);
    stk_status st = stk_tune_knobs_parse(&parsed, knobs, COUNT_OF(knobs), err);
    if (!st)
        st = stk_tune_script_write(
            &path, stk_test_folder(),
            &(stk_tune_command_parts){argv, environment, 1, "v={speed}\n", "x/a b.yaml", &parsed},
            &best, err);
    if (!st) EXPECT_CONTAINS("/tuned.sh", (const char *)path.data);
    stk_blob_release(&path);
    stk_tune_knobs_release(&parsed);
    return st;
}

STK_TEST(the_best_setting_is_a_command_that_runs)
{
    char      line[512], out[64];
    stk_error err;
    EXPECT_OK(write_tuned(NULL, &err));
    snprintf(line, sizeof line, "cd / && '%s' > '%s'", stk_test_path("tuned.sh"),
             stk_test_path("out"));
    EXPECT_INT_EQ(0, system(line));
    const stk_bytes bytes = stk_test_read_file(stk_test_path("out"));
    snprintf(out, sizeof out, "%.*s", (int)bytes.size, (const char *)bytes.data);
    EXPECT_STR_EQ("3 it's on\nx\nv=3\n", out);
    EXPECT_INT_EQ(0, access(stk_test_path("tuned-a b.yaml"), R_OK));
}

STK_TEST(each_failing_allocation_of_the_script_is_told)
{
    EXPECT(stk_test_folder() != NULL); /* it exists before allocations fail */
    stk_test_fail_each_allocation(write_tuned, NULL);
}

static char *identity_of(const stk_tune_program *program)
{
    static char              text[2][1024];
    static int               turn;
    const stk_tune_options   options = options_of();
    stk_tune_program_subject subject;
    stk_blob                 out;
    stk_error                err;
    stk_blob_init(&out, NULL, STK_MEMORY_OUTPUT);
    EXPECT_OK(stk_tune_program_subject_init(&subject, program, &options, &err));
    EXPECT_OK(stk_tune_program_identity(&out, &subject, &err));
    turn = !turn;
    snprintf(text[turn], sizeof text[turn], "%s", (const char *)out.data);
    stk_blob_release(&out);
    stk_tune_program_subject_release(&subject);
    return text[turn];
}

STK_TEST(a_search_goes_on_only_with_the_same_program)
{
    static const char *more[] = {"speed=1,2,3,4,5,6", "amp=off,on,auto"};
    stk_tune_program   program = program_of();
    EXPECT_STR_EQ(identity_of(&program), identity_of(&program));
    program.knobs = more;
    EXPECT_CONTAINS("knob: amp=off,on,auto", identity_of(&program));
    program.rate = "acc ([0-9.]+)";
    program.measure_s = 3;
    EXPECT_CONTAINS("rate: acc (", identity_of(&program));
    EXPECT_CONTAINS("measure: 3\n", identity_of(&program));
}

static stk_status init_subject(void *context, stk_error *err)
{
    const stk_tune_program   program = program_of();
    stk_tune_program_subject subject;
    const stk_status         st = stk_tune_program_subject_init(&subject, &program, context, err);
    stk_tune_program_subject_release(&subject);
    return st;
}

STK_TEST(each_failing_allocation_of_a_subject_is_told)
{
    stk_tune_options options = options_of();
    stk_test_fail_each_allocation(init_subject, &options);
}

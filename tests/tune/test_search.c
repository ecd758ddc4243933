/* The search over a simulated machine: what it keeps, how often it is wrong, how it goes on. */
#include "harness.h"
#include "tune/search/identity.h"
#include "tune/search/words.h"
#include "tune/simulated_subject.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const simulated_change usual[] = {
    {.key = "half", .factor = 1.5, .predicted = 0.4},
    {.key = "tenth", .factor = 1.1, .predicted = 0.2},
    {.key = "slower", .factor = 0.8, .predicted = 0.3},
    {.key = "nothing", .factor = 1, .predicted = -2},
    {.key = "small", .factor = 1.04, .predicted = -2},
    {.key = "not-worth", .factor = 2, .predicted = 0.001},
    {.key = "broken", .factor = 3, .predicted = 0.5, .fails = true},
    {.key = "other", .factor = 3, .predicted = 0.5, .guarded = true},
    {.key = "learns", .factor = 2, .predicted = 0.9, .kind = STK_TUNE_LEARNING},
};

typedef struct found {
    stk_tune_report report;
    stk_status      status;
    stk_error       error;
} found;

#define EXPECT_FOUND(expected, f)                                                                  \
    stk_expect_status((expected), (f).status, &(f).error, #f, __FILE__, __LINE__)

static char *new_folder(char *folder)
{
    strcpy(folder, "/tmp/stk-search-XXXXXX");
    EXPECT(mkdtemp(folder) != NULL);
    return folder;
}

static void remove_folder(const char *folder)
{
    char path[128];
    snprintf(path, sizeof path, "%s/tune.jsonl", folder);
    remove(path);
    rmdir(folder);
}

static found search(simulated *s, const char *folder, stk_tune_options options,
                    const char *identity)
{
    const stk_tune_subject table = simulated_table(s);
    stk_tune_ledger       *ledger;
    found                  out;
    stk_tune_report_init(&out.report);
    snprintf(out.report.kind, sizeof out.report.kind, "recipe");
    options.cancel = &s->cancel;
    options.folder = folder;
    out.status = stk_tune_ledger_open(&ledger, folder, options.resume, &out.error);
    if (out.status) return out;
    out.status = stk_tune_search(&table, &options, identity, ledger, &out.report, &out.error);
    stk_tune_ledger_close(ledger);
    EXPECT_INT_EQ(s->opened, s->closed);
    return out;
}

static simulated usual_machine(void)
{
    return (simulated){.changes = usual, .count = COUNT_OF(usual), .noise = 0.005, .state = 1};
}

static bool has(const found *f, const char *key)
{
    return stk_tune_setting_get(&f->report.best, key) != NULL;
}

static const stk_tune_trial *trial_of(const found *f, const char *action)
{
    for (size_t i = 0; i < f->report.trial_count; i++)
        if (strcmp(f->report.trials[i].action, action) == 0) return &f->report.trials[i];
    return NULL;
}

STK_TEST(what_is_faster_is_kept_and_the_rest_taken_back)
{
    char      folder[64];
    simulated s = usual_machine();
    found     f = search(&s, new_folder(folder), (stk_tune_options){0}, "");
    EXPECT_FOUND(STK_OK, f);
    EXPECT(has(&f, "half") && has(&f, "tenth") && has(&f, "small"));
    EXPECT_INT_EQ(3, f.report.best.count);
    EXPECT_INT_EQ(STK_TUNE_SLOWER, trial_of(&f, "slower")->decision);
    EXPECT_INT_EQ(STK_TUNE_NO_GAIN, trial_of(&f, "nothing")->decision);
    EXPECT_INT_EQ(STK_TUNE_FAILED, trial_of(&f, "broken")->decision);
    EXPECT_CONTAINS("it does not fit", trial_of(&f, "broken")->reason);
    EXPECT_INT_EQ(STK_TUNE_REFUSED, trial_of(&f, "other")->decision);
    EXPECT_CONTAINS("learns something else", trial_of(&f, "other")->reason);
    EXPECT(!trial_of(&f, "not-worth") && !trial_of(&f, "learns"));
    EXPECT(fabs(f.report.gain.value / (1.5 * 1.1 * 1.04 - 1) - 1) < 0.05);
    EXPECT(f.report.gain.low < 1.5 * 1.1 * 1.04 - 1 && f.report.gain.high > 1.5 * 1.1 * 1.04 - 1);
    EXPECT_CONTAINS("nothing is left", f.report.ended);
    stk_tune_report_release(&f.report);
    remove_folder(folder);
}

STK_TEST(what_promises_most_is_tried_first)
{
    char      folder[64];
    simulated s = usual_machine();
    found     f = search(&s, new_folder(folder), (stk_tune_options){.allow_learning = true}, "");
    EXPECT_INT_EQ(1, trial_of(&f, "learns")->number);
    EXPECT(trial_of(&f, "half")->number < trial_of(&f, "tenth")->number);
    stk_tune_report_release(&f.report);
    remove_folder(folder);
}

STK_TEST(pins_and_lists_of_actions_are_kept_to)
{
    char      folder[64];
    simulated s = usual_machine();
    found     f = search(&s, new_folder(folder), (stk_tune_options){.pinned = "tenth,half"}, "");
    EXPECT(!trial_of(&f, "half") && !trial_of(&f, "tenth") && has(&f, "small"));
    stk_tune_report_release(&f.report);
    remove_folder(folder);
    s = usual_machine();
    f = search(&s, new_folder(folder), (stk_tune_options){.only = "tenth", .without = "x"}, "");
    EXPECT_INT_EQ(1, f.report.trial_count);
    stk_tune_report_release(&f.report);
    remove_folder(folder);
}

/* A gain that the old limit hid is found when that is gone. */
STK_TEST(what_was_dropped_comes_back_when_another_stage_limits)
{
    static const simulated_change changes[] = {
        {.key = "hidden", .factor = 1.3, .predicted = 0.5, .needs = "first"},
        {.key = "first", .factor = 1.5, .predicted = 0.4}};
    char      folder[64];
    simulated s = {.changes = changes, .count = 2, .noise = 0.005, .state = 3, .moves = true};
    found     f = search(&s, new_folder(folder), (stk_tune_options){0}, "");
    EXPECT(has(&f, "first") && has(&f, "hidden"));
    EXPECT_INT_EQ(3, f.report.trial_count);
    stk_tune_report_release(&f.report);
    remove_folder(folder);
    s = (simulated){.changes = changes, .count = 2, .noise = 0.005, .state = 3};
    f = search(&s, new_folder(folder), (stk_tune_options){0}, "");
    EXPECT(has(&f, "first") && !has(&f, "hidden"));
    stk_tune_report_release(&f.report);
    remove_folder(folder);
}

/* One change each; how many of them are kept, and how many decisions have the wrong sign. */
static void try_many(int runs, double noise, double (*gain)(uint64_t *), int *kept, int *wrong,
                     int *missed)
{
    uint64_t draws = 11;
    *kept = *wrong = *missed = 0;
    for (int run = 0; run < runs; run++) {
        const double           true_gain = gain(&draws);
        const simulated_change one = {.key = "one", .factor = 1 + true_gain, .predicted = -2};
        simulated s = {.changes = &one, .count = 1, .noise = noise, .state = (uint64_t)run + 1};
        const stk_tune_subject         table = simulated_table(&s);
        stk_tune_setting               before = {0}, after = {0};
        stk_tune_comparison            pair;
        bool                           second;
        const stk_tune_compare_options how = {.least = 0.01};
        EXPECT(!stk_tune_setting_set(&after, "one", "1", NULL));
        EXPECT(!stk_tune_compare(&pair, &table, &before, &after, &how, &second, NULL));
        const stk_estimate measured = stk_gain_test_gain(&pair.test, 0.95);
        const bool         keeps = measured.low > 0.01;
        *kept += keeps;
        *wrong += (keeps && true_gain <= 0) || (measured.high < 0 && true_gain >= 0);
        *missed += !keeps && true_gain > 0.03;
    }
}

static double no_gain(uint64_t *state)
{
    (void)state;
    return 0;
}

static double some_gain(uint64_t *state)
{
    const double size = 0.02 + 0.28 * simulated_uniform(state);
    return simulated_uniform(state) < 0.5 ? size : -size;
}

STK_TEST(nothing_is_found_where_nothing_is)
{
    int kept, wrong, missed;
    try_many(400, 0.02, no_gain, &kept, &wrong, &missed);
    EXPECT(wrong <= 400 * 5 / 100); /* kept, or said to be slower */
    EXPECT(kept <= wrong);
}

STK_TEST(true_differences_are_found_with_their_sign)
{
    int kept, wrong, missed;
    try_many(400, 0.02, some_gain, &kept, &wrong, &missed);
    EXPECT(wrong <= 400 * 3 / 100);
    EXPECT(missed <= 200 * 10 / 100);
    EXPECT(kept > 150);
}

static size_t read_ledger(const char *folder, char *text, size_t capacity)
{
    char path[128];
    snprintf(path, sizeof path, "%s/tune.jsonl", folder);
    FILE *in = fopen(path, "rb");
    EXPECT(in != NULL);
    const size_t size = fread(text, 1, capacity, in);
    fclose(in);
    return size;
}

static void write_ledger(const char *folder, const char *text, size_t size)
{
    char path[128];
    snprintf(path, sizeof path, "%s/tune.jsonl", folder);
    FILE *out = fopen(path, "wb");
    EXPECT(out && fwrite(text, 1, size, out) == size && !fclose(out));
}

/* As if it had been killed there, in the middle of lines too. */
STK_TEST(a_search_that_was_killed_anywhere_comes_to_the_same_end)
{
    enum { CAPACITY = 1 << 20, CUTS = 40 };
    char        *text = malloc(CAPACITY), folder[64], again[64];
    simulated    s = usual_machine();
    found        whole = search(&s, new_folder(folder), (stk_tune_options){0}, "same");
    const size_t size = read_ledger(folder, text, CAPACITY);
    for (int cut = 1; cut <= CUTS; cut++) {
        const size_t left = size * (size_t)cut / CUTS;
        new_folder(again);
        write_ledger(again, text, left);
        s = usual_machine();
        s.state = (uint64_t)cut; /* another noise */
        found f = search(&s, again, (stk_tune_options){.resume = true}, "same");
        EXPECT_FOUND(STK_OK, f);
        EXPECT(stk_tune_setting_equal(&whole.report.best, &f.report.best));
        EXPECT_INT_EQ(whole.report.trial_count, f.report.trial_count);
        EXPECT(f.report.ended[0]);
        stk_tune_report_release(&f.report);
        remove_folder(again);
    }
    stk_tune_report loaded;
    EXPECT(!stk_tune_report_load(&loaded, folder, NULL));
    EXPECT(stk_tune_setting_equal(&whole.report.best, &loaded.best));
    EXPECT_INT_EQ(whole.report.trial_count, loaded.trial_count);
    EXPECT(loaded.gain.value == whole.report.gain.value);
    stk_tune_report_release(&loaded);
    stk_tune_report_release(&whole.report);
    remove_folder(folder);
    free(text);
}

STK_TEST(a_search_that_is_stopped_has_the_best_so_far_and_goes_on)
{
    char      folder[64];
    simulated s = usual_machine();
    s.cancel_after = 60;
    found f = search(&s, new_folder(folder), (stk_tune_options){0}, "");
    EXPECT_FOUND(STK_OK, f);
    EXPECT(!f.report.ended[0]);
    EXPECT(f.report.trial_count > 0);
    stk_tune_report_release(&f.report);
    s = usual_machine();
    f = search(&s, folder, (stk_tune_options){.resume = true}, "");
    EXPECT_FOUND(STK_OK, f);
    EXPECT_INT_EQ(3, f.report.best.count);
    stk_tune_report_release(&f.report);
    remove_folder(folder);
}

STK_TEST(a_search_that_is_stopped_while_it_looks_is_no_error)
{
    char      folder[64];
    simulated s = usual_machine();
    s.stops_in_list = true;
    found f = search(&s, new_folder(folder), (stk_tune_options){0}, "");
    EXPECT_FOUND(STK_OK, f);
    EXPECT(!f.report.ended[0] && f.report.base_rate > 0);
    stk_tune_report_release(&f.report);
    remove_folder(folder);
}

STK_TEST(a_ledger_of_another_search_is_refused)
{
    char      folder[64];
    simulated s = usual_machine();
    found     f = search(&s, new_folder(folder), (stk_tune_options){0}, "one");
    stk_tune_report_release(&f.report);
    f = search(&s, folder, (stk_tune_options){0}, "one");
    EXPECT_FOUND(STK_E_EXISTS, f);
    EXPECT_CONTAINS("--resume", f.error.message);
    f = search(&s, folder, (stk_tune_options){.resume = true}, "another");
    EXPECT_FOUND(STK_E_INVALID, f);
    EXPECT_CONTAINS("another", f.error.message);
    stk_tune_report_release(&f.report);
    write_ledger(folder, "{\"event\":\"trial\"}\n", 18);
    f = search(&s, folder, (stk_tune_options){.resume = true}, "one");
    EXPECT_FOUND(STK_E_FORMAT, f);
    stk_tune_report_release(&f.report);
    write_ledger(folder, "[1,\n", 4);
    f = search(&s, folder, (stk_tune_options){.resume = true}, "one");
    EXPECT_FOUND(STK_E_FORMAT, f);
    stk_tune_report_release(&f.report);
    remove_folder(folder);
    f = search(&s, folder, (stk_tune_options){.resume = true}, "one");
    EXPECT_FOUND(STK_E_NOTFOUND, f);
    EXPECT(access(folder, F_OK) != 0); /* nothing was begun */
}

STK_TEST(the_budget_ends_a_search_and_is_told)
{
    char      folder[64];
    simulated s = usual_machine();
    found     f = search(&s, new_folder(folder), (stk_tune_options){.budget_s = 1e-9}, "");
    EXPECT_FOUND(STK_OK, f);
    EXPECT_INT_EQ(0, f.report.trial_count);
    EXPECT_CONTAINS("budget", f.report.ended);
    stk_tune_report_release(&f.report);
    remove_folder(folder);
}

static stk_status search_once(void *context, stk_error *err)
{
    char                   folder[64];
    simulated              s = usual_machine();
    const stk_tune_subject table = simulated_table(&s);
    stk_tune_ledger       *ledger;
    stk_tune_report        report;
    const stk_tune_options options = {.only = "half,broken"};
    (void)context;
    stk_tune_report_init(&report);
    new_folder(folder);
    stk_status st = stk_tune_ledger_open(&ledger, folder, false, err);
    if (!st) st = stk_tune_search(&table, &options, "", ledger, &report, err);
    stk_tune_ledger_close(ledger);
    stk_tune_report_release(&report);
    remove_folder(folder);
    return st;
}

STK_TEST(every_allocation_may_fail)
{
    stk_test_fail_each_allocation(search_once, NULL);
}

/* A long text that is mostly the same says nothing: the line that differs does. */
STK_TEST(the_line_that_differs_from_an_earlier_search_is_named)
{
    const stk_tune_options earlier = {.least = 0.01, .pinned = "data.batch", .space = 5},
                           later = {.least = 0.05, .pinned = "data.batch", .space = 7};
    stk_blob  was, is;
    stk_error err;
    stk_blob_init(&was, NULL, STK_MEMORY_OUTPUT);
    stk_blob_init(&is, NULL, STK_MEMORY_OUTPUT);
    EXPECT_OK(stk_tune_identity_add(&was, "  path", "a", &err));
    EXPECT_OK(stk_tune_identity_options(&was, &earlier, &err));
    EXPECT_OK(stk_blob_append(&was, "", 1, &err));
    EXPECT_OK(stk_tune_identity_add(&is, "  path", "a", &err));
    EXPECT_OK(stk_tune_identity_options(&is, &later, &err));
    EXPECT_OK(stk_blob_append(&is, "", 1, &err));
    EXPECT_OK(stk_tune_identity_check((char *)was.data, (char *)was.data, &err));
    EXPECT_STATUS(STK_E_INVALID, stk_tune_identity_check((char *)was.data, (char *)is.data, &err));
    EXPECT_CONTAINS("'least: 0.01' where this one has 'least: 0.05'", err.message);
    EXPECT_STATUS(STK_E_INVALID, stk_tune_identity_check("  a: 1\n  b: 2\n", "  a: 1\n", &err));
    EXPECT_CONTAINS("'b: 2' where this one has ''", err.message);
    stk_blob_release(&was);
    stk_blob_release(&is);
}

static bool word_at(const void *context, size_t index, char word[STK_TUNE_WORD])
{
    static const char *const words[] = {"eager", "cache", "threads"};
    (void)context;
    if (index < COUNT_OF(words)) strcpy(word, words[index]);
    return index < COUNT_OF(words);
}

static stk_status check_words(const char *list, stk_error *err)
{
    return stk_tune_words_check(list, "--only", "action", word_at, NULL, err);
}

STK_TEST(words_that_there_are_not_are_refused_with_the_nearest_one)
{
    char      longest[3 * STK_TUNE_WORD];
    stk_error err;
    EXPECT_OK(check_words(NULL, &err));
    EXPECT_OK(check_words("", &err));
    EXPECT_OK(check_words("eager", &err));
    EXPECT_OK(check_words("cache,,threads,", &err));
    EXPECT_STATUS(STK_E_INVALID, check_words("cache,eagre", &err));
    EXPECT_STR_EQ("--only", err.where);
    EXPECT_CONTAINS("there is no action \"eagre\"; did you mean eager?", err.message);
    EXPECT_STATUS(STK_E_INVALID, check_words("zzzzzzz,eager", &err));
    EXPECT_CONTAINS("; there are eager, cache, threads", err.message);
    memset(longest, 'x', sizeof longest - 1);
    longest[sizeof longest - 1] = 0;
    EXPECT_STATUS(STK_E_INVALID, check_words(longest, &err));
}

/* Random pipelines: the engine gives what the model says, however it runs them. By hand:
 *     STK_PIPELINE="range 0 9 1 | batch 2" runs that line alone, many times;
 *     STK_PIPELINE_SEED=5 STK_PIPELINE_SECONDS=600 runs others, for longer. */
#include "model.h"
#include "pipeline_support.h"
#include "random_lines.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { PIPELINES = 3000, SECONDS = 25, MOST_STAGES = 8, MOST_FAILURES = 20 };

/* How the engine runs a pipeline. */
typedef struct manner {
    int      threads, threads_after; /* before and after the checkpoint */
    unsigned passes_off;
    int64_t  taken; /* results before the checkpoint; -1: there is none */
} manner;

/* How much of the order the model knows. */
typedef enum order {
    ORDER_KNOWN,
    ORDER_DRAWN, /* shuffled: our own, the same in every manner */
    ORDER_FREE   /* relaxed: any */
} order;

/* The line at hand, for whoever reads how the program ended. */
static char at_hand[STK_LINE_TEXT];

static void __attribute__((destructor)) say_line_at_hand(void)
{
    if (at_hand[0]) fprintf(stderr, "the pipeline was: %s\n", at_hand);
}

static void say_line_and_end(int signal_number)
{
    static const char               before[] = "the pipeline was: ";
    __attribute__((unused)) ssize_t written = write(STDERR_FILENO, before, sizeof before - 1);
    written = write(STDERR_FILENO, at_hand, strlen(at_hand));
    written = write(STDERR_FILENO, "\n", 1);
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

static bool is_one_of(const stk_line_stage *s, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (stk_line_stage_is(s, names[i])) return true;
    return false;
}

/* Stages whose results are the same elements whatever the order of their inputs. */
static bool ignores_order(const stk_line_stage *s)
{
    static const char *const names[] = {
        "map",     "filter", "flat_map",    "interleave", "prefetch", "ignore_errors", "repeat",
        "unbatch", "unique", "concatenate", "options",    "shuffle",  "cache"};
    return is_one_of(s, names, COUNT_OF(names));
}

/* all: the pipeline's options say so for every stage. */
static bool is_relaxed(const stk_line_stage *s, bool all)
{
    static const char *const runs_ahead[] = {"map", "interleave"};
    return is_one_of(s, runs_ahead, COUNT_OF(runs_ahead)) && (s->relaxed || all);
}

/* False when a stage that depends on the order stands behind one that leaves it open. */
static bool find_order(const stk_line *line, bool all_relaxed, order *found)
{
    *found = ORDER_KNOWN;
    for (int i = 0; i < line->count; i++) {
        const stk_line_stage *s = &line->stages[i];
        order                 own = ORDER_KNOWN;
        if (is_relaxed(s, all_relaxed)) own = ORDER_FREE;
        if (stk_line_stage_is(s, "shuffle") && s->numbers[0] > 1) own = ORDER_DRAWN;
        for (int c = 0; c < s->child_count; c++) {
            order inner;
            if (!find_order(s->children[c], all_relaxed, &inner)) return false;
            if (inner != ORDER_KNOWN && !ignores_order(s)) return false;
            if (inner > own) own = inner;
        }
        if (*found != ORDER_KNOWN && !ignores_order(s)) return false;
        if (own > *found) *found = own;
    }
    return true;
}

/* What the engine gives; freed by the caller. */
static char *run(const stk_line *line, const manner *how)
{
    const stk_iterator_options options = {
        .threads = how->threads, .seed = 7, .passes_off = how->passes_off};
    /* A new one each time: a cache belongs to its dataset. */
    stk_dataset *data = stk_line_build(line);
    const char  *text =
        how->taken < 0
             ? stk_test_run(data, &options, 0)
             : stk_test_run_with_checkpoint(data, (size_t)how->taken, 10000, how->passes_off,
                                            how->threads, how->threads_after);
    char *copy = strdup(text);
    assert_non_null(copy);
    stk_dataset_unref(data);
    return copy;
}

/* Cuts text into its results, in place. */
static size_t cut(char *text, const char **results, size_t capacity)
{
    size_t count = 0;
    int    depth = 0;
    bool   begins = true;
    for (char *c = text; *c; c++) {
        if (begins && count < capacity) results[count++] = c;
        begins = false;
        depth += (*c == '(' || *c == '[') - (*c == ')' || *c == ']');
        if (*c == ' ' && depth == 0) {
            *c = 0;
            begins = true;
        }
    }
    return count;
}

static int compare_texts(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* That a holds the results of b in some order. */
static bool same_but_for_order(const char *a, const char *b)
{
    enum { MOST = 2048 };
    const char *results[2][MOST];
    char       *texts[2] = {strdup(a), strdup(b)};
    size_t      counts[2];
    for (int i = 0; i < 2; i++) {
        assert_non_null(texts[i]);
        counts[i] = cut(texts[i], results[i], MOST);
        qsort(results[i], counts[i], sizeof results[i][0], compare_texts);
    }
    bool same = counts[0] == counts[1];
    for (size_t i = 0; same && i < counts[0]; i++)
        same = strcmp(results[0][i], results[1][i]) == 0;
    free(texts[0]);
    free(texts[1]);
    return same;
}

static int shuffles_in(const stk_line *line)
{
    int count = 0;
    for (int i = 0; i < line->count; i++)
        count += stk_line_stage_is(&line->stages[i], "shuffle");
    return count;
}

/* Input i of a shuffle of buffer B cannot come before place i - B + 1 (statement 56). Told by text,
 * so equal elements are not looked at; and only where the shuffle is the last stage. */
static bool keeps_to_buffer(const stk_line *line, slow_model *model, const char *given)
{
    enum { MOST = 2048 };
    const char           *results[MOST];
    const stk_line_stage *last = &line->stages[line->count - 1];
    const int64_t         buffer = last->numbers[0];
    if (!stk_line_stage_is(last, "shuffle") || shuffles_in(line) > 1) return true;
    char        *text = strdup(given);
    const size_t count = cut(text, results, MOST), inputs = slow_model_results(model)->count;
    bool         keeps = true;
    for (size_t i = 0; i < inputs && keeps; i++) {
        const char *input = slow_model_result_text(model, i);
        size_t      found = 0, place = 0;
        for (size_t k = 0; k < count; k++)
            if (strcmp(results[k], input) == 0) {
                found++;
                place = k;
            }
        keeps = found != 1 || (int64_t)place >= (int64_t)i - buffer + 1;
    }
    free(text);
    return keeps;
}

/* What the engine must give: text comes from the model or, for drawn orders, from a plain run of
 * its own. NULL when the model cannot say or the line is not to be tested. */
typedef struct expectation {
    char *text; /* freed by the caller */
    order known;
    bool  wrong;       /* the plain run is no permutation, or none that its buffer allows */
    bool  checkpoints; /* restoring in the same process makes sense */
} expectation;

/* What save takes for relaxed: with the option for all, whatever runs datasets of its own too. */
static bool is_taken_for_relaxed(const stk_line_stage *s, bool all)
{
    static const char *const expand[] = {"flat_map", "interleave", "group", "bucket", "window"};
    return is_relaxed(s, all) || (all && is_one_of(s, expand, COUNT_OF(expand)));
}

/* A shuffle or a cache over a stage that is relaxed cannot be saved. */
static bool can_be_saved(const stk_line *line, bool all_relaxed, bool *relaxed)
{
    for (int i = 0; i < line->count; i++) {
        const stk_line_stage *s = &line->stages[i];
        if (*relaxed && (stk_line_stage_is(s, "cache") || stk_line_stage_is(s, "shuffle")))
            return false;
        *relaxed |= is_taken_for_relaxed(s, all_relaxed);
        for (int c = 0; c < s->child_count; c++) {
            bool inner = false;
            if (!can_be_saved(s->children[c], all_relaxed, &inner)) return false;
            *relaxed |= inner;
        }
    }
    return true;
}

/* Nor does a checkpoint say the same to an iterator that follows in the same process when a cache
 * that met errors is begun after it, by concatenate: another iterator has filled it by then, and a
 * cache keeps no errors. */
static bool can_be_restored(const stk_line *line, const slow_model *model)
{
    bool relaxed = false;
    if (slow_model_lost_errors(model) && stk_line_has(line, "concatenate")) return false;
    return can_be_saved(line, stk_line_has(line, "options"), &relaxed);
}

static void expect_own_run(const stk_line *line, slow_model *model, expectation *e)
{
    char *own = run(line, &(manner){.threads = 1, .passes_off = STK_PASS_ALL, .taken = -1});
    e->wrong = !same_but_for_order(own, e->text) || !keeps_to_buffer(line, model, own);
    free(e->wrong ? own : e->text);
    if (!e->wrong) e->text = own;
}

static expectation expect(const stk_line *line)
{
    expectation e = {0};
    if (!find_order(line, stk_line_has(line, "options"), &e.known)) return e;
    slow_model *model = slow_model_run(line);
    e.checkpoints = can_be_restored(line, model);
    if (slow_model_is_sure(model)) e.text = strdup(slow_model_text(model));
    if (e.text && e.known == ORDER_DRAWN) expect_own_run(line, model, &e);
    slow_model_free(model);
    return e;
}

static bool agrees(const expectation *e, const char *got)
{
    if (e->wrong) return false;
    return e->known == ORDER_FREE ? same_but_for_order(got, e->text) : strcmp(got, e->text) == 0;
}

static void say_difference(const char *text, const manner *how, const char *expected,
                           const char *got)
{
    print_error("%s\n  with %d threads, passes off 0x%x", text, how->threads, how->passes_off);
    if (how->taken >= 0)
        print_error(", a checkpoint after %d results, then %d threads", (int)how->taken,
                    how->threads_after);
    print_error("\n  expected %s\n  got      %s\n", expected, got);
}

typedef enum verdict { UNKNOWN, RIGHT, WRONG } verdict;

/* Runs text; says what is wrong when loud. */
static verdict judge(const char *text, manner how, bool loud)
{
    stk_line *line = stk_line_parse(text, NULL);
    verdict   found = UNKNOWN;
    snprintf(at_hand, sizeof at_hand, "%s", text);
    expectation e = line ? expect(line) : (expectation){0};
    if (e.text) {
        if (!e.checkpoints) how.taken = -1;
        char *got = run(line, &how);
        found = agrees(&e, got) ? RIGHT : WRONG;
        if (found == WRONG && loud) say_difference(text, &how, e.text, got);
        free(got);
    }
    free(e.text);
    stk_line_free(line);
    return found;
}

/* The line without its stage number `left_out`, counted from the source; false when there is none.
 */
static bool leave_out(const char *text, int left_out, char out[STK_LINE_TEXT])
{
    int    depth = 0, stage = 0;
    size_t size = 0;
    for (const char *c = text; *c; c++) {
        depth += (*c == '(') - (*c == ')');
        if (*c == '|' && depth == 0) stage++;
        if (stage != left_out) out[size++] = *c;
    }
    out[size] = 0;
    while (size && out[size - 1] == ' ')
        out[--size] = 0;
    return left_out <= stage;
}

/* Leaves out stages as long as it still goes wrong; what depends on timing gets a few tries. */
static void shrink(char text[STK_LINE_TEXT], const manner *how)
{
    char shorter[STK_LINE_TEXT];
    for (int i = 1; leave_out(text, i, shorter);) {
        verdict found = RIGHT;
        for (int try = 0; try < 5 && found == RIGHT; try++)
            found = judge(shorter, *how, false);
        if (found == WRONG) {
            snprintf(text, STK_LINE_TEXT, "%s", shorter);
            i = 1;
        } else {
            i++;
        }
    }
}

static void say_shorter(const char *text, const manner *how)
{
    char shorter[STK_LINE_TEXT];
    snprintf(shorter, sizeof shorter, "%s", text);
    shrink(shorter, how);
    print_error("the same, shorter: %s\n", shorter);
    judge(shorter, *how, true);
}

static manner random_manner(uint64_t *state)
{
    static const int threads[] = {1, 2, 3, 4, 8};
    manner           how = {.taken = -1};
    how.threads = threads[stk_test_below(state, COUNT_OF(threads))];
    how.threads_after = threads[stk_test_below(state, COUNT_OF(threads))];
    switch (stk_test_below(state, 3)) {
    case 0:
        how.passes_off = STK_PASS_ALL;
        break;
    case 1:
        how.passes_off = (unsigned)stk_test_below(state, STK_PASS_ALL);
        break;
    }
    if (stk_test_below(state, 3) == 0) how.taken = (int64_t)stk_test_below(state, 24);
    return how;
}

static int64_t from_environment(const char *name, int64_t otherwise)
{
    const char *text = getenv(name);
    return text ? strtoll(text, NULL, 10) : otherwise;
}

static void watch(unsigned seconds)
{
    signal(SIGALRM, say_line_and_end);
    signal(SIGSEGV, say_line_and_end);
    stk_test_watchdog(seconds);
}

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

STK_TEST(random_pipelines_give_what_the_model_says)
{
    const int64_t seconds = from_environment("STK_PIPELINE_SECONDS", 0);
    const int64_t seed = from_environment("STK_PIPELINE_SEED", 1);
    uint64_t      draws = (uint64_t)seed * 1000003u;
    const double  end = seconds_now() + (double)(seconds ? seconds : SECONDS);
    int           compared = 0, failures = 0;
    while ((seconds || compared < PIPELINES) && seconds_now() < end && failures < MOST_FAILURES) {
        char         text[STK_LINE_TEXT];
        const manner how = random_manner(&draws);
        stk_test_random_line(text, &draws, MOST_STAGES);
        watch(60);
        const verdict found = judge(text, how, true);
        compared += found != UNKNOWN;
        if (found != WRONG) continue;
        failures++;
        say_shorter(text, &how);
    }
    at_hand[0] = 0;
    print_message("%d pipelines compared\n", compared);
    EXPECT_INT_EQ(0, failures);
    EXPECT(compared >= 50);
}

STK_TEST(a_pipeline_given_by_hand_gives_what_the_model_says)
{
    const char *text = getenv("STK_PIPELINE");
    uint64_t    draws = 1;
    const char *why = NULL;
    if (!text) return;
    stk_line *line = stk_line_parse(text, &why);
    if (why) print_error("%s\n", why);
    EXPECT(line != NULL);
    stk_line_free(line);
    for (int i = 0; i < 200; i++) {
        const manner how = random_manner(&draws);
        watch(60);
        if (judge(text, how, true) != WRONG) continue;
        say_shorter(text, &how);
        fail();
    }
    at_hand[0] = 0;
}

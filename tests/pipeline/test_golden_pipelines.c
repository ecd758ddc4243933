/* Pipelines that TensorFlow ran: its results are ours, at any number of threads, by number, and
 * from a checkpoint on. STK_PIPELINE_LINES=FILE runs those of another file:
 * scripts/compare-pipelines-with-tensorflow.py does. */
#include "model.h"
#include "pipeline_support.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One line of golden.txt: the pipeline, and what TensorFlow gave for it. */
typedef struct golden {
    const stk_line *line;
    const char     *text, *results;
    int64_t         cardinality;
} golden;

/* The line at hand, for whoever reads how the program ended. */
static char at_hand[2048];

static void __attribute__((destructor)) say_line_at_hand(void)
{
    if (at_hand[0]) fprintf(stderr, "the pipeline was: %s\n", at_hand);
}

typedef void (*check)(const golden *g, int *failures);

static void say_difference(const char *who, const char *text, const char *expected, const char *got,
                           int *failures)
{
    if (++*failures <= 40)
        print_error("%s: %s\n  TensorFlow %s\n  got        %s\n", who, text, expected, got);
}

static void check_model(const golden *g, int *failures)
{
    slow_model *model = slow_model_run(g->line);
    if (slow_model_is_sure(model) && strcmp(slow_model_text(model), g->results) != 0)
        say_difference("model", g->text, g->results, slow_model_text(model), failures);
    slow_model_free(model);
}

static void check_cardinality(const golden *g, const stk_dataset *data, int *failures)
{
    char expected[32], got[32];
    snprintf(expected, sizeof expected, "%" PRId64, g->cardinality);
    snprintf(got, sizeof got, "%" PRId64, stk_dataset_cardinality(data));
    if (strcmp(got, expected) != 0) say_difference("cardinality", g->text, expected, got, failures);
}

static void check_engine(const golden *g, int *failures)
{
    static const int threads[] = {1, 2, 8};
    for (size_t i = 0; i < COUNT_OF(threads); i++) {
        char                       who[32];
        const stk_iterator_options options = {.threads = threads[i], .seed = 7};
        /* A new one each time: a cache belongs to its dataset. */
        stk_dataset *data = stk_line_build(g->line);
        const char  *got = stk_test_run(data, &options, 0);
        snprintf(who, sizeof who, "%d threads", threads[i]);
        if (strcmp(got, g->results) != 0) say_difference(who, g->text, g->results, got, failures);
        if (i == 0) check_cardinality(g, data, failures);
        stk_dataset_unref(data);
    }
}

/* How many results there are, the end not counted. */
static size_t count_results(const char *results)
{
    size_t count = 0;
    int    depth = 0;
    for (const char *c = results; *c; c++) {
        depth += (*c == '(' || *c == '[' || *c == '{') - (*c == ')' || *c == ']' || *c == '}');
        count += *c == ' ' && !depth;
    }
    return count;
}

/* Elements by number where that is possible, and one past the last. Errors have numbers of their
 * own only where nothing was left out because of them: such lines are left. */
static void check_by_number(const golden *g, int *failures)
{
    stk_error    err;
    stk_element *element;
    const size_t count = count_results(g->results);
    if (strchr(g->results, '!') || g->cardinality < 0) return;
    stk_dataset *data = stk_line_build(g->line);
    char        *got = NULL;
    size_t       size = 0;
    stk_status   st = STK_OK;
    FILE        *out = open_memstream(&got, &size);
    assert_non_null(out);
    for (size_t i = 0; i < count && !st; i++) {
        st = stk_dataset_at(data, i, &element, &err);
        if (st) break;
        fprintf(out, "%s ", stk_test_element_text(element));
        stk_element_unref(element);
    }
    fprintf(out, ".");
    fclose(out);
    if (!st) st = stk_dataset_at(data, count, &element, &err);
    if (st == STK_E_RANGE ? strcmp(got, g->results) != 0 : st != STK_E_UNSUPPORTED)
        say_difference("by number", g->text, g->results, st ? got : "no end", failures);
    free(got);
    stk_dataset_unref(data);
}

/* One place for each line, not the same for all. A cache that met errors is another for the
 * iterator that follows: it keeps none. */
static void check_checkpoint(const golden *g, int *failures)
{
    if (strchr(g->results, '!') && stk_line_has(g->line, "cache")) return;
    const size_t taken = strlen(g->text) % (count_results(g->results) + 2);
    stk_dataset *data = stk_line_build(g->line);
    char         who[64];
    const char  *got = stk_test_run_with_checkpoint(data, taken, 10000, 0, 2, 3);
    snprintf(who, sizeof who, "from a checkpoint after %zu", taken);
    if (strcmp(got, g->results) != 0) say_difference(who, g->text, g->results, got, failures);
    stk_dataset_unref(data);
}

/* "pipeline => results # cardinality" */
static void check_line(check run, char *text, int *failures)
{
    const char *why;
    char       *results = strstr(text, " => "), *cardinality = strstr(text, " # ");
    assert_non_null(results);
    assert_non_null(cardinality);
    *results = *cardinality = 0;
    stk_line *line = stk_line_parse(text, &why);
    if (!line) {
        print_error("%s: %s\n", text, why);
        ++*failures;
        return;
    }
    snprintf(at_hand, sizeof at_hand, "%s", text);
    run(&(golden){line, text, results + strlen(" => "),
                  strtoll(cardinality + strlen(" # "), NULL, 10)},
        failures);
    at_hand[0] = 0;
    stk_line_free(line);
}

static void for_each_line(check run)
{
    const char *given = getenv("STK_PIPELINE_LINES");
    stk_bytes   file = stk_test_read_file(given ? given : STK_TEST_DATA "/pipeline/golden.txt");
    char       *all = strndup((const char *)file.data, file.size), *rest = all;
    int         failures = 0, count = 0;
    assert_non_null(all);
    for (char *text = strsep(&rest, "\n"); text && *text; text = strsep(&rest, "\n"), count++)
        check_line(run, text, &failures);
    free(all);
    if (failures) print_error("%d differences in %d pipelines\n", failures, count);
    EXPECT_INT_EQ(0, failures);
    EXPECT(given || count >= 1000);
}

STK_TEST(the_model_gives_what_tensorflow_gives)
{
    for_each_line(check_model);
}

STK_TEST(elements_by_number_are_what_tensorflow_gives)
{
    for_each_line(check_by_number);
}

STK_TEST(a_checkpoint_goes_on_with_what_tensorflow_gives)
{
    stk_test_watchdog(120);
    for_each_line(check_checkpoint);
}

STK_TEST(the_engine_gives_what_tensorflow_gives)
{
    stk_test_watchdog(240);
    for_each_line(check_engine);
}

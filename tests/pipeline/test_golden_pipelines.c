/* Pipelines that TensorFlow ran: its results are ours, at any number of threads. */
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
    run(&(golden){line, text, results + strlen(" => "),
                  strtoll(cardinality + strlen(" # "), NULL, 10)},
        failures);
    stk_line_free(line);
}

static void for_each_line(check run)
{
    stk_bytes file = stk_test_read_file(STK_TEST_DATA "/pipeline/golden.txt");
    char     *all = strndup((const char *)file.data, file.size), *rest = all;
    int       failures = 0, count = 0;
    assert_non_null(all);
    for (char *text = strsep(&rest, "\n"); text && *text; text = strsep(&rest, "\n"), count++)
        check_line(run, text, &failures);
    free(all);
    if (failures) print_error("%d differences in %d pipelines\n", failures, count);
    EXPECT_INT_EQ(0, failures);
    EXPECT(count >= 1000);
}

STK_TEST(the_model_gives_what_tensorflow_gives)
{
    for_each_line(check_model);
}

STK_TEST(the_engine_gives_what_tensorflow_gives)
{
    stk_test_watchdog(240);
    for_each_line(check_engine);
}

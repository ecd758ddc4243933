/* Classes of data among those of a run. */
#include "../harness.h"
#include "train/tasks/class_match.h"

#include <stdio.h>
#include <string.h>

#define NAMES(...) ((char *[]){__VA_ARGS__})
#define COUNT(...) ((int64_t)(sizeof NAMES(__VA_ARGS__) / sizeof(char *)))
#define RUN(...) .run_names = NAMES(__VA_ARGS__), .run_count = COUNT(__VA_ARGS__)
#define DATA(...) .data_names = NAMES(__VA_ARGS__), .data_count = COUNT(__VA_ARGS__)

enum { LINES_CAPACITY = 4096 };

static void hear(void *context, const char *line)
{
    char *lines = context;
    strncat(lines, line, LINES_CAPACITY - strlen(lines) - 1);
    strncat(lines, "\n", LINES_CAPACITY - strlen(lines) - 1);
}

static stk_status make(stk_class_match *m, stk_class_rule rule, stk_class_sides sides, char *lines,
                       stk_error *err)
{
    lines[0] = 0;
    sides.path = "data";
    sides.log = hear;
    sides.log_context = lines;
    return stk_class_match_make(m, rule, &sides, err);
}

STK_TEST(a_subset_in_any_order_is_found_by_name)
{
    stk_class_match m;
    stk_error       err;
    char            lines[LINES_CAPACITY];
    EXPECT_OK(make(&m, STK_CLASSES_BY_NAME,
                   (stk_class_sides){RUN("bird", "cat", "dog"), DATA("dog", "cat")}, lines, &err));
    EXPECT_INT_EQ(2, stk_class_match_label(&m, 0));
    EXPECT_INT_EQ(1, stk_class_match_label(&m, 1));
    EXPECT_INT_EQ(-1, stk_class_match_label(&m, 2));
    EXPECT_INT_EQ(-1, stk_class_match_label(&m, -1));
    EXPECT_INT_EQ(STK_CLASSES_BY_NAME, m.rule);
    EXPECT_STR_EQ("", lines);
    stk_class_match_release(&m);
}

STK_TEST(names_that_the_run_does_not_know_are_listed_with_those_it_knows)
{
    stk_class_match m;
    stk_error       err;
    char            lines[LINES_CAPACITY];
    EXPECT_STATUS(STK_E_INVALID,
                  make(&m, STK_CLASSES_BY_NAME,
                       (stk_class_sides){RUN("bird", "cat", "dog"), DATA("cat", "dogs", "lion")},
                       lines, &err));
    EXPECT_CONTAINS("2 of its class names are not the run's: dogs, lion", err.message);
    EXPECT_CONTAINS("the run knows 3: bird, cat, dog", err.message);
    EXPECT_CONTAINS("\"dogs\"; did you mean dog?", lines);
    EXPECT(!strstr(lines, "lion"));
    EXPECT(!m.to_run);
}

STK_TEST(a_long_list_is_cut_in_the_message_and_whole_in_the_log)
{
    static char     text[100][24];
    char           *names[100];
    stk_class_match m;
    stk_error       err;
    char            lines[LINES_CAPACITY * 4];
    for (int i = 0; i < 100; i++) {
        snprintf(text[i], sizeof text[i], "kind-%c%c", 'a' + i / 26, 'a' + i % 26);
        names[i] = text[i];
    }
    lines[0] = 0;
    const stk_class_sides sides = {RUN("0"),       .data_names = names, .data_count = 100,
                                   .path = "data", .log = hear,         .log_context = lines};
    EXPECT_STATUS(STK_E_INVALID, stk_class_match_make(&m, STK_CLASSES_BY_NAME, &sides, &err));
    EXPECT_CONTAINS("100 of its class names", err.message);
    EXPECT_CONTAINS("kind-aa, kind-ab", err.message);
    EXPECT_CONTAINS(", ...; the run knows 1: 0", err.message);
    EXPECT_CONTAINS("\"kind-bk\"", lines);
}

STK_TEST(a_class_without_images_need_not_be_known)
{
    stk_class_match m;
    stk_error       err;
    char            lines[LINES_CAPACITY];
    EXPECT_OK(make(&m, STK_CLASSES_BY_NAME,
                   (stk_class_sides){RUN("cat", "dog"), DATA("dog", "empty"),
                                     .occurs = (const bool[]){true, false}},
                   lines, &err));
    EXPECT_INT_EQ(1, stk_class_match_label(&m, 0));
    EXPECT_INT_EQ(-1, stk_class_match_label(&m, 1));
    stk_class_match_release(&m);
}

STK_TEST(numbers_are_names_where_the_run_has_them_and_indices_where_not)
{
    stk_class_match m;
    stk_error       err;
    char            lines[LINES_CAPACITY];
    /* Folders of digits are sorted as text: "10" is the run's third class. */
    EXPECT_OK(make(&m, STK_CLASSES_BY_NAME,
                   (stk_class_sides){RUN("0", "1", "10", "2"), DATA("0", "1", "2")}, lines, &err));
    EXPECT_INT_EQ(3, stk_class_match_label(&m, 2));
    stk_class_match_release(&m);
    EXPECT_OK(make(&m, STK_CLASSES_BY_NAME,
                   (stk_class_sides){RUN("cat", "dog"), DATA("0", "1", "2")}, lines, &err));
    EXPECT_INT_EQ(STK_CLASSES_BY_INDEX, m.rule);
    EXPECT_INT_EQ(1, stk_class_match_label(&m, 1));
    EXPECT_INT_EQ(-1, stk_class_match_label(&m, 2));
    EXPECT_CONTAINS("the data has no class names", lines);
    EXPECT_CONTAINS("cat, dog", lines);
    stk_class_match_release(&m);
    EXPECT_STATUS(STK_E_INVALID,
                  make(&m, STK_CLASSES_BY_NAME,
                       (stk_class_sides){RUN("0", "1"), DATA("0", "1", "2")}, lines, &err));
}

STK_TEST(data_without_names_goes_by_index)
{
    stk_class_match m;
    stk_error       err;
    char            lines[LINES_CAPACITY];
    EXPECT_OK(make(&m, STK_CLASSES_BY_NAME, (stk_class_sides){RUN("cat", "dog"), .data_count = 2},
                   lines, &err));
    EXPECT_INT_EQ(STK_CLASSES_BY_INDEX, m.rule);
    EXPECT_INT_EQ(0, stk_class_match_label(&m, 0));
    stk_class_match_release(&m);
    EXPECT_OK(make(&m, STK_CLASSES_BY_INDEX,
                   (stk_class_sides){RUN("cat", "dog"), DATA("Hund", "Katze")}, lines, &err));
    EXPECT_INT_EQ(0, stk_class_match_label(&m, 0));
    EXPECT_CONTAINS("as was asked for", lines);
    stk_class_match_release(&m);
}

STK_TEST(signs_that_folders_cannot_have_may_differ_but_letters_may_not)
{
    char *names[] = {"T-shirt/top", "a b", "a/b", "\xe7\x8c\xab", "\xe7\x8a\xac"};
    EXPECT_INT_EQ(0, stk_class_find(names, 5, "T-shirt_top"));
    EXPECT_INT_EQ(0, stk_class_find(names, 5, "T-shirt/top"));
    EXPECT_INT_EQ(1, stk_class_find(names, 5, "a b"));
    EXPECT_INT_EQ(-1, stk_class_find(names, 5, "a_b")); /* it may be two */
    EXPECT_INT_EQ(-1, stk_class_find(names, 5, "t-shirt/top"));
    EXPECT_INT_EQ(4, stk_class_find(names, 5, "\xe7\x8a\xac"));
    EXPECT_INT_EQ(-1, stk_class_find(names, 5, "\xe9\xb8\x9f"));
    EXPECT_INT_EQ(-1, stk_class_find(names, 5, "T-shirt"));
}

static stk_status match_once(void *context, stk_error *err)
{
    stk_class_match       m;
    const stk_class_sides sides = {RUN("bird", "cat", "dog"), DATA("dog", "cat"), .path = "data"};
    (void)context;
    STK_TRY(stk_class_match_make(&m, STK_CLASSES_BY_NAME, &sides, err));
    stk_class_match_release(&m);
    return STK_OK;
}

STK_TEST(matching_survives_failing_allocations)
{
    stk_test_fail_each_allocation(match_once, NULL);
}

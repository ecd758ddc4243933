/* The plan's own rules come with the others. */
#include "harness.h"
#include "train/tiny_data.h"

#include <stdio.h>
#include <stoker/lint.h>
#include <string.h>

typedef struct subject {
    stk_train_recipe recipe;
    stk_train_data   data;
} subject;

static subject prepare(const char *stages)
{
    const char *folder = tiny_data("set", 64, 8, 2), *path = stk_test_path("pipeline.yaml");
    char        text[1024];
    subject     s;
    tiny_recipe(&s.recipe, &s.data, folder, stk_test_path("run"), NULL);
    if (!stages) return s;
    snprintf(text, sizeof text, "data:\n  - source: %s\n%s", folder, stages);
    stk_test_write_file(path, text, strlen(text));
    snprintf(s.recipe.data.pipeline, sizeof s.recipe.data.pipeline, "%s", path);
    return s;
}

STK_TEST(the_plan_of_a_preset_is_clean)
{
    stk_lint_list list = {0};
    stk_error     err;
    subject       s = prepare(NULL);
    EXPECT_OK(stk_lint_input(&list, &s.recipe, &s.data, &err));
    EXPECT_INT_EQ(0, list.count);
    stk_train_data_release(&s.data);
}

STK_TEST(mistakes_of_a_persons_own_plan_are_told)
{
    stk_lint_list list = {0};
    stk_error     err;
    subject       s = prepare("  - repeat: 2\n  - shuffle: {buffer: 10, seed: 1}\n");
    EXPECT_OK(stk_lint_input(&list, &s.recipe, &s.data, &err));
    EXPECT_INT_EQ(1, list.count);
    EXPECT_STR_EQ("repeat_before_shuffle", list.items[0].rule);
    EXPECT_INT_EQ(STK_STAGE_PREPROCESS, list.items[0].stage);
    EXPECT_CONTAINS("put shuffle before repeat", list.items[0].message);
    stk_train_data_release(&s.data);
}

static stk_status lint(void *context, stk_error *err)
{
    const subject *s = context;
    stk_lint_list  list = {0};
    return stk_lint_input(&list, &s->recipe, &s->data, err);
}

STK_TEST(every_allocation_may_fail)
{
    subject s = prepare(NULL);
    stk_test_fail_each_allocation(lint, &s);
    stk_train_data_release(&s.data);
}

STK_TEST(how_data_lies_is_seen)
{
    stk_lint_storage storage;
    subject          s = prepare(NULL);
    stk_lint_storage_read(&storage, &s.recipe);
    EXPECT_STR_EQ("idx", storage.kind);
    EXPECT(storage.bytes > 64 * 64);
    snprintf(s.recipe.data.path, sizeof s.recipe.data.path, "/nowhere");
    stk_lint_storage_read(&storage, &s.recipe);
    EXPECT_STR_EQ("", storage.kind);
    stk_train_data_release(&s.data);
}

/* Lists of class names. */
#include "../harness.h"
#include "train/saved/class_list.h"

#include <string.h>

static stk_status read_text(stk_class_list *list, const char *text, stk_error *err)
{
    const char *path = stk_test_path("names.txt");
    stk_test_write_file(path, text, strlen(text));
    return stk_class_list_read(list, path, err);
}

STK_TEST(a_name_a_line_however_lines_end)
{
    stk_class_list list;
    stk_error      err;
    EXPECT_OK(read_text(&list, "cat\r\nsea sky\n\nlast", &err));
    EXPECT_INT_EQ(4, list.count);
    EXPECT_STR_EQ("cat", list.names[0]);
    EXPECT_STR_EQ("sea sky", list.names[1]);
    EXPECT_STR_EQ("", list.names[2]);
    EXPECT_STR_EQ("last", list.names[3]);
    stk_class_list_release(&list);
    EXPECT_OK(read_text(&list, "one\n", &err));
    EXPECT_INT_EQ(1, list.count);
    stk_class_list_release(&list);
    EXPECT_STATUS(STK_E_NOTFOUND, stk_class_list_read(&list, stk_test_path("none"), &err));
    EXPECT(!list.names);
}

STK_TEST(what_is_printed_is_read_again)
{
    char          *names[] = {"a \"b\"", "\xe7\x8c\xab\n"};
    stk_train_data data = {.classes = 2, .class_names = names};
    stk_class_list list;
    stk_error      err;
    stk_blob       text;
    stk_blob_init(&text, NULL, STK_MEMORY_OUTPUT);
    EXPECT_OK(stk_class_list_print(&data, 3, &text, &err));
    EXPECT_OK(stk_class_list_parse(&list, (const char *)text.data, "w", &err));
    EXPECT_INT_EQ(3, list.count);
    EXPECT_STR_EQ(names[0], list.names[0]);
    EXPECT_STR_EQ(names[1], list.names[1]);
    EXPECT_STR_EQ("class 2", list.names[2]);
    stk_class_list_release(&list);
    stk_blob_release(&text);
    EXPECT_STATUS(STK_E_FORMAT, stk_class_list_parse(&list, "[\"a\", 7]", "w", &err));
    EXPECT_CONTAINS("class 1 is no text", err.message);
    EXPECT_STATUS(STK_E_FORMAT, stk_class_list_parse(&list, "{}", "w", &err));
    EXPECT_STATUS(STK_E_FORMAT, stk_class_list_parse(&list, "[\"a\"", "w", &err));
    EXPECT(!list.names);
}

static stk_status make_all(void *context, stk_error *err)
{
    stk_class_list list;
    STK_TRY(stk_class_list_read(&list, context, err));
    stk_class_list_release(&list);
    STK_TRY(stk_class_list_parse(&list, "[\"a\",\"b\"]", "w", err));
    stk_class_list_release(&list);
    STK_TRY(stk_class_list_number(&list, 3, err));
    stk_class_list_release(&list);
    return STK_OK;
}

STK_TEST(lists_survive_failing_allocations)
{
    const char *path = stk_test_path("names.txt");
    stk_test_write_file(path, "a\nb\n", 4);
    stk_test_fail_each_allocation(make_all, (void *)path);
}

#include "../storage/source_support.h"
#include "base/threads.h"
#include "pipeline/element/spec.h"
#include "pipeline_support.h"

#include <unistd.h>

static stk_dataset *source_of(const char *path, const char *split)
{
    stk_error    err;
    stk_dataset *data;
    EXPECT_OK(stk_dataset_source(&data, NULL, path, NULL, split, &err));
    return data;
}

static const char *make_table(void)
{
    put("t/a.png", "first");
    put("t/b.png", "second");
    put("t/c.png", "third");
    return put("t/list.csv", "image_path,label,split,width\n"
                             "a.png,dog,train,640\n"
                             "b.png,cat,test,480\n"
                             "c.png,cat,train,320\n");
}

STK_TEST(fields_become_values_with_their_names)
{
    stk_test_watchdog(120);
    stk_dataset            *data = source_of(make_table(), NULL);
    const stk_element_spec *spec = stk_dataset_spec(data);
    EXPECT_INT_EQ(3, stk_dataset_cardinality(data));
    const int image = stk_element_spec_find(spec, "image");
    const int width = stk_element_spec_find(spec, "width");
    EXPECT(image >= 0 && width >= 0);
    EXPECT_INT_EQ(STK_DTYPE_BYTES, spec->values[image].dtype);
    EXPECT_INT_EQ(STK_DTYPE_I64, spec->values[width].dtype);
    stk_error    err;
    stk_element *element;
    EXPECT_OK(stk_dataset_at(data, 2, &element, &err));
    EXPECT_OK(stk_spec_check(spec, element, "source", &err));
    const stk_bytes *bytes = stk_value_data(stk_element_value(element, (size_t)image));
    EXPECT_MEM_EQ("third", bytes->data, 5);
    EXPECT_INT_EQ(320, *(const int64_t *)stk_value_data(stk_element_value(element, (size_t)width)));
    EXPECT_INT_EQ(2, stk_element_origin(element)->index);
    EXPECT(stk_element_origin(element)->file != NULL);
    stk_element_unref(element);
    EXPECT_STATUS(STK_E_RANGE, stk_dataset_at(data, 3, &element, &err));
    EXPECT_CONTAINS("item 3 was asked for; there are 3", err.message);
    stk_dataset_unref(data);
}

static stk_status keep_width(void *column, const stk_call *call, stk_element **element,
                             stk_error *err)
{
    (void)call;
    const int64_t width =
        *(const int64_t *)stk_value_data(stk_element_value(*element, (size_t)(uintptr_t)column));
    stk_element *result;
    STK_TRY(stk_element_new(&result, 1, err));
    stk_value_i64(stk_element_edit(result, 0), width);
    stk_element_unref(*element);
    *element = result;
    return STK_OK;
}

static stk_dataset *widths_of(const char *split)
{
    stk_dataset *data = source_of(make_table(), split);
    const int    column = stk_element_spec_find(stk_dataset_spec(data), "width");
    APPLY(data, map, stk_test_map("width", keep_width, (void *)(uintptr_t)column, 0), NULL);
    return data;
}

STK_TEST(items_come_in_order_and_by_split)
{
    EXPECT_GIVES("640 480 320 .", widths_of(NULL));
    EXPECT_GIVES("640 320 .", widths_of("train"));
    EXPECT_GIVES("480 .", widths_of("test"));
}

STK_TEST(a_split_that_is_not_there_is_told_with_those_that_are)
{
    stk_error    err;
    stk_dataset *data;
    EXPECT_STATUS(STK_E_INVALID,
                  stk_dataset_source(&data, NULL, make_table(), NULL, "validation", &err));
    EXPECT_CONTAINS("no split \"validation\"; the splits are \"test\", \"train\"", err.message);
}

STK_TEST(an_item_that_is_gone_is_an_error_in_its_place)
{
    stk_dataset *data = widths_of(NULL);
    EXPECT_INT_EQ(0, unlink(stk_test_path("t/b.png")));
    EXPECT_GIVES("640 !not_found 320 .", data);
}

STK_TEST(splits_and_paths_are_other_pipelines)
{
    stk_dataset *all = source_of(make_table(), NULL), *train = source_of(make_table(), "train");
    EXPECT(stk_dataset_fingerprint(all) != stk_dataset_fingerprint(train));
    stk_dataset_unref(all);
    stk_dataset_unref(train);
}

typedef struct asker {
    stk_dataset *data;
    int          wrong;
    stk_thread   thread;
} asker;

static void *ask(void *context)
{
    asker *a = context;
    for (unsigned i = 0; i < 200; i++) {
        stk_error    err;
        stk_element *element;
        if (stk_dataset_at(a->data, i % 3, &element, &err))
            a->wrong++;
        else
            stk_element_unref(element);
    }
    return NULL;
}

STK_TEST(many_threads_may_ask_each_with_a_cursor)
{
    stk_error    err;
    stk_dataset *data = source_of(make_table(), NULL);
    asker        askers[4];
    for (int i = 0; i < 4; i++) {
        askers[i] = (asker){.data = data};
        EXPECT_OK(stk_thread_start(&askers[i].thread, "ask", ask, &askers[i], &err));
    }
    for (int i = 0; i < 4; i++) {
        stk_thread_join(&askers[i].thread);
        EXPECT_INT_EQ(0, askers[i].wrong);
    }
    stk_dataset_unref(data);
}

static stk_status build(void *path, stk_error *err)
{
    stk_dataset *data = NULL;
    stk_element *element = NULL;
    stk_status   st = stk_dataset_source(&data, NULL, path, "csv", "train", err);
    if (!st) st = stk_dataset_at(data, 1, &element, err);
    if (!st) stk_element_unref(element);
    stk_dataset_unref(data);
    return st;
}

STK_TEST(failed_allocations_are_clean)
{
    stk_test_fail_each_allocation(build, (void *)(uintptr_t)make_table());
}

/* Long values keep what the source read; short ones are copied. Each stays as it is while others
 * are read, and the ledger holds it once. */
STK_TEST(long_values_are_not_copied_and_outlive_the_next_read)
{
    enum { SIZE = 200000, COUNT = 3 };
    static char  content[SIZE + 1];
    stk_error    err;
    stk_ledger  *ledger;
    stk_element *elements[COUNT];
    const char  *names[COUNT] = {"long/x/a.png", "long/x/b.png", "long/x/c.png"};
    for (int i = 0; i < COUNT; i++) {
        memset(content, 'a' + i, SIZE);
        put(names[i], content);
    }
    stk_dataset *data = source_of(stk_test_path("long"), NULL);
    EXPECT_OK(stk_ledger_new(&ledger, UINT64_C(1) << 30, &err));
    const stk_iterator_options options = {.threads = 1, .ledger = ledger};
    stk_iterator              *it;
    EXPECT_OK(stk_iterator_start(&it, data, &options, &err));
    for (int i = 0; i < COUNT; i++)
        EXPECT_OK(stk_iterator_next(it, &elements[i], &err));
    for (int i = 0; i < COUNT; i++) {
        const stk_bytes *bytes = stk_value_data(stk_element_value(elements[i], 0));
        EXPECT_INT_EQ(SIZE, bytes->size);
        EXPECT(bytes->data[0] == 'a' + i && bytes->data[SIZE - 1] == 'a' + i);
    }
    stk_ledger_report report;
    stk_ledger_read(ledger, &report);
    EXPECT(report.lines[STK_MEMORY_RECORD].bytes >= COUNT * SIZE);
    EXPECT(report.lines[STK_MEMORY_RECORD].peak_bytes < (COUNT + 1) * SIZE);
    stk_iterator_free(it);
    stk_dataset_unref(data);
    for (int i = 0; i < COUNT; i++)
        stk_element_unref(elements[i]);
    stk_ledger_read(ledger, &report);
    EXPECT_INT_EQ(0, report.lines[STK_MEMORY_RECORD].bytes);
    stk_ledger_unref(ledger);
}

/* Every recipe in docs/pipeline/ is read, and run where it begins with a source. */
#include "pipeline_support.h"

#include <dirent.h>
#include <stdio.h>
#include <stoker/recipe.h>
#include <stoker/tfrecord.h>
#include <string.h>

#define PAGES STK_TEST_DATA "/../../docs/pipeline"

static void write_files(void)
{
    static const char *const records[] = {"demo-0.tfrecord", "demo-1.tfrecord", "train-0.tfrecord"};
    static const char        table[] = "image_path,label,split,width\na.png,dog,train,640\n"
                                       "b.png,cat,test,480\nc.png,cat,train,320\n";
    for (size_t i = 0; i < COUNT_OF(records); i++)
        stk_test_write_file(stk_test_path(records[i]), "", 0);
    stk_test_write_file(stk_test_path("demo.bin"), "HHabcdefF", 9);
    stk_test_write_file(stk_test_path("demo.txt"), "1\n2\n3\n", 6);
    stk_test_write_file(stk_test_path("table.csv"), table, sizeof table - 1);
    for (char name[] = "a.png"; name[0] <= 'c'; name[0]++)
        stk_test_write_file(stk_test_path(name), "\x89PNG\r\n\x1a\n", 8);
}

static bool begins_with_source(const char *block)
{
    for (size_t i = 0;; i++) {
        const stk_recipe_entry *entry = stk_recipe_operator_at(i);
        if (!entry) return false;
        const size_t length = strlen(entry->name);
        if (entry->role != STK_RECIPE_STAGE && strncmp(block + 2, entry->name, length) == 0 &&
            strchr(":\n", block[2 + length]))
            return true;
    }
}

/* A stage by itself is put on vectors of 1, 2, 3, ... numbers, which suit all of them. */
static void try_block(const char *page, const char *block, size_t size)
{
    static const char vectors[] = "- range: {start: 1, stop: 5}\n- map: fill\n";
    char              text[4096];
    stk_error         err;
    stk_dataset      *data;
    const bool        whole = begins_with_source(block);
    const int         length =
        snprintf(text, sizeof text, "data:\n%s%.*s", whole ? "" : vectors, (int)size, block);
    EXPECT(length > 0 && length < (int)sizeof text);
    const stk_recipe_options options = {.folder = stk_test_folder()};
    EXPECT_OK(stk_recipe_read(&data, stk_bytes_of(text, (size_t)length), page, &options, &err));
    if (whole) {
        stk_iterator *it;
        stk_element  *element;
        EXPECT_OK(stk_iterator_start(&it, data, NULL, &err));
        EXPECT_OK(stk_iterator_next(it, &element, &err));
        stk_element_unref(element);
        stk_iterator_free(it);
    }
    stk_dataset_unref(data);
}

static int try_page(const char *name)
{
    static const char begin[] = "```yaml\n";
    char              path[512], text[65536];
    int               blocks = 0;
    snprintf(path, sizeof path, PAGES "/%s", name);
    const stk_bytes page = stk_test_read_file(path);
    EXPECT(page.size < sizeof text);
    memcpy(text, page.data, page.size);
    text[page.size] = 0;
    for (const char *at = text; (at = strstr(at, begin)); blocks++) {
        at += strlen(begin);
        const char *end = strstr(at, "```");
        EXPECT(end);
        try_block(name, at, (size_t)(end - at));
        at = end + 3;
    }
    return blocks;
}

STK_TEST(every_recipe_of_the_pages_can_be_read_and_runs)
{
    stk_test_watchdog(60);
    write_files();
    DIR *pages = opendir(PAGES);
    EXPECT(pages);
    int blocks = 0;
    for (const struct dirent *entry; (entry = readdir(pages));)
        if (strstr(entry->d_name, ".md")) blocks += try_page(entry->d_name);
    closedir(pages);
    EXPECT(blocks >= 35);
}

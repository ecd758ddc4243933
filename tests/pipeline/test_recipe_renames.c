#include "pipeline_support.h"

#include <stdio.h>
#include <stoker/recipe.h>

/* What was reported, one line each. */
typedef struct notes {
    char text[1024];
} notes;

static void note(void *context, const char *text)
{
    notes       *n = context;
    const size_t used = strlen(n->text);
    snprintf(n->text + used, sizeof n->text - used, "%s\n", text);
}

static stk_status read_noting(stk_dataset **out, const char *yaml, notes *n, stk_error *err)
{
    *n = (notes){""};
    const stk_recipe_options options = {
        .folder = stk_test_path(""), .note = note, .note_context = n};
    return stk_recipe_read(out, stk_bytes_text(yaml), "recipe.yaml", &options, err);
}

static void expect_note(const char *yaml, const char *text)
{
    stk_dataset *data;
    stk_error    err;
    notes        n;
    EXPECT_OK(read_noting(&data, yaml, &n, &err));
    EXPECT_STR_EQ(text, n.text);
    stk_dataset_unref(data);
}

STK_TEST(former_keys_and_words_of_recipes_work_and_are_reported)
{
    stk_test_watchdog(60);
    stk_test_write_file(stk_test_path("file"), "any", 3);
    expect_note("data:\n- range: 9\n- quarantine: {file: q,\n    most_rate: 0.5, least: 3}\n",
                "quarantine.most_rate is now called quarantine.max_rate\n"
                "quarantine.least is now called quarantine.min_elements\n");
    expect_note("data:\n- files: '*'\n- map: read_file\n"
                "- map: {decode_image: {most_side: 9, most_pixels: 80}}\n",
                "decode_image.most_side is now called decode_image.max_side\n"
                "decode_image.most_pixels is now called decode_image.max_pixels\n");
    expect_note("data:\n- fixed: {paths: [a], record_bytes: 2}\n",
                "fixed is now called fixed_length_records\n");
    expect_note("data:\n- range: 9\n- options: {passes_off: [noop, isolate]}\n",
                "options.passes_off.isolate is now called "
                "options.passes_off.io_prefetch\n");
}

STK_TEST(names_of_today_are_not_reported)
{
    stk_test_write_file(stk_test_path("file"), "any", 3);
    expect_note("data:\n- range: 9\n- quarantine: {file: q, max_rate: 0.5, min_elements: 3}\n"
                "- options: {passes_off: [noop, io_prefetch]}\n",
                "");
    expect_note("data:\n- files: '*'\n- map: read_file\n"
                "- map: {decode_image: {max_side: 9, max_pixels: 80}}\n",
                "");
    expect_note("data:\n- fixed_length_records: {paths: [a], record_bytes: 2}\n", "");
}

STK_TEST(both_names_of_one_key_are_refused)
{
    static const struct {
        const char *yaml, *message;
    } cases[] = {
        {"data:\n- range: 9\n- quarantine: {file: q, most_rate: 0.5, max_rate: 0.5}\n",
         "max_rate is given twice; most_rate is its former name"},
        {"data:\n- range: 9\n- quarantine: {file: q, min_elements: 1, least: 1}\n",
         "min_elements is given twice; least is its former name"},
        {"data:\n- range: 9\n- options: {passes_off: [io_prefetch, isolate]}\n",
         "io_prefetch is given twice; isolate is its former name"},
        {"data:\n- range: 9\n- options: {passes_off: [isolate, io_prefetch]}\n",
         "io_prefetch is given twice; isolate is its former name"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        stk_dataset *data;
        stk_error    err;
        notes        n;
        EXPECT_STATUS(STK_E_INVALID, read_noting(&data, cases[i].yaml, &n, &err));
        EXPECT_CONTAINS(cases[i].message, err.message);
        EXPECT(!data);
    }
}

STK_TEST(a_former_name_needs_nobody_who_listens)
{
    stk_dataset *data;
    stk_error    err;
    EXPECT_OK(stk_recipe_read(
        &data, stk_bytes_text("data:\n- range: 3\n- quarantine: {file: q, least: 1}\n"), "r.yaml",
        NULL, &err));
    EXPECT_GIVES("0 1 2 .", data);
}

/* Saved behind the first batch of this recipe by the release whose operators were called fixed and
 * apply. Positions, buffered records and the order of a shuffle depend on those names. */
static const uint8_t saved_before[] = {
    0x53, 0x54, 0x4b, 0x50, 0x01, 0xc2, 0xf0, 0xd4, 0xe9, 0x91, 0x89, 0x9d, 0xa1, 0xd4, 0x01, 0x07,
    0x00, 0x01, 0xec, 0xdf, 0x02, 0x00, 0x01, 0x00, 0x1e, 0xcc, 0x58, 0x00, 0x00, 0xe0, 0xcd, 0x01,
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x10, 0xdb, 0x4c, 0x00, 0x00, 0x00, 0x08, 0x9b, 0xb6, 0x02,
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x01, 0x00, 0x79, 0x71, 0xc3, 0x02};

STK_TEST(a_checkpoint_outlasts_new_names_of_operators)
{
    static const char letters[] = "aabbccddeeffgghhiijjkkll";
    stk_dataset      *data;
    stk_iterator     *it;
    stk_element      *element;
    stk_error         err;
    notes             n;
    stk_blob          text;
    stk_test_write_file(stk_test_path("letters.bin"), letters, sizeof letters - 1);
    EXPECT_OK(read_noting(&data,
                          "data:\n- fixed_length_records: {paths: letters.bin, record_bytes: 2}\n"
                          "- map: {rename: [letters]}\n- shuffle: {buffer: 5}\n- batch: 3\n",
                          &n, &err));
    EXPECT_OK(
        stk_iterator_start(&it, data, &(stk_iterator_options){.threads = 2, .seed = 7}, &err));
    EXPECT_OK(stk_iterator_restore(it, stk_bytes_of(saved_before, sizeof saved_before), &err));
    stk_blob_init(&text, NULL, STK_MEMORY_OUTPUT);
    for (;;) {
        EXPECT_OK(stk_iterator_next(it, &element, &err));
        if (!element) break;
        const stk_bytes *records = stk_value_data(stk_element_value(element, 0));
        for (int i = 0; i < 3; i++)
            EXPECT_OK(stk_blob_append(&text, records[i].data, records[i].size, &err));
        stk_element_unref(element);
    }
    EXPECT_OK(stk_blob_append(&text, "", 1, &err));
    EXPECT_STR_EQ("ggiijjhhffllbbkkcc", (const char *)text.data);
    stk_blob_release(&text);
    stk_iterator_free(it);
    stk_dataset_unref(data);
}

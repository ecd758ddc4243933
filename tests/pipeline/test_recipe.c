#include "pipeline_support.h"

#include <stdio.h>
#include <stdlib.h>

/* The dataset of a recipe whose section data is given line by line. */
static stk_dataset *made(const char *data)
{
    char         yaml[4096];
    stk_dataset *dataset;
    stk_error    err;
    snprintf(yaml, sizeof yaml, "data:\n%s", data);
    EXPECT_OK(stk_recipe_read(&dataset, stk_bytes_text(yaml), "recipe.yaml", NULL, &err));
    return dataset;
}

/* That a whole recipe is refused, and how. */
static void refused_bytes(stk_bytes yaml, stk_status status, const char *where, const char *message)
{
    stk_dataset *dataset = (stk_dataset *)1;
    stk_error    err = {0};
    EXPECT_STATUS(status, stk_recipe_read(&dataset, yaml, "recipe.yaml", NULL, &err));
    EXPECT(!dataset);
    EXPECT_STR_EQ(where, err.where);
    EXPECT_CONTAINS(message, err.message);
}

static void refused(const char *yaml, const char *where, const char *message)
{
    refused_bytes(stk_bytes_text(yaml), STK_E_INVALID, where, message);
}

static void no_yaml(const char *yaml, const char *where, const char *message)
{
    refused_bytes(stk_bytes_text(yaml), STK_E_FORMAT, where, message);
}

STK_TEST(a_recipe_is_a_list_of_stages)
{
    stk_test_watchdog(120);
    EXPECT_GIVES("[3 6 9] .", made("  - range: {stop: 10}\n"
                                   "  - map: {add: 1}\n"
                                   "  - filter: {modulo: 3, equals: 0}\n"
                                   "  - batch: {size: 4}\n"
                                   "  - prefetch\n"));
}

STK_TEST(the_first_parameter_may_stand_alone)
{
    EXPECT_GIVES("0 1 2 0 1 2 .", made("- range: 3\n- repeat: 2\n- prefetch: 1\n"));
    EXPECT_GIVES("[0 1] [2 3] .", made("- range: 5\n- take: 4\n- batch: 2\n"));
    EXPECT_GIVES("3 4 .", made("- range: 5\n- skip: 3\n"));
}

STK_TEST(numbers_may_be_grouped_and_words_stand_for_numbers)
{
    EXPECT_GIVES("1000 1001 .", made("- range: {start: 1_000, stop: 1_002}\n- take: all\n"));
    stk_dataset *data = made("- range: 2\n- repeat\n");
    EXPECT_INT_EQ(STK_CARDINALITY_INFINITE, stk_dataset_cardinality(data));
    stk_dataset_unref(data);
}

STK_TEST(functions_take_their_arguments)
{
    EXPECT_GIVES("(1 5) (2 6) .", made("- range: {start: 5, stop: 7}\n- enumerate\n"
                                       "- map: {rename: [number, x]}\n"
                                       "- map: {add: {number: 1, value: number}}\n"
                                       "- map: identity\n"));
    EXPECT_GIVES("(5 0 5) (6 1 6) .", made("- range: {start: 5, stop: 7}\n- enumerate\n"
                                           "- map: {rename: {names: [number, x]}}\n"
                                           "- map: {select: [x, number, 1]}\n"));
    EXPECT_GIVES("0 1 .", made("- range: 2\n- map: {random_uniform: {low: -1, high: 1}}\n"
                               "- map: {select: {values: [0]}, parallel: 2, order: exact}\n"
                               "- map: {function: {cast: {dtype: float64, value: 0}}}\n"));
}

STK_TEST(every_arithmetic_and_text_function_is_there)
{
    EXPECT_GIVES("'-2' '-1' .", made("- range: 2\n- map: {multiply: 3}\n- map: {subtract: 4}\n"
                                     "- map: {floor_divide: 2}\n- map: {to_text}\n"));
    EXPECT_GIVES("7 7 .", made("- range: 2\n- map: {to_text: 0}\n- map: parse_number\n"
                               "- map: {minimum: 7}\n- map: {maximum: 7}\n"));
    EXPECT_GIVES("[] [1] [2 2] .", made("- range: 3\n- map: fill\n- map: check_finite\n"));
    EXPECT_GIVES("1 0 1 .", made("- range: {start: -1, stop: 2}\n- map: {modulo: 2}\n"));
    EXPECT_GIVES("[97 98] .", made("- elements: [ab]\n- map: {decode_raw: uint8}\n"));
}

STK_TEST(comparisons_filter_and_end)
{
    EXPECT_GIVES("0 1 .", made("- range: 9\n- take_while: {less_than: 2}\n"));
    EXPECT_GIVES("0 1 2 .", made("- range: 9\n- take_while: {at_most: 2}\n"));
    EXPECT_GIVES("3 .", made("- range: 4\n- filter: {more_than: 2}\n"));
    EXPECT_GIVES("2 3 .", made("- range: 4\n- filter: {at_least: 1.5}\n"));
    EXPECT_GIVES("0 2 3 .", made("- range: 4\n- filter: {differs_from: 1}\n"));
    EXPECT_GIVES("(1 6) .",
                 made("- range: {start: 5, stop: 8}\n- enumerate\n"
                      "- map: {rename: [number, x]}\n- filter: {value: x, equals: 6}\n"));
}

STK_TEST(constants_are_numbers_texts_and_lists)
{
    EXPECT_GIVES("([1 2] ['a' 'b'] true 0.5) .", made("- tensors: [[1, 2], [a, b], true, 0.5]\n"));
    EXPECT_GIVES("(1 'a') (2 'b') .", made("- slices:\n    values:\n    - [1, 2]\n    - [a, b]\n"));
    EXPECT_GIVES("[[1 2][3 4]] .", made("- elements: [[[1, 2], [3, 4]]]\n"));
    EXPECT_GIVES("(1 '2') (3 '4') .",
                 made("- elements: [{values: [1, \"2\"]}, {values: [3, '4']}]\n"));
    stk_dataset *data = made("- tensors: [{dtype: uint8, data: [1, 255]}]\n");
    EXPECT_INT_EQ(STK_DTYPE_U8, stk_dataset_spec(data)->values[0].dtype);
    EXPECT_GIVES("[1 255] .", data);
    EXPECT_GIVES("[1 2.5] .", made("- tensors: [[1, 2.5]]\n"));
    EXPECT_GIVES("[] .", made("- tensors: [[]]\n"));
}

STK_TEST(inputs_are_lists_of_stages)
{
    EXPECT_GIVES("(0 5) (1 6) .", made("- zip:\n"
                                       "    inputs:\n"
                                       "    - [range: 2]\n"
                                       "    - - range: {start: 5, stop: 9}\n"));
    EXPECT_GIVES("(0 1) (1 2) .", made("- range: 2\n- zip: [[{range: 2}, {map: {add: 1}}]]\n"));
    EXPECT_GIVES("0 1 0 0 1 2 .", made("- concatenate: [[range: 2], [range: 1], [range: 3]]\n"));
    EXPECT_GIVES("0 0 1 1 2 .", made("- choose_from:\n"
                                     "    inputs: [[range: 2], [range: 3]]\n"
                                     "    choices: [{elements: [0, 1, 1, 0, 1]}]\n"));
    EXPECT_GIVES("0 1 2 .",
                 made("- sample_from: {inputs: [[range: 3], [range: 9]], weights: [1, 0], "
                      "stop_on_empty: true, seed: 3}\n"));
}

STK_TEST(inner_pipelines_are_stages_on_a_dataset)
{
    EXPECT_GIVES("[0 1 2] [3 4 5] [6] .",
                 made("- range: 7\n- window: 3\n- flat_map: {flatten, then: [{batch: 3}]}\n"));
    EXPECT_GIVES("[0 0 0 0] [1 1 1 1] [0 0 0] [1] .",
                 made("- elements: [0, 0, 0, 0, 1, 1, 1, 1, 1, 0, 0, 0]\n"
                      "- group_by_window: {key: {modulo: 3}, size: 4, reduce: [{batch: 4}]}\n"));
    EXPECT_GIVES("1 2 2 3 3 3 .", made("- range: {start: 1, stop: 4}\n- flat_map: copies\n"));
    EXPECT_GIVES("0 0 0 1 1 2 .",
                 made("- elements: [1, 2, 3]\n- interleave: {range_to, cycle: 3, block: 1}\n"));
    EXPECT_GIVES("0 0 10 0 10 20 .", made("- elements: [1, 2, 3]\n"
                                          "- flat_map:\n"
                                          "    range_to:\n"
                                          "    then:\n"
                                          "    - map: {multiply: 10}\n"));
    EXPECT_GIVES("1 2 3 .", made("- tensors: [[1, 2, 3]]\n- flat_map: slices\n"));
}

STK_TEST(values_of_inner_pipelines_have_names_too)
{
    EXPECT_GIVES("[6 7] [8] .", made("- range: {start: 5, stop: 8}\n- enumerate\n- window: 2\n"
                                     "- flat_map: {flatten, then: [{map: {rename: [n, x]}}, "
                                     "{map: {select: [x]}}, {map: {add: 1}}, {batch: 2}]}\n"));
}

STK_TEST(scans_begin_with_a_zero_of_the_right_type)
{
    EXPECT_GIVES("1 3 6 .", made("- elements: [1, 2, 3]\n- scan: running_sum\n"));
    EXPECT_GIVES("0.5 2 .", made("- elements: [0.5, 1.5]\n- scan: running_sum\n"));
    EXPECT_GIVES("11 13 .", made("- elements: [1, 2]\n- scan: {running_sum, initial: [10]}\n"));
    EXPECT_GIVES("1 2 .", made("- elements: [a, b]\n- scan: count\n"));
}

STK_TEST(batches_of_every_kind)
{
    EXPECT_GIVES("[[1 9][2 2]] [[3 3 3 9][4 4 4 4]] .",
                 made("- range: {start: 1, stop: 5}\n- map: fill\n"
                      "- padded_batch: {size: 2, padding: [9]}\n"));
    EXPECT_GIVES("[[1 0 0][2 2 0]] .", made("- range: {start: 1, stop: 3}\n- map: fill\n"
                                            "- padded_batch: {size: 2, shapes: [[3]]}\n"));
    EXPECT_GIVES("{[1][2 2]} .", made("- range: {start: 1, stop: 3}\n- map: fill\n"
                                      "- ragged_batch: 2\n"));
    EXPECT_GIVES("[0 1] [2] [3] .", made("- range: 4\n- batch: 4\n- rebatch: [2, 1]\n"));
    EXPECT_GIVES("0 1 2 .", made("- range: 3\n- batch: 2\n- unbatch\n"));
    EXPECT_GIVES("sparse[2,2]{(0,0)1 (1,0)2 (1,1)2} .",
                 made("- range: {start: 1, stop: 3}\n- map: fill\n"
                      "- sparse_batch: {size: 2, row_shape: [2]}\n"));
    EXPECT_GIVES("[[1 0][2 2]] [[3 3 3][3 3 3]] .",
                 made("- elements: [1, 3, 2, 3]\n- map: fill\n"
                      "- bucket_by_length: {boundaries: [3], batch_sizes: [2, 2]}\n"));
}

STK_TEST(order_and_errors_have_their_stages)
{
    EXPECT_GIVES("0 1 2 .", made("- range: 3\n- shuffle: {buffer: 1, seed: 7}\n- cache\n"
                                 "- ignore_errors: {log_warning: true}\n- unique\n"
                                 "- shard: {shards: 1, index: 0}\n"
                                 "- options: {order: relaxed, passes_off: [noop]}\n"));
    EXPECT_GIVES("[1 5] [9] .", made("- range: 12\n- batch: 2\n"
                                     "- autoshard: {mode: auto, workers: 4, index: 1}\n"));
    EXPECT_GIVES("0 1 .", made("- range: 2\n- autoshard: {mode: off, workers: 2, index: 1}\n"));
    stk_dataset *data = made("- range: 9\n- global_shuffle: {seed: 3, same_each_epoch: true}\n");
    EXPECT_INT_EQ(9, stk_dataset_cardinality(data));
    stk_dataset_unref(data);
    data = made("- range: 9\n- shuffle: whole\n- rejection_resample: {class_of: {modulo: 2}, "
                "target: [0.5, 0.5], initial: [0.5, 0.5], seed: 1}\n");
    stk_dataset_unref(data);
}

/* Files. */

static void write_text(const char *name, const char *content)
{
    stk_test_write_file(stk_test_path(name), content, strlen(content));
}

static stk_dataset *loaded(const char *name)
{
    stk_dataset *data;
    stk_error    err;
    EXPECT_OK(stk_recipe_load(&data, stk_test_path(name), NULL, &err));
    return data;
}

STK_TEST(paths_begin_in_the_recipes_folder)
{
    write_text("lines.txt", "one\ntwo\n");
    write_text("other.txt", "three\n");
    write_text("lines.yaml", "data:\n- text: [lines.txt, other.txt]\n");
    EXPECT_GIVES("'one' 'two' 'three' .", loaded("lines.yaml"));
    write_text("list.txt", "lines.txt\nother.txt\n");
    write_text("read.yaml", "data:\n- text: list.txt\n- map: read_file\n");
    EXPECT_GIVES("'one\ntwo\n' 'three\n' .", loaded("read.yaml"));
    write_text("inner.yaml", "data:\n- text: list.txt\n- interleave: {text, cycle: 2}\n");
    EXPECT_GIVES("'one' 'three' 'two' .", loaded("inner.yaml"));
    write_text("fixed.yaml",
               "data:\n- fixed_length_records: {paths: lines.txt, record_bytes: 4}\n");
    EXPECT_GIVES("'one\n' 'two\n' .", loaded("fixed.yaml"));
}

STK_TEST(examples_are_parsed_by_their_features)
{
    const int64_t    label = 7;
    const stk_bytes  image = stk_bytes_text("pixels");
    const stk_field  fields[] = {{"image", STK_DTYPE_BYTES, stk_shape_scalar(), &image, 1},
                                 {"label", STK_DTYPE_I64, stk_shape_scalar(), &label, 1}};
    const stk_sample sample = {.fields = fields, .field_count = 2};
    stk_error        err;
    stk_blob         blob;
    stk_blob_init(&blob, NULL, STK_MEMORY_INDEX);
    EXPECT_OK(stk_example_write(&blob, &sample, &err));
    stk_tfrecord_writer *writer;
    EXPECT_OK(stk_tfrecord_writer_open(&writer, NULL, stk_test_path("one.tfrecord"), NULL, &err));
    EXPECT_OK(stk_tfrecord_writer_write(writer, stk_blob_bytes(&blob), &err));
    EXPECT_OK(stk_tfrecord_writer_commit(writer, &err));
    stk_tfrecord_writer_free(writer);
    stk_blob_release(&blob);
    write_text("example.yaml", "model: {anything: [1, 2]}\n"
                               "data:\n"
                               "- tfrecord: one.tfrecord\n"
                               "- map:\n"
                               "    parse_example:\n"
                               "      features:\n"
                               "        image: bytes\n"
                               "        label: int64\n"
                               "        mask: {dtype: bytes, default: none}\n"
                               "        weights: {dtype: float32, shape: [2], default: [1, 2]}\n"
                               "        tags: {dtype: bytes, kind: varlen}\n"
                               "        rows: {dtype: int64, kind: padded, shape: [2]}\n"
                               "- map: {add: {number: 1, value: label}}\n"
                               "train: {steps: 3}\n");
    EXPECT_GIVES("('pixels' 8 'none' [1 2] [] []) .", loaded("example.yaml"));
    write_text("names.yaml", "data:\n- files: '*.tfrecord'\n- flat_map: {tfrecord: {damage: "
                             "resync}}\n- take: 0\n");
    EXPECT_GIVES(".", loaded("names.yaml"));
}

/* A recipe of the folder recipes/, with data that the test has made. */
static stk_dataset *example_recipe(const char *name)
{
    char         path[4096], folder[4096];
    stk_dataset *data;
    stk_error    err;
    snprintf(path, sizeof path, STK_TEST_DATA "/../../recipes/%s", name);
    snprintf(folder, sizeof folder, "%s", stk_test_path(""));
    const stk_recipe_options options = {.folder = folder};
    EXPECT_OK(stk_recipe_load(&data, path, &options, &err));
    return data;
}

STK_TEST(the_example_for_text_lines_works)
{
    write_text("numbers.txt", "1\n3\nmany\n6\n-9\n10\n12\n15\n");
    EXPECT_GIVES("[6 12 -18 24] [30] .", example_recipe("text_lines.yaml"));
}

static void make_folder(const char *name)
{
    stk_error err;
    EXPECT_OK(stk_path_make_directory(NULL, stk_test_path(name), &err));
}

STK_TEST(the_example_for_a_folder_of_images_works)
{
    make_folder("images");
    make_folder("images/cat");
    make_folder("images/dog");
    write_text("images/cat/a.jpg", "a");
    write_text("images/dog/b.jpg", "b");
    stk_dataset               *data = example_recipe("image_folder.yaml");
    const stk_iterator_options options = {.threads = 1, .seed = 7};
    EXPECT_CONTAINS("'a'", stk_test_run(data, &options, 0));
    EXPECT_CONTAINS("'b'", stk_test_run(data, &options, 0));
    EXPECT(stk_element_spec_find(stk_dataset_spec(data), "image") >= 0);
    EXPECT(stk_element_spec_find(stk_dataset_spec(data), "label") >= 0);
    stk_dataset_unref(data);
}

STK_TEST(the_example_for_records_works)
{
    make_folder("cifar10");
    stk_tfrecord_writer *writer;
    stk_error            err;
    EXPECT_OK(stk_tfrecord_writer_open(
        &writer, NULL, stk_test_path("cifar10/cifar10-train.tfrecord-00000-of-00001"), NULL, &err));
    for (int64_t i = 0; i < 300; i++) {
        const stk_bytes  image = stk_bytes_text("pixels");
        const stk_field  fields[] = {{"image", STK_DTYPE_BYTES, stk_shape_scalar(), &image, 1},
                                     {"label", STK_DTYPE_I64, stk_shape_scalar(), &i, 1}};
        const stk_sample sample = {.fields = fields, .field_count = 2};
        stk_blob         blob;
        stk_blob_init(&blob, NULL, STK_MEMORY_INDEX);
        EXPECT_OK(stk_example_write(&blob, &sample, &err));
        EXPECT_OK(stk_tfrecord_writer_write(writer, stk_blob_bytes(&blob), &err));
        stk_blob_release(&blob);
    }
    EXPECT_OK(stk_tfrecord_writer_commit(writer, &err));
    stk_tfrecord_writer_free(writer);
    stk_dataset *data = example_recipe("cifar10_records.yaml");
    EXPECT_INT_EQ(256, stk_dataset_spec(data)->values[1].shape.dim[0]);
    EXPECT_CONTAINS("(['pixels' ", stk_test_run(data, NULL, 3));
    stk_dataset_unref(data);
}

STK_TEST(a_missing_recipe_is_named)
{
    stk_dataset *data;
    stk_error    err;
    EXPECT_STATUS(STK_E_NOTFOUND, stk_recipe_load(&data, stk_test_path("gone.yaml"), NULL, &err));
    EXPECT_CONTAINS("gone.yaml", err.where);
    EXPECT(!data);
}

/* Refusals. */

STK_TEST(what_is_no_yaml_is_said_with_its_line)
{
    refused("", "recipe.yaml:1", "the recipe is empty; it needs a section `data:`");
    refused("# nothing\n", "recipe.yaml:1", "empty");
    refused("---\n", "recipe.yaml:1", "empty");
    refused("- range: 3\n", "recipe.yaml:1", "a recipe is a mapping with a section `data:`");
    refused("model: {a: 1}\n", "recipe.yaml:1: data", "the recipe has no section `data:`");
    no_yaml("data:\n- range: {stop: 3\n- map: x\n", "recipe.yaml:3", "this is no YAML: ");
    no_yaml("data:\n\t- range: 3\n", "recipe.yaml:2", "indented with a tab; YAML wants blanks");
    no_yaml("data:\n- range: 3\n---\ndata: []\n", "recipe.yaml:3", "a second document");
    no_yaml("data:\n- range: 3\ndata:\n- range: 4\n", "recipe.yaml:3: data",
            "stands twice, first in line 1");
    no_yaml("data:\n- range: {stop: 3, stop: 4}\n", "recipe.yaml:2: stop", "stands twice");
    no_yaml("data:\n- range: \"caf\xe9\"\n", "recipe.yaml:2", "0xe9 at offset 19 is not UTF-8");
    no_yaml("data:\n- ? [a]\n  : b\n", "recipe.yaml:2", "a key must be a single word");
    refused_bytes(stk_bytes_of("data:\n- \0\n", 10), STK_E_FORMAT, "recipe.yaml:2",
                  "this is no YAML: control characters");
    refused_bytes(stk_bytes_of("\xff\xfe-\0", 4), STK_E_FORMAT, "recipe.yaml:1", "not UTF-8");
}

STK_TEST(anchors_aliases_and_tags_are_refused_in_data_and_left_alone_elsewhere)
{
    no_yaml("data: &all\n- range: 3\n", "recipe.yaml:1", "&all: anchors, aliases and tags");
    no_yaml("model: &m {a: 1}\ndata: *m\n", "recipe.yaml:2", "*m: anchors, aliases");
    no_yaml("data:\n- range: !!int 3\n", "recipe.yaml:2", "tags are not supported");
    stk_dataset *data;
    stk_error    err;
    EXPECT_OK(stk_recipe_read(&data,
                              stk_bytes_text("model: &m {a: !x 1}\ntrain: [*m, *m]\n"
                                             "data: [range: 2]\n? [odd, key]\n: 1\n"),
                              "recipe.yaml", NULL, &err));
    EXPECT_GIVES("0 1 .", data);
    /* Laughs stay what they are: text that nobody looks at. */
    no_yaml("a: &a [x, x]\nb: &b [*a, *a]\nc: &c [*b, *b]\ndata: [*c]\n", "recipe.yaml:4",
            "*c: anchors");
}

STK_TEST(a_recipe_has_limits)
{
    char deep[1024] = "data: ";
    memset(deep + 6, '[', 100);
    memset(deep + 106, ']', 100);
    refused_bytes(stk_bytes_of(deep, 206), STK_E_LIMIT, "recipe.yaml:1", "deeper than 64 levels");
    const size_t size = (1 << 20) + 1;
    char        *large = malloc(size);
    memset(large, '#', size);
    refused_bytes(stk_bytes_of(large, size), STK_E_LIMIT, "recipe.yaml", "at most 1048576");
    free(large);
}

/* Without the limit each of these takes minutes, so that the watchdog would end the test. */
STK_TEST(deep_nesting_is_refused_at_once_wherever_it_stands)
{
    static const struct {
        const char *before, *level;
        size_t      levels;
        const char *where;
    } forms[] = {{"model: ", "[", 400000, "recipe.yaml:1"},
                 {"data:\n- range: 2\nmodel: ", "{a: ", 200000, "recipe.yaml:3"},
                 {"model:\n  ", "- ", 400000, "recipe.yaml:2"},
                 {"model:\n  ", "? ", 400000, "recipe.yaml:2"},
                 {"? ", "[", 400000, "recipe.yaml:1"},
                 {"data:\n  ", "[\n", 400000, "recipe.yaml:65"}};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        const size_t before = strlen(forms[i].before), each = strlen(forms[i].level);
        const size_t size = before + each * forms[i].levels;
        char        *text = malloc(size + 1);
        memcpy(text, forms[i].before, before);
        for (size_t k = 0; k < forms[i].levels; k++)
            memcpy(text + before + k * each, forms[i].level, each);
        refused_bytes(stk_bytes_of(text, size), STK_E_LIMIT, forms[i].where,
                      "deeper than 64 levels");
        free(text);
    }
}

STK_TEST(unknown_names_get_a_suggestion)
{
    refused("data:\n- rnage: 3\n", "recipe.yaml:2: rnage",
            "no operator of this name; did you mean range?");
    refused("data:\n- range: 3\n- bach: 4\n", "recipe.yaml:3: bach", "did you mean batch?");
    refused("data:\n- range: 3\n- batch: {sise: 4}\n", "recipe.yaml:3: batch.sise",
            "batch has no key of this name; did you mean size? Allowed are: size, drop_remainder");
    refused("data:\n- range: 3\n- batch:\n    drop: true\n", "recipe.yaml:4: batch.drop",
            "did you mean drop_remainder?");
    refused("data:\n- range: 3\n- map: {ad: 4}\n", "recipe.yaml:3: map.ad", "did you mean add?");
    refused("data:\n- range: 3\n- map: identiy\n", "recipe.yaml:3: map",
            "there is no map function \"identiy\"; did you mean identity?");
    refused("data:\n- range: 3\n- map: {cast: float31}\n", "recipe.yaml:3: cast.dtype",
            "there is no type float31; did you mean float32?");
    refused("data:\n- range: 3\n- options: {passes_off: [nop]}\n",
            "recipe.yaml:3: options.passes_off", "no pass \"nop\"; did you mean noop?");
    refused("data:\n- range: 3\n- map: {rename: [label]}\n- map: {select: [lable]}\n",
            "recipe.yaml:4: select",
            "no value \"lable\"; did you mean label? The values are: label");
    refused("data:\n- range: 3\n- xyzzy\n", "recipe.yaml:3: xyzzy", "no operator of this name");
}

STK_TEST(wrong_types_are_said_with_what_is_allowed)
{
    refused("data:\n- range: many\n", "recipe.yaml:2: range.stop",
            "many stands here; it must be a whole number");
    refused("data:\n- range: {stop: '3'}\n", "recipe.yaml:2: range.stop", "\"3\" stands here");
    refused("data:\n- range: {stop: 1.5}\n", "recipe.yaml:2: range.stop", "written out");
    refused("data:\n- range: {stop: [3]}\n", "recipe.yaml:2: range.stop", "a list stands here");
    refused("data:\n- range: {stop: 99999999999999999999}\n", "recipe.yaml:2: range.stop",
            "whole number of 64 bits");
    refused("data:\n- range: 3\n- batch: 0\n", "recipe.yaml:3: batch.size",
            "0 stands here; the least is 1");
    refused("data:\n- range: 3\n- batch: {size: 2, drop_remainder: yes}\n",
            "recipe.yaml:3: batch.drop_remainder", "yes stands here; it must be true or false");
    refused("data:\n- range: 3\n- options: {order: random}\n", "recipe.yaml:3: options.order",
            "it must be a word: default, exact, relaxed");
    refused("data:\n- range: 3\n- map: {add: one}\n", "recipe.yaml:3: add.number",
            "it must be a number");
    refused("data:\n- range: 3\n- shuffle: {buffer: half}\n", "recipe.yaml:3: shuffle.buffer",
            "it must be a whole number or whole");
    refused("data:\n- text: {paths: {a: 1}}\n", "recipe.yaml:2: text.paths",
            "a mapping stands here");
    refused("data:\n- text: [\"a\\0b\"]\n", "recipe.yaml:2: text.paths", "zero byte");
    refused("data:\n- text: ['']\n", "recipe.yaml:2: text.paths", "the path is empty");
    refused("data:\n- range: 3\n- padded_batch: {size: 2, shapes: [[-2]]}\n",
            "recipe.yaml:3: padded_batch.shapes", "-1 where it is not fixed");
    refused("data:\n- range: 3\n- map: {add: {number: 1, value: 5000}}\n",
            "recipe.yaml:3: add.value", "values are numbered from 0");
    refused("data: 3\n", "recipe.yaml:1: 3", "no operator");
    refused("data:\n", "recipe.yaml:1: data", "a list of stages is needed");
    refused("data: []\n", "recipe.yaml:1: data", "a list of stages is needed");
}

STK_TEST(what_is_missing_or_too_much_is_said)
{
    refused("data:\n- range: {start: 1}\n", "recipe.yaml:2: range",
            "range needs `stop`: the numbers end before it (a whole number)");
    refused("data:\n- range: 3\n- map\n", "recipe.yaml:3: map", "map needs `function`");
    refused("data:\n- range: 3\n- map: {add: 1, multiply: 2}\n", "recipe.yaml:3: map",
            "multiply is a second function here");
    refused("data:\n- range: 3\n- filter: {modulo: 3}\n", "recipe.yaml:3: filter",
            "0 comparisons are given; give one of less_than");
    refused("data:\n- range: 3\n- filter: {equals: 3, less_than: 4}\n", "recipe.yaml:3: filter",
            "2 comparisons are given");
    refused("data:\n- range: 3\n- unbatch: 4\n", "recipe.yaml:3: unbatch", "takes no parameters");
    refused("data:\n- range: 3\n  batch: 4\n", "recipe.yaml:2", "this one has several keys");
    refused("data:\n- batch: 4\n", "recipe.yaml:2: batch", "the first stage must be a source");
    refused("data:\n- range: 3\n- range: 4\n", "recipe.yaml:3: range",
            "range is a source and can only be the first stage");
    refused("data:\n- zip: []\n", "recipe.yaml:2: zip", "there is no input");
    refused("data:\n- zip: [[batch: 3]]\n", "recipe.yaml:2: batch", "must be a source");
    refused("data:\n- range: 3\n- flat_map: {flatten, then: [{range: 3}]}\n",
            "recipe.yaml:3: range", "can only be the first stage");
    refused("data:\n- sample_from: {inputs: [[range: 3]], weights: [1, 2]}\n",
            "recipe.yaml:2: sample_from", "1 inputs and 2 weights");
    refused("data:\n- range: 3\n- bucket_by_length: {boundaries: [3], batch_sizes: [2]}\n",
            "recipe.yaml:3: bucket_by_length", "1 boundaries make 2 buckets, but 1 batch_sizes");
    refused("data:\n- range: 3\n- group_by_window: {key: value, reduce: {batch: 2}}\n",
            "recipe.yaml:3: group_by_window", "give either size or window_size");
}

STK_TEST(constants_and_features_are_checked)
{
    refused("data:\n- tensors: [[1, [2]]]\n", "recipe.yaml:2", "differ in");
    refused("data:\n- tensors: [[[1], 2]]\n", "recipe.yaml:2", "differ in depth");
    refused("data:\n- tensors: [[[1, 2], [3]]]\n", "recipe.yaml:2", "differ in length");
    refused("data:\n- tensors: [{dtype: uint8, data: [256]}]\n", "recipe.yaml:2",
            "256 does not fit in uint8");
    refused("data:\n- tensors: [{dtype: int64, data: [a]}]\n", "recipe.yaml:2: data",
            "texts; it cannot be int64");
    refused("data:\n- tensors: [{dtype: int63, data: [1]}]\n", "recipe.yaml:2: dtype",
            "no type of this name");
    refused("data:\n- tensors: [{data: 3}]\n", "recipe.yaml:2", "has the keys dtype");
    refused("data:\n- tensors: [~]\n", "recipe.yaml:2", "a constant is a number");
    refused("data:\n- elements: [a]\n- map: {parse_example: {features: {x: int32}}}\n",
            "recipe.yaml:3: x", "int64, float32 or bytes; cast it after parsing");
    refused("data:\n- elements: [a]\n"
            "- map: {parse_example: {features: {x: {dtype: int64, shpe: [2]}}}}\n",
            "recipe.yaml:3: shpe", "did you mean shape?");
    refused("data:\n- elements: [a]\n"
            "- map: {parse_example: {features: {x: {dtype: int64, kind: list}}}}\n",
            "recipe.yaml:3: kind", "dense, padded or varlen");
    refused("data:\n- elements: [a]\n- map: {parse_example: [x]}\n",
            "recipe.yaml:3: parse_example.features", "a mapping of names to types");
}

STK_TEST(errors_of_stages_have_their_line)
{
    stk_dataset *data;
    stk_error    err;
    const char  *yaml = "data:\n- elements: [a]\n- map: {add: 1}\n";
    EXPECT_STATUS(STK_E_TYPE,
                  stk_recipe_read(&data, stk_bytes_text(yaml), "recipe.yaml", NULL, &err));
    EXPECT_STR_EQ("recipe.yaml:3: map", err.where);
    EXPECT_STR_EQ("add", err.component);
    EXPECT_CONTAINS("is bytes; it must be uint8", err.message);
    yaml = "data:\n- elements: [a]\n- filter: {equals: 1}\n";
    EXPECT_STATUS(STK_E_TYPE,
                  stk_recipe_read(&data, stk_bytes_text(yaml), "recipe.yaml", NULL, &err));
    EXPECT_STR_EQ("recipe.yaml:3: filter", err.where);
    yaml = "data:\n- range: 3\n- flat_map: {range_to: {value: 2}}\n";
    EXPECT_STATUS(STK_E_RANGE,
                  stk_recipe_read(&data, stk_bytes_text(yaml), "recipe.yaml", NULL, &err));
    EXPECT_STR_EQ("recipe.yaml:3: flat_map", err.where);
    EXPECT_STR_EQ("range_to", err.component);
    EXPECT_STR_EQ("value 2 was asked for; elements have 1, counted from 0", err.message);
    yaml = "data:\n- range: {stop: 3, step: 0}\n";
    EXPECT_STATUS(STK_E_INVALID,
                  stk_recipe_read(&data, stk_bytes_text(yaml), "recipe.yaml", NULL, &err));
    EXPECT_STR_EQ("recipe.yaml:2: range", err.where);
    EXPECT_CONTAINS("the step is 0", err.message);
}

STK_TEST(a_long_path_keeps_its_end_in_messages)
{
    char name[400];
    memset(name, 'x', sizeof name);
    snprintf(name + sizeof name - 12, 12, "/long.yaml");
    stk_dataset *data;
    stk_error    err;
    const char  *yaml = "data:\n- elements: [a]\n- map: {cast: {dtype: bytes}}\n";
    EXPECT_STATUS(STK_E_UNSUPPORTED,
                  stk_recipe_read(&data, stk_bytes_text(yaml), name, NULL, &err));
    EXPECT_CONTAINS("xx/long.yaml:3: cast", err.where);
    EXPECT_CONTAINS("values cannot be cast to bytes", err.message);
    EXPECT(strncmp("values", err.message, 6) == 0);
}

STK_TEST(recipes_of_other_meaning_have_other_fingerprints)
{
    static const char *const recipes[] = {
        "- range: 7\n- window: 3\n- flat_map: {flatten, then: [{batch: 3}]}\n",
        "- range: 7\n- window: 3\n- flat_map: {flatten, then: [{batch: 2}]}\n",
        "- range: 7\n- window: 3\n- flat_map: flatten\n",
        "- range: 7\n- map: {add: 1}\n",
        "- range: 7\n- map: {add: 2}\n",
    };
    uint64_t prints[COUNT_OF(recipes)];
    for (size_t i = 0; i < COUNT_OF(recipes); i++) {
        stk_dataset *data = made(recipes[i]), *again = made(recipes[i]);
        prints[i] = stk_dataset_fingerprint(data);
        EXPECT(prints[i] == stk_dataset_fingerprint(again));
        stk_dataset_unref(data);
        stk_dataset_unref(again);
        for (size_t k = 0; k < i; k++)
            EXPECT(prints[i] != prints[k]);
    }
}

/* docs/recipe/reference.md is made of the tables; scripts/docs-test compares it with them. */
STK_TEST(the_tables_list_everything_with_a_help)
{
    size_t count = 0;
    for (size_t i = 0; stk_recipe_operator_at(i); i++, count++) {
        const stk_recipe_entry *entry = stk_recipe_operator_at(i);
        EXPECT(*entry->help);
        for (size_t k = 0; k < entry->parameter_count; k++) {
            EXPECT(*entry->parameters[k].help);
            EXPECT(*stk_recipe_kind_name(entry->parameters[k].kind) != '?');
        }
    }
    EXPECT_INT_EQ(48, count);
    for (size_t i = 0; stk_recipe_function_at(i); i++)
        EXPECT(*stk_recipe_function_at(i)->help);
    EXPECT(!stk_recipe_operator_at(1000) && !stk_recipe_function_at(1000));
}

static stk_status read_one(void *context, stk_error *err)
{
    stk_dataset *data;
    STK_TRY(stk_recipe_read(&data, stk_bytes_text(context), "recipe.yaml", NULL, err));
    stk_dataset_unref(data);
    return STK_OK;
}

STK_TEST(reading_survives_every_failing_allocation)
{
    stk_test_fail_each_allocation(
        read_one, "data:\n"
                  "- elements: [{values: [1, ab]}, {values: [2, cd]}]\n"
                  "- map: {rename: [n, s]}\n"
                  "- map: {add: {number: 1, value: n}}\n"
                  "- filter: {value: n, less_than: 7}\n"
                  "- map: {parse_example: {value: s, features: {a: int64, b: {dtype: bytes, "
                  "default: xyz}}}}\n"
                  "- batch: {size: 2}\n"
                  "- concatenate: [[{tensors: [[1, 2], [ab, cd]]}, {map: {rename: [a, b]}}]]\n"
                  "- window: 2\n"
                  "- flat_map: {flatten, then: [{batch: 2}]}\n");
}

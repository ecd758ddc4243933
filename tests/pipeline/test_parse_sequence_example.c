/* SequenceExamples in a pipeline: context features as they are, lists dense or ragged. */
#include "pipeline_support.h"

#include "pipeline/element/spec.h"

#include <stdio.h>
#include <string.h>

typedef struct record {
    int64_t       label;
    size_t        steps;
    const size_t *counts; /* of words, a step */
    const char   *words[8];
} record;

static const size_t two_and_one[] = {2, 1}, none[] = {0};

/* Context label; list frame: two float32 a step; list words: any number of bytes a step. */
static void write_record(stk_blob *out, const record *r)
{
    float           frames[8];
    size_t          pairs[8], count = 0;
    stk_bytes       words[8];
    stk_error       err;
    const stk_field label = {
        .name = "label", .dtype = STK_DTYPE_I64, .data = &r->label, .count = 1};
    const stk_sample context = {.fields = &label, .field_count = 1};
    for (size_t i = 0; i < r->steps; i++) {
        frames[2 * i] = (float)i;
        frames[2 * i + 1] = (float)i + 0.5f;
        pairs[i] = 2;
        count += r->counts[i];
    }
    for (size_t i = 0; i < count; i++)
        words[i] = stk_bytes_text(r->words[i]);
    const stk_sequence_field lists[] = {{.name = "frame",
                                         .dtype = STK_DTYPE_F32,
                                         .data = frames,
                                         .step_counts = pairs,
                                         .steps = r->steps},
                                        {.name = "words",
                                         .dtype = STK_DTYPE_BYTES,
                                         .data = words,
                                         .step_counts = r->counts,
                                         .steps = r->steps}};
    EXPECT_OK(stk_sequence_example_write(out, &context, lists, 2, &err));
}

static stk_dataset *records_of(const record *records, size_t count)
{
    stk_element *elements[4];
    stk_dataset *data;
    stk_error    err;
    for (size_t i = 0; i < count; i++) {
        stk_blob blob;
        stk_blob_init(&blob, NULL, STK_MEMORY_OUTPUT);
        write_record(&blob, &records[i]);
        EXPECT_OK(stk_element_new(&elements[i], 1, &err));
        EXPECT_OK(
            stk_value_bytes(stk_element_edit(elements[i], 0), NULL, stk_blob_bytes(&blob), &err));
        stk_blob_release(&blob);
    }
    EXPECT_OK(stk_dataset_elements(&data, elements, count, &err));
    for (size_t i = 0; i < count; i++)
        stk_element_unref(elements[i]);
    return data;
}

static const record three[] = {
    {7, 2, two_and_one, {"a", "b", "c"}}, {8, 0, NULL, {0}}, {9, 1, none, {0}}};

static const stk_feature_spec  label_feature = {.name = "label", .dtype = STK_DTYPE_I64};
static const stk_sequence_spec both_lists[] = {
    {.name = "frame", .dtype = STK_DTYPE_F32, .shape = {1, {2}}},
    {.name = "words", .dtype = STK_DTYPE_BYTES, .varlen = true}};

static stk_status parse_with(stk_dataset **data, const stk_sequence_spec *lists, size_t count,
                             stk_error *err)
{
    stk_function *f;
    STK_TRY(stk_function_parse_sequence_example(&f, 0, &label_feature, 1, lists, count, err));
    /* One at a time: a queue would do without the memory that fails. */
    stk_status st = stk_dataset_map(data, f, &(stk_map_options){.parallel = 1}, err);
    stk_function_unref(f);
    return st;
}

STK_TEST(a_sequence_example_becomes_its_context_and_its_lists)
{
    stk_error    err;
    stk_dataset *data = records_of(three, 3);
    EXPECT_OK(parse_with(&data, both_lists, 2, &err));
    const stk_element_spec *spec = stk_dataset_spec(data);
    EXPECT(spec->known);
    EXPECT_INT_EQ(3, spec->count);
    EXPECT_STR_EQ("words", spec->values[2].name);
    EXPECT_INT_EQ(STK_VALUE_RAGGED, spec->values[2].kind);
    EXPECT_INT_EQ(2, spec->values[1].shape.rank);
    EXPECT_INT_EQ(2, spec->values[1].shape.dim[1]);
    EXPECT_GIVES("(7 [[0 0.5][1 1.5]] {['a' 'b']['c']}) (8 [] {}) (9 [[0 0.5]] {[]}) .", data);
}

STK_TEST(steps_of_sequence_examples_are_padded_and_batched)
{
    stk_error    err;
    stk_dataset *data = records_of(three, 3);
    EXPECT_OK(parse_with(&data, both_lists, 1, &err));
    APPLY(data, padded_batch, 2, NULL);
    EXPECT_GIVES("([7 8] [[[0 0.5][1 1.5]][[0 0][0 0]]]) ([9] [[[0 0.5]]]) .", data);
    data = records_of(three, 3);
    EXPECT_OK(parse_with(&data, both_lists + 1, 1, &err));
    APPLY(data, ragged_batch, 3, NULL);
    EXPECT_GIVES("([7 8 9] {{['a' 'b']['c']}{}{[]}}) .", data);
}

STK_TEST(lists_that_are_missing_or_of_another_type_are_errors_in_their_places)
{
    const stk_sequence_spec absent = {.name = "absent", .dtype = STK_DTYPE_I64};
    const stk_sequence_spec allowed = {
        .name = "absent", .dtype = STK_DTYPE_I64, .allow_missing = true};
    const stk_sequence_spec wrong = {.name = "words", .dtype = STK_DTYPE_I64, .varlen = true};
    stk_error               err;
    stk_element            *element;
    stk_dataset            *data = records_of(three, 1);
    EXPECT_OK(parse_with(&data, &absent, 1, &err));
    EXPECT_STATUS(STK_E_INVALID, stk_dataset_at(data, 0, &element, &err));
    EXPECT_CONTAINS("absent", err.message);
    EXPECT_CONTAINS("element 0", err.where);
    stk_dataset_unref(data);
    data = records_of(three, 1);
    EXPECT_OK(parse_with(&data, &allowed, 1, &err));
    EXPECT_GIVES("(7 []) .", data);
    data = records_of(three, 2);
    EXPECT_OK(parse_with(&data, &wrong, 1, &err));
    EXPECT_GIVES("!wrong_type (8 {}) .", data);
}

STK_TEST(senseless_lists_are_refused_when_the_function_is_made)
{
    const stk_sequence_spec deep = {.name = "deep", .dtype = STK_DTYPE_I64, .shape = {8, {0}}};
    const stk_sequence_spec half = {.name = "half", .dtype = STK_DTYPE_F16};
    stk_function           *f;
    stk_error               err;
    EXPECT_REFUSED(STK_E_INVALID, "0 features and 0 lists",
                   stk_function_parse_sequence_example(&f, 0, NULL, 0, NULL, 0, &err));
    EXPECT_REFUSED(STK_E_SHAPE, "rank 9",
                   stk_function_parse_sequence_example(&f, 0, NULL, 0, &deep, 1, &err));
    EXPECT_REFUSED(STK_E_TYPE, "float16",
                   stk_function_parse_sequence_example(&f, 0, NULL, 0, &half, 1, &err));
    stk_dataset *data = RANGE(3);
    EXPECT_STATUS(STK_E_TYPE, parse_with(&data, both_lists, 2, &err));
    stk_dataset_unref(data);
}

STK_TEST(a_recipe_parses_sequence_examples)
{
    stk_blob             blob;
    stk_error            err;
    stk_dataset         *data, *records = records_of(three, 3);
    stk_iterator        *it;
    stk_element         *element;
    stk_tfrecord_writer *writer;
    const char          *path = stk_test_path("sequences.tfrecord");
    EXPECT_OK(stk_tfrecord_writer_open(&writer, NULL, path, NULL, &err));
    EXPECT_OK(stk_iterator_start(&it, records, NULL, &err));
    while (!stk_iterator_next(it, &element, &err) && element) {
        EXPECT_OK(stk_tfrecord_writer_write(
            writer, *(const stk_bytes *)stk_value_data(stk_element_value(element, 0)), &err));
        stk_element_unref(element);
    }
    stk_iterator_free(it);
    stk_dataset_unref(records);
    EXPECT_OK(stk_tfrecord_writer_commit(writer, &err));
    stk_tfrecord_writer_free(writer);
    stk_blob_init(&blob, NULL, STK_MEMORY_OUTPUT);
    char yaml[1024];
    snprintf(
        yaml, sizeof yaml,
        "data:\n- tfrecord: %s\n- map:\n    parse_sequence_example:\n      context: {label: "
        "int64}\n"
        "      lists: {frame: {dtype: float32, shape: [2]}, words: {dtype: bytes, kind: varlen}, "
        "no: {dtype: int64, missing: true}}\n",
        path);
    EXPECT_OK(stk_recipe_read(&data, stk_bytes_text(yaml), "recipe.yaml", NULL, &err));
    EXPECT_GIVES("(7 [[0 0.5][1 1.5]] {['a' 'b']['c']} []) (8 [] {} []) (9 [[0 0.5]] {[]} []) .",
                 data);
    EXPECT_REFUSED(
        STK_E_INVALID, "a list has the keys dtype, shape, kind and missing",
        stk_recipe_read(&data,
                        stk_bytes_text("data:\n- tensors: [x]\n- map: {parse_sequence_example: "
                                       "{lists: {a: {dtype: int64, default: 3}}}}\n"),
                        "recipe.yaml", NULL, &err));
    EXPECT_REFUSED(
        STK_E_INVALID, "dense or varlen",
        stk_recipe_read(&data,
                        stk_bytes_text("data:\n- tensors: [x]\n- map: {parse_sequence_example: "
                                       "{lists: {a: {dtype: int64, kind: padded}}}}\n"),
                        "recipe.yaml", NULL, &err));
}

static stk_element *kept;

static stk_status build(stk_dataset **out, stk_error *err)
{
    if (!kept) return stk_fail(err, STK_E_INVALID, "test", NULL, "there is no record");
    STK_TRY(stk_dataset_elements(out, &kept, 1, err));
    return parse_with(out, both_lists, 2, err);
}

STK_TEST(parse_sequence_example_survives_want_of_memory)
{
    stk_error    err;
    stk_dataset *data = records_of(three, 1);
    stk_test_watchdog(60);
    EXPECT_OK(stk_dataset_at(data, 0, &kept, &err));
    stk_dataset_unref(data);
    stk_test_without_memory(build, 1);
    stk_element_unref(kept);
}

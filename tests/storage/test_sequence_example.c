/* SequenceExamples: write, look inside, parse. What TensorFlow makes of others is tested with the
 * golden records. */
#include "storage/example_records.h"

#include <stdio.h>

static const size_t    word_counts[] = {2, 0}, frame_counts[] = {2, 2, 2};
static const stk_bytes words[] = {{(const uint8_t *)"to", 2}, {(const uint8_t *)"be", 2}};
static const float     frames[] = {1, 2, 3, 4, 5, 6};
static const int64_t   id = 7;

static const stk_sequence_field lists[] = {{.name = "words",
                                            .dtype = STK_DTYPE_BYTES,
                                            .data = words,
                                            .step_counts = word_counts,
                                            .steps = 2},
                                           {.name = "frames",
                                            .dtype = STK_DTYPE_F32,
                                            .data = frames,
                                            .step_counts = frame_counts,
                                            .steps = 3},
                                           {.name = "none", .dtype = STK_DTYPE_I64}};

static stk_blob written(size_t list_count)
{
    stk_error        err;
    stk_blob         blob = {0};
    const stk_field  field = field_of("id", STK_DTYPE_I64, &id, 1);
    const stk_sample context = {.fields = &field, .field_count = 1};
    EXPECT_OK(stk_sequence_example_write(&blob, &context, lists, list_count, &err));
    return blob;
}

STK_TEST(written_sequence_is_that_of_tensorflow)
{
    stk_blob        blob = written(1);
    const stk_bytes expected = stk_test_read_file(STK_TEST_DATA "/example/written_sequence.pb");
    EXPECT_INT_EQ(expected.size, blob.size);
    EXPECT_MEM_EQ(expected.data, blob.data, expected.size);
    stk_blob_release(&blob);
}

STK_TEST(empty_sequence_has_no_bytes)
{
    stk_error err;
    stk_blob  blob = {0};
    EXPECT_OK(stk_sequence_example_write(&blob, NULL, NULL, 0, &err));
    EXPECT_INT_EQ(0, blob.size);
    stk_blob_release(&blob);
}

STK_TEST(sequence_writer_refuses_types_and_doubled_names)
{
    stk_error                err;
    stk_blob                 blob = {0};
    const stk_sequence_field wide = {.name = "x", .dtype = STK_DTYPE_F64};
    const stk_sequence_field twice[] = {lists[0], lists[1], lists[0]};
    EXPECT_STATUS(STK_E_TYPE, stk_sequence_example_write(&blob, NULL, &wide, 1, &err));
    EXPECT_STATUS(STK_E_INVALID, stk_sequence_example_write(&blob, NULL, twice, 3, &err));
    EXPECT_CONTAINS("feature lists 0 and 2 have the same name", err.message);
    EXPECT_INT_EQ(0, blob.size);
    stk_blob_release(&blob);
}

static stk_status note(void *context, int64_t step, const stk_feature_view *feature, stk_error *err)
{
    char        *text = context;
    const size_t used = strlen(text);
    (void)err;
    snprintf(text + used, 512 - used, "%.*s[%d]:%s:%zu ", (int)feature->name.size,
             (const char *)feature->name.data, (int)step, stk_dtype_name(feature->dtype),
             feature->count);
    return STK_OK;
}

STK_TEST(sequence_visit_shows_context_steps_and_empty_lists)
{
    stk_error err;
    char      text[512] = "";
    stk_blob  blob = written(3);
    EXPECT_OK(stk_sequence_example_visit(stk_blob_bytes(&blob), "here", note, text, &err));
    EXPECT_STR_EQ("id[-1]:int64:1 words[0]:bytes:2 words[1]:bytes:0 frames[0]:float32:2 "
                  "frames[1]:float32:2 frames[2]:float32:2 none[-2]:none:0 ",
                  text);
    blob.size--;
    EXPECT_STATUS(STK_E_INVALID,
                  stk_sequence_example_visit(stk_blob_bytes(&blob), "here", note, text, &err));
    EXPECT_STR_EQ("here", err.where);
    stk_blob_release(&blob);
}

static const stk_sequence_spec wanted[] = {
    {.name = "frames", .dtype = STK_DTYPE_F32, .shape = {.rank = 1, .dim = {2}}},
    {.name = "words", .dtype = STK_DTYPE_BYTES, .varlen = true},
    {.name = "absent", .dtype = STK_DTYPE_I64, .allow_missing = true}};

STK_TEST(sequences_parse_into_values_and_two_levels_of_splits)
{
    stk_error              err;
    stk_sequence_parser   *parser;
    stk_sequence_batch    *batch;
    stk_sequence_values    values;
    stk_feature_values     ids;
    const stk_feature_spec context = dense("id", STK_DTYPE_I64);
    stk_blob               blob = written(3);
    const stk_bytes        records[] = {stk_blob_bytes(&blob), stk_blob_bytes(&blob)};
    EXPECT_OK(stk_sequence_parser_new(&parser, &context, 1, wanted, 3, &err));
    EXPECT_OK(stk_sequence_batch_new(&batch, parser, NULL, &err));
    for (int round = 0; round < 2; round++) {
        EXPECT_OK(stk_sequence_parse(batch, records, 2, NULL, &err));
        stk_sequence_batch_context(batch, 0, &ids);
        EXPECT_INT_EQ(7, ((const int64_t *)ids.data)[1]);
        stk_sequence_batch_sequence(batch, 0, &values);
        EXPECT_INT_EQ(12, values.count);
        EXPECT_INT_EQ(2, values.step_values);
        EXPECT(values.step_splits == NULL);
        EXPECT_INT_EQ(3, values.row_splits[1]);
        EXPECT_INT_EQ(6, values.row_splits[2]);
        EXPECT_MEM_EQ(frames, (const float *)values.data + 6, sizeof frames);
        stk_sequence_batch_sequence(batch, 1, &values);
        EXPECT_INT_EQ(4, values.row_splits[2]);
        EXPECT_INT_EQ(2, values.step_splits[1]);
        EXPECT_INT_EQ(2, values.step_splits[2]);
        EXPECT_INT_EQ(4, values.step_splits[4]);
        EXPECT(stk_bytes_equal(words[1], ((const stk_bytes *)values.data)[3]));
        stk_sequence_batch_sequence(batch, 2, &values);
        EXPECT_INT_EQ(0, values.count);
        EXPECT_INT_EQ(0, values.row_splits[2]);
    }
    stk_sequence_batch_free(batch);
    stk_sequence_parser_free(parser);
    stk_blob_release(&blob);
}

STK_TEST(sequences_under_every_ceiling_are_right_or_refused_and_give_all_back)
{
    enum { RECORDS = 40 };
    stk_error              err;
    stk_ledger            *ledger;
    stk_ledger_report      report;
    stk_sequence_parser   *parser;
    stk_sequence_batch    *batch;
    stk_sequence_values    values;
    const stk_feature_spec context = dense("id", STK_DTYPE_I64);
    stk_blob               blob = written(3);
    stk_bytes              records[RECORDS];
    for (size_t i = 0; i < RECORDS; i++)
        records[i] = stk_blob_bytes(&blob);
    EXPECT_OK(stk_sequence_parser_new(&parser, &context, 1, wanted, 3, &err));
    bool parsed = false;
    for (uint64_t ceiling = 1; !parsed; ceiling += ceiling / 16 + 1) {
        EXPECT_OK(stk_ledger_new(&ledger, ceiling, &err));
        EXPECT_OK(stk_sequence_batch_new(&batch, parser, ledger, &err));
        const stk_status st = stk_sequence_parse(batch, records, RECORDS, NULL, &err);
        parsed = !st;
        if (st) {
            EXPECT_STATUS(STK_E_CEILING, st);
            const stk_status again = stk_sequence_parse(batch, records, 1, NULL, &err);
            if (again) EXPECT_STATUS(STK_E_CEILING, again);
        } else {
            stk_sequence_batch_sequence(batch, 1, &values);
            EXPECT_INT_EQ(2 * RECORDS, values.row_splits[RECORDS]);
            EXPECT_INT_EQ(2 * RECORDS, values.step_splits[2 * RECORDS]);
            EXPECT_INT_EQ(2 * RECORDS, values.count);
        }
        stk_sequence_batch_free(batch);
        stk_ledger_read(ledger, &report);
        EXPECT_INT_EQ(0, report.bytes);
        stk_ledger_unref(ledger);
    }
    stk_sequence_parser_free(parser);
    stk_blob_release(&blob);
}

static void expect_refused(const stk_sequence_spec *spec, stk_bytes record, stk_status status,
                           const char *where, const char *message)
{
    stk_error            err;
    stk_sequence_parser *parser;
    stk_sequence_batch  *batch;
    const char          *name = "s.tfrecord";
    EXPECT_OK(stk_sequence_parser_new(&parser, NULL, 0, spec, 1, &err));
    EXPECT_OK(stk_sequence_batch_new(&batch, parser, NULL, &err));
    EXPECT_STATUS(status, stk_sequence_parse(batch, &record, 1, &name, &err));
    EXPECT_STR_EQ(where, err.where);
    EXPECT_CONTAINS(message, err.message);
    stk_sequence_batch_free(batch);
    stk_sequence_parser_free(parser);
}

STK_TEST(sequence_parse_names_list_and_step_of_what_it_refuses)
{
    stk_blob          blob = written(3);
    stk_sequence_spec spec = {.name = "absent", .dtype = STK_DTYPE_F32};
    expect_refused(&spec, stk_blob_bytes(&blob), STK_E_INVALID,
                   "s.tfrecord: record 0: feature 'absent'", "required but could not be found");
    spec.name = "frames";
    expect_refused(&spec, stk_blob_bytes(&blob), STK_E_SHAPE,
                   "s.tfrecord: record 0: feature 'frames'",
                   "step 0: 2 float values, expected 1 for shape []");
    spec.dtype = STK_DTYPE_I64;
    expect_refused(&spec, stk_blob_bytes(&blob), STK_E_TYPE,
                   "s.tfrecord: record 0: feature 'frames'",
                   "step 0: the data is of type float but type int64 is expected");
    blob.size -= 3;
    expect_refused(&spec, stk_blob_bytes(&blob), STK_E_INVALID, "s.tfrecord: record 0",
                   "a length passes the end of its message");
    stk_blob_release(&blob);
}

STK_TEST(sequence_parser_refuses_specs_that_make_no_sense)
{
    stk_error            err;
    stk_sequence_parser *parser;
    stk_sequence_spec    spec = {.name = "x", .dtype = STK_DTYPE_F16};
    EXPECT_STATUS(STK_E_TYPE, stk_sequence_parser_new(&parser, NULL, 0, &spec, 1, &err));
    EXPECT_CONTAINS("not float16", err.message);
    spec =
        (stk_sequence_spec){.name = "x", .dtype = STK_DTYPE_F32, .shape = {.rank = 1, .dim = {-2}}};
    EXPECT_STATUS(STK_E_SHAPE, stk_sequence_parser_new(&parser, NULL, 0, &spec, 1, &err));
    EXPECT_STR_EQ("x", err.where);
    spec.name = NULL;
    EXPECT_STATUS(STK_E_INVALID, stk_sequence_parser_new(&parser, NULL, 0, &spec, 1, &err));
    const stk_sequence_spec twice[] = {wanted[0], wanted[0]};
    EXPECT_STATUS(STK_E_INVALID, stk_sequence_parser_new(&parser, NULL, 0, twice, 2, &err));
    EXPECT(parser == NULL);
}

static stk_status parse_sequences(void *context, stk_error *err)
{
    const stk_bytes       *records = context;
    const stk_feature_spec id_spec = dense("id", STK_DTYPE_I64);
    stk_sequence_parser   *parser;
    stk_sequence_batch    *batch = NULL;
    stk_blob               again = {0};
    stk_status             st = stk_sequence_parser_new(&parser, &id_spec, 1, wanted, 3, err);
    if (!st) st = stk_sequence_batch_new(&batch, parser, NULL, err);
    if (!st) st = stk_sequence_parse(batch, records, 8, NULL, err);
    if (!st) st = stk_sequence_example_write(&again, NULL, lists, 3, err);
    stk_blob_release(&again);
    stk_sequence_batch_free(batch);
    stk_sequence_parser_free(parser);
    return st;
}

STK_TEST(sequences_survive_every_failed_allocation)
{
    stk_blob  blob = written(3);
    stk_bytes records[8];
    for (int i = 0; i < 8; i++)
        records[i] = stk_blob_bytes(&blob);
    stk_test_fail_each_allocation(parse_sequences, records);
    stk_blob_release(&blob);
}

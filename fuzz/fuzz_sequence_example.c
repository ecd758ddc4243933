/* SequenceExamples from arbitrary bytes: parse and visit. */
#include <stdlib.h>
#include <stoker/stoker.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static stk_status visit(void *context, int64_t step, const stk_feature_view *feature,
                        stk_error *err)
{
    stk_bytes strings[2];
    size_t    count;
    (void)context;
    if (step < -2) abort();
    if (feature->dtype != STK_DTYPE_BYTES) return STK_OK;
    return stk_feature_decode_bytes(feature, strings, 2, &count, err);
}

/* Every split must be within the next level. */
static void check_splits(const stk_sequence_values *values, size_t records)
{
    const int64_t *rows = values->row_splits;
    for (size_t r = 0; r < records; r++)
        if (rows[r] < 0 || rows[r + 1] < rows[r]) abort();
    const size_t steps = (size_t)rows[records];
    if (!values->step_splits && steps * values->step_values != values->count) abort();
    for (size_t s = 0; values->step_splits && s < steps; s++)
        if (values->step_splits[s + 1] < values->step_splits[s]) abort();
    if (values->step_splits && (size_t)values->step_splits[steps] != values->count) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!size) return 0;
    const stk_feature_spec  context = {.name = "k",
                                       .kind = STK_FEATURE_VARLEN,
                                       .dtype = data[0] & 1 ? STK_DTYPE_I64 : STK_DTYPE_BYTES};
    const stk_sequence_spec lists[] = {
        {.name = "k", .dtype = STK_DTYPE_I64, .varlen = data[0] & 2, .allow_missing = true},
        {.name = "words", .dtype = STK_DTYPE_BYTES, .varlen = true, .allow_missing = data[0] & 4},
        {.name = "frames",
         .dtype = STK_DTYPE_F32,
         .shape = {1, {data[0] >> 6}},
         .allow_missing = true}};
    const stk_bytes      records[] = {stk_bytes_of(data + 1, size - 1),
                                      stk_bytes_of(data + 1, (size - 1) / 2)};
    stk_sequence_parser *parser;
    stk_sequence_batch  *batch;
    stk_error            err;
    if (stk_sequence_parser_new(&parser, &context, 1, lists, 3, &err) ||
        stk_sequence_batch_new(&batch, parser, NULL, &err))
        abort();
    for (size_t count = 1; count <= 2; count++) {
        if (stk_sequence_parse(batch, records, count, NULL, &err)) continue;
        for (size_t i = 0; i < 3; i++) {
            stk_sequence_values values;
            stk_sequence_batch_sequence(batch, i, &values);
            check_splits(&values, count);
        }
    }
    stk_status st = stk_sequence_example_visit(records[0], "fuzz", visit, NULL, &err);
    (void)st;
    stk_sequence_batch_free(batch);
    stk_sequence_parser_free(parser);
    return 0;
}

/* Examples from arbitrary bytes: the fast parse must agree with the careful one, whatever was
 * predicted, and the visitor must not fall over. The first byte chooses the spec and the second how
 * many bytes the first of two records has. */
#include "storage/example/example_batch.h"

#include <stdio.h>
#include <stdlib.h>
#include <stoker/stoker.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const int64_t   one = 1;
static const stk_bytes text = {(const uint8_t *)"none", 4};

/* Three features of the kinds and types that choice picks. */
static void choose_specs(uint8_t choice, stk_feature_spec specs[3])
{
    static const char *const names[3] = {"k", "label", "a_longer_name"};
    static const stk_dtype   types[3] = {STK_DTYPE_I64, STK_DTYPE_F32, STK_DTYPE_BYTES};
    for (int i = 0; i < 3; i++, choice /= 3) {
        specs[i] = (stk_feature_spec){.name = names[i],
                                      .kind = (stk_feature_kind)(choice % 3),
                                      .dtype = types[(choice / 3 + i) % 3]};
        if (choice % 2) specs[i].shape = stk_shape_1d(1 + choice % 3);
        if (specs[i].kind == STK_FEATURE_VARLEN) continue;
        specs[i].has_default = choice % 5 != 0;
        specs[i].default_count = 1;
        specs[i].default_value =
            specs[i].dtype == STK_DTYPE_BYTES ? (const void *)&text : (const void *)&one;
    }
}

static stk_status visit(void *context, const stk_feature_view *feature, stk_error *err)
{
    int64_t   ints[4];
    float     floats[4];
    stk_bytes strings[4];
    size_t    count = 0;
    (void)context;
    if (feature->dtype == STK_DTYPE_I64)
        return stk_feature_decode_ints(feature, ints, 4, &count, err);
    if (feature->dtype == STK_DTYPE_F32)
        return stk_feature_decode_floats(feature, floats, 4, &count, err);
    return feature->dtype ? stk_feature_decode_bytes(feature, strings, 4, &count, err) : STK_OK;
}

static void demand(bool condition, const char *what)
{
    if (condition) return;
    fprintf(stderr, "fuzz_example: %s\n", what);
    abort();
}

static void compare(const stk_example_batch *a, const stk_example_batch *b, size_t index)
{
    stk_feature_values x, y;
    stk_example_batch_values(a, index, &x);
    stk_example_batch_values(b, index, &y);
    demand(x.count == y.count && stk_shape_equal(&x.shape, &y.shape), "the shapes differ");
    if (!x.count) return;
    demand(memcmp(x.data, y.data, x.count * stk_dtype_bytes(x.dtype)) == 0, "the values differ");
}

/* One record by the careful parse alone. */
static stk_status parse_carefully(stk_example_batch *batch, stk_bytes record, stk_error *err)
{
    const stk_bytes           none = {(const uint8_t *)"", 0};
    const stk_record_location place = {record, 0, "fuzz"};
    /* Makes room for one record; whether the empty one suits the spec does not matter. */
    if (stk_example_parse(batch, &none, 1, NULL, err)) batch->records = 1;
    for (size_t i = 0; i < batch->parser->count; i++)
        batch->columns[i].used = 0;
    STK_TRY(stk_example_parse_careful(batch, &place, err));
    for (size_t i = 0; i < batch->parser->count; i++) {
        stk_example_column *column = &batch->columns[i];
        if (column->feature->kind == STK_FEATURE_DENSE_PADDED)
            column->rows = (int64_t)(column->used / column->feature->stride);
    }
    return STK_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    stk_feature_spec    specs[3];
    stk_example_parser *parser;
    stk_example_batch  *fast = NULL, *careful = NULL;
    stk_error           err;
    if (size < 2) return 0;
    choose_specs(data[0], specs);
    const size_t    first = data[1] < size - 2 ? data[1] : size - 2;
    const stk_bytes records[] = {stk_bytes_of(data + 2, first),
                                 stk_bytes_of(data + 2 + first, size - 2 - first)};
    if (stk_example_parser_new(&parser, specs, 3, &err) ||
        stk_example_batch_new(&fast, parser, NULL, &err) ||
        stk_example_batch_new(&careful, parser, NULL, &err))
        abort();
    if (stk_example_parse(fast, records, 2, NULL, &err)) demand(err.message[0], "no reason");
    for (int i = 0; i < 2; i++) { /* with whatever the other record has left to predict from */
        const stk_status a = stk_example_parse(fast, &records[i], 1, NULL, &err);
        const stk_status b = parse_carefully(careful, records[i], &err);
        demand(a == b, "the statuses differ");
        for (size_t k = 0; !a && k < 3; k++)
            compare(fast, careful, k);
        if (stk_example_visit(records[i], "fuzz", visit, NULL, &err))
            demand(err.message[0], "no reason");
    }
    stk_example_batch_free(careful);
    stk_example_batch_free(fast);
    stk_example_parser_free(parser);
    return 0;
}

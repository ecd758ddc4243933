/* Parsing Examples into batches: what is refused and how, prediction, sizes, memory. */
#include "storage/example_records.h"

#include <stdio.h>
#include <stdlib.h>

static const stk_bytes five = {(const uint8_t *)FIVE, sizeof FIVE - 1};

/* Parser and batch of one test. */
typedef struct parse {
    stk_example_parser *parser;
    stk_example_batch  *batch;
} parse;

static parse open_parse(const stk_feature_spec *specs, size_t count, stk_ledger *ledger)
{
    parse     p;
    stk_error err;
    EXPECT_OK(stk_example_parser_new(&p.parser, specs, count, &err));
    EXPECT_OK(stk_example_batch_new(&p.batch, p.parser, ledger, &err));
    return p;
}

static void close_parse(parse *p)
{
    stk_example_batch_free(p->batch);
    stk_example_parser_free(p->parser);
}

/* Parses one record that must be refused. */
static void expect_refused(const stk_feature_spec *spec, stk_bytes record, stk_status status,
                           const char *where, const char *message)
{
    stk_error   err;
    parse       p = open_parse(spec, 1, NULL);
    const char *name = "train.tfrecord";
    EXPECT_STATUS(status, stk_example_parse(p.batch, &record, 1, &name, &err));
    EXPECT_STR_EQ("parse", err.component);
    EXPECT_STR_EQ(where, err.where);
    EXPECT_CONTAINS(message, err.message);
    close_parse(&p);
}

STK_TEST(parse_names_record_and_key_and_both_values_of_what_it_refuses)
{
    const char            *place = "train.tfrecord: record 0: feature 'k'";
    const stk_feature_spec scalar = dense("k", STK_DTYPE_I64), real = dense("k", STK_DTYPE_F32);
    stk_feature_spec       three = scalar;
    three.shape = stk_shape_1d(3);
    stk_feature_spec pairs = {.name = "k",
                              .kind = STK_FEATURE_DENSE_PADDED,
                              .dtype = STK_DTYPE_I64,
                              .shape = stk_shape_1d(2)};
    expect_refused(&scalar, BYTES_OF(""), STK_E_INVALID, place,
                   "the feature (int64) is required but could not be found");
    expect_refused(&real, BYTES_OF(FIVE), STK_E_TYPE, place,
                   "the data is of type int64 but type float is expected");
    expect_refused(&three, BYTES_OF(FIVE), STK_E_SHAPE, place,
                   "1 int64 values, expected 3 for shape [3]");
    expect_refused(&pairs, BYTES_OF(FIVE), STK_E_SHAPE, place,
                   "1 int64 values, expected a multiple of 2 for rows of shape [2]");
}

STK_TEST(parse_names_the_byte_where_the_wire_is_damaged)
{
    const stk_feature_spec scalar = dense("k", STK_DTYPE_I64);
    expect_refused(&scalar, BYTES_OF("\x0a\x0d\x0a\x0a\x0a\x01k\x12\x05\x1a\x03\x0a\x01\x05"),
                   STK_E_INVALID, "train.tfrecord: record 0",
                   "could not parse example: a length passes the end of its message (13 bytes "
                   "claimed, 12 left) at byte 1 of 14");
    expect_refused(&scalar, BYTES_OF("\x0a\x0c\x0a\x0a\x0a\x01k\x12\x05\x1a\x03\x0a\x01\x85"),
                   STK_E_INVALID, "train.tfrecord: record 0: feature 'k'",
                   "the last number of a packed chunk is cut off at byte 12 of 14");
    expect_refused(&scalar, BYTES_OF(FIVE "\x0c"), STK_E_INVALID, "train.tfrecord: record 0",
                   "a field is a group, which no Example has at byte 15 of 15");
    expect_refused(&scalar, BYTES_OF(FIVE "\x80"), STK_E_INVALID, "train.tfrecord: record 0",
                   "a number is cut off by the end of its message at byte 14 of 15");
}

STK_TEST(parse_shows_odd_keys_readably)
{
    stk_error              err;
    const stk_feature_spec spec = dense("a\nb\x01", STK_DTYPE_I64);
    char                   longest[301];
    memset(longest, 'x', 300);
    longest[300] = '\0';
    const stk_feature_spec specs[] = {spec, dense(longest, STK_DTYPE_I64)};
    for (int i = 0; i < 2; i++) {
        parse p = open_parse(&specs[i], 1, NULL);
        EXPECT_STATUS(
            STK_E_INVALID,
            stk_example_parse(p.batch, &(stk_bytes){(const uint8_t *)"", 0}, 1, NULL, &err));
        EXPECT_CONTAINS(i ? "record 0: feature 'xxx" : "record 0: feature 'a\\x0ab\\x01'",
                        err.where);
        EXPECT_CONTAINS(i ? "xxx...'" : "'", err.where);
        close_parse(&p);
    }
}

/* Records of two features, each built from i. */
static void fill_records(stk_blob *blob, stk_bytes *records, size_t count, int64_t step)
{
    size_t begins[64];
    for (size_t i = 0; i < count; i++) {
        const int64_t   label = (int64_t)i * step;
        const float     score = (float)i / 2;
        const stk_field fields[] = {field_of("label", STK_DTYPE_I64, &label, 1),
                                    field_of("score", STK_DTYPE_F32, &score, 1)};
        begins[i] = add_example(blob, fields, 2);
    }
    for (size_t i = 0; i < count; i++) {
        const size_t end = i + 1 < count ? begins[i + 1] : blob->size;
        records[i] = stk_bytes_of(blob->data + begins[i], end - begins[i]);
    }
}

STK_TEST(parse_puts_each_value_in_its_place_whatever_the_size_of_the_numbers)
{
    static const int64_t   steps[] = {1, 100, 1000, INT64_C(1) << 40, -1};
    const stk_feature_spec specs[] = {dense("score", STK_DTYPE_F32), dense("label", STK_DTYPE_I64)};
    stk_error              err;
    parse                  p = open_parse(specs, 2, NULL);
    for (size_t s = 0; s < COUNT_OF(steps); s++) {
        stk_blob           blob = {0};
        stk_bytes          records[64];
        stk_feature_values scores, labels;
        fill_records(&blob, records, 64, steps[s]);
        EXPECT_OK(stk_example_parse(p.batch, records, 64, NULL, &err));
        stk_example_batch_values(p.batch, 0, &scores);
        stk_example_batch_values(p.batch, 1, &labels);
        EXPECT_INT_EQ(1, scores.shape.rank);
        EXPECT_INT_EQ(64, scores.shape.dim[0]);
        EXPECT_INT_EQ(64, labels.count);
        EXPECT(labels.splits == NULL);
        for (int64_t i = 0; i < 64; i++) {
            EXPECT(((const float *)scores.data)[i] == (float)i / 2);
            EXPECT_INT_EQ(i * steps[s], ((const int64_t *)labels.data)[i]);
        }
        stk_blob_release(&blob);
    }
    close_parse(&p);
}

/* The features of record i: some left out, others before or behind, in an order of their own. */
static size_t choose_fields(size_t i, const stk_field *all, size_t count, stk_field *chosen)
{
    size_t used = 0;
    for (size_t k = 0; k < count; k++) {
        const size_t from = i % 3 == 2 ? count - 1 - k : k;
        if ((i >> 2) % (count + 1) != from) chosen[used++] = all[from];
    }
    return used;
}

STK_TEST(numbers_of_every_size_stand_beside_each_other_in_a_list)
{
    enum { COUNT = 300 };
    static int64_t   numbers[COUNT];
    stk_error        err;
    stk_feature_spec specs[] = {varlen("k", STK_DTYPE_I64), dense("k", STK_DTYPE_I64)};
    uint64_t         random = 1;
    for (size_t i = 0; i < COUNT; i++) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        numbers[i] = (int64_t)(random >> (i < 8 ? 8 * i : (random >> 33) % 64)); /* 1 to 10 bytes */
    }
    for (size_t count = 1; count <= COUNT; count += count < 20 ? 1 : 40) {
        stk_blob        blob = {0};
        const stk_field field = field_of("k", STK_DTYPE_I64, numbers, count);
        add_example(&blob, &field, 1);
        const stk_bytes record = stk_blob_bytes(&blob);
        specs[1].shape = stk_shape_1d((int64_t)count);
        for (int i = 0; i < 2; i++) {
            stk_feature_values values;
            parse              p = open_parse(&specs[i], 1, NULL);
            EXPECT_OK(stk_example_parse(p.batch, &record, 1, NULL, &err));
            stk_example_batch_values(p.batch, 0, &values);
            EXPECT_INT_EQ(count, values.count);
            EXPECT_MEM_EQ(numbers, values.data, count * sizeof numbers[0]);
            close_parse(&p);
        }
        stk_blob_release(&blob);
    }
}

STK_TEST(prediction_never_changes_a_value)
{
    enum { KEYS = 6, RECORDS = 200 };
    /* The last is longer than the prefix that is remembered, and is looked up each time. */
    static const char *const names[KEYS] = {
        "a",        "another",
        "b",        "a_rather_long_name_of_a_feature",
        "unwanted", "a_name_that_takes_more_than_the_sixty_four_bytes_of_a_prefix_by_itself"};
    stk_feature_spec specs[KEYS - 1];
    const int64_t    missing = -7;
    size_t           begins[RECORDS + 1];
    stk_bytes        records[RECORDS];
    stk_blob         blob = {0};
    stk_error        err;
    for (size_t k = 0, s = 0; k < KEYS; k++) {
        if (strcmp(names[k], "unwanted") == 0) continue;
        specs[s] = dense(names[k], STK_DTYPE_I64);
        specs[s].has_default = true;
        specs[s].default_value = &missing;
        specs[s++].default_count = 1;
    }
    for (size_t i = 0; i < RECORDS; i++) {
        int64_t   values[KEYS];
        stk_field all[KEYS], chosen[KEYS];
        for (size_t k = 0; k < KEYS; k++) {
            values[k] = (int64_t)((i * 37 + k * 11) % 300);
            all[k] = field_of(names[k], STK_DTYPE_I64, &values[k], 1);
        }
        begins[i] = add_example(&blob, chosen, choose_fields(i, all, KEYS, chosen));
    }
    begins[RECORDS] = blob.size;
    for (size_t i = 0; i < RECORDS; i++)
        records[i] = stk_bytes_of(blob.data + begins[i], begins[i + 1] - begins[i]);
    parse p = open_parse(specs, KEYS - 1, NULL);
    EXPECT_OK(stk_example_parse(p.batch, records, RECORDS, NULL, &err));
    for (size_t k = 0, s = 0; k < KEYS; k++) {
        stk_feature_values values;
        if (strcmp(names[k], "unwanted") == 0) continue;
        stk_example_batch_values(p.batch, s++, &values);
        for (size_t i = 0; i < RECORDS; i++) {
            const bool    absent = (i >> 2) % (KEYS + 1) == k;
            const int64_t expected = absent ? missing : (int64_t)((i * 37 + k * 11) % 300);
            EXPECT_INT_EQ(expected, ((const int64_t *)values.data)[i]);
        }
    }
    close_parse(&p);
    stk_blob_release(&blob);
}

STK_TEST(parse_takes_more_entries_than_it_remembers)
{
    enum { ENTRIES = 700 };
    static char names[ENTRIES][16];
    stk_field   fields[ENTRIES];
    stk_error   err;
    stk_blob    blob = {0};
    for (int i = 0; i < ENTRIES; i++) {
        static const int64_t value = 3;
        snprintf(names[i], sizeof names[i], "feature_%d", i);
        fields[i] = field_of(names[i], STK_DTYPE_I64, &value, 1);
    }
    add_example(&blob, fields, ENTRIES);
    const stk_feature_spec specs[] = {dense("feature_0", STK_DTYPE_I64),
                                      dense("feature_511", STK_DTYPE_I64),
                                      dense("feature_699", STK_DTYPE_I64)};
    const stk_bytes        records[] = {stk_blob_bytes(&blob), stk_blob_bytes(&blob)};
    parse                  p = open_parse(specs, 3, NULL);
    EXPECT_OK(stk_example_parse(p.batch, records, 2, NULL, &err));
    for (size_t i = 0; i < 3; i++) {
        stk_feature_values values;
        stk_example_batch_values(p.batch, i, &values);
        EXPECT_INT_EQ(3, ((const int64_t *)values.data)[0]);
        EXPECT_INT_EQ(3, ((const int64_t *)values.data)[1]);
    }
    close_parse(&p);
    stk_blob_release(&blob);
}

STK_TEST(parse_counts_entries_that_a_later_one_replaced)
{
    stk_error              err;
    stk_feature_values     values;
    const stk_feature_spec spec = varlen("k", STK_DTYPE_I64);
    const stk_bytes        records[] = {five, BYTES_OF(FIVE FIVE FIVE), five};
    parse                  p = open_parse(&spec, 1, NULL);
    EXPECT_OK(stk_example_parse(p.batch, records, 3, NULL, &err));
    EXPECT_INT_EQ(2, stk_example_batch_duplicates(p.batch));
    stk_example_batch_values(p.batch, 0, &values);
    EXPECT_INT_EQ(3, values.count);
    EXPECT_INT_EQ(1, values.splits[1]);
    EXPECT_INT_EQ(2, values.splits[2]);
    EXPECT_INT_EQ(3, values.splits[3]);
    EXPECT_OK(stk_example_parse(p.batch, records, 1, NULL, &err));
    EXPECT_INT_EQ(0, stk_example_batch_duplicates(p.batch));
    close_parse(&p);
}

STK_TEST(unset_kind_behind_a_value_empties_a_varying_feature_but_not_a_dense_one)
{
    stk_error              err;
    stk_feature_values     values;
    const stk_feature_spec specs[] = {dense("k", STK_DTYPE_I64), varlen("k", STK_DTYPE_I64)};
    const stk_bytes        record = BYTES_OF(FIVE "\x0a\x07\x0a\x05\x0a\x01k\x12\x00");
    for (int i = 0; i < 2; i++) {
        parse p = open_parse(&specs[i], 1, NULL);
        EXPECT_OK(stk_example_parse(p.batch, &record, 1, NULL, &err));
        stk_example_batch_values(p.batch, 0, &values);
        EXPECT_INT_EQ(i ? 0 : 1, values.count);
        close_parse(&p);
    }
}

STK_TEST(batch_can_be_used_again_after_a_refused_record)
{
    stk_error              err;
    stk_feature_values     values;
    const stk_feature_spec specs[] = {varlen("k", STK_DTYPE_I64), dense("k2", STK_DTYPE_I64)};
    const stk_bytes        bad[] = {BYTES_OF(FIVE), BYTES_OF(FIVE)};
    parse                  p = open_parse(specs, 2, NULL);
    EXPECT_STATUS(STK_E_INVALID, stk_example_parse(p.batch, bad, 2, NULL, &err));
    EXPECT_CONTAINS("record 0: feature 'k2'", err.where);
    const stk_bytes good = BYTES_OF(FIVE "\x0a\x0d\x0a\x0b\x0a\x02k2\x12\x05\x1a\x03\x0a\x01\x06");
    EXPECT_OK(stk_example_parse(p.batch, &good, 1, NULL, &err));
    stk_example_batch_values(p.batch, 0, &values);
    EXPECT_INT_EQ(1, values.count);
    EXPECT_INT_EQ(5, *(const int64_t *)values.data);
    close_parse(&p);
}

STK_TEST(no_records_and_no_features_are_legal)
{
    stk_error              err;
    stk_feature_values     values;
    const stk_feature_spec specs[] = {
        dense("a", STK_DTYPE_I64),
        varlen("b", STK_DTYPE_BYTES),
        {.name = "c", .kind = STK_FEATURE_DENSE_PADDED, .dtype = STK_DTYPE_F32}};
    parse p = open_parse(specs, 3, NULL);
    EXPECT_OK(stk_example_parse(p.batch, NULL, 0, NULL, &err));
    for (size_t i = 0; i < 3; i++) {
        stk_example_batch_values(p.batch, i, &values);
        EXPECT_INT_EQ(0, values.count);
        EXPECT_INT_EQ(0, values.shape.dim[0]);
        EXPECT(values.data != NULL);
    }
    close_parse(&p);
    const stk_bytes nothing = {NULL, 0}, group = BYTES_OF("\x0b");
    p = open_parse(NULL, 0, NULL);
    EXPECT_OK(stk_example_parse(p.batch, &five, 1, NULL, &err));
    EXPECT_STATUS(STK_E_INVALID, stk_example_parse(p.batch, &group, 1, NULL, &err));
    EXPECT_OK(stk_example_parse(p.batch, &nothing, 1, NULL, &err));
    close_parse(&p);
}

STK_TEST(strings_are_views_into_the_record_and_defaults_are_copies)
{
    stk_error        err;
    stk_bytes        default_value = BYTES_OF("none");
    char             text[] = "none";
    stk_feature_spec specs[] = {dense("s", STK_DTYPE_BYTES), dense("t", STK_DTYPE_BYTES)};
    default_value.data = (const uint8_t *)text;
    specs[1].has_default = true;
    specs[1].default_value = &default_value;
    specs[1].default_count = 1;
    specs[1].shape = stk_shape_1d(2);
    parse p = open_parse(specs, 2, NULL);
    memset(text, 'z', 4);
    stk_feature_values values;
    const stk_bytes    record = BYTES_OF("\x0a\x0c\x0a\x0a\x0a\x01s\x12\x05\x0a\x03\x0a\x01x");
    EXPECT_OK(stk_example_parse(p.batch, &record, 1, NULL, &err));
    stk_example_batch_values(p.batch, 0, &values);
    EXPECT(((const stk_bytes *)values.data)->data == record.data + 13);
    stk_example_batch_values(p.batch, 1, &values);
    EXPECT_INT_EQ(2, values.count);
    EXPECT(stk_bytes_equal(((const stk_bytes *)values.data)[1], BYTES_OF("none")));
    close_parse(&p);
}

STK_TEST(parser_refuses_specs_that_make_no_sense)
{
    static const int64_t two[2] = {1, 2};
    stk_error            err;
    stk_example_parser  *parser;
    stk_feature_spec     spec = dense("k", STK_DTYPE_U8);
    EXPECT_STATUS(STK_E_TYPE, stk_example_parser_new(&parser, &spec, 1, &err));
    EXPECT_CONTAINS("not uint8", err.message);
    EXPECT(parser == NULL);
    spec = dense("k", STK_DTYPE_I64);
    spec.shape = stk_shape_1d(-1);
    EXPECT_STATUS(STK_E_SHAPE, stk_example_parser_new(&parser, &spec, 1, &err));
    EXPECT_STR_EQ("k", err.where);
    spec.shape = stk_shape_3d(INT64_MAX, INT64_MAX, 2);
    EXPECT_STATUS(STK_E_SHAPE, stk_example_parser_new(&parser, &spec, 1, &err));
    spec.shape = (stk_shape){.rank = STK_MAX_RANK, .dim = {1, 1, 1, 1, 1, 1, 1, 1}};
    EXPECT_STATUS(STK_E_SHAPE, stk_example_parser_new(&parser, &spec, 1, &err));
    spec.shape = stk_shape_1d(3);
    spec.has_default = true;
    spec.default_value = two;
    spec.default_count = 2;
    EXPECT_STATUS(STK_E_SHAPE, stk_example_parser_new(&parser, &spec, 1, &err));
    EXPECT_CONTAINS("the default has 2 values, expected 3 or 1", err.message);
    spec.default_value = NULL;
    spec.default_count = 1;
    EXPECT_STATUS(STK_E_INVALID, stk_example_parser_new(&parser, &spec, 1, &err));
    EXPECT_CONTAINS("the default's 1 values are missing", err.message);
    spec.kind = STK_FEATURE_VARLEN;
    EXPECT_STATUS(STK_E_INVALID, stk_example_parser_new(&parser, &spec, 1, &err));
    spec = (stk_feature_spec){.name = "k",
                              .kind = STK_FEATURE_DENSE_PADDED,
                              .dtype = STK_DTYPE_I64,
                              .shape = stk_shape_1d(0)};
    EXPECT_STATUS(STK_E_SHAPE, stk_example_parser_new(&parser, &spec, 1, &err));
    const stk_feature_spec twice[] = {dense("k", STK_DTYPE_I64), dense("j", STK_DTYPE_I64),
                                      dense("k", STK_DTYPE_F32)};
    EXPECT_STATUS(STK_E_INVALID, stk_example_parser_new(&parser, twice, 3, &err));
    EXPECT_CONTAINS("wanted twice", err.message);
    const stk_feature_spec nameless = dense(NULL, STK_DTYPE_I64);
    EXPECT_STATUS(STK_E_INVALID, stk_example_parser_new(&parser, &nameless, 1, &err));
}

STK_TEST(absurd_sizes_are_errors)
{
    stk_error        err;
    stk_ledger      *ledger;
    stk_feature_spec specs[] = {dense("k", STK_DTYPE_I64), varlen("k", STK_DTYPE_I64)};
    specs[0].shape = stk_shape_1d(INT64_MAX);
    EXPECT_OK(stk_ledger_new(&ledger, 1 << 20, &err));
    for (int i = 0; i < 2; i++) {
        parse p = open_parse(&specs[i], 1, ledger);
        EXPECT_STATUS(STK_E_LIMIT, stk_example_parse(p.batch, NULL, SIZE_MAX, NULL, &err));
        EXPECT_STATUS(STK_E_LIMIT, stk_example_parse(p.batch, NULL, SIZE_MAX / 8, NULL, &err));
        close_parse(&p);
    }
    specs[0].shape = stk_shape_1d(1 << 20);
    parse p = open_parse(specs, 1, ledger);
    EXPECT_STATUS(STK_E_CEILING, stk_example_parse(p.batch, &five, 1, NULL, &err));
    close_parse(&p);
    stk_ledger_unref(ledger);
}

STK_TEST(padding_is_held_to_the_ceiling)
{
    enum { RECORDS = 64 };
    static int64_t   values[2000];
    stk_error        err;
    stk_ledger      *ledger;
    stk_blob         blob = {0};
    stk_bytes        records[RECORDS];
    const stk_field  field = field_of("k", STK_DTYPE_I64, values, COUNT_OF(values));
    stk_feature_spec spec = {.name = "k", .kind = STK_FEATURE_DENSE_PADDED, .dtype = STK_DTYPE_I64};
    add_example(&blob, &field, 1);
    for (size_t i = 0; i < RECORDS; i++)
        records[i] = i ? BYTES_OF("") : stk_blob_bytes(&blob);
    EXPECT_OK(stk_ledger_new(&ledger, 100000, &err));
    parse p = open_parse(&spec, 1, ledger);
    EXPECT_STATUS(STK_E_CEILING, stk_example_parse(p.batch, records, RECORDS, NULL, &err));
    EXPECT_OK(stk_example_parse(p.batch, records, 2, NULL, &err));
    close_parse(&p);
    stk_ledger_report report;
    stk_ledger_read(ledger, &report);
    EXPECT_INT_EQ(0, report.bytes);
    stk_ledger_unref(ledger);
    stk_blob_release(&blob);
}

STK_TEST(batch_under_every_ceiling_is_right_or_refused_and_gives_all_back)
{
    enum { RECORDS = 40 };
    static int64_t         values[RECORDS];
    stk_error              err;
    stk_ledger            *ledger;
    stk_ledger_report      report;
    stk_blob               blobs[RECORDS] = {0};
    stk_bytes              records[RECORDS];
    const stk_feature_spec specs[] = {
        dense("k", STK_DTYPE_I64),
        varlen("v", STK_DTYPE_I64),
        {.name = "p", .kind = STK_FEATURE_DENSE_PADDED, .dtype = STK_DTYPE_I64}};
    for (size_t i = 0; i < RECORDS; i++) {
        const stk_field fields[] = {field_of("k", STK_DTYPE_I64, values, 1),
                                    field_of("v", STK_DTYPE_I64, values, i),
                                    field_of("p", STK_DTYPE_I64, values, i)};
        values[i] = (int64_t)i;
        add_example(&blobs[i], fields, 3);
        records[i] = stk_blob_bytes(&blobs[i]);
    }
    size_t refused = 0;
    bool   parsed = false;
    for (uint64_t ceiling = 1; !parsed; ceiling += ceiling / 16 + 1) {
        EXPECT_OK(stk_ledger_new(&ledger, ceiling, &err));
        parse            p = open_parse(specs, 3, ledger);
        const stk_status st = stk_example_parse(p.batch, records, RECORDS, NULL, &err);
        parsed = !st;
        if (st) {
            refused++;
            EXPECT_STATUS(STK_E_CEILING, st);
            /* The batch goes on with what it has. */
            const stk_status again = stk_example_parse(p.batch, records, 1, NULL, &err);
            if (again) EXPECT_STATUS(STK_E_CEILING, again);
        } else {
            stk_feature_values v;
            stk_example_batch_values(p.batch, 1, &v);
            EXPECT_INT_EQ(RECORDS * (RECORDS - 1) / 2, v.count);
            EXPECT_INT_EQ(RECORDS - 2, ((const int64_t *)v.data)[v.count - 1]);
            stk_example_batch_values(p.batch, 2, &v);
            EXPECT_INT_EQ(RECORDS * (RECORDS - 1), v.count);
            EXPECT_INT_EQ(0, ((const int64_t *)v.data)[RECORDS - 2]);
        }
        close_parse(&p);
        stk_ledger_read(ledger, &report);
        EXPECT_INT_EQ(0, report.bytes);
        stk_ledger_unref(ledger);
    }
    EXPECT(refused > 10);
    for (size_t i = 0; i < RECORDS; i++)
        stk_blob_release(&blobs[i]);
}

static stk_status parse_everything(void *context, stk_error *err)
{
    static const int64_t   fill = 3;
    const stk_bytes       *records = context;
    const stk_feature_spec specs[] = {
        {.name = "k",
         .kind = STK_FEATURE_DENSE,
         .dtype = STK_DTYPE_I64,
         .has_default = true,
         .default_value = &fill,
         .default_count = 1},
        varlen("v", STK_DTYPE_I64),
        {.name = "p", .kind = STK_FEATURE_DENSE_PADDED, .dtype = STK_DTYPE_I64}};
    stk_example_parser *parser;
    stk_example_batch  *batch = NULL;
    stk_status          st = stk_example_parser_new(&parser, specs, 3, err);
    if (!st) st = stk_example_batch_new(&batch, parser, NULL, err);
    if (!st) st = stk_example_parse(batch, records, 3, NULL, err);
    stk_example_batch_free(batch);
    stk_example_parser_free(parser);
    return st;
}

STK_TEST(parse_survives_every_failed_allocation)
{
    static int64_t  values[100];
    stk_blob        blob = {0};
    const stk_field fields[] = {field_of("v", STK_DTYPE_I64, values, 100),
                                field_of("p", STK_DTYPE_I64, values, 50)};
    add_example(&blob, fields, 2);
    stk_blob  copy = {0};
    stk_error err;
    EXPECT_OK(stk_blob_append(&copy, blob.data, blob.size, &err));
    EXPECT_OK(stk_blob_append(&copy, blob.data, blob.size, &err)); /* every key twice */
    const stk_bytes records[] = {stk_blob_bytes(&blob), BYTES_OF(FIVE), stk_blob_bytes(&copy)};
    stk_test_fail_each_allocation(parse_everything, (void *)records);
    stk_blob_release(&blob);
    stk_blob_release(&copy);
}

/* Parses the records that TensorFlow was given and expects what it made of them: see
 * tests/data/example/README.md. */
#include "harness.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FOLDER STK_TEST_DATA "/example/"

enum { MOST = 64, TEXT = 1 << 14 };

/* A line of the list of expectations, taken apart at its tabs; missing columns are "". */
typedef struct row {
    char *column[8];
} row;

static bool next_row(FILE *file, char *text, row *r)
{
    if (!fgets(text, TEXT, file)) return false;
    text[strcspn(text, "\n")] = '\0';
    for (int i = 0; i < 8; i++) {
        char *tab = strchr(text, '\t');
        r->column[i] = text;
        text = tab ? tab + 1 : text + strlen(text);
        if (tab) *tab = '\0';
    }
    return true;
}

static size_t read_records(char *names, stk_bytes *records)
{
    size_t count = 0;
    char  *rest = names;
    for (char *name; (name = strsep(&rest, ","));) {
        char path[512];
        EXPECT(count < MOST);
        snprintf(path, sizeof path, FOLDER "%s.pb", name);
        records[count++] = stk_test_read_file(path);
    }
    return count;
}

static stk_shape read_shape(char *text)
{
    stk_shape shape = {0};
    if (strcmp(text, "-") == 0) return shape;
    for (char *dim; (dim = strsep(&text, ","));)
        shape.dim[shape.rank++] = strtoll(dim, NULL, 10);
    return shape;
}

/* Values as the list writes them: decimal, the bits of floats in hex, bytes in hex behind x. */
static size_t read_values(stk_dtype dtype, char *text, void *values, uint8_t *bytes)
{
    size_t count = 0;
    for (char *word; (word = strsep(&text, " ")); count++) {
        if (dtype == STK_DTYPE_I64) ((int64_t *)values)[count] = strtoll(word, NULL, 10);
        if (dtype == STK_DTYPE_F32) {
            const uint32_t bits = (uint32_t)strtoul(word, NULL, 16);
            memcpy((float *)values + count, &bits, sizeof bits);
        }
        if (dtype != STK_DTYPE_BYTES) continue;
        const size_t size = strlen(word + 1) / 2;
        for (size_t i = 0; i < size; i++)
            sscanf(word + 1 + 2 * i, "%2" SCNx8, &bytes[i]);
        ((stk_bytes *)values)[count] = stk_bytes_of(bytes, size);
        bytes += size;
    }
    return count;
}

static char *write_value(char *at, stk_dtype dtype, const void *values, size_t i)
{
    if (dtype == STK_DTYPE_I64) return at + sprintf(at, "%" PRId64, ((const int64_t *)values)[i]);
    if (dtype == STK_DTYPE_F32) {
        uint32_t bits;
        memcpy(&bits, (const float *)values + i, sizeof bits);
        return at + sprintf(at, "%08" PRIx32, bits);
    }
    const stk_bytes value = ((const stk_bytes *)values)[i];
    *at++ = 'x';
    for (size_t k = 0; k < value.size; k++)
        at += sprintf(at, "%02x", value.data[k]);
    *at = '\0';
    return at;
}

static void write_values(char *at, stk_dtype dtype, const void *values, size_t count)
{
    *at = '\0';
    for (size_t i = 0; i < count; i++) {
        if (i) *at++ = ' ';
        at = write_value(at, dtype, values, i);
    }
}

static char *write_numbers(char *at, const int64_t *numbers, size_t count)
{
    if (!count) at += sprintf(at, "-");
    for (size_t i = 0; i < count; i++)
        at += sprintf(at, "%s%" PRId64, i ? "," : "", numbers[i]);
    return at;
}

static const char *name_status(stk_status status)
{
    switch (status) {
    case STK_OK:
        return "ok";
    case STK_E_TYPE:
        return "type";
    case STK_E_SHAPE:
        return "shape";
    case STK_E_INVALID:
        return "invalid";
    default:
        return stk_status_name(status);
    }
}

/* Says which line failed, with both results, before the test ends. */
static void expect_text(const char *expected, const char *actual, const row *r, const char *what)
{
    if (strcmp(expected, actual) == 0) return;
    fail_msg("%s as %s %s: %s expected '%s', got '%s'", r->column[0], r->column[1], r->column[2],
             what, expected, actual);
}

static void expect_values(const stk_example_batch *batch, size_t records, const row *r)
{
    static char        text[TEXT];
    stk_feature_values values;
    stk_example_batch_values(batch, 0, &values);
    if (values.splits)
        write_numbers(text, values.splits, records + 1);
    else
        write_numbers(text, values.shape.dim, (size_t)values.shape.rank);
    expect_text(r->column[6], text, r, "shape or splits");
    write_values(text, values.dtype, values.data, values.count);
    expect_text(r->column[7], text, r, "values");
}

static void check_row(row *r)
{
    static uint8_t      defaults[MOST * sizeof(stk_bytes)], bytes[TEXT];
    stk_bytes           records[MOST];
    stk_example_parser *parser;
    stk_example_batch  *batch;
    stk_error           err;
    stk_feature_spec    spec = {
           .name = "k", .dtype = stk_dtype_from_name(r->column[2]), .shape = read_shape(r->column[3])};
    spec.kind = r->column[1][0] == 'd'   ? STK_FEATURE_DENSE
                : r->column[1][0] == 'p' ? STK_FEATURE_DENSE_PADDED
                                         : STK_FEATURE_VARLEN;
    spec.has_default = strcmp(r->column[4], "-") != 0;
    if (spec.has_default) {
        spec.default_value = defaults;
        spec.default_count = read_values(spec.dtype, r->column[4], defaults, bytes);
    }
    const size_t count = read_records(r->column[0], records);
    EXPECT_OK(stk_example_parser_new(&parser, &spec, 1, &err));
    EXPECT_OK(stk_example_batch_new(&batch, parser, NULL, &err));
    for (int round = 0; round < 3; round++) { /* later rounds find everything as predicted */
        const stk_status st = stk_example_parse(batch, records, count, NULL, &err);
        expect_text(r->column[5], name_status(st), r, st ? err.message : "status");
        if (!st) expect_values(batch, count, r);
    }
    stk_example_batch_free(batch);
    stk_example_parser_free(parser);
}

STK_TEST(every_record_parses_as_tensorflow_parses_it)
{
    static char text[TEXT];
    row         r;
    size_t      rows = 0;
    FILE       *file = fopen(FOLDER "expected.txt", "r");
    EXPECT(file != NULL);
    for (; next_row(file, text, &r); rows++)
        check_row(&r);
    fclose(file);
    EXPECT(rows > 200);
}

static void expect_list(const stk_sequence_batch *batch, const row *r)
{
    static char         text[TEXT];
    stk_sequence_values values;
    stk_sequence_batch_sequence(batch, 0, &values);
    char *at = write_numbers(text, values.row_splits, 2);
    if (values.step_splits) {
        *at++ = ';';
        write_numbers(at, values.step_splits, (size_t)values.row_splits[1] + 1);
    }
    expect_text(r->column[6], text, r, "splits");
    write_values(text, values.dtype, values.data, values.count);
    expect_text(r->column[7], text, r, "values");
}

static void check_sequence_row(row *r)
{
    stk_bytes            record;
    stk_sequence_parser *parser;
    stk_sequence_batch  *batch;
    stk_error            err;
    stk_sequence_spec    spec = {.name = "k",
                                 .varlen = r->column[1][0] == 'v',
                                 .dtype = stk_dtype_from_name(r->column[2]),
                                 .shape = read_shape(r->column[3]),
                                 .allow_missing = r->column[4][0] == 'm'};
    read_records(r->column[0], &record);
    EXPECT_OK(stk_sequence_parser_new(&parser, NULL, 0, &spec, 1, &err));
    EXPECT_OK(stk_sequence_batch_new(&batch, parser, NULL, &err));
    for (int round = 0; round < 2; round++) {
        const stk_status st = stk_sequence_parse(batch, &record, 1, NULL, &err);
        expect_text(r->column[5], name_status(st), r, st ? err.message : "status");
        if (!st) expect_list(batch, r);
    }
    stk_sequence_batch_free(batch);
    stk_sequence_parser_free(parser);
}

STK_TEST(every_sequence_parses_as_tensorflow_parses_it)
{
    static char text[TEXT];
    row         r;
    size_t      rows = 0;
    FILE       *file = fopen(FOLDER "expected_sequence.txt", "r");
    EXPECT(file != NULL);
    for (; next_row(file, text, &r); rows++)
        check_sequence_row(&r);
    fclose(file);
    EXPECT(rows > 40);
}

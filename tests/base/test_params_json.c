/* Structs as JSON by their table: every kind there and back, and what is refused. */
#include "harness.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <stoker/params.h>
#include <string.h>

typedef struct test_item {
    char   name[8];
    double measured;
} test_item;

typedef struct test_struct {
    bool      flag;
    int       small, kind;
    int64_t   large;
    uint32_t  count;
    uint64_t  bytes, counts[3];
    float     single;
    double    amount, measured, pair[2];
    char      text[8], lines[3][4];
    size_t    line_count, row_count;
    int       item_count;
    test_item one, items[2], *rows;
    int       custom;
} test_struct;

static stk_status parse_custom(const stk_param_call *call, void *to, stk_error *err)
{
    if (call->text[0] != 'c') return stk_param_refuse(call, STK_PARAM_NOT_VALUE, err);
    ((test_struct *)to)->custom = call->text[1];
    return STK_OK;
}

static int print_custom(const void *from, char *text, size_t capacity)
{
    return snprintf(text, capacity, "c%c", ((const test_struct *)from)->custom);
}

static const stk_param item_rows[] = {
    {STK_PARAM_ROW(test_item, name, STK_PARAM_TEXT), .renamed_from = "title"},
    STK_PARAM_MEASURED(test_item, measured),
};
static const stk_params item_table = {STK_PARAM_TABLE(item_rows, test_item)};

#define ROW(member, kind) STK_PARAM_ROW(test_struct, member, STK_PARAM_##kind)

static const stk_param rows[] = {
    {ROW(flag, BOOL)},
    {ROW(small, INT32), .renamed_from = "little"},
    {ROW(kind, ENUM), .choices = STK_PARAM_WORDS("a", "b")},
    {ROW(large, INT64)},
    {ROW(count, UINT32)},
    {ROW(bytes, UINT64)},
    {ROW(counts, COUNTS), .count = 3},
    {ROW(single, FLOAT)},
    {ROW(amount, DOUBLE), .max = INFINITY},
    STK_PARAM_MEASURED(test_struct, measured),
    {ROW(pair, NUMBERS), .count = 2, .max = 1},
    {ROW(text, TEXT)},
    {.name = "lines",
     .kind = STK_PARAM_LINES,
     .offset = offsetof(test_struct, lines),
     .size = 4,
     .count = 3,
     .counter = offsetof(test_struct, line_count),
     .counter_bytes = sizeof(size_t)},
    {ROW(one, STRUCT), .table = &item_table},
    {STK_PARAM_COUNTED(test_struct, items, STK_PARAM_STRUCTS, item_count), .count = 2,
     .table = &item_table},
    {STK_PARAM_COUNTED(test_struct, rows, STK_PARAM_ROWS, row_count), .count = 100,
     .table = &item_table},
    {.name = "custom",
     .kind = STK_PARAM_CUSTOM,
     .parse = parse_custom,
     .print = print_custom,
     .usage = "a c and a letter"},
};
static const stk_params table = {STK_PARAM_TABLE(rows, test_struct)};

static stk_status read_text(test_struct *to, const char *text, stk_error *err)
{
    stk_json_document *doc;
    STK_TRY(stk_json_parse(&doc, stk_bytes_text(text), "test.json", err));
    const stk_status st = stk_params_read_json(stk_json_root(doc), &table, to, "test", err);
    stk_json_document_free(doc);
    return st;
}

static const char whole[] =
    "{\"flag\":true,\"small\":-3,\"kind\":\"b\",\"large\":9007199254740993,\"count\":4294967295,"
    "\"bytes\":12,\"counts\":[1,2,3],\"single\":0.25,\"amount\":1e300,\"measured\":null,"
    "\"pair\":[0.5,1],\"text\":\"seven..\",\"lines\":[],\"one\":{\"name\":\"x\",\"measured\":2},"
    "\"items\":[{\"name\":\"y\",\"measured\":0}],\"rows\":{\"keys\":[\"name\",\"measured\"],"
    "\"rows\":[[\"p\",1.5],[\"q\",null]]},\"custom\":\"cz\"}";

STK_TEST(every_kind_is_read_and_written_the_same)
{
    stk_error       err;
    test_struct     t = {0}, again = {0};
    stk_blob        out;
    stk_json_writer w;
    EXPECT_OK(read_text(&t, whole, &err));
    EXPECT(t.flag && t.small == -3 && t.kind == 1 && t.large == INT64_C(9007199254740993));
    EXPECT(t.count == UINT32_MAX && t.bytes == 12 && t.counts[2] == 3 && t.single == 0.25f);
    EXPECT(t.amount == 1e300 && t.measured == -1 && t.pair[0] == 0.5 && t.custom == 'z');
    EXPECT_STR_EQ("seven..", t.text);
    EXPECT_STR_EQ("x", t.one.name);
    EXPECT_INT_EQ(1, t.item_count);
    EXPECT_INT_EQ(2, t.row_count);
    EXPECT(t.rows[0].measured == 1.5 && t.rows[1].measured == -1);
    stk_blob_init(&out, NULL, STK_MEMORY_OUTPUT);
    stk_json_begin(&w, &out, 0);
    t.line_count = 2;
    memcpy(t.lines, "abc\0d", 6);
    stk_params_write_json(&w, &table, &t);
    EXPECT_OK(stk_json_end(&w, &err));
    EXPECT_OK(stk_blob_append(&out, "", 1, &err));
    EXPECT_CONTAINS("\"lines\":[\"abc\",\"d\"]", (const char *)out.data);
    EXPECT_OK(read_text(&again, (const char *)out.data, &err));
    EXPECT(again.measured == -1 && again.large == t.large && again.pair[1] == 1);
    EXPECT_STR_EQ("q", again.rows[1].name);
    stk_blob_release(&out);
    free(t.rows);
    free(again.rows);
}

STK_TEST(what_is_absent_is_not_known_and_what_is_strange_is_passed_over)
{
    stk_error   err;
    test_struct t = {.small = 5};
    EXPECT_OK(read_text(&t, "{\"nothing\":[],\"amount\":null,\"one\":{}}", &err));
    EXPECT(t.small == 5 && t.measured == -1 && t.one.measured == -1 && t.amount == 0);
}

STK_TEST(former_names_are_read)
{
    stk_error   err;
    test_struct t = {0};
    EXPECT_OK(read_text(&t,
                        "{\"little\":4,\"one\":{\"title\":\"o\"},"
                        "\"rows\":{\"keys\":[\"title\"],\"rows\":[[\"r\"]]}}",
                        &err));
    EXPECT_INT_EQ(4, t.small);
    EXPECT_STR_EQ("o", t.one.name);
    EXPECT_STR_EQ("r", t.rows[0].name);
    EXPECT_OK(read_text(&t, "{\"little\":4,\"small\":5}", &err));
    EXPECT_INT_EQ(5, t.small);
    free(t.rows);
}

STK_TEST(what_does_not_fit_is_refused_with_its_place)
{
    static const struct {
        const char *json, *where, *message;
    } wrong[] = {
        {"[]", "", "an object"},
        {"{\"flag\":1}", "flag", "true or false"},
        {"{\"small\":2147483648}", "small", "a whole number"},
        {"{\"small\":1e300}", "small", "a whole number"},
        {"{\"count\":-1}", "count", "not negative"},
        {"{\"count\":4294967296}", "count", "not negative"},
        {"{\"bytes\":1e19}", "bytes", "not negative"},
        {"{\"kind\":\"c\"}", "kind", "one of the names"},
        {"{\"kind\":1}", "kind", "one of the names"},
        {"{\"amount\":-1}", "amount", "not negative"},
        {"{\"amount\":\"1\"}", "amount", "a number"},
        {"{\"single\":1e39}", "single", "32 bits"},
        {"{\"pair\":[1]}", "pair", "as many numbers"},
        {"{\"pair\":[1,2]}", "pair[1]", "in its range"},
        {"{\"counts\":[1,2]}", "counts", "as many whole numbers"},
        {"{\"counts\":[1,-2,3]}", "counts[1]", "not negative"},
        {"{\"text\":\"12345678\"}", "text", "not too long"},
        {"{\"one\":3}", "one", "an object"},
        {"{\"items\":[{},{},{}]}", "items", "fewer"},
        {"{\"items\":[{},{\"name\":1}]}", "items[1].name", "a text"},
        {"{\"rows\":[]}", "rows", "keys and rows"},
        {"{\"rows\":{\"keys\":[\"name\"],\"rows\":[[1,2]]}}", "rows.rows[0]", "as many values"},
        {"{\"rows\":{\"keys\":[\"name\"],\"rows\":[[\"a\"],[1]]}}", "rows.rows[1].name", "a text"},
        {"{\"custom\":\"x\"}", "custom", "a c and a letter"},
    };
    for (size_t i = 0; i < COUNT_OF(wrong); i++) {
        stk_error   err;
        test_struct t = {0};
        EXPECT_STATUS(STK_E_INVALID, read_text(&t, wrong[i].json, &err));
        EXPECT_STR_EQ(wrong[i].where, err.where);
        EXPECT_CONTAINS(wrong[i].message, err.message);
        free(t.rows);
    }
}

static stk_status read_whole(void *context, stk_error *err)
{
    test_struct t = {0};
    (void)context;
    const stk_status st = read_text(&t, whole, err);
    free(t.rows);
    return st;
}

STK_TEST(reading_survives_every_failed_allocation)
{
    stk_test_fail_each_allocation(read_whole, NULL);
}

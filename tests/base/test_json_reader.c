/* The reader accepts RFC 8259 and nothing else, and says where it stopped. */
#include "harness.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static stk_json_document *parse(const char *text)
{
    stk_error          err;
    stk_json_document *doc;
    EXPECT_OK(stk_json_parse(&doc, stk_bytes_text(text), "test.json", &err));
    return doc;
}

static void expect_refused(stk_status status, const char *text, const char *message)
{
    stk_error          err = {0};
    stk_json_document *doc = (stk_json_document *)&err;
    /* A copy of exactly its size: reading past its end is then seen by a sanitizer. */
    const size_t size = strlen(text);
    char        *copy = malloc(size ? size : 1);
    memcpy(copy, text, size);
    if (stk_json_parse(&doc, stk_bytes_of(copy, size), "test.json", &err) != status)
        fail_msg("'%s': expected '%s', got '%s' %s", text, stk_status_name(status),
                 stk_status_name(err.status), err.message);
    free(copy);
    EXPECT(!doc);
    EXPECT_STR_EQ("test.json", err.where);
    EXPECT_CONTAINS(message, err.message);
}

STK_TEST(reader_makes_the_tree_that_was_written)
{
    stk_json_document    *doc = parse(" {\"a\" : [1, -2.5, 3e2, \"x\", true, false, null],\r\n"
                                         "\t\"b\": {\"c\": {}}, \"d\": []} ");
    const stk_json_value *root = stk_json_root(doc), *a = stk_json_get(root, "a");
    EXPECT_INT_EQ(STK_JSON_OBJECT, stk_json_type_of(root));
    EXPECT_INT_EQ(3, stk_json_count(root));
    EXPECT_STR_EQ("b", stk_json_key_at(root, 1));
    EXPECT_INT_EQ(7, stk_json_count(a));
    EXPECT_INT_EQ(1, stk_json_integer(stk_json_at(a, 0), -1));
    EXPECT(stk_json_number(stk_json_at(a, 1), 0) == -2.5);
    EXPECT_INT_EQ(-1, stk_json_integer(stk_json_at(a, 1), -1));
    EXPECT_INT_EQ(300, stk_json_integer(stk_json_at(a, 2), -1));
    EXPECT_STR_EQ("x", stk_json_text(stk_json_at(a, 3), ""));
    EXPECT(stk_json_truth(stk_json_at(a, 4), false) && !stk_json_truth(stk_json_at(a, 5), true));
    EXPECT_INT_EQ(STK_JSON_NULL, stk_json_type_of(stk_json_at(a, 6)));
    EXPECT_INT_EQ(0, stk_json_count(stk_json_get(stk_json_get(root, "b"), "c")));
    EXPECT_INT_EQ(STK_JSON_ARRAY, stk_json_type_of(stk_json_get(root, "d")));
    stk_json_document_free(doc);
}

STK_TEST(getters_accept_nothing_and_values_of_another_type)
{
    stk_json_document    *doc = parse("[1, \"x\"]");
    const stk_json_value *root = stk_json_root(doc), *text = stk_json_at(root, 1);
    EXPECT(!stk_json_get(root, "a") && !stk_json_get(NULL, "a") && !stk_json_at(root, 2));
    EXPECT(!stk_json_at(text, 0) && !stk_json_at(NULL, 0));
    EXPECT(!stk_json_key_at(root, 0) && !stk_json_key_at(NULL, 0));
    EXPECT_INT_EQ(0, stk_json_count(text));
    EXPECT_INT_EQ(0, stk_json_count(NULL));
    EXPECT_STR_EQ("no", stk_json_text(stk_json_at(root, 0), "no"));
    EXPECT_STR_EQ("no", stk_json_text(stk_json_get(stk_json_at(root, 9), "deep"), "no"));
    EXPECT(stk_json_number(text, 7) == 7 && stk_json_number(NULL, 7) == 7);
    EXPECT(stk_json_truth(text, true) && stk_json_truth(NULL, true));
    EXPECT_INT_EQ(-3, stk_json_integer(text, -3));
    EXPECT_INT_EQ(-3, stk_json_integer(root, -3));
    EXPECT_INT_EQ(STK_JSON_NULL, stk_json_type_of(NULL));
    EXPECT(!stk_json_root(NULL));
    stk_json_document_free(doc);
    stk_json_document_free(NULL);
}

static int64_t integer_of(const char *text)
{
    stk_json_document *doc = parse(text);
    const int64_t      value = stk_json_integer(stk_json_root(doc), -77);
    stk_json_document_free(doc);
    return value;
}

STK_TEST(integers_are_exact_and_may_be_strings_of_digits)
{
    EXPECT_INT_EQ(INT64_MAX, integer_of("9223372036854775807"));
    EXPECT_INT_EQ(INT64_MIN, integer_of("-9223372036854775808"));
    EXPECT_INT_EQ(9007199254740993, integer_of("9007199254740993"));
    EXPECT_INT_EQ(-77, integer_of("9223372036854775808"));
    EXPECT_INT_EQ(-77, integer_of("1e19"));
    EXPECT_INT_EQ(-77, integer_of("0.5"));
    EXPECT_INT_EQ(0, integer_of("-0"));
    EXPECT_INT_EQ(12, integer_of("1.2e1"));
    EXPECT_INT_EQ(50000, integer_of("\"50000\""));
    EXPECT_INT_EQ(INT64_MIN, integer_of("\"-9223372036854775808\""));
    EXPECT_INT_EQ(-77, integer_of("\"9223372036854775808\""));
    EXPECT_INT_EQ(-77, integer_of("\"\""));
    EXPECT_INT_EQ(-77, integer_of("\"-\""));
    EXPECT_INT_EQ(-77, integer_of("\"12 \""));
    EXPECT_INT_EQ(-77, integer_of("\"1.0\""));
}

static void expect_unescaped(const char *json, const char *expected)
{
    stk_json_document *doc = parse(json);
    EXPECT_STR_EQ(expected, stk_json_text(stk_json_root(doc), "not a string"));
    stk_json_document_free(doc);
}

STK_TEST(strings_are_unescaped)
{
    expect_unescaped("\"\"", "");
    expect_unescaped("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\/\b\f\n\r\t");
    expect_unescaped("\"\\u0041\\u00e4\\u20AC\"", "A\xC3\xA4\xE2\x82\xAC");
    expect_unescaped("\"\\ud83d\\udc08\"", "\xF0\x9F\x90\x88");
    expect_unescaped("\"\\uDBFF\\uDFFF\"", "\xF4\x8F\xBF\xBF");
    expect_unescaped("\"\xF0\x9F\x90\x88\x7f\"", "\xF0\x9F\x90\x88\x7f");
    expect_unescaped("\"a\\u0000b\"", "a"); /* as far as a C string goes */
}

STK_TEST(of_equal_keys_the_last_counts_and_keys_are_compared_whole)
{
    stk_json_document    *doc = parse("{\"a\": 1, \"a\": 2, \"b\\u0000c\": 3}");
    const stk_json_value *root = stk_json_root(doc);
    EXPECT_INT_EQ(2, stk_json_integer(stk_json_get(root, "a"), 0));
    EXPECT(!stk_json_get(root, "b"));
    stk_json_document_free(doc);
}

STK_TEST(reader_names_line_and_column)
{
    expect_refused(STK_E_FORMAT, "{\n  \"a\": 1,\n  \"b\": x\n}", "line 3, column 8: 'x'");
    expect_refused(STK_E_FORMAT, "[\"\xC3\xA4\" 1]", "line 1, column 6: '1' where ',' or ']'");
    expect_refused(STK_E_FORMAT, "", "line 1, column 1: the text ends where a value");
    expect_refused(STK_E_FORMAT, "[1,\n", "line 2, column 1: the text ends");
    expect_refused(STK_E_FORMAT, "\xEF\xBB\xBF{}", "byte 0xef where a value");
}

STK_TEST(reader_refuses_what_is_not_json)
{
    static const char *const bad[] = {" ",
                                      "nul",
                                      "nulll",
                                      "truE",
                                      "[1,]",
                                      "[,1]",
                                      "[1 2]",
                                      "[",
                                      "]",
                                      "{",
                                      "}",
                                      "{\"a\"}",
                                      "{\"a\":}",
                                      "{\"a\":1,}",
                                      "{a:1}",
                                      "{1:1}",
                                      "{\"a\" 1}",
                                      "[1}",
                                      "{\"a\":1]",
                                      "1 2",
                                      "[] []",
                                      "01",
                                      "-",
                                      "+1",
                                      ".5",
                                      "1.",
                                      "1.e1",
                                      "1e",
                                      "1e+",
                                      "0x10",
                                      "-01",
                                      "NaN",
                                      "Infinity",
                                      "-Infinity",
                                      "'a'",
                                      "\"a",
                                      "\"\\",
                                      "\"\\\"",
                                      "\"\\x\"",
                                      "\"\\u12\"",
                                      "\"\\u123g\"",
                                      "\"\\ud800\"",
                                      "\"\\udc00\"",
                                      "\"\\ud800\\u0041\"",
                                      "\"\\ud800\\ud800\"",
                                      "\"\\ud800x\"",
                                      "\"\n\"",
                                      "\"\t\"",
                                      "\"\x01\"",
                                      "\"\xFF\"",
                                      "\"\xC3\"",
                                      "\"\xC0\x80\"",
                                      "\"\xED\xA0\x80\"",
                                      "\"\xF4\x90\x80\x80\"",
                                      "\"\xE2\x82\"",
                                      "// c\n1",
                                      "[1]//",
                                      "[1,\v2]",
                                      "\xC2\xA0[]"};
    for (size_t i = 0; i < COUNT_OF(bad); i++)
        expect_refused(STK_E_FORMAT, bad[i], "line ");
    stk_error          err;
    stk_json_document *doc;
    EXPECT_STATUS(STK_E_FORMAT, stk_json_parse(&doc, stk_bytes_of("1\0", 2), "t", &err));
    EXPECT_STATUS(STK_E_FORMAT, stk_json_parse(&doc, stk_bytes_of("\"\0\"", 3), "t", &err));
    EXPECT_STATUS(STK_E_FORMAT, stk_json_parse(&doc, stk_bytes_of(NULL, 0), "t", &err));
    EXPECT_STATUS(STK_E_FORMAT, stk_json_parse(&doc, stk_bytes_of("[", 1), NULL, NULL));
}

static void nest(char *text, int levels)
{
    memset(text, '[', (size_t)levels);
    memset(text + levels, ']', (size_t)levels);
    text[2 * levels] = '\0';
}

STK_TEST(reader_goes_64_levels_deep_and_no_deeper)
{
    static char text[200001];
    nest(text, 64);
    stk_json_document *doc = parse(text);
    int                depth = 0;
    for (const stk_json_value *v = stk_json_root(doc); v; v = stk_json_at(v, 0))
        depth++;
    EXPECT_INT_EQ(64, depth);
    stk_json_document_free(doc);
    nest(text, 65);
    expect_refused(STK_E_LIMIT, text, "line 1, column 65: more than 64");
    nest(text, 100000);
    expect_refused(STK_E_LIMIT, text, "more than 64");
    /* Many side by side are no depth. */
    doc = parse("[[],[],[[],[[]]],[]]");
    stk_json_document_free(doc);
}

STK_TEST(reader_limits_numbers)
{
    char text[1000];
    memset(text, '1', sizeof text);
    text[300] = '\0';
    stk_json_document *doc = parse(text);
    EXPECT(fabs(stk_json_number(stk_json_root(doc), 0) / 1.1111111111111111e299 - 1) < 1e-15);
    EXPECT_INT_EQ(-1, stk_json_integer(stk_json_root(doc), -1));
    stk_json_document_free(doc);
    text[300] = '1';
    text[400] = '\0';
    expect_refused(STK_E_RANGE, text, "too large for a double");
    text[400] = '1';
    text[999] = '\0';
    expect_refused(STK_E_LIMIT, text, "more than 512");
    expect_refused(STK_E_RANGE, "-1e999", "too large");
    doc = parse("1e-999");
    EXPECT(stk_json_number(stk_json_root(doc), 1) == 0);
    stk_json_document_free(doc);
}

STK_TEST(reader_reads_a_long_array)
{
    enum { COUNT = 20000 };
    char *text = malloc(COUNT * 6 + 8), *p = text;
    *p++ = '[';
    for (int i = 0; i < COUNT; i++)
        p += sprintf(p, "%s%d", i ? "," : "", i);
    strcpy(p, "]");
    stk_json_document    *doc = parse(text);
    const stk_json_value *root = stk_json_root(doc);
    EXPECT_INT_EQ(COUNT, stk_json_count(root));
    for (int i = 0; i < COUNT; i++)
        EXPECT_INT_EQ(i, stk_json_integer(stk_json_at(root, (size_t)i), -1));
    stk_json_document_free(doc);
    free(text);
}

static stk_status parse_once(void *context, stk_error *err)
{
    stk_json_document *doc;
    STK_TRY(stk_json_parse(&doc, *(stk_bytes *)context, "t", err));
    stk_json_document_free(doc);
    return STK_OK;
}

STK_TEST(reader_survives_every_failing_allocation)
{
    char text[20000] = "[";
    for (int i = 0; i < 300; i++)
        strcat(text, "{\"key\": [\"text\", 1, {\"a\": null}]}, ");
    strcat(text, "0]");
    stk_bytes bytes = stk_bytes_text(text);
    stk_test_fail_each_allocation(parse_once, &bytes);
}

/* The writer's text is valid, exact, and says when it could not be written. */
#include "base/philox.h"
#include "harness.h"

#include <locale.h>
#include <math.h>
#include <string.h>

typedef struct text {
    stk_blob        blob;
    stk_json_writer w;
} text;

static void begin(text *t, int indent)
{
    stk_blob_init(&t->blob, NULL, STK_MEMORY_OUTPUT);
    stk_json_begin(&t->w, &t->blob, indent);
}

static void expect_text(text *t, const char *expected)
{
    stk_error err;
    EXPECT_OK(stk_json_end(&t->w, &err));
    EXPECT_OK(stk_blob_append(&t->blob, "", 1, &err));
    EXPECT_STR_EQ(expected, (const char *)t->blob.data);
    stk_blob_release(&t->blob);
}

static void write_everything(stk_json_writer *w)
{
    stk_json_object(w);
    stk_json_pair_string(w, "name", "cat");
    stk_json_pair_int(w, "low", INT64_MIN);
    stk_json_pair_uint(w, "high", UINT64_MAX);
    stk_json_pair_double(w, "half", 0.5);
    stk_json_pair_bool(w, "yes", true);
    stk_json_key(w, "list");
    stk_json_array(w);
    stk_json_int(w, 1);
    stk_json_bool(w, false);
    stk_json_null(w);
    stk_json_object(w);
    stk_json_object_end(w);
    stk_json_array(w);
    stk_json_array_end(w);
    stk_json_array_end(w);
    stk_json_object_end(w);
}

STK_TEST(writer_writes_one_line)
{
    text t;
    begin(&t, 0);
    write_everything(&t.w);
    expect_text(&t, "{\"name\":\"cat\",\"low\":-9223372036854775808,\"high\":18446744073709551615,"
                    "\"half\":0.5,\"yes\":true,\"list\":[1,false,null,{},[]]}");
}

STK_TEST(writer_indents_and_ends_with_a_newline)
{
    text t;
    begin(&t, 2);
    stk_json_object(&t.w);
    stk_json_pair_int(&t.w, "a", 1);
    stk_json_key(&t.w, "b");
    stk_json_array(&t.w);
    stk_json_string(&t.w, "x");
    stk_json_string(&t.w, "y");
    stk_json_array_end(&t.w);
    stk_json_key(&t.w, "c");
    stk_json_object(&t.w);
    stk_json_object_end(&t.w);
    stk_json_object_end(&t.w);
    expect_text(&t, "{\n  \"a\": 1,\n  \"b\": [\n    \"x\",\n    \"y\"\n  ],\n  \"c\": {}\n}\n");
}

STK_TEST(writer_escapes_what_must_be_and_replaces_what_is_not_utf8)
{
    text t;
    begin(&t, 0);
    stk_json_array(&t.w);
    stk_json_string(&t.w, "quote \" back \\ slash / tab \t line \n \b\f\r\v\x01\x7f");
    stk_json_string(&t.w, "\xC3\xA4 \xE2\x82\xAC \xF0\x9F\x90\x88");
    stk_json_string(&t.w, "a\xFF"
                          "b\xC3");
    stk_json_string(&t.w, "\xC0\x80 \xED\xA0\x80 \xF4\x90\x80\x80");
    stk_json_bytes(&t.w, stk_bytes_of("a\0b", 3));
    stk_json_bytes(&t.w, stk_bytes_of("", 0));
    stk_json_array_end(&t.w);
#define BAD "\xEF\xBF\xBD"
    expect_text(&t,
                "[\"quote \\\" back \\\\ slash / tab \\t line \\n \\b\\f\\r\\u000b\\u0001\\u007f\","
                "\"\xC3\xA4 \xE2\x82\xAC \xF0\x9F\x90\x88\",\"a" BAD "b" BAD "\",\"" BAD BAD
                " " BAD BAD BAD " " BAD BAD BAD BAD "\",\"a\\u0000b\",\"\"]");
}

/* The same text, whoever reads it, and none that a terminal would obey. */
STK_TEST(writer_gives_numbers_for_what_may_not_be_shown)
{
    static const char name[] =
        "\xC2\x9B"
        "31m \xE2\x80\xAE gpj \xE2\x81\xA9\xD8\x9C\xE2\x80\xA8\xC2\xA0\xE2\x80\x8D";
    stk_json_document *doc;
    stk_error          err;
    text               t;
    begin(&t, 0);
    stk_json_string(&t.w, name);
    EXPECT_OK(stk_json_end(&t.w, &err));
    EXPECT_OK(stk_json_parse(&doc, stk_blob_bytes(&t.blob), "names", &err));
    EXPECT_STR_EQ(name, stk_json_text(stk_json_root(doc), NULL));
    stk_json_document_free(doc);
    stk_blob_release(&t.blob);
    begin(&t, 0);
    stk_json_string(&t.w, name);
    expect_text(&t, "\"\\u009b31m \\u202e gpj \\u2069\\u061c\\u2028\xC2\xA0\xE2\x80\x8D\"");
}

static void expect_double(const char *expected, double value)
{
    text t;
    begin(&t, 0);
    stk_json_double(&t.w, value);
    expect_text(&t, expected);
}

STK_TEST(writer_writes_short_doubles_and_null_for_what_json_lacks)
{
    expect_double("0", 0);
    expect_double("-0", -0.0);
    expect_double("1", 1);
    expect_double("-2.5", -2.5);
    expect_double("0.1", 0.1);
    expect_double("0.001", 0.001);
    expect_double("1234567.891", 1234567.891);
    expect_double("100.05", 100.05);
    expect_double("0.0001", 1e-4);
    expect_double("0.30000000000000004", 0.1 + 0.2);
    expect_double("1e+300", 1e300);
    expect_double("1.7976931348623157e+308", 1.7976931348623157e308);
    expect_double("null", NAN);
    expect_double("null", INFINITY);
    expect_double("null", -INFINITY);
}

static void expect_reads_back(double value)
{
    stk_error          err;
    text               t;
    stk_json_document *doc;
    begin(&t, 0);
    stk_json_double(&t.w, value);
    EXPECT_OK(stk_json_end(&t.w, &err));
    EXPECT_OK(stk_json_parse(&doc, stk_blob_bytes(&t.blob), "t", &err));
    const double back = stk_json_number(stk_json_root(doc), NAN);
    if (memcmp(&back, &value, sizeof back)) fail_msg("%.17g came back as %.17g", value, back);
    stk_json_document_free(doc);
    stk_blob_release(&t.blob);
}

STK_TEST(every_double_reads_back_the_same)
{
    uint64_t bits = 1;
    for (int i = 0; i < 50000; i++) {
        bits = bits * 6364136223846793005u + 1442695040888963407u;
        double value;
        memcpy(&value, &bits, sizeof value);
        if (isfinite(value)) expect_reads_back(value);
        expect_reads_back((double)(int64_t)(bits >> 12) / 1000);
        expect_reads_back((double)(bits >> 40) / 1000);
    }
    expect_reads_back(5e-324);
    expect_reads_back(9007199254740993.0);
}

STK_TEST(writer_and_reader_keep_the_point_in_any_locale)
{
    if (!setlocale(LC_NUMERIC, "de_DE.UTF-8") && !setlocale(LC_NUMERIC, "fr_FR.UTF-8")) skip();
    expect_double("0.30000000000000004", 0.1 + 0.2);
    expect_reads_back(0.1 + 0.2);
    setlocale(LC_NUMERIC, "C");
}

STK_TEST(writer_names_a_document_that_was_left_open)
{
    stk_error err;
    text      t;
    begin(&t, 0);
    stk_json_object(&t.w);
    EXPECT_STATUS(STK_E_INVALID, stk_json_end(&t.w, &err));
    EXPECT_CONTAINS("ends inside an object", err.message);
    stk_blob_release(&t.blob);

    begin(&t, 0);
    stk_json_array_end(&t.w);
    EXPECT_STATUS(STK_E_INVALID, stk_json_end(&t.w, &err));
    EXPECT_CONTAINS("not opened", err.message);
    stk_blob_release(&t.blob);

    begin(&t, 0);
    stk_json_object(&t.w);
    stk_json_key(&t.w, "a");
    stk_json_object_end(&t.w);
    EXPECT_STATUS(STK_E_INVALID, stk_json_end(&t.w, &err));
    EXPECT_CONTAINS("no value", err.message);
    stk_blob_release(&t.blob);
}

static stk_status write_once(void *context, stk_error *err)
{
    (void)context;
    text t;
    begin(&t, 2);
    for (int i = 0; i < 20; i++)
        write_everything(&t.w);
    const stk_status st = stk_json_end(&t.w, err);
    stk_blob_release(&t.blob);
    return st;
}

STK_TEST(writer_gives_the_first_failure_at_the_end)
{
    stk_test_fail_each_allocation(write_once, NULL);
    stk_error   err;
    stk_ledger *ledger;
    text        t;
    EXPECT_OK(stk_ledger_new(&ledger, 100, &err));
    stk_blob_init(&t.blob, ledger, STK_MEMORY_OUTPUT);
    stk_json_begin(&t.w, &t.blob, 0);
    write_everything(&t.w);
    EXPECT_STATUS(STK_E_CEILING, stk_json_end(&t.w, &err));
    EXPECT_CONTAINS("100", err.message);
    stk_blob_release(&t.blob);
    stk_ledger_unref(ledger);
}

STK_TEST(any_bytes_become_valid_json)
{
    enum { TEXTS = 3000, LONGEST = 12 };
    /* Beginnings and ends of ranges of UTF-8, where mistakes lie. */
    static const uint8_t odd[] = {0x00, 0x1F, 0x7F, 0x80, 0x8E, 0x9B, 0x9C, 0xA0, 0xA6,
                                  0xAE, 0xBF, 0xC0, 0xC2, 0xD8, 0xE0, 0xE2, 0xED, 0xEF,
                                  0xF0, 0xF4, 0xFF, '"',  '\\', 'u',  'a'};
    stk_random           random = stk_random_for(18, 0, 0, 0);
    for (int i = 0; i < TEXTS; i++) {
        uint8_t            bytes[LONGEST];
        stk_json_document *doc;
        stk_error          err;
        text               t;
        const size_t       size = stk_random_below(&random, LONGEST + 1);
        for (size_t k = 0; k < size; k++)
            bytes[k] = odd[stk_random_below(&random, sizeof odd)];
        begin(&t, 0);
        stk_json_object(&t.w);
        stk_json_key(&t.w, "x");
        stk_json_bytes(&t.w, stk_bytes_of(bytes, size));
        stk_json_object_end(&t.w);
        EXPECT_OK(stk_json_end(&t.w, &err));
        EXPECT_OK(stk_json_parse(&doc, stk_blob_bytes(&t.blob), "any", &err));
        for (size_t k = 0; k < t.blob.size; k++)
            EXPECT(t.blob.data[k] >= 0x20 && t.blob.data[k] != 0x7F);
        stk_json_document_free(doc);
        stk_blob_release(&t.blob);
    }
}

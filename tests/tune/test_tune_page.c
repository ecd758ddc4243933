/* The page of a search: whole, safe, and the same report that went in. */
#include "harness.h"
#include "tune/sample_report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NASTY_TRIALS = 100 };

static size_t count_of(const stk_blob *text, const char *part)
{
    size_t         count = 0;
    const uint8_t *at = text->data, *end = text->data + text->size;
    while ((at = memmem(at, (size_t)(end - at), part, strlen(part)))) {
        count++;
        at++;
    }
    return count;
}

/* What stands between the tags of the data. */
static stk_json_document *parse_data(const stk_blob *page)
{
    static const char  opening[] = "<script type=\"application/json\" id=\"data\">";
    stk_error          err;
    stk_json_document *doc;
    const uint8_t     *begin = memmem(page->data, page->size, opening, sizeof opening - 1);
    EXPECT(begin != NULL);
    begin += sizeof opening - 1;
    const uint8_t *end = memmem(begin, (size_t)(page->data + page->size - begin), "</script>", 9);
    EXPECT(end != NULL);
    EXPECT_OK(stk_json_parse(&doc, stk_bytes_of(begin, (size_t)(end - begin)), "data", &err));
    return doc;
}

static stk_blob make_page(const stk_tune_report *report)
{
    stk_error err;
    stk_blob  page;
    stk_blob_init(&page, NULL, STK_MEMORY_OUTPUT);
    EXPECT_OK(stk_tune_page_write(report, &page, &err));
    return page;
}

static bool is_null(const stk_json_value *object, const char *key)
{
    const stk_json_value *value = stk_json_get(object, key);
    return value && stk_json_type_of(value) == STK_JSON_NULL;
}

static double number_of(const stk_json_value *object, const char *key)
{
    return stk_json_number(stk_json_get(object, key), NAN);
}

STK_TEST(page_is_one_whole_file_without_addresses)
{
    stk_error       err;
    stk_tune_report report;
    EXPECT_OK(stk_sample_tune(&report, &err));
    stk_blob page = make_page(&report);
    EXPECT_INT_EQ(0, memcmp(page.data, "<!DOCTYPE html>", 15));
    EXPECT_INT_EQ(1, count_of(&page, "</html>"));
    EXPECT_INT_EQ(2, count_of(&page, "</script>"));
    EXPECT_INT_EQ(0, count_of(&page, "src=\"") + count_of(&page, "@import"));
    EXPECT_INT_EQ(0, count_of(&page, "@STYLE@") + count_of(&page, "@SCRIPT@"));
    EXPECT_INT_EQ(0, count_of(&page, "@DATA@"));
    stk_blob_release(&page);
    stk_tune_report_release(&report);
}

STK_TEST(page_without_trials_is_smaller_than_80_kB)
{
    stk_tune_report report;
    stk_sample_tune_empty(&report);
    stk_blob page = make_page(&report);
    EXPECT(page.size < 80000);
    stk_blob_release(&page);
    stk_tune_report_release(&report);
}

STK_TEST(report_comes_back_as_it_went_in)
{
    stk_error       err;
    stk_tune_report report;
    EXPECT_OK(stk_sample_tune(&report, &err));
    stk_blob              page = make_page(&report);
    stk_json_document    *doc = parse_data(&page);
    const stk_json_value *root = stk_json_root(doc), *best = stk_json_get(root, "best");
    EXPECT_STR_EQ("recipe", stk_json_text(stk_json_get(root, "kind"), ""));
    EXPECT_STR_EQ(report.ended, stk_json_text(stk_json_get(root, "ended"), ""));
    EXPECT_INT_EQ(1210, number_of(root, "base_rate"));
    EXPECT(number_of(stk_json_get(root, "gain"), "high") == report.gain.high);
    EXPECT_INT_EQ(report.best.count, stk_json_count(best));
    EXPECT_STR_EQ("64", stk_json_text(stk_json_get(best, "data.batch"), ""));
    const stk_json_value *exposed = stk_json_get(stk_json_get(root, "limit_base"), "exposed");
    EXPECT_INT_EQ(STK_STAGE_COUNT, stk_json_count(exposed));
    EXPECT(stk_json_number(stk_json_at(exposed, STK_STAGE_READ), 0) == 0.34);
    const stk_json_value *trials = stk_json_get(root, "trials"), *first = stk_json_at(trials, 0);
    EXPECT_INT_EQ(report.trial_count, stk_json_count(trials));
    EXPECT_STR_EQ(report.trials[0].title, stk_json_text(stk_json_get(first, "title"), ""));
    EXPECT_STR_EQ("S1 read", stk_json_text(stk_json_get(first, "stage"), ""));
    EXPECT_STR_EQ(stk_tune_class_name(STK_TUNE_EXACT),
                  stk_json_text(stk_json_get(first, "class"), ""));
    EXPECT_STR_EQ("/data/birds",
                  stk_json_text(stk_json_get(stk_json_get(first, "before"), "data.path"), ""));
    EXPECT(number_of(stk_json_get(first, "gain"), "value") == report.trials[0].gain.value);
    EXPECT_INT_EQ(report.advice_count, stk_json_count(stk_json_get(root, "advice")));
    stk_json_document_free(doc);
    stk_blob_release(&page);
    stk_tune_report_release(&report);
}

STK_TEST(what_is_not_known_is_null)
{
    stk_error       err;
    stk_tune_report report;
    EXPECT_OK(stk_sample_tune_nasty(&report, NASTY_TRIALS, &err));
    report.trials[1].observations = 0;
    report.trials[1].rate_after = NAN;
    stk_blob              page = make_page(&report);
    stk_json_document    *doc = parse_data(&page);
    const stk_json_value *root = stk_json_root(doc), *trials = stk_json_get(root, "trials");
    const stk_json_value *open = stk_json_get(stk_json_at(trials, 0), "gain");
    EXPECT(is_null(root, "gain") && is_null(root, "noise") && is_null(root, "best_rate"));
    EXPECT(is_null(root, "base_joules") && is_null(root, "limit_base"));
    EXPECT(is_null(stk_json_at(trials, 0), "predicted"));
    EXPECT(number_of(open, "value") == 0.4 && is_null(open, "low") && is_null(open, "high"));
    EXPECT(is_null(stk_json_at(trials, 1), "gain") &&
           is_null(stk_json_at(trials, 1), "rate_after"));
    EXPECT(is_null(stk_json_at(stk_json_get(root, "advice"), 0), "gain"));
    stk_json_document_free(doc);
    stk_blob_release(&page);
    stk_tune_report_release(&report);
}

STK_TEST(texts_cannot_end_the_script_that_holds_them)
{
    stk_error       err;
    stk_tune_report report;
    EXPECT_OK(stk_sample_tune_nasty(&report, NASTY_TRIALS, &err));
    stk_blob           page = make_page(&report);
    stk_json_document *doc = parse_data(&page);
    EXPECT_INT_EQ(2, count_of(&page, "</script>"));
    EXPECT_INT_EQ(0, count_of(&page, "\xE2\x80\xA8") + count_of(&page, "\xFF"));
    const char *action = stk_json_text(
        stk_json_get(stk_json_at(stk_json_get(stk_json_root(doc), "trials"), 1), "action"), "");
    EXPECT_CONTAINS("=\"a,b\"'</script><!--<b>&amp;\xE2\x80\xA8\033[2J", action);
    stk_json_document_free(doc);
    stk_blob_release(&page);
    stk_tune_report_release(&report);
}

static stk_status write_once(void *context, stk_error *err)
{
    stk_blob out;
    stk_blob_init(&out, NULL, STK_MEMORY_OUTPUT);
    stk_status st = stk_blob_append(&out, "before", 6, err);
    if (!st) st = stk_tune_page_write(context, &out, err);
    if (st) EXPECT(out.size == 0 || out.size == 6);
    stk_blob_release(&out);
    return st;
}

STK_TEST(every_allocation_may_fail)
{
    stk_error       err;
    stk_tune_report report;
    EXPECT_OK(stk_sample_tune_none(&report, &err));
    stk_test_fail_each_allocation(write_once, &report);
    stk_tune_report_release(&report);
}

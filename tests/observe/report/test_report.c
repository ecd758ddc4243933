/* The report's file: whole, safe, bounded, and the same data that went in. */
#include "harness.h"
#include "observe/report/page_data.h"
#include "observe/report/sample.h"

#include <stdlib.h>

typedef struct sample {
    stk_profile   profile;
    stk_diagnosis diagnosis;
    stk_timeline *timeline;
    stk_blob      out;
} sample;

static sample *make_sample(size_t events)
{
    stk_error err;
    sample   *s = calloc(1, sizeof *s);
    EXPECT(s != NULL);
    EXPECT_OK(stk_sample_profile(&s->profile, &err));
    stk_sample_diagnosis(&s->diagnosis, &s->profile);
    stk_blob_init(&s->out, NULL, STK_MEMORY_OUTPUT);
    if (events)
        EXPECT_OK(stk_sample_timeline(&s->timeline, &s->profile, events,
                                      stk_test_path("sample.json"), &err));
    return s;
}

static void free_sample(sample *s)
{
    stk_profile_release(&s->profile);
    stk_timeline_free(s->timeline);
    stk_blob_release(&s->out);
    free(s);
}

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
static stk_bytes data_of(const stk_blob *page)
{
    static const char opening[] = "<script type=\"application/json\" id=\"data\">";
    const uint8_t    *begin = memmem(page->data, page->size, opening, sizeof opening - 1);
    EXPECT(begin != NULL);
    begin += sizeof opening - 1;
    const size_t   left = (size_t)(page->data + page->size - begin);
    const uint8_t *end = memmem(begin, left, "</script>", 9);
    EXPECT(end != NULL);
    return stk_bytes_of(begin, (size_t)(end - begin));
}

static stk_json_document *parse_data(const stk_blob *page)
{
    stk_error          err;
    stk_json_document *doc;
    EXPECT_OK(stk_json_parse(&doc, data_of(page), "data", &err));
    return doc;
}

STK_TEST(page_is_one_whole_file_without_addresses)
{
    stk_error err;
    sample   *s = make_sample(0);
    EXPECT_OK(stk_report_write(&s->profile, &s->diagnosis, NULL, &s->out, &err));
    EXPECT_INT_EQ(0, memcmp(s->out.data, "<!DOCTYPE html>", 15));
    EXPECT_INT_EQ(1, count_of(&s->out, "</html>"));
    EXPECT_INT_EQ(2, count_of(&s->out, "</script>"));
    EXPECT_INT_EQ(0, count_of(&s->out, "src=\"http"));
    EXPECT_INT_EQ(0, count_of(&s->out, "@STYLE@") + count_of(&s->out, "@SCRIPT@"));
    free_sample(s);
}

STK_TEST(page_alone_is_smaller_than_120_kB_and_has_no_data)
{
    stk_error err;
    stk_blob  out;
    stk_blob_init(&out, NULL, STK_MEMORY_OUTPUT);
    EXPECT_OK(stk_report_write(NULL, NULL, NULL, &out, &err));
    EXPECT(out.size < 120000);
    const stk_bytes data = data_of(&out);
    for (size_t i = 0; i < data.size; i++)
        EXPECT(data.data[i] == '\n');
    stk_blob_release(&out);
}

STK_TEST(data_comes_back_as_it_went_in)
{
    stk_error                err;
    sample                  *s = make_sample(3000);
    const stk_report_options options = {
        .title = "A </script> title", .trace_path = "t.json", .timeline = s->timeline};
    EXPECT_OK(stk_report_write(&s->profile, &s->diagnosis, &options, &s->out, &err));
    stk_json_document    *doc = parse_data(&s->out);
    const stk_json_value *root = stk_json_root(doc), *profile = stk_json_get(root, "profile");
    EXPECT_STR_EQ(options.title, stk_json_text(stk_json_get(root, "title"), ""));
    EXPECT_STR_EQ("t.json", stk_json_text(stk_json_get(root, "trace_path"), ""));
    const stk_json_value *run = stk_json_get(profile, "run");
    EXPECT_STR_EQ(s->profile.run.command, stk_json_text(stk_json_get(run, "command"), ""));
    const stk_json_value *ops = stk_json_get(stk_json_get(profile, "ops"), "rows");
    EXPECT_INT_EQ(STK_SAMPLE_OPS, stk_json_count(ops));
    const stk_json_value *last = stk_json_at(ops, STK_SAMPLE_OPS - 1);
    EXPECT_STR_EQ(STK_SAMPLE_NASTY, stk_json_text(stk_json_at(last, 1), ""));
    const stk_json_value *verdict = stk_json_get(stk_json_get(root, "diagnosis"), "verdict");
    EXPECT_STR_EQ(s->diagnosis.verdict, stk_json_text(verdict, ""));
    stk_json_document_free(doc);
    free_sample(s);
}

STK_TEST(data_cannot_end_its_script)
{
    stk_error                err;
    sample                  *s = make_sample(3000);
    const stk_report_options options = {.title = "<!--<script>", .timeline = s->timeline};
    EXPECT_OK(stk_report_write_data(&s->profile, &s->diagnosis, &options, &s->out, &err));
    EXPECT_INT_EQ(0, count_of(&s->out, "<"));
    EXPECT_INT_EQ(0, count_of(&s->out, "\xE2\x80\xA8"));
    EXPECT(count_of(&s->out, "\\u003c/script>") >= 3);
    EXPECT_INT_EQ(1, count_of(&s->out, "\\u2028"));
    free_sample(s);
}

static uint64_t read_number(const char **at)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    uint64_t          value = 0;
    for (int shift = 0;; shift += 5) {
        const char *digit = strchr(digits, *(*at)++);
        EXPECT(digit != NULL && shift < 64);
        value |= (uint64_t)((digit - digits) & 31) << shift;
        if (!((digit - digits) & 32)) return value;
    }
}

typedef struct row_sum {
    size_t   events;
    uint64_t ns, shortest, last_step;
} row_sum;

static row_sum read_row(const stk_json_value *timeline, size_t number)
{
    row_sum               sum = {.shortest = UINT64_MAX};
    const stk_json_value *row = stk_json_at(stk_json_get(timeline, "rows"), number);
    const char           *at = stk_json_text(stk_json_get(row, "events"), "");
    while (*at) {
        (void)read_number(&at);
        const uint64_t ns = read_number(&at), name = read_number(&at), value = read_number(&at);
        const char *text = stk_json_text(stk_json_at(stk_json_get(timeline, "names"), name), NULL);
        EXPECT(text != NULL);
        if (!strcmp(text, "step")) sum.last_step = value;
        if (ns < sum.shortest) sum.shortest = ns;
        sum.ns += ns;
        sum.events++;
    }
    return sum;
}

STK_TEST(timeline_has_every_event_of_the_trace)
{
    stk_error                err;
    sample                  *s = make_sample(STK_SAMPLE_STEPS * 13);
    const stk_report_options options = {.timeline = s->timeline};
    EXPECT_OK(stk_report_write(&s->profile, &s->diagnosis, &options, &s->out, &err));
    stk_json_document    *doc = parse_data(&s->out);
    const stk_json_value *timeline = stk_json_get(stk_json_root(doc), "timeline");
    EXPECT_INT_EQ(2, stk_json_count(stk_json_get(timeline, "rows")));
    const row_sum train = read_row(timeline, 0), input = read_row(timeline, 1);
    EXPECT_INT_EQ(STK_SAMPLE_STEPS * 8, train.events);
    EXPECT_INT_EQ(STK_SAMPLE_STEPS * 5, input.events);
    EXPECT_INT_EQ(STK_SAMPLE_STEPS - 1, train.last_step);
    EXPECT(llabs((long long)input.ns - (long long)(s->profile.measured_ns * 0.9)) < 100000);
    EXPECT_INT_EQ(0, stk_json_integer(stk_json_get(timeline, "left_out"), -1));
    stk_json_document_free(doc);
    free_sample(s);
}

STK_TEST(timeline_keeps_the_longest_and_counts_the_rest)
{
    stk_error                err;
    sample                  *s = make_sample(STK_SAMPLE_STEPS * 13);
    const stk_report_options options = {.timeline = s->timeline, .max_events = 1000};
    EXPECT_OK(stk_report_write(&s->profile, &s->diagnosis, &options, &s->out, &err));
    stk_json_document    *doc = parse_data(&s->out);
    const stk_json_value *timeline = stk_json_get(stk_json_root(doc), "timeline");
    const row_sum         train = read_row(timeline, 0), input = read_row(timeline, 1);
    EXPECT_INT_EQ(1000, train.events + input.events);
    EXPECT(train.shortest > 5000000 && input.shortest > 5000000);
    EXPECT_INT_EQ(STK_SAMPLE_STEPS * 13 - 1000,
                  stk_json_integer(stk_json_get(timeline, "left_out"), -1));
    stk_json_document_free(doc);
    free_sample(s);
}

STK_TEST(size_stays_below_3_MB_with_200000_events)
{
    stk_error                err;
    sample                  *s = make_sample(220000);
    const stk_report_options options = {.timeline = s->timeline};
    EXPECT_OK(stk_report_write(&s->profile, &s->diagnosis, &options, &s->out, &err));
    EXPECT(s->out.size < 3000000);
    free_sample(s);
}

STK_TEST(empty_profile_makes_a_page_too)
{
    stk_error   err;
    stk_profile profile;
    sample     *s = make_sample(0);
    stk_profile_init(&profile);
    memset(&s->diagnosis, 0, sizeof s->diagnosis);
    EXPECT_OK(stk_report_write(&profile, &s->diagnosis, NULL, &s->out, &err));
    stk_json_document *doc = parse_data(&s->out);
    EXPECT_INT_EQ(STK_JSON_NULL, stk_json_type_of(stk_json_get(stk_json_root(doc), "simulation")));
    stk_json_document_free(doc);
    stk_profile_release(&profile);
    free_sample(s);
}

static stk_status write_once(void *context, stk_error *err)
{
    const sample            *s = context;
    const stk_report_options options = {.timeline = s->timeline};
    stk_blob                 out;
    stk_blob_init(&out, NULL, STK_MEMORY_OUTPUT);
    const stk_status st = stk_report_write(&s->profile, &s->diagnosis, &options, &out, err);
    if (st) EXPECT_INT_EQ(0, out.size);
    stk_blob_release(&out);
    return st;
}

STK_TEST(every_allocation_may_fail)
{
    sample *s = make_sample(700);
    s->profile.step_count = 40;
    stk_test_fail_each_allocation(write_once, s);
    free_sample(s);
}

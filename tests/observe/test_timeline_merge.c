/* Traces of ranks become one: processes apart, clocks on one axis, valid JSON whatever came in. */
#include "timeline_support.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *write_rank(const char *name, const char *members, int steps)
{
    trace_file f = begin_trace(name, members);
    name_process(&f, 4711, "name", "python \\\"x\\\"");
    for (int i = 0; i < steps; i++) {
        add_step(&f, 4711, i, i * 100, 100);
        add_span(&f, 4711, 1, "cpu_op", "op", i * 100 + 10, 50);
        fprintf(f.file,
                ",{\"ph\":\"s\",\"id\":%d,\"name\":\"f\",\"pid\":4711,\"tid\":1,\"ts\":%d},"
                "{\"ph\":\"f\",\"id\":%d,\"name\":\"f\",\"pid\":\"Spans\",\"tid\":1,\"ts\":%d}",
                i, i * 100 + 20, i, i * 100 + 30);
    }
    end_trace(&f);
    return f.path;
}

static stk_json_document *parse(const char *path)
{
    stk_error          err;
    stk_json_document *doc;
    EXPECT_OK(stk_json_parse(&doc, stk_test_read_file(path), "merged", &err));
    return doc;
}

static double number(const stk_json_value *event, const char *key)
{
    return stk_json_number(stk_json_get(event, key), -1);
}

static void merge_two(const char *out, const char *a, const char *b, const int64_t *offsets)
{
    stk_error                        err;
    const char *const                paths[] = {a, b};
    const stk_timeline_merge_options options = {.offsets = offsets};
    EXPECT_OK(stk_timeline_merge(out, paths, 2, &options, &err));
}

STK_TEST(ranks_are_apart_and_their_clocks_agree)
{
    const char *a = write_rank("r0.json",
                               "\"baseTimeNanoseconds\": 1000000000, \"host_name\": \"h\", "
                               "\"distributedInfo\": {\"rank\": 3}",
                               4);
    const char *b = write_rank("r1.json",
                               "\"baseTimeNanoseconds\": 1000007000, \"host_name\": \"h\", "
                               "\"distributedInfo\": {\"rank\": 1}",
                               4);
    const char *out = stk_test_path("merged.json");
    merge_two(out, a, b, NULL);
    stk_json_document    *doc = parse(out);
    const stk_json_value *events = stk_json_get(stk_json_root(doc), "traceEvents");
    int                   names = 0, ops[4] = {0}, flows = 0;
    for (size_t i = 0; i < stk_json_count(events); i++) {
        const stk_json_value *e = stk_json_at(events, i);
        const char           *name = stk_json_text(stk_json_get(e, "name"), "");
        const int             pid = (int)number(e, "pid");
        EXPECT(pid / 1000 == 1 || pid / 1000 == 3);
        if (strcmp(name, "process_name") == 0) {
            const char *text = stk_json_text(stk_json_get(stk_json_get(e, "args"), "name"), "");
            names++;
            if (pid == 3000) EXPECT_STR_EQ("rank 3 python \"x\"", text);
            if (pid == 1001) EXPECT_STR_EQ("rank 1 Spans", text);
        }
        if (strcmp(name, "op") == 0) {
            if (ops[pid / 1000]++ == 0)
                EXPECT_INT_EQ(pid / 1000 == 1 ? 17000 : 10000, (int)(number(e, "ts") * 1000));
        }
        flows += strcmp(name, "f") == 0 && strchr(stk_json_text(stk_json_get(e, "id"), ""), '.');
    }
    EXPECT_INT_EQ(4, names);
    EXPECT(ops[1] == 4 && ops[3] == 4);
    EXPECT_INT_EQ(16, flows);
    stk_json_document_free(doc);

    stk_timeline         *t = read_trace(out);
    stk_timeline_findings f;
    stk_timeline_validate(t, &f);
    EXPECT(!f.cut && f.steps == 8 && f.flows_alone == 0 && f.crossing == 0);
    stk_timeline_free(t);
}

STK_TEST(other_hosts_need_an_offset)
{
    stk_error   err;
    const char *a = write_rank("h0.json", "\"clock\": {\"host\": \"one\"}", 2);
    const char *b = write_rank("h1.json", "\"clock\": {\"host\": \"two\"}", 2);
    const char *c =
        write_rank("h2.json", "\"clock\": {\"host\": \"two\", \"offset_ns\": -5000}", 2);
    const char       *out = stk_test_path("hosts.json.gz");
    const char *const paths[] = {a, b};
    EXPECT_STATUS(STK_E_INVALID, stk_timeline_merge(out, paths, 2, NULL, &err));
    EXPECT_CONTAINS("'two'", err.message);
    EXPECT_CONTAINS("--offset 1=", err.message);
    EXPECT(access(out, F_OK) != 0);
    merge_two(out, a, c, NULL);
    merge_two(out, a, b, (const int64_t[]){0, 250});
    const stk_bytes packed = stk_test_read_file(out);
    EXPECT(packed.data[0] == 0x1F && packed.data[1] == 0x8B);
    stk_timeline *t = read_trace(out);
    EXPECT(stk_timeline_count(t) == 8);
    stk_timeline_free(t);
}

STK_TEST(merged_trace_is_valid_where_its_parts_were_not)
{
    static const char bad[] = "[{\"ph\":\"X\",\"name\":\"a\tb\\q "
                              "\xff\",\"ts\":1,\"dur\":inf,\"pid\":1,\"args\":{\"x\":nan,"
                              "\"y\":[-Infinity,01,1.]}},{\"ph\":\"X\",\"name\":\"b\",\"ts\":2,"
                              "\"dur\":1,\"pid\":1},{\"ph";
    const char       *a = stk_test_path("bad0.json"), *b = stk_test_path("bad1.json");
    const char       *out = stk_test_path("good.json");
    stk_test_write_file(a, bad, sizeof bad - 1);
    stk_test_write_file(b, bad, sizeof bad - 1);
    merge_two(out, a, b, NULL);
    stk_json_document_free(parse(out));
}

/* Every half of a pair, alone, turned round, cut off, beside others: a strict reader takes all. */
STK_TEST(halves_of_surrogate_pairs_become_a_replacement)
{
    static const char *const names[][2] = {
        {"\\ud83d\\ude00", "\xF0\x9F\x98\x80"},
        {"a\\ud800b", "a\xEF\xBF\xBD"
                      "b"},
        {"\\udc00", "\xEF\xBF\xBD"},
        {"\\uDE00\\uD83D", "\xEF\xBF\xBD\xEF\xBF\xBD"},
        {"\\uD83D\\uD83D\\uDE00", "\xEF\xBF\xBD\xF0\x9F\x98\x80"},
        {"\\ud83d\\n", "\xEF\xBF\xBD\n"},
        {"\\ud83d\\u0041", "\xEF\xBF\xBD"
                           "A"},
        {"\\ud83d\\\\ude00", "\xEF\xBF\xBD\\ude00"},
        {"\\ud83", "\\ud83"},
        {"\xED\xA0\xBD", "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"},
    };
    const char *a = stk_test_path("half0.json"), *b = stk_test_path("half1.json");
    const char *out = stk_test_path("whole.json");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char      text[512];
        const int size = snprintf(text, sizeof text,
                                  "[{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":1,\"args\":{"
                                  "\"name\":\"%s\"}},{\"ph\":\"X\",\"name\":\"%s\",\"ts\":1,"
                                  "\"dur\":1,\"pid\":1,\"args\":{\"%s\":[\"%s\"]}}]",
                                  names[i][0], names[i][0], names[i][0], names[i][0]);
        stk_test_write_file(a, text, (size_t)size);
        stk_test_write_file(b, text, (size_t)size);
        merge_two(out, a, b, NULL);
        stk_json_document    *doc = parse(out);
        const stk_json_value *events = stk_json_get(stk_json_root(doc), "traceEvents");
        size_t                found = 0;
        for (size_t e = 0; e < stk_json_count(events); e++) {
            const stk_json_value *event = stk_json_at(events, e),
                                 *args = stk_json_get(event, "args");
            if (strcmp(stk_json_text(stk_json_get(event, "ph"), ""), "X") != 0) continue;
            EXPECT_STR_EQ(names[i][1], stk_json_text(stk_json_get(event, "name"), ""));
            EXPECT_STR_EQ(names[i][1], stk_json_key_at(args, 0));
            EXPECT_STR_EQ(names[i][1], stk_json_text(stk_json_at(stk_json_at(args, 0), 0), ""));
            found++;
        }
        EXPECT_INT_EQ(2, found);
        stk_json_document_free(doc);
    }
}

STK_TEST(what_cannot_be_merged_leaves_nothing_behind)
{
    stk_error   err;
    const char *a = write_rank("m0.json", "", 2), *out = stk_test_path("m_out.json");
    const char *text = stk_test_path("text.json"), *folder = stk_test_path("no_folder/out.json");
    stk_test_write_file(text, "text", 4);
    const char *const same[] = {a, a}, *const wrong[] = {a, text}, *const none[] = {a, "/none"};
    EXPECT_STATUS(STK_E_INVALID, stk_timeline_merge(a, same, 2, NULL, &err));
    EXPECT_CONTAINS("another name", err.message);
    EXPECT_STATUS(STK_E_INVALID, stk_timeline_merge(out, wrong, 2, NULL, &err));
    EXPECT_STATUS(STK_E_NOTFOUND, stk_timeline_merge(out, none, 2, NULL, &err));
    EXPECT_STATUS(STK_E_NOTFOUND, stk_timeline_merge(folder, same, 2, NULL, &err));
    EXPECT_STATUS(STK_E_INVALID, stk_timeline_merge(out, same, 0, NULL, &err));
    EXPECT(access(out, F_OK) != 0);
    EXPECT_OK(stk_timeline_merge(out, same, 2, NULL, &err));
    const char *const again[] = {out, a};
    EXPECT_STATUS(STK_E_INVALID,
                  stk_timeline_merge(stk_test_path("again.json"), again, 2, NULL, &err));
    EXPECT_CONTAINS("several ranks already", err.message);
}

static stk_status merge_again(void *context, stk_error *err)
{
    const char *const *paths = context;
    return stk_timeline_merge(paths[2], paths, 2, NULL, err);
}

STK_TEST(every_failed_allocation_of_a_merge_is_told_and_frees_all)
{
    const char *paths[] = {write_rank("e0.json", "", 2), write_rank("e1.json", "", 2),
                           stk_test_path("each.json.gz")};
    stk_test_fail_each_allocation(merge_again, paths);
}

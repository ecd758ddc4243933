/* Traces are read as a stream: every form, cut or whole, in bounded memory; others are refused with
 * the place. */
#include "harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <zlib.h>

static const char *write_trace(const char *name, const char *text)
{
    const char *path = stk_test_path(name);
    stk_test_write_file(path, text, strlen(text));
    return path;
}

static stk_timeline *read_file(const char *path, uint64_t most)
{
    stk_error                  err;
    stk_timeline              *t;
    const stk_timeline_options options = {.max_events = most};
    EXPECT_OK(stk_timeline_read(&t, path, &options, &err));
    return t;
}

static stk_timeline *read_text(const char *text)
{
    return read_file(write_trace("trace.json", text), 0);
}

static stk_error refuse(const char *text)
{
    stk_error     err;
    stk_timeline *t = (stk_timeline *)&err;
    EXPECT_STATUS(STK_E_INVALID,
                  stk_timeline_read(&t, write_trace("refused.json", text), NULL, &err));
    EXPECT(!t);
    return err;
}

static const stk_timeline_event *find(const stk_timeline *t, const char *name)
{
    for (size_t i = 0; i < stk_timeline_count(t); i++)
        if (strcmp(stk_timeline_text(t, stk_timeline_at(t, i)->name), name) == 0)
            return stk_timeline_at(t, i);
    return NULL;
}

STK_TEST(object_and_array_forms_give_the_same_events)
{
    static const char events[] =
        "[{\"ph\":\"X\",\"name\":\"a\\u0041\\n\",\"cat\":\"c\",\"ts\":10.5,\"dur\":2,\"pid\":1,"
        "\"tid\":2,\"args\":{\"k\":[1,{\"x\":\"}\"}]}},\n"
        " {\"name\":\"queue\",\"ph\":\"C\",\"ts\":11,\"pid\":1,\"tid\":2,\"args\":{\"value\":3.5}},"
        "{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":1,\"tid\":2,\"args\":{\"name\":\"main\"}}]";
    char object[1024];
    snprintf(object, sizeof object, "{\"x\": {\"y\": [null]}, \"traceEvents\": %s, \"z\": 1}",
             events);
    const char *const texts[] = {events, object};
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        stk_timeline *t = read_text(texts[i]);
        EXPECT_INT_EQ(2, stk_timeline_count(t));
        const stk_timeline_event *span = find(t, "aA\n"), *counter = find(t, "queue");
        EXPECT(span && counter);
        EXPECT_INT_EQ(0, span->begin_ns);
        EXPECT_INT_EQ(2000, span->ns);
        EXPECT_INT_EQ(500, counter->begin_ns);
        EXPECT_INT_EQ(STK_TIMELINE_COUNTER, counter->kind);
        EXPECT(counter->value == 3.5);
        const stk_timeline_row *row = stk_timeline_row_at(t, span->row);
        EXPECT_INT_EQ(1, row->process);
        EXPECT_INT_EQ(2, row->thread);
        EXPECT_STR_EQ("main", stk_timeline_text(t, row->thread_name));
        EXPECT(!stk_timeline_cut(t));
        stk_timeline_free(t);
    }
    stk_timeline_free(NULL);
}

STK_TEST(begins_and_ends_become_spans_that_nest)
{
    stk_timeline *t = read_text(
        "[{\"ph\":\"B\",\"name\":\"outer\",\"ts\":0,\"pid\":1,\"tid\":1},"
        "{\"ph\":\"B\",\"name\":\"other row\",\"ts\":1,\"pid\":1,\"tid\":2},"
        "{\"ph\":\"B\",\"name\":\"inner\",\"ts\":2,\"pid\":1,\"tid\":1},"
        "{\"ph\":\"E\",\"ts\":3,\"pid\":1,\"tid\":1},"
        "{\"ph\":\"E\",\"ts\":9,\"pid\":1,\"tid\":1},"
        "{\"ph\":\"E\",\"ts\":9.5,\"pid\":1,\"tid\":1},"
        "{\"ph\":\"b\",\"cat\":\"io\",\"id\":7,\"name\":\"read\",\"ts\":1,\"pid\":1},"
        "{\"ph\":\"b\",\"cat\":\"io\",\"id\":\"8\",\"name\":\"read 2\",\"ts\":2,\"pid\":1},"
        "{\"ph\":\"e\",\"cat\":\"io\",\"id\":7,\"name\":\"read\",\"ts\":5,\"pid\":1},"
        "{\"ph\":\"s\",\"id\":1,\"ts\":1},{\"ph\":\"f\",\"id\":1,\"ts\":2},"
        "{\"ph\":\"f\",\"id\":2,\"ts\":2},{\"ph\":\"i\",\"ts\":2,\"name\":\"now\"},{}]");
    EXPECT_INT_EQ(1000, find(t, "inner")->ns);
    EXPECT_INT_EQ(9000, find(t, "outer")->ns);
    EXPECT_INT_EQ(4000, find(t, "read")->ns);
    EXPECT(!find(t, "read 2") && !find(t, "other row"));
    stk_timeline_findings f;
    stk_timeline_validate(t, &f);
    EXPECT_INT_EQ(14, f.events);
    EXPECT_INT_EQ(3, f.spans);
    EXPECT_INT_EQ(2, f.begins_open);
    EXPECT_INT_EQ(1, f.ends_alone);
    EXPECT_INT_EQ(3, f.flows);
    EXPECT_INT_EQ(1, f.flows_alone);
    EXPECT_INT_EQ(1, f.instants);
    EXPECT_INT_EQ(1, f.others);
    EXPECT_INT_EQ(0, f.crossing);
    stk_timeline_free(t);
}

STK_TEST(times_of_clocks_with_many_digits_stay_exact)
{
    stk_timeline *t = read_text(
        "[{\"ph\":\"X\",\"name\":\"a\",\"ts\":1794775166159168.123,\"dur\":0.001,\"pid\":1},"
        "{\"ph\":\"X\",\"name\":\"b\",\"ts\":1794775166159168.125,\"dur\":1e-3,\"pid\":1},"
        "{\"ph\":\"X\",\"name\":\"c\",\"ts\":\"1794775166159169\",\"pid\":1},"
        "{\"ph\":\"X\",\"name\":\"bad\",\"ts\":1e300,\"dur\":1,\"pid\":1},"
        "{\"ph\":\"X\",\"name\":\"bad\",\"ts\":5,\"dur\":-1,\"pid\":1},"
        "{\"ph\":\"X\",\"name\":\"bad\",\"pid\":1}]");
    stk_timeline_findings f;
    stk_timeline_validate(t, &f);
    EXPECT_INT_EQ(3, f.without_times);
    EXPECT_INT_EQ(0, find(t, "a")->begin_ns);
    EXPECT_INT_EQ(1, find(t, "a")->ns);
    EXPECT_INT_EQ(2, find(t, "b")->begin_ns);
    EXPECT_INT_EQ(1, find(t, "b")->ns);
    EXPECT_INT_EQ(877, find(t, "c")->begin_ns);
    stk_timeline_free(t);
}

STK_TEST(negative_times_are_counted_from_the_first)
{
    stk_timeline *t = read_text("[{\"ph\":\"X\",\"name\":\"a\",\"ts\":-5.5,\"dur\":1,\"pid\":-1},"
                                "{\"ph\":\"X\",\"name\":\"b\",\"ts\":0,\"dur\":1,\"pid\":\"x\"}]");
    EXPECT_INT_EQ(0, find(t, "a")->begin_ns);
    EXPECT_INT_EQ(5500, find(t, "b")->begin_ns);
    const stk_timeline_row *row = stk_timeline_row_at(t, find(t, "b")->row);
    EXPECT_STR_EQ("x", stk_timeline_text(t, row->process_name));
    stk_timeline_free(t);
}

STK_TEST(cut_files_give_what_is_whole_at_every_byte)
{
    static const char text[] =
        "{\"schemaVersion\": 1, \"traceEvents\": [\n"
        "{\"ph\":\"X\",\"name\":\"one\",\"ts\":1,\"dur\":2,\"pid\":1,\"args\":{\"a\":[1,2]}},\n"
        "{\"ph\":\"X\",\"name\":\"two\",\"ts\":2,\"dur\":2,\"pid\":1}], \"otherData\": {\"x\": 1}}";
    const char *one = strstr(text, "},\n{") + 1, *two = strstr(text, "], \"other");
    const char *list = strchr(text, '[');
    for (size_t size = 1; size < sizeof text - 1; size++) {
        stk_error     err;
        stk_timeline *t;
        const char   *path = stk_test_path("cut.json");
        stk_test_write_file(path, text, size);
        const stk_status st = stk_timeline_read(&t, path, NULL, &err);
        if (size <= (size_t)(list - text)) {
            EXPECT_INT_EQ(STK_E_INVALID, st);
            EXPECT_CONTAINS("traceEvents", err.message);
            continue;
        }
        EXPECT_INT_EQ(STK_OK, st);
        EXPECT(stk_timeline_cut(t));
        EXPECT_INT_EQ((size >= (size_t)(one - text)) + (size >= (size_t)(two - text)),
                      stk_timeline_count(t));
        stk_timeline_free(t);
    }
}

STK_TEST(array_that_was_never_closed_is_whole)
{
    stk_timeline *t = read_text("[\n{\"ph\":\"X\",\"name\":\"a\",\"ts\":1,\"dur\":1},\n");
    EXPECT(!stk_timeline_cut(t));
    EXPECT_INT_EQ(1, stk_timeline_count(t));
    stk_timeline_free(t);
    t = read_text("[{\"ph\":\"X\",\"name\":\"a\",\"ts\":1,\"dur\":1},{\"ph\"");
    EXPECT(stk_timeline_cut(t));
    stk_timeline_free(t);
}

STK_TEST(what_is_no_trace_is_refused_with_the_byte_and_what_was_expected)
{
    static const struct {
        const char *text, *byte, *what;
    } cases[] = {
        {"", "empty", "events"},
        {"   \n", "empty", "events"},
        {"hello", "byte 0", "'{' or '['"},
        {"\x89PNG", "byte 0", "0x89"},
        {"{\"a\": 1}", "byte 8", "traceEvents"},
        {"[1, 2]", "byte 1", "an event"},
        {"[{\"ph\":\"X\" \"ts\":1}]", "byte 11", "','"},
        {"[{\"ph\":\"X\"}] x", "byte 13", "the end of the file"},
        {"[{\"a\":{\"b\":]}}]", "byte 11", "a value"},
        {"[{\"a\":[1}]}]", "byte 8", "closing bracket"},
        {"{\"traceEvents\": {\"a\": 1}}", "byte 25", "traceEvents"},
        {"[{ph:\"X\"}]", "byte 2", "a key in quotes"},
        {"{\"traceEvents\": [] \"x\": 1}", "byte 19", "',' or '}'"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const stk_error err = refuse(cases[i].text);
        EXPECT_CONTAINS(cases[i].byte, err.message);
        EXPECT_CONTAINS(cases[i].what, err.message);
    }
    stk_error     err;
    stk_timeline *t;
    EXPECT_STATUS(STK_E_NOTFOUND, stk_timeline_read(&t, "/no/such/file.json", NULL, &err));
}

static void write_gzip(const char *path, const char *text)
{
    gzFile file = gzopen(path, "wb");
    EXPECT(file && gzwrite(file, text, (unsigned)strlen(text)) == (int)strlen(text));
    gzclose(file);
}

STK_TEST(gzip_is_unpacked_cut_or_whole_and_damage_is_named)
{
    const char *path = stk_test_path("trace.json.gz"), *other = stk_test_path("other.json.gz");
    stk_blob    text;
    char        line[128];
    stk_error   err;
    stk_blob_init(&text, NULL, STK_MEMORY_OUTPUT);
    EXPECT_OK(stk_blob_append(&text, "[", 1, &err));
    for (int i = 0; i < 20000; i++) {
        const int size = snprintf(
            line, sizeof line, "%s{\"ph\":\"X\",\"name\":\"op %d\",\"ts\":%d,\"dur\":1,\"pid\":1}",
            i ? "," : "", i % 97, i * 10 + i % 7);
        EXPECT_OK(stk_blob_append(&text, line, (size_t)size, &err));
    }
    EXPECT_OK(stk_blob_append(&text, "]", 2, &err));
    write_gzip(path, (const char *)text.data);
    stk_timeline *t = read_file(path, 0);
    EXPECT_INT_EQ(20000, stk_timeline_count(t));
    EXPECT(!stk_timeline_cut(t));
    stk_timeline_free(t);

    const stk_bytes packed = stk_test_read_file(path);
    stk_test_write_file(other, packed.data, packed.size / 2);
    t = read_file(other, 0);
    EXPECT(stk_timeline_cut(t));
    EXPECT(stk_timeline_count(t) > 1000 && stk_timeline_count(t) < 20000);
    stk_timeline_free(t);

    uint8_t *damaged = malloc(packed.size);
    memcpy(damaged, packed.data, packed.size);
    memset(damaged + packed.size / 2, 0xFF, 64);
    stk_test_write_file(other, damaged, packed.size);
    free(damaged);
    EXPECT(stk_timeline_read(&t, other, NULL, &err));
    EXPECT_CONTAINS("byte", err.message);
    stk_blob_release(&text);
}

/* Events of steps of 100 us: a mark, and nine operations; the marks stand at the end of the file,
 * as tools put them. */
static void write_steps(const char *path, int steps)
{
    FILE *file = fopen(path, "w");
    fprintf(file, "{\"schemaVersion\": 1, \"traceEvents\": [");
    for (int i = 0; i < steps * 9; i++)
        fprintf(file,
                "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"op%d\",\"ts\":%d,\"dur\":9,\"pid\":1,"
                "\"tid\":1},\n",
                i % 9, i / 9 * 100 + i % 9 * 10);
    for (int i = 0; i < steps; i++)
        fprintf(file,
                "%s{\"ph\":\"X\",\"cat\":\"user_annotation\",\"name\":\"ProfilerStep#%d\","
                "\"ts\":%d,\"dur\":100,\"pid\":1,\"tid\":1}",
                i ? ",\n" : "", i, i * 100);
    fprintf(file, "]}");
    fclose(file);
}

STK_TEST(limit_keeps_a_window_of_whole_steps_and_counts_the_rest)
{
    const char *path = stk_test_path("steps.json");
    write_steps(path, 1000);
    stk_timeline *t = read_file(path, 0);
    EXPECT_INT_EQ(10000, stk_timeline_count(t));
    stk_timeline_free(t);
    for (uint64_t most = 50; most < 5000; most *= 3) {
        stk_timeline *part = read_file(path, most);
        size_t        steps = 0, count = stk_timeline_count(part);
        uint64_t      end = 0;
        EXPECT(count <= most && count >= most / 8);
        EXPECT_INT_EQ(10000 - count, stk_timeline_left_out(part));
        for (size_t i = 0; i < count; i++) {
            const stk_timeline_event *e = stk_timeline_at(part, i);
            steps += e->kind == STK_TIMELINE_STEP;
            if (e->begin_ns + e->ns > end) end = e->begin_ns + e->ns;
        }
        EXPECT_INT_EQ(count, steps * 10);
        EXPECT_INT_EQ(end, steps * 100000);
        stk_timeline_free(part);
    }
}

static void note_progress(void *context, uint64_t done, uint64_t size)
{
    uint64_t *seen = context;
    EXPECT(done <= size && done >= seen[0]);
    seen[0] = done;
    seen[1] = size;
    seen[2]++;
}

/* A file of 200 MB may not make the process grow by more than the window, the kept events and
 * their names. */
STK_TEST(large_file_is_read_in_little_memory)
{
    enum { EVENTS = 1000000, KEPT = 20000, ALLOWED_KB = 24 << 10 };
    const char *path = stk_test_path("large.json");
    FILE       *file = fopen(path, "w");
    char        padding[101];
    memset(padding, 'x', 100);
    padding[100] = 0;
    fputs("{\"padding\": [", file);
    for (int i = 0; i < 100000; i++)
        fprintf(file, "{\"unused\": \"%s\"},", padding);
    fputs("0], \"traceEvents\": [", file);
    for (int i = 0; i < EVENTS; i++)
        fprintf(
            file,
            "%s{\"ph\":\"X\",\"name\":\"op%d\",\"cat\":\"cpu_op\",\"ts\":%d,\"dur\":9,\"pid\":1,"
            "\"tid\":%d,\"args\":{\"Input Dims\":\"%s\"}}",
            i ? "," : "", i % 1000, i * 10, i % 4, padding);
    fputs("]}", file);
    fclose(file);
    struct rusage              before, after;
    uint64_t                   progress[3] = {0};
    stk_error                  err;
    stk_timeline              *t;
    const stk_timeline_options options = {
        .max_events = KEPT, .progress = note_progress, .context = progress};
    getrusage(RUSAGE_SELF, &before);
    EXPECT_OK(stk_timeline_read(&t, path, &options, &err));
    getrusage(RUSAGE_SELF, &after);
    EXPECT(after.ru_maxrss - before.ru_maxrss < ALLOWED_KB);
    EXPECT(stk_timeline_count(t) <= KEPT && stk_timeline_count(t) > KEPT / 8);
    EXPECT_INT_EQ(EVENTS, stk_timeline_count(t) + stk_timeline_left_out(t));
    EXPECT(progress[0] == progress[1] && progress[2] > 10);
    stk_timeline_free(t);
    remove(path);
}

static stk_status read_and_look(void *context, stk_error *err)
{
    stk_timeline *t;
    stk_profile   profile;
    stk_blob      missing;
    STK_TRY(stk_timeline_read(&t, context, NULL, err));
    stk_blob_init(&missing, NULL, STK_MEMORY_OUTPUT);
    stk_status st = stk_timeline_profile(t, &profile, &missing, err);
    if (!st) stk_profile_release(&profile);
    stk_blob_release(&missing);
    stk_timeline_free(t);
    return st;
}

STK_TEST(every_failed_allocation_is_told_and_frees_all)
{
    const char *path = stk_test_path("few.json");
    write_steps(path, 4);
    stk_test_fail_each_allocation(read_and_look, (void *)path);
}

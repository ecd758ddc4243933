/* Trace files for tests: reading one, plain or by gzip, and what must hold of every row. Included.
 */
#ifndef STK_TESTS_TRACE_SUPPORT_H
#define STK_TESTS_TRACE_SUPPORT_H

#include "harness.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

typedef struct trace_file {
    stk_blob              text;
    stk_json_document    *doc;
    const stk_json_value *events, *other;
} trace_file;

static inline trace_file trace_file_of(const char *path)
{
    stk_error  err;
    trace_file f = {0};
    char       piece[4096];
    int        got;
    gzFile     in = gzopen(path, "rb"); /* reads plain files as they are */
    EXPECT(in != NULL);
    stk_blob_init(&f.text, NULL, STK_MEMORY_OUTPUT);
    while ((got = gzread(in, piece, sizeof piece)) > 0)
        EXPECT_OK(stk_blob_append(&f.text, piece, (size_t)got, &err));
    EXPECT_INT_EQ(0, got);
    EXPECT_INT_EQ(Z_OK, gzclose(in));
    EXPECT_OK(stk_json_parse(&f.doc, stk_blob_bytes(&f.text), path, &err));
    f.events = stk_json_get(stk_json_root(f.doc), "traceEvents");
    f.other = stk_json_get(stk_json_root(f.doc), "otherData");
    EXPECT_INT_EQ(STK_JSON_ARRAY, stk_json_type_of(f.events));
    return f;
}

static inline void trace_file_release(trace_file *f)
{
    stk_json_document_free(f->doc);
    stk_blob_release(&f->text);
}

static inline const char *trace_text(const stk_json_value *event, const char *key)
{
    return stk_json_text(stk_json_get(event, key), "");
}

static inline double trace_number(const stk_json_value *event, const char *key)
{
    return stk_json_number(stk_json_get(event, key), -1);
}

static inline int64_t trace_ns(const stk_json_value *event, const char *key)
{
    return llround(trace_number(event, key) * 1000);
}

/* The skip-th event of that phase whose name begins so; NULL when there is none. */
static inline const stk_json_value *trace_find(const trace_file *f, const char *phase,
                                               const char *name, int skip)
{
    for (size_t i = 0; i < stk_json_count(f->events); i++) {
        const stk_json_value *e = stk_json_at(f->events, i);
        if (strcmp(trace_text(e, "ph"), phase) == 0 &&
            strncmp(trace_text(e, "name"), name, strlen(name)) == 0 && skip-- == 0)
            return e;
    }
    return NULL;
}

static inline int trace_count(const trace_file *f, const char *phase, const char *name)
{
    int count = 0;
    while (trace_find(f, phase, name, count))
        count++;
    return count;
}

/* Spans of one row that are open at a time, outermost first. */
typedef struct trace_row {
    int64_t pid, tid, ends[64], last;
    int     depth;
} trace_row;

static inline trace_row *trace_row_of(trace_row *rows, int *count, const stk_json_value *event)
{
    const int64_t pid = stk_json_integer(stk_json_get(event, "pid"), -1);
    const int64_t tid = stk_json_integer(stk_json_get(event, "tid"), -1);
    for (int i = 0; i < *count; i++)
        if (rows[i].pid == pid && rows[i].tid == tid) return &rows[i];
    EXPECT(*count < 256);
    rows[*count] = (trace_row){.pid = pid, .tid = tid};
    return &rows[(*count)++];
}

/* Every span of every row lies inside the one around it, and rows are in order of time. Gives the
 * number of rows. */
static inline int expect_nested(const trace_file *f)
{
    trace_row *rows = calloc(256, sizeof *rows);
    int        count = 0;
    for (size_t i = 0; i < stk_json_count(f->events); i++) {
        const stk_json_value *e = stk_json_at(f->events, i);
        if (strcmp(trace_text(e, "ph"), "X") != 0) continue;
        const int64_t begin = trace_ns(e, "ts"), end = begin + trace_ns(e, "dur");
        trace_row    *row = trace_row_of(rows, &count, e);
        EXPECT(begin >= row->last && end >= begin);
        row->last = begin;
        while (row->depth && row->ends[row->depth - 1] <= begin)
            row->depth--;
        EXPECT(row->depth == 0 || end <= row->ends[row->depth - 1]);
        EXPECT(row->depth < 64);
        row->ends[row->depth++] = end;
    }
    free(rows);
    return count;
}

#endif

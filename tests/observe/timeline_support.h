/* Traces written line by line. Times are microseconds. */
#ifndef STK_TESTS_OBSERVE_TIMELINE_SUPPORT_H
#define STK_TESTS_OBSERVE_TIMELINE_SUPPORT_H

#include "harness.h"

#include <stdio.h>
#include <string.h>

typedef struct trace_file {
    FILE       *file;
    const char *path;
    int         events;
} trace_file;

static inline trace_file begin_trace(const char *name, const char *members)
{
    trace_file f = {.path = stk_test_path(name)};
    f.file = fopen(f.path, "w");
    fprintf(f.file, "{%s%s\"traceEvents\": [", members, members[0] ? ", " : "");
    return f;
}

static inline void end_trace(trace_file *f)
{
    fprintf(f->file, "]}\n");
    fclose(f->file);
}

static inline void name_process(trace_file *f, int pid, const char *kind, const char *text)
{
    fprintf(
        f->file,
        "%s{\"ph\":\"M\",\"name\":\"process_%s\",\"pid\":%d,\"tid\":0,\"args\":{\"%s\":\"%s\"}}",
        f->events++ ? ",\n" : "\n", kind, pid, kind, text);
}

static inline void add_span(trace_file *f, int pid, int tid, const char *category, const char *name,
                            double ts, double dur)
{
    fprintf(f->file,
            "%s{\"ph\":\"X\",\"cat\":\"%s\",\"name\":\"%s\",\"pid\":%d,\"tid\":%d,\"ts\":%.3f,"
            "\"dur\":%.3f}",
            f->events++ ? ",\n" : "\n", category, name, pid, tid, ts, dur);
}

static inline void add_step(trace_file *f, int pid, int number, double ts, double dur)
{
    char name[40];
    snprintf(name, sizeof name, "ProfilerStep#%d", number);
    add_span(f, pid, 1, "user_annotation", name, ts, dur);
}

static inline stk_timeline *read_trace(const char *path)
{
    stk_error     err;
    stk_timeline *t;
    EXPECT_OK(stk_timeline_read(&t, path, NULL, &err));
    return t;
}

#endif

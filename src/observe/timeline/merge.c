/* Merges traces of several ranks: a first pass reads clocks and processes, a second one copies
 * events. */
#include "base/hash.h"
#include "observe/timeline/chrome_reader.h"
#include "observe/timeline/merge_output.h"
#include "observe/timeline/trace_metadata.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

enum { PROCESSES = 1000, PROCESS_MAX = 128 };

/* A process as its file names it. */
typedef struct process {
    char   text[PROCESS_MAX]; /* raw text of pid */
    size_t size;
    bool   named;
} process;

typedef struct rank {
    const char        *path;
    stk_trace_metadata origin;
    int64_t            number, shift_ns;
    stk_blob           processes; /* process */
} rank;

typedef struct merging {
    const stk_timeline_merge_options *options;
    stk_timeline_options              reading;
    rank                             *ranks;
    size_t                            count;
    rank                             *now;
    stk_merge_output                  out;
    bool                              first; /* before the first event */
    uint64_t                          cut;
} merging;

static process *processes_of(const rank *r, size_t *count)
{
    *count = r->processes.size / sizeof(process);
    return (process *)(void *)r->processes.data;
}

/* Index of a process in the file; adds it if new. */
static stk_status find_process(rank *r, stk_bytes pid, size_t *index, stk_error *err)
{
    size_t   count;
    process *list = processes_of(r, &count);
    process  made = {.size = pid.size < PROCESS_MAX ? pid.size : PROCESS_MAX};
    if (pid.data) memcpy(made.text, pid.data, made.size);
    for (*index = 0; *index < count; ++*index)
        if (list[*index].size == made.size && memcmp(list[*index].text, made.text, made.size) == 0)
            return STK_OK;
    if (count == PROCESSES)
        return stk_fail(err, STK_E_LIMIT, "trace", r->path,
                        "more than %d processes in one file; a rank has few", PROCESSES);
    return stk_blob_append(&r->processes, &made, sizeof made, err);
}

static bool is_named(const stk_file_event *event, const char *name)
{
    return stk_file_event_phase(event) == 'M' && stk_scan_is(event->name, name);
}

static stk_status learn_event(void *context, const stk_file_event *event, stk_error *err)
{
    merging *m = context;
    size_t   index, count;
    if (!event->phase.data) return STK_OK;
    STK_TRY(find_process(m->now, event->pid, &index, err));
    if (is_named(event, "\"process_name\"")) processes_of(m->now, &count)[index].named = true;
    return STK_OK;
}

static stk_status learn_member(void *context, stk_bytes key, stk_bytes value, stk_error *err)
{
    merging *m = context;
    (void)err;
    stk_trace_metadata_add(&m->now->origin, key, value);
    return STK_OK;
}

static stk_status read_file(merging *m, const stk_event_visitor *visitor, bool *cut, stk_error *err)
{
    stk_trace_input in;
    stk_status      st = stk_trace_input_open(&in, m->now->path, &m->reading, err);
    if (!st) st = stk_events_read(&in, visitor, cut, err);
    stk_trace_input_release(&in);
    return st;
}

static void warn(const merging *m, const char *format, const char *text)
{
    char line[512];
    if (!m->options->warn) return;
    snprintf(line, sizeof line, format, text);
    m->options->warn(m->options->context, line);
}

static stk_status learn(merging *m, stk_error *err)
{
    const stk_event_visitor visitor = {m, learn_event, learn_member};
    for (size_t i = 0; i < m->count; i++) {
        bool cut = false;
        m->now = &m->ranks[i];
        STK_TRY(read_file(m, &visitor, &cut, err));
        if (m->now->origin.is_merged)
            return stk_fail(err, STK_E_INVALID, "trace", m->now->path,
                            "it holds several ranks already; merge their own files");
        if (cut) warn(m, "%s is cut off: what is whole of it is merged", m->now->path);
        m->cut += cut;
    }
    return STK_OK;
}

/* Uses the files' own rank numbers if all have one and they differ. */
static void number_ranks(merging *m)
{
    bool known = true;
    for (size_t i = 0; i < m->count; i++) {
        const int64_t number = m->ranks[i].origin.rank;
        known = known && number >= 0 && number < STK_TIMELINE_RANKS;
        for (size_t k = 0; k < i; k++)
            known = known && m->ranks[k].origin.rank != number;
    }
    for (size_t i = 0; i < m->count; i++)
        m->ranks[i].number = known ? m->ranks[i].origin.rank : (int64_t)i;
}

static bool is_given(const merging *m, size_t index)
{
    return m->options->offsets && (!m->options->given || m->options->given[index]);
}

static stk_status check_hosts(const merging *m, stk_error *err)
{
    const rank *first = &m->ranks[0];
    for (size_t i = 1; i < m->count; i++) {
        const rank *r = &m->ranks[i];
        const bool  known = r->origin.host[0] && first->origin.host[0];
        if (!known || strcmp(r->origin.host, first->origin.host) == 0 || is_given(m, i) ||
            r->origin.has_offset)
            continue;
        return stk_fail(err, STK_E_INVALID, "trace", r->path,
                        "it was recorded on host '%s' and the first on '%s', whose clocks differ; "
                        "say by how much: --offset %zu=NANOSECONDS, or 0",
                        r->origin.host, first->origin.host, i);
    }
    return STK_OK;
}

/* Makes all times relative to the earliest base. */
static stk_status set_clocks(merging *m, int64_t *base, stk_error *err)
{
    bool all = true;
    STK_TRY(check_hosts(m, err));
    for (size_t i = 0; i < m->count; i++)
        all = all && m->ranks[i].origin.has_base;
    if (!all)
        warn(m, "%s",
             "not all files say when their times begin (baseTimeNanoseconds): they are "
             "taken to begin together");
    *base = all ? m->ranks[0].origin.base_ns : 0;
    for (size_t i = 0; all && i < m->count; i++)
        if (m->ranks[i].origin.base_ns < *base) *base = m->ranks[i].origin.base_ns;
    for (size_t i = 0; i < m->count; i++) {
        rank         *r = &m->ranks[i];
        const int64_t offset = is_given(m, i) ? m->options->offsets[i] : r->origin.offset_ns;
        if (__builtin_sub_overflow(all ? r->origin.base_ns : 0, *base, &r->shift_ns) ||
            __builtin_add_overflow(r->shift_ns, offset, &r->shift_ns))
            return stk_fail(err, STK_E_RANGE, "trace", r->path, "its clock is too far from others");
    }
    return STK_OK;
}

static stk_status begin_event(merging *m, stk_error *err)
{
    const bool first = m->first;
    m->first = false;
    return stk_merge_put(&m->out, stk_bytes_text(first ? "\n{" : ",\n{"), err);
}

static stk_status put_name(merging *m, size_t index, stk_bytes name, stk_error *err)
{
    const int64_t number = m->now->number;
    STK_TRY(begin_event(m, err));
    STK_TRY(stk_merge_print(&m->out, err,
                            "\"ph\":\"M\",\"name\":\"process_name\",\"pid\":%lld,\"tid\":0,"
                            "\"args\":{\"name\":\"rank %lld",
                            (long long)(number * PROCESSES + (int64_t)index), (long long)number));
    if (!stk_scan_is_string(name)) return stk_merge_put(&m->out, stk_bytes_text("\"}}"), err);
    STK_TRY(stk_merge_put(&m->out, stk_bytes_text(" "), err));
    STK_TRY(stk_merge_put_rest(&m->out, name, err));
    return stk_merge_put(&m->out, stk_bytes_text("}}"), err);
}

/* Writes the order of processes, and names for those without one. */
static stk_status put_processes(merging *m, stk_error *err)
{
    size_t         count;
    const process *list = processes_of(m->now, &count);
    for (size_t i = 0; i < count; i++) {
        const long long pid = m->now->number * PROCESSES + (int64_t)i;
        if (!list[i].named) STK_TRY(put_name(m, i, stk_bytes_of(list[i].text, list[i].size), err));
        STK_TRY(begin_event(m, err));
        STK_TRY(stk_merge_print(&m->out, err,
                                "\"ph\":\"M\",\"name\":\"process_sort_index\",\"pid\":%lld,"
                                "\"tid\":0,\"args\":{\"sort_index\":%lld}}",
                                pid, pid));
    }
    return STK_OK;
}

static stk_status put_time(merging *m, stk_bytes value, stk_error *err)
{
    int64_t ns;
    if (!stk_scan_microseconds(value, &ns) || __builtin_add_overflow(ns, m->now->shift_ns, &ns))
        return stk_merge_put_value(&m->out, value, err);
    const char    *sign = ns < 0 ? "-" : "";
    const uint64_t size = ns < 0 ? 0 - (uint64_t)ns : (uint64_t)ns;
    return stk_merge_print(&m->out, err, "%s%" PRIu64 ".%03d", sign, size / 1000,
                           (int)(size % 1000));
}

/* Makes ids of flows and async spans unique across ranks. */
static stk_status put_id(merging *m, stk_bytes value, stk_error *err)
{
    int64_t number;
    if (stk_scan_is_object(value)) return stk_merge_put_value(&m->out, value, err);
    if (stk_scan_integer(value, &number))
        return stk_merge_print(&m->out, err, "\"%lld.%lld\"", (long long)m->now->number,
                               (long long)number);
    return stk_merge_print(&m->out, err, "\"%lld.%016" PRIx64 "\"", (long long)m->now->number,
                           stk_hash64(1, value.data, value.size));
}

static stk_status put_member(merging *m, stk_bytes key, stk_bytes value, int64_t pid,
                             stk_error *err)
{
    /* The key excludes its quotes, which surround it in the text. */
    STK_TRY(stk_merge_put_value(&m->out, stk_bytes_of(key.data - 1, key.size + 2), err));
    STK_TRY(stk_merge_put(&m->out, stk_bytes_text(":"), err));
    if (stk_scan_is(key, "pid")) return stk_merge_print(&m->out, err, "%lld", (long long)pid);
    if (stk_scan_is(key, "ts")) return put_time(m, value, err);
    if (stk_scan_is(key, "id")) return put_id(m, value, err);
    return stk_merge_put_value(&m->out, value, err);
}

static stk_bytes argument(const stk_file_event *event, const char *wanted)
{
    stk_members m;
    stk_bytes   key, value;
    if (stk_scan_is_object(event->args)) {
        stk_members_begin(&m, event->args);
        while (stk_members_next(&m, &key, &value))
            if (stk_scan_is(key, wanted)) return value;
    }
    return stk_bytes_of(NULL, 0);
}

static stk_status copy_event(void *context, const stk_file_event *event, stk_error *err)
{
    merging    *m = context;
    stk_members members;
    stk_bytes   key, value;
    size_t      index;
    if (!event->phase.data || is_named(event, "\"process_sort_index\"")) return STK_OK;
    STK_TRY(find_process(m->now, event->pid, &index, err));
    if (is_named(event, "\"process_name\""))
        return put_name(m, index, argument(event, "name"), err);
    const int64_t pid = m->now->number * PROCESSES + (int64_t)index;
    STK_TRY(begin_event(m, err));
    stk_members_begin(&members, event->text);
    for (bool first = true; stk_members_next(&members, &key, &value); first = false) {
        if (!first) STK_TRY(stk_merge_put(&m->out, stk_bytes_text(","), err));
        STK_TRY(put_member(m, key, value, pid, err));
    }
    return stk_merge_put(&m->out, stk_bytes_text("}"), err);
}

static stk_status copy(merging *m, int64_t base, stk_error *err)
{
    const stk_event_visitor visitor = {m, copy_event, NULL};
    double                  dropped = 0;
    bool                    cut;
    STK_TRY(stk_merge_print(&m->out, err,
                            "{\"displayTimeUnit\": \"ms\",\n\"baseTimeNanoseconds\": %lld,\n"
                            "\"traceEvents\": [",
                            (long long)base));
    for (size_t i = 0; i < m->count; i++) {
        m->now = &m->ranks[i];
        dropped += m->now->origin.dropped;
        STK_TRY(put_processes(m, err));
        STK_TRY(read_file(m, &visitor, &cut, err));
    }
    return stk_merge_print(&m->out, err,
                           "\n],\n\"otherData\": {\"ranks\": %zu, \"dropped\": %.0f, "
                           "\"cut\": %" PRIu64 "}}\n",
                           m->count, dropped, m->cut);
}

static bool same_file(const char *a, const char *b)
{
    char first[PATH_MAX], second[PATH_MAX];
    if (strcmp(a, b) == 0) return true;
    return realpath(a, first) && realpath(b, second) && strcmp(first, second) == 0;
}

static stk_status check_paths(const merging *m, const char *path, stk_error *err)
{
    for (size_t i = 0; i < m->count; i++)
        if (same_file(path, m->ranks[i].path))
            return stk_fail(err, STK_E_INVALID, "trace", path,
                            "the result would replace one of the traces it is made of; give it "
                            "another name");
    return STK_OK;
}

static stk_status merge(merging *m, const char *path, stk_error *err)
{
    int64_t base;
    STK_TRY(check_paths(m, path, err));
    STK_TRY(learn(m, err));
    number_ranks(m);
    STK_TRY(set_clocks(m, &base, err));
    stk_status st = stk_merge_output_open(&m->out, m->options->fs, path, err);
    if (!st) st = copy(m, base, err);
    if (!st) st = stk_merge_output_commit(&m->out, err);
    stk_merge_output_release(&m->out);
    return st;
}

stk_status stk_timeline_merge(const char *path, const char *const *paths, size_t count,
                              const stk_timeline_merge_options *options, stk_error *err)
{
    static const stk_timeline_merge_options plain;
    merging m = {.options = options ? options : &plain, .count = count, .first = true};
    if (!count || count > STK_TIMELINE_RANKS)
        return stk_fail(err, STK_E_INVALID, "trace", path, "%zu traces to merge; 1 to %d can be",
                        count, STK_TIMELINE_RANKS);
    m.reading = (stk_timeline_options){.fs = m.options->fs,
                                       .cancel = m.options->cancel,
                                       .progress = m.options->progress,
                                       .context = m.options->context};
    m.ranks = calloc(count, sizeof *m.ranks);
    if (!m.ranks)
        return stk_fail(err, STK_E_NOMEM, "trace", path, "no memory for %zu ranks", count);
    for (size_t i = 0; i < count; i++) {
        m.ranks[i].path = paths[i];
        stk_trace_metadata_init(&m.ranks[i].origin);
        stk_blob_init(&m.ranks[i].processes, NULL, STK_MEMORY_INDEX);
    }
    const stk_status st = merge(&m, path, err);
    for (size_t i = 0; i < count; i++)
        stk_blob_release(&m.ranks[i].processes);
    free(m.ranks);
    return st;
}

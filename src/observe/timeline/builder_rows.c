/* Rows of a timeline, found by process and thread. Metadata that names them may come later. */
#include "base/hash.h"
#include "observe/timeline/builder.h"

enum { FIRST_SLOTS = 64, ROWS_MAX = 1 << 16, PROCESSES_MAX = 4096 };
/* Processes and threads with text ids, and rows of async spans, get numbers that no system
 * assigns. */
static const int64_t named_below = -1000000, async_above = (int64_t)1 << 40;

typedef struct process_name {
    int64_t  process;
    uint32_t name, labels;
} process_name;

stk_status stk_builder_text(stk_builder *b, stk_bytes value, uint32_t *number, stk_error *err)
{
    *number = 0;
    if (!value.data) return STK_OK;
    /* Most texts have no escapes. */
    if (stk_scan_is_string(value) && !memchr(value.data, '\\', value.size))
        return stk_string_table_add(&b->timeline->texts,
                                    stk_bytes_of(value.data + 1, value.size - 2), number, err);
    STK_TRY(stk_scan_text(value, STK_TEXT_MAX, &b->text, err));
    return stk_string_table_add(&b->timeline->texts, stk_blob_bytes(&b->text), number, err);
}

static uint32_t *slots_of(const stk_builder *b)
{
    return (uint32_t *)(void *)b->row_table.data;
}

static size_t row_count(const stk_builder *b)
{
    return b->timeline->rows.size / sizeof(stk_timeline_track);
}

static size_t find_slot(const stk_builder *b, int64_t process, int64_t thread)
{
    const size_t   mask = b->row_table.size / sizeof(uint32_t) - 1;
    const uint64_t hash = stk_hash64_number((uint64_t)process, (uint64_t)thread);
    for (size_t slot = (size_t)hash & mask;; slot = (slot + 1) & mask) {
        const uint32_t row = slots_of(b)[slot];
        if (!row) return slot;
        const stk_timeline_row *r = &stk_timeline_tracks(b->timeline)[row - 1].row;
        if (r->process == process && r->thread == thread) return slot;
    }
}

static stk_status grow_table(stk_builder *b, stk_error *err)
{
    const size_t bytes = b->row_table.size ? b->row_table.size * 2 : FIRST_SLOTS * sizeof(uint32_t);
    STK_TRY(stk_blob_reserve_exact(&b->row_table, bytes, err));
    memset(b->row_table.data, 0, bytes);
    b->row_table.size = bytes;
    for (size_t i = 0; i < row_count(b); i++) {
        const stk_timeline_row *r = &stk_timeline_tracks(b->timeline)[i].row;
        slots_of(b)[find_slot(b, r->process, r->thread)] = (uint32_t)i + 1;
    }
    return STK_OK;
}

/* Beyond the limit all events go to the first row: such rows are no threads. */
static stk_status find_row(stk_builder *b, int64_t process, int64_t thread, uint32_t thread_name,
                           uint32_t *row, stk_error *err)
{
    if (row_count(b) * 2 >= b->row_table.size / sizeof(uint32_t)) STK_TRY(grow_table(b, err));
    const size_t slot = find_slot(b, process, thread);
    *row = slots_of(b)[slot] ? slots_of(b)[slot] - 1 : 0;
    if (slots_of(b)[slot] || row_count(b) >= ROWS_MAX) return STK_OK;
    const stk_timeline_track made = {
        .row = {.process = process, .thread = thread, .thread_name = thread_name}};
    STK_TRY(stk_blob_append(&b->timeline->rows, &made, sizeof made, err));
    *row = (uint32_t)row_count(b) - 1;
    slots_of(b)[slot] = *row + 1;
    return STK_OK;
}

/* Numbers are kept; a text becomes its name and a number below all others. */
static stk_status identify(stk_builder *b, stk_bytes value, int64_t *number, uint32_t *name,
                           stk_error *err)
{
    *number = 0;
    *name = 0;
    if (!value.data || stk_scan_integer(value, number)) return STK_OK;
    STK_TRY(stk_builder_text(b, value, name, err));
    *number = named_below - *name;
    return STK_OK;
}

stk_status stk_builder_name_process(stk_builder *b, int64_t process, uint32_t name, uint32_t labels,
                                    stk_error *err)
{
    process_name *list = (process_name *)(void *)b->processes.data;
    const size_t  count = b->processes.size / sizeof *list;
    for (size_t i = 0; i < count; i++)
        if (list[i].process == process) {
            if (name) list[i].name = name;
            if (labels) list[i].labels = labels;
            return STK_OK;
        }
    if (count >= PROCESSES_MAX) return STK_OK;
    const process_name made = {process, name, labels};
    return stk_blob_append(&b->processes, &made, sizeof made, err);
}

/* Events of one thread are mostly consecutive. */
static bool is_last_row(const stk_builder *b, int64_t process, int64_t thread)
{
    if (b->last_row >= row_count(b)) return false;
    const stk_timeline_row *last = &stk_timeline_tracks(b->timeline)[b->last_row].row;
    return last->process == process && last->thread == thread;
}

stk_status stk_builder_row_of(stk_builder *b, int64_t process, int64_t thread, uint32_t thread_name,
                              uint32_t *row, stk_error *err)
{
    if (!is_last_row(b, process, thread))
        STK_TRY(find_row(b, process, thread, thread_name, &b->last_row, err));
    *row = b->last_row;
    return STK_OK;
}

stk_status stk_builder_row(stk_builder *b, const stk_file_event *event, uint32_t *row,
                           stk_error *err)
{
    int64_t  process, thread;
    uint32_t process_text, thread_text;
    STK_TRY(identify(b, event->pid, &process, &process_text, err));
    STK_TRY(identify(b, event->tid, &thread, &thread_text, err));
    if (process_text && !is_last_row(b, process, thread))
        STK_TRY(stk_builder_name_process(b, process, process_text, 0, err));
    return stk_builder_row_of(b, process, thread, thread_text, row, err);
}

stk_status stk_builder_async_row(stk_builder *b, const stk_file_event *event, uint32_t *row,
                                 stk_error *err)
{
    int64_t  process;
    uint32_t process_text, category;
    STK_TRY(identify(b, event->pid, &process, &process_text, err));
    STK_TRY(stk_builder_text(b, event->category, &category, err));
    STK_TRY(find_row(b, process, async_above + category, category, row, err));
    stk_timeline_tracks(b->timeline)[*row].is_async = true;
    return STK_OK;
}

/* The text of args.name or args.labels. */
static stk_status read_argument(stk_builder *b, stk_bytes args, const char *wanted,
                                uint32_t *number, stk_error *err)
{
    stk_members m;
    stk_bytes   key, value;
    *number = 0;
    if (!stk_scan_is_object(args)) return STK_OK;
    stk_members_begin(&m, args);
    while (stk_members_next(&m, &key, &value))
        if (stk_scan_is(key, wanted)) return stk_builder_text(b, value, number, err);
    return STK_OK;
}

stk_status stk_builder_name(stk_builder *b, const stk_file_event *event, stk_error *err)
{
    uint32_t   text, row, unused;
    int64_t    process;
    const bool labels = stk_scan_is(event->name, "\"process_labels\"");
    STK_TRY(read_argument(b, event->args, labels ? "labels" : "name", &text, err));
    if (labels || stk_scan_is(event->name, "\"process_name\"")) {
        STK_TRY(identify(b, event->pid, &process, &unused, err));
        return stk_builder_name_process(b, process, labels ? 0 : text, labels ? text : 0, err);
    }
    if (!stk_scan_is(event->name, "\"thread_name\"") || !text) return STK_OK;
    STK_TRY(stk_builder_row(b, event, &row, err));
    stk_timeline_tracks(b->timeline)[row].row.thread_name = text;
    return STK_OK;
}

void stk_builder_name_rows(stk_builder *b)
{
    const process_name *list = (const process_name *)(void *)b->processes.data;
    const size_t        count = b->processes.size / sizeof *list;
    for (size_t r = 0; r < row_count(b); r++) {
        stk_timeline_track *track = &stk_timeline_tracks(b->timeline)[r];
        for (size_t i = 0; i < count; i++)
            if (list[i].process == track->row.process) {
                track->row.process_name = list[i].name;
                track->labels = list[i].labels;
            }
    }
}

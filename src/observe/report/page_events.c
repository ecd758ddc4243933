/* The events of a trace for the page: names once, and each row as one text of small numbers. */
#include "base/checked.h"
#include "observe/report/page_data.h"

#include <stdio.h>
#include <stdlib.h>
#include <stoker/json.h>
#include <stoker/timeline.h>

enum { DIGIT_BITS = 5, DIGITS_MAX = 13, EVENT_NUMBERS = 4, ROW_NAME = 200 };

typedef struct event_list {
    const stk_timeline *timeline;
    stk_json_writer     w;
    stk_blob            numbers; /* of one row */
    uint64_t           *lengths; /* of all spans, longest first */
    size_t              spans, counters;
    uint64_t            shortest;    /* spans that are longer are kept, */
    size_t              of_shortest; /* and so many of this length */
    uint32_t           *name_number; /* by text and stage, from 1; 0: not yet used */
    size_t              texts;
    bool                one_process; /* it need not be named in every row */
    uint32_t            names;
} event_list;

static bool is_span(const stk_timeline_event *event)
{
    return event->kind != STK_TIMELINE_COUNTER;
}

static int compare(const void *left, const void *right)
{
    const uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return (a < b) - (a > b);
}

/* Counts, and decides which lengths are kept. */
static stk_status choose(event_list *l, uint32_t max, stk_error *err)
{
    const size_t count = stk_timeline_count(l->timeline);
    size_t       bytes;
    if (stk_mul_overflows(count + 1, sizeof *l->lengths, &bytes) || !(l->lengths = malloc(bytes)))
        return stk_fail(err, STK_E_NOMEM, "report", "trace", "no memory for %zu events", count);
    for (size_t i = 0; i < count; i++) {
        const stk_timeline_event *event = stk_timeline_at(l->timeline, i);
        if (event->name >= l->texts) l->texts = (size_t)event->name + 1;
        if (is_span(event))
            l->lengths[l->spans++] = event->ns;
        else
            l->counters++;
    }
    l->of_shortest = l->spans;
    if (l->spans <= max) return STK_OK;
    qsort(l->lengths, l->spans, sizeof *l->lengths, compare);
    l->shortest = l->lengths[max - 1];
    l->of_shortest = 0;
    for (size_t i = max; i > 0 && l->lengths[i - 1] == l->shortest; i--)
        l->of_shortest++;
    return STK_OK;
}

static bool is_kept(event_list *l, const stk_timeline_event *event)
{
    if (!is_span(event) || event->ns < l->shortest) return false;
    if (event->ns > l->shortest) return true;
    if (!l->of_shortest) return false;
    l->of_shortest--;
    return true;
}

/* All steps have one name; their number is the value. */
static const char *name_of(const event_list *l, const stk_timeline_event *event)
{
    return event->kind == STK_TIMELINE_STEP ? "step" : stk_timeline_text(l->timeline, event->name);
}

/* Where the number of the event's name is kept; steps have the first place of the first text. */
static uint32_t *number_of(const event_list *l, const stk_timeline_event *event)
{
    if (event->kind == STK_TIMELINE_STEP) return l->name_number;
    return &l->name_number[((size_t)event->name + 1) * STK_STAGE_COUNT + event->stage];
}

/* The names that any span has, in the order of their first use; then their stages. */
static stk_status write_names(event_list *l, stk_blob *stages, stk_error *err)
{
    const size_t count = stk_timeline_count(l->timeline);
    stk_json_key(&l->w, "names");
    stk_json_array(&l->w);
    for (size_t i = 0; i < count; i++) {
        const stk_timeline_event *event = stk_timeline_at(l->timeline, i);
        if (!is_span(event) || event->ns < l->shortest || *number_of(l, event)) continue;
        const uint8_t stage = event->kind == STK_TIMELINE_STEP ? 0 : (uint8_t)event->stage;
        *number_of(l, event) = ++l->names;
        stk_json_string(&l->w, name_of(l, event));
        STK_TRY(stk_blob_append(stages, &stage, 1, err));
    }
    stk_json_array_end(&l->w);
    stk_json_key(&l->w, "stages");
    stk_json_array(&l->w);
    for (size_t i = 0; i < stages->size; i++)
        stk_json_int(&l->w, stages->data[i]);
    stk_json_array_end(&l->w);
    return STK_OK;
}

/* Five bits a digit, low ones first; the sixth bit says that more follow. */
static size_t put_number(char *dst, uint64_t value)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    size_t            count = 0;
    for (; value >> DIGIT_BITS; value >>= DIGIT_BITS)
        dst[count++] = digits[(value & 31) | 32];
    dst[count++] = digits[value];
    return count;
}

static stk_status add_event(event_list *l, const stk_timeline_event *event, uint64_t *before,
                            stk_error *err)
{
    char   text[EVENT_NUMBERS * DIGITS_MAX];
    size_t size = put_number(text, event->begin_ns - *before);
    size += put_number(text + size, event->ns);
    size += put_number(text + size, *number_of(l, event) - 1);
    const bool counts = event->kind == STK_TIMELINE_STEP && event->value > 0 && event->value < 1e15;
    size += put_number(text + size, counts ? (uint64_t)event->value : 0);
    *before = event->begin_ns;
    return stk_blob_append(&l->numbers, text, size, err);
}

static bool has_one_process(const stk_timeline *timeline)
{
    for (size_t i = 1; i < stk_timeline_row_count(timeline); i++)
        if (stk_timeline_row_at(timeline, i)->process != stk_timeline_row_at(timeline, 0)->process)
            return false;
    return true;
}

static void write_row_name(event_list *l, size_t number)
{
    const stk_timeline_row *row = stk_timeline_row_at(l->timeline, number);
    const char             *process = stk_timeline_text(l->timeline, row->process_name);
    const char             *thread = stk_timeline_text(l->timeline, row->thread_name);
    char                    made[ROW_NAME], name[2 * ROW_NAME];
    snprintf(made, sizeof made, "thread %lld", (long long)row->thread);
    if (!row->thread_name || !*thread) thread = made;
    if (!l->one_process && row->process_name && *process)
        snprintf(name, sizeof name, "%s: %s", process, thread);
    else
        snprintf(name, sizeof name, "%s", thread);
    stk_json_pair_string(&l->w, "name", name);
}

/* Events come row by row, each in order of begin. */
static stk_status write_rows(event_list *l, stk_error *err)
{
    const size_t count = stk_timeline_count(l->timeline);
    stk_json_key(&l->w, "rows");
    stk_json_array(&l->w);
    for (size_t i = 0; i < count;) {
        const uint32_t row = stk_timeline_at(l->timeline, i)->row;
        uint64_t       before = 0;
        l->numbers.size = 0;
        for (; i < count && stk_timeline_at(l->timeline, i)->row == row; i++)
            if (is_kept(l, stk_timeline_at(l->timeline, i)))
                STK_TRY(add_event(l, stk_timeline_at(l->timeline, i), &before, err));
        if (!l->numbers.size) continue;
        stk_json_object(&l->w);
        write_row_name(l, row);
        stk_json_key(&l->w, "events");
        stk_json_bytes(&l->w, stk_blob_bytes(&l->numbers));
        stk_json_object_end(&l->w);
    }
    stk_json_array_end(&l->w);
    return STK_OK;
}

static stk_status write_list(event_list *l, uint32_t max, stk_error *err)
{
    l->one_process = has_one_process(l->timeline);
    STK_TRY(choose(l, max, err));
    l->name_number = calloc((l->texts + 1) * STK_STAGE_COUNT, sizeof *l->name_number);
    if (!l->name_number)
        return stk_fail(err, STK_E_NOMEM, "report", "trace", "no memory for %zu names", l->texts);
    stk_blob stages;
    stk_blob_init(&stages, l->numbers.ledger, l->numbers.memory);
    stk_json_object(&l->w);
    const stk_status st = write_names(l, &stages, err);
    stk_blob_release(&stages);
    STK_TRY(st);
    STK_TRY(write_rows(l, err));
    stk_json_pair_uint(&l->w, "left_out", l->spans > max ? l->spans - max : 0);
    stk_json_pair_uint(&l->w, "late", stk_timeline_left_out(l->timeline));
    stk_json_pair_uint(&l->w, "counters", l->counters);
    stk_json_pair_bool(&l->w, "cut", stk_timeline_cut(l->timeline));
    stk_json_object_end(&l->w);
    return stk_json_end(&l->w, err);
}

stk_status stk_report_write_timeline(const stk_timeline *timeline, uint32_t max, stk_blob *out,
                                     stk_error *err)
{
    event_list l = {.timeline = timeline};
    stk_blob_init(&l.numbers, out->ledger, out->memory);
    stk_json_begin(&l.w, out, 0);
    const stk_status st = write_list(&l, max, err);
    stk_blob_release(&l.numbers);
    free(l.lengths);
    free(l.name_number);
    return st;
}

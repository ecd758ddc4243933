/* Rows: viewers draw spans of one row inside each other, and lose those that overlap otherwise. */
#include "trace/row.h"

#include "base/checked.h"

#include <stdlib.h>
#include <string.h>

enum { LANES_MAX = 64, DEPTH_MAX = 64 };

void stk_row_init(stk_row *row, stk_ledger *ledger)
{
    *row = (stk_row){.lanes = 1};
    stk_blob_init(&row->memory, ledger, STK_MEMORY_OUTPUT);
}

void stk_row_release(stk_row *row)
{
    stk_blob_release(&row->memory);
    *row = (stk_row){.lanes = 1};
}

static uint64_t end_of(const stk_event *event)
{
    return event->begin + event->ticks;
}

static int compare(const void *left, const void *right)
{
    const stk_event *a = &((const stk_row_event *)left)->event;
    const stk_event *b = &((const stk_row_event *)right)->event;
    if (a->begin != b->begin) return a->begin < b->begin ? -1 : 1;
    if (a->ticks != b->ticks) return a->ticks > b->ticks ? -1 : 1;
    return (a->op != NULL) - (b->op != NULL); /* an operation is inside its piece */
}

/* The ends of the spans that are open in a lane, outermost first. */
typedef struct lane {
    uint64_t ends[DEPTH_MAX];
    int      depth;
} lane;

static bool takes(lane *l, const stk_event *event)
{
    while (l->depth && l->ends[l->depth - 1] <= event->begin)
        l->depth--;
    if (l->depth == DEPTH_MAX) return false;
    if (l->depth && l->ends[l->depth - 1] < end_of(event)) return false;
    l->ends[l->depth++] = end_of(event);
    return true;
}

/* Beyond the most lanes spans share the last: a thread that does so is not one of ours. */
static stk_status assign_lanes(stk_row *row, stk_error *err)
{
    lane *lanes = calloc(LANES_MAX, sizeof *lanes);
    if (!lanes) return stk_fail(err, STK_E_NOMEM, "trace", NULL, "no memory for the rows");
    row->lanes = 1;
    for (size_t i = 0; i < row->count; i++) {
        stk_row_event *e = &row->events[i];
        e->lane = 0;
        if (e->event.is_counter) continue;
        while (e->lane < LANES_MAX - 1 && !takes(&lanes[e->lane], &e->event))
            e->lane++;
        if (e->lane + 1 > row->lanes) row->lanes = e->lane + 1;
    }
    free(lanes);
    return STK_OK;
}

/* Compute that is recorded operation by operation is the operations, not what is around them. */
static bool holds_compute(const stk_row *row, size_t index)
{
    const stk_event *outer = &row->events[index].event;
    for (size_t i = index + 1; i < row->count; i++) {
        const stk_event *inner = &row->events[i].event;
        if (inner->begin >= end_of(outer)) return false;
        if (inner->stage == STK_STAGE_COMPUTE && !inner->is_counter) return true;
    }
    return false;
}

/* The kind of a stream's span. Copies and fills that belong to computing are known by name. */
static stk_row_device part_of_stream(const stk_event *event)
{
    if (event->stage == STK_STAGE_HOST_TO_DEVICE) return STK_ROW_COPY_IN;
    if (event->stage == STK_STAGE_DEVICE_TO_HOST) return STK_ROW_COPY_OUT;
    if (strncmp(event->op->name, "Memcpy", 6) == 0) return STK_ROW_COPY;
    return strncmp(event->op->name, "Memset", 6) == 0 ? STK_ROW_FILL : STK_ROW_KERNEL;
}

static stk_row_device device_part(const stk_row *row, size_t index, const stk_trace_thread *thread)
{
    const stk_row_event *e = &row->events[index];
    if (thread->is_device) return part_of_stream(&e->event);
    if (__atomic_load_n(&thread->trace->has_devices, __ATOMIC_RELAXED)) return STK_ROW_HOST;
    if (e->event.is_counter || e->event.is_step || e->lane) return STK_ROW_HOST;
    switch (e->event.stage) {
    case STK_STAGE_COMPUTE:
        return e->event.op || !holds_compute(row, index) ? STK_ROW_KERNEL : STK_ROW_HOST;
    case STK_STAGE_HOST_TO_DEVICE:
        return STK_ROW_COPY_IN;
    case STK_STAGE_DEVICE_TO_HOST:
        return STK_ROW_COPY_OUT;
    default:
        return STK_ROW_HOST;
    }
}

/* Memory for both forms of the events: the ring's and the row's. */
static stk_status unfold(stk_row *row, size_t count, uint64_t since, uint64_t *earlier,
                         stk_error *err)
{
    size_t bytes;
    if (stk_mul_overflows(count, sizeof(stk_row_event) + sizeof(stk_event), &bytes))
        return stk_fail(err, STK_E_LIMIT, "trace", NULL, "%zu events are too many", count);
    row->count = 0;
    if (!count) return STK_OK;
    STK_TRY(stk_blob_reserve(&row->memory, bytes, err));
    const stk_event *from = (stk_event *)(void *)row->memory.data;
    stk_row_event   *to = (stk_row_event *)(void *)(row->memory.data + count * sizeof *from);
    row->events = to;
    for (size_t i = 0; i < count; i++) {
        if (end_of(&from[i]) < since)
            ++*earlier;
        else
            to[row->count++] = (stk_row_event){.event = from[i]};
    }
    return STK_OK;
}

stk_status stk_row_read(stk_row *row, const stk_trace_thread *thread, uint64_t since,
                        uint64_t *dropped, uint64_t *earlier, stk_error *err)
{
    row->memory.size = 0;
    row->has_device = false;
    STK_TRY(stk_trace_snapshot(thread, &row->memory, dropped, err));
    STK_TRY(unfold(row, row->memory.size / sizeof(stk_event), since, earlier, err));
    if (row->count > 1) qsort(row->events, row->count, sizeof *row->events, compare);
    STK_TRY(assign_lanes(row, err));
    for (size_t i = 0; i < row->count; i++) {
        row->events[i].device = device_part(row, i, thread);
        if (row->events[i].device) row->has_device = true;
    }
    return STK_OK;
}

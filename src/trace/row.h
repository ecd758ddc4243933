/* A thread's events as rows of a timeline: sorted, nested, with their device activity. */
#ifndef STK_TRACE_ROW_H
#define STK_TRACE_ROW_H

#include "trace/recording.h"

/* The kind of a span on the device's row. */
typedef enum stk_row_device {
    STK_ROW_HOST, /* nothing */
    STK_ROW_KERNEL,
    STK_ROW_COPY_IN,
    STK_ROW_COPY_OUT,
    STK_ROW_COPY, /* within the device */
    STK_ROW_FILL
} stk_row_device;

typedef struct stk_row_event {
    stk_event      event;
    uint32_t       lane; /* spans of a lane nest */
    stk_row_device device;
} stk_row_event;

typedef struct stk_row {
    stk_row_event *events; /* by begin; of two that begin together the longer is first */
    size_t         count;
    uint32_t       lanes; /* at least 1 */
    bool           has_device;
    stk_blob       memory;
} stk_row;

void stk_row_init(stk_row *row, stk_ledger *ledger);
void stk_row_release(stk_row *row);
/* Fills row from what thread holds now; spans that ended before since (ticks) are left out and
 * counted in *earlier. */
STK_NODISCARD stk_status stk_row_read(stk_row *row, const stk_trace_thread *thread, uint64_t since,
                                      uint64_t *dropped, uint64_t *earlier, stk_error *err);

#endif

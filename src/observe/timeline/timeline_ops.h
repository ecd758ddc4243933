/* Spans of operations with their own times. */
#ifndef STK_OBSERVE_TIMELINE_TIMELINE_OPS_H
#define STK_OBSERVE_TIMELINE_TIMELINE_OPS_H

#include "observe/timeline/timeline_internal.h"

typedef struct stk_op_span {
    uint32_t name;
    bool     is_device;
    uint8_t  stage; /* its own, or that of the span around it */
    uint64_t begin_ns, ns, self_ns;
} stk_op_span;

/* All calls, to be freed by the caller; unsorted. */
STK_NODISCARD stk_status stk_timeline_list_calls(const stk_timeline *t, stk_op_span **calls,
                                                 size_t *count, stk_error *err);

/* Where a launch waits for its kernel, the kernel stands for both. Elsewhere a launch is work of
 * the host. */
bool stk_timeline_launches_wait(const stk_timeline *t);

#endif

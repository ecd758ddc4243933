/* Operation spans with self times. */
#ifndef STK_OBSERVE_TIMELINE_TIMELINE_OPS_H
#define STK_OBSERVE_TIMELINE_TIMELINE_OPS_H

#include "observe/timeline/timeline_internal.h"

typedef struct stk_op_span {
    uint32_t name;
    bool     is_device;
    uint8_t  stage; /* its own, or the enclosing span's */
    uint64_t begin_ns, ns, self_ns;
} stk_op_span;

/* Lists all calls, unsorted; the caller frees them. */
STK_NODISCARD stk_status stk_timeline_list_calls(const stk_timeline *t, stk_op_span **calls,
                                                 size_t *count, stk_error *err);

/* Whether a launch lasts as long as its kernel, which then stands for both. Otherwise a launch is
 * host work. */
bool stk_timeline_launches_wait(const stk_timeline *t);

#endif

/* Layout assignment: chooses the memory format of every symbol and inserts reorders where formats
 * differ. */
#ifndef STK_COMPUTE_RUNTIME_LAYOUT_ASSIGNMENT_H
#define STK_COMPUTE_RUNTIME_LAYOUT_ASSIGNMENT_H

#include "compute/graph/rewrite.h"
#include "compute/runtime/device_variables.h"

typedef struct stk_layout_assignment {
    stk_graph  *graph;
    stk_format *format; /* by symbol of graph */
} stk_layout_assignment;

/* plain: row-major wherever kernels allow it. Variables without a format get one. On failure *out
 * is empty. */
STK_NODISCARD stk_status stk_layout_assign(const stk_graph *graph, stk_variables *variables,
                                           bool plain, stk_layout_assignment *out, stk_error *err);
void                     stk_layout_assignment_release(stk_layout_assignment *layout);

#endif

/* The layout pass: every symbol gets a format, and reorders stand where they differ. */
#ifndef STK_COMPUTE_RUNTIME_LAYOUT_ASSIGNMENT_H
#define STK_COMPUTE_RUNTIME_LAYOUT_ASSIGNMENT_H

#include "compute/graph/rewrite.h"
#include "compute/runtime/device_variables.h"

typedef struct stk_layout_assignment {
    stk_graph  *graph;
    stk_format *format; /* by symbol of graph */
} stk_layout_assignment;

/* With plain, every symbol is row-major where kernels allow. Variables without a format get one. On
 * failure nothing is held. */
STK_NODISCARD stk_status stk_layout_assign(const stk_graph *graph, stk_variables *variables,
                                           bool plain, stk_layout_assignment *out, stk_error *err);
void                     stk_layout_assignment_release(stk_layout_assignment *layout);

#endif

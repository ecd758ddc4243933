/* Table row of an optimiser. */
#ifndef STK_TRAIN_OPTIMIZER_OPTIMIZER_KIND_H
#define STK_TRAIN_OPTIMIZER_OPTIMIZER_KIND_H

#include "compute/graph/graph_op.h"
#include <stoker/optimizer.h>

enum { STK_OPTIMIZER_SLOTS = 2 };

typedef struct stk_optimizer_row {
    stk_optimizer_kind  kind;
    const stk_graph_op *op; /* (w, g, slots, hyper, guard) -> w, slots */
    int                 slots;
    const char         *slot[STK_OPTIMIZER_SLOTS];
    bool                nesterov, adapt;
} stk_optimizer_row;

/* NULL: sgd. On failure *out is NULL. */
STK_NODISCARD stk_status stk_optimizer_find(const char *name, const stk_optimizer_row **out,
                                            stk_error *err);
/* STK_E_INVALID with the value and its range. */
STK_NODISCARD stk_status stk_optimizer_check(const stk_optimizer_options *options, stk_error *err);

#endif

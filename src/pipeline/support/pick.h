/* Taking from one of several inputs at a time: what sample_from and choose_from share. */
#ifndef STK_PIPELINE_SUPPORT_PICK_H
#define STK_PIPELINE_SUPPORT_PICK_H

#include "pipeline/runtime/run_node.h"

/* For check: that there are inputs, and data's spec from the first count of them. */
STK_NODISCARD stk_status stk_pick_check(stk_dataset *data, size_t count, stk_error *err);
/* The next element of input index, which is closed when it has no more. */
STK_NODISCARD stk_status stk_pick_next(stk_node *node, size_t index, stk_element **out,
                                       stk_error *err);
/* How many of the first count inputs are open. */
size_t stk_pick_open(const stk_node *node, size_t count);
/* All inputs: which are open, and their places. */
STK_NODISCARD stk_status stk_pick_save(stk_node *node, stk_state_out *out, stk_error *err);
STK_NODISCARD stk_status stk_pick_restore(stk_node *node, stk_state_in *in, stk_error *err);

#endif

/* Images that are made as edits say, one at a time: what the references of edit_images and
 * mix_images, and the kernels of the CPU, have in common. */
#ifndef STK_COMPUTE_OPS_EDIT_OP_INPUTS_H
#define STK_COMPUTE_OPS_EDIT_OP_INPUTS_H

#include "compute/graph/graph_op.h"
#include "edit/edit.h"

/* edit_images(images, edits) -> images' */
typedef struct stk_edit_images_attrs {
    int height, width; /* of the result */
} stk_edit_images_attrs;

/* That input 0 is images of bytes of 1 or 3 channels, and input 1 edits. */
stk_status stk_edits_check(const stk_graph_op *op, const stk_op_instance *instance, stk_error *err);

/* Row index of the result, from the inputs of the call. Rows are independent of each other. */
void stk_edit_row(const stk_op_instance *instance, const void *const *in, void *const *out,
                  int64_t index);
void stk_mix_row(const stk_op_instance *instance, const void *const *in, void *const *out,
                 int64_t index);

#endif

/* Evaluates edits one image at a time: shared by the references of edit_images and mix_images and
 * by CPU kernels. */
#ifndef STK_COMPUTE_OPS_EDIT_OP_INPUTS_H
#define STK_COMPUTE_OPS_EDIT_OP_INPUTS_H

#include "compute/graph/graph_op.h"
#include "edit/edit.h"

/* edit_images(images, edits) -> images' */
typedef struct stk_edit_images_attrs {
    int height, width; /* of the result */
} stk_edit_images_attrs;

/* Checks that input 0 is uint8 images of 1 or 3 channels and input 1 edits. */
stk_status stk_edits_check(const stk_graph_op *op, const stk_op_instance *instance, stk_error *err);

/* Computes row index of the result from the call's inputs. Rows are independent. */
void stk_edit_row(const stk_op_instance *instance, const void *const *in, void *const *out,
                  int64_t index);
void stk_mix_row(const stk_op_instance *instance, const void *const *in, void *const *out,
                 int64_t index);

#endif

/* Stages a file's tensors on their way into variables. All are read and checked before the first is
 * stored, so a damaged file changes nothing. */
#ifndef STK_TRAIN_CHECKPOINT_STAGING_H
#define STK_TRAIN_CHECKPOINT_STAGING_H

#include <stoker/program.h>
#include <stoker/safetensors.h>

typedef struct stk_staging {
    stk_blob moves; /* tensors and their variables */
    stk_blob data;
    size_t   end; /* bytes of data so far */
} stk_staging;

/* Memory is counted in the ledger of the variables' device. */
void stk_staging_init(stk_staging *staging, const stk_variables *variables);
void stk_staging_release(stk_staging *staging);

/* Finds the tensor with the variable's name, type and shape. A difference is an error naming both
 * sides. path: of the file. */
STK_NODISCARD stk_status stk_staging_match(const stk_safetensors   *file,
                                           const stk_variable_info *info, const char *path,
                                           const stk_safetensors_tensor **tensor, stk_error *err);
/* Adds a move of tensor into the variable at index, which it matches. tensor must outlive the
 * staging. */
STK_NODISCARD stk_status stk_staging_add(stk_staging *staging, const stk_safetensors_tensor *tensor,
                                         size_t index, stk_error *err);
STK_NODISCARD stk_status stk_staging_read(stk_staging *staging, const stk_safetensors *file,
                                          stk_error *err);
/* Stores all tensors; call it after reading. Fails only if the device has no memory to convert a
 * format; earlier variables have changed then. */
STK_NODISCARD stk_status stk_staging_put(const stk_staging *staging, stk_variables *variables,
                                         stk_error *err);

#endif

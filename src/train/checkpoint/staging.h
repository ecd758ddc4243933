/* Tensors of a file on their way into variables: all are read and checked before the first is put,
 * so that a damaged file changes nothing. */
#ifndef STK_TRAIN_CHECKPOINT_STAGING_H
#define STK_TRAIN_CHECKPOINT_STAGING_H

#include <stoker/program.h>
#include <stoker/safetensors.h>

typedef struct stk_staging {
    stk_blob moves; /* what goes where */
    stk_blob data;
    size_t   end; /* bytes of data wanted so far */
} stk_staging;

/* Memory counts in the ledger of the variables' device. */
void stk_staging_init(stk_staging *staging, const stk_variables *variables);
void stk_staging_release(stk_staging *staging);

/* The tensor of a variable's name, type and shape; what differs or is missing is an error naming
 * both. path is the file's. */
STK_NODISCARD stk_status stk_staging_match(const stk_safetensors   *file,
                                           const stk_variable_info *info, const char *path,
                                           const stk_safetensors_tensor **tensor, stk_error *err);
/* Wants tensor in variable index, which it matches. tensor must outlive the staging. */
STK_NODISCARD stk_status stk_staging_add(stk_staging *staging, const stk_safetensors_tensor *tensor,
                                         size_t index, stk_error *err);
STK_NODISCARD stk_status stk_staging_read(stk_staging *staging, const stk_safetensors *file,
                                          stk_error *err);
/* After reading. Fails only where the device has no memory to change a variable's format in; the
 * variables before are changed then. */
STK_NODISCARD stk_status stk_staging_put(const stk_staging *staging, stk_variables *variables,
                                         stk_error *err);

#endif

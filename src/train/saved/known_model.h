/* Identifies the model of a weights file. */
#ifndef STK_TRAIN_SAVED_KNOWN_MODEL_H
#define STK_TRAIN_SAVED_KNOWN_MODEL_H

#include <stoker/models.h>
#include <stoker/safetensors.h>

/* The first model whose tensors the file has, by name and shape at its default size and width; the
 * number of classes may differ. *out is NULL if there is none. */
STK_NODISCARD stk_status stk_known_model(const stk_model **out, const stk_safetensors *file,
                                         stk_error *err);

#endif

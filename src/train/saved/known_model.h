/* Which of the models there are a file of weights is of. */
#ifndef STK_TRAIN_SAVED_KNOWN_MODEL_H
#define STK_TRAIN_SAVED_KNOWN_MODEL_H

#include <stoker/models.h>
#include <stoker/safetensors.h>

/* The first model whose tensors the file has, by name and shape, at the model's own size and width;
 * of the last layer the number of classes may be any. *out is NULL where there is none. */
STK_NODISCARD stk_status stk_known_model(const stk_model **out, const stk_safetensors *file,
                                         stk_error *err);

#endif

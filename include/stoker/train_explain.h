/* stoker/train_explain.h - describes a resolved recipe without running it. */
#ifndef STOKER_TRAIN_EXPLAIN_H
#define STOKER_TRAIN_EXPLAIN_H

#include <stoker/train_data.h>

STK_BEGIN_DECLS

/* Appends a description of a resolved recipe as text: all keys, the input plan, and the step's
 * graph after each pass. Runs and writes nothing. */
STK_API STK_NODISCARD stk_status stk_train_explain(const stk_train_recipe *recipe,
                                                   const stk_train_data *data, stk_blob *out,
                                                   stk_error *err);

STK_END_DECLS
#endif

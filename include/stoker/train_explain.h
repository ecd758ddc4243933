/* stoker/train_explain.h - what a settled recipe comes to, before anything is run. */
#ifndef STOKER_TRAIN_EXPLAIN_H
#define STOKER_TRAIN_EXPLAIN_H

#include <stoker/train_data.h>

STK_BEGIN_DECLS

/* Appends what a settled recipe comes to, as text: all its keys, the plan of the input, and the
 * graph of a step after each pass. Nothing is run or written. */
STK_API STK_NODISCARD stk_status stk_train_explain(const stk_train_recipe *recipe,
                                                   const stk_train_data *data, stk_blob *out,
                                                   stk_error *err);

STK_END_DECLS
#endif

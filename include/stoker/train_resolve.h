/* stoker/train_resolve.h - fills every open key of a recipe from the data, with reasons. */
#ifndef STOKER_TRAIN_RESOLVE_H
#define STOKER_TRAIN_RESOLVE_H

#include <stoker/train_data.h>

STK_BEGIN_DECLS

/* Fills every open key: preset, size, model, batch, epochs, rate, threads. reasons (may be NULL)
 * gets one line per decision, such as "batch 128: ...". */
STK_API STK_NODISCARD stk_status stk_train_resolve(stk_train_recipe     *recipe,
                                                   const stk_train_data *data, stk_blob *reasons,
                                                   stk_error *err);
/* Creates a new folder for a resolved recipe whose output.folder was open. Safe against concurrent
 * processes: each gets a folder of its own. */
STK_API STK_NODISCARD stk_status stk_train_claim_folder(stk_train_recipe *recipe, stk_error *err);

STK_END_DECLS
#endif

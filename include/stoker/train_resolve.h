/* stoker/train_resolve.h - decides what a recipe leaves open, and says why. */
#ifndef STOKER_TRAIN_RESOLVE_H
#define STOKER_TRAIN_RESOLVE_H

#include <stoker/train_data.h>

STK_BEGIN_DECLS

/* Decides what the recipe leaves open: preset, size, model, batch, epochs, rate, threads... reasons
 * (NULL is fine) gets one line for each, "batch 128: ..." */
STK_API STK_NODISCARD stk_status stk_train_resolve(stk_train_recipe     *recipe,
                                                   const stk_train_data *data, stk_blob *reasons,
                                                   stk_error *err);
/* Gives a settled recipe whose output.folder was left open a folder that is its alone, and makes
 * it: where several processes do this at once each gets another number. */
STK_API STK_NODISCARD stk_status stk_train_claim_folder(stk_train_recipe *recipe, stk_error *err);

STK_END_DECLS
#endif

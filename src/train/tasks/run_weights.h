/* Chooses the weights file of a run. */
#ifndef STK_TRAIN_TASKS_RUN_WEIGHTS_H
#define STK_TRAIN_TASKS_RUN_WEIGHTS_H

#include <stoker/model_file.h>

enum { STK_WEIGHTS_NOTE = STK_TRAIN_PATH + 512 };

/* which: as in stk_predictor_options. If which is NULL and the best model is missing or outdated,
 * another file is used and note explains it; otherwise note is "". If which asks for a missing best
 * model, STK_E_NOTFOUND. */
STK_NODISCARD stk_status stk_run_weights_find(const char *folder, const char *which, char *path,
                                              size_t capacity, char note[STK_WEIGHTS_NOTE],
                                              stk_error *err);

#endif

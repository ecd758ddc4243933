/* Which of a run's files its weights are taken from. */
#ifndef STK_TRAIN_TASKS_RUN_WEIGHTS_H
#define STK_TRAIN_TASKS_RUN_WEIGHTS_H

#include <stoker/model_file.h>

enum { STK_WEIGHTS_NOTE = STK_TRAIN_PATH + 512 };

/* which: as in stk_predictor_options. Where nothing was asked for and the best model is gone or is
 * older than the run says, another file is taken and note says so; it is "" otherwise. Asked for, a
 * best model that is gone is STK_E_NOTFOUND. */
STK_NODISCARD stk_status stk_run_weights_find(const char *folder, const char *which, char *path,
                                              size_t capacity, char note[STK_WEIGHTS_NOTE],
                                              stk_error *err);

#endif

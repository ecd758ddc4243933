/* How a run learns, for its page and for the file beside it. */
#ifndef CLI_TOOLS_TRAIN_LEARNING_H
#define CLI_TOOLS_TRAIN_LEARNING_H

#include <stoker/learning.h>
#include <stoker/train.h>

typedef struct cli_train_learning cli_train_learning;

/* data must outlive it. */
STK_NODISCARD stk_status cli_train_learning_new(cli_train_learning  **out,
                                                const stk_train_data *data, stk_error *err);
void                     cli_train_learning_free(cli_train_learning *learning); /* NULL is fine */
/* The callback of a trainer; learning must outlive it. */
stk_callback cli_train_learning_callback(cli_train_learning *learning);
/* Shows this trainer from now on, and what the run's folder has of its earlier steps. */
STK_NODISCARD stk_status cli_train_learning_follow(cli_train_learning *learning,
                                                   stk_trainer *trainer, stk_error *err);
/* How the run ended: a literal, see stk_learning_position. */
void cli_train_learning_end(cli_train_learning *learning, const char *state);
/* Appends it as JSON; from any thread. */
STK_NODISCARD stk_status cli_train_learning_write(cli_train_learning *learning, stk_blob *out,
                                                  stk_error *err);
/* FOLDER/learning.json. */
STK_NODISCARD stk_status cli_train_learning_save(cli_train_learning *learning, const char *folder,
                                                 stk_error *err);

#endif

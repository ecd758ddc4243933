/* Training progress for the live page and for learning.json. */
#ifndef CLI_TOOLS_TRAIN_LEARNING_H
#define CLI_TOOLS_TRAIN_LEARNING_H

#include <stoker/learning.h>
#include <stoker/train.h>

typedef struct cli_train_learning cli_train_learning;

/* data must outlive *out. */
STK_NODISCARD stk_status cli_train_learning_new(cli_train_learning  **out,
                                                const stk_train_data *data, stk_error *err);
void                     cli_train_learning_free(cli_train_learning *learning); /* NULL is fine */
/* A trainer's callback; learning must outlive the trainer. */
stk_callback cli_train_learning_callback(cli_train_learning *learning);
/* Follows this trainer from now on, and loads the run's earlier steps. */
STK_NODISCARD stk_status cli_train_learning_follow(cli_train_learning *learning,
                                                   stk_trainer *trainer, stk_error *err);
/* Sets the outcome of the run: a literal, see stk_learning_position. */
void cli_train_learning_end(cli_train_learning *learning, const char *state);
/* Appends JSON; callable from any thread. */
STK_NODISCARD stk_status cli_train_learning_write(cli_train_learning *learning, stk_blob *out,
                                                  stk_error *err);
/* Writes FOLDER/learning.json. */
STK_NODISCARD stk_status cli_train_learning_save(cli_train_learning *learning, const char *folder,
                                                 stk_error *err);

#endif

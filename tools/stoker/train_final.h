/* The last word on a run: its best model on the test split, once. */
#ifndef STK_TOOLS_TRAIN_FINAL_H
#define STK_TOOLS_TRAIN_FINAL_H

#include "train_job.h"

#include <stoker/json.h>
#include <stoker/model_file.h>

typedef struct stk_train_final {
    bool           there; /* it was evaluated */
    char           split[64];
    stk_evaluation result;
} stk_train_final;

/* Evaluates the model of folder on the data's test split and writes RUN/test.json; nothing where
 * the data has none. What fails is told on stderr; false then. */
bool stk_train_final_run(stk_train_final *final, const stk_train_job *job, const char *folder);
void stk_train_final_release(stk_train_final *final);

/* For people, a line to stdout; and as a pair "test" of the object at hand. Nothing without one. */
void stk_train_final_print(const stk_train_final *final);
void stk_train_final_json(stk_json_writer *json, const stk_train_final *final);

#endif

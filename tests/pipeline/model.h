/* What a pipeline means, said as plainly as possible: every stage is a function from whole lists to
 * a whole list, without threads, laziness or optimisation. Written from the meaning of tf.data, not
 * from the engine, so that the two can be compared. */
#ifndef STK_TESTS_PIPELINE_MODEL_H
#define STK_TESTS_PIPELINE_MODEL_H

#include "pipeline_language.h"

typedef struct slow_model_value {
    int      rank;
    int64_t  dim[STK_LINE_RANK];
    int64_t *numbers;
} slow_model_value;

typedef struct slow_model_result {
    const char      *error; /* NULL: an element. Else how the test support names its status */
    int              count;
    slow_model_value values[STK_LINE_VALUES];
} slow_model_result;

typedef struct slow_model_list {
    slow_model_result *at;
    size_t             count, capacity;
} slow_model_list;

typedef struct slow_model slow_model;

/* Evaluates line. Shuffles and relaxed stages leave the order as it is. The line must outlive the
 * model. */
slow_model *slow_model_run(const stk_line *line);
void        slow_model_free(slow_model *model);
/* All results, in order. */
const slow_model_list *slow_model_results(const slow_model *model);
/* False when the model cannot say: lists too long, or a cache whose content depends on how far it
 * is read. */
bool slow_model_is_sure(const slow_model *model);
/* That a cache met errors, which it does not keep: once it is filled, places counted while it was
 * being filled mean something else. */
bool slow_model_lost_errors(const slow_model *model);
/* The text that stk_test_run gives for the same; of the results alone, separated by blanks, and
 * " ." at the end. Lives as long as the model. */
const char *slow_model_text(slow_model *model);
/* The text of one result. */
const char *slow_model_result_text(slow_model *model, size_t index);

#endif

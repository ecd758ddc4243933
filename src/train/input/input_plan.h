/* The input pipeline from a recipe's data to batches. */
#ifndef STK_TRAIN_INPUT_INPUT_PLAN_H
#define STK_TRAIN_INPUT_INPUT_PLAN_H

#include "train/input/loader.h"

/* Indices of the values in an element. */
typedef struct stk_loader_values {
    int image, label;
    int edits;        /* -1: none */
    int file, record; /* of origins; -1: none */
} stk_loader_values;

/* *out is NULL or owned by the caller, also on failure. */
STK_NODISCARD stk_status stk_loader_describe(const stk_loader_options *options, stk_dataset **out,
                                             stk_loader_values *values, stk_error *err);

#endif

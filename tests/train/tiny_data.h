/* Small data to train on: grey images whose class is where they are bright. */
#ifndef STK_TESTS_TINY_DATA_H
#define STK_TESTS_TINY_DATA_H

#include "harness.h"

/* Writes an IDX set of count train and count/4 test images (size x size) in classes classes into
 * a new folder; returns its path. */
const char *tiny_data(const char *name, int count, int size, int classes);

/* A recipe over it, settled: few steps, small batches, reference backend unless said. */
void tiny_recipe(stk_train_recipe *recipe, stk_train_data *data, const char *path,
                 const char *folder, const char *const *settings);

/* Two runs that differ in one key end with the same weights and the same evaluation. */
void tiny_expect_same(const char *name, const char *key, const char *const values[2],
                      const char *const *settings);

/* metrics.csv of a run without the three columns that are times, terminated; lent until the next
 * call with the same which (0 or 1). */
const char *tiny_learnt(const char *folder, int which);

#endif

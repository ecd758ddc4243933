/* Tuned values stored between runs: a JSON file with one entry per pipeline and host. */
#ifndef STK_PIPELINE_ITERATOR_TUNING_FILE_H
#define STK_PIPELINE_ITERATOR_TUNING_FILE_H

#include "pipeline/runtime/runtime.h"

/* Reads up to capacity entries of the pipeline with this fingerprint on this host. A missing file
 * has none; a damaged one is an error. */
STK_NODISCARD stk_status stk_tuning_file_load(const char *path, uint64_t fingerprint,
                                              stk_tuned *tuned, size_t capacity, size_t *count,
                                              stk_error *err);

/* Stores the tuned values of run; entries of other pipelines stay. */
STK_NODISCARD stk_status stk_tuning_file_save(const char *path, uint64_t fingerprint, stk_run *run,
                                              stk_error *err);

#endif

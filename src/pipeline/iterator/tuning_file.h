/* Tuned values kept from run to run: a JSON file with one entry per pipeline and host. */
#ifndef STK_PIPELINE_ITERATOR_TUNING_FILE_H
#define STK_PIPELINE_ITERATOR_TUNING_FILE_H

#include "pipeline/runtime/runtime.h"

/* Reads what was kept for the pipeline of this fingerprint on this host: up to capacity entries. A
 * file that is not there gives none; one that is damaged is an error. */
STK_NODISCARD stk_status stk_tuning_file_load(const char *path, uint64_t fingerprint,
                                              stk_tuned *tuned, size_t capacity, size_t *count,
                                              stk_error *err);

/* Puts the tuned values of run into the file, leaving other pipelines' entries as they are. */
STK_NODISCARD stk_status stk_tuning_file_save(const char *path, uint64_t fingerprint, stk_run *run,
                                              stk_error *err);

#endif

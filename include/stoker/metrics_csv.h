/* stoker/metrics_csv.h - what a run measured, one line a step, as a table any program opens.
 * The first column is the step; lines are only added, each in one write. Numbers have a point in
 * every locale and read back the same. */
#ifndef STOKER_METRICS_CSV_H
#define STOKER_METRICS_CSV_H

#include <stdbool.h>
#include <stdint.h>
#include <stoker/filesystem.h>

STK_BEGIN_DECLS

enum { STK_METRICS_COLUMNS_MAX = 1024 };

typedef struct stk_metrics_csv stk_metrics_csv; /* for one thread at a time */

/* Begins the file at path with the line "step,COLUMN,...", or continues it: then its columns must
 * be these (else STK_E_FORMAT), and the lines of steps past keep_step, and one that a killed
 * process left unfinished, are cut off, by a new file that takes the name when it is whole.
 * keep_step -1 keeps none. Names have no comma, quote or line break, and no two are the same. fs
 * may be NULL. On failure *out is NULL and the file is as it was. */
STK_API STK_NODISCARD stk_status stk_metrics_csv_open(stk_metrics_csv     **out,
                                                      const stk_filesystem *fs, const char *path,
                                                      const char *const *columns, size_t count,
                                                      int64_t keep_step, stk_error *err);
/* Adds a line. values has one number a column; where given (may be NULL: all are) is false the
 * place stays empty. A step before that of the line above is STK_E_INVALID. A failed write leaves
 * no part of the line in the file; it is kept, and written with the next line or by flush. */
STK_API STK_NODISCARD stk_status stk_metrics_csv_add(stk_metrics_csv *csv, int64_t step,
                                                     const double *values, const bool *given,
                                                     stk_error *err);
/* The lines so far go to the disk, all of them: one that was lost is an error ever after. */
STK_API STK_NODISCARD stk_status stk_metrics_csv_flush(stk_metrics_csv *csv, stk_error *err);
/* NULL is fine. */
STK_API void stk_metrics_csv_free(stk_metrics_csv *csv);

STK_END_DECLS
#endif

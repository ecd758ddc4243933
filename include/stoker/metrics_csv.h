/* stoker/metrics_csv.h - the metrics of a run as a CSV table, one line per step. The first column
 * is the step. Lines are only appended, each in one write. Numbers use a decimal point in every
 * locale and read back exactly. */
#ifndef STOKER_METRICS_CSV_H
#define STOKER_METRICS_CSV_H

#include <stdbool.h>
#include <stdint.h>
#include <stoker/filesystem.h>

STK_BEGIN_DECLS

enum { STK_METRICS_COLUMNS_MAX = 1024 };

typedef struct stk_metrics_csv stk_metrics_csv; /* not thread-safe */

/* Creates the file with the line "step,COLUMN,...", or continues it. A continued file must have
 * these columns (else STK_E_FORMAT). Lines past keep_step and an incomplete last line are
 * removed by an atomic replacement of the file; keep_step -1 keeps no line. Names have no comma,
 * quote or line break, and are unique. fs may be NULL. On failure *out is NULL and the file does
 * not change. */
STK_API STK_NODISCARD stk_status stk_metrics_csv_open(stk_metrics_csv     **out,
                                                      const stk_filesystem *fs, const char *path,
                                                      const char *const *columns, size_t count,
                                                      int64_t keep_step, stk_error *err);
/* Appends a line. values has one number per column; a column whose given is false stays empty
 * (given NULL: all are given). A step below the last one is STK_E_INVALID. A failed write leaves no
 * part of the line in the file; it is retried with the next line or by flush. */
STK_API STK_NODISCARD stk_status stk_metrics_csv_add(stk_metrics_csv *csv, int64_t step,
                                                     const double *values, const bool *given,
                                                     stk_error *err);
/* Syncs all lines to disk. After a line was lost, every call fails. */
STK_API STK_NODISCARD stk_status stk_metrics_csv_flush(stk_metrics_csv *csv, stk_error *err);
/* NULL is fine. */
STK_API void stk_metrics_csv_free(stk_metrics_csv *csv);

STK_END_DECLS
#endif

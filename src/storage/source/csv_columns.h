/* The roles of a table's columns: paths, labels, splits, or features. */
#ifndef STK_STORAGE_SOURCE_CSV_COLUMNS_H
#define STK_STORAGE_SOURCE_CSV_COLUMNS_H

#include "base/arena.h"
#include "storage/source/csv.h"

#include <stoker/tensor.h>

enum { STK_CSV_IDS_MAX = 65536 }; /* labels that large are numbers, hardly classes with names */

typedef struct stk_csv_columns {
    stk_blob   cells; /* char *[], row by row; the header's first */
    char     **names; /* the header's cells, count of them */
    size_t     count;
    int        path, label, split; /* their columns, -1 where there is none */
    stk_dtype *dtypes;             /* I64, F32 or BYTES: what all cells of a column are */
} stk_csv_columns;

void stk_csv_columns_init(stk_csv_columns *columns, stk_ledger *ledger);
void stk_csv_columns_release(stk_csv_columns *columns);

/* Takes the first row; what each column is for goes by its name, in any case: path, file, filename,
 * file_name, image or image_path; label, class or category; split or subset. Rows are then appended
 * to cells. */
STK_NODISCARD stk_status stk_csv_columns_read_header(stk_csv_columns *columns, stk_csv *csv,
                                                     stk_error *err);
/* After all rows: the columns' types, in arena. */
STK_NODISCARD stk_status stk_csv_columns_infer(stk_csv_columns *columns, stk_arena *arena,
                                               stk_error *err);

const char *stk_csv_columns_cell(const stk_csv_columns *columns, uint64_t row, size_t column);
/* Whether a column is a feature under its own name. */
bool stk_csv_columns_is_own(const stk_csv_columns *columns, size_t column);
/* True when all cells of a column are whole numbers from 0 to INT32_MAX. */
bool stk_csv_columns_are_ids(const stk_csv_columns *columns, size_t column, int64_t *largest);

/* The distinct cells of a column, sorted bytewise. */
STK_NODISCARD stk_status stk_csv_columns_distinct(const stk_csv_columns *columns, size_t column,
                                                  stk_arena *arena, char ***values, size_t *count,
                                                  stk_error *err);
/* Where value is among them. */
size_t stk_csv_columns_find(char *const *values, size_t count, const char *value);

#endif

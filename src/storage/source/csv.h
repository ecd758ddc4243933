/* Comma-separated values as RFC 4180 has them: quotes, doubled quotes, line breaks inside quotes,
 * both line ends, a byte order mark. Cells are cut out of the text in place. */
#ifndef STK_STORAGE_SOURCE_CSV_H
#define STK_STORAGE_SOURCE_CSV_H

#include <stdbool.h>
#include <stoker/blob.h>

typedef struct stk_csv {
    char       *next, *end;
    uint64_t    line;     /* of next, from 1 */
    uint64_t    row_line; /* where the row given last began */
    const char *name;     /* of the file, for messages */
} stk_csv;

/* text is written to while it is read, and gets one byte (a terminator) past its end. name must
 * outlive csv. */
STK_NODISCARD stk_status stk_csv_init(stk_csv *csv, stk_blob *text, const char *name,
                                      stk_error *err);

/* Appends the cells of the next row to cells (char *[], each terminated, inside the text) and
 * returns their number: 0 at the end. Skips empty lines. */
STK_NODISCARD stk_status stk_csv_row(stk_csv *csv, stk_blob *cells, size_t *count, stk_error *err);

/* True, with the value, when text is nothing but a whole number that fits. */
bool stk_csv_integer(const char *text, int64_t *value);
/* The same for any decimal number, or "nan". */
bool stk_csv_number(const char *text, float *value);

#endif

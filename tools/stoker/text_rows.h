/* Rows of CSV, or of a JSON object per line, to a file or stdout. The first failure is kept and
 * returned at the end. */
#ifndef CLI_TOOLS_TEXT_ROWS_H
#define CLI_TOOLS_TEXT_ROWS_H

#include <stdbool.h>
#include <stoker/blob.h>
#include <stoker/filesystem.h>

typedef struct cli_text_rows {
    stk_output *file; /* NULL: stdout */
    stk_blob    text; /* unwritten text */
    bool        open;
    bool        has_cell; /* the row has a cell */
    stk_status  status;
    stk_error   err;
} cli_text_rows;

/* path "-" is stdout. A file appears when it is committed. */
STK_NODISCARD stk_status cli_text_rows_open(cli_text_rows *rows, const char *path, stk_error *err);

/* Adds a CSV cell, quoted if necessary (RFC 4180). */
void cli_text_rows_cell(cli_text_rows *rows, const char *text);
void cli_text_rows_integer(cli_text_rows *rows, int64_t number);
/* Adds a fraction with six decimals. */
void cli_text_rows_fraction(cli_text_rows *rows, double fraction);
/* Ends the row and writes the buffered text. */
void cli_text_rows_end(cli_text_rows *rows);

STK_NODISCARD stk_status cli_text_rows_commit(cli_text_rows *rows, stk_error *err);
/* Without a commit, no file is left. Fine if it was never opened. */
void cli_text_rows_release(cli_text_rows *rows);

#endif

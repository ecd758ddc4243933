/* Rows of text to a file or to stdout: CSV, or a JSON object a line. The first failure stays and is
 * told at the end. */
#ifndef CLI_TOOLS_TEXT_ROWS_H
#define CLI_TOOLS_TEXT_ROWS_H

#include <stdbool.h>
#include <stoker/blob.h>
#include <stoker/filesystem.h>

typedef struct cli_text_rows {
    stk_output *file; /* NULL: stdout */
    stk_blob    text; /* not written yet */
    bool        open;
    bool        has_cell; /* the row has a cell */
    stk_status  status;
    stk_error   err;
} cli_text_rows;

/* path "-" is stdout. The file appears when it is committed. */
STK_NODISCARD stk_status cli_text_rows_open(cli_text_rows *rows, const char *path, stk_error *err);

/* The next cell of a row of CSV; quoted where it must be (RFC 4180). */
void cli_text_rows_cell(cli_text_rows *rows, const char *text);
void cli_text_rows_integer(cli_text_rows *rows, int64_t number);
/* A share from 0 to 1, with six decimals. */
void cli_text_rows_fraction(cli_text_rows *rows, double fraction);
/* Ends the row, and gives what has come together so far to the file. */
void cli_text_rows_end(cli_text_rows *rows);

STK_NODISCARD stk_status cli_text_rows_commit(cli_text_rows *rows, stk_error *err);
/* Without a commit before, no file is left. Fine where it was never opened. */
void cli_text_rows_release(cli_text_rows *rows);

#endif

/* A contact sheet: images in rows and columns, each with lines of text below it. */
#ifndef CLI_TOOLS_SHEET_H
#define CLI_TOOLS_SHEET_H

#include <stoker/image.h>

typedef struct cli_sheet_cell {
    stk_pixels pixels; /* lent; no data: an empty cell */
    char       label[96];
    char       note[160]; /* below it, dimmer */
} cli_sheet_cell;

typedef struct cli_sheet {
    const char           *heading, *subheading; /* one line each where they fit */
    const cli_sheet_cell *cells;                /* row after row */
    size_t                count;
    int                   columns;
} cli_sheet;

typedef struct cli_sheet_size {
    int32_t width, height; /* of the sheet */
    int     box;           /* side of the square that an image has */
} cli_sheet_size;

/* Appends the sheet as PNG. Small images are enlarged by a whole number, the same for all; large
 * ones are shrunk to fit. STK_E_LIMIT when the sheet would be larger than a PNG should be. size may
 * be NULL. */
STK_NODISCARD stk_status cli_sheet_write(stk_blob *out, const cli_sheet *sheet,
                                         cli_sheet_size *size, stk_error *err);

#endif

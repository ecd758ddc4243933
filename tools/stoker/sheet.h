/* A contact sheet: images in a grid with text below each. */
#ifndef CLI_TOOLS_SHEET_H
#define CLI_TOOLS_SHEET_H

#include <stoker/image.h>

typedef struct cli_sheet_cell {
    stk_pixels pixels; /* borrowed; no data: an empty cell */
    char       label[96];
    char       note[160]; /* below the label, dimmer */
} cli_sheet_cell;

typedef struct cli_sheet {
    const char           *heading, *subheading; /* one line each if they fit */
    const cli_sheet_cell *cells;                /* row by row */
    size_t                count;
    int                   columns;
} cli_sheet;

typedef struct cli_sheet_size {
    int32_t width, height; /* of the sheet */
    int     box;           /* side of an image's square */
} cli_sheet_size;

/* Appends the sheet as PNG. Small images are enlarged by one integer factor; large ones are shrunk
 * to fit. STK_E_LIMIT if the PNG would be too large. size may be NULL. */
STK_NODISCARD stk_status cli_sheet_write(stk_blob *out, const cli_sheet *sheet,
                                         cli_sheet_size *size, stk_error *err);

#endif

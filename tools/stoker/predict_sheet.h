/* A contact sheet of images with predictions. */
#ifndef CLI_TOOLS_PREDICT_SHEET_H
#define CLI_TOOLS_PREDICT_SHEET_H

#include "sheet.h"

enum { CLI_PREDICT_SHEET_MAX = 400 }; /* images */

typedef struct cli_predict_sheet {
    cli_sheet_cell *cells; /* pixels are copies */
    size_t          count;
    stk_decoder    *decoder;
} cli_predict_sheet;

STK_NODISCARD stk_status cli_predict_sheet_init(cli_predict_sheet *sheet, stk_error *err);
void                     cli_predict_sheet_release(cli_predict_sheet *sheet);

/* Decodes an image into the next cell; no-op if the sheet is full. */
STK_NODISCARD stk_status cli_predict_sheet_add(cli_predict_sheet *sheet, stk_bytes encoded,
                                               const char *label, const char *note, stk_error *err);
/* Writes a PNG. */
STK_NODISCARD stk_status cli_predict_sheet_save(const cli_predict_sheet *sheet, const char *path,
                                                const char *heading, const char *subheading,
                                                int columns, stk_error *err);

#endif

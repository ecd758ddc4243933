/* Per-image results of an evaluation: a table of all, and the worst mistakes. */
#ifndef CLI_TOOLS_EVAL_DETAILS_H
#define CLI_TOOLS_EVAL_DETAILS_H

#include "sheet.h"
#include "text_rows.h"

#include <stoker/model_file.h>

typedef struct cli_eval_mistake {
    double  confidence;
    int64_t index; /* of the image in the data */
} cli_eval_mistake;

typedef struct cli_eval_details {
    const stk_predictor *predictor;
    cli_text_rows        rows; /* if a table is requested */
    bool                 table;
    int64_t              top;   /* classes per row */
    int64_t             *order; /* of classes */
    cli_sheet_cell      *cells; /* the worst mistakes; pixels are copies */
    cli_eval_mistake    *worst; /* of each cell */
    size_t               count, max;
    int64_t              images, mistakes;
} cli_eval_details;

/* csv NULL: no table; max 0: no mistakes. Must be released even on failure. */
STK_NODISCARD stk_status cli_eval_details_init(cli_eval_details *details, const char *csv,
                                               int64_t top, size_t max,
                                               const stk_predictor *predictor, stk_error *err);
/* For stk_evaluate_options.image; context is a cli_eval_details. */
STK_NODISCARD stk_status cli_eval_details_add(void *context, const stk_evaluated_image *image,
                                              stk_error *err);
/* Commits the table. */
STK_NODISCARD stk_status cli_eval_details_commit(cli_eval_details *details, stk_error *err);
/* Writes the mistakes as a PNG, most confident first. There must be one. */
STK_NODISCARD stk_status cli_eval_details_sheet(cli_eval_details *details, const char *path,
                                                const char *heading, const char *subheading,
                                                int columns, stk_error *err);
void                     cli_eval_details_release(cli_eval_details *details);

#endif

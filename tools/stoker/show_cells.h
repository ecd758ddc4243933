/* Cells of a contact sheet: images drawn from a pipeline, with captions. */
#ifndef CLI_TOOLS_SHOW_CELLS_H
#define CLI_TOOLS_SHOW_CELLS_H

#include "class_names.h"
#include "find_sample.h"
#include "sheet.h"

typedef struct cli_show_request {
    const char      *path;
    cli_image_values images; /* preset NULL: applies the operations below */
    cli_option_list  operations;
    cli_image_kind   kind; /* of the stored images */
    cli_sample_run   run;
    bool             skip_bad; /* skip unreadable images and report them */
    uint64_t         epoch;
    size_t           count;   /* images */
    size_t           epochs;  /* 0: one sheet of different images; else draws of each image */
    size_t           columns; /* for all operations: draws of each, including the original */
} cli_show_request;

/* Cells and the elements that they borrow from. */
typedef struct cli_show_cells {
    cli_sheet_cell *cells;
    stk_element   **elements; /* NULL for an empty cell */
    size_t          count, capacity;
} cli_show_cells;

/* Fewer cells if the data has fewer images. On failure of any function below some cells may exist:
 * release them. */
STK_NODISCARD stk_status cli_show_images(cli_show_cells *out, const cli_show_request *request,
                                         const cli_class_names *names, stk_error *err);
/* Cells of one image; each row is one operation of the list. */
STK_NODISCARD stk_status cli_show_operations(cli_show_cells *out, const cli_show_request *request,
                                             stk_error *err);
void                     cli_show_cells_release(cli_show_cells *cells);

/* For functions that fill cells: takes ownership of element; NULL adds an empty cell. */
STK_NODISCARD stk_status cli_show_add(cli_show_cells *out, stk_element *element, const char *label,
                                      const char *note, stk_error *err);
/* Appends the operation "NAME PARAMETERS" to decoded images. */
STK_NODISCARD stk_status cli_show_put_operation(stk_dataset **data, const char *text,
                                                stk_error *err);
/* Decodes the images of cli_images_open, if they are encoded. */
STK_NODISCARD stk_status cli_show_decode(stk_dataset **data, int channels, stk_error *err);
/* The first *count images of the shuffled data, repeated; *count is reduced if there are fewer. */
STK_NODISCARD stk_status cli_show_some(stk_dataset **out, const cli_show_request *request,
                                       size_t *count, stk_error *err);

#endif

/* The images of a contact sheet: what is drawn from the pipeline, and what stands below it. */
#ifndef CLI_TOOLS_SHOW_CELLS_H
#define CLI_TOOLS_SHOW_CELLS_H

#include "class_names.h"
#include "find_sample.h"
#include "sheet.h"

typedef struct cli_show_request {
    const char      *path;
    cli_image_values images; /* preset NULL: the operations below instead */
    cli_option_list  operations;
    cli_image_kind   kind; /* of the images as they are stored */
    cli_sample_run   run;
    bool             skip_bad; /* images that cannot be read are passed over, and told */
    uint64_t         epoch;
    size_t           count;   /* images */
    size_t           epochs;  /* 0: one sheet of different images; else each so often */
    size_t           columns; /* for all operations: draws of each, the original included */
} cli_show_request;

/* Cells with what they point into. */
typedef struct cli_show_cells {
    cli_sheet_cell *cells;
    stk_element   **elements; /* NULL where a cell is empty */
    size_t          count, capacity;
} cli_show_cells;

/* Fewer than asked for where the data has no more. All below may leave some cells on failure:
 * release them. */
STK_NODISCARD stk_status cli_show_images(cli_show_cells *out, const cli_show_request *request,
                                         const cli_class_names *names, stk_error *err);
/* One image, each row one operation of the list. */
STK_NODISCARD stk_status cli_show_operations(cli_show_cells *out, const cli_show_request *request,
                                             stk_error *err);
void                     cli_show_cells_release(cli_show_cells *cells);

/* For those that fill cells: takes the element over; NULL makes an empty cell. */
STK_NODISCARD stk_status cli_show_add(cli_show_cells *out, stk_element *element, const char *label,
                                      const char *note, stk_error *err);
/* Puts "NAME PARAMETERS" on images that are decoded. */
STK_NODISCARD stk_status cli_show_put_operation(stk_dataset **data, const char *text,
                                                stk_error *err);
/* Decodes what cli_images_open gave, where it is encoded. */
STK_NODISCARD stk_status cli_show_decode(stk_dataset **data, int channels, stk_error *err);
/* The first *count images of the shuffled data (or all, where they are fewer: *count says so),
 * the same ones again and again. */
STK_NODISCARD stk_status cli_show_some(stk_dataset **out, const cli_show_request *request,
                                       size_t *count, stk_error *err);

#endif

/* A confusion matrix as an image. */
#ifndef CLI_TOOLS_CONFUSION_PNG_H
#define CLI_TOOLS_CONFUSION_PNG_H

#include <stoker/blob.h>
#include <stoker/model_file.h>

typedef struct cli_confusion_image {
    const char           *heading, *subheading;
    const stk_predictor  *predictor; /* for the names of classes */
    const stk_evaluation *evaluation;
} cli_confusion_image;

/* Appends a PNG: a row for each class that has images, a column for each that it was taken for. An
 * evaluation without a matrix (more than 1000 classes) is STK_E_LIMIT. */
STK_NODISCARD stk_status cli_confusion_png(stk_blob *out, const cli_confusion_image *image,
                                           stk_error *err);

#endif

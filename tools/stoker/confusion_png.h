/* A confusion matrix as an image. */
#ifndef CLI_TOOLS_CONFUSION_PNG_H
#define CLI_TOOLS_CONFUSION_PNG_H

#include <stoker/blob.h>
#include <stoker/model_file.h>

typedef struct cli_confusion_image {
    const char           *heading, *subheading;
    const stk_predictor  *predictor; /* for class names */
    const stk_evaluation *evaluation;
} cli_confusion_image;

/* Appends a PNG: a row per class with images, a column per predicted class. STK_E_LIMIT if the
 * evaluation has no matrix (more than 1000 classes). */
STK_NODISCARD stk_status cli_confusion_png(stk_blob *out, const cli_confusion_image *image,
                                           stk_error *err);

#endif

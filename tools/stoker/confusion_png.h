/* A confusion matrix as a picture. */
#ifndef STK_TOOLS_CONFUSION_PNG_H
#define STK_TOOLS_CONFUSION_PNG_H

#include <stoker/blob.h>
#include <stoker/model_file.h>

typedef struct stk_confusion_picture {
    const char           *heading, *subheading;
    const stk_predictor  *predictor; /* for the names of classes */
    const stk_evaluation *evaluation;
} stk_confusion_picture;

/* Appends a PNG: a row for each class that has images, a column for each that it was taken for. An
 * evaluation without a matrix (more than 1000 classes) is STK_E_LIMIT. */
STK_NODISCARD stk_status stk_confusion_png(stk_blob *out, const stk_confusion_picture *picture,
                                           stk_error *err);

#endif

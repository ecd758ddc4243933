/* A sheet of equal-sized images with two lines of text each. */
#ifndef STK_TRAIN_LOG_IMAGE_SHEET_H
#define STK_TRAIN_LOG_IMAGE_SHEET_H

#include <stoker/image.h>

typedef enum stk_sheet_tone { STK_SHEET_PLAIN, STK_SHEET_GOOD, STK_SHEET_BAD } stk_sheet_tone;

typedef struct stk_sheet_image {
    const uint8_t *pixels;   /* [size,size,channels] */
    char           line[96]; /* cut to the width */
    char           note[96]; /* below line */
    stk_sheet_tone tone;     /* of the note */
} stk_sheet_image;

/* Appends the sheet as PNG; count is at least 1. */
STK_NODISCARD stk_status stk_image_sheet(const stk_sheet_image *list, size_t count, int size,
                                         int channels, stk_blob *out, stk_error *err);

#endif

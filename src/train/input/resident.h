/* Resident images: decoded once and held in device memory. Steps augment them on the device by
 * edits. */
#ifndef STK_TRAIN_INPUT_RESIDENT_H
#define STK_TRAIN_INPUT_RESIDENT_H

#include "pipeline/presets/preset_chain.h"
#include "train/input/loader.h"

struct stk_resident {
    int64_t  count, height, width, channels;
    stk_blob images; /* [count,height,width,channels]; empty once dropped */
    bool     there;  /* uploaded */
    int64_t *labels; /* one per image */
};

/* Why the device cannot augment images as the recipe wants, for the user; NULL: it can. text is
 * scratch for it. */
const char *stk_resident_obstacle(const stk_train_recipe *recipe, char *text, size_t capacity);
/* Bytes of all training and validation images. */
uint64_t stk_resident_bytes(const stk_train_recipe *recipe, const stk_train_data *data);

/* Reads all images of options' part of the data. Validation images are fully prepared; training
 * images are only resized, so that all have one size. On failure *out is NULL. */
STK_NODISCARD stk_status stk_resident_load(stk_resident **out, const stk_loader_options *options,
                                           stk_error *err);
void                     stk_resident_free(stk_resident *resident); /* NULL is fine */

#endif

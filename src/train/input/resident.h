/* Images that are kept on the device: read and decoded once. What a step does with some of them
 * is told by edits, which the device carries out. */
#ifndef STK_TRAIN_INPUT_RESIDENT_H
#define STK_TRAIN_INPUT_RESIDENT_H

#include "pipeline/presets/preset_chain.h"
#include "train/input/loader.h"

struct stk_resident {
    int64_t  count, height, width, channels;
    stk_blob images; /* [count,height,width,channels]; empty once nobody needs them here */
    bool     there;  /* the device has them */
    int64_t *labels; /* of each */
};

/* Why images cannot be edited on a device as the recipe wants, for people; NULL: they can. text
 * is room for it. */
const char *stk_resident_obstacle(const stk_train_recipe *recipe, char *text, size_t capacity);
/* Bytes of all images, to train on and to evaluate on. */
uint64_t stk_resident_bytes(const stk_train_recipe *recipe, const stk_train_data *data);

/* Reads all images of options' part of the data: those to evaluate on are prepared for it, those
 * to train on are made to fit and no more, so that all have one size. On failure *out is NULL. */
STK_NODISCARD stk_status stk_resident_load(stk_resident **out, const stk_loader_options *options,
                                           stk_error *err);
void                     stk_resident_free(stk_resident *resident); /* NULL is fine */

#endif

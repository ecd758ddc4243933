/* What a model was published with: its own recipe, for the keys that nobody set. */
#ifndef STK_TRAIN_RECIPE_PUBLISHED_RECIPE_H
#define STK_TRAIN_RECIPE_PUBLISHED_RECIPE_H

#include <stdbool.h>
#include <stdint.h>

enum { STK_MODEL_RECIPE_KEYS = 24 };

typedef struct stk_published_recipe {
    const char *model;
    const char *text; /* for people */
    struct {
        const char *key, *value;
    } keys[STK_MODEL_RECIPE_KEYS]; /* ends with a NULL key */
    const char *preset;            /* where images have its channels */
    bool        alternates;        /* data.flip, where images are kept on the device */
    bool        reports_on_test;   /* learns from all of train and is evaluated once, on test */
    int64_t     batch;             /* where the data has a few of them */
    /* For a loss that is summed over batches of 1024, and for no momentum: with momentum m the rate
     * of our mean is rate * batch / 1024 / (1 + 1 / (1 - m)), and its decay is decay / rate. */
    double rate, decay;
    double loss_scale; /* the first, with fp16 */
} stk_published_recipe;

/* NULL: the model has none. */
const stk_published_recipe *stk_published_recipe_find(const char *model);

#endif

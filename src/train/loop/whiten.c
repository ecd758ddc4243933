/* The frozen filters of a network that begins by whitening patches: they come from the data. */
#include "train/loop/trainer.h"
#include <stdlib.h>
#include <string.h>

enum { PICTURES = 2048 };

static void normalize(const stk_trainer *t, const stk_feed_batch *batch, int64_t channels,
                      float *out)
{
    float   mean[4], deviation[4];
    int64_t count = batch->rows * t->recipe.data.size * t->recipe.data.size * channels;
    stk_feed_normalization(t->recipe.data.preset, mean, deviation);
    for (int64_t i = 0; i < count; i++)
        out[i] = ((float)batch->pictures[i] / 255 - mean[i % channels]) / deviation[i % channels];
}

/* Batches of training data, not augmented, until there are enough patches. */
static stk_status gather(stk_trainer *t, int64_t channels, float **pictures, int64_t *count,
                         stk_error *err)
{
    const stk_train_recipe *r = &t->recipe;
    size_t                  each = (size_t)(r->data.size * r->data.size * channels);
    const stk_feed_options  options = {.recipe = r,
                                       .data = t->data,
                                       .size = r->data.size,
                                       .calm = 1,
                                       .seed = (uint64_t)r->train.seed + 1,
                                       .cancel = t->options.cancel};
    stk_feed               *feed;
    stk_status              st = STK_OK;
    *count = 0;
    *pictures = calloc((size_t)(PICTURES + r->data.batch) * each, sizeof **pictures);
    if (!*pictures) return stk_fail(err, STK_E_NOMEM, "whiten", NULL, "no memory for pictures");
    STK_TRY(stk_feed_open(&feed, &options, err));
    while (!st && *count < PICTURES) {
        stk_feed_batch batch;
        st = stk_feed_next(feed, &batch, err);
        if (st || !batch.rows) break;
        normalize(t, &batch, channels, *pictures + (size_t)*count * each);
        *count += batch.rows;
    }
    stk_feed_free(feed);
    return st;
}

stk_status stk_trainer_whiten(stk_trainer *trainer, stk_error *err)
{
    stk_variables *variables = stk_session_variables(trainer->session);
    size_t         index = stk_variables_find(variables, "whiten.weight");
    if (index == SIZE_MAX) return STK_OK;
    stk_variable_info info = stk_variables_at(variables, index);
    int64_t           channels = info.shape.dim[1], size = trainer->recipe.data.size, count = 0;
    size_t            bytes = sizeof(float);
    float            *pictures = NULL;
    for (int i = 0; i < info.shape.rank; i++)
        bytes *= (size_t)info.shape.dim[i];
    float     *weights = malloc(bytes);
    stk_status st = weights ? gather(trainer, channels, &pictures, &count, err)
                            : stk_fail(err, STK_E_NOMEM, "whiten", NULL, "no memory");
    if (!st) {
        stk_shape shape = stk_shape_4d(count, size, size, channels);
        st = stk_model_whiten(pictures, &shape, 0, weights, err);
    }
    if (!st) st = stk_variables_write(variables, index, weights, bytes, err);
    free(weights);
    free(pictures);
    return st;
}

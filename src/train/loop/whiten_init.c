/* Initialises the frozen filters of a network that begins by whitening patches, from training
 * images. */
#include "train/input/resident.h"
#include "train/loop/trainer_internal.h"
#include <stdlib.h>
#include <string.h>

enum { IMAGES = 5000 };

/* Training images without augmentation. */
typedef struct sample {
    uint8_t  *images;
    stk_shape shape; /* [count,height,width,channels] */
} sample;

static void add(sample *s, const uint8_t *images, int64_t count)
{
    const int64_t *dim = s->shape.dim;
    size_t         each = (size_t)(dim[1] * dim[2] * dim[3]);
    memcpy(s->images + (size_t)dim[0] * each, images, (size_t)count * each);
    s->shape.dim[0] += count;
}

/* Spread over all images: in folder order neighbours share a class. */
static void pick(sample *s, const stk_resident *all)
{
    size_t  each = (size_t)(all->height * all->width * all->channels);
    int64_t count = all->count < IMAGES ? all->count : IMAGES;
    for (int64_t i = 0; i < count; i++)
        add(s, all->images.data + (size_t)(i * all->count / count) * each, 1);
}

static stk_status read_batches(stk_trainer *t, sample *s, stk_error *err)
{
    const stk_loader_options options = {.recipe = &t->recipe,
                                        .data = t->data,
                                        .size = t->recipe.data.size,
                                        .augment_reduction = 1,
                                        .seed = (uint64_t)t->recipe.train.seed + 1,
                                        .cancel = t->options.cancel};
    stk_loader              *loader;
    stk_loader_batch         batch = {0};
    STK_TRY(stk_loader_open(&loader, &options, err));
    stk_status st = STK_OK;
    do {
        st = stk_loader_next(loader, &batch, err);
        int64_t free_rows = IMAGES - s->shape.dim[0];
        if (!st) add(s, batch.images, batch.rows < free_rows ? batch.rows : free_rows);
    } while (!st && batch.rows && s->shape.dim[0] < IMAGES);
    stk_loader_free(loader);
    return st;
}

static stk_status gather(stk_trainer *t, int64_t channels, sample *s, stk_error *err)
{
    const stk_resident *all = stk_session_resident(t->session, false);
    int64_t             size = t->recipe.data.size;
    s->shape = all ? stk_shape_4d(0, all->height, all->width, all->channels)
                   : stk_shape_4d(0, size, size, channels);
    s->images = malloc((size_t)(IMAGES * s->shape.dim[1] * s->shape.dim[2] * channels));
    if (!s->images) return stk_fail(err, STK_E_NOMEM, "whiten", NULL, "no memory for images");
    if (!all) return read_batches(t, s, err);
    pick(s, all);
    return STK_OK;
}

stk_status stk_trainer_whiten(stk_trainer *trainer, stk_error *err)
{
    stk_variables *variables = stk_session_variables(trainer->session);
    size_t         index = stk_variables_find(variables, "whiten.weight");
    if (index == SIZE_MAX) return STK_OK;
    stk_variable_info info = stk_variables_at(variables, index);
    size_t            bytes = sizeof(float);
    sample            s = {0};
    float             mean[4], deviation[4];
    for (int i = 0; i < info.shape.rank; i++)
        bytes *= (size_t)info.shape.dim[i];
    float     *weights = malloc(bytes);
    stk_status st = weights ? gather(trainer, info.shape.dim[1], &s, err)
                            : stk_fail(err, STK_E_NOMEM, "whiten", NULL, "no memory");
    stk_loader_normalization(trainer->recipe.data.preset, mean, deviation);
    if (!st) st = stk_model_whiten(s.images, &s.shape, mean, deviation, 0, weights, err);
    if (!st) st = stk_variables_write(variables, index, weights, bytes, err);
    free(weights);
    free(s.images);
    return st;
}

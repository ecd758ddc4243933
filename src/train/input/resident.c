/* Loads resident images. */
#include "train/input/resident.h"
#include "base/checked.h"
#include "image/chain/chain_edit.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *reason(char *text, size_t capacity, const char *what, const char *why)
{
    snprintf(text, capacity, "%s: %s", what, why);
    return text;
}

/* Describes the preset's operation that the device cannot run; NULL: it can run all. Geometry was
 * applied before the upload. */
static const char *refuse_step(const stk_preset *preset, int size, char *text, size_t capacity)
{
    const stk_image_size source = {
        .width = size, .height = size, .channels = preset->channels, .dtype = STK_DTYPE_U8};
    stk_preset_chain chain;
    stk_error        why;
    stk_status       st = stk_preset_chain_init(&chain, preset, size, 0, &why);
    const stk_chain  steps = {.steps = chain.steps, .count = chain.count};
    if (!st) st = stk_chain_can_edit(&steps, &source, &why);
    stk_preset_chain_release(&chain);
    return st ? reason(text, capacity, why.component, why.message) : NULL;
}

const char *stk_resident_obstacle(const stk_train_recipe *recipe, char *text, size_t capacity)
{
    const stk_train_recipe *r = recipe;
    const stk_preset       *preset = stk_preset_find(r->data.preset);
    if (*r->data.pipeline || !preset)
        return reason(text, capacity, "data.pipeline", "it is a list of stages of one's own");
    if (r->data.mixup > 0 && r->data.cutmix > 0)
        return reason(text, capacity, "data.mixup", "data.cutmix is on, too");
    if (r->progressive.size_from < 1)
        return reason(text, capacity, "progressive.size_from", "it makes images smaller");
    return refuse_step(preset, (int)r->data.size, text, capacity);
}

uint64_t stk_resident_bytes(const stk_train_recipe *recipe, const stk_train_data *data)
{
    const stk_preset *preset = stk_preset_find(recipe->data.preset);
    const uint64_t    channels = preset ? (uint64_t)preset->channels : 3;
    const uint64_t    side = (uint64_t)recipe->data.size;
    return (uint64_t)(data->train_count + data->validation_count) * side * side * channels;
}

static stk_status append(stk_resident *r, const stk_loader_batch *batch, const stk_shape *s,
                         stk_error *err)
{
    size_t   each = (size_t)(s->dim[1] * s->dim[2] * s->dim[3]), bytes;
    int64_t *labels;
    if (!r->count) {
        r->height = s->dim[1];
        r->width = s->dim[2];
        r->channels = s->dim[3];
    }
    if (stk_mul_overflows(each, (size_t)batch->rows, &bytes) || r->count + batch->rows > INT32_MAX)
        return stk_fail(err, STK_E_LIMIT, "resident", "data.resident",
                        "%lld images of %zu bytes are too many; set data.resident: off",
                        (long long)(r->count + batch->rows), each);
    STK_TRY(stk_blob_append(&r->images, batch->images, bytes, err));
    labels = realloc(r->labels, (size_t)(r->count + batch->rows) * sizeof *labels);
    if (!labels) return stk_fail(err, STK_E_NOMEM, "resident", NULL, "no memory for labels");
    memcpy(labels + r->count, batch->labels, (size_t)batch->rows * sizeof *labels);
    r->labels = labels;
    r->count += batch->rows;
    return STK_OK;
}

static stk_status read_all(stk_resident *r, stk_loader *loader, stk_error *err)
{
    stk_loader_batch batch;
    for (;;) {
        STK_TRY(stk_loader_next(loader, &batch, err));
        if (!batch.rows) break;
        const stk_shape shape = stk_loader_shape(loader);
        STK_TRY(append(r, &batch, &shape, err));
    }
    if (r->count) return STK_OK;
    return stk_fail(err, STK_E_NOTFOUND, "resident", NULL, "there are no images to keep");
}

stk_status stk_resident_load(stk_resident **out, const stk_loader_options *options, stk_error *err)
{
    stk_loader_options plain = *options;
    stk_loader        *loader = NULL;
    stk_resident      *r = calloc(1, sizeof *r);
    *out = NULL;
    if (!r) return stk_fail(err, STK_E_NOMEM, "resident", NULL, "no memory");
    stk_blob_init(&r->images, options->ledger, STK_MEMORY_BATCH);
    plain.plain = !options->evaluate;
    plain.resident = NULL;
    stk_status st = stk_loader_open(&loader, &plain, err);
    if (!st) st = read_all(r, loader, err);
    stk_loader_free(loader);
    if (st) {
        stk_resident_free(r);
        return st;
    }
    *out = r;
    return STK_OK;
}

void stk_resident_free(stk_resident *resident)
{
    if (!resident) return;
    stk_blob_release(&resident->images);
    free(resident->labels);
    free(resident);
}

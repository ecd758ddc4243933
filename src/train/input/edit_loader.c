/* Batches of edits. Resident images form an endless stream of epochs, each in an order of its own,
 * and a batch is the next rows of it, as in the pipeline. All randomness is a function of seed,
 * epoch and image, so a position is one number. */
#include "train/input/edit_loader.h"
#include "base/balanced_order.h"
#include "base/checked.h"
#include "base/hash.h"
#include "base/permutation.h"
#include "image/batch/mix.h"
#include "image/chain/chain_edit.h"
#include "train/input/resident.h"
#include <stdlib.h>
#include <string.h>

/* Streams of the seed. */
enum { FOR_ORDER = STK_PRESET_STEPS, FOR_MIXING, FOR_FLIPS, FOR_BALANCE };

struct stk_edit_loader {
    stk_loader_options options;
    stk_preset_chain   chain;                     /* without operations in evaluation */
    stk_random         randoms[STK_PRESET_STEPS]; /* of the current epoch, for image 0 */
    stk_image_size     source;                    /* of resident images */
    bool               soft, alternate;
    int64_t            rows;        /* of a batch */
    int64_t            subsample;   /* uses every so many-th resident image */
    uint64_t           count;       /* images of an epoch */
    uint64_t           batch_count; /* batches */
    stk_permutation    order;
    stk_balance        balance;      /* over the images used; no classes: not balanced */
    uint64_t           epoch_plus_1; /* the current epoch plus 1; 0: none */
    size_t             batch_bytes;
    stk_edit          *buffers[STK_LOADER_BATCHES_MAX]; /* edits, followed by labels */
};

static uint64_t seed_for(const stk_edit_loader *e, uint64_t use)
{
    return stk_hash64_number(e->options.seed, use);
}

static int kept(const stk_edit_loader *e)
{
    return e->options.kept > 1 ? e->options.kept : 1;
}

static void *labels_of(const stk_edit_loader *e, stk_edit *buffer)
{
    return buffer + e->rows;
}

static stk_status alloc_buffers(stk_edit_loader *e, stk_error *err)
{
    const stk_allocator *kind = e->options.memory;
    size_t               each =
        e->soft ? (size_t)e->options.recipe->model.classes * sizeof(float) : sizeof(int64_t);
    if (stk_mul_overflows((size_t)e->rows, each + sizeof(stk_edit), &e->batch_bytes))
        return stk_fail(err, STK_E_LIMIT, "resident", "data.batch", "%lld images are too many",
                        (long long)e->rows);
    for (int i = 0; i < kept(e); i++) {
        e->buffers[i] = kind ? kind->alloc(kind->context, e->batch_bytes) : malloc(e->batch_bytes);
        if (!e->buffers[i])
            return stk_fail(err, STK_E_NOMEM, "resident", NULL,
                            "no memory for a batch of %zu bytes", e->batch_bytes);
    }
    return STK_OK;
}

static stk_status open_train(stk_edit_loader *e, stk_error *err)
{
    const stk_loader_options *o = &e->options;
    const stk_train_recipe   *r = o->recipe;
    e->source = (stk_image_size){.width = (int32_t)o->resident->width,
                                 .height = (int32_t)o->resident->height,
                                 .channels = (int32_t)o->resident->channels,
                                 .dtype = STK_DTYPE_U8};
    e->alternate = r->data.flip == STK_FLIP_ALTERNATE;
    STK_TRY(stk_preset_chain_init(&e->chain, stk_preset_find(r->data.preset), (int)r->data.size,
                                  o->augment_reduction, err));
    if (e->alternate) stk_preset_chain_remove(&e->chain, "flip");
    return STK_OK;
}

static stk_status open_balance(stk_edit_loader *e, stk_error *err)
{
    const stk_loader_options *o = &e->options;
    int64_t                  *labels = calloc(e->count + 1, sizeof *labels);
    if (!labels) return stk_fail(err, STK_E_NOMEM, "resident", NULL, "no memory for labels");
    for (uint64_t i = 0; i < e->count; i++)
        labels[i] = o->resident->labels[(int64_t)i * e->subsample];
    const stk_status st =
        stk_balance_init(&e->balance, labels, e->count, o->recipe->model.classes, err);
    free(labels);
    if (!st) e->count = stk_balance_epoch(&e->balance);
    return st;
}

static stk_status open_all(stk_edit_loader *e, stk_error *err)
{
    const stk_loader_options *o = &e->options;
    e->soft = stk_loader_soft(o->recipe, o->evaluate);
    e->rows = o->evaluate ? o->recipe->data.eval_batch : o->recipe->data.batch;
    e->subsample = o->subsample > 1 ? o->subsample : 1;
    e->count = (uint64_t)((o->resident->count + e->subsample - 1) / e->subsample);
    if (!o->evaluate) STK_TRY(open_train(e, err));
    if (!o->evaluate && stk_loader_balances(o->recipe)) STK_TRY(open_balance(e, err));
    return alloc_buffers(e, err);
}

stk_status stk_edit_loader_new(stk_edit_loader **out, const stk_loader_options *options,
                               stk_error *err)
{
    stk_edit_loader *e = calloc(1, sizeof *e);
    *out = NULL;
    if (!e) return stk_fail(err, STK_E_NOMEM, "resident", NULL, "no memory for edits");
    e->options = *options;
    stk_status st = open_all(e, err);
    if (st) {
        stk_edit_loader_free(e);
        return st;
    }
    *out = e;
    return STK_OK;
}

void stk_edit_loader_free(stk_edit_loader *edits)
{
    if (!edits) return;
    const stk_allocator *kind = edits->options.memory;
    for (int i = 0; i < STK_LOADER_BATCHES_MAX; i++)
        if (kind && edits->buffers[i])
            kind->free(kind->context, edits->buffers[i], edits->batch_bytes);
        else
            free(edits->buffers[i]);
    stk_preset_chain_release(&edits->chain);
    stk_balance_release(&edits->balance);
    free(edits);
}

/* Computes values shared by all images of an epoch: a random key costs as much as a random
 * number. */
static void begin_epoch(stk_edit_loader *e, uint64_t epoch)
{
    if (e->epoch_plus_1 == epoch + 1) return;
    e->epoch_plus_1 = epoch + 1;
    e->order = e->balance.classes
                   ? stk_balance_order(&e->balance, seed_for(e, FOR_BALANCE), epoch)
                   : stk_permutation_of(e->count, seed_for(e, FOR_ORDER), (uint32_t)epoch);
    for (uint64_t i = 0; i < STK_PRESET_STEPS; i++)
        e->randoms[i] = stk_random_for(seed_for(e, i), (uint32_t)epoch, 0, 0);
}

/* The image at a position of the epoch. */
static int64_t image_at(const stk_edit_loader *e, uint64_t epoch, uint64_t position)
{
    if (e->balance.classes)
        return (int64_t)stk_balance_at(&e->balance, &e->order, seed_for(e, FOR_BALANCE), epoch,
                                       position) *
               e->subsample;
    const bool shuffled = e->options.recipe->data.shuffle != 0;
    return (int64_t)(shuffled ? stk_permutation_at(&e->order, position) : position) * e->subsample;
}

/* Alternating flip: each image is mirrored in every other epoch, and its first side is random. Two
 * epochs show both sides. */
static int32_t alternate_flip(const stk_edit_loader *e, uint64_t epoch, int64_t image)
{
    const uint64_t drawn = stk_hash64_number(
        stk_hash64_number((uint64_t)e->options.recipe->train.seed, FOR_FLIPS), (uint64_t)image);
    return (int32_t)((drawn + epoch + (uint64_t)e->options.epoch) & 1);
}

/* which: index of the random numbers, unique within an epoch. */
static stk_status draw(const stk_edit_loader *e, uint64_t epoch, int64_t image, uint64_t which,
                       stk_edit *out, stk_error *err)
{
    const stk_chain chain = {.steps = e->chain.steps, .count = e->chain.count};
    stk_random      randoms[STK_PRESET_STEPS];
    for (size_t i = 0; i < chain.count; i++)
        randoms[i] = stk_random_of(&e->randoms[i], which);
    STK_TRY(stk_chain_edit(&chain, &e->source, randoms, out, err));
    out->source = (int32_t)image;
    if (!e->alternate) return STK_OK;
    if (alternate_flip(e, epoch, image)) out->flip ^= STK_EDIT_FLIP_X;
    return STK_OK;
}

static void put_label(const stk_edit_loader *e, void *labels, int64_t row, int64_t label)
{
    const int64_t classes = e->options.recipe->model.classes;
    if (!e->soft) {
        ((int64_t *)labels)[row] = label;
        return;
    }
    float *labels_out = (float *)labels + row * classes;
    memset(labels_out, 0, (size_t)classes * sizeof *labels_out);
    labels_out[label] = 1;
}

static stk_status mix(const stk_edit_loader *e, stk_edit *edits, float *labels, stk_error *err)
{
    const stk_train_recipe *r = e->options.recipe;
    const bool              cut = r->data.cutmix > 0;
    const int32_t           size = (int32_t)e->options.size;
    const stk_mix_rows      rows = {labels, STK_DTYPE_F32, e->rows, r->model.classes};
    stk_random              random = stk_random_for(seed_for(e, FOR_MIXING), 0, e->batch_count, 0);
    const stk_mix           drawn =
        stk_mix_draw(&random, cut, cut ? r->data.cutmix : r->data.mixup, size, size);
    stk_mix_edit(&drawn, edits, e->rows);
    return stk_mixup(&rows, NULL, drawn.lambda, err);
}

static stk_status next_train(stk_edit_loader *e, stk_edit *edits, stk_error *err)
{
    uint64_t at = e->batch_count * (uint64_t)e->rows, epoch = at / e->count,
             position = at % e->count;
    void *labels = labels_of(e, edits);
    for (int64_t i = 0; i < e->rows; i++) {
        begin_epoch(e, epoch);
        const int64_t image = image_at(e, epoch, position);
        /* with balancing an image may repeat in an epoch, each time augmented differently */
        const uint64_t which = e->balance.classes ? position : (uint64_t)image;
        STK_TRY(draw(e, epoch, image, which, &edits[i], err));
        put_label(e, labels, i, e->options.resident->labels[image]);
        if (++position < e->count) continue;
        position = 0;
        epoch++;
    }
    return e->soft ? mix(e, edits, labels, err) : STK_OK;
}

/* Returns the number of rows. */
static int64_t next_evaluate(stk_edit_loader *e, stk_edit *edits)
{
    const int64_t first = (int64_t)e->batch_count * e->rows, count = (int64_t)e->count;
    const int64_t rows = count - first < e->rows ? count - first : e->rows;
    for (int64_t i = 0; i < e->rows; i++) {
        const int64_t image = i < rows ? (first + i) * e->subsample : -1;
        edits[i] = stk_edit_none((int32_t)image);
        ((int64_t *)labels_of(e, edits))[i] = image < 0 ? -1 : e->options.resident->labels[image];
    }
    return rows > 0 ? rows : 0;
}

stk_status stk_edit_loader_next(stk_edit_loader *edits, stk_loader_batch *batch, stk_error *err)
{
    stk_edit_loader *e = edits;
    stk_edit        *buffer = e->buffers[e->batch_count % (uint64_t)kept(e)];
    int64_t          rows = e->rows;
    *batch = (stk_loader_batch){0};
    if (e->options.cancel && stk_cancel_requested(e->options.cancel))
        return stk_fail(err, STK_E_CANCELLED, "resident", NULL, "it was stopped");
    if (e->options.evaluate)
        rows = next_evaluate(e, buffer);
    else
        STK_TRY(next_train(e, buffer, err));
    e->batch_count += rows > 0;
    if (rows > 0) *batch = (stk_loader_batch){rows, NULL, labels_of(e, buffer), buffer};
    return STK_OK;
}

/* The saved position. Its magic distinguishes it from an iterator's. */
typedef struct position {
    char     magic[8];
    uint64_t images, rows, batch_count;
} saved_position;

static saved_position position_of(const stk_edit_loader *e)
{
    return (saved_position){.magic = "resident",
                            .images = e->count,
                            .rows = (uint64_t)e->rows,
                            .batch_count = e->batch_count};
}

stk_status stk_edit_loader_save(const stk_edit_loader *edits, stk_blob *out, stk_error *err)
{
    const saved_position position = position_of(edits);
    return stk_blob_append(out, &position, sizeof position, err);
}

stk_status stk_edit_loader_restore(stk_edit_loader *edits, stk_bytes saved, stk_error *err)
{
    const saved_position own = position_of(edits);
    saved_position       position = {0};
    if (saved.size == sizeof position) memcpy(&position, saved.data, sizeof position);
    if (memcmp(position.magic, own.magic, sizeof own.magic) != 0)
        return stk_fail(err, STK_E_FORMAT, "resident", NULL,
                        "%zu bytes that are no place of images on the device", saved.size);
    if (position.images != own.images || position.rows != own.rows)
        return stk_fail(err, STK_E_INVALID, "resident", NULL,
                        "the place is one of %llu images in batches of %llu; here are %llu in "
                        "batches of %llu",
                        (unsigned long long)position.images, (unsigned long long)position.rows,
                        (unsigned long long)own.images, (unsigned long long)own.rows);
    edits->batch_count = position.batch_count;
    return STK_OK;
}

void stk_edit_loader_skip(stk_edit_loader *edits, int64_t batches)
{
    edits->batch_count += (uint64_t)batches;
}

/* Batches for training and evaluation, from the recipe's data. */
#ifndef STK_TRAIN_INPUT_LOADER_H
#define STK_TRAIN_INPUT_LOADER_H

#include "edit/edit.h"
#include "train/faults/faults.h"
#include "train/input/input_cache.h"
#include <stoker/cancel.h>
#include <stoker/iterator.h>
#include <stoker/meter.h>
#include <stoker/program.h>
#include <stoker/train_data.h>

typedef struct stk_loader   stk_loader;
typedef struct stk_resident stk_resident;

enum { STK_LOADER_BATCHES_MAX = 4 };

typedef struct stk_loader_options {
    const stk_train_recipe *recipe; /* settled; must outlive the feed */
    const stk_train_data   *data;
    bool                    evaluate; /* once, in order, the last batch may be smaller */
    bool                    plain;    /* so are those to train on, decoded and no more */
    bool                    origins;  /* stk_loader_origin can be asked */
    const stk_resident     *resident; /* what is on the device: edits come instead of images;
                                         NULL: nothing; outlives the feed */
    int64_t     size;                 /* of images */
    int64_t     subsample;            /* k: only every k-th image; 0: all */
    int64_t     epoch;                /* of the run, that it begins with */
    double      augment_reduction;    /* 0: all augmentation, 1: none */
    uint64_t    seed;                 /* of order and augmentation; not 0 */
    const char *path, *split;         /* other data; NULL: the recipe's */
    int         kept; /* batches that stay lent, up to STK_LOADER_BATCHES_MAX; 0: the last one */
    const stk_allocator *memory; /* of batches; NULL: ordinary; outlives the feed */
    stk_device          *device; /* decodes where knobs.decode says so; NULL: the CPU does */
    stk_ledger          *ledger;
    const stk_cancel    *cancel;
    stk_trace           *trace;
    stk_faults          *faults; /* NULL: none; outlives the feed */
    stk_data_cache      *cache;  /* of the run; NULL: none; outlives the feed */
    void (*log)(void *context, const char *line);
    void *log_context;
} stk_loader_options;

STK_NODISCARD stk_status stk_loader_open(stk_loader **out, const stk_loader_options *options,
                                         stk_error *err);
void                     stk_loader_free(stk_loader *loader);
/* Appends the plan of such a feed, before and after each pass; nothing is started. */
STK_NODISCARD stk_status stk_loader_explain(const stk_loader_options *options, stk_blob *out,
                                            stk_error *err);
/* What is probably a mistake in that plan, as stk_dataset_lint gives it. */
STK_NODISCARD stk_status stk_loader_lint(const stk_loader_options *options, stk_warning *warnings,
                                         size_t capacity, size_t *count, stk_error *err);

/* The next batch: images uint8 [rows,size,size,channels] and labels, int64 [rows] or float32
 * [rows,classes] (stk_loader_soft). All are lent until the next call, or
 * until as many calls as options.kept says. rows is 0 at the end. A label
 * that is no class is STK_E_RANGE naming the image. Of resident images there are edits alone;
 * those and labels past the rows of a smaller batch are there, too, and name none. */
typedef struct stk_loader_batch {
    int64_t         rows;
    const uint8_t  *images; /* NULL: they are on the device */
    const void     *labels;
    const stk_edit *edits; /* NULL: none */
} stk_loader_batch;

STK_NODISCARD stk_status stk_loader_next(stk_loader *loader, stk_loader_batch *batch,
                                         stk_error *err);
/* The same, measured: the time is S2's, but S1's as far as nothing was computed and bytes were
 * waited for. Tells meter what both stages did since the last batch. */
STK_NODISCARD stk_status stk_loader_next_measured(stk_loader *loader, stk_meter *meter,
                                                  stk_loader_batch *batch, stk_error *err);
/* The same outside of steps, of a meter that was left. */
STK_NODISCARD stk_status stk_loader_next_aside(stk_loader *loader, stk_meter *meter,
                                               stk_loader_batch *batch, stk_error *err);
/* Labels are probabilities: MixUp or CutMix is on. */
bool stk_loader_soft(const stk_train_recipe *recipe, bool evaluate);
/* Images to train on are drawn so that every class comes equally often. */
bool stk_loader_balances(const stk_train_recipe *recipe);
/* Images are mixed by edits, on the device. resident: they are there. */
bool stk_loader_mixes_on_device(const stk_train_recipe *recipe, bool evaluate, bool resident);
/* What a pipeline of one's own changes last in streamed images is done by edits, on the device.
 */
bool stk_loader_paints_on_device(const stk_train_recipe *recipe, bool evaluate);
/* Nanoseconds spent in next so far. */
uint64_t stk_loader_wait_ns(const stk_loader *loader);

STK_NODISCARD stk_status stk_loader_save(stk_loader *loader, stk_blob *out, stk_error *err);
STK_NODISCARD stk_status stk_loader_restore(stk_loader *loader, stk_bytes saved, stk_error *err);
/* Passes over so many batches. */
STK_NODISCARD stk_status stk_loader_skip(stk_loader *loader, int64_t batches, stk_error *err);
/* NULL: nothing is read, all images are on the device. */
stk_iterator *stk_loader_iterator(stk_loader *loader);
/* Where a row of the last batch came from, where options.origins was set: its file (empty: none),
 * lent as long as the batch, and its number in it. */
stk_bytes stk_loader_origin(const stk_loader *loader, int64_t row, int64_t *record);
/* Of the images of the last batch. */
stk_shape stk_loader_shape(const stk_loader *loader);

/* (x / 255 - mean) / deviation of the preset, for four channels. */
void stk_loader_normalization(const char *preset, float mean[4], float deviation[4]);

#endif

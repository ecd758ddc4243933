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
    const stk_train_recipe *recipe; /* resolved; must outlive the loader */
    const stk_train_data   *data;
    bool                    evaluate; /* one epoch, in order; the last batch may be smaller */
    bool                plain;   /* training images are decoded and resized only, in the same way */
    bool                origins; /* stk_loader_origin is available */
    const stk_resident *resident;  /* resident images: batches have edits instead of pixels; NULL:
                                      none; outlives the loader */
    int64_t     size;              /* of images */
    int64_t     subsample;         /* k: uses every k-th image; 0: all */
    int64_t     epoch;             /* the first epoch, counted over the run */
    double      augment_reduction; /* reduction of augmentation: 0 full, 1 none */
    uint64_t    seed;              /* of order and augmentation; not 0 */
    const char *path, *split;      /* other data; NULL: the recipe's */
    int         kept; /* batches that stay valid, up to STK_LOADER_BATCHES_MAX; 0: the last one */
    const stk_allocator *memory; /* of batches; NULL: malloc; outlives the loader */
    stk_device          *device; /* decodes images if knobs.decode says so; NULL: the CPU decodes */
    stk_ledger          *ledger;
    const stk_cancel    *cancel;
    stk_trace           *trace;
    stk_faults          *faults; /* NULL: none; outlives the loader */
    stk_data_cache      *cache;  /* of the run; NULL: none; outlives the loader */
    void (*log)(void *context, const char *line);
    void *log_context;
} stk_loader_options;

STK_NODISCARD stk_status stk_loader_open(stk_loader **out, const stk_loader_options *options,
                                         stk_error *err);
void                     stk_loader_free(stk_loader *loader);
/* Appends the pipeline's plan before and after each pass, without starting it. */
STK_NODISCARD stk_status stk_loader_explain(const stk_loader_options *options, stk_blob *out,
                                            stk_error *err);
/* Writes the probable mistakes in that plan, as stk_dataset_lint does. */
STK_NODISCARD stk_status stk_loader_lint(const stk_loader_options *options, stk_warning *warnings,
                                         size_t capacity, size_t *count, stk_error *err);

/* The next batch: images uint8 [rows,size,size,channels] and labels int64 [rows] or float32
 * [rows,classes] (stk_loader_soft). Buffers are borrowed until the next call, or for
 * options.kept calls. rows is 0 at the end. A label out of range is STK_E_RANGE and names the
 * image. Resident images have edits only; edits and labels past the rows of a smaller batch are
 * filled with none. */
typedef struct stk_loader_batch {
    int64_t         rows;
    const uint8_t  *images; /* NULL: resident */
    const void     *labels;
    const stk_edit *edits; /* NULL: none */
} stk_loader_batch;

STK_NODISCARD stk_status stk_loader_next(stk_loader *loader, stk_loader_batch *batch,
                                         stk_error *err);
/* Like stk_loader_next, and measures: the time is S2's, or S1's while the input waited for bytes
 * without computing. Adds the work of both stages since the last batch to meter. */
STK_NODISCARD stk_status stk_loader_next_measured(stk_loader *loader, stk_meter *meter,
                                                  stk_loader_batch *batch, stk_error *err);
/* The same outside steps, such as during evaluation. */
STK_NODISCARD stk_status stk_loader_next_aside(stk_loader *loader, stk_meter *meter,
                                               stk_loader_batch *batch, stk_error *err);
/* Labels are probabilities: MixUp or CutMix is on. */
bool stk_loader_soft(const stk_train_recipe *recipe, bool evaluate);
/* Training images are drawn so that all classes are equally frequent. */
bool stk_loader_balances(const stk_train_recipe *recipe);
/* The device mixes images by edits. resident: they are resident. */
bool stk_loader_mixes_on_device(const stk_train_recipe *recipe, bool evaluate, bool resident);
/* The device runs the last pixel ops of a user's pipeline on streamed images. */
bool stk_loader_paints_on_device(const stk_train_recipe *recipe, bool evaluate);
/* Nanoseconds spent in stk_loader_next so far. */
uint64_t stk_loader_wait_ns(const stk_loader *loader);

STK_NODISCARD stk_status stk_loader_save(stk_loader *loader, stk_blob *out, stk_error *err);
STK_NODISCARD stk_status stk_loader_restore(stk_loader *loader, stk_bytes saved, stk_error *err);
/* Skips so many batches. */
STK_NODISCARD stk_status stk_loader_skip(stk_loader *loader, int64_t batches, stk_error *err);
/* NULL: all images are resident and nothing is read. */
stk_iterator *stk_loader_iterator(stk_loader *loader);
/* The origin of a row of the last batch, with options.origins: its file (empty: none), borrowed
 * like the batch, and its index in the file. */
stk_bytes stk_loader_origin(const stk_loader *loader, int64_t row, int64_t *record);
/* Shape of the last batch's images. */
stk_shape stk_loader_shape(const stk_loader *loader);

/* The preset's normalisation, (x / 255 - mean) / deviation, for up to four channels. */
void stk_loader_normalization(const char *preset, float mean[4], float deviation[4]);

#endif

/* The data cached between epochs, shared by all loaders of a run. */
#ifndef STK_TRAIN_INPUT_INPUT_CACHE_H
#define STK_TRAIN_INPUT_INPUT_CACHE_H

#include "storage/file/cached_files.h"
#include "train/faults/faults.h"
#include "train/input/cache_choice.h"

#include <stoker/dataset.h>
#include <stoker/source.h>

typedef struct stk_data_cache {
    stk_cache_choice  choice;
    stk_ledger       *ledger;   /* of the files, and of the training loader */
    stk_cached_files *files;    /* NULL: no cached files */
    stk_source       *source;   /* reads through files; NULL: a pack or records */
    stk_dataset      *prepared; /* cached validation images; NULL: not yet, or never */
    uint64_t          reserved; /* bytes reserved for them in the ledger */
    bool              lasting;  /* the folder is the user's and is not removed */
    char              folder[STK_TRAIN_PATH];
} stk_data_cache;

typedef struct stk_data_cache_options {
    const stk_train_recipe *recipe; /* resolved; resident is decided */
    const stk_train_data   *data;
    stk_faults             *faults; /* must outlive the cache; NULL: none */
    const char *folder; /* of cached files on disk, if the recipe names none; NULL: a new temporary
                           folder */
    void (*log)(void *context, const char *line);
    void *log_context;
} stk_data_cache_options;

/* Opens the cache and reads nothing. *out is never NULL on success; choice describes it. */
STK_NODISCARD stk_status stk_data_cache_open(stk_data_cache              **out,
                                             const stk_data_cache_options *options, stk_error *err);
/* All loaders must be freed before. Removes the run's own folder unless stk_data_cache_keep was
 * called. NULL is fine. */
void stk_data_cache_free(stk_data_cache *cache);

/* Syncs cached files to disk for a resumed run. */
STK_NODISCARD stk_status stk_data_cache_save(stk_data_cache *cache, stk_error *err);
/* Keeps the run's own folder for a resumed run. */
void stk_data_cache_keep(stk_data_cache *cache);

/* The filesystem to read through; NULL: the default one. evaluate: for validation data. */
const stk_filesystem *stk_data_cache_files(const stk_data_cache *cache, bool evaluate);
/* Whether preprocessed validation images are cached; cache may be NULL. */
bool stk_data_cache_prepares(const stk_data_cache *cache);
/* Appends an operator to *data that caches its elements for later evaluations. */
STK_NODISCARD stk_status stk_data_cache_prepare(stk_data_cache *cache, stk_dataset **data,
                                                stk_error *err);

#endif

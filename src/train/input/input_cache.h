/* What is kept of the data between epochs, for all feeds of a run. */
#ifndef STK_TRAIN_INPUT_INPUT_CACHE_H
#define STK_TRAIN_INPUT_INPUT_CACHE_H

#include "storage/file/cached_files.h"
#include "train/faults/faults.h"
#include "train/input/cache_choice.h"

#include <stoker/dataset.h>
#include <stoker/source.h>

typedef struct stk_data_cache {
    stk_cache_choice  choice;
    stk_ledger       *ledger;   /* of the files, and of the feed that trains */
    stk_cached_files *files;    /* NULL: none are kept */
    stk_source       *source;   /* over them; NULL: a pack or records */
    stk_dataset      *prepared; /* images to evaluate on; NULL: not yet, or never */
    uint64_t          reserved; /* for those, in the ledger */
    bool              lasting;  /* the folder is a person's own and stays */
    char              folder[STK_TRAIN_PATH];
} stk_data_cache;

typedef struct stk_data_cache_options {
    const stk_train_recipe *recipe; /* settled; resident is decided */
    const stk_train_data   *data;
    stk_faults             *faults; /* outlives the cache; NULL: none */
    const char             *folder; /* for files on a disk where the recipe names none; NULL: a new
                                       one for temporary files */
    void (*log)(void *context, const char *line);
    void *log_context;
} stk_data_cache_options;

/* Nothing is read yet. *out is never NULL on success: choice says what it is. */
STK_NODISCARD stk_status stk_data_cache_open(stk_data_cache              **out,
                                             const stk_data_cache_options *options, stk_error *err);
/* All feeds must be gone. A folder of the run's own goes, unless keep was called. NULL is fine. */
void stk_data_cache_free(stk_data_cache *cache);

/* What is on a disk is made durable, so that a run that goes on finds it. */
STK_NODISCARD stk_status stk_data_cache_save(stk_data_cache *cache, stk_error *err);
/* A run that is to go on later: its folder stays. */
void stk_data_cache_keep(stk_data_cache *cache);

/* What to read through; NULL: nothing special. evaluate: for that. */
const stk_filesystem *stk_data_cache_files(const stk_data_cache *cache, bool evaluate);
/* Images to evaluate on are kept ready; cache may be NULL. */
bool stk_data_cache_prepares(const stk_data_cache *cache);
/* Puts a stage on *data that keeps its elements for later evaluations. */
STK_NODISCARD stk_status stk_data_cache_prepare(stk_data_cache *cache, stk_dataset **data,
                                                stk_error *err);

#endif

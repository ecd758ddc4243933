/* Decides which data is cached between epochs, where, and why. */
#ifndef STK_TRAIN_INPUT_CACHE_CHOICE_H
#define STK_TRAIN_INPUT_CACHE_CHOICE_H

#include <stoker/train_data.h>

typedef struct stk_cache_choice {
    stk_cache_kind kind;                /* never AUTO */
    bool           prepared;            /* validation images are cached after preprocessing */
    uint64_t       files;               /* bytes of the files to cache */
    uint64_t       images;              /* bytes of the preprocessed images */
    uint64_t       limit;               /* bytes that may be cached */
    char           why[STK_TRAIN_TEXT]; /* for the user: "memory: 54.2 MB of files ..." */
} stk_cache_choice;

/* For a resolved recipe, by file sizes and the memory ceiling. injected: reads are slowed on
 * purpose, so auto does not cache them. STK_E_CEILING if data.cache: memory does not fit; the
 * message has both sizes. */
STK_NODISCARD stk_status stk_cache_choose(const stk_train_recipe *recipe,
                                          const stk_train_data *data, bool injected,
                                          stk_cache_choice *out, stk_error *err);

/* "54.2 MB" */
enum { STK_CACHE_AMOUNT = 32 };
const char *stk_cache_amount(char text[STK_CACHE_AMOUNT], uint64_t bytes);

/* Memory that the input may use, in bytes. */
uint64_t stk_cache_ceiling(const stk_train_recipe *recipe);

#endif

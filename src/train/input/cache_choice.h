/* What of the data is kept between epochs, where, and why. */
#ifndef STK_TRAIN_INPUT_CACHE_CHOICE_H
#define STK_TRAIN_INPUT_CACHE_CHOICE_H

#include <stoker/train_data.h>

typedef struct stk_cache_choice {
    stk_cache_kind kind;     /* never AUTO */
    bool           prepared; /* images to evaluate on are kept as the network sees them */
    uint64_t       files;    /* bytes of the files to keep */
    uint64_t       images;   /* and of the prepared images */
    uint64_t       limit;    /* bytes that may be kept */
    char           why[STK_TRAIN_TEXT]; /* for people: "memory: 54.2 MB of files ..." */
} stk_cache_choice;

/* Of a settled recipe, by the sizes of files and the ceiling of memory. injected: reads are slow on
 * purpose, which auto must not hide. data.cache: memory that does not fit is STK_E_CEILING with
 * both numbers. */
STK_NODISCARD stk_status stk_cache_choose(const stk_train_recipe *recipe,
                                          const stk_train_data *data, bool injected,
                                          stk_cache_choice *out, stk_error *err);

/* "54.2 MB" */
enum { STK_CACHE_AMOUNT = 32 };
const char *stk_cache_amount(char text[STK_CACHE_AMOUNT], uint64_t bytes);

/* Bytes of memory that the input may take. */
uint64_t stk_cache_ceiling(const stk_train_recipe *recipe);

#endif

/* Lists of words with commas between them, as options have them. */
#ifndef STK_TUNE_SEARCH_WORDS_H
#define STK_TUNE_SEARCH_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stoker/error.h>

enum { STK_TUNE_WORD = 128 };

/* The words that there are: writes word index, false past the end. */
typedef bool stk_tune_word_at(const void *context, size_t index, char word[STK_TUNE_WORD]);

/* STK_E_INVALID for a word of list (NULL: none) that is not among them; it names the nearest one,
 * or else all of them. option begins the message, and kind is what they are: "action". */
STK_NODISCARD stk_status stk_tune_words_check(const char *list, const char *option,
                                              const char *kind, stk_tune_word_at *at,
                                              const void *context, stk_error *err);

#endif

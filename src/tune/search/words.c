/* Words of options, checked before a search takes its time: a misspelt one would pin nothing. */
#include "tune/search/words.h"
#include "base/suggest.h"
#include <stdio.h>
#include <string.h>

enum { LISTED_MAX = 32 };

static bool is_there(const char *word, stk_tune_word_at *at, const void *context)
{
    char known[STK_TUNE_WORD];
    for (size_t i = 0; at(context, i, known); i++)
        if (strcmp(known, word) == 0) return true;
    return false;
}

/* "; did you mean eager?", or "; there are eager, cache". */
static void write_hint(char *hint, size_t capacity, const char *word, stk_tune_word_at *at,
                       const void *context)
{
    char        known[STK_TUNE_WORD], best[STK_TUNE_WORD];
    stk_suggest near = {.wanted = word};
    size_t      count = 0, used = 0;
    for (; at(context, count, known); count++) {
        stk_suggest_offer(&near, known);
        if (near.best == known) near.best = strcpy(best, known);
    }
    stk_suggest_text(&near, hint, capacity);
    if (*hint || count > LISTED_MAX) return;
    for (size_t i = 0; used < capacity && at(context, i, known); i++)
        used += (size_t)snprintf(hint + used, capacity - used, "%s%s", i ? ", " : "; there are ",
                                 known);
}

stk_status stk_tune_words_check(const char *list, const char *option, const char *kind,
                                stk_tune_word_at *at, const void *context, stk_error *err)
{
    char word[STK_TUNE_WORD], hint[256];
    for (const char *from = list; from && *from; from += *from == ',') {
        const size_t length = strcspn(from, ",");
        snprintf(word, sizeof word, "%.*s", (int)length, from);
        from += length;
        if (!*word || (length < sizeof word && is_there(word, at, context))) continue;
        write_hint(hint, sizeof hint, word, at, context);
        return stk_fail(err, STK_E_INVALID, "tune", option, "there is no %s \"%.80s\"%s", kind,
                        word, hint);
    }
    return STK_OK;
}

/* "Did you mean": the nearest valid word. */
#ifndef STK_BASE_SUGGEST_H
#define STK_BASE_SUGGEST_H

#include <stddef.h>

typedef struct stk_suggest {
    const char *wanted;
    const char *best; /* NULL: none is near */
    size_t      distance;
} stk_suggest;

/* candidate must outlive suggest. */
void stk_suggest_offer(stk_suggest *suggest, const char *candidate);
/* "; did you mean batch?" or "": returns text. */
char *stk_suggest_text(const stk_suggest *suggest, char *text, size_t capacity);

#endif

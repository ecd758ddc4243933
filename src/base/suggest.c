/* Edit distance with transpositions, for words of up to LENGTH_MAX letters. */
#include "base/suggest.h"

#include <stdio.h>
#include <string.h>

enum { LENGTH_MAX = 40 };

static size_t min(size_t a, size_t b)
{
    return a < b ? a : b;
}

static size_t distance(const char *a, size_t a_length, const char *b, size_t b_length)
{
    size_t rows[3][LENGTH_MAX + 1];
    for (size_t k = 0; k <= b_length; k++)
        rows[0][k] = k;
    for (size_t i = 1; i <= a_length; i++) {
        size_t *row = rows[i % 3], *last = rows[(i + 2) % 3], *before = rows[(i + 1) % 3];
        row[0] = i;
        for (size_t k = 1; k <= b_length; k++) {
            row[k] = min(min(row[k - 1], last[k]) + 1, last[k - 1] + (a[i - 1] != b[k - 1]));
            if (i > 1 && k > 1 && a[i - 1] == b[k - 2] && a[i - 2] == b[k - 1])
                row[k] = min(row[k], before[k - 2] + 1);
        }
    }
    return rows[a_length % 3][b_length];
}

void stk_suggest_offer(stk_suggest *suggest, const char *candidate)
{
    const size_t wanted = strlen(suggest->wanted), length = strlen(candidate);
    if (!wanted || wanted > LENGTH_MAX || length > LENGTH_MAX) return;
    /* A beginning of at least three letters counts as near: "dedup", "drop". */
    const size_t near = wanted >= 3 && strncmp(candidate, suggest->wanted, wanted) == 0
                            ? 1
                            : distance(suggest->wanted, wanted, candidate, length);
    const size_t allowed = length <= 3 ? 1 : length <= 8 ? 2 : 3;
    if (near > allowed || (suggest->best && near >= suggest->distance)) return;
    suggest->best = candidate;
    suggest->distance = near;
}

char *stk_suggest_text(const stk_suggest *suggest, char *text, size_t capacity)
{
    text[0] = 0;
    if (suggest->best) snprintf(text, capacity, "; did you mean %s?", suggest->best);
    return text;
}

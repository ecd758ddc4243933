/* Names of parts. */
#include "image/chain/part.h"

#include <stdio.h>
#include <string.h>

size_t stk_chain_part_count(const stk_chain *chain)
{
    return chain->count + 2;
}

/* Geometry ops after step, up to the next pixel op, are fused with it, and at the end the output
 * ops. */
static bool rides_along(const stk_chain *chain, size_t step, size_t other)
{
    for (size_t i = step; i <= other; i++)
        if (chain->steps[i].op->pixels) return false;
    return true;
}

char *stk_chain_part_name(const stk_chain *chain, size_t part, char *text, size_t capacity)
{
    const size_t step = part - 1;
    if (!part || part > chain->count) {
        snprintf(text, capacity, "%s", part ? "copy" : "decode_image");
        return text;
    }
    snprintf(text, capacity, "%s", chain->steps[step].op->name);
    for (size_t i = step + 1; i < chain->count && rides_along(chain, step, i); i++) {
        const size_t length = strlen(text);
        snprintf(text + length, capacity - length, " + %s", chain->steps[i].op->name);
    }
    return text;
}

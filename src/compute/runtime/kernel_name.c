/* Strips return type, unnamed namespaces, template arguments and parameters from a C++
 * declaration. */
#include "compute/runtime/kernel_name.h"
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

static const char nameless[] = "(anonymous namespace)::";

/* Start of the name: after the last space outside of all brackets. */
static const char *after_type(const char *name)
{
    const char *begin = name;
    int         depth = 0;
    for (const char *c = name; *c; c++) {
        if (strncmp(c, nameless, sizeof nameless - 1) == 0) {
            c += sizeof nameless - 2;
            continue;
        }
        if (*c == '(' && depth == 0) break;
        depth += (*c == '<') - (*c == '>');
        if (*c == ' ' && depth == 0) begin = c + 1;
    }
    return begin;
}

const char *stk_kernel_name_shorten(const char *name, char out[STK_KERNEL_NAME])
{
    size_t length = 0;
    int    depth = 0;
    for (const char *c = after_type(name); *c && length + 1 < STK_KERNEL_NAME; c++) {
        if (strncmp(c, nameless, sizeof nameless - 1) == 0) {
            c += sizeof nameless - 2;
            continue;
        }
        if (*c == '(' && depth == 0) break;
        if (*c == '<') depth++;
        if (depth == 0) out[length++] = *c;
        if (*c == '>' && depth > 0) depth--;
    }
    out[length] = 0;
    return out;
}

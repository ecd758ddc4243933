/* List of passes in order of execution. */
#include "compute/passes/passes.h"
#include <stdio.h>

static const stk_pass_row rows[] = {
    {"simplify", STK_GRAPH_PASS_SIMPLIFY, "what changes nothing is taken out, equal nodes are one",
     stk_pass_simplify},
    {"fuse", STK_GRAPH_PASS_FUSE, "what one kernel can do is one node", stk_pass_fuse},
    {"precision", 0, "what is computed in 16 bits, and casts around it", stk_pass_precision},
    {"tidy", STK_GRAPH_PASS_SIMPLIFY, "casts that meet, and what fusing left", stk_pass_simplify},
    {"schedule", STK_GRAPH_PASS_SCHEDULE, "variables are updated as soon as they can be",
     stk_pass_schedule},
};

const stk_pass_row *stk_pass_at(size_t index)
{
    return index < sizeof rows / sizeof *rows ? &rows[index] : NULL;
}

stk_status stk_pass_note(const stk_pass_context *context, stk_error *err, const char *format, ...)
{
    char    line[512];
    va_list args;
    if (!context->notes) return STK_OK;
    va_start(args, format);
    int length = vsnprintf(line, sizeof line - 1, format, args);
    va_end(args);
    if (length > (int)sizeof line - 2) length = sizeof line - 2;
    line[length++] = '\n';
    return stk_blob_append(context->notes, line, (size_t)length, err);
}

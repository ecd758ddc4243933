/* Appends lines and fixes to the diagnosis context. */
#include "observe/diagnose/context.h"

#include <stdarg.h>
#include <stdio.h>

__attribute__((format(printf, 1, 0))) static void print_line(const char *format, va_list args,
                                                             char (*lines)[STK_DIAGNOSIS_LINE],
                                                             size_t *count, size_t max)
{
    if (*count >= max) return;
    vsnprintf(lines[(*count)++], STK_DIAGNOSIS_LINE, format, args);
}

void stk_diagnosis_ctx_show(stk_diagnosis_ctx *c, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    print_line(format, args, c->out->evidence, &c->out->evidence_count, STK_DIAGNOSIS_EVIDENCE);
    va_end(args);
}

void stk_diagnosis_ctx_warn(stk_diagnosis_ctx *c, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    print_line(format, args, c->out->warnings, &c->out->warning_count, STK_DIAGNOSIS_WARNINGS);
    va_end(args);
}

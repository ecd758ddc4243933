/* What rules found, for people. */
#ifndef STK_TOOLS_LINT_TEXT_H
#define STK_TOOLS_LINT_TEXT_H

#include "terminal.h"

#include <stoker/lint.h>

void stk_lint_text_print(FILE *out, const stk_lint_list *list, const stk_style *style);

#endif

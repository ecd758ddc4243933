/* Prints lint results. */
#ifndef CLI_TOOLS_LINT_TEXT_H
#define CLI_TOOLS_LINT_TEXT_H

#include "terminal.h"

#include <stoker/lint.h>

void cli_lint_text_print(FILE *out, const stk_lint_list *list, const cli_style *style);

#endif

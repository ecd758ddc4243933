/* A setting to copy. */
#ifndef CLI_TOOLS_TUNE_SETTING_H
#define CLI_TOOLS_TUNE_SETTING_H

#include <stdbool.h>
#include <stdio.h>
#include <stoker/tune.h>

/* Prints lines of a recipe, or assignments for a shell, indented. */
void cli_tune_setting_print(FILE *out, const stk_tune_setting *setting, bool recipe);

#endif

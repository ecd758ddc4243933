/* Choices of flags shared by several commands: for shell completion, and for validation if a flag
 * takes nothing else. Each returns NULL after the last. */
#ifndef CLI_TOOLS_CHOICES_H
#define CLI_TOOLS_CHOICES_H

#include <stddef.h>

const char *cli_choice_model(size_t index);
const char *cli_choice_backend(size_t index);
const char *cli_choice_precision(size_t index);
const char *cli_choice_optimizer(size_t index);
const char *cli_choice_schedule(size_t index);
/* Common split names; data may have others. */
const char *cli_choice_split(size_t index);
/* The same, and "none". */
const char *cli_choice_validation(size_t index);

#endif

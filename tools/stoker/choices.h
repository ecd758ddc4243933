/* Words that flags of several commands take: for the completion of a shell, and where a flag takes
 * nothing else, to check it. Each gives NULL after the last. */
#ifndef CLI_TOOLS_CHOICES_H
#define CLI_TOOLS_CHOICES_H

#include <stddef.h>

const char *cli_choice_model(size_t index);
const char *cli_choice_backend(size_t index);
const char *cli_choice_precision(size_t index);
const char *cli_choice_optimizer(size_t index);
const char *cli_choice_schedule(size_t index);
/* The usual names of splits: data may have others. */
const char *cli_choice_split(size_t index);
/* Those, and that there is none. */
const char *cli_choice_validation(size_t index);

#endif

/* Words that flags of several commands take: for the completion of a shell, and where a flag takes
 * nothing else, to check it. Each gives NULL after the last. */
#ifndef STK_TOOLS_CHOICES_H
#define STK_TOOLS_CHOICES_H

#include <stddef.h>

const char *stk_choice_model(size_t index);

#endif

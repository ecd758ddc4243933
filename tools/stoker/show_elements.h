/* stoker show --elements: what a recipe or data gives, as text or JSON. */
#ifndef CLI_TOOLS_SHOW_ELEMENTS_H
#define CLI_TOOLS_SHOW_ELEMENTS_H

#include "command.h"

typedef struct cli_show_elements {
    const char *path; /* a recipe, or data: its fields as they are */
    uint64_t    count, seed;
    int         threads;
    uint64_t    memory_bytes;
    bool        json, follow_outside;
} cli_show_elements;

/* Prints the first of them, and the error that came instead of one. Gives an exit code. */
int cli_show_elements_run(const cli_command *command, const cli_show_elements *wanted);

#endif

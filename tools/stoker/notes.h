/* Notes of the library for the user, such as "KEY is now called NEW": each is printed once. */
#ifndef CLI_TOOLS_NOTES_H
#define CLI_TOOLS_NOTES_H

#include "command.h"

enum { CLI_NOTES_CAPACITY = 64, CLI_NOTES_TEXT = 160 };

typedef struct cli_notes {
    const cli_command *command;
    size_t             count;
    char               printed[CLI_NOTES_CAPACITY][CLI_NOTES_TEXT];
} cli_notes;

/* A callback for notes; context is a cli_notes. Prints "stoker COMMAND: TEXT" on stderr. Past the
 * capacity nothing is printed. */
void cli_notes_print(void *context, const char *text);

#endif

/* Notes on stderr. */
#include "notes.h"

#include <string.h>

void cli_notes_print(void *context, const char *text)
{
    cli_notes *n = context;
    for (size_t i = 0; i < n->count; i++)
        if (strncmp(n->printed[i], text, CLI_NOTES_TEXT - 1) == 0) return;
    if (n->count == CLI_NOTES_CAPACITY) return;
    snprintf(n->printed[n->count++], CLI_NOTES_TEXT, "%s", text);
    fprintf(stderr, "stoker %s: %s\n", n->command->name, text);
}

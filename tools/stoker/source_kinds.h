/* Kinds of sources, for flags and --help. */
#ifndef CLI_TOOLS_SOURCE_KINDS_H
#define CLI_TOOLS_SOURCE_KINDS_H

#include <stddef.h>
#include <stdio.h>

/* Kinds that can be packed. */
const char *cli_source_kind_choice(size_t index);
/* Kinds that can be inspected: "tfrecord" and the above. */
const char *cli_inspect_kind_choice(size_t index);

void cli_source_kinds_print(FILE *out, int width);

#endif

/* Text tables with aligned columns. */
#ifndef CLI_TOOLS_TABLE_H
#define CLI_TOOLS_TABLE_H

#include "terminal.h"

#include <stdbool.h>
#include <stdio.h>
#include <stoker/blob.h>

enum { CLI_TABLE_COLUMNS = 16 };

typedef struct cli_table {
    int      columns;
    bool     right[CLI_TABLE_COLUMNS]; /* right-aligned: numbers */
    int      flexible;                 /* the column that is truncated in wide rows */
    stk_blob cells;                    /* NUL-terminated texts, row by row */
    bool     failed;                   /* out of memory: prints the cells so far */
} cli_table;

/* alignment has a letter per column: 'l', 'r', or 'f' for the flexible one (left). The first row is
 * the heading. */
void cli_table_init(cli_table *table, const char *alignment);
void cli_table_release(cli_table *table);

/* Adds the next cell; rows fill from the left. */
void cli_table_add(cli_table *table, const char *text);

/* Prints all rows indented by two columns, the heading dimmed. */
void cli_table_print(const cli_table *table, FILE *out, const cli_style *style);

#endif

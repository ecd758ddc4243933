/* Rows of text in columns that line up. */
#ifndef STK_TOOLS_TABLE_H
#define STK_TOOLS_TABLE_H

#include "terminal.h"

#include <stdbool.h>
#include <stdio.h>
#include <stoker/blob.h>

enum { STK_TABLE_COLUMNS = 8 };

typedef struct stk_table {
    int      columns;
    bool     right[STK_TABLE_COLUMNS]; /* aligned to the right: numbers */
    int      flexible;                 /* the column that is cut when the row is too wide */
    stk_blob cells;                    /* terminated texts, row after row */
    bool     failed;                   /* no memory: the table prints what it has */
} stk_table;

/* alignment has one letter per column: 'l', 'r', or 'f' for the flexible one (left). The first row
 * is the heading. */
void stk_table_init(stk_table *table, const char *alignment);
void stk_table_release(stk_table *table);

/* The next cell; rows fill from the left. */
void stk_table_add(stk_table *table, const char *text);

/* Prints all rows indented by two columns, the heading dim. */
void stk_table_print(const stk_table *table, FILE *out, const stk_style *style);

#endif

/* Text tables with aligned columns. */
#include "table.h"

#include "text.h"

#include <string.h>

enum { INDENT = 2, GAP = 2, NARROWEST = 12, CELL_CAPACITY = 1024 };

void cli_table_init(cli_table *table, const char *alignment)
{
    *table = (cli_table){.columns = (int)strlen(alignment), .flexible = -1};
    stk_blob_init(&table->cells, NULL, STK_MEMORY_OUTPUT);
    for (int i = 0; i < table->columns; i++) {
        table->right[i] = alignment[i] == 'r';
        if (alignment[i] == 'f') table->flexible = i;
    }
}

void cli_table_release(cli_table *table)
{
    stk_blob_release(&table->cells);
}

void cli_table_add(cli_table *table, const char *text)
{
    if (table->failed) return;
    if (stk_blob_append(&table->cells, text, strlen(text) + 1, NULL)) table->failed = true;
}

static const char *next_cell(const cli_table *table, const char *cell)
{
    cell += strlen(cell) + 1;
    return cell < (const char *)table->cells.data + table->cells.size ? cell : NULL;
}

static void measure(const cli_table *table, int *widths, int limit)
{
    int column = 0, total = INDENT - GAP;
    for (const char *cell = (const char *)table->cells.data; cell; cell = next_cell(table, cell)) {
        const int width = cli_text_width(cell);
        if (width > widths[column]) widths[column] = width;
        column = (column + 1) % table->columns;
    }
    for (int i = 0; i < table->columns; i++)
        total += widths[i] + GAP;
    if (total <= limit || table->flexible < 0) return;
    int      *flexible = &widths[table->flexible];
    const int left = *flexible - (total - limit);
    if (left < *flexible) *flexible = left < NARROWEST ? NARROWEST : left;
}

/* Blanks are printed only before further text, so that no line ends with them. */
static void print_text(FILE *out, int *owed, int before, const char *text, int after)
{
    *owed += before;
    if (text[0]) {
        fprintf(out, "%*s%s", *owed, "", text);
        *owed = 0;
    }
    *owed += after;
}

void cli_table_print(const cli_table *table, FILE *out, const cli_style *style)
{
    if (!table->cells.size) return;
    int  widths[CLI_TABLE_COLUMNS] = {0}, column = 0, owed = INDENT;
    bool heading = true;
    measure(table, widths, style->width);
    fprintf(out, "%s", style->dim);
    for (const char *cell = (const char *)table->cells.data; cell; cell = next_cell(table, cell)) {
        char shown[CELL_CAPACITY];
        cli_text_fit(shown, sizeof shown, cell, widths[column]);
        const int  blanks = widths[column] - cli_text_width(shown);
        const bool right = table->right[column];
        print_text(out, &owed, right ? blanks : 0, shown, right ? GAP : blanks + GAP);
        if (++column < table->columns) continue;
        fprintf(out, "%s\n", heading ? style->plain : "");
        heading = false;
        column = 0;
        owed = INDENT;
    }
}

/* Writes rows of text to a file or to stdout. */
#include "text_rows.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { ENOUGH_BYTES = 1 << 16 };

stk_status cli_text_rows_open(cli_text_rows *rows, const char *path, stk_error *err)
{
    *rows = (cli_text_rows){.open = true};
    stk_blob_init(&rows->text, NULL, STK_MEMORY_OUTPUT);
    if (strcmp(path, "-") == 0) return STK_OK;
    return stk_output_create(&rows->file, NULL, path, err);
}

static void put(cli_text_rows *rows, const char *text, size_t bytes)
{
    if (!rows->status) rows->status = stk_blob_append(&rows->text, text, bytes, &rows->err);
}

static void begin_cell(cli_text_rows *rows)
{
    if (rows->has_cell) put(rows, ",", 1);
    rows->has_cell = true;
}

void cli_text_rows_cell(cli_text_rows *rows, const char *text)
{
    begin_cell(rows);
    if (!strpbrk(text, ",\"\r\n") && text[0] != ' ') {
        put(rows, text, strlen(text));
        return;
    }
    put(rows, "\"", 1);
    for (; *text; text++) {
        if (*text == '"') put(rows, "\"", 1);
        put(rows, text, 1);
    }
    put(rows, "\"", 1);
}

void cli_text_rows_integer(cli_text_rows *rows, int64_t number)
{
    char text[32];
    snprintf(text, sizeof text, "%" PRId64, number);
    cli_text_rows_cell(rows, text);
}

void cli_text_rows_fraction(cli_text_rows *rows, double fraction)
{
    char text[32];
    snprintf(text, sizeof text, "%.6f", fraction);
    cli_text_rows_cell(rows, text);
}

static void flush(cli_text_rows *rows)
{
    const stk_blob *t = &rows->text;
    if (!rows->status && rows->file)
        rows->status = stk_output_write(rows->file, t->data, t->size, &rows->err);
    else if (!rows->status)
        cli_print_exact(stk_blob_bytes(t));
    rows->text.size = 0;
}

void cli_text_rows_end(cli_text_rows *rows)
{
    put(rows, "\n", 1);
    rows->has_cell = false;
    if (!rows->file || rows->text.size >= ENOUGH_BYTES) flush(rows);
}

stk_status cli_text_rows_commit(cli_text_rows *rows, stk_error *err)
{
    if (rows->text.size) flush(rows);
    if (rows->status) {
        *err = rows->err;
        return rows->status;
    }
    return rows->file ? stk_output_commit(rows->file, err) : STK_OK;
}

void cli_text_rows_release(cli_text_rows *rows)
{
    if (!rows->open) return;
    stk_output_close(rows->file);
    stk_blob_release(&rows->text);
    *rows = (cli_text_rows){0};
}

/* Detects the types of a table's columns. */
#include "storage/source/csv_columns.h"

#include "storage/file/paths.h"

#include <stdlib.h>
#include <string.h>

static const char *const path_names[] = {"path",  "file",       "filename", "file_name",
                                         "image", "image_path", NULL};
static const char *const label_names[] = {"label", "class", "category", NULL};
static const char *const split_names[] = {"split", "subset", NULL};

void stk_csv_columns_init(stk_csv_columns *columns, stk_ledger *ledger)
{
    *columns = (stk_csv_columns){.path = -1, .label = -1, .split = -1};
    stk_blob_init(&columns->cells, ledger, STK_MEMORY_INDEX);
}

void stk_csv_columns_release(stk_csv_columns *columns)
{
    stk_blob_release(&columns->cells);
}

/* The first column whose name is among names, or -1. */
static int find_column(char *const *header, size_t count, const char *const *names)
{
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; names[j]; j++)
            if (stk_path_same(header[i], names[j])) return (int)i;
    return -1;
}

static stk_status check_header(char *const *header, size_t count, const char *name, stk_error *err)
{
    if (!count)
        return stk_fail(err, STK_E_FORMAT, "csv", name,
                        "is empty: a row that names the columns is expected");
    if (count == 1 && strpbrk(header[0], ";\t"))
        return stk_fail(err, STK_E_FORMAT, "csv", name,
                        "line 1: one column named '%.60s': are cells separated by %s? commas are "
                        "expected",
                        header[0], strchr(header[0], ';') ? "semicolons" : "tabs");
    for (size_t i = 0; i < count; i++)
        if (!*header[i])
            return stk_fail(err, STK_E_FORMAT, "csv", name,
                            "line 1, column %zu has no name: a row that names the columns is "
                            "expected",
                            i + 1);
    return STK_OK;
}

stk_status stk_csv_columns_read_header(stk_csv_columns *columns, stk_csv *csv, stk_error *err)
{
    STK_TRY(stk_csv_row(csv, &columns->cells, &columns->count, err));
    char *const *header = (char **)(void *)columns->cells.data;
    STK_TRY(check_header(header, columns->count, csv->name, err));
    columns->path = find_column(header, columns->count, path_names);
    columns->label = find_column(header, columns->count, label_names);
    columns->split = find_column(header, columns->count, split_names);
    return STK_OK;
}

const char *stk_csv_columns_cell(const stk_csv_columns *columns, uint64_t row, size_t column)
{
    char *const *cells = (char *const *)(const void *)columns->cells.data;
    return cells[(row + 1) * columns->count + column];
}

bool stk_csv_columns_is_own(const stk_csv_columns *columns, size_t column)
{
    const int index = (int)column;
    return index != columns->path && index != columns->label && index != columns->split;
}

static uint64_t row_count(const stk_csv_columns *columns)
{
    return columns->cells.size / sizeof(char *) / columns->count - 1;
}

static stk_dtype type_of(const stk_csv_columns *columns, size_t column)
{
    stk_dtype dtype = STK_DTYPE_I64;
    int64_t   integer;
    float     number;
    for (uint64_t i = 0; i < row_count(columns); i++) {
        const char *cell = stk_csv_columns_cell(columns, i, column);
        if (dtype == STK_DTYPE_I64 && !stk_csv_integer(cell, &integer)) dtype = STK_DTYPE_F32;
        if (dtype == STK_DTYPE_F32 && !stk_csv_number(cell, &number)) return STK_DTYPE_BYTES;
    }
    return dtype;
}

stk_status stk_csv_columns_infer(stk_csv_columns *columns, stk_arena *arena, stk_error *err)
{
    columns->names = (char **)(void *)columns->cells.data;
    columns->dtypes = stk_arena_array(arena, columns->count, sizeof *columns->dtypes, err);
    if (!columns->dtypes) return err->status;
    for (size_t i = 0; i < columns->count; i++)
        columns->dtypes[i] =
            stk_csv_columns_is_own(columns, i) ? type_of(columns, i) : STK_DTYPE_BYTES;
    return STK_OK;
}

bool stk_csv_columns_are_ids(const stk_csv_columns *columns, size_t column, int64_t *largest)
{
    *largest = 0;
    for (uint64_t i = 0; i < row_count(columns); i++) {
        int64_t value;
        if (!stk_csv_integer(stk_csv_columns_cell(columns, i, column), &value)) return false;
        if (value < 0 || value > INT32_MAX) return false;
        if (value > *largest) *largest = value;
    }
    return true;
}

static int compare_texts(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

stk_status stk_csv_columns_distinct(const stk_csv_columns *columns, size_t column, stk_arena *arena,
                                    char ***values, size_t *count, stk_error *err)
{
    const uint64_t rows = row_count(columns);
    char         **all = stk_arena_array(arena, rows, sizeof *all, err);
    if (!all) return err->status;
    for (uint64_t i = 0; i < rows; i++)
        all[i] = (char *)stk_csv_columns_cell(columns, i, column);
    qsort(all, rows, sizeof *all, compare_texts);
    *count = 0;
    for (uint64_t i = 0; i < rows; i++)
        if (!*count || strcmp(all[*count - 1], all[i])) all[(*count)++] = all[i];
    *values = all;
    return STK_OK;
}

size_t stk_csv_columns_find(char *const *values, size_t count, const char *value)
{
    char *const *found = bsearch(&value, values, count, sizeof *values, compare_texts);
    return found ? (size_t)(found - values) : 0;
}

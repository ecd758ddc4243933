/* Comma-separated values, parsed in place: a cell never grows by unquoting, and its separator
 * becomes the terminator. */
#include "storage/source/csv.h"

#include "storage/file/paths.h"

#include <errno.h>
#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NUMBER_BYTES_MAX = 400 }; /* characters of a number with a point; %f writes up to 317 */

stk_status stk_csv_init(stk_csv *csv, stk_blob *text, const char *name, stk_error *err)
{
    STK_TRY(stk_blob_reserve_exact(text, text->size + 1, err));
    text->data[text->size] = '\0';
    *csv = (stk_csv){.next = (char *)text->data, .line = 1, .name = name};
    csv->end = csv->next + text->size;
    const char *nul = memchr(csv->next, '\0', text->size);
    if (nul)
        return stk_fail(err, STK_E_FORMAT, "csv", name,
                        "byte %zu is zero: this is no text; is it UTF-16? save it as UTF-8",
                        (size_t)(nul - csv->next));
    if (text->size >= 3 && !memcmp(csv->next, "\xef\xbb\xbf", 3)) csv->next += 3;
    return STK_OK;
}

/* The length of a line end here (1 or 2); else 0. */
static size_t line_end(const stk_csv *csv, const char *at)
{
    if (at[0] == '\n') return 1;
    return at[0] == '\r' && at + 1 < csv->end && at[1] == '\n' ? 2 : 0;
}

/* A cell in quotes: csv->next stands on the opening quote, then behind the closing one. */
static stk_status take_quoted(stk_csv *csv, size_t column, char **stop, stk_error *err)
{
    const uint64_t first_line = csv->line;
    char          *from = csv->next + 1, *to = csv->next;
    for (; from < csv->end; from++) {
        if (*from == '\n') csv->line++;
        if (*from == '"' && from[1] != '"') break;
        if (*from == '"') from++;
        *to++ = *from;
    }
    if (from >= csv->end)
        return stk_fail(err, STK_E_FORMAT, "csv", csv->name,
                        "line %" PRIu64 ", column %zu: the quote opened here is never closed",
                        first_line, column);
    csv->next = from + 1;
    if (csv->next < csv->end && *csv->next != ',' && !line_end(csv, csv->next))
        return stk_fail(err, STK_E_FORMAT, "csv", csv->name,
                        "line %" PRIu64 ", column %zu: text follows the closing quote; quotes "
                        "inside a cell are written twice",
                        csv->line, column);
    *stop = to;
    return STK_OK;
}

static char *take_plain(stk_csv *csv)
{
    while (csv->next < csv->end && *csv->next != ',' && !line_end(csv, csv->next))
        csv->next++;
    return csv->next;
}

/* Takes one cell and what ends it; *last says whether that was the end of the row. */
static stk_status take_cell(stk_csv *csv, size_t column, char **cell, bool *last, stk_error *err)
{
    char *stop = csv->next;
    *cell = csv->next;
    if (csv->next < csv->end && *csv->next == '"')
        STK_TRY(take_quoted(csv, column, &stop, err));
    else
        stop = take_plain(csv);
    *last = csv->next >= csv->end || *csv->next != ',';
    if (csv->next < csv->end) {
        const size_t length = *last ? line_end(csv, csv->next) : 1;
        if (*last) csv->line++;
        csv->next += length;
    }
    *stop = '\0';
    return STK_OK;
}

stk_status stk_csv_row(stk_csv *csv, stk_blob *cells, size_t *count, stk_error *err)
{
    bool last = false;
    *count = 0;
    for (size_t length; csv->next < csv->end && (length = line_end(csv, csv->next));) {
        csv->next += length;
        csv->line++;
    }
    csv->row_line = csv->line;
    if (csv->next >= csv->end) return STK_OK;
    while (!last) {
        char *cell;
        STK_TRY(take_cell(csv, *count + 1, &cell, &last, err));
        STK_TRY(stk_blob_append(cells, &cell, sizeof cell, err));
        ++*count;
    }
    return STK_OK;
}

bool stk_csv_integer(const char *text, int64_t *value)
{
    const char *digits = text + (*text == '-' || *text == '+');
    char       *end;
    if (*digits < '0' || *digits > '9') return false;
    errno = 0;
    const long long parsed = strtoll(text, &end, 10);
    if (*end || errno) return false;
    *value = parsed;
    return true;
}

/* strtof reads the locale's decimal point, so the text gets that one: a program that was started in
 * German must not make texts of a column of numbers. */
static bool put_point(char *copy, size_t capacity, const char *text)
{
    const char  *point = localeconv()->decimal_point;
    const size_t before = strcspn(text, "."), length = strlen(point);
    if (strlen(text) + length > capacity) return false;
    memcpy(copy, text, before);
    memcpy(copy + before, point, length);
    strcpy(copy + before + length, text + before + 1);
    return true;
}

bool stk_csv_number(const char *text, float *value)
{
    char copy[NUMBER_BYTES_MAX], *end;
    if (stk_path_same(text, "nan")) {
        *value = NAN;
        return true;
    }
    if (strspn(text, "0123456789+-.eE") != strlen(text)) return false;
    if (strchr(text, '.')) {
        if (!put_point(copy, sizeof copy, text)) return false;
        text = copy;
    }
    *value = strtof(text, &end);
    return end != text && !*end;
}

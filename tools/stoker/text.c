/* Text on a terminal. */
#include "text.h"

#include <limits.h>
#include <string.h>
#include <wchar.h>

/* The next character of text: its bytes (0 at the end) and columns; columns is -1 for what must not
 * be printed as it is. */
static size_t next_character(const char *text, mbstate_t *state, int *columns)
{
    wchar_t      wide;
    const size_t bytes = mbrtowc(&wide, text, MB_LEN_MAX, state);
    if (bytes == 0) return 0;
    if (bytes == (size_t)-1 || bytes == (size_t)-2) {
        memset(state, 0, sizeof *state);
        *columns = -1;
        return 1;
    }
    *columns = wcwidth(wide);
    return bytes;
}

/* Writes one character in its safe form and gives its bytes; shown is 8 bytes or more. */
static size_t safe_character(char *shown, const char *text, size_t bytes, int *columns)
{
    if (*columns >= 0) {
        memcpy(shown, text, bytes);
        return bytes;
    }
    size_t used = 0;
    for (size_t i = 0; i < bytes; i++)
        used += (size_t)snprintf(shown + used, 5, "\\x%02X", (unsigned char)text[i]);
    *columns = (int)used;
    return used;
}

enum { SAFE_ROOM = 4 * MB_LEN_MAX + 1 };

int stk_text_width(const char *text)
{
    mbstate_t state = {0};
    char      shown[SAFE_ROOM];
    int       width = 0, columns;
    for (size_t bytes; (bytes = next_character(text, &state, &columns)) > 0; text += bytes) {
        safe_character(shown, text, bytes, &columns);
        width += columns;
    }
    return width;
}

void stk_text_fit(char *dst, size_t capacity, const char *text, int columns)
{
    const bool cut = stk_text_width(text) > columns;
    const int  limit = cut ? (columns > 3 ? columns - 3 : 0) : columns;
    mbstate_t  state = {0};
    char       shown[SAFE_ROOM];
    size_t     size = 0;
    int        width = 0, wide;
    for (size_t bytes; (bytes = next_character(text, &state, &wide)) > 0; text += bytes) {
        const size_t used = safe_character(shown, text, bytes, &wide);
        if (width + wide > limit || size + used + 4 > capacity) break;
        memcpy(dst + size, shown, used);
        size += used;
        width += wide;
    }
    snprintf(dst + size, capacity - size, "%s", cut ? "..." : "");
}

void stk_text_print(FILE *out, const char *text)
{
    mbstate_t state = {0};
    char      shown[SAFE_ROOM];
    int       columns;
    for (size_t bytes; (bytes = next_character(text, &state, &columns)) > 0; text += bytes)
        fwrite(shown, 1, safe_character(shown, text, bytes, &columns), out);
}

void stk_text_wrap(FILE *out, const char *text, int first_column, int indent, int width)
{
    int column = first_column;
    if (column < indent) column += fprintf(out, "%*s", indent - column, "");
    bool fresh = true; /* nothing in this line yet */
    while (*text) {
        if (*text == '\n') {
            fprintf(out, "\n");
            column = text[1] == '\n' ? 0 : fprintf(out, "%*s", indent, "");
            fresh = true;
            text++;
            continue;
        }
        text += *text == ' ';
        const int length = (int)strcspn(text, " \n");
        if (!fresh && column + 1 + length > width) {
            fprintf(out, "\n");
            column = fprintf(out, "%*s", indent, "");
            fresh = true;
        }
        column += fprintf(out, "%s%.*s", fresh ? "" : " ", length, text);
        fresh = false;
        text += length;
    }
    fprintf(out, "\n");
}

enum { LONGEST_WORD = 40 };

int stk_text_distance(const char *a, const char *b)
{
    const int rows = (int)strnlen(a, LONGEST_WORD), columns = (int)strnlen(b, LONGEST_WORD);
    int       cost[LONGEST_WORD + 1][LONGEST_WORD + 1];
    for (int i = 0; i <= rows; i++)
        cost[i][0] = i;
    for (int j = 0; j <= columns; j++)
        cost[0][j] = j;
    for (int i = 1; i <= rows; i++)
        for (int j = 1; j <= columns; j++) {
            int best = cost[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
            if (cost[i - 1][j] + 1 < best) best = cost[i - 1][j] + 1;
            if (cost[i][j - 1] + 1 < best) best = cost[i][j - 1] + 1;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
                cost[i - 2][j - 2] + 1 < best)
                best = cost[i - 2][j - 2] + 1;
            cost[i][j] = best;
        }
    return cost[rows][columns];
}

/* Texts of one name a line. */
#include "storage/file/text_lines.h"

enum { LARGEST = 16 << 20 };

bool stk_next_line(stk_bytes *rest, stk_bytes *line)
{
    if (!rest->size) return false;
    const uint8_t *end = memchr(rest->data, '\n', rest->size);
    const size_t   length = end ? (size_t)(end - rest->data) : rest->size;
    const size_t   taken = length + (end != NULL);
    *line = stk_bytes_of(rest->data, length);
    if (length && line->data[length - 1] == '\r') line->size--;
    *rest = stk_bytes_of(rest->data + taken, rest->size - taken);
    return true;
}

static size_t count_lines(stk_bytes text)
{
    stk_bytes line;
    size_t    all = 0, filled = 0;
    while (stk_next_line(&text, &line)) {
        all++;
        if (line.size) filled = all;
    }
    return filled;
}

static stk_status split(stk_bytes text, stk_arena *arena, char ***lines, size_t *count,
                        stk_error *err)
{
    stk_bytes    line;
    const size_t total = count_lines(text);
    *count = 0;
    *lines = stk_arena_array(arena, total, sizeof **lines, err);
    if (!*lines) return err->status;
    while (*count < total && stk_next_line(&text, &line)) {
        char *copy = stk_arena_text(arena, (const char *)line.data, line.size, err);
        if (!copy) return err->status;
        (*lines)[(*count)++] = copy;
    }
    return STK_OK;
}

stk_status stk_lines_read(const stk_filesystem *fs, const char *path, stk_arena *arena,
                          char ***lines, size_t *count, stk_error *err)
{
    stk_blob blob;
    stk_blob_init(&blob, arena->ledger, STK_MEMORY_INDEX);
    stk_status st = stk_file_read_all(fs, path, 0, LARGEST, &blob, err);
    if (!st) st = split(stk_blob_bytes(&blob), arena, lines, count, err);
    stk_blob_release(&blob);
    return st;
}

/* Words of a shell. Plain ones stand as they are, others between single quotes, where nothing but
 * the quote means anything. What may not be shown has no form there, and $'...' is unknown to dash:
 * printf makes it, of octal numbers. */
#include <stdint.h>
#include <stdio.h>
#include <stoker/text.h>
#include <string.h>

static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
static const char marks[] = "+,-./:=@_%";

/* The output; past capacity it is only counted. */
typedef struct word {
    char  *dst;
    size_t capacity, size;
} word;

static void put(word *w, const char *text, size_t size)
{
    if (w->size + size < w->capacity) memcpy(w->dst + w->size, text, size);
    w->size += size;
}

static void put_text(word *w, const char *text)
{
    put(w, text, strlen(text));
}

static bool is_letter(char c)
{
    return c && strchr(letters, c);
}

/* zsh reads =NAME as the path of a command. */
static bool is_plain(const char *text)
{
    if (!*text || *text == '=') return false;
    for (; *text; text++)
        if (!is_letter(*text) && !strchr(marks, *text)) return false;
    return true;
}

static bool is_shown(const char *text)
{
    size_t left = strlen(text), bytes;
    bool   shown;
    for (; (bytes = stk_text_character(text, left, &shown)); text += bytes, left -= bytes)
        if (!shown) return false;
    return true;
}

static void put_quoted(word *w, const char *text)
{
    put_text(w, "'");
    for (; *text; text++)
        if (*text == '\'')
            put_text(w, "'\\''");
        else
            put(w, text, 1);
    put_text(w, "'");
}

/* dash looks for % after it has read the numbers, so that is doubled and no number. */
static void put_for_printf(word *w, const char *text, size_t bytes, bool shown)
{
    char number[8];
    if (shown && (bytes > 1 || is_letter(*text) || strchr(" +,./:=@_", *text))) {
        put(w, text, bytes);
        return;
    }
    for (size_t i = 0; i < bytes; i++) {
        snprintf(number, sizeof number, "\\%03o", (unsigned char)text[i]);
        put_text(w, text[i] == '%' ? "%%" : number);
    }
}

/* $(...) drops line breaks at its end: they follow in the form that POSIX has had since 2024. */
static void put_printed(word *w, const char *text)
{
    size_t left = strlen(text), ends = 0, bytes;
    bool   shown;
    while (left && text[left - 1] == '\n')
        left--, ends++;
    if (left) put_text(w, "\"$(printf '");
    for (; left && (bytes = stk_text_character(text, left, &shown)); text += bytes, left -= bytes)
        put_for_printf(w, text, bytes, shown);
    if (w->size) put_text(w, "')\"");
    while (ends--)
        put_text(w, "$'\\n'");
}

static size_t finish(word *w)
{
    if (w->capacity) w->dst[w->size < w->capacity ? w->size : 0] = 0;
    return w->size;
}

size_t stk_shell_word(char *dst, size_t capacity, const char *text)
{
    word w = {dst, capacity, 0};
    if (is_plain(text))
        put_text(&w, text);
    else if (is_shown(text))
        put_quoted(&w, text);
    else
        put_printed(&w, text);
    return finish(&w);
}

size_t stk_shell_path(char *dst, size_t capacity, const char *path)
{
    if (*path != '-') return stk_shell_word(dst, capacity, path);
    const size_t before = 2, size = stk_shell_word(NULL, 0, path) + before;
    if (size < capacity) {
        memcpy(dst, "./", before);
        (void)stk_shell_word(dst + before, capacity - before, path);
    } else if (capacity) {
        *dst = 0;
    }
    return size;
}

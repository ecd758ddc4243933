/* JSON scanner over a window that may end inside a value. Each scan returns whether it matched,
 * needs more bytes, or met something else. Values are pieces of text, parsed later on demand. */
#ifndef STK_OBSERVE_TIMELINE_JSON_SCAN_H
#define STK_OBSERVE_TIMELINE_JSON_SCAN_H

#include <stdbool.h>
#include <stoker/blob.h>

typedef enum stk_json_scan { STK_SCAN_FOUND, STK_SCAN_MORE, STK_SCAN_WRONG } stk_json_scan;

typedef struct stk_scanner {
    const uint8_t *at, *end;
    const char    *expected; /* WRONG: what was expected at `at` */
} stk_scanner;

/* Peeks at the next byte that is no blank; 0 (with MORE) at the end. */
stk_json_scan stk_scan_peek(stk_scanner *s, uint8_t *byte);
/* Consumes one required byte, after blanks. */
stk_json_scan stk_scan_byte(stk_scanner *s, uint8_t byte, const char *expected);
/* Consumes a value of any type. Also accepts nan, inf and control characters in strings, which
 * tools write. */
stk_json_scan stk_scan_value(stk_scanner *s, stk_bytes *value);
/* Consumes `"key":`; key excludes its quotes and keeps escapes. */
stk_json_scan stk_scan_key(stk_scanner *s, stk_bytes *key);

/* Iterates over an object from stk_scan_value: false after the last member. */
typedef struct stk_members {
    stk_scanner s;
    bool        begun;
} stk_members;

void stk_members_begin(stk_members *m, stk_bytes object);
bool stk_members_next(stk_members *m, stk_bytes *key, stk_bytes *value);

static inline bool stk_scan_is(stk_bytes text, const char *word)
{
    const size_t size = strlen(word);
    return text.size == size && memcmp(text.data, word, size) == 0;
}

static inline bool stk_scan_is_string(stk_bytes value)
{
    return value.size >= 2 && value.data[0] == '"';
}

static inline bool stk_scan_is_object(stk_bytes value)
{
    return value.size >= 2 && value.data[0] == '{';
}

/* Parses a number, or a string that holds one; false for others. */
bool stk_scan_number(stk_bytes value, double *number);
bool stk_scan_integer(stk_bytes value, int64_t *number);
/* Parses microseconds to exact nanoseconds: a double has too few digits for some tools' clocks.
 * Also false on overflow. */
bool stk_scan_microseconds(stk_bytes value, int64_t *ns);
/* The unescaped text of a string, or the raw value; cut after max_bytes. Replaces out's content. */
STK_NODISCARD stk_status stk_scan_text(stk_bytes value, size_t max_bytes, stk_blob *out,
                                       stk_error *err);

#endif

/* JSON in a window that may end before the value does: every scan says whether it found what it
 * wanted, needs more bytes, or met something else. Values are pieces of text, looked into later and
 * only where somebody wants to know. */
#ifndef STK_OBSERVE_TIMELINE_JSON_SCAN_H
#define STK_OBSERVE_TIMELINE_JSON_SCAN_H

#include <stdbool.h>
#include <stoker/blob.h>

typedef enum stk_json_scan { STK_SCAN_FOUND, STK_SCAN_MORE, STK_SCAN_WRONG } stk_json_scan;

typedef struct stk_scanner {
    const uint8_t *at, *end;
    const char    *expected; /* WRONG: what should be at `at` */
} stk_scanner;

/* The next byte that is no blank, without passing it; 0 (with MORE) where there is none. */
stk_json_scan stk_scan_peek(stk_scanner *s, uint8_t *byte);
/* Passes one byte that must come, after blanks. */
stk_json_scan stk_scan_byte(stk_scanner *s, uint8_t byte, const char *expected);
/* Passes a value of any type. Numbers that JSON lacks (nan, inf) and control characters in strings
 * pass too: tools write them. */
stk_json_scan stk_scan_value(stk_scanner *s, stk_bytes *value);
/* Passes `"key":`; key is without its quotes, escapes as they stand. */
stk_json_scan stk_scan_key(stk_scanner *s, stk_bytes *key);

/* Walks through an object that stk_scan_value passed: false after the last member. */
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

/* The number a value is, or that its string holds; false: it is none. */
bool stk_scan_number(stk_bytes value, double *number);
bool stk_scan_integer(stk_bytes value, int64_t *number);
/* The same of microseconds, as nanoseconds, exactly: a double has too few digits for the clocks of
 * some tools. False too where they do not fit. */
bool stk_scan_microseconds(stk_bytes value, int64_t *ns);
/* The text of a string without quotes and escapes, or the value as it stands; cut after most
 * bytes. Replaces what out held. */
STK_NODISCARD stk_status stk_scan_text(stk_bytes value, size_t max_bytes, stk_blob *out,
                                       stk_error *err);

#endif

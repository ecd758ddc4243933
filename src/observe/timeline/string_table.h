/* Interned strings by index: a trace has many events and few names. */
#ifndef STK_OBSERVE_TIMELINE_STRING_TABLE_H
#define STK_OBSERVE_TIMELINE_STRING_TABLE_H

#include <stdbool.h>
#include <stoker/blob.h>

enum { STK_TEXT_MAX = 1024 };

typedef struct stk_string_table {
    stk_blob chars;  /* NUL-terminated, concatenated */
    stk_blob begins; /* uint32_t: offset of each */
    stk_blob table;  /* uint32_t: hash table of indices; 0: free */
} stk_string_table;

/* Index 0 is "". */
STK_NODISCARD stk_status stk_string_table_init(stk_string_table *texts, stk_error *err);
void                     stk_string_table_release(stk_string_table *texts);
/* Interns a text, which ends at a zero byte; *number is its index. Beyond the size limit every text
 * becomes "(more names)". */
STK_NODISCARD stk_status stk_string_table_add(stk_string_table *texts, stk_bytes text,
                                              uint32_t *number, stk_error *err);
/* The index of an interned text; 0: not there. */
uint32_t stk_string_table_find(const stk_string_table *texts, const char *text);

static inline size_t stk_string_table_count(const stk_string_table *texts)
{
    return texts->begins.size / sizeof(uint32_t);
}

static inline const char *stk_string_table_at(const stk_string_table *texts, uint32_t number)
{
    if (number >= stk_string_table_count(texts)) return "";
    return (const char *)texts->chars.data + ((const uint32_t *)(void *)texts->begins.data)[number];
}

#endif

/* Each text once, as a number: a trace has many events and few names. */
#ifndef STK_OBSERVE_TIMELINE_STRING_TABLE_H
#define STK_OBSERVE_TIMELINE_STRING_TABLE_H

#include <stdbool.h>
#include <stoker/blob.h>

enum { STK_TEXT_LONGEST = 1024 };

typedef struct stk_texts {
    stk_blob chars;  /* terminated, one behind the other */
    stk_blob begins; /* uint32_t: where each begins */
    stk_blob table;  /* uint32_t: numbers by hash, 0: free */
} stk_texts;

/* Number 0 is "". */
STK_NODISCARD stk_status stk_texts_init(stk_texts *texts, stk_error *err);
void                     stk_texts_release(stk_texts *texts);
/* The number of a text, which ends at a zero byte. There is a limit on all texts: past it, they are
 * all "(more names)". */
STK_NODISCARD stk_status stk_texts_add(stk_texts *texts, stk_bytes text, uint32_t *number,
                                       stk_error *err);
/* The number of a text that is there already; 0: it is not. */
uint32_t stk_texts_find(const stk_texts *texts, const char *text);

static inline size_t stk_texts_count(const stk_texts *texts)
{
    return texts->begins.size / sizeof(uint32_t);
}

static inline const char *stk_texts_at(const stk_texts *texts, uint32_t number)
{
    if (number >= stk_texts_count(texts)) return "";
    return (const char *)texts->chars.data + ((const uint32_t *)(void *)texts->begins.data)[number];
}

#endif

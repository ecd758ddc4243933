/* String table: open addressing, at most half full. */
#include "observe/timeline/string_table.h"

#include "base/hash.h"

enum { FIRST_SLOTS = 1024, TEXTS_MAX = 1 << 20, CHARS_MAX = 128 << 20 };

static const char more[] = "(more names)";

static uint32_t *slots_of(const stk_string_table *texts)
{
    return (uint32_t *)(void *)texts->table.data;
}

static size_t slot_count(const stk_string_table *texts)
{
    return texts->table.size / sizeof(uint32_t);
}

static stk_status make_table(stk_blob *table, size_t slots, stk_error *err)
{
    STK_TRY(stk_blob_reserve_exact(table, slots * sizeof(uint32_t), err));
    memset(table->data, 0, slots * sizeof(uint32_t));
    table->size = slots * sizeof(uint32_t);
    return STK_OK;
}

/* The slot of a text, or the free slot for it. */
static size_t find_slot(const stk_string_table *texts, stk_bytes text)
{
    const size_t mask = slot_count(texts) - 1;
    size_t       slot = (size_t)stk_hash64(1, text.data, text.size) & mask;
    for (;; slot = (slot + 1) & mask) {
        const uint32_t number = slots_of(texts)[slot];
        if (!number) return slot;
        const char *held = stk_string_table_at(texts, number);
        if (strncmp(held, (const char *)text.data, text.size) == 0 && !held[text.size]) return slot;
    }
}

static stk_status grow(stk_string_table *texts, stk_error *err)
{
    stk_blob old = texts->table;
    stk_blob_init(&texts->table, old.ledger, old.memory);
    const stk_status st = make_table(&texts->table, 2 * old.size / sizeof(uint32_t), err);
    if (st) {
        texts->table = old;
        return st;
    }
    stk_blob_release(&old);
    for (uint32_t i = 1; i < stk_string_table_count(texts); i++)
        slots_of(texts)[find_slot(texts, stk_bytes_text(stk_string_table_at(texts, i)))] = i;
    return STK_OK;
}

static stk_status append(stk_string_table *texts, stk_bytes text, uint32_t *number, stk_error *err)
{
    const uint32_t begin = (uint32_t)texts->chars.size;
    STK_TRY(stk_blob_reserve(&texts->chars, texts->chars.size + text.size + 1, err));
    STK_TRY(stk_blob_append(&texts->begins, &begin, sizeof begin, err));
    if (text.size) memcpy(texts->chars.data + begin, text.data, text.size);
    texts->chars.data[begin + text.size] = 0;
    texts->chars.size += text.size + 1;
    *number = (uint32_t)stk_string_table_count(texts) - 1;
    return STK_OK;
}

stk_status stk_string_table_init(stk_string_table *texts, stk_error *err)
{
    uint32_t empty;
    stk_blob_init(&texts->chars, NULL, STK_MEMORY_INDEX);
    stk_blob_init(&texts->begins, NULL, STK_MEMORY_INDEX);
    stk_blob_init(&texts->table, NULL, STK_MEMORY_INDEX);
    STK_TRY(make_table(&texts->table, FIRST_SLOTS, err));
    return append(texts, stk_bytes_of("", 0), &empty, err);
}

void stk_string_table_release(stk_string_table *texts)
{
    stk_blob_release(&texts->chars);
    stk_blob_release(&texts->begins);
    stk_blob_release(&texts->table);
}

uint32_t stk_string_table_find(const stk_string_table *texts, const char *text)
{
    return slots_of(texts)[find_slot(texts, stk_bytes_text(text))];
}

stk_status stk_string_table_add(stk_string_table *texts, stk_bytes text, uint32_t *number,
                                stk_error *err)
{
    const uint8_t *zero = text.size ? memchr(text.data, 0, text.size) : NULL;
    if (zero) text.size = (size_t)(zero - text.data);
    if (text.size > STK_TEXT_MAX) text.size = STK_TEXT_MAX;
    *number = 0;
    if (!text.size) return STK_OK;
    size_t slot = find_slot(texts, text);
    *number = slots_of(texts)[slot];
    if (*number) return STK_OK;
    if (stk_string_table_count(texts) >= TEXTS_MAX || texts->chars.size >= CHARS_MAX) {
        text = stk_bytes_text(more);
        slot = find_slot(texts, text);
        *number = slots_of(texts)[slot];
        if (*number) return STK_OK;
    }
    if (stk_string_table_count(texts) * 2 >= slot_count(texts)) {
        STK_TRY(grow(texts, err));
        slot = find_slot(texts, text);
    }
    STK_TRY(append(texts, text, number, err));
    slots_of(texts)[slot] = *number;
    return STK_OK;
}

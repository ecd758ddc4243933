/* How often each value occurs. Open addressing with linear probing, at most half full. */
#include "storage/inspect/inspect_tally.h"

#include "base/hash.h"

#include <stdlib.h>
#include <string.h>

enum { SMALLEST = 32 };

void stk_tally_init(stk_tally *tally, stk_arena *arena)
{
    *tally = (stk_tally){.arena = arena};
    stk_blob_init(&tally->buckets, arena->ledger, arena->memory);
}

void stk_tally_release(stk_tally *tally)
{
    stk_blob_release(&tally->buckets);
}

static stk_tally_entry *entries(const stk_tally *tally)
{
    return (stk_tally_entry *)(void *)tally->buckets.data;
}

static size_t capacity(const stk_tally *tally)
{
    return tally->buckets.size / sizeof(stk_tally_entry);
}

static uint64_t hash_of(const uint8_t *text, int64_t value)
{
    return text ? stk_hash64(0, text, (size_t)value) : stk_hash64_number(0, (uint64_t)value);
}

static bool same(const stk_tally_entry *entry, const uint8_t *text, int64_t value)
{
    if (entry->value != value || !entry->text != !text) return false;
    return !text || memcmp(entry->text, text, (size_t)value) == 0;
}

/* The entry of a value, or the free bucket for it. */
static stk_tally_entry *find(const stk_tally *tally, const uint8_t *text, int64_t value)
{
    const size_t mask = capacity(tally) - 1;
    size_t       bucket = hash_of(text, value) & mask;
    while (entries(tally)[bucket].count && !same(&entries(tally)[bucket], text, value))
        bucket = (bucket + 1) & mask;
    return &entries(tally)[bucket];
}

static stk_status grow(stk_tally *tally, stk_error *err)
{
    const size_t old_capacity = capacity(tally), bytes = tally->buckets.size * 2;
    stk_tally    grown = *tally;
    stk_blob_init(&grown.buckets, tally->buckets.ledger, tally->buckets.memory);
    const size_t wanted = bytes ? bytes : SMALLEST * sizeof(stk_tally_entry);
    STK_TRY(stk_blob_reserve_exact(&grown.buckets, wanted, err));
    memset(grown.buckets.data, 0, wanted);
    grown.buckets.size = wanted;
    for (size_t i = 0; i < old_capacity; i++) {
        const stk_tally_entry *entry = &entries(tally)[i];
        if (entry->count) *find(&grown, entry->text, entry->value) = *entry;
    }
    stk_blob_release(&tally->buckets);
    *tally = grown;
    return STK_OK;
}

stk_status stk_tally_add(stk_tally *tally, const uint8_t *text, int64_t value, uint64_t count,
                         stk_error *err)
{
    if (tally->overflowed || !count) return STK_OK;
    if (tally->used * 2 >= capacity(tally)) STK_TRY(grow(tally, err));
    stk_tally_entry *entry = find(tally, text, value);
    if (!entry->count) {
        if (tally->used == STK_TALLY_VALUES_MAX || (text && value > STK_TALLY_TEXT_BYTES_MAX)) {
            tally->overflowed = true;
            stk_blob_release(&tally->buckets);
            tally->used = 0;
            return STK_OK;
        }
        const uint8_t *copy = NULL;
        if (text) {
            copy = (uint8_t *)stk_arena_text(tally->arena, (const char *)text, (size_t)value, err);
            if (!copy) return err->status;
        }
        *entry = (stk_tally_entry){.text = copy, .value = value};
        tally->used++;
    }
    entry->count += count;
    return STK_OK;
}

stk_status stk_tally_merge(stk_tally *tally, const stk_tally *other, stk_error *err)
{
    if (other->overflowed) {
        tally->overflowed = true;
        stk_blob_release(&tally->buckets);
        tally->used = 0;
    }
    for (size_t i = 0; i < capacity(other); i++) {
        const stk_tally_entry *entry = &entries(other)[i];
        STK_TRY(stk_tally_add(tally, entry->text, entry->value, entry->count, err));
    }
    return STK_OK;
}

static int compare(const void *a, const void *b)
{
    const stk_tally_entry *x = a, *y = b;
    if (!x->text != !y->text) return x->text ? 1 : -1;
    if (!x->text) return (x->value > y->value) - (x->value < y->value);
    const size_t shorter = (size_t)(x->value < y->value ? x->value : y->value);
    const int    order = memcmp(x->text, y->text, shorter);
    return order ? order : (x->value > y->value) - (x->value < y->value);
}

const stk_tally_entry *stk_tally_sort(stk_tally *tally)
{
    stk_tally_entry *all = entries(tally);
    size_t           kept = 0;
    for (size_t i = 0; i < capacity(tally); i++)
        if (all[i].count) all[kept++] = all[i];
    if (kept) qsort(all, kept, sizeof *all, compare);
    return all;
}

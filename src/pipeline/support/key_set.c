/* Open addressing with linear probing over one array of keys. */
#include "pipeline/support/key_set.h"

#include "base/checked.h"
#include "base/hash.h"

typedef uint32_t key_length; /* before every key */

typedef struct slot {
    uint64_t hash;
    uint64_t offset; /* of the key's length, plus 1; 0: free */
} slot;

enum { FIRST_SLOTS = 64 };

void stk_key_set_init(stk_key_set *set, stk_ledger *ledger)
{
    *set = (stk_key_set){0};
    stk_blob_init(&set->keys, ledger, STK_MEMORY_CACHE);
}

void stk_key_set_release(stk_key_set *set)
{
    stk_blob_release(&set->keys);
    stk_buffer_unref(set->table);
    *set = (stk_key_set){0};
}

static stk_bytes key_at(const stk_key_set *set, uint64_t offset)
{
    const uint8_t *at = set->keys.data + offset - 1;
    key_length     length;
    memcpy(&length, at, sizeof length);
    return stk_bytes_of(at + sizeof length, length);
}

static slot *slots_of(const stk_key_set *set)
{
    return (slot *)(void *)stk_buffer_data(set->table);
}

/* The slot that holds key, or the free one where it belongs. */
static slot *find(const stk_key_set *set, uint64_t hash, stk_bytes key)
{
    slot *slots = slots_of(set);
    for (size_t i = (size_t)hash & (set->slots - 1);; i = (i + 1) & (set->slots - 1))
        if (!slots[i].offset ||
            (slots[i].hash == hash && stk_bytes_equal(key_at(set, slots[i].offset), key)))
            return &slots[i];
}

static void move(const stk_key_set *set, slot *to, size_t slots)
{
    const slot *from = set->table ? slots_of(set) : NULL;
    for (size_t i = 0; i < set->slots; i++) {
        if (!from[i].offset) continue;
        size_t k = (size_t)from[i].hash & (slots - 1);
        while (to[k].offset)
            k = (k + 1) & (slots - 1);
        to[k] = from[i];
    }
}

/* Keeps a quarter of the slots free at least: probes stay short. */
static stk_status reserve(stk_key_set *set, stk_error *err)
{
    if (set->slots && set->count + 1 <= set->slots / 4 * 3) return STK_OK;
    const size_t slots = set->slots ? set->slots * 2 : FIRST_SLOTS;
    size_t       bytes;
    stk_buffer  *table;
    if (stk_mul_overflows(slots, sizeof(slot), &bytes))
        return stk_fail(err, STK_E_LIMIT, "unique", NULL, "%zu keys are too many", set->count);
    STK_TRY(stk_buffer_new(&table, set->keys.ledger, STK_MEMORY_CACHE, bytes, err));
    memset(stk_buffer_data(table), 0, bytes);
    move(set, (slot *)(void *)stk_buffer_data(table), slots);
    stk_buffer_unref(set->table);
    set->table = table;
    set->slots = slots;
    return STK_OK;
}

stk_status stk_key_set_add(stk_key_set *set, stk_bytes key, bool *added, stk_error *err)
{
    *added = false;
    if (key.size > UINT32_MAX)
        return stk_fail(err, STK_E_LIMIT, "unique", NULL,
                        "a value of %zu bytes; at most %u can be remembered", key.size, UINT32_MAX);
    STK_TRY(reserve(set, err));
    const key_length length = (key_length)key.size;
    const uint64_t   hash = stk_hash64(0, key.data, key.size);
    slot            *at = find(set, hash, key);
    if (at->offset) return STK_OK;
    const size_t offset = set->keys.size;
    STK_TRY(stk_blob_reserve(&set->keys, offset + sizeof length + key.size, err));
    memcpy(set->keys.data + offset, &length, sizeof length);
    if (length) memcpy(set->keys.data + offset + sizeof length, key.data, length);
    set->keys.size = offset + sizeof length + length;
    *at = (slot){.hash = hash, .offset = offset + 1};
    set->count++;
    *added = true;
    return STK_OK;
}

stk_bytes stk_key_set_bytes(const stk_key_set *set)
{
    return stk_blob_bytes(&set->keys);
}

stk_status stk_key_set_load(stk_key_set *set, stk_bytes saved, bool *valid, stk_error *err)
{
    *valid = true;
    while (saved.size && *valid) {
        key_length length = 0;
        if (saved.size >= sizeof length) memcpy(&length, saved.data, sizeof length);
        *valid = saved.size >= sizeof length && length <= saved.size - sizeof length;
        if (!*valid) return STK_OK;
        const stk_bytes key = stk_bytes_of(saved.data + sizeof length, length);
        STK_TRY(stk_key_set_add(set, key, valid, err));
        saved = stk_bytes_of(key.data + length, saved.size - sizeof length - length);
    }
    return STK_OK;
}

/* A hash table of a few hundred names at most, built once and read for every record. */
#include "storage/example/example_parser.h"
#include "storage/example/example_text.h"
#include "storage/example/wire.h"

enum { SEEDS_TRIED = 32, KEYS_MAX = 1 << 20 };

/* Up to seven bytes as one number, without reading past them. */
static inline uint64_t load_short(const uint8_t *key, size_t size)
{
    if (size >= 4) {
        uint32_t low, high;
        memcpy(&low, key, 4);
        memcpy(&high, key + size - 4, 4);
        return low | (uint64_t)high << 32;
    }
    if (!size) return 0;
    return key[0] | (uint64_t)key[size / 2] << 8 | (uint64_t)key[size - 1] << 16;
}

static inline uint64_t mix(uint64_t hash, uint64_t word)
{
    const unsigned __int128 product = (unsigned __int128)(hash ^ word) * 0x9e3779b97f4a7c15u;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static inline uint64_t hash_key(const uint8_t *key, size_t size, uint64_t seed)
{
    uint64_t hash = seed + size;
    if (size < 8) return mix(hash, load_short(key, size));
    for (size_t i = 0; i + 8 < size; i += 8)
        hash = mix(hash, stk_load64(key + i));
    return mix(hash, stk_load64(key + size - 8));
}

/* Inserts all keys; returns the number of collisions. */
static size_t fill_slots(stk_key_table *table)
{
    size_t collisions = 0;
    memset(table->slots, 0, (table->mask + 1) * sizeof table->slots[0]);
    for (size_t i = 0; i < table->count; i++) {
        size_t slot = hash_key(table->keys[i].data, table->keys[i].size, table->seed) & table->mask;
        collisions += table->slots[slot] != 0;
        while (table->slots[slot])
            slot = (slot + 1) & table->mask;
        table->slots[slot] = (uint32_t)i + 1;
    }
    return collisions;
}

/* Keeps the seed with the fewest collisions. A few names in four times as many slots usually find
 * one without any. */
static void choose_seed(stk_key_table *table)
{
    uint64_t best = 0;
    size_t   fewest = SIZE_MAX;
    for (uint64_t seed = 1; seed <= SEEDS_TRIED && fewest; seed++) {
        table->seed = seed * 0xd1342543de82ef95u;
        const size_t collisions = fill_slots(table);
        if (collisions >= fewest) continue;
        fewest = collisions;
        best = table->seed;
    }
    table->seed = best;
    fill_slots(table);
}

stk_status stk_key_table_init(stk_key_table *table, stk_arena *arena, const stk_bytes *keys,
                              size_t count, stk_error *err)
{
    if (count > KEYS_MAX)
        return stk_fail(err, STK_E_LIMIT, "parse", NULL, "%zu features wanted, at most %d can be",
                        count, KEYS_MAX);
    size_t slots = 4;
    while (slots < 4 * count)
        slots *= 2;
    *table = (stk_key_table){.keys = keys, .count = count, .mask = slots - 1};
    table->slots = stk_arena_array(arena, slots, sizeof table->slots[0], err);
    if (!table->slots) return err ? err->status : STK_E_NOMEM;
    choose_seed(table);
    for (size_t i = 0; i < count; i++)
        if (stk_key_table_find(table, keys[i].data, keys[i].size) != i) {
            char text[STK_KEY_TEXT];
            return stk_fail(err, STK_E_INVALID, "parse", stk_key_text(keys[i], text),
                            "this feature is wanted twice: give each name once");
        }
    return STK_OK;
}

size_t stk_key_table_find(const stk_key_table *table, const uint8_t *key, size_t size)
{
    size_t slot = hash_key(key, size, table->seed) & table->mask;
    for (; table->slots[slot]; slot = (slot + 1) & table->mask) {
        const size_t    index = table->slots[slot] - 1;
        const stk_bytes found = table->keys[index];
        if (found.size == size && memcmp(found.data, key, size) == 0) return index;
    }
    return table->count;
}

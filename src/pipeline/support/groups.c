/* The table of groups. */
#include "pipeline/support/groups.h"

#include "base/hash.h"

#include <stdlib.h>

enum { CAPACITY_MIN = 16 };

void stk_groups_init(stk_groups *groups, const char *component, stk_ledger *ledger)
{
    *groups = (stk_groups){.component = component, .ledger = ledger};
}

static void free_group(stk_groups *groups, stk_group *group)
{
    stk_backlog_release(&group->held);
    stk_ledger_release(groups->ledger, STK_MEMORY_RECORD, sizeof *group);
    free(group);
}

void stk_groups_release(stk_groups *groups)
{
    for (size_t i = 0; i < groups->capacity; i++)
        if (groups->table[i]) free_group(groups, groups->table[i]);
    stk_ledger_release(groups->ledger, STK_MEMORY_RECORD, groups->capacity * sizeof(stk_group *));
    free(groups->table);
    *groups = (stk_groups){0};
}

static size_t home_of(const stk_groups *groups, int64_t key)
{
    return (size_t)stk_hash64_number(0, (uint64_t)key) & (groups->capacity - 1);
}

/* The slot of key, or the free slot for it. */
static size_t slot_of(const stk_groups *groups, int64_t key)
{
    size_t at = home_of(groups, key);
    while (groups->table[at] && groups->table[at]->key != key)
        at = (at + 1) & (groups->capacity - 1);
    return at;
}

stk_group *stk_groups_find(const stk_groups *groups, int64_t key)
{
    return groups->capacity ? groups->table[slot_of(groups, key)] : NULL;
}

static stk_status no_memory(const stk_groups *groups, stk_error *err)
{
    return stk_fail(err, STK_E_NOMEM, groups->component, NULL, "no memory for %zu groups",
                    groups->count + 1);
}

/* The table is at most half full. */
static stk_status reserve(stk_groups *groups, stk_error *err)
{
    if (groups->count < groups->capacity / 2) return STK_OK;
    stk_groups larger = *groups;
    larger.capacity = groups->capacity ? groups->capacity * 2 : CAPACITY_MIN;
    const size_t bytes = larger.capacity * sizeof(stk_group *);
    STK_TRY(stk_ledger_reserve(groups->ledger, STK_MEMORY_RECORD, bytes, err));
    larger.table = calloc(larger.capacity, sizeof(stk_group *));
    if (!larger.table) {
        stk_ledger_release(groups->ledger, STK_MEMORY_RECORD, bytes);
        return no_memory(groups, err);
    }
    for (size_t i = 0; i < groups->capacity; i++)
        if (groups->table[i])
            larger.table[slot_of(&larger, groups->table[i]->key)] = groups->table[i];
    stk_ledger_release(groups->ledger, STK_MEMORY_RECORD, groups->capacity * sizeof(stk_group *));
    free(groups->table);
    *groups = larger;
    return STK_OK;
}

static stk_status new_group(stk_groups *groups, stk_group **out, stk_error *err)
{
    STK_TRY(reserve(groups, err));
    STK_TRY(stk_ledger_reserve(groups->ledger, STK_MEMORY_RECORD, sizeof **out, err));
    *out = calloc(1, sizeof **out);
    if (*out) return STK_OK;
    stk_ledger_release(groups->ledger, STK_MEMORY_RECORD, sizeof **out);
    return no_memory(groups, err);
}

stk_status stk_groups_add(stk_groups *groups, int64_t key, int64_t size, stk_group **out,
                          stk_error *err)
{
    *out = NULL;
    stk_status st = new_group(groups, out, err);
    if (st) {
        if (err) err->component = groups->component;
        return st;
    }
    (*out)->key = key;
    (*out)->size = size;
    stk_backlog_init(&(*out)->held, groups->component, groups->ledger);
    groups->table[slot_of(groups, key)] = *out;
    groups->count++;
    return STK_OK;
}

/* Later entries move up, so that no search ends at the hole. */
void stk_groups_remove(stk_groups *groups, stk_group *group)
{
    const size_t mask = groups->capacity - 1;
    size_t       hole = slot_of(groups, group->key);
    groups->table[hole] = NULL;
    for (size_t at = (hole + 1) & mask; groups->table[at]; at = (at + 1) & mask) {
        const size_t home = home_of(groups, groups->table[at]->key);
        if (((at - home) & mask) < ((at - hole) & mask)) continue;
        groups->table[hole] = groups->table[at];
        groups->table[at] = NULL;
        hole = at;
    }
    groups->count--;
    free_group(groups, group);
}

static int compare(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

stk_status stk_groups_keys(const stk_groups *groups, int64_t **keys, stk_error *err)
{
    *keys = malloc((groups->count ? groups->count : 1) * sizeof **keys);
    if (!*keys) return no_memory(groups, err);
    size_t count = 0;
    for (size_t i = 0; i < groups->capacity; i++)
        if (groups->table[i]) (*keys)[count++] = groups->table[i]->key;
    qsort(*keys, count, sizeof **keys, compare);
    return STK_OK;
}

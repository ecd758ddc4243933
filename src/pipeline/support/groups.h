/* Elements grouped by key: the partial windows of group_by_window. */
#ifndef STK_PIPELINE_SUPPORT_GROUPS_H
#define STK_PIPELINE_SUPPORT_GROUPS_H

#include "pipeline/support/backlog.h"

typedef struct stk_group {
    int64_t     key;
    int64_t     size; /* of its window */
    stk_backlog held;
} stk_group;

/* A hash table: open addressing, a power of two. */
typedef struct stk_groups {
    stk_group **table;
    size_t      capacity, count;
    const char *component; /* a literal, for messages */
    stk_ledger *ledger;    /* borrowed */
} stk_groups;

void stk_groups_init(stk_groups *groups, const char *component, stk_ledger *ledger);
void stk_groups_release(stk_groups *groups);

/* NULL without such a group. */
stk_group *stk_groups_find(const stk_groups *groups, int64_t key);
/* Adds an empty group; key must be new. */
STK_NODISCARD stk_status stk_groups_add(stk_groups *groups, int64_t key, int64_t size,
                                        stk_group **out, stk_error *err);
/* Removes and frees the group with its elements. */
void stk_groups_remove(stk_groups *groups, stk_group *group);
/* All keys in ascending order; freed by the caller. */
STK_NODISCARD stk_status stk_groups_keys(const stk_groups *groups, int64_t **keys, stk_error *err);

#endif

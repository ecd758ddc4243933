/* Contents of a snapshot, for its writers. */
#ifndef STK_TRAIN_CHECKPOINT_CHECKPOINT_SNAPSHOT_H
#define STK_TRAIN_CHECKPOINT_CHECKPOINT_SNAPSHOT_H

#include "train/checkpoint/checkpoint.h"

typedef struct stk_snapshot_entry {
    stk_variable_role role;
    stk_dtype         dtype;
    stk_shape         shape;
    size_t            name;          /* offset in names */
    size_t            offset, bytes; /* of the contents in data */
} stk_snapshot_entry;

struct stk_snapshot {
    bool          taken;
    stk_blob      entries; /* of stk_snapshot_entry, in the variables' order */
    stk_blob      names;   /* NUL-terminated, concatenated */
    stk_blob      data;
    stk_run_state state;
};

static inline size_t stk_snapshot_count(const stk_snapshot *snapshot)
{
    return snapshot->entries.size / sizeof(stk_snapshot_entry);
}

static inline const stk_snapshot_entry *stk_snapshot_at(const stk_snapshot *snapshot, size_t index)
{
    return (const stk_snapshot_entry *)(const void *)snapshot->entries.data + index;
}

static inline const char *stk_snapshot_name(const stk_snapshot       *snapshot,
                                            const stk_snapshot_entry *entry)
{
    return (const char *)snapshot->names.data + entry->name;
}

#endif

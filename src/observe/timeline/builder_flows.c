/* Counts flows that end without a begin. */
#include "base/hash.h"
#include "observe/timeline/builder.h"

enum { FIRST_FLOWS = 1024, FLOWS_MAX = 1 << 22 };

uint64_t stk_builder_hash(stk_bytes value)
{
    return value.data ? stk_hash64(1, value.data, value.size) : 0;
}

static stk_status grow_flows(stk_builder *b, stk_error *err)
{
    stk_blob old = b->flows;
    stk_blob_init(&b->flows, NULL, STK_MEMORY_INDEX);
    const size_t     bytes = old.size ? old.size * 2 : FIRST_FLOWS * sizeof(uint64_t);
    const stk_status st = stk_blob_reserve_exact(&b->flows, bytes, err);
    if (st) {
        b->flows = old;
        return st;
    }
    memset(b->flows.data, 0, bytes);
    b->flows.size = bytes;
    const size_t mask = bytes / sizeof(uint64_t) - 1;
    uint64_t    *slots = (uint64_t *)(void *)b->flows.data;
    for (size_t i = 0; i < old.size / sizeof(uint64_t); i++) {
        const uint64_t key = ((const uint64_t *)(void *)old.data)[i];
        size_t         slot = (size_t)key & mask;
        while (key && slots[slot])
            slot = (slot + 1) & mask;
        if (key) slots[slot] = key;
    }
    stk_blob_release(&old);
    return STK_OK;
}

/* Beyond the limit the answer is unknown. */
stk_status stk_builder_flow(stk_builder *b, const stk_file_event *event, bool begins,
                            stk_error *err)
{
    const uint64_t key =
        stk_hash64_number(stk_builder_hash(event->category), stk_builder_hash(event->id)) | 1;
    b->timeline->findings.flows++;
    if (b->flow_count >= FLOWS_MAX) return STK_OK;
    if (b->flow_count * 2 >= b->flows.size / sizeof(uint64_t)) STK_TRY(grow_flows(b, err));
    const size_t mask = b->flows.size / sizeof(uint64_t) - 1;
    uint64_t    *slots = (uint64_t *)(void *)b->flows.data;
    size_t       slot = (size_t)key & mask;
    while (slots[slot] && slots[slot] != key)
        slot = (slot + 1) & mask;
    if (!slots[slot] && begins) {
        slots[slot] = key;
        b->flow_count++;
    } else if (!slots[slot]) {
        b->timeline->findings.flows_alone++;
    }
    return STK_OK;
}

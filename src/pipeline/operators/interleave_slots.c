/* Fills slots from a ring of futures. Without parallelism the ring holds one at a time and is
 * filled when a slot needs it, so both ways take the inputs in the same order. */
#include "pipeline/operators/interleave_slots.h"

#include "pipeline/operators/quarantine.h"
#include "pipeline/support/backlog.h"

#include <stdlib.h>

enum {
    SPARE_FUTURES = 2, /* beyond the cycle: a slot that runs dry finds one that is running */
    FUTURES_MAX = 256,
    CAPACITY_MIN = 16, /* half of it is pulled at a time, to limit hand-overs */
    CAPACITY_MAX = 64
};

struct stk_future {
    stk_nested     inner; /* open, or */
    stk_queue_item item;  /* an error */
};

static const stk_interleave_params *params_of(const stk_node *node)
{
    return node->plan->params;
}

/* More datasets before their turn than twice the threads would not run, only wait. */
static size_t futures_max(const stk_node *node)
{
    const stk_interleave_params *p = params_of(node);
    int64_t                      max = 2 * ((int64_t)stk_run_options_of(node->run)->threads + 1);
    if (p->parallel > 0) max = p->parallel;
    if (max > p->cycle) max = p->cycle;
    max += SPARE_FUTURES;
    return (size_t)(max < FUTURES_MAX ? max : FUTURES_MAX);
}

static stk_status make_ring(stk_slots *slots, size_t ring_capacity, stk_error *err)
{
    stk_future *futures = calloc(ring_capacity, sizeof *futures);
    if (!futures)
        return stk_fail(err, STK_E_NOMEM, "interleave", NULL, "no memory for %zu datasets",
                        ring_capacity);
    free(slots->futures);
    slots->futures = futures;
    slots->ring_capacity = ring_capacity;
    return STK_OK;
}

stk_status stk_slots_init(stk_slots *slots, stk_node *node, stk_error *err)
{
    const stk_interleave_params *p = params_of(node);
    if (p->parallel) {
        const uint64_t blocks = 2 * (uint64_t)p->block;
        slots->max = futures_max(node);
        slots->capacity_ahead = blocks < CAPACITY_MIN   ? CAPACITY_MIN
                                : blocks > CAPACITY_MAX ? CAPACITY_MAX
                                                        : blocks;
    }
    return make_ring(slots, slots->max ? slots->max : 1, err);
}

static stk_future *oldest(const stk_slots *slots)
{
    return &slots->futures[slots->first];
}

static void remove_oldest(stk_slots *slots)
{
    *oldest(slots) = (stk_future){0};
    slots->first = (slots->first + 1) % slots->ring_capacity;
    slots->waiting--;
}

void stk_slots_release(stk_slots *slots)
{
    for (size_t i = 0; i < slots->used; i++)
        stk_nested_close(&slots->list[i]);
    while (slots->waiting) {
        stk_nested_close(&oldest(slots)->inner);
        stk_queue_item_clear(&oldest(slots)->item);
        remove_oldest(slots);
    }
    free(slots->futures);
    free(slots->list);
}

bool stk_slots_input_is_used_up(const stk_slots *slots)
{
    return slots->ended && !slots->waiting;
}

/* One more input into the ring, or the end. */
static stk_status fetch(stk_slots *slots, stk_node *node, stk_error *err)
{
    stk_future  *future = &slots->futures[(slots->first + slots->waiting) % slots->ring_capacity];
    stk_error    failure;
    stk_element *element;
    stk_status   st = stk_node_pull(node, &element, &failure);
    if (!st && !element) {
        slots->ended = true;
        return STK_OK;
    }
    if (!st)
        st = stk_nested_open(&future->inner, node, params_of(node)->function, element,
                             slots->index++, slots->capacity_ahead, &failure);
    if (stk_ends_run(st, &failure)) {
        if (err) *err = failure;
        return st;
    }
    if (st) stk_queue_item_fail(&future->item, &failure);
    slots->waiting++;
    return STK_OK;
}

stk_status stk_slots_look_ahead(stk_slots *slots, stk_node *node, stk_error *err)
{
    const size_t empty = (size_t)params_of(node)->cycle - slots->open;
    size_t       wanted = empty + SPARE_FUTURES;
    if (wanted > slots->max) wanted = slots->max;
    while (!slots->ended && slots->waiting < wanted)
        STK_TRY(fetch(slots, node, err));
    return STK_OK;
}

static stk_status add_slot(stk_slots *slots, stk_error *err)
{
    if (slots->used == slots->capacity) {
        const size_t more = slots->capacity ? slots->capacity * 2 : 8;
        stk_nested  *list = realloc(slots->list, more * sizeof *list);
        if (!list)
            return stk_fail(err, STK_E_NOMEM, "interleave", NULL, "no memory for %zu datasets",
                            more);
        slots->list = list;
        slots->capacity = more;
    }
    slots->list[slots->used++] = (stk_nested){0};
    return STK_OK;
}

stk_status stk_slots_fill(stk_slots *slots, stk_node *node, size_t at, stk_error *err)
{
    if (!slots->waiting) STK_TRY(fetch(slots, node, err));
    if (!slots->waiting) return STK_OK;
    stk_future *future = oldest(slots);
    if (future->item.status) {
        stk_status st = stk_queue_item_tell(&future->item, "interleave", err);
        stk_queue_item_clear(&future->item);
        remove_oldest(slots);
        return st;
    }
    if (at == slots->used) STK_TRY(add_slot(slots, err));
    slots->list[at] = future->inner;
    slots->open++;
    remove_oldest(slots);
    return STK_OK;
}

void stk_slots_close(stk_slots *slots, size_t at)
{
    stk_nested_close(&slots->list[at]);
    slots->open--;
}

stk_status stk_slots_save(const stk_slots *slots, stk_state_out *out, stk_error *err)
{
    STK_TRY(stk_state_put_u64(out, slots->index, err));
    STK_TRY(stk_state_put_u64(out, slots->used, err));
    for (size_t i = 0; i < slots->used; i++) {
        const bool open = slots->list[i].node != NULL;
        STK_TRY(stk_state_put_u64(out, open, err));
        if (open) STK_TRY(stk_nested_save(&slots->list[i], out, err));
    }
    STK_TRY(stk_state_put_u64(out, slots->waiting, err));
    for (size_t i = 0; i < slots->waiting; i++) {
        const stk_future *future = &slots->futures[(slots->first + i) % slots->ring_capacity];
        STK_TRY(stk_state_put_u64(out, future->inner.node != NULL, err));
        STK_TRY(future->inner.node ? stk_nested_save_fresh(&future->inner, out, err)
                                   : stk_queue_item_save(&future->item, out, err));
    }
    return STK_OK;
}

static stk_status restore_slots(stk_slots *slots, stk_node *node, stk_state_in *in, stk_error *err)
{
    const stk_interleave_params *p = params_of(node);
    uint64_t                     used;
    STK_TRY(stk_state_get_count(in, (uint64_t)p->cycle, &used, err));
    for (uint64_t i = 0; i < used; i++) {
        bool open;
        STK_TRY(stk_state_get_bool(in, &open, err));
        STK_TRY(add_slot(slots, err));
        if (!open) continue;
        STK_TRY(stk_nested_restore(&slots->list[i], node, p->function, &node->plan->inputs[0]->spec,
                                   slots->capacity_ahead, in, err));
        slots->open++;
    }
    return STK_OK;
}

/* The other run may have looked further ahead than this one does. */
static stk_status restore_futures(stk_slots *slots, stk_node *node, stk_state_in *in,
                                  stk_error *err)
{
    const stk_element_spec *spec = &node->plan->inputs[0]->spec;
    uint64_t                waiting;
    STK_TRY(stk_state_get_count(in, FUTURES_MAX, &waiting, err));
    if (waiting > slots->ring_capacity) STK_TRY(make_ring(slots, (size_t)waiting, err));
    for (uint64_t i = 0; i < waiting; i++) {
        stk_future *future = &slots->futures[i];
        bool        open;
        STK_TRY(stk_state_get_bool(in, &open, err));
        STK_TRY(open ? stk_nested_restore_fresh(&future->inner, node, params_of(node)->function,
                                                spec, slots->capacity_ahead, in, err)
                     : stk_queue_item_restore(&future->item, spec, in, err));
        slots->waiting++;
        if (!open && !future->item.status) return stk_state_damaged(in, "an error is missing", err);
    }
    return STK_OK;
}

stk_status stk_slots_restore(stk_slots *slots, stk_node *node, stk_state_in *in, stk_error *err)
{
    STK_TRY(stk_state_get_u64(in, &slots->index, err));
    STK_TRY(restore_slots(slots, node, in, err));
    return restore_futures(slots, node, in, err);
}

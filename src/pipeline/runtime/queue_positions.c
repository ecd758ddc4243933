/* Saved places of a queue's input. */
#include "pipeline/runtime/queue_positions.h"

#include "base/clock.h"

#include <stdlib.h>

enum {
    LEAST_NS = 1000000,      /* between two saved places */
    WORTH_OF_ITS_COST = 100, /* and at least so many times what saving took: 1 % at most */
    SMALL = 64 << 10,        /* up to here a place is part of what any queue takes */
    MOST_PLACES = 64,        /* when so many wait for the consumer, every other one goes */
    MOST_RANGES = 1 << 18
};

struct stk_saved_position {
    uint64_t            number; /* of the input's next element at that time */
    stk_blob            state;
    uint64_t            reserved; /* of a large one, in the ledger */
    stk_ledger         *ledger;   /* lent */
    stk_error           error;    /* status says whether the input could not be saved */
    stk_saved_position *next;
};

void stk_queue_positions_init(stk_queue_positions *places)
{
    *places = (stk_queue_positions){0};
    places->last = &places->first;
}

static void free_place(stk_saved_position *place)
{
    stk_ledger_release(place->ledger, STK_MEMORY_INDEX, place->reserved);
    stk_blob_release(&place->state);
    free(place);
}

static void free_places(stk_saved_position *place)
{
    for (stk_saved_position *next; place; place = next) {
        next = place->next;
        free_place(place);
    }
}

void stk_queue_positions_release(stk_queue_positions *places)
{
    free_places(places->first);
    free(places->beyond.list);
    free(places->before.list);
}

/* While one element is late and others pass it, the consumer's place stays and places pile up. The
 * lock is held; what goes is given back. */
static stk_saved_position *thin_out(stk_queue_positions *places)
{
    stk_saved_position *gone = NULL;
    if (places->always || places->count < MOST_PLACES) return NULL;
    for (stk_saved_position *place = places->first; place && place->next; place = place->next) {
        stk_saved_position *one = place->next;
        place->next = one->next;
        if (!one->next) places->last = &place->next;
        one->next = gone;
        gone = one;
        places->count--;
    }
    return gone;
}

static void add_place(stk_queue_positions *places, stk_saved_position *place, pthread_mutex_t *lock)
{
    pthread_mutex_lock(lock);
    stk_saved_position *gone = thin_out(places);
    *places->last = place;
    places->last = &place->next;
    places->count++;
    pthread_mutex_unlock(lock);
    free_places(gone);
}

/* Small ones come and go with time, and are not to decide what fits. */
static stk_status save_place(stk_saved_position *place, stk_node *input)
{
    stk_state_out out = {.blob = &place->state};
    STK_TRY(stk_node_save(input, &out, &place->error));
    if (place->state.size <= SMALL) return STK_OK;
    STK_TRY(
        stk_ledger_reserve(place->ledger, STK_MEMORY_INDEX, place->state.capacity, &place->error));
    place->reserved = place->state.capacity;
    return STK_OK;
}

/* Without memory for another place the older one serves longer; where there is none, saving fails
 * until the consumer has come to a later one. */
void stk_queue_positions_note(stk_queue_positions *places, stk_node *input, uint64_t number,
                              pthread_mutex_t *lock)
{
    const uint64_t begin = stk_clock_ns();
    const uint64_t since = begin - places->noted_ns;
    if (places->always && places->noted_ns && places->noted == number) return;
    if (!places->always && places->noted_ns &&
        (since < LEAST_NS || since < places->cost_ns * WORTH_OF_ITS_COST))
        return;
    stk_saved_position *place = calloc(1, sizeof *place);
    if (!place) return;
    place->number = number;
    place->ledger = stk_run_options_of(input->run)->ledger;
    stk_blob_init(&place->state, NULL, STK_MEMORY_INDEX);
    const stk_status st = save_place(place, input);
    if (!st) place->error.status = STK_OK;
    places->noted_ns = begin;
    places->noted = number;
    places->cost_ns = stk_clock_ns() - begin;
    if (st == STK_E_CEILING || st == STK_E_NOMEM)
        free_place(place);
    else
        add_place(places, place, lock);
}

static uint64_t end_of(const stk_input_range *range)
{
    return range->first + range->count;
}

static bool append_range(stk_input_ranges *ranges, stk_input_range range)
{
    if (ranges->count == ranges->capacity) {
        const size_t     more = ranges->capacity ? ranges->capacity * 2 : 16;
        stk_input_range *list = realloc(ranges->list, more * sizeof *list);
        if (!list) return false;
        ranges->list = list;
        ranges->capacity = more;
    }
    ranges->list[ranges->count++] = range;
    return true;
}

/* Ranges that touch become one, so that there are no more of them than gaps. */
static bool add_range(stk_input_ranges *ranges, uint64_t first, uint64_t count)
{
    stk_input_range more = {first, count};
    for (size_t i = ranges->count; i-- > 0;) {
        const stk_input_range old = ranges->list[i];
        if (old.first > end_of(&more) || more.first > end_of(&old)) continue;
        const uint64_t end = end_of(&old) > end_of(&more) ? end_of(&old) : end_of(&more);
        if (old.first < more.first) more.first = old.first;
        more.count = end - more.first;
        ranges->list[i] = ranges->list[--ranges->count];
    }
    return append_range(ranges, more);
}

/* Moves low past ranges that now join it. */
static void absorb(stk_queue_positions *places)
{
    stk_input_ranges *beyond = &places->beyond;
    for (size_t i = 0; i < beyond->count; i++) {
        if (beyond->list[i].first > places->low) continue;
        if (end_of(&beyond->list[i]) > places->low) places->low = end_of(&beyond->list[i]);
        beyond->list[i] = beyond->list[--beyond->count];
        i = (size_t)-1; /* from the beginning */
    }
}

static stk_saved_position *drop_old(stk_queue_positions *places)
{
    stk_saved_position *old = NULL;
    while (places->first && places->first->next && places->first->next->number <= places->low) {
        stk_saved_position *place = places->first;
        places->first = place->next;
        place->next = old;
        old = place;
        places->count--;
    }
    return old;
}

void stk_queue_positions_unit_given(stk_queue_positions *places, uint64_t first, uint64_t count,
                                    pthread_mutex_t *lock)
{
    places->part = (stk_input_range){0};
    if (first <= places->low) {
        if (first + count > places->low) places->low = first + count;
        absorb(places);
    } else if (!add_range(&places->beyond, first, count)) {
        places->lost = true;
    }
    pthread_mutex_lock(lock);
    stk_saved_position *old = drop_old(places);
    pthread_mutex_unlock(lock);
    free_places(old);
}

void stk_queue_positions_part_given(stk_queue_positions *places, uint64_t first, uint64_t count)
{
    places->part = (stk_input_range){first, count};
}

bool stk_queue_positions_was_given(const stk_queue_positions *places, uint64_t number)
{
    for (size_t i = 0; i < places->before.count; i++)
        if (number - places->before.list[i].first < places->before.list[i].count) return true;
    return false;
}

static stk_status put_fresh(stk_node *input, uint64_t pulled, stk_state_out *out, stk_error *err)
{
    stk_blob fresh;
    stk_blob_init(&fresh, NULL, STK_MEMORY_INDEX);
    stk_state_out inner = {.blob = &fresh};
    stk_status    st = stk_state_put_u64(out, pulled, err);
    if (!st) st = stk_node_save(input, &inner, err);
    if (!st) st = stk_state_put_bytes(out, stk_blob_bytes(&fresh), err);
    if (!st) st = stk_state_put_u64(out, 0, err);
    stk_blob_release(&fresh);
    return st;
}

static stk_status put_place(const stk_queue_positions *places, stk_state_out *out, uint64_t low,
                            stk_error *err)
{
    const stk_saved_position *place = places->first;
    while (place && place->next && place->next->number <= low)
        place = place->next;
    /* An input that does not come the same way again must be saved right there. */
    if (!place || place->number > low || (places->always && place->number < low))
        return stk_fail(err, STK_E_NOMEM, "checkpoint", NULL,
                        "there was no memory to note where the input was; save again later");
    if (place->error.status) {
        if (err) *err = place->error;
        return place->error.status;
    }
    STK_TRY(stk_state_put_u64(out, place->number, err));
    STK_TRY(stk_state_put_bytes(out, stk_blob_bytes(&place->state), err));
    return stk_state_put_u64(out, low - place->number, err);
}

stk_status stk_queue_positions_save(const stk_queue_positions *places, stk_node *input,
                                    uint64_t pulled, bool untouched, stk_state_out *out,
                                    stk_error *err)
{
    if (places->lost)
        return stk_fail(err, STK_E_NOMEM, "pipeline", NULL,
                        "there was no memory to follow what was given");
    const bool     joins = places->part.first == places->low;
    const uint64_t low = places->low + (joins ? places->part.count : 0);
    STK_TRY(untouched ? put_fresh(input, pulled, out, err) : put_place(places, out, low, err));
    const bool apart = !joins && places->part.count;
    STK_TRY(stk_state_put_u64(out, places->beyond.count + apart, err));
    for (size_t i = 0; i < places->beyond.count; i++) {
        STK_TRY(stk_state_put_u64(out, places->beyond.list[i].first, err));
        STK_TRY(stk_state_put_u64(out, places->beyond.list[i].count, err));
    }
    if (!apart) return STK_OK;
    STK_TRY(stk_state_put_u64(out, places->part.first, err));
    return stk_state_put_u64(out, places->part.count, err);
}

static stk_status get_ranges(stk_queue_positions *places, stk_state_in *in, stk_error *err)
{
    uint64_t count;
    STK_TRY(stk_state_get_count(in, MOST_RANGES, &count, err));
    for (uint64_t i = 0; i < count; i++) {
        uint64_t first, length;
        STK_TRY(stk_state_get_u64(in, &first, err));
        STK_TRY(stk_state_get_u64(in, &length, err));
        if (length > UINT64_MAX - first) return stk_state_damaged(in, "a range is too long", err);
        /* What was given before is given still when this queue is saved in turn. */
        const stk_input_range range = {first, length};
        if (!append_range(&places->before, range) || !append_range(&places->beyond, range))
            return stk_fail(err, STK_E_NOMEM, in->stage, NULL, "no memory to restore a queue");
    }
    return STK_OK;
}

stk_status stk_queue_positions_restore(stk_queue_positions *places, stk_node *input,
                                       uint64_t *number, stk_state_in *in, stk_error *err)
{
    stk_bytes state;
    uint64_t  past, discarded;
    STK_TRY(stk_state_get_count(in, UINT64_MAX / 2, number, err));
    STK_TRY(stk_state_get_bytes(in, &state, err));
    STK_TRY(stk_state_get_u64(in, &past, err));
    STK_TRY(get_ranges(places, in, err));
    stk_state_in inner = *in;
    inner.left = state;
    STK_TRY(stk_node_restore(input, &inner, err));
    if (inner.left.size) return stk_state_damaged(in, "there is more than was expected", err);
    STK_TRY(stk_node_discard(input, past, &discarded, err));
    if (discarded < past) return stk_state_damaged(in, "the data is shorter than its place", err);
    if (past > UINT64_MAX / 2 - *number) return stk_state_damaged(in, "a number is too large", err);
    *number += past;
    places->low = *number;
    return STK_OK;
}

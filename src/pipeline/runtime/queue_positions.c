/* Saved positions of a queue's input. */
#include "pipeline/runtime/queue_positions.h"

#include "base/clock.h"

#include <stdlib.h>

enum {
    INTERVAL_NS_MIN = 1000000, /* between two saved positions */
    WORTH_OF_ITS_COST = 100,   /* and at least so many times what saving took: 1 % at most */
    SMALL = 64 << 10,          /* smaller positions are not accounted for */
    POSITIONS_MAX = 64,        /* when so many wait for the consumer, every other one goes */
    RANGES_MAX = 1 << 18
};

struct stk_saved_position {
    uint64_t            number; /* of the input's next element at that time */
    stk_blob            state;
    uint64_t            reserved; /* of a large one, in the ledger */
    stk_ledger         *ledger;   /* borrowed */
    stk_error           error;    /* status says whether the input could not be saved */
    stk_saved_position *next;
};

void stk_queue_positions_init(stk_queue_positions *positions)
{
    *positions = (stk_queue_positions){0};
    positions->last = &positions->first;
}

static void free_position(stk_saved_position *position)
{
    stk_ledger_release(position->ledger, STK_MEMORY_INDEX, position->reserved);
    stk_blob_release(&position->state);
    free(position);
}

static void free_positions(stk_saved_position *position)
{
    for (stk_saved_position *next; position; position = next) {
        next = position->next;
        free_position(position);
    }
}

void stk_queue_positions_release(stk_queue_positions *positions)
{
    free_positions(positions->first);
    free(positions->beyond.list);
    free(positions->before.list);
}

/* While one element is late in relaxed order, the consumer's position stays and saved ones pile up:
 * thins them out. Called under the lock; returns the dropped ones. */
static stk_saved_position *thin_out(stk_queue_positions *positions)
{
    stk_saved_position *dropped = NULL;
    if (positions->always || positions->count < POSITIONS_MAX) return NULL;
    for (stk_saved_position *position = positions->first; position && position->next;
         position = position->next) {
        stk_saved_position *one = position->next;
        position->next = one->next;
        if (!one->next) positions->last = &position->next;
        one->next = dropped;
        dropped = one;
        positions->count--;
    }
    return dropped;
}

static void add_position(stk_queue_positions *positions, stk_saved_position *position,
                         pthread_mutex_t *lock)
{
    pthread_mutex_lock(lock);
    stk_saved_position *dropped = thin_out(positions);
    *positions->last = position;
    positions->last = &position->next;
    positions->count++;
    pthread_mutex_unlock(lock);
    free_positions(dropped);
}

/* Small ones come and go with time, and are not to decide what fits. */
static stk_status save_position(stk_saved_position *position, stk_node *input)
{
    stk_state_out out = {.blob = &position->state};
    STK_TRY(stk_node_save(input, &out, &position->error));
    if (position->state.size <= SMALL) return STK_OK;
    STK_TRY(stk_ledger_reserve(position->ledger, STK_MEMORY_INDEX, position->state.capacity,
                               &position->error));
    position->reserved = position->state.capacity;
    return STK_OK;
}

/* Without memory for another position the older one stays in use; without any, saving fails until a
 * later one exists. */
void stk_queue_positions_note(stk_queue_positions *positions, stk_node *input, uint64_t number,
                              pthread_mutex_t *lock)
{
    const uint64_t begin = stk_clock_ns();
    const uint64_t since = begin - positions->noted_ns;
    if (positions->always && positions->noted_ns && positions->noted == number) return;
    if (!positions->always && positions->noted_ns &&
        (since < INTERVAL_NS_MIN || since < positions->cost_ns * WORTH_OF_ITS_COST))
        return;
    stk_saved_position *position = calloc(1, sizeof *position);
    if (!position) return;
    position->number = number;
    position->ledger = stk_run_options_of(input->run)->ledger;
    stk_blob_init(&position->state, NULL, STK_MEMORY_INDEX);
    const stk_status st = save_position(position, input);
    if (!st) position->error.status = STK_OK;
    positions->noted_ns = begin;
    positions->noted = number;
    positions->cost_ns = stk_clock_ns() - begin;
    if (st == STK_E_CEILING || st == STK_E_NOMEM)
        free_position(position);
    else
        add_position(positions, position, lock);
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
static void absorb(stk_queue_positions *positions)
{
    stk_input_ranges *beyond = &positions->beyond;
    for (size_t i = 0; i < beyond->count; i++) {
        if (beyond->list[i].first > positions->low) continue;
        if (end_of(&beyond->list[i]) > positions->low) positions->low = end_of(&beyond->list[i]);
        beyond->list[i] = beyond->list[--beyond->count];
        i = (size_t)-1; /* from the beginning */
    }
}

static stk_saved_position *drop_old(stk_queue_positions *positions)
{
    stk_saved_position *old = NULL;
    while (positions->first && positions->first->next &&
           positions->first->next->number <= positions->low) {
        stk_saved_position *position = positions->first;
        positions->first = position->next;
        position->next = old;
        old = position;
        positions->count--;
    }
    return old;
}

void stk_queue_positions_unit_returned(stk_queue_positions *positions, uint64_t first,
                                       uint64_t count, pthread_mutex_t *lock)
{
    positions->part = (stk_input_range){0};
    if (first <= positions->low) {
        if (first + count > positions->low) positions->low = first + count;
        absorb(positions);
    } else if (!add_range(&positions->beyond, first, count)) {
        positions->lost = true;
    }
    pthread_mutex_lock(lock);
    stk_saved_position *old = drop_old(positions);
    pthread_mutex_unlock(lock);
    free_positions(old);
}

void stk_queue_positions_slice_returned(stk_queue_positions *positions, uint64_t first,
                                        uint64_t count)
{
    positions->part = (stk_input_range){first, count};
}

bool stk_queue_positions_was_returned(const stk_queue_positions *positions, uint64_t number)
{
    for (size_t i = 0; i < positions->before.count; i++)
        if (number - positions->before.list[i].first < positions->before.list[i].count) return true;
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

static stk_status put_position(const stk_queue_positions *positions, stk_state_out *out,
                               uint64_t low, stk_error *err)
{
    const stk_saved_position *position = positions->first;
    while (position && position->next && position->next->number <= low)
        position = position->next;
    /* An input that does not come the same way again must be saved right there. */
    if (!position || position->number > low || (positions->always && position->number < low))
        return stk_fail(err, STK_E_NOMEM, "checkpoint", NULL,
                        "there was no memory to note where the input was; save again later");
    if (position->error.status) {
        if (err) *err = position->error;
        return position->error.status;
    }
    STK_TRY(stk_state_put_u64(out, position->number, err));
    STK_TRY(stk_state_put_bytes(out, stk_blob_bytes(&position->state), err));
    return stk_state_put_u64(out, low - position->number, err);
}

stk_status stk_queue_positions_save(const stk_queue_positions *positions, stk_node *input,
                                    uint64_t pulled, bool untouched, stk_state_out *out,
                                    stk_error *err)
{
    if (positions->lost)
        return stk_fail(err, STK_E_NOMEM, "pipeline", NULL,
                        "there was no memory to follow what was given");
    const bool     joins = positions->part.first == positions->low;
    const uint64_t low = positions->low + (joins ? positions->part.count : 0);
    STK_TRY(untouched ? put_fresh(input, pulled, out, err)
                      : put_position(positions, out, low, err));
    const bool separate = !joins && positions->part.count;
    STK_TRY(stk_state_put_u64(out, positions->beyond.count + separate, err));
    for (size_t i = 0; i < positions->beyond.count; i++) {
        STK_TRY(stk_state_put_u64(out, positions->beyond.list[i].first, err));
        STK_TRY(stk_state_put_u64(out, positions->beyond.list[i].count, err));
    }
    if (!separate) return STK_OK;
    STK_TRY(stk_state_put_u64(out, positions->part.first, err));
    return stk_state_put_u64(out, positions->part.count, err);
}

static stk_status get_ranges(stk_queue_positions *positions, stk_state_in *in, stk_error *err)
{
    uint64_t count;
    STK_TRY(stk_state_get_count(in, RANGES_MAX, &count, err));
    for (uint64_t i = 0; i < count; i++) {
        uint64_t first, length;
        STK_TRY(stk_state_get_u64(in, &first, err));
        STK_TRY(stk_state_get_u64(in, &length, err));
        if (length > UINT64_MAX - first) return stk_state_damaged(in, "a range is too long", err);
        /* Results returned before the checkpoint remain so in later saves. */
        const stk_input_range range = {first, length};
        if (!append_range(&positions->before, range) || !append_range(&positions->beyond, range))
            return stk_fail(err, STK_E_NOMEM, in->component, NULL, "no memory to restore a queue");
    }
    return STK_OK;
}

stk_status stk_queue_positions_restore(stk_queue_positions *positions, stk_node *input,
                                       uint64_t *number, stk_state_in *in, stk_error *err)
{
    stk_bytes state;
    uint64_t  past, discarded;
    STK_TRY(stk_state_get_count(in, UINT64_MAX / 2, number, err));
    STK_TRY(stk_state_get_bytes(in, &state, err));
    STK_TRY(stk_state_get_u64(in, &past, err));
    STK_TRY(get_ranges(positions, in, err));
    stk_state_in inner = *in;
    inner.left = state;
    STK_TRY(stk_node_restore(input, &inner, err));
    if (inner.left.size) return stk_state_damaged(in, "there is more than was expected", err);
    STK_TRY(stk_node_discard(input, past, &discarded, err));
    if (discarded < past) return stk_state_damaged(in, "the data is shorter than its place", err);
    if (past > UINT64_MAX / 2 - *number) return stk_state_damaged(in, "a number is too large", err);
    *number += past;
    positions->low = *number;
    return STK_OK;
}

/* Rebuilds a shuffle buffer. The draws are replayed on positions of the input, which costs
 * nanoseconds each; then the input is read once more, and only elements still in the buffer are
 * kept. */
#include "pipeline/operators/shuffle_epochs.h"

#include <inttypes.h>

enum {
    CHECK_EVERY = 1 << 20, /* draws between two looks at the cancel token */
    WINDOW_MIN = 1 << 16   /* positions that are looked up at a time */
};

typedef struct replay {
    stk_shuffle_buffer *buffer;
    stk_shuffle_epoch  *epoch;
    stk_node           *input;
    const stk_state_in *in;
    uint64_t            capacity; /* of the ring of positions */
    uint64_t            count;    /* elements in the buffer at the end */
    uint64_t            start;    /* of the ring, at the end */
    stk_blob            ring;     /* positions, int64_t */
    stk_blob            window;   /* offset in the buffer + 1 of each position from begin on */
    uint64_t            begin, end;
    uint64_t            read; /* elements of the input passed so far */
    uint64_t            errors;
} replay;

static stk_status make_draws(replay *r, stk_error *err)
{
    const stk_cancel *cancel = stk_run_options_of(r->input->run)->cancel;
    stk_shuffle_rng   draws = r->epoch->draws;
    const uint64_t    pulled = r->epoch->pulled, emitted = r->epoch->emitted;
    const uint64_t    slots_max = r->buffer->slots_max;
    STK_TRY(stk_blob_reserve_exact(&r->ring, r->capacity * sizeof(int64_t), err));
    int64_t *ring = (int64_t *)(void *)r->ring.data;
    uint64_t filled = 0, start = 0, end = 0; /* start and end wrap */
    for (uint64_t k = 0; k < emitted; k++) {
        if (k % CHECK_EVERY == 0) STK_TRY(stk_cancel_check(cancel, "shuffle", err));
        for (; filled < pulled && filled - k < slots_max; filled++) {
            ring[end] = (int64_t)filled;
            if (++end == r->capacity) end = 0;
        }
        uint64_t at = start + stk_shuffle_rng_below(&draws, k, filled - k);
        if (at >= r->capacity) at -= r->capacity;
        ring[at] = ring[start];
        if (++start == r->capacity) start = 0;
    }
    for (; filled < pulled; filled++) {
        ring[end] = (int64_t)filled;
        if (++end == r->capacity) end = 0;
    }
    r->start = start;
    return STK_OK;
}

/* Which of the positions from r->read on are in the buffer, and where: a table of as many positions
 * as the buffer has elements, so that all tables together cost no more than the reading. */
static void look_up(replay *r)
{
    const int64_t *ring = (const int64_t *)(const void *)r->ring.data;
    uint64_t      *table = (uint64_t *)(void *)r->window.data;
    const uint64_t size = r->window.capacity / sizeof *table;
    r->begin = r->read;
    r->end = r->begin + size;
    memset(table, 0, size * sizeof *table);
    for (uint64_t i = 0; i < r->count; i++) {
        uint64_t at = r->start + i;
        if (at >= r->capacity) at -= r->capacity;
        const uint64_t position = (uint64_t)ring[at];
        if (position >= r->begin && position < r->end) table[position - r->begin] = i + 1;
    }
}

static stk_status changed(const replay *r, stk_error *err)
{
    return stk_fail(err, STK_E_INVALID, "shuffle", NULL,
                    "the input is not what it was when the checkpoint was made: %" PRIu64
                    " elements and %" PRIu64 " errors were read then, now it gave %" PRIu64
                    " and %" PRIu64 "; bring back the data or start from the beginning",
                    r->epoch->pulled, r->epoch->errors, r->read, r->errors);
}

/* Skips elements that were drawn. After errors each result is pulled, since skipping does not tell
 * which one is an error. */
static stk_status pass_over(replay *r, uint64_t count, stk_error *err)
{
    uint64_t   discarded;
    stk_error  met = {0};
    stk_status st = stk_node_discard(r->input, count, &discarded, &met);
    r->read += discarded;
    if (!st && discarded == count) return STK_OK;
    /* There were no errors then: one that was met now says why the data is not there. */
    if (!st && !met.status) return changed(r, err);
    if (err) *err = met;
    return met.status;
}

/* An error more than there were then is given as it is: it says why the data is not there. */
static stk_status count_error(replay *r, stk_status st)
{
    if (st == STK_E_CANCELLED || st == STK_E_NOMEM || st == STK_E_CEILING) return st;
    return ++r->errors > r->epoch->errors ? st : STK_OK;
}

/* The next element; errors before it are counted. */
static stk_status read_one(replay *r, stk_element **out, stk_error *err)
{
    for (;;) {
        const stk_status st = stk_node_next(r->input, out, err);
        if (!st) break;
        STK_TRY(count_error(r, st));
    }
    if (!*out) return changed(r, err);
    r->read++;
    return STK_OK;
}

static stk_status position_next(replay *r, uint64_t offset, stk_error *err)
{
    stk_element *element;
    STK_TRY(read_one(r, &element, err));
    if (offset) return stk_shuffle_buffer_set(r->buffer, offset - 1, element, err);
    stk_element_unref(element);
    return STK_OK;
}

static stk_status read_again(replay *r, stk_error *err)
{
    const uint64_t *table = (const uint64_t *)(const void *)r->window.data;
    const uint64_t  pulled = r->epoch->pulled;
    while (r->read < pulled) {
        if (r->read == r->end) look_up(r);
        const uint64_t end = r->end < pulled ? r->end : pulled;
        uint64_t       gap = 0;
        while (!r->epoch->errors && r->read + gap < end && !table[r->read + gap - r->begin])
            gap++;
        if (gap)
            STK_TRY(pass_over(r, gap, err));
        else
            STK_TRY(position_next(r, table[r->read - r->begin], err));
    }
    /* Errors that were given after the last element that was read. */
    while (r->errors < r->epoch->errors) {
        stk_element     *element;
        const stk_status st = stk_node_next(r->input, &element, err);
        stk_element_unref(element);
        if (!st) return changed(r, err);
        STK_TRY(count_error(r, st));
    }
    return STK_OK;
}

static stk_status run(replay *r, stk_error *err)
{
    const uint64_t left = r->epoch->pulled - r->epoch->emitted;
    if (left > r->buffer->slots_max) return stk_state_damaged(r->in, "a shuffle's place", err);
    r->count = left;
    uint64_t window = left > WINDOW_MIN ? left : WINDOW_MIN;
    if (window > r->epoch->pulled) window = r->epoch->pulled;
    STK_TRY(make_draws(r, err));
    STK_TRY(stk_blob_reserve_exact(&r->window, (window + 1) * sizeof(uint64_t), err));
    STK_TRY(stk_shuffle_buffer_open(r->buffer, left, err));
    return read_again(r, err);
}

stk_status stk_shuffle_replay(stk_shuffle_buffer *buffer, stk_shuffle_epoch *epoch, stk_node *input,
                              const stk_state_in *in, stk_error *err)
{
    replay r = {.buffer = buffer, .epoch = epoch, .input = input, .in = in};
    r.capacity = epoch->pulled < buffer->slots_max ? epoch->pulled : buffer->slots_max;
    if (!r.capacity) r.capacity = 1;
    stk_blob_init(&r.ring, buffer->slots.ledger, STK_MEMORY_SHUFFLE);
    stk_blob_init(&r.window, buffer->slots.ledger, STK_MEMORY_SHUFFLE);
    const stk_status st = run(&r, err);
    stk_blob_release(&r.window);
    stk_blob_release(&r.ring);
    if (st) stk_shuffle_buffer_release(buffer);
    return st;
}

/* The ring of a shuffle buffer. */
#include "pipeline/operators/shuffle_buffer.h"

#include "base/ledger_pressure.h"
#include "pipeline/support/compact.h"

#include <inttypes.h>

enum {
    FIRST_SLOTS = 256,
    STEP_BYTES = 256 << 10 /* reserved at a time: a look at the ledger is two atomic writes */
};

stk_shuffle_rng stk_shuffle_rng_of(uint64_t seed)
{
    return (stk_shuffle_rng){.key = {(uint32_t)seed, (uint32_t)(seed >> 32)}, .at = UINT64_MAX - 1};
}

static void make_pair(stk_shuffle_rng *draws, uint64_t k)
{
    const uint32_t         counter[4] = {(uint32_t)(k / 2), (uint32_t)(k / 2 >> 32), 0, 0};
    const stk_philox_block block = stk_philox4x32(counter, draws->key);
    uint64_t              *to = &draws->number[k % STK_DRAWS_AHEAD];
    to[0] = block.word[0] | (uint64_t)block.word[1] << 32;
    to[1] = block.word[2] | (uint64_t)block.word[3] << 32;
}

/* In order one more pair is made with every even draw; after a jump all of them. */
void stk_shuffle_rng_make(stk_shuffle_rng *draws, uint64_t k)
{
    const uint64_t even = k & ~(uint64_t)1;
    if (k != draws->at + 1)
        for (uint64_t i = 0; i < STK_DRAWS_AHEAD - 2; i += 2)
            make_pair(draws, even + i);
    make_pair(draws, even + STK_DRAWS_AHEAD - 2);
}

void stk_shuffle_buffer_init(stk_shuffle_buffer *buffer, stk_ledger *ledger, uint64_t slots_max)
{
    *buffer = (stk_shuffle_buffer){.slots_max = slots_max};
    stk_blob_init(&buffer->slots, ledger, STK_MEMORY_SHUFFLE);
}

static stk_element **slot(const stk_shuffle_buffer *buffer, uint64_t offset)
{
    uint64_t at = buffer->start + offset;
    if (at >= buffer->capacity) at -= buffer->capacity;
    return (stk_element **)(void *)buffer->slots.data + at;
}

void stk_shuffle_buffer_release(stk_shuffle_buffer *buffer)
{
    for (uint64_t i = 0; i < buffer->count; i++)
        stk_element_unref(*slot(buffer, i));
    stk_ledger_release(buffer->slots.ledger, STK_MEMORY_SHUFFLE, buffer->reserved);
    stk_blob_release(&buffer->slots);
    stk_shuffle_buffer_init(buffer, buffer->slots.ledger, buffer->slots_max);
}

static stk_status too_much(const stk_shuffle_buffer *buffer, stk_status st, stk_error *err)
{
    if (st != STK_E_CEILING) return st;
    uint64_t held, ceiling;
    stk_ledger_total(buffer->slots.ledger, &held, &ceiling);
    return stk_fail(err, st, "shuffle", NULL,
                    "the buffer holds %" PRIu64 " elements and the pipeline %" PRIu64
                    " bytes of %" PRIu64
                    ", the ceiling: make the shuffle buffer smaller, shuffle before decoding, or "
                    "raise the memory ceiling",
                    buffer->count, held, ceiling);
}

static stk_status reserve_bytes(stk_shuffle_buffer *buffer, size_t bytes, stk_error *err)
{
    stk_ledger *ledger = buffer->slots.ledger;
    if (buffer->held + bytes > buffer->reserved) {
        uint64_t more = bytes + (stk_ledger_is_pressed(ledger) ? 0 : STEP_BYTES);
        if (stk_ledger_reserve(ledger, STK_MEMORY_SHUFFLE, more, NULL)) {
            more = bytes;
            STK_TRY(stk_ledger_reserve(ledger, STK_MEMORY_SHUFFLE, more, err));
        }
        buffer->reserved += more;
    }
    buffer->held += bytes;
    return STK_OK;
}

static void give_back(stk_shuffle_buffer *buffer, size_t bytes)
{
    buffer->held -= bytes;
    if (buffer->reserved - buffer->held < 4 * STEP_BYTES) return;
    const uint64_t spare = buffer->reserved - buffer->held - STEP_BYTES;
    stk_ledger_release(buffer->slots.ledger, STK_MEMORY_SHUFFLE, spare);
    buffer->reserved -= spare;
}

/* Into a new blob: the ring begins at its front again. */
static stk_status grow(stk_shuffle_buffer *buffer, uint64_t capacity, stk_error *err)
{
    stk_blob bigger;
    stk_blob_init(&bigger, buffer->slots.ledger, STK_MEMORY_SHUFFLE);
    if (capacity > SIZE_MAX / sizeof(stk_element *))
        return stk_fail(err, STK_E_LIMIT, "shuffle", NULL, "%" PRIu64 " elements are too many",
                        capacity);
    STK_TRY(stk_blob_reserve_exact(&bigger, capacity * sizeof(stk_element *), err));
    for (uint64_t i = 0; i < buffer->count; i++)
        ((stk_element **)(void *)bigger.data)[i] = *slot(buffer, i);
    stk_blob_release(&buffer->slots);
    buffer->slots = bigger;
    buffer->capacity = capacity;
    buffer->start = 0;
    return STK_OK;
}

static stk_status reserve_slot(stk_shuffle_buffer *buffer, stk_error *err)
{
    if (buffer->count < buffer->capacity) return STK_OK;
    uint64_t capacity = buffer->capacity ? buffer->capacity * 2 : FIRST_SLOTS;
    return grow(buffer, capacity < buffer->slots_max ? capacity : buffer->slots_max, err);
}

static stk_status keep(stk_shuffle_buffer *buffer, stk_element **element, stk_error *err)
{
    STK_TRY(stk_element_compact(element, buffer->slots.ledger, STK_MEMORY_SHUFFLE, err));
    return reserve_bytes(buffer, stk_element_own_bytes(*element), err);
}

stk_status stk_shuffle_buffer_push(stk_shuffle_buffer *buffer, stk_element *element, stk_error *err)
{
    stk_status st = reserve_slot(buffer, err);
    if (!st) st = keep(buffer, &element, err);
    if (st) {
        stk_element_unref(element);
        return too_much(buffer, st, err);
    }
    *slot(buffer, buffer->count++) = element;
    return STK_OK;
}

stk_element *stk_shuffle_buffer_take(stk_shuffle_buffer *buffer, uint64_t offset)
{
    stk_element **from = slot(buffer, offset), **first = slot(buffer, 0);
    stk_element  *element = *from;
    *from = *first;
    *first = NULL;
    if (++buffer->start == buffer->capacity) buffer->start = 0;
    buffer->count--;
    give_back(buffer, stk_element_own_bytes(element));
    return element;
}

void stk_shuffle_buffer_expect_slot(const stk_shuffle_buffer *buffer, uint64_t offset)
{
    if (offset < buffer->count) __builtin_prefetch(slot(buffer, offset));
}

void stk_shuffle_buffer_expect(const stk_shuffle_buffer *buffer, uint64_t offset)
{
    enum { LINE = 64, LINES = 3 }; /* an element of one value */
    if (offset >= buffer->count) return;
    const char *element = (const char *)*slot(buffer, offset);
    for (int i = 0; i < LINES; i++)
        __builtin_prefetch(element + (ptrdiff_t)i * LINE, 1);
}

stk_status stk_shuffle_buffer_open(stk_shuffle_buffer *buffer, uint64_t count, stk_error *err)
{
    if (count > buffer->capacity) STK_TRY(too_much(buffer, grow(buffer, count, err), err));
    buffer->start = 0;
    for (buffer->count = 0; buffer->count < count; buffer->count++)
        *slot(buffer, buffer->count) = NULL;
    return STK_OK;
}

stk_status stk_shuffle_buffer_set(stk_shuffle_buffer *buffer, uint64_t offset, stk_element *element,
                                  stk_error *err)
{
    stk_status st = keep(buffer, &element, err);
    if (st) {
        stk_element_unref(element);
        return too_much(buffer, st, err);
    }
    *slot(buffer, offset) = element;
    return STK_OK;
}

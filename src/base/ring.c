/* The ring: a circular buffer of pointers under one lock, with two waiting sides: for free slots,
 * for items. */
#include "base/ring.h"

#include "base/checked.h"
#include "base/spin.h"

#include <stdlib.h>
#include <time.h>

/* A signal handler may set the token but cannot wake threads: waiters with a token poll. */
enum { LOOK_AT_TOKEN_NS = 10000000 };

typedef struct side {
    pthread_cond_t changed;
    int            sleepers;
} side;

struct stk_ring {
    pthread_mutex_t lock; /* of everything below */
    side            free_slots, items;
    size_t          capacity; /* never changes */
    size_t          first;    /* the oldest item */
    size_t          count;    /* atomic: also read by spinning threads without the lock */
    bool            closed;   /* atomic: likewise */
    void           *slots[];
};

static void init_side(side *s)
{
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&s->changed, &monotonic);
    pthread_condattr_destroy(&monotonic);
}

stk_status stk_ring_new(stk_ring **out, size_t capacity, stk_error *err)
{
    *out = NULL;
    size_t bytes;
    if (capacity == 0)
        return stk_fail(err, STK_E_INVALID, "ring", NULL, "a ring of 0 items; 1 is the fewest");
    if (stk_mul_overflows(capacity, sizeof(void *), &bytes) ||
        stk_add_overflows(bytes, sizeof(stk_ring), &bytes))
        return stk_fail(err, STK_E_LIMIT, "ring", NULL, "%zu items do not fit in memory", capacity);
    stk_ring *ring = calloc(1, bytes);
    if (!ring)
        return stk_fail(err, STK_E_NOMEM, "ring", NULL, "no memory for a ring of %zu items",
                        capacity);
    ring->capacity = capacity;
    pthread_mutex_init(&ring->lock, NULL);
    init_side(&ring->free_slots);
    init_side(&ring->items);
    *out = ring;
    return STK_OK;
}

void stk_ring_free(stk_ring *ring)
{
    if (!ring) return;
    pthread_cond_destroy(&ring->items.changed);
    pthread_cond_destroy(&ring->free_slots.changed);
    pthread_mutex_destroy(&ring->lock);
    free(ring);
}

size_t stk_ring_count(const stk_ring *ring)
{
    return __atomic_load_n(&ring->count, __ATOMIC_RELAXED);
}

static bool is_closed(const stk_ring *ring)
{
    return __atomic_load_n(&ring->closed, __ATOMIC_RELAXED);
}

static bool can_push(const stk_ring *ring)
{
    return stk_ring_count(ring) < ring->capacity || is_closed(ring);
}

static bool can_pop(const stk_ring *ring)
{
    return stk_ring_count(ring) > 0 || is_closed(ring);
}

static void wake_one(side *s)
{
    if (s->sleepers) pthread_cond_signal(&s->changed);
}

static void sleep_on(side *s, pthread_mutex_t *lock, bool has_token)
{
    s->sleepers++;
    if (has_token) {
        const uint64_t  end = stk_clock_ns() + LOOK_AT_TOKEN_NS;
        struct timespec time = {.tv_sec = (time_t)(end / 1000000000u),
                                .tv_nsec = (long)(end % 1000000000u)};
        pthread_cond_timedwait(&s->changed, lock, &time);
    } else {
        pthread_cond_wait(&s->changed, lock);
    }
    s->sleepers--;
}

/* Spins, then sleeps, until ready or the token is set; returns with the lock held. False when the
 * token is set. */
static bool lock_when(stk_ring *ring, side *s, bool (*ready)(const stk_ring *ring),
                      const stk_cancel *cancel)
{
    stk_spin spin = {0};
    while (!ready(ring) && !stk_cancel_requested(cancel) && stk_spin_more(&spin)) {
    }
    pthread_mutex_lock(&ring->lock);
    while (!ready(ring) && !stk_cancel_requested(cancel))
        sleep_on(s, &ring->lock, cancel != NULL);
    if (!stk_cancel_requested(cancel)) return true;
    wake_one(s); /* the wake-up that brought us here may have been meant for another */
    return false;
}

/* The two below expect the lock. */
static bool put(stk_ring *ring, void *item)
{
    if (ring->closed || ring->count == ring->capacity) return false;
    ring->slots[(ring->first + ring->count) % ring->capacity] = item;
    __atomic_store_n(&ring->count, ring->count + 1, __ATOMIC_RELAXED);
    wake_one(&ring->items);
    return true;
}

static bool take(stk_ring *ring, void **item)
{
    if (ring->count == 0) return false;
    *item = ring->slots[ring->first];
    ring->first = (ring->first + 1) % ring->capacity;
    __atomic_store_n(&ring->count, ring->count - 1, __ATOMIC_RELAXED);
    wake_one(&ring->free_slots);
    return true;
}

bool stk_ring_push(stk_ring *ring, void *item, const stk_cancel *cancel)
{
    const bool done = lock_when(ring, &ring->free_slots, can_push, cancel) && put(ring, item);
    pthread_mutex_unlock(&ring->lock);
    return done;
}

bool stk_ring_pop(stk_ring *ring, void **item, const stk_cancel *cancel)
{
    const bool done = lock_when(ring, &ring->items, can_pop, cancel) && take(ring, item);
    pthread_mutex_unlock(&ring->lock);
    return done;
}

bool stk_ring_try_push(stk_ring *ring, void *item)
{
    pthread_mutex_lock(&ring->lock);
    const bool done = put(ring, item);
    pthread_mutex_unlock(&ring->lock);
    return done;
}

bool stk_ring_try_pop(stk_ring *ring, void **item)
{
    pthread_mutex_lock(&ring->lock);
    const bool done = take(ring, item);
    pthread_mutex_unlock(&ring->lock);
    return done;
}

void stk_ring_close(stk_ring *ring)
{
    pthread_mutex_lock(&ring->lock);
    __atomic_store_n(&ring->closed, true, __ATOMIC_RELAXED);
    pthread_cond_broadcast(&ring->free_slots.changed);
    pthread_cond_broadcast(&ring->items.changed);
    pthread_mutex_unlock(&ring->lock);
}

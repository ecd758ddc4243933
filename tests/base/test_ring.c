/* The ring keeps order, gives every item to one taker, and lets everyone go when it closes. */
#include "base/ring.h"
#include "base/threads.h"
#include "harness.h"

#include <stdlib.h>
#include <time.h>

static void *item(uintptr_t n)
{
    return (void *)(n + 1);
}

static void sleep_ms(long ms)
{
    nanosleep(&(struct timespec){.tv_nsec = ms * 1000000}, NULL);
}

STK_TEST(ring_gives_items_in_the_order_they_came)
{
    stk_error err;
    stk_ring *ring;
    void     *got;
    EXPECT_OK(stk_ring_new(&ring, 3, &err));
    EXPECT(!stk_ring_try_pop(ring, &got));
    for (uintptr_t round = 0; round < 5; round++) { /* around the end several times */
        EXPECT(stk_ring_push(ring, item(round), NULL));
        EXPECT(stk_ring_try_push(ring, item(round + 100)));
        EXPECT_INT_EQ(2, stk_ring_count(ring));
        EXPECT(stk_ring_pop(ring, &got, NULL) && got == item(round));
        EXPECT(stk_ring_try_pop(ring, &got) && got == item(round + 100));
    }
    for (uintptr_t i = 0; i < 3; i++)
        EXPECT(stk_ring_try_push(ring, item(i)));
    EXPECT(!stk_ring_try_push(ring, item(3)));
    EXPECT_INT_EQ(3, stk_ring_count(ring));
    stk_ring_free(ring);
    stk_ring_free(NULL);
}

STK_TEST(closed_ring_takes_nothing_more_and_gives_out_the_rest)
{
    stk_error err;
    stk_ring *ring;
    void     *got;
    EXPECT_OK(stk_ring_new(&ring, 4, &err));
    EXPECT(stk_ring_push(ring, item(1), NULL));
    stk_ring_close(ring);
    EXPECT(!stk_ring_push(ring, item(2), NULL));
    EXPECT(!stk_ring_try_push(ring, item(2)));
    EXPECT(stk_ring_pop(ring, &got, NULL) && got == item(1));
    EXPECT(!stk_ring_pop(ring, &got, NULL));
    EXPECT(!stk_ring_try_pop(ring, &got));
    stk_ring_close(ring); /* again is fine */
    stk_ring_free(ring);
}

STK_TEST(set_token_refuses_both_sides_at_once)
{
    stk_error  err;
    stk_ring  *ring;
    void      *got;
    stk_cancel cancel = STK_CANCEL_INIT;
    EXPECT_OK(stk_ring_new(&ring, 1, &err));
    EXPECT(stk_ring_push(ring, item(1), &cancel));
    stk_cancel_request(&cancel);
    EXPECT(!stk_ring_push(ring, item(2), &cancel));
    EXPECT(!stk_ring_pop(ring, &got, &cancel));
    EXPECT_INT_EQ(1, stk_ring_count(ring));
    stk_ring_free(ring);
}

STK_TEST(ring_refuses_no_room_and_too_much)
{
    stk_error err;
    stk_ring *ring;
    EXPECT_STATUS(STK_E_INVALID, stk_ring_new(&ring, 0, &err));
    EXPECT_CONTAINS("1 is the fewest", err.message);
    EXPECT_STATUS(STK_E_LIMIT, stk_ring_new(&ring, SIZE_MAX / 4, &err));
    EXPECT(!ring);
}

static stk_status make_ring(void *context, stk_error *err)
{
    (void)context;
    stk_ring *ring;
    STK_TRY(stk_ring_new(&ring, 8, err));
    stk_ring_free(ring);
    return STK_OK;
}

STK_TEST(ring_survives_every_failing_allocation)
{
    stk_test_fail_each_allocation(make_ring, NULL);
}

enum { SIDES = 4, EACH = 4000, TOTAL = SIDES * EACH };

typedef struct party {
    stk_ring   *ring;
    stk_cancel *cancel;
    uintptr_t   first;        /* a producer's items */
    int         pushed;       /* how many of them went in */
    int         taken;        /* by a consumer */
    uint8_t    *seen;         /* atomic counts, one per item */
    bool        out_of_order; /* items of one producer */
    stk_thread  thread;
} party;

static void *produce(void *context)
{
    party *p = context;
    while (p->pushed < EACH &&
           stk_ring_push(p->ring, item(p->first + (uintptr_t)p->pushed), p->cancel))
        p->pushed++;
    return NULL;
}

static void *consume(void *context)
{
    party    *p = context;
    void     *got;
    uintptr_t last[SIDES] = {0};
    while (stk_ring_pop(p->ring, &got, p->cancel)) {
        const uintptr_t n = (uintptr_t)got - 1;
        __atomic_add_fetch(&p->seen[n], 1, __ATOMIC_RELAXED);
        if (n + 1 <= last[n / EACH]) p->out_of_order = true;
        last[n / EACH] = n + 1;
        p->taken++;
    }
    return NULL;
}

typedef struct fair {
    party   makers[SIDES], takers[SIDES];
    uint8_t seen[TOTAL];
} fair;

static void start(fair *f, stk_ring *ring, stk_cancel *cancel)
{
    stk_error err;
    *f = (fair){0};
    for (int i = 0; i < SIDES; i++) {
        f->makers[i] = (party){.ring = ring, .cancel = cancel, .first = (uintptr_t)i * EACH};
        f->takers[i] = (party){.ring = ring, .cancel = cancel, .seen = f->seen};
        EXPECT_OK(stk_thread_start(&f->makers[i].thread, "maker", produce, &f->makers[i], &err));
        EXPECT_OK(stk_thread_start(&f->takers[i].thread, "taker", consume, &f->takers[i], &err));
    }
}

static int join(party *parties)
{
    int sum = 0;
    for (int i = 0; i < SIDES; i++) {
        stk_thread_join(&parties[i].thread);
        sum += parties[i].pushed + parties[i].taken;
        EXPECT(!parties[i].out_of_order);
    }
    return sum;
}

STK_TEST(many_threads_pass_every_item_exactly_once_and_in_order)
{
    static const size_t capacities[] = {1, 2, 7, 1000};
    static fair         f;
    for (size_t c = 0; c < COUNT_OF(capacities); c++) {
        stk_error err;
        stk_ring *ring;
        EXPECT_OK(stk_ring_new(&ring, capacities[c], &err));
        start(&f, ring, NULL);
        EXPECT_INT_EQ(TOTAL, join(f.makers));
        stk_ring_close(ring);
        EXPECT_INT_EQ(TOTAL, join(f.takers));
        for (int i = 0; i < TOTAL; i++)
            EXPECT_INT_EQ(1, f.seen[i]);
        stk_ring_free(ring);
    }
}

/* What went in is what came out and what is left, wherever the closing falls. */
STK_TEST(closing_in_the_middle_loses_nothing_that_was_accepted)
{
    static fair f;
    for (int round = 0; round < 20; round++) {
        stk_error err;
        stk_ring *ring;
        EXPECT_OK(stk_ring_new(&ring, 5, &err));
        start(&f, ring, NULL);
        nanosleep(&(struct timespec){.tv_nsec = round * 50000}, NULL);
        stk_ring_close(ring);
        const int pushed = join(f.makers);
        EXPECT_INT_EQ(pushed, join(f.takers));
        EXPECT_INT_EQ(0, stk_ring_count(ring));
        stk_ring_free(ring);
    }
}

STK_TEST(token_ends_all_waits_and_every_item_is_accounted_for)
{
    static fair f;
    for (int round = 0; round < 10; round++) {
        stk_error  err;
        stk_ring  *ring;
        stk_cancel cancel = STK_CANCEL_INIT;
        EXPECT_OK(stk_ring_new(&ring, 5, &err));
        start(&f, ring, &cancel);
        nanosleep(&(struct timespec){.tv_nsec = round * 100000}, NULL);
        stk_cancel_request(&cancel);
        const int pushed = join(f.makers), taken = join(f.takers);
        EXPECT_INT_EQ(pushed, taken + (int)stk_ring_count(ring));
        stk_ring_free(ring);
    }
}

STK_TEST(sleepers_on_either_side_are_woken)
{
    stk_error  err;
    stk_ring  *ring;
    void      *got;
    stk_cancel cancel = STK_CANCEL_INIT;
    uint8_t    seen[TOTAL] = {0};
    EXPECT_OK(stk_ring_new(&ring, 1, &err));
    party taker = {.ring = ring, .seen = seen};
    EXPECT_OK(stk_thread_start(&taker.thread, "taker", consume, &taker, &err));
    sleep_ms(3); /* asleep, without a token */
    EXPECT(stk_ring_push(ring, item(0), NULL));
    sleep_ms(3);
    stk_ring_close(ring);
    stk_thread_join(&taker.thread);
    EXPECT_INT_EQ(1, taker.taken);
    stk_ring_free(ring);

    EXPECT_OK(stk_ring_new(&ring, 1, &err));
    party maker = {.ring = ring, .cancel = &cancel};
    EXPECT_OK(stk_thread_start(&maker.thread, "maker", produce, &maker, &err));
    sleep_ms(3);
    EXPECT(stk_ring_pop(ring, &got, NULL) && got == item(0));
    for (int i = 0; i < 5000 && stk_ring_count(ring) == 0; i++)
        sleep_ms(1); /* a busy machine wakes the maker late */
    stk_cancel_request(&cancel);
    stk_thread_join(&maker.thread);
    EXPECT_INT_EQ(2, maker.pushed);
    stk_ring_free(ring);
}

/* Where a queue's consumer is: what is saved, restored and saved again. */
#include "pipeline/iterator/iterator_internal.h"
#include "pipeline/runtime/queue_positions.h"
#include "pipeline_support.h"

#include <unistd.h>

enum { COUNT = 400 };

/* The first element is late, so that others pass it. */
static stk_status be_late(void *context, const stk_call *call, stk_element **element,
                          stk_error *err)
{
    (void)context;
    (void)call;
    (void)err;
    if (stk_test_number(*element) == 0) usleep(100000);
    return STK_OK;
}

static void save(stk_iterator *it, stk_blob *out)
{
    stk_error err;
    out->size = 0;
    EXPECT_OK(stk_iterator_save(it, out, &err));
}

static void take(stk_iterator *it, int most, int *seen)
{
    for (int i = 0; i < most; i++) {
        stk_element *element;
        stk_error    err;
        EXPECT_OK(stk_iterator_next(it, &element, &err));
        if (!element) return;
        seen[stk_test_number(element)]++;
        stk_element_unref(element);
    }
}

STK_TEST(what_relaxed_order_gave_stays_given_through_two_checkpoints)
{
    stk_test_watchdog(60);
    stk_function              *late = stk_test_map("be_late", be_late, NULL, 0);
    stk_dataset               *data = RANGE(COUNT);
    const stk_map_options      relaxed = {.order = STK_ORDER_RELAXED};
    const stk_iterator_options options = {.threads = 4, .seed = 1};
    stk_iterator              *it;
    stk_error                  err;
    stk_blob                   saved;
    int                        seen[COUNT] = {0};
    APPLY(data, map, late, &relaxed);
    stk_blob_init(&saved, NULL, STK_MEMORY_INDEX);
    EXPECT_OK(stk_iterator_start(&it, data, &options, &err));
    take(it, 50, seen);
    save(it, &saved);
    EXPECT_OK(stk_iterator_restore(it, stk_blob_bytes(&saved), &err));
    save(it, &saved);
    EXPECT_OK(stk_iterator_restore(it, stk_blob_bytes(&saved), &err));
    take(it, 50, seen);
    save(it, &saved);
    EXPECT_OK(stk_iterator_restore(it, stk_blob_bytes(&saved), &err));
    take(it, COUNT + 1, seen);
    for (int i = 0; i < COUNT; i++)
        EXPECT_INT_EQ(1, seen[i]);
    stk_iterator_free(it);
    stk_blob_release(&saved);
    stk_dataset_unref(data);
}

/* In the first run only. */
static stk_status be_late_at_10(void *again, const stk_call *call, stk_element **element,
                                stk_error *err)
{
    (void)call;
    (void)err;
    if (stk_test_number(*element) == 10 && !__atomic_load_n((int *)again, __ATOMIC_RELAXED))
        usleep(150000);
    return STK_OK;
}

static stk_status be_late_as_6th(void *again, const stk_call *call, stk_element **element,
                                 stk_error *err)
{
    (void)element;
    (void)err;
    if (call->index == 5 && !__atomic_load_n((int *)again, __ATOMIC_RELAXED)) usleep(150000);
    return STK_OK;
}

/* The numbers of what was given are those of other elements when the input comes again. */
STK_TEST(one_relaxed_stage_above_another_gives_each_element_once)
{
    stk_test_watchdog(60);
    const stk_map_options      relaxed = {.order = STK_ORDER_RELAXED};
    const stk_iterator_options options = {
        .threads = 4, .seed = 1, .passes_off = STK_PASS_ALL & ~(unsigned)STK_PASS_MAP_FUSION};
    int           again = 0, seen[COUNT] = {0};
    stk_dataset  *data = RANGE(COUNT);
    stk_iterator *it;
    stk_error     err;
    stk_blob      saved;
    APPLY(data, map, stk_test_map("at_10", be_late_at_10, &again, 0), &relaxed);
    APPLY(data, take, COUNT);
    APPLY(data, map, stk_test_map("as_6th", be_late_as_6th, &again, 0), &relaxed);
    stk_blob_init(&saved, NULL, STK_MEMORY_INDEX);
    EXPECT_OK(stk_iterator_start(&it, data, &options, &err));
    take(it, 50, seen);
    save(it, &saved);
    __atomic_store_n(&again, 1, __ATOMIC_RELAXED);
    EXPECT_OK(stk_iterator_restore(it, stk_blob_bytes(&saved), &err));
    take(it, COUNT + 1, seen);
    for (int i = 0; i < COUNT; i++)
        EXPECT_INT_EQ(1, seen[i]);
    stk_iterator_free(it);
    stk_blob_release(&saved);
    stk_dataset_unref(data);
}

typedef struct bed {
    stk_dataset        *data;
    stk_iterator       *it;
    pthread_mutex_t     lock;
    stk_queue_positions positions;
} bed;

static void set_up(bed *b)
{
    stk_error err;
    b->data = RANGE(10);
    EXPECT_OK(stk_iterator_start(&b->it, b->data, NULL, &err));
    pthread_mutex_init(&b->lock, NULL);
    stk_queue_positions_init(&b->positions);
}

static void tear_down(bed *b)
{
    stk_queue_positions_release(&b->positions);
    pthread_mutex_destroy(&b->lock);
    stk_iterator_free(b->it);
    stk_dataset_unref(b->data);
}

STK_TEST(ranges_that_touch_are_one)
{
    bed b;
    set_up(&b);
    for (uint64_t i = 1; i < 100000; i++)
        stk_queue_positions_unit_returned(&b.positions, 10 * i, 10, &b.lock);
    EXPECT_INT_EQ(1, b.positions.beyond.count);
    stk_queue_positions_unit_returned(&b.positions, 2000000, 5, &b.lock);
    stk_queue_positions_unit_returned(&b.positions, 1500000, 5, &b.lock);
    EXPECT_INT_EQ(3, b.positions.beyond.count);
    stk_queue_positions_unit_returned(&b.positions, 0, 10, &b.lock);
    EXPECT_INT_EQ(1000000, b.positions.low);
    EXPECT_INT_EQ(2, b.positions.beyond.count);
    tear_down(&b);
}

/* As while one element is late: low stays. */
STK_TEST(places_that_wait_for_a_late_element_do_not_pile_up)
{
    bed b;
    set_up(&b);
    for (uint64_t i = 0; i < 1000; i++) {
        b.positions.noted_ns = 0; /* it is time for another */
        stk_queue_positions_note(&b.positions, b.it->root, i, &b.lock);
        EXPECT(b.positions.count <= 64);
    }
    stk_queue_positions_unit_returned(&b.positions, 0, 1000, &b.lock);
    EXPECT_INT_EQ(1, b.positions.count);
    tear_down(&b);
}

/* Without passes there is no prefetch, so that no other thread pulls from the node meanwhile. Only
 * the line that saved positions are counted in is compared: other memory comes and goes. */
STK_TEST(large_places_are_in_the_ledger)
{
    bed                        b;
    stk_ledger_report          before, after;
    stk_error                  err;
    stk_iterator              *it;
    stk_dataset               *data = RANGE(20000);
    const stk_iterator_options options = {.threads = 1, .passes_off = STK_PASS_ALL};
    set_up(&b);
    EXPECT_OK(stk_dataset_unique(&data, &err));
    EXPECT_OK(stk_iterator_start(&it, data, &options, &err));
    for (int i = 0; i < 15000; i++) {
        stk_element *element;
        EXPECT_OK(stk_iterator_next(it, &element, &err));
        stk_element_unref(element);
    }
    stk_ledger_read(stk_iterator_ledger(it), &before);
    stk_queue_positions_note(&b.positions, it->root, 0, &b.lock);
    stk_ledger_read(stk_iterator_ledger(it), &after);
    EXPECT_INT_EQ(0, before.lines[STK_MEMORY_INDEX].bytes);
    EXPECT(after.lines[STK_MEMORY_INDEX].bytes >= 15000 * sizeof(int64_t));
    tear_down(&b);
    stk_iterator_free(it);
    stk_dataset_unref(data);
}

/* Checkpoints of an iterator that was stopped in the middle of a result. */
#include "pipeline_support.h"

#include <stoker/cancel.h>

enum { COUNT = 203, BATCH = 8 };

/* Asks for a stop at one element, once. */
typedef struct stopper {
    stk_cancel cancel;
    int64_t    at;
} stopper;

static stk_status stop_at(void *context, const stk_call *call, stk_element **element,
                          stk_error *err)
{
    stopper *s = context;
    (void)call;
    if (stk_test_number(*element) == __atomic_load_n(&s->at, __ATOMIC_RELAXED))
        stk_cancel_request(&s->cancel);
    return stk_cancel_check(&s->cancel, "pipeline", err);
}

static stk_dataset *batches(stopper *s)
{
    stk_dataset *data = RANGE(COUNT);
    APPLY(data, shuffle, 40, NULL);
    APPLY(data, map, stk_test_map("stop_at", stop_at, s, 0), NULL);
    APPLY(data, batch, BATCH, NULL);
    return data;
}

/* Appends the numbers of all batches to list until the end or a stop; tells which it was. */
static stk_status take_all(stk_iterator *it, int64_t *list, size_t *count)
{
    for (;;) {
        stk_element *batch;
        stk_error    err;
        stk_status   st = stk_iterator_next(it, &batch, &err);
        if (st || !batch) return st;
        const stk_value *value = stk_element_value(batch, 0);
        EXPECT(*count + (size_t)value->shape.dim[0] <= COUNT);
        for (int64_t i = 0; i < value->shape.dim[0]; i++)
            list[(*count)++] = ((const int64_t *)value->data)[i];
        stk_element_unref(batch);
    }
}

/* Goes on after each stop from what was saved, as a program that is started again. */
static void run_with_stops(int threads, unsigned passes_off, const int64_t *stops,
                           size_t stop_count, int64_t *list, size_t *count)
{
    stk_blob  saved;
    stk_error err;
    stk_blob_init(&saved, NULL, STK_MEMORY_INDEX);
    *count = 0;
    for (size_t start = 0;; start++) {
        stopper              s = {.cancel = STK_CANCEL_INIT, .at = -1};
        stk_dataset         *data = batches(&s);
        stk_iterator        *it;
        stk_iterator_options options = {
            .threads = threads, .seed = 5, .passes_off = passes_off, .cancel = &s.cancel};
        EXPECT_OK(stk_iterator_start(&it, data, &options, &err));
        if (saved.size) EXPECT_OK(stk_iterator_restore(it, stk_blob_bytes(&saved), &err));
        __atomic_store_n(&s.at, start < stop_count ? stops[start] : -1, __ATOMIC_RELAXED);
        const stk_status st = take_all(it, list, count);
        saved.size = 0;
        EXPECT_OK(stk_iterator_save(it, &saved, &err));
        stk_iterator_free(it);
        stk_dataset_unref(data);
        if (!st) break;
        EXPECT_INT_EQ(STK_E_CANCELLED, st);
    }
    stk_blob_release(&saved);
}

STK_TEST(nothing_is_lost_or_given_twice_when_a_stop_cuts_a_batch_short)
{
    stk_test_watchdog(60);
    int64_t whole[COUNT], list[COUNT];
    size_t  whole_count, count;
    run_with_stops(1, STK_PASS_ALL, NULL, 0, whole, &whole_count);
    EXPECT_INT_EQ(COUNT, whole_count);
    for (int threads = 1; threads <= 3; threads++)
        for (int passes = 0; passes < 2; passes++)
            for (int at = 0; at < COUNT; at += 13) {
                const int64_t stops[] = {whole[at], whole[(at + COUNT) / 2], whole[COUNT - 1]};
                run_with_stops(threads, passes ? 0 : STK_PASS_ALL, stops, 3, list, &count);
                EXPECT_INT_EQ(COUNT, count);
                EXPECT_INT_EQ(0, memcmp(whole, list, sizeof whole));
            }
}

STK_TEST(every_damaged_byte_of_a_checkpoint_within_a_batch_is_noticed)
{
    stk_test_watchdog(60);
    int64_t whole[COUNT];
    size_t  whole_count;
    run_with_stops(1, STK_PASS_ALL, NULL, 0, whole, &whole_count);
    stopper              s = {.cancel = STK_CANCEL_INIT, .at = -1};
    stk_dataset         *data = batches(&s);
    stk_iterator        *it, *fresh;
    stk_element         *batch;
    stk_error            err;
    stk_blob             saved;
    stk_iterator_options options = {
        .threads = 1, .seed = 5, .passes_off = STK_PASS_ALL, .cancel = &s.cancel};
    s.at = whole[BATCH + 3];
    stk_blob_init(&saved, NULL, STK_MEMORY_INDEX);
    EXPECT_OK(stk_iterator_start(&it, data, &options, &err));
    EXPECT_OK(stk_iterator_next(it, &batch, &err));
    stk_element_unref(batch);
    EXPECT_INT_EQ(STK_E_CANCELLED, stk_iterator_next(it, &batch, &err));
    EXPECT_OK(stk_iterator_save(it, &saved, &err));
    options.cancel = NULL;
    EXPECT_OK(stk_iterator_start(&fresh, data, &options, &err));
    for (size_t i = 0; i < saved.size; i++) {
        saved.data[i] ^= 0x10;
        EXPECT(stk_iterator_restore(fresh, stk_blob_bytes(&saved), &err) != STK_OK);
        saved.data[i] ^= 0x10;
    }
    stk_blob_release(&saved);
    stk_iterator_free(fresh);
    stk_iterator_free(it);
    stk_dataset_unref(data);
}

/* Data in which nothing more is to be found: whoever runs ahead looks for the next element for
 * ever, and must let go when nobody wants it any more. */
#include "pipeline/iterator/iterator_internal.h"
#include "pipeline_support.h"

#include <pthread.h>
#include <unistd.h>

enum { SEARCHED = 1000 };

static int64_t passed_over; /* elements that went by, atomic */

static stk_status count(void *context, const stk_call *call, stk_element **element, stk_error *err)
{
    (void)call;
    (void)element;
    __atomic_fetch_add(&passed_over, 1, __ATOMIC_RELAXED);
    return context ? stk_fail(err, STK_E_DATALOSS, "test", NULL, "a damaged record") : STK_OK;
}

/* So slow that the consumer waits for it while another thread makes it, and nobody but that one
 * goes on to search. */
static stk_status be_slow(void *context, const stk_call *call, stk_element **element,
                          stk_error *err)
{
    (void)context;
    (void)call;
    (void)element;
    (void)err;
    usleep(50000);
    return STK_OK;
}

static stk_status refuse(void *context, const stk_call *call, const stk_element *element,
                         bool *keep, stk_error *err)
{
    (void)context;
    (void)call;
    (void)element;
    (void)err;
    *keep = false;
    return STK_OK;
}

static stk_dataset *counted(stk_dataset *data, void *fails)
{
    APPLY(data, map, stk_test_map("count", count, fails, 0), &(stk_map_options){.parallel = 1});
    return data;
}

static stk_dataset *numbers(void)
{
    return counted(stk_test_range(0, INT64_MAX, 1), NULL);
}

static stk_dataset *errors_for_ever(void)
{
    stk_dataset *data = counted(stk_test_range(0, INT64_MAX, 1), "fails");
    APPLY(data, ignore_errors, false);
    return data;
}

static stk_dataset *quarantined_for_ever(void)
{
    const stk_quarantine_options options = {.file = "/dev/null", .max_rate = 1};
    stk_dataset                 *data = counted(stk_test_range(0, INT64_MAX, 1), "fails");
    APPLY(data, quarantine, &options);
    return data;
}

static stk_dataset *nothing_new(void)
{
    stk_error    err;
    stk_dataset *data = NUMBERS(7);
    APPLY(data, repeat, -1);
    data = counted(data, NULL);
    EXPECT_OK(stk_dataset_unique(&data, &err));
    APPLY(data, skip, 1);
    return data;
}

static stk_dataset *none_that_passes(void)
{
    stk_dataset *data = numbers();
    APPLY(data, filter, stk_test_test("refuse", refuse, NULL));
    return data;
}

/* The search is in the input of a recording. */
static stk_dataset *none_to_record(void)
{
    stk_dataset *data = none_that_passes();
    APPLY(data, cache, NULL);
    return data;
}

static stk_dataset *far_shard(void)
{
    stk_dataset *data = numbers();
    APPLY(data, shard, INT64_MAX, INT64_MAX - 1);
    return data;
}

static stk_dataset *far_start(void)
{
    stk_dataset *data = numbers();
    APPLY(data, skip, INT64_MAX);
    return data;
}

static stk_dataset *(*const endless[])(void) = {errors_for_ever,  quarantined_for_ever, nothing_new,
                                                none_that_passes, none_to_record,       far_shard,
                                                far_start};

static const stk_iterator_options options = {.threads = 3, .passes_off = STK_PASS_ALL};

/* One element, and after it a search for ever, in a queue that runs ahead. */
static stk_dataset *one_and_then(stk_dataset *(*search)(void))
{
    stk_dataset *data = NUMBERS(5), *rest = search();
    APPLY(data, map, stk_test_map("slow", be_slow, NULL, 0), &(stk_map_options){.parallel = 1});
    stk_test_concatenate(&data, rest);
    stk_dataset_unref(rest);
    APPLY(data, prefetch, 2);
    return data;
}

/* Draws the one element and waits until those that run ahead search. */
static stk_iterator *searching(stk_dataset *data)
{
    stk_error     err;
    stk_iterator *it;
    stk_element  *element;
    __atomic_store_n(&passed_over, 0, __ATOMIC_RELAXED);
    EXPECT_OK(stk_iterator_start(&it, data, &options, &err));
    EXPECT_OK(stk_iterator_next(it, &element, &err));
    EXPECT_INT_EQ(5, stk_test_number(element));
    stk_element_unref(element);
    while (__atomic_load_n(&passed_over, __ATOMIC_RELAXED) < SEARCHED)
        usleep(1000);
    return it;
}

STK_TEST(an_iterator_that_searches_for_ever_can_be_freed)
{
    stk_test_watchdog(30);
    for (size_t i = 0; i < COUNT_OF(endless); i++) {
        stk_dataset *data = one_and_then(endless[i]);
        stk_iterator_free(searching(data));
        stk_dataset_unref(data);
    }
}

STK_TEST(an_iterator_that_searches_for_ever_can_be_restored)
{
    stk_test_watchdog(30);
    for (size_t i = 0; i < COUNT_OF(endless); i++) {
        stk_error     err;
        stk_blob      saved;
        stk_iterator *it;
        stk_dataset  *data = one_and_then(endless[i]);
        stk_blob_init(&saved, NULL, STK_MEMORY_INDEX);
        EXPECT_OK(stk_iterator_start(&it, data, &options, &err));
        EXPECT_OK(stk_iterator_save(it, &saved, &err));
        stk_iterator_free(it);
        it = searching(data);
        EXPECT_OK(stk_iterator_restore(it, stk_blob_bytes(&saved), &err));
        stk_iterator_free(it);
        stk_blob_release(&saved);
        stk_dataset_unref(data);
    }
}

STK_TEST(take_ends_a_search_for_ever)
{
    stk_test_watchdog(30);
    for (size_t i = 0; i < COUNT_OF(endless); i++) {
        stk_error    err;
        stk_element *element;
        stk_dataset *data = one_and_then(endless[i]);
        APPLY(data, take, 1);
        stk_iterator *it = searching(data);
        EXPECT_OK(stk_iterator_next(it, &element, &err));
        assert_null(element);
        stk_iterator_free(it);
        stk_dataset_unref(data);
    }
}

static void *request_soon(void *cancel)
{
    usleep(20000);
    stk_cancel_request(cancel);
    return NULL;
}

/* As a damaged checkpoint may have it. */
STK_TEST(passing_over_data_without_end_can_be_cancelled)
{
    stk_test_watchdog(60);
    stk_cancel           cancel = STK_CANCEL_INIT;
    stk_iterator_options alone = {.threads = 1, .cancel = &cancel, .passes_off = STK_PASS_ALL};
    stk_dataset         *data = RANGE(3);
    stk_iterator        *it;
    stk_error            err;
    pthread_t            thread;
    uint64_t             discarded;
    APPLY(data, filter, stk_test_divides(1));
    APPLY(data, repeat, -1);
    EXPECT_OK(stk_iterator_start(&it, data, &alone, &err));
    EXPECT_INT_EQ(0, pthread_create(&thread, NULL, request_soon, &cancel));
    EXPECT_STATUS(STK_E_CANCELLED, stk_node_discard(it->root, UINT64_MAX, &discarded, &err));
    EXPECT(discarded > 0);
    pthread_join(thread, NULL);
    stk_iterator_free(it);
    stk_dataset_unref(data);
}

/* Random image pipelines over images of which some are broken, on shared functions, under small
 * ceilings, cancelled, starved of memory and saved at random moments, for STOKER_SOAK_SECONDS (2
 * without). Batches that are held must stay what they were, runs without a fault must give what one
 * thread without passes gives, and after each run nothing may be left. */
#include "failing_alloc.h"
#include "pipeline_support.h"

#include "base/clock.h"
#include "base/crc32c.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

enum { IMAGES = 60, CLASSES = 7, HELD = 12, MOST = 400, MENU = 10, AT_ONCE = 3 };

/* Every kind of operation; the results are of one size. */
static const char *const menu[MENU][2] = {
    {"flip", "axis=horizontal"},
    {"rotate", "degrees=-20,20"},
    {"colour_jitter", ""},
    {"blur", ""},
    {"random_crop", "size=20 padding=4 pad_if_needed=true border=reflect"},
    {"equalize", ""},
    {"noise", ""},
    {"cutout", "size=5"},
    {"trivial_augment", ""},
    {"resize", "width=30 height=24"},
};

typedef struct bed {
    uint64_t      draws;
    bool          shrinks; /* the pipeline at hand */
    stk_element  *all;
    stk_function *decode, *shrunk, *one_hot, *mixup, *normalize, *size[2], *ops[MENU];
} bed;

static uint64_t draw(bed *b, uint64_t bound)
{
    b->draws ^= b->draws << 13;
    b->draws ^= b->draws >> 7;
    b->draws ^= b->draws << 17;
    return b->draws % bound;
}

/* Every ninth is cut, every eleventh is none at all. */
static void make_image(stk_blob *out, int number)
{
    stk_error  err;
    stk_pixels p = {.width = 17 + number * 5 % 90, .height = 21 + number * 7 % 60, .channels = 3};
    p.stride = (size_t)p.width * 3;
    p.data = malloc((size_t)p.height * p.stride);
    for (size_t i = 0; i < (size_t)p.height * p.stride; i++)
        p.data[i] = (uint8_t)(i * 5 + (size_t)number * 31 + i / p.stride * 3);
    if (number % 3)
        EXPECT_OK(stk_image_write_jpeg(out, &p, &(stk_jpeg_write_options){.subsample = number & 1},
                                       &err));
    else
        EXPECT_OK(stk_image_write_png(out, &p, &err));
    if (number % 9 == 8) out->size = out->size * 2 / 3;
    if (number % 11 == 10) out->data[0] ^= 0x55;
    free(p.data);
}

static stk_element *make_images(void)
{
    stk_error       err;
    stk_element    *all;
    stk_blob        blobs[IMAGES];
    stk_bytes       strings[IMAGES];
    void           *labels;
    const stk_shape shape = stk_shape_1d(IMAGES);
    for (int i = 0; i < IMAGES; i++) {
        stk_blob_init(&blobs[i], NULL, STK_MEMORY_OUTPUT);
        make_image(&blobs[i], i);
        strings[i] = stk_blob_bytes(&blobs[i]);
    }
    EXPECT_OK(stk_element_new(&all, 2, &err));
    EXPECT_OK(stk_value_strings(stk_element_edit(all, 0), NULL, &shape, strings, &err));
    EXPECT_OK(
        stk_value_dense(stk_element_edit(all, 1), NULL, STK_DTYPE_I64, &shape, &labels, &err));
    for (int i = 0; i < IMAGES; i++)
        ((int64_t *)labels)[i] = i % CLASSES;
    for (int i = 0; i < IMAGES; i++)
        stk_blob_release(&blobs[i]);
    return all;
}

static void set_up(bed *b)
{
    stk_error                      err;
    const char                    *seed = getenv("STOKER_SOAK_SEED");
    const stk_decode_image_options shrink = {.shrink = true, .recover = true};
    *b = (bed){.draws = seed ? strtoull(seed, NULL, 10) : 88172645463325252u};
    b->all = make_images();
    EXPECT_OK(stk_function_decode_image(&b->decode, 0, NULL, &err));
    EXPECT_OK(stk_function_decode_image(&b->shrunk, 0, &shrink, &err));
    EXPECT_OK(stk_function_one_hot(&b->one_hot, 1, CLASSES, 0.1, &err));
    EXPECT_OK(stk_function_mixup(&b->mixup, 0, 1, 0.3, &err));
    EXPECT_OK(stk_function_image(&b->normalize, 0, "normalize", "preset=imagenet", 1, &err));
    EXPECT_OK(stk_function_image(&b->size[0], 0, "random_resized_crop", "size=40", 1, &err));
    EXPECT_OK(stk_function_image(&b->size[1], 0, "centre_crop", "size=128,200", 1, &err));
    for (int i = 0; i < MENU; i++)
        EXPECT_OK(stk_function_image(&b->ops[i], 0, menu[i][0], menu[i][1], i % 2 ? 1 : 0.5, &err));
}

static void tear_down(bed *b)
{
    stk_function *const functions[] = {b->decode,    b->shrunk,  b->one_hot, b->mixup,
                                       b->normalize, b->size[0], b->size[1]};
    for (size_t i = 0; i < COUNT_OF(functions); i++)
        stk_function_unref(functions[i]);
    for (int i = 0; i < MENU; i++)
        stk_function_unref(b->ops[i]);
    stk_element_unref(b->all);
}

static stk_dataset *pipeline(bed *b)
{
    stk_error    err;
    stk_dataset *data;
    EXPECT_OK(stk_dataset_slices(&data, b->all, &err));
    if (draw(b, 2)) APPLY(data, shuffle, 1 + (int64_t)draw(b, 50), NULL);
    if (draw(b, 2)) APPLY(data, repeat, 1 + (int64_t)draw(b, 4));
    b->shrinks = draw(b, 2);
    APPLY(data, map, b->shrinks ? b->shrunk : b->decode, NULL);
    for (uint64_t ops = draw(b, 4); ops; ops--)
        APPLY(data, map, b->ops[draw(b, MENU)], NULL);
    APPLY(data, map, b->size[draw(b, 2)], NULL);
    if (draw(b, 3) == 0) APPLY(data, map, b->normalize, NULL);
    APPLY(data, map, b->one_hot, NULL);
    if (draw(b, 2)) APPLY(data, ignore_errors, false);
    if (draw(b, 4) == 0) APPLY(data, cache, NULL);
    if (draw(b, 4)) {
        const stk_batch_options drop = {.drop_remainder = draw(b, 2)};
        APPLY(data, batch, 1 + (int64_t)draw(b, 12), &drop);
        if (draw(b, 3) == 0) APPLY(data, cache, NULL);
        if (draw(b, 3) == 0) APPLY(data, map, b->mixup, NULL);
        if (draw(b, 3) == 0) APPLY(data, shuffle, 1 + (int64_t)draw(b, 5), NULL);
        if (draw(b, 4) == 0) EXPECT_OK(stk_dataset_unbatch(&data, &err));
    }
    if (draw(b, 2)) APPLY(data, prefetch, (int64_t)draw(b, 5) - 1);
    return data;
}

static uint32_t sum_of(const stk_element *element)
{
    uint32_t sum = 0;
    for (size_t v = 0; v < stk_element_count(element); v++) {
        const stk_value *value = stk_element_value(element, v);
        sum = stk_crc32c(sum, stk_value_data(value),
                         (size_t)stk_value_elements(value) * stk_dtype_bytes(value->dtype));
    }
    return sum;
}

/* Elements that a consumer has not let go of yet. */
typedef struct held {
    stk_element *element[HELD];
    uint32_t     sum[HELD];
} held;

static void swap_in(held *h, size_t place, stk_element *element, uint32_t sum)
{
    if (h->element[place]) {
        EXPECT_INT_EQ(h->sum[place], sum_of(h->element[place]));
        stk_element_unref(h->element[place]);
    }
    h->element[place] = element;
    h->sum[place] = sum;
}

typedef struct results {
    uint32_t sums[MOST];
    size_t   count;
} results;

/* Up to most results, errors among them. False at the end or when it was cancelled. */
static bool take_some(bed *b, stk_iterator *it, uint64_t most, held *h, results *out)
{
    for (uint64_t i = 0; i < most; i++) {
        stk_element *element;
        stk_error    err;
        stk_status   st = stk_iterator_next(it, &element, &err);
        if (st == STK_E_CANCELLED || (!st && !element)) return false;
        const uint32_t sum = st ? (uint32_t)st : sum_of(element);
        if (out && out->count < MOST) out->sums[out->count++] = sum;
        if (!st) swap_in(h, draw(b, HELD), element, sum);
    }
    return true;
}

static void release(held *h)
{
    for (size_t i = 0; i < HELD; i++)
        swap_in(h, i, NULL, 0);
}

/* All of a pipeline on several threads against one. A second iterator over one dataset would be
 * another epoch; and passes change what shrinks. */
static void expect_same_results(bed *b)
{
    const uint64_t at = b->draws;
    results        got[2] = {0};
    held           h = {0};
    stk_error      err;
    stk_iterator  *it;
    for (int i = 0; i < 2; i++) {
        b->draws = at;
        stk_dataset               *data = pipeline(b);
        const stk_iterator_options options = {.threads = i ? 1 + (int)draw(b, 6) : 1,
                                              .seed = 5,
                                              .passes_off =
                                                  i || b->shrinks ? 0u : (unsigned)STK_PASS_ALL};
        EXPECT_OK(stk_iterator_start(&it, data, &options, &err));
        take_some(b, it, MOST, &h, &got[i]);
        stk_iterator_free(it);
        stk_dataset_unref(data);
    }
    release(&h);
    EXPECT_INT_EQ(got[0].count, got[1].count);
    EXPECT_MEM_EQ(got[0].sums, got[1].sums, got[0].count * sizeof got[0].sums[0]);
}

static void *cancel_later(void *token)
{
    usleep(200 + (useconds_t)(stk_clock_ns() / 64 % 6000));
    stk_cancel_request(token);
    return NULL;
}

static void save_and_restore(stk_iterator *it)
{
    stk_error err;
    stk_blob  saved;
    stk_blob_init(&saved, NULL, STK_MEMORY_INDEX);
    stk_status st = stk_iterator_save(it, &saved, &err);
    if (!st) st = stk_iterator_restore(it, stk_blob_bytes(&saved), &err);
    (void)st;
    stk_blob_release(&saved);
}

/* Several iterators over one dataset and the same functions, in turns. */
static void run_with_faults(bed *b)
{
    stk_dataset  *data = pipeline(b);
    stk_cancel    cancel = STK_CANCEL_INIT;
    stk_error     err;
    stk_iterator *its[AT_ONCE] = {0};
    held          h = {0};
    pthread_t     thread;
    const bool    cancelled = draw(b, 3) == 0, starved = draw(b, 3) == 0;
    for (int i = 0; i < AT_ONCE; i++) {
        const stk_iterator_options options = {.threads = 1 + (int)draw(b, 4),
                                              .seed = 3,
                                              .cancel = &cancel,
                                              .memory_bytes = (uint64_t)(4 + draw(b, 60)) << 20};
        EXPECT_OK(stk_iterator_start(&its[i], data, &options, &err));
    }
    if (cancelled) EXPECT_INT_EQ(0, pthread_create(&thread, NULL, cancel_later, &cancel));
    if (starved) stk_alloc_fail_after((int64_t)draw(b, 4000));
    for (int turn = 0; turn < 9; turn++) {
        take_some(b, its[turn % AT_ONCE], draw(b, 40), &h, NULL);
        if (draw(b, 4) == 0) save_and_restore(its[turn % AT_ONCE]);
    }
    for (int i = 0; i < AT_ONCE; i++)
        stk_iterator_free(its[i]);
    stk_alloc_fail_stop();
    release(&h);
    if (cancelled) pthread_join(thread, NULL);
    stk_dataset_unref(data);
}

STK_TEST(nothing_is_left_of_image_pipelines_and_held_batches_stay)
{
    const char    *wish = getenv("STOKER_SOAK_SECONDS");
    const uint64_t limit = (wish ? strtoull(wish, NULL, 10) : 2) * 1000000000u;
    const uint64_t begin = stk_clock_ns();
    int            runs = 0;
    for (bool first = true; first || stk_clock_ns() - begin < limit; first = false, runs++) {
        static uint64_t draws;
        const int64_t   live = stk_alloc_live();
        bed             b;
        set_up(&b);
        if (!first) b.draws = draws;
        const uint64_t at = b.draws;
        stk_test_watchdog(100);
        if (getenv("STOKER_SOAK_VERBOSE")) print_message("STOKER_SOAK_SEED=%" PRIu64 "\n", at);
        if (draw(&b, 3))
            run_with_faults(&b);
        else
            expect_same_results(&b);
        draws = b.draws;
        tear_down(&b);
        if (stk_alloc_live() != live && !first)
            fail_msg("STOKER_SOAK_SEED=%" PRIu64 ": %" PRId64 " allocations are left", at,
                     stk_alloc_live() - live);
    }
    print_message("%d pipelines\n", runs);
}

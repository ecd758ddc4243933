/* Image functions in pipelines: one result on any number of threads, with and without passes, in
 * batches and by themselves. */
#include "../failing_alloc.h"
#include "../harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { IMAGES = 24, CLASSES = 5 };

/* Images of different sizes, each a PNG; the last two are JPEGs. */
static stk_status make_image(stk_blob *out, int number, stk_error *err)
{
    stk_pixels p = {.width = 20 + number % 7, .height = 18 + number % 5, .channels = 3};
    p.stride = (size_t)p.width * 3;
    p.data = malloc((size_t)p.height * p.stride);
    for (size_t i = 0; i < (size_t)p.height * p.stride; i++)
        p.data[i] = (uint8_t)(i * 5 + (size_t)number * 31 + i / p.stride * 3);
    const stk_status st = number >= IMAGES - 2 ? stk_image_write_jpeg(out, &p, NULL, err)
                                               : stk_image_write_png(out, &p, err);
    free(p.data);
    return st;
}

static stk_dataset *images(void)
{
    stk_error    err;
    stk_element *all;
    stk_blob     blobs[IMAGES];
    stk_bytes    strings[IMAGES];
    stk_dataset *data;
    for (int i = 0; i < IMAGES; i++) {
        stk_blob_init(&blobs[i], NULL, STK_MEMORY_OUTPUT);
        EXPECT_OK(make_image(&blobs[i], i, &err));
        strings[i] = stk_blob_bytes(&blobs[i]);
    }
    const stk_shape shape = stk_shape_1d(IMAGES);
    void           *labels;
    EXPECT_OK(stk_element_new(&all, 2, &err));
    EXPECT_OK(stk_value_strings(stk_element_edit(all, 0), NULL, &shape, strings, &err));
    EXPECT_OK(
        stk_value_dense(stk_element_edit(all, 1), NULL, STK_DTYPE_I64, &shape, &labels, &err));
    for (int i = 0; i < IMAGES; i++)
        ((int64_t *)labels)[i] = i % CLASSES;
    EXPECT_OK(stk_dataset_slices(&data, all, &err));
    stk_element_unref(all);
    for (int i = 0; i < IMAGES; i++)
        stk_blob_release(&blobs[i]);
    return data;
}

static void map(stk_dataset **data, stk_function *function)
{
    stk_error err;
    EXPECT_OK(stk_dataset_map(data, function, NULL, &err));
    stk_function_unref(function);
}

static void decode(stk_dataset **data, const stk_decode_image_options *options)
{
    stk_error     err;
    stk_function *function;
    EXPECT_OK(stk_function_decode_image(&function, 0, options, &err));
    map(data, function);
}

static void image(stk_dataset **data, const char *operation, const char *parameters, double chance)
{
    stk_error     err;
    stk_function *function;
    EXPECT_OK(stk_function_image(&function, 0, operation, parameters, chance, &err));
    map(data, function);
}

/* Made anew for every run: a second iterator over the same dataset is another epoch. */
static stk_dataset *augmented(void)
{
    stk_error     err;
    stk_function *function;
    stk_dataset  *data = images();
    decode(&data, NULL);
    image(&data, "random_resized_crop", "size=12,10", 1);
    image(&data, "flip", "axis=horizontal", 0.5);
    EXPECT_OK(stk_function_one_hot(&function, 1, CLASSES, 0.1, &err));
    map(&data, function);
    EXPECT_OK(stk_dataset_repeat(&data, 2, &err));
    return data;
}

typedef struct results {
    stk_element *list[4 * IMAGES];
    size_t       count;
} results;

/* Takes over data. */
static void collect(results *out, stk_dataset *data, int threads, unsigned passes_off)
{
    stk_error                  err;
    stk_iterator              *it;
    stk_element               *element;
    const stk_iterator_options options = {
        .threads = threads, .seed = 7, .passes_off = passes_off, .no_autotune = true};
    out->count = 0;
    EXPECT_OK(stk_iterator_start(&it, data, &options, &err));
    for (;;) {
        EXPECT_OK(stk_iterator_next(it, &element, &err));
        if (!element) break;
        EXPECT(out->count < COUNT_OF(out->list));
        out->list[out->count++] = element;
    }
    stk_iterator_free(it);
    stk_dataset_unref(data);
}

static void drop(results *r)
{
    while (r->count)
        stk_element_unref(r->list[--r->count]);
}

static void expect_same(const results *a, const results *b)
{
    EXPECT_INT_EQ(a->count, b->count);
    for (size_t i = 0; i < a->count; i++)
        EXPECT(stk_element_equal(a->list[i], b->list[i]));
}

STK_TEST(images_are_the_same_on_any_number_of_threads_and_with_any_passes)
{
    static const unsigned off[] = {0, STK_PASS_ALL, STK_PASS_IMAGE, STK_PASS_MAP_FUSION,
                                   STK_PASS_MAP_BATCH};
    results               first, other;
    collect(&first, augmented(), 1, STK_PASS_ALL);
    EXPECT_INT_EQ(2 * IMAGES, first.count);
    EXPECT(!stk_value_equal(stk_element_value(first.list[0], 0),
                            stk_element_value(first.list[IMAGES], 0))); /* another epoch */
    for (size_t i = 0; i < COUNT_OF(off); i++)
        for (int threads = 1; threads <= 8; threads *= 2) {
            collect(&other, augmented(), threads, off[i]);
            expect_same(&first, &other);
            drop(&other);
        }
    drop(&first);
}

STK_TEST(batches_hold_what_their_elements_would_be)
{
    stk_error err;
    results   apart, together;
    collect(&apart, augmented(), 1, 0);
    for (int threads = 1; threads <= 4; threads++) {
        stk_dataset *data = augmented();
        EXPECT_OK(stk_dataset_batch(&data, 5, NULL, &err));
        collect(&together, data, threads, 0);
        EXPECT_INT_EQ((2 * IMAGES + 4) / 5, together.count);
        for (size_t i = 0; i < apart.count; i++)
            for (size_t v = 0; v < 2; v++) {
                const stk_value row =
                    stk_value_row(stk_element_value(together.list[i / 5], v), (int64_t)(i % 5));
                EXPECT(stk_value_equal(&row, stk_element_value(apart.list[i], v)));
                stk_value_release((stk_value *)&row);
            }
        drop(&together);
    }
    drop(&apart);
}

/* Memory that counts what it gives out; it has none after so many. */
typedef struct counted {
    int taken, given, most;
} counted;

static void *take_counted(void *context, size_t size)
{
    counted *c = context;
    if (c->taken >= c->most) return NULL;
    c->taken++;
    return aligned_alloc(STK_BUFFER_ALIGNMENT, (size + 63) / 64 * 64);
}

static void give_counted(void *context, void *data, size_t size)
{
    (void)size;
    ((counted *)context)->given++;
    free(data);
}

static stk_status run_in(counted *c, size_t *batches, stk_error *err)
{
    const stk_allocator        kind = {take_counted, give_counted, c};
    const stk_iterator_options options = {.threads = 2, .batch_memory = &kind};
    stk_dataset               *data = augmented();
    stk_iterator              *it;
    stk_element               *element;
    stk_status                 st = stk_dataset_batch(&data, 8, NULL, err);
    if (!st) st = stk_iterator_start(&it, data, &options, err);
    stk_dataset_unref(data);
    if (st) return st;
    for (*batches = 0; !st; ++*batches) {
        st = stk_iterator_next(it, &element, err);
        if (st || !element) break;
        stk_element_unref(element);
    }
    stk_iterator_free(it);
    return st;
}

STK_TEST(batches_lie_in_memory_of_the_kind_that_is_asked_for)
{
    stk_error err;
    size_t    batches;
    counted   c = {.most = 1000};
    EXPECT_OK(run_in(&c, &batches, &err));
    EXPECT_INT_EQ(2 * IMAGES / 8, batches);
    EXPECT(c.taken == c.given && (size_t)c.taken == 2 * batches);
    c = (counted){.most = 0};
    EXPECT_STATUS(STK_E_NOMEM, run_in(&c, &batches, &err)); /* never other memory instead */
    EXPECT_INT_EQ(0, batches);
}

static stk_status expect_own(void *context, const stk_call *call, stk_element **element,
                             stk_error *err)
{
    (void)call;
    (void)err;
    const stk_value *value = stk_element_value(*element, 0);
    if (!stk_buffer_is_unique(value->storage))
        __atomic_fetch_add((int *)context, 1, __ATOMIC_RELAXED);
    return STK_OK;
}

/* What works in place, as mixing does, need not copy a batch whose memory will be used again. */
STK_TEST(who_gets_a_batch_may_write_in_it)
{
    stk_error               err;
    stk_function           *function;
    stk_element            *element;
    stk_iterator           *it;
    int                     shared = 0;
    stk_dataset            *data = images();
    const stk_function_info info = {.name = "own", .context = &shared, .map = expect_own};
    EXPECT_OK(stk_dataset_repeat(&data, 6, &err));
    decode(&data, NULL);
    image(&data, "random_resized_crop", "size=12,10", 1);
    EXPECT_OK(stk_dataset_batch(&data, 4, NULL, &err));
    EXPECT_OK(stk_function_new(&function, &info, &err));
    map(&data, function);
    EXPECT_OK(stk_iterator_start(&it, data, &(stk_iterator_options){.threads = 2}, &err));
    do {
        EXPECT_OK(stk_iterator_next(it, &element, &err));
        if (element) stk_element_unref(element);
    } while (element);
    EXPECT_INT_EQ(0, shared);
    stk_iterator_free(it);
    stk_dataset_unref(data);
}

static bool explains(stk_dataset *data, const char *part)
{
    stk_error err;
    stk_blob  text;
    stk_blob_init(&text, NULL, STK_MEMORY_OUTPUT);
    EXPECT_OK(stk_dataset_explain(data, STK_PASS_ALL, &text, &err));
    EXPECT_OK(stk_blob_append(&text, "", 1, &err));
    const bool found = strstr((const char *)text.data, part);
    stk_blob_release(&text);
    return found;
}

STK_TEST(the_plan_shows_what_is_run_in_one_pass)
{
    stk_error     err;
    stk_function *function;
    stk_dataset  *data = images();
    decode(&data, NULL);
    image(&data, "centre_crop", "size=8", 1);
    EXPECT_OK(stk_function_cast(&function, 0, STK_DTYPE_F32, &err));
    map(&data, function);
    EXPECT(explains(data, "map image[decode_image["));
    EXPECT(explains(data, "cast[value 0"));
    const stk_element_spec *spec = stk_dataset_spec(data);
    EXPECT(spec->values[0].dtype == STK_DTYPE_F32 && spec->values[0].shape.dim[0] == 8);
    results with, without;
    collect(&with, stk_dataset_ref(data), 2, 0);
    collect(&without, data, 2, STK_PASS_ALL);
    expect_same(&with, &without);
    drop(&with);
    drop(&without);
}

STK_TEST(a_image_that_is_none_is_one_error_and_the_others_come)
{
    stk_error    err;
    stk_element *all, *element;
    stk_bytes    strings[3];
    stk_blob     good, cut;
    stk_blob_init(&good, NULL, STK_MEMORY_OUTPUT);
    stk_blob_init(&cut, NULL, STK_MEMORY_OUTPUT);
    EXPECT_OK(make_image(&good, 0, &err));
    EXPECT_OK(make_image(&cut, IMAGES - 1, &err));
    strings[0] = stk_blob_bytes(&good);
    strings[1] = stk_bytes_of((const uint8_t *)"not pixels", 10);
    strings[2] = stk_blob_bytes(&cut);
    strings[2].size = strings[2].size * 3 / 4;
    const stk_shape shape = stk_shape_1d(3);
    stk_dataset    *data;
    stk_iterator   *it;
    EXPECT_OK(stk_element_new(&all, 1, &err));
    EXPECT_OK(stk_value_strings(stk_element_edit(all, 0), NULL, &shape, strings, &err));
    EXPECT_OK(stk_dataset_slices(&data, all, &err));
    const stk_decode_image_options options = {.recover = true};
    stk_function                  *function;
    EXPECT_OK(stk_function_decode_image(&function, 0, &options, &err));
    EXPECT_OK(stk_dataset_map(&data, function, NULL, &err));
    EXPECT_OK(stk_iterator_start(&it, data, NULL, &err));
    EXPECT_OK(stk_iterator_next(it, &element, &err));
    stk_element_unref(element);
    EXPECT_STATUS(STK_E_UNSUPPORTED, stk_iterator_next(it, &element, &err));
    EXPECT_CONTAINS("element 1", err.where);
    EXPECT_OK(stk_iterator_next(it, &element, &err));
    EXPECT_INT_EQ(1, stk_function_recovered(function));
    stk_element_unref(element);
    stk_function_unref(function);
    stk_iterator_free(it);
    stk_dataset_unref(data);
    stk_element_unref(all);
    stk_blob_release(&good);
    stk_blob_release(&cut);
}

STK_TEST(wrong_orders_and_values_are_refused_when_the_plan_is_made)
{
    stk_error     err;
    stk_function *function;
    stk_dataset  *data = images();
    EXPECT_OK(stk_function_image(&function, 0, "flip", NULL, 1, &err));
    EXPECT_STATUS(STK_E_TYPE, stk_dataset_map(&data, function, NULL, &err)); /* not decoded yet */
    stk_function_unref(function);
    EXPECT_STATUS(STK_E_INVALID, stk_function_image(&function, 0, "flop", NULL, 1, &err));
    EXPECT_STATUS(STK_E_INVALID, stk_function_image(&function, 0, "flip", "axes=up", 1, &err));
    EXPECT_STATUS(STK_E_INVALID, stk_function_image(&function, 0, "flip", NULL, 1.5, &err));
    EXPECT_STATUS(STK_E_RANGE, stk_function_image(&function, -1, "flip", NULL, 1, &err));
    EXPECT_STATUS(STK_E_INVALID, stk_function_one_hot(&function, 0, 0, 0, &err));
    stk_dataset_unref(data);
}

static void run_preset(const char *name, bool evaluate, int64_t height, int64_t channels)
{
    stk_error                err;
    stk_function            *function;
    stk_dataset             *data = images();
    const char *const        names[] = {"image", "label"};
    const stk_preset_options options = {.evaluate = evaluate, .normalize = true, .planar = true};
    EXPECT_OK(stk_function_rename(&function, names, 2, &err));
    map(&data, function);
    EXPECT_OK(stk_dataset_preset(&data, stk_preset_find(name), &options, &err));
    EXPECT_OK(stk_dataset_batch(&data, 4, NULL, &err));
    results r;
    collect(&r, data, 2, 0);
    const stk_value *batch = stk_element_value(r.list[0], 0);
    EXPECT(batch->dtype == STK_DTYPE_F32 && batch->shape.rank == 4);
    EXPECT_INT_EQ(channels, batch->shape.dim[1]);
    EXPECT_INT_EQ(height, batch->shape.dim[2]);
    drop(&r);
}

STK_TEST(presets_give_batches_of_their_size)
{
    for (int evaluate = 0; evaluate < 2; evaluate++) {
        run_preset("imagenet", evaluate, 224, 3);
        run_preset("cifar", evaluate, 32, 3);
        run_preset("fashion", evaluate, 28, 1);
    }
    EXPECT(!stk_preset_find("imagenette"));
}

STK_TEST(recipes_know_images)
{
    stk_error         err;
    stk_dataset      *data;
    static const char yaml[] = "data:\n"
                               "  - tensors: [x]\n"
                               "  - map: {decode_image: {channels: 1, recover: true}}\n"
                               "  - map: {random_resized_crop: {size: 16, area: [0.2, 1]}}\n"
                               "  - map: {flip: {axis: vertical, probability: 0.25}}\n"
                               "  - map: {rotate: [-10, 10]}\n"
                               "  - map: {normalize: {mean: 0.5, std: 0.5}}\n";
    static const char wrong[] = "data:\n"
                                "  - tensors: [x]\n"
                                "  - map: {decode_image: {}}\n"
                                "  - map: {random_resized_crop: {size: 16, aria: [0.2, 1]}}\n";
    EXPECT_OK(stk_recipe_read(&data, stk_bytes_of((const uint8_t *)yaml, sizeof yaml - 1), "r.yaml",
                              NULL, &err));
    const stk_value_spec *spec = stk_dataset_spec(data)->values;
    EXPECT(spec->dtype == STK_DTYPE_F32 && spec->shape.dim[0] == 16 && spec->shape.dim[2] == 1);
    stk_dataset_unref(data);
    EXPECT_STATUS(STK_E_INVALID,
                  stk_recipe_read(&data, stk_bytes_of((const uint8_t *)wrong, sizeof wrong - 1),
                                  "r.yaml", NULL, &err));
    EXPECT_CONTAINS("r.yaml:4", err.where);
    EXPECT_CONTAINS("area", err.message);
}

/* Six images in batches of three, made and run; how many batches came whole. */
static size_t run_starved(stk_dataset *source)
{
    stk_error     err;
    stk_function *functions[4] = {0};
    stk_iterator *it = NULL;
    stk_element  *batch = NULL;
    size_t        whole = 0;
    stk_dataset  *data = stk_dataset_ref(source);
    stk_status    st = stk_function_decode_image(&functions[0], 0, NULL, &err);
    if (!st) st = stk_function_image(&functions[1], 0, "colour_jitter", "", 1, &err);
    if (!st) st = stk_function_image(&functions[2], 0, "random_resized_crop", "size=12", 1, &err);
    if (!st) st = stk_function_image(&functions[3], 0, "normalize", "preset=imagenet", 1, &err);
    if (!st) st = stk_dataset_take(&data, 6, &err);
    for (int i = 0; i < 4 && !st; i++)
        st = stk_dataset_map(&data, functions[i], NULL, &err);
    if (!st) st = stk_dataset_batch(&data, 3, NULL, &err);
    const stk_iterator_options options = {.threads = 1, .seed = 9, .no_autotune = true};
    if (!st) st = stk_iterator_start(&it, data, &options, &err);
    for (size_t i = 0; !st && i < 2; i++) {
        if (stk_iterator_next(it, &batch, &err) || !batch) continue;
        stk_element_unref(batch);
        whole++;
    }
    stk_iterator_free(it);
    stk_dataset_unref(data);
    for (int i = 0; i < 4; i++)
        stk_function_unref(functions[i]);
    return whole;
}

STK_TEST(a_failed_allocation_costs_a_batch_at_most_and_leaves_nothing)
{
    stk_dataset *source = images();
    int64_t      tries = 0;
    bool         met = true;
    EXPECT_INT_EQ(2, run_starved(source));
    for (; met; tries++) {
        const int64_t live = stk_alloc_live();
        stk_alloc_fail_after(tries);
        const size_t whole = run_starved(source);
        met = stk_alloc_fail_stop();
        if (stk_alloc_live() != live) fail_msg("allocation %d leaks", (int)tries);
        if (!met) EXPECT_INT_EQ(2, whole);
    }
    EXPECT(tries > 50);
    stk_dataset_unref(source);
}

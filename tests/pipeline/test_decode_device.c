/* Pipelines whose images a device decodes beside the threads: the same elements in the same
 * order, whoever did them, however late or moody the device is. */
#include "../harness.h"
#include "fake_decode_device.h"

#include <stdio.h>

enum { IMAGES = 60, DAMAGED = 33 };

typedef struct kind {
    const char *name;
    size_t      batch; /* 0: none */
    const char *operations[4][2];
} kind;

/* What of a chain a device can do is all, some or nothing of it. */
static const kind kinds[] = {
    {"training", 16, {{"random_resized_crop", "size=24,20"}, {"flip", "axis=horizontal"}}},
    {"single",
     0,
     {{"random_resized_crop", "size=24,20 filter=bicubic"}, {"flip", "axis=vertical"}}},
    {"evaluation", 7, {{"resize", "size=40 filter=bicubic"}, {"centre_crop", "size=32"}}},
    {"like tf",
     8,
     {{"resize", "width=24 height=24 like=tf antialias=true"}, {"brightness", "factor=0.5"}}},
    {"like opencv", 8, {{"resize", "width=20 height=50 like=opencv"}, {"to_float", ""}}},
    {"area",
     8,
     {{"resize", "width=12 height=12 like=opencv filter=area"}, {"normalize", "preset=imagenet"}}},
    {"nearest",
     5,
     {{"resize", "width=23 height=21 filter=nearest"}, {"random_crop", "size=20,20"}}},
    {"crop", 5, {{"centre_crop", "size=30,30"}, {"colour_jitter", "brightness=0.4"}}},
    {"padded", 5, {{"random_crop", "size=30,30 padding=40"}, {"resize", "width=16 height=16"}}},
};

/* JPEGs of several kinds of size and sampling, and PNGs, which a device does not take. */
static stk_status make_image(stk_blob *out, int number, stk_error *err)
{
    stk_pixels p = {.width = 50 + number % 7, .height = 44 + number % 5};
    p.channels = number % 4 == 3 ? 1 : 3;
    p.stride = (size_t)p.width * (size_t)p.channels;
    p.data = malloc((size_t)p.height * p.stride);
    for (size_t i = 0; i < (size_t)p.height * p.stride; i++)
        p.data[i] = (uint8_t)(i % 13 * 9 + (size_t)number * 31 + i / p.stride * 3);
    const stk_jpeg_write_options how = {.subsample = number % 2};
    const stk_status             st = number % 10 == 9 ? stk_image_write_png(out, &p, err)
                                                       : stk_image_write_jpeg(out, &p, &how, err);
    free(p.data);
    return st;
}

static stk_dataset *images(bool damaged)
{
    stk_error       err;
    stk_element    *all;
    stk_blob        blobs[IMAGES];
    stk_bytes       strings[IMAGES];
    stk_dataset    *data;
    const stk_shape shape = stk_shape_1d(IMAGES);
    for (int i = 0; i < IMAGES; i++) {
        stk_blob_init(&blobs[i], NULL, STK_MEMORY_OUTPUT);
        EXPECT_OK(make_image(&blobs[i], i, &err));
        strings[i] = stk_blob_bytes(&blobs[i]);
    }
    if (damaged) strings[DAMAGED].size /= 2;
    EXPECT_OK(stk_element_new(&all, 1, &err));
    EXPECT_OK(stk_value_strings(stk_element_edit(all, 0), NULL, &shape, strings, &err));
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

static stk_dataset *made(const kind *k, bool damaged)
{
    stk_error     err;
    stk_function *function;
    stk_dataset  *data = images(damaged);
    EXPECT_OK(stk_function_decode_image(&function, 0, NULL, &err));
    map(&data, function);
    for (size_t i = 0; i < COUNT_OF(k->operations) && k->operations[i][0]; i++) {
        EXPECT_OK(stk_function_image(&function, 0, k->operations[i][0], k->operations[i][1],
                                     i == 1 && strcmp(k->name, "crop") == 0 ? 0.5 : 1, &err));
        map(&data, function);
    }
    EXPECT_OK(stk_dataset_repeat(&data, 3, &err));
    const stk_batch_options batch = {0};
    if (k->batch) EXPECT_OK(stk_dataset_batch(&data, (int64_t)k->batch, &batch, &err));
    return data;
}

/* All results as one text: what elements hold, and errors with their place. Takes over data. */
typedef struct run {
    stk_blob text;
    uint64_t device_items;
} run;

static void add(stk_blob *text, const void *data, size_t size)
{
    stk_error err;
    EXPECT_OK(stk_blob_append(text, data, size, &err));
}

static bool take_one(stk_iterator *it, stk_blob *text)
{
    stk_error    err;
    stk_element *element;
    if (stk_iterator_next(it, &element, &err)) {
        add(text, err.where, strlen(err.where));
        add(text, err.message, strlen(err.message));
        return true;
    }
    if (!element) return false;
    const stk_value *value = stk_element_value(element, 0);
    add(text, &value->dtype, sizeof value->dtype);
    add(text, value->shape.dim, (size_t)value->shape.rank * sizeof value->shape.dim[0]);
    add(text, stk_value_data(value),
        (size_t)stk_value_elements(value) * stk_dtype_bytes(value->dtype));
    stk_element_unref(element);
    return true;
}

static void count_by_device(stk_iterator *it, run *out)
{
    stk_iterator_report *report = malloc(sizeof *report);
    stk_iterator_read_report(it, report);
    out->device_items = 0;
    for (size_t i = 0; i < report->stage_count; i++)
        out->device_items += report->stages[i].device_items;
    free(report);
}

static void collect(run *out, stk_dataset *data, int threads, const stk_decode_device *device)
{
    stk_error                  err;
    stk_iterator              *it;
    const stk_iterator_options options = {.threads = threads,
                                          .seed = 7,
                                          .passes_off = STK_PASS_CACHE,
                                          .no_autotune = true,
                                          .images = device};
    stk_blob_init(&out->text, NULL, STK_MEMORY_OUTPUT);
    EXPECT_OK(stk_iterator_start(&it, data, &options, &err));
    while (take_one(it, &out->text)) {
    }
    count_by_device(it, out);
    stk_iterator_free(it);
    stk_dataset_unref(data);
}

static void expect_same(const kind *k, const run *want, int threads, fake_decode_device *fake,
                        bool damaged)
{
    run have;
    collect(&have, made(k, damaged), threads, &fake->device);
    if (have.text.size != want->text.size ||
        memcmp(have.text.data, want->text.data, have.text.size) != 0)
        fail_msg("%s on %d threads with a device is another than without", k->name, threads);
    stk_blob_release(&have.text);
    fake->images = (uint32_t)have.device_items;
}

STK_TEST(a_device_that_decodes_changes_neither_elements_nor_their_order)
{
    static const int threads[] = {1, 2, 3, 8};
    for (size_t i = 0; i < COUNT_OF(kinds); i++) {
        run want;
        collect(&want, made(&kinds[i], false), 2, NULL);
        EXPECT_INT_EQ(0, want.device_items);
        for (size_t t = 0; t < COUNT_OF(threads); t++) {
            fake_decode_device fake;
            fake_decode_device_init(&fake, 8, 1 + (int)(t % 3));
            fake.late_us = t == 1 ? 3000 : 0;
            expect_same(&kinds[i], &want, threads[t], &fake, false);
            EXPECT(fake.most_at_work <= (unsigned)fake.device.max_calls);
        }
        stk_blob_release(&want.text);
    }
}

STK_TEST(what_a_device_refuses_is_decoded_by_threads)
{
    run want;
    collect(&want, made(&kinds[0], false), 2, NULL);
    for (int threads = 1; threads <= 4; threads++) {
        fake_decode_device fake;
        fake_decode_device_init(&fake, 5, 2);
        fake.refuse = 3;
        expect_same(&kinds[0], &want, threads, &fake, false);
    }
    stk_blob_release(&want.text);
}

/* 9 of 10 are JPEGs. */
STK_TEST(a_device_that_works_alone_decodes_all_it_takes)
{
    for (size_t i = 0; i < 2; i++) {
        run                want;
        fake_decode_device fake;
        collect(&want, made(&kinds[i], false), 2, NULL);
        fake_decode_device_init(&fake, 8, 2);
        fake.device.exclusive = true;
        expect_same(&kinds[i], &want, 3, &fake, false);
        EXPECT_INT_EQ(3 * IMAGES * 9 / 10, fake.images);
        stk_blob_release(&want.text);
    }
}

static void count_lines(void *context, const char *line)
{
    if (strstr(line, "the device has gone away"))
        __atomic_fetch_add((int *)context, 1, __ATOMIC_RELAXED);
}

STK_TEST(a_device_that_breaks_is_told_once_and_nothing_is_lost)
{
    for (int alone = 0; alone < 2; alone++) {
        stk_error          err;
        stk_iterator      *it;
        fake_decode_device fake;
        run                want, have;
        int                lines = 0;
        collect(&want, made(&kinds[0], false), 2, NULL);
        fake_decode_device_init(&fake, 4, 2);
        fake.device.exclusive = alone;
        fake.breaks_after = 2;
        const stk_iterator_options options = {.threads = 2,
                                              .seed = 7,
                                              .no_autotune = true,
                                              .images = &fake.device,
                                              .log = count_lines,
                                              .log_context = &lines};
        stk_dataset               *data = made(&kinds[0], false);
        stk_blob_init(&have.text, NULL, STK_MEMORY_OUTPUT);
        EXPECT_OK(stk_iterator_start(&it, data, &options, &err));
        while (take_one(it, &have.text)) {
        }
        stk_iterator_free(it);
        stk_dataset_unref(data);
        EXPECT_INT_EQ(want.text.size, have.text.size);
        EXPECT_MEM_EQ(want.text.data, have.text.data, want.text.size);
        EXPECT(lines <= 1 && (!alone || lines == 1));
        stk_blob_release(&want.text);
        stk_blob_release(&have.text);
    }
}

STK_TEST(damaged_images_are_named_as_without_a_device)
{
    for (size_t i = 0; i < 2; i++) {
        run want;
        collect(&want, made(&kinds[i], true), 2, NULL);
        for (int threads = 1; threads <= 4; threads++) {
            fake_decode_device fake;
            fake_decode_device_init(&fake, 8, 2);
            fake.device.exclusive = threads == 3;
            expect_same(&kinds[i], &want, threads, &fake, true);
        }
        stk_blob_release(&want.text);
    }
}

STK_TEST(a_run_is_left_at_any_time_while_a_device_is_at_work)
{
    for (int taken = 0; taken < 6; taken++) {
        stk_error          err;
        stk_iterator      *it;
        fake_decode_device fake;
        stk_blob           text;
        fake_decode_device_init(&fake, 8, 2);
        fake.late_us = 20000;
        fake.device.exclusive = taken % 2;
        const stk_iterator_options options = {.threads = 2, .seed = 7, .images = &fake.device};
        stk_dataset               *data = made(&kinds[0], false);
        stk_blob_init(&text, NULL, STK_MEMORY_OUTPUT);
        EXPECT_OK(stk_iterator_start(&it, data, &options, &err));
        for (int i = 0; i < taken; i++)
            EXPECT(take_one(it, &text));
        stk_iterator_free(it);
        EXPECT_INT_EQ(0, fake.at_work);
        stk_dataset_unref(data);
        stk_blob_release(&text);
    }
}

static void save_and_go_on(const kind *k, size_t taken, fake_decode_device *fake, stk_blob *text)
{
    stk_error                  err;
    stk_blob                   saved;
    stk_iterator              *it;
    const stk_iterator_options options = {
        .threads = 3, .seed = 7, .no_autotune = true, .images = &fake->device};
    stk_dataset *data = made(k, false);
    stk_blob_init(&saved, NULL, STK_MEMORY_OUTPUT);
    EXPECT_OK(stk_iterator_start(&it, data, &options, &err));
    for (size_t i = 0; i < taken; i++)
        EXPECT(take_one(it, text));
    EXPECT_OK(stk_iterator_save(it, &saved, &err));
    stk_iterator_free(it);
    EXPECT_OK(stk_iterator_start(&it, data, &options, &err));
    EXPECT_OK(stk_iterator_restore(it, stk_blob_bytes(&saved), &err));
    while (take_one(it, text)) {
    }
    stk_iterator_free(it);
    stk_blob_release(&saved);
    stk_dataset_unref(data);
}

STK_TEST(a_checkpoint_goes_on_where_it_was_whoever_decodes)
{
    for (size_t i = 0; i < 2; i++) {
        run want;
        collect(&want, made(&kinds[i], false), 2, NULL);
        for (size_t taken = 0; taken < 8; taken += 3) {
            fake_decode_device fake;
            stk_blob           text;
            fake_decode_device_init(&fake, 8, 2);
            stk_blob_init(&text, NULL, STK_MEMORY_OUTPUT);
            save_and_go_on(&kinds[i], taken, &fake, &text);
            EXPECT_INT_EQ(want.text.size, text.size);
            EXPECT_MEM_EQ(want.text.data, text.data, text.size);
            stk_blob_release(&text);
        }
        stk_blob_release(&want.text);
    }
}

/* Little memory: only the oldest unit goes on, and hands have to wait for it as threads do. */
STK_TEST(hands_keep_within_little_memory)
{
    stk_error          err;
    stk_iterator      *it;
    fake_decode_device fake;
    run                want;
    stk_blob           text;
    collect(&want, made(&kinds[0], false), 2, NULL);
    fake_decode_device_init(&fake, 8, 2);
    fake.device.exclusive = true;
    const stk_iterator_options options = {.threads = 2,
                                          .seed = 7,
                                          .no_autotune = true,
                                          .memory_bytes = 3 << 20,
                                          .images = &fake.device};
    stk_dataset               *data = made(&kinds[0], false);
    stk_blob_init(&text, NULL, STK_MEMORY_OUTPUT);
    EXPECT_OK(stk_iterator_start(&it, data, &options, &err));
    while (take_one(it, &text)) {
    }
    stk_iterator_free(it);
    stk_dataset_unref(data);
    EXPECT_INT_EQ(want.text.size, text.size);
    stk_blob_release(&want.text);
    stk_blob_release(&text);
}

static stk_status start_and_stop(void *context, stk_error *err)
{
    fake_decode_device         fake;
    stk_iterator              *it;
    const stk_iterator_options options = {
        .threads = 2, .seed = 7, .no_autotune = true, .images = &fake.device};
    fake_decode_device_init(&fake, 8, 2);
    STK_TRY(stk_iterator_start(&it, context, &options, err));
    stk_iterator_free(it);
    return STK_OK;
}

STK_TEST(hands_that_cannot_be_started_leave_nothing_behind)
{
    stk_dataset *data = made(&kinds[0], false);
    stk_test_fail_each_allocation(start_and_stop, data);
    stk_dataset_unref(data);
}

/* Images a second of an input pipeline (decode, random resized crop to 224, flip, batches of 256)
 * by the CPU alone, with the GPU's decoder beside it, and by the GPU alone, in turn:
 * bench_images [THREADS [SECONDS [FOLDER]]]. Without a folder of JPEGs, generated ones of
 * 500x375.
 */
#include "base/clock.h"
#include <stdio.h>
#include <stdlib.h>
#include <stoker/stoker.h>
#include <string.h>

enum { GENERATED = 512, WIDTH = 500, HEIGHT = 375, BATCH = 256, TURNS = 3 };

static int fail(const stk_error *err)
{
    fprintf(stderr, "bench_images: %s: %s: %s\n", err->component, err->where, err->message);
    return 1;
}

/* Waves and noise: about 110 kB at quality 95, as photos of that size have. */
static stk_status make_image(stk_blob *out, int number, stk_error *err)
{
    static uint8_t data[WIDTH * HEIGHT * 3];
    uint32_t       state = (uint32_t)number * 7919 + 1;
    for (int i = 0; i < WIDTH * HEIGHT * 3; i++) {
        state = state * 1664525 + 1013904223;
        data[i] = (uint8_t)(110 + (i / 3 % WIDTH + i / (3 * WIDTH) * 2 + number) % 90 / 2 +
                            (int)(state >> 27));
    }
    const stk_pixels             p = {data, WIDTH, HEIGHT, 3, WIDTH * 3};
    const stk_jpeg_write_options how = {.quality = 90, .subsample = true};
    return stk_image_write_jpeg(out, &p, &how, err);
}

static stk_status generate(stk_dataset **out, stk_error *err)
{
    static stk_blob  blobs[GENERATED];
    static stk_bytes strings[GENERATED];
    const stk_shape  shape = stk_shape_1d(GENERATED);
    stk_element     *all;
    size_t           bytes = 0;
    for (int i = 0; i < GENERATED; i++) {
        stk_blob_init(&blobs[i], NULL, STK_MEMORY_OUTPUT);
        STK_TRY(make_image(&blobs[i], i, err));
        strings[i] = stk_blob_bytes(&blobs[i]);
        bytes += blobs[i].size;
    }
    printf("%d images of %dx%d, %.0f kB each\n", GENERATED, WIDTH, HEIGHT,
           (double)bytes / GENERATED / 1000);
    STK_TRY(stk_element_new(&all, 1, err));
    STK_TRY(stk_value_strings(stk_element_edit(all, 0), NULL, &shape, strings, err));
    STK_TRY(stk_dataset_slices(out, all, err));
    stk_element_unref(all);
    return STK_OK;
}

static stk_status put(stk_dataset **data, const char *operation, const char *parameters,
                      double chance, int value, stk_error *err)
{
    stk_function *function;
    STK_TRY(operation ? stk_function_image(&function, value, operation, parameters, chance, err)
                      : stk_function_decode_image(&function, value, NULL, err));
    const stk_status st = stk_dataset_map(data, function, NULL, err);
    stk_function_unref(function);
    return st;
}

static stk_status make_plan(stk_dataset **out, const char *folder, stk_error *err)
{
    const stk_images_options images = {.repeat = STK_AUTO};
    const stk_batch_options  batch = {.drop_remainder = true};
    if (!folder) STK_TRY(generate(out, err));
    if (!folder) STK_TRY(stk_dataset_repeat(out, STK_AUTO, err));
    if (folder) STK_TRY(stk_dataset_images(out, folder, &images, err));
    const int value = folder ? stk_element_spec_find(stk_dataset_spec(*out), "image") : 0;
    STK_TRY(put(out, NULL, NULL, 1, value, err));
    STK_TRY(put(out, "random_resized_crop", "size=224", 1, value, err));
    STK_TRY(put(out, "flip", "axis=horizontal", 0.5, value, err));
    return stk_dataset_batch(out, BATCH, &batch, err);
}

static void say(void *context, const char *line)
{
    (void)context;
    if (strncmp(line, "images:", 7) == 0) printf("    %s\n", line);
}

static stk_status measure(stk_dataset *data, const stk_iterator_options *options, double seconds,
                          const char *name, stk_error *err)
{
    stk_iterator *it;
    stk_element  *batch;
    uint64_t      begin = 0;
    int64_t       batches = -4; /* to warm up */
    STK_TRY(stk_iterator_start(&it, data, options, err));
    stk_status st = STK_OK;
    while (!st && (batches < 0 || (double)(stk_clock_ns() - begin) < seconds * 1e9)) {
        st = stk_iterator_next(it, &batch, err);
        if (st) break;
        stk_element_unref(batch);
        if (++batches == 0) begin = stk_clock_ns();
    }
    const double took = (double)(stk_clock_ns() - begin) * 1e-9;
    if (!st) printf("%-8s %8.0f images/s\n", name, (double)batches * BATCH / took);
    stk_iterator_free(it);
    return st;
}

int main(int argc, char **argv)
{
    const double             seconds = argc > 2 ? atof(argv[2]) : 3;
    const stk_decode_device *lent;
    stk_device              *device;
    stk_dataset             *data = NULL;
    stk_error                err;
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (stk_device_open(&device, "cuda", NULL, &err)) return fail(&err);
    if (stk_device_decoder(device, &lent, &err)) return fail(&err);
    if (make_plan(&data, argc > 3 ? argv[3] : NULL, &err)) return fail(&err);
    stk_decode_device beside = *lent, alone = *lent;
    alone.exclusive = true;
    const stk_decode_device   *who[] = {NULL, &beside, &alone};
    static const char *const   names[] = {"cpu", "shared", "gpu"};
    const stk_iterator_options options = {.threads = argc > 1 ? atoi(argv[1]) : 0,
                                          .seed = 1,
                                          .batch_memory = stk_device_host_memory(device),
                                          .passes_off = STK_PASS_CACHE,
                                          .log = say};
    printf("decoder: %s\n", lent->name);
    for (int turn = 0; turn < TURNS; turn++)
        for (int i = 0; i < 3; i++) {
            stk_iterator_options o = options;
            o.images = who[i];
            if (measure(data, &o, seconds, names[i], &err)) return fail(&err);
        }
    stk_dataset_unref(data);
    stk_device_free(device);
    return 0;
}

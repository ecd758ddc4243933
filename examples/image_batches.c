/* Batches of augmented images from any data: a folder of photos, a tar, a pack.
 *
 *     image_batches photos/ [BATCHES]
 *
 * Decodes, takes random crops of 224 pixels, flips, jitters colours, and hands out batches of 64 as
 * uint8 [64,224,224,3]. Prints their mean colour and the rate. */
#include <stdio.h>
#include <stdlib.h>
#include <stoker/stoker.h>
#include <time.h>

static stk_status put(stk_dataset **data, const char *operation, const char *parameters,
                      double probability, stk_error *err)
{
    stk_function *function;
    STK_TRY(stk_function_image(&function, 0, operation, parameters, probability, err));
    const stk_status st = stk_dataset_map(data, function, NULL, err);
    stk_function_unref(function);
    return st;
}

static stk_status build(stk_dataset **data, const char *path, stk_error *err)
{
    const stk_images_options images = {.shuffle = STK_AUTO, .repeat = STK_AUTO};
    const stk_preset        *preset = stk_preset_find("imagenet"); /* crop, flip; and to that: */
    STK_TRY(stk_dataset_images(data, path, &images, err));
    STK_TRY(stk_dataset_preset(data, preset, NULL, err));
    STK_TRY(put(data, "colour_jitter", "brightness=0.2 contrast=0.2", 0.8, err));
    return stk_dataset_batch(data, 64, &(stk_batch_options){.drop_remainder = true}, err);
}

static stk_status run(stk_iterator *it, long batches, stk_error *err)
{
    struct timespec begin, end;
    double          sum = 0;
    size_t          bytes = 0;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    for (long i = 0; i < batches; i++) {
        stk_element *batch;
        STK_TRY(stk_iterator_next(it, &batch, err));
        const stk_value *images = stk_element_value(batch, 0);
        const uint8_t   *pixels = stk_value_data(images);
        bytes = (size_t)stk_value_elements(images);
        for (size_t k = 0; k < bytes; k += 997)
            sum += pixels[k];
        stk_element_unref(batch);
    }
    clock_gettime(CLOCK_MONOTONIC, &end);
    const double seconds =
        (double)(end.tv_sec - begin.tv_sec) + (double)(end.tv_nsec - begin.tv_nsec) * 1e-9;
    printf("%ld batches, mean level %.1f, %.0f images/s\n", batches,
           sum / ((double)batches * (double)(bytes / 997 + 1)), (double)batches * 64 / seconds);
    return STK_OK;
}

int main(int argc, char **argv)
{
    stk_dataset  *data = NULL;
    stk_iterator *it = NULL;
    stk_error     err;
    if (argc < 2) {
        fprintf(stderr, "usage: %s DATA [BATCHES]\n", argv[0]);
        return 2;
    }
    stk_status st = build(&data, argv[1], &err);
    if (!st) st = stk_iterator_start(&it, data, NULL, &err);
    if (!st) st = run(it, argc > 2 ? atol(argv[2]) : 20, &err);
    if (st) {
        char line[1024];
        fprintf(stderr, "%s\n", stk_error_line(&err, line, sizeof line));
    }
    stk_iterator_free(it);
    stk_dataset_unref(data);
    return st ? 1 : 0;
}

/* Folders of small grey images, one a class: waves whose direction is the class, with noise. What
 * tells some directions apart helps with others. */
#ifndef STK_TESTS_CLASS_FOLDERS_H
#define STK_TESTS_CLASS_FOLDERS_H

#include "base/philox.h"
#include "harness.h"
#include <math.h>
#include <stdio.h>
#include <sys/stat.h>

enum { WAVE_SIDE = 16, WAVE_DIRECTIONS = 8 };

typedef struct wave_class {
    const char *name;
    int         direction;    /* of WAVE_DIRECTIONS */
    int         train, valid; /* images */
} wave_class;

static inline void wave_image(uint8_t *pixels, int direction, uint64_t seed, int noise)
{
    stk_random   random = stk_random_for(seed, 0, (uint64_t)direction, 1);
    const double angle = 3.14159265358979 * direction / WAVE_DIRECTIONS;
    const double phase = (double)stk_random_below(&random, 628) / 100;
    for (int i = 0; i < WAVE_SIDE * WAVE_SIDE; i++) {
        double at = (i % WAVE_SIDE) * cos(angle) + i / WAVE_SIDE * sin(angle);
        double value = 128 + 60 * sin(1.2 * at + phase) +
                       (double)stk_random_below(&random, (uint64_t)(2 * noise + 1)) - noise;
        pixels[i] = (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : value);
    }
}

static inline void wave_write(const char *folder, const wave_class *c, int count, uint64_t seed,
                              int noise)
{
    char      path[512];
    uint8_t   pixels[WAVE_SIDE * WAVE_SIDE];
    stk_error err;
    mkdir(folder, 0777);
    snprintf(path, sizeof path, "%s/%s", folder, c->name);
    mkdir(path, 0777);
    for (int i = 0; i < count; i++) {
        stk_blob         png;
        const stk_pixels of = {pixels, WAVE_SIDE, WAVE_SIDE, 1, WAVE_SIDE};
        wave_image(pixels, c->direction, seed + (uint64_t)i, noise);
        stk_blob_init(&png, NULL, STK_MEMORY_OUTPUT);
        EXPECT_OK(stk_image_write_png(&png, &of, &err));
        snprintf(path, sizeof path, "%s/%s/%04d.png", folder, c->name, i);
        stk_test_write_file(path, png.data, png.size);
        stk_blob_release(&png);
    }
}

/* PATH/train/CLASS/0000.png and PATH/val/...; returns the path. */
static inline const char *wave_folders(const char *name, const wave_class *classes, size_t count,
                                       int noise)
{
    const char *folder = stk_test_path(name);
    char        part[512];
    mkdir(folder, 0777);
    for (size_t i = 0; i < count; i++) {
        snprintf(part, sizeof part, "%s/train", folder);
        wave_write(part, &classes[i], classes[i].train, 1000, noise);
        snprintf(part, sizeof part, "%s/val", folder);
        wave_write(part, &classes[i], classes[i].valid, 500000, noise);
    }
    return folder;
}

#endif

/* Images of tests/data/image/codec and what Pillow makes of them. */
#ifndef STK_TESTS_CODEC_SUPPORT_H
#define STK_TESTS_CODEC_SUPPORT_H

#include "harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <stoker/image.h>
#include <zlib.h>

typedef struct golden {
    char      name[64];
    int32_t   width, height; /* as shown */
    uint32_t  rgb, grey;     /* CRC-32 of the pixels */
    stk_bytes encoded;
} golden;

enum { MOST_GOLDEN = 256 };

/* Fills list with those whose names hold part, and gives their number. */
static inline size_t read_golden(golden *list, const char *part)
{
    char         path[512];
    size_t       count = 0;
    const size_t most = MOST_GOLDEN;
    FILE        *file = fopen(STK_TEST_DATA "/image/codec/expected.txt", "r");
    EXPECT(file != NULL);
    while (count < most && fscanf(file, "%63s %d %d %x %x", list[count].name, &list[count].width,
                                  &list[count].height, &list[count].rgb, &list[count].grey) == 5) {
        if (!strstr(list[count].name, part)) continue;
        snprintf(path, sizeof path, STK_TEST_DATA "/image/codec/%s", list[count].name);
        list[count].encoded = stk_test_read_file(path);
        count++;
    }
    fclose(file);
    EXPECT(count > 0);
    return count;
}

static inline stk_bytes read_image(const char *name)
{
    char path[512];
    snprintf(path, sizeof path, STK_TEST_DATA "/image/codec/%s", name);
    return stk_test_read_file(path);
}

static inline stk_decoder *new_decoder(stk_ledger *ledger)
{
    stk_error    err;
    stk_decoder *decoder;
    EXPECT_OK(stk_decoder_new(&decoder, ledger, &err));
    return decoder;
}

static inline uint32_t sum_pixels(const stk_pixels *pixels)
{
    uLong sum = 0;
    for (int32_t y = 0; y < pixels->height; y++)
        sum = crc32(sum, pixels->data + (size_t)y * pixels->stride,
                    (uInt)(pixels->width * pixels->channels));
    return (uint32_t)sum;
}

/* A copy without gaps, freed by the caller. */
static inline stk_pixels copy_pixels(const stk_pixels *pixels)
{
    const size_t row = (size_t)pixels->width * (size_t)pixels->channels;
    stk_pixels   copy = *pixels;
    copy.data = malloc(row * (size_t)pixels->height);
    copy.stride = row;
    EXPECT(copy.data != NULL);
    for (int32_t y = 0; y < pixels->height; y++)
        memcpy(copy.data + (size_t)y * row, pixels->data + (size_t)y * pixels->stride, row);
    return copy;
}

/* part is what whole has in window. */
static inline void expect_cut_out(const stk_pixels *whole, stk_rect window, const stk_pixels *part)
{
    EXPECT_INT_EQ(window.width, part->width);
    EXPECT_INT_EQ(window.height, part->height);
    EXPECT_INT_EQ(whole->channels, part->channels);
    for (int32_t y = 0; y < window.height; y++)
        EXPECT_MEM_EQ(whole->data + (size_t)(window.y + y) * whole->stride +
                          (size_t)(window.x * whole->channels),
                      part->data + (size_t)y * part->stride,
                      (size_t)(window.width * whole->channels));
}

/* Numbers for tests that draw: the same every run. */
static inline uint32_t draw(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

#endif

/* Small grey images that can be told apart, as files. */
#include "bench_cases.h"

#include <errno.h>
#include <ftw.h>
#include <stdlib.h>
#include <stoker/image.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { CLASSES = 4, IMAGES = 256, SIDE = 28 };

stk_status cli_cases_make_folder(cli_cases *cases, stk_error *err)
{
    const char *base = getenv("TMPDIR");
    snprintf(cases->folder, sizeof cases->folder, "%.400s/stoker-cases-XXXXXX",
             base && *base ? base : "/tmp");
    if (mkdtemp(cases->folder)) return STK_OK;
    const stk_status st =
        stk_fail_errno(err, errno, "bench", cases->folder, "make a temporary folder");
    cases->folder[0] = 0;
    return st;
}

static int remove_one(const char *path, const struct stat *info, int kind, struct FTW *at)
{
    (void)info, (void)kind, (void)at;
    return remove(path);
}

void cli_cases_remove_folder(const cli_cases *cases)
{
    if (cases->folder[0]) nftw(cases->folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* Stripes, of another width in each class, and noise, so that files are of some size. */
static void draw(uint8_t pixels[SIDE * SIDE], int class, int number)
{
    uint32_t noise = (uint32_t)(class * IMAGES + number) * 2654435761u + 1;
    for (int y = 0; y < SIDE; y++)
        for (int x = 0; x < SIDE; x++) {
            noise = noise * 1664525u + 1013904223u;
            pixels[y * SIDE + x] = (uint8_t)((x / (class + 1) % 2) * 160 + (noise >> 26));
        }
}

static stk_status save(const char *path, const stk_blob *bytes, stk_error *err)
{
    FILE *file = fopen(path, "wb");
    if (!file) return stk_fail_errno(err, errno, "bench", path, "write an image");
    const bool whole = fwrite(bytes->data, 1, bytes->size, file) == bytes->size;
    if (fclose(file) || !whole) return stk_fail_errno(err, errno, "bench", path, "write an image");
    return STK_OK;
}

static stk_status write_image(const char *folder, int class, int number, stk_error *err)
{
    uint8_t          values[SIDE * SIDE];
    const stk_pixels pixels = {values, SIDE, SIDE, 1, SIDE};
    char             path[CLI_CASE_PATH + 64];
    stk_blob         png;
    snprintf(path, sizeof path, "%s/%04d.png", folder, number);
    draw(values, class, number);
    stk_blob_init(&png, NULL, STK_MEMORY_OUTPUT);
    stk_status st = stk_image_write_png(&png, &pixels, err);
    if (!st) st = save(path, &png, err);
    stk_blob_release(&png);
    return st;
}

stk_status cli_cases_make_data(const cli_cases *cases, char *path, size_t capacity, stk_error *err)
{
    char folder[CLI_CASE_PATH + 32];
    snprintf(path, capacity, "%s/images", cases->folder);
    if (mkdir(path, 0777)) return stk_fail_errno(err, errno, "bench", path, "make a folder");
    for (int class = 0; class < CLASSES; class ++) {
        snprintf(folder, sizeof folder, "%.500s/class%d", path, class);
        if (mkdir(folder, 0777))
            return stk_fail_errno(err, errno, "bench", folder, "make a folder");
        for (int i = 0; i < IMAGES; i++)
            STK_TRY(write_image(folder, class, i, err));
    }
    return STK_OK;
}

/* JPEGs made seekable from arbitrary bytes: what libjpeg decodes without a warning has the same
 * pixels afterwards, and the index leads to markers. Behind the input come zeros, since small
 * images are left alone. */
#include "image/jpeg/restart_index.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <stoker/image.h>

/* jpeglib.h needs stdio.h before it. */
#include <jpeglib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { LEAST = 16 << 10, PIXELS = 1 << 16, CHANNELS = 4 };

typedef struct decoding {
    struct jpeg_error_mgr         errors; /* first */
    struct jpeg_decompress_struct from;
    jmp_buf                       leave;
    uint8_t                       pixels[PIXELS * CHANNELS];
    size_t                        size;
} decoding;

static void demand(bool condition, const char *what)
{
    if (condition) return;
    fprintf(stderr, "fuzz_seekable: %s\n", what);
    abort();
}

static void leave(j_common_ptr info)
{
    longjmp(((decoding *)info->err)->leave, 1);
}

static void read_pixels(decoding *d)
{
    jpeg_read_header(&d->from, TRUE);
    jpeg_start_decompress(&d->from);
    const size_t stride = d->from.output_width * (size_t)d->from.output_components;
    demand(stride * d->from.output_height <= sizeof d->pixels, "larger than the limit");
    for (d->size = 0; d->from.output_scanline < d->from.output_height; d->size += stride) {
        uint8_t *row = d->pixels + d->size;
        jpeg_read_scanlines(&d->from, &row, 1);
    }
    jpeg_finish_decompress(&d->from);
}

/* False after an error or a warning. */
static bool decode(decoding *d, stk_bytes encoded)
{
    d->from.err = jpeg_std_error(&d->errors);
    d->errors.error_exit = d->errors.output_message = leave;
    jpeg_create_decompress(&d->from);
    const bool whole = !setjmp(d->leave);
    if (whole) {
        jpeg_mem_src(&d->from, encoded.data, encoded.size);
        read_pixels(d);
    }
    jpeg_destroy_decompress(&d->from);
    return whole;
}

static void check_index(stk_bytes file, stk_bytes bytes)
{
    static uint32_t   places[PIXELS];
    stk_restart_index index;
    demand(stk_restart_index_read(&index, bytes) && index.count < PIXELS, "no index");
    demand(stk_restart_index_offsets(&index, (uint32_t)file.size, places), "no places");
    demand(places[index.count] == file.size, "the last segment does not end with the file");
    for (uint32_t i = 1; i <= index.count; i++)
        demand(file.data[places[i] - 2] == 0xff && file.data[places[i] - 1] >= 0xd0 &&
                   file.data[places[i] - 1] <= 0xd9,
               "no marker");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static decoding        before, after;
    const stk_image_limits limits = {.side = 4096, .pixels = PIXELS};
    const size_t           padded = size < LEAST ? LEAST : size;
    uint8_t               *copy = calloc(padded, 1);
    stk_blob               file, restarts;
    stk_seekable_result    result;
    stk_error              err = {0};
    if (!copy) abort();
    if (size) memcpy(copy, data, size);
    stk_blob_init(&file, NULL, STK_MEMORY_OUTPUT);
    stk_blob_init(&restarts, NULL, STK_MEMORY_OUTPUT);
    if (stk_jpeg_make_seekable(stk_bytes_of(copy, padded), &limits, &file, &restarts, &result,
                               &err))
        demand(err.message[0] && !file.size && !restarts.size, "no reason, or something left");
    if (result.rewritten) {
        check_index(stk_blob_bytes(&file), stk_blob_bytes(&restarts));
        if (decode(&before, stk_bytes_of(copy, padded))) {
            demand(decode(&after, stk_blob_bytes(&file)), "cannot be decoded any more");
            demand(before.size == after.size && !memcmp(before.pixels, after.pixels, after.size),
                   "other pixels");
        }
    }
    stk_blob_release(&file);
    stk_blob_release(&restarts);
    free(copy);
    return 0;
}

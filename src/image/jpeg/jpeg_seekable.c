/* Seekable JPEGs: how far apart the restarts are, and the index of where they came to be.
 *
 * A restart costs some 6 bytes: a marker of 2, filling up to a byte, the DC values anew, and 2 in
 * the index. Huffman codes made for the image pay for them where it had the standard's. Decoding
 * a crop wastes half a segment in each row of MCUs at its left edge. */
#include "image/jpeg/jpeg_rewrite.h"
#include "image/jpeg/restart_index.h"

#include <assert.h>

enum {
    SEGMENT_BYTES = 256, /* at least, so that restarts cost less than 3 % */
    SEGMENT_PIXELS = 64, /* at least, along the row */
    MARKER_BYTES = 2,
    SCAN_MARKER = 0xda,
    END_MARKER = 0xd9
};

static bool is_jpeg(stk_bytes encoded)
{
    static const uint8_t begin[] = {0xff, 0xd8, 0xff};
    return encoded.size >= sizeof begin && !memcmp(encoded.data, begin, sizeof begin);
}

/* Segments never need to be longer than a row. */
static uint32_t choose_interval(const stk_mcu_grid *grid, size_t encoded_bytes)
{
    const uint64_t mcus = (uint64_t)grid->columns * grid->rows;
    uint64_t       interval = (SEGMENT_BYTES * mcus + encoded_bytes - 1) / encoded_bytes;
    if (interval * grid->width < SEGMENT_PIXELS)
        interval = (SEGMENT_PIXELS + grid->width - 1) / grid->width;
    if (interval > grid->columns) interval = grid->columns;
    if (interval > STK_JPEG_INTERVAL_MAX) interval = STK_JPEG_INTERVAL_MAX;
    return interval < mcus ? (uint32_t)interval : 0;
}

/* The offset of the scan's codes, in a file that libjpeg has written. */
static size_t find_scan(const uint8_t *file)
{
    size_t at = MARKER_BYTES; /* SOI */
    for (;;) {
        const uint8_t marker = file[at + 1];
        at += MARKER_BYTES + ((size_t)file[at + 2] << 8 | file[at + 3]);
        if (marker == SCAN_MARKER) return at;
    }
}

/* Writes the lengths of the segments from first on (up to the capacity); returns their number. */
static size_t measure_segments(stk_bytes file, size_t first, uint32_t *lengths, size_t capacity)
{
    size_t count = 0, begin = first;
    for (size_t at = first;;) {
        const uint8_t *found = memchr(file.data + at, 0xff, file.size - at - 1);
        if (!found) return count;
        at = (size_t)(found - file.data) + MARKER_BYTES;
        if (!found[1]) continue; /* a byte of codes */
        if (count < capacity) lengths[count] = (uint32_t)(at - begin);
        count++;
        begin = at;
        if (found[1] == END_MARKER) return count;
    }
}

static stk_status write_index(stk_bytes file, const stk_jpeg_rewritten *written, stk_blob *restarts,
                              stk_error *err)
{
    const uint64_t mcus = (uint64_t)written->grid.columns * written->grid.rows;
    const size_t   count = (size_t)((mcus + written->interval - 1) / written->interval);
    stk_blob       lengths;
    stk_blob_init(&lengths, restarts->ledger, STK_MEMORY_DECODE);
    stk_status st = stk_blob_reserve_exact(&lengths, count * sizeof(uint32_t), err);
    if (!st) {
        uint32_t    *numbers = (uint32_t *)(void *)lengths.data;
        const size_t first = find_scan(file.data);
        const size_t found = measure_segments(file, first, numbers, count);
        assert(found == count);
        (void)found;
        st = stk_restart_index_write(restarts, written->interval, (uint32_t)first, numbers,
                                     (uint32_t)count, err);
    }
    stk_blob_release(&lengths);
    return st;
}

static stk_status make_seekable(stk_bytes encoded, const stk_image_limits *limits, stk_blob *out,
                                stk_blob *restarts, stk_seekable_result *result, stk_error *err)
{
    stk_jpeg_rewritten written;
    const size_t       begin = out->size, index_begin = restarts->size;
    STK_TRY(stk_jpeg_rewrite(encoded, limits, choose_interval, out, &written, err));
    if (!written.done) return STK_OK;
    const stk_bytes file = stk_bytes_of(out->data + begin, out->size - begin);
    if (file.size > UINT32_MAX)
        return stk_fail(err, STK_E_LIMIT, "jpeg", NULL, "%zu bytes are too many for an index",
                        file.size);
    STK_TRY(write_index(file, &written, restarts, err));
    result->rewritten = true;
    result->interval = (int32_t)written.interval;
    result->bytes_after = file.size + restarts->size - index_begin;
    return STK_OK;
}

stk_status stk_jpeg_make_seekable(stk_bytes encoded, const stk_image_limits *limits, stk_blob *out,
                                  stk_blob *restarts, stk_seekable_result *result, stk_error *err)
{
    const size_t begin = out->size, index_begin = restarts->size;
    *result = (stk_seekable_result){.bytes_before = encoded.size, .bytes_after = encoded.size};
    if (!is_jpeg(encoded) || encoded.size < STK_SEEKABLE_BYTES_MIN) return STK_OK;
    const stk_status st = make_seekable(encoded, limits, out, restarts, result, err);
    if (!result->rewritten) { /* a partial result is useless */
        out->size = begin;
        restarts->size = index_begin;
    }
    return st;
}

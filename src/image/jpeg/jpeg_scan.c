/* Walking over a scan: segments between restart markers, and the bytes of each. */
#include "image/jpeg/jpeg_scan.h"

enum { MARKER_RST0 = 0xd0, RESTARTS = 8, BLOCK = 64 };

const stk_scan_lists stk_scan_constants = {
    .order =
        {0,  1,  8,  16, 9,  2,  3,  10, 17, 24, 32, 25, 18,
         11, 4,  5,  12, 19, 26, 33, 40, 48, 41, 34, 27, 20,
         13, 6,  7,  14, 21, 28, 35, 42, 49, 56, 57, 50, 43,
         36, 29, 22, 15, 23, 30, 37, 44, 51, 58, 59, 52, 45,
         38, 31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63, [BLOCK... STK_SCAN_ORDER - 1] = BLOCK},
    .lowest = {0, -1, -3, -7, -15, -31, -63, -127, -255, -511, -1023, -2047, -4095, -8191, -16383,
               -32767}};

static void unstuff_more(stk_jpeg_scan *scan)
{
    const size_t        there = (size_t)(scan->end - scan->buffer);
    const stk_unstuffed more = scan->unstuff(
        scan->buffer + there, STK_SCAN_CHUNK,
        stk_bytes_of(scan->encoded.data + scan->read, scan->encoded.size - scan->read));
    scan->read += more.read;
    scan->end += more.written;
    scan->finished = more.marker;
    /* Bits are taken eight bytes ahead. */
    scan->guard = more.marker ? scan->end + 8 : scan->end - STK_SCAN_BATCH_BYTES;
}

/* Unstuffs more bytes of the current segment if next is past guard. */
static bool feed(stk_jpeg_scan *scan)
{
    while (!scan->finished && scan->next > scan->guard) {
        const size_t there = (size_t)(scan->end - scan->next);
        memmove(scan->buffer, scan->next, there);
        scan->next = scan->buffer;
        scan->end = scan->buffer + there;
        unstuff_more(scan);
    }
    return scan->next <= scan->guard;
}

static void begin_segment(stk_jpeg_scan *scan, uint32_t segment, size_t offset)
{
    scan->segment = segment;
    scan->mcu = segment * scan->interval;
    scan->read = offset;
    scan->window = scan->left = 0;
    scan->next = scan->end = scan->buffer;
    memset(scan->predicted, 0, sizeof scan->predicted);
    unstuff_more(scan);
}

static bool is_restart(const stk_jpeg_scan *scan, size_t marker, uint32_t segment)
{
    return marker + 1 < scan->encoded.size && scan->encoded.data[marker] == 0xff &&
           scan->encoded.data[marker + 1] == MARKER_RST0 + (segment - 1) % RESTARTS;
}

bool stk_scan_check_restarts(const stk_jpeg_scan *scan)
{
    for (uint32_t i = 1; i < scan->restart_count; i++)
        if (scan->restarts[i] < scan->first + 2 || !is_restart(scan, scan->restarts[i] - 2, i))
            return false;
    return true;
}

/* Finds the marker before a later segment. */
static bool find_segment(stk_jpeg_scan *scan, uint32_t segment, size_t *offset)
{
    if (scan->restarts && segment < scan->restart_count) {
        *offset = scan->restarts[segment];
        return true;
    }
    size_t at = scan->read;
    for (uint32_t i = scan->segment + 1; i <= segment; i++) {
        at += scan->find_marker(stk_bytes_of(scan->encoded.data + at, scan->encoded.size - at));
        if (!is_restart(scan, at, i)) return false;
        at += 2;
    }
    *offset = at;
    return true;
}

static bool go_to_segment(stk_jpeg_scan *scan, uint32_t segment)
{
    size_t offset;
    if (!find_segment(scan, segment, &offset)) return false;
    begin_segment(scan, segment, offset);
    return true;
}

void stk_scan_begin(stk_jpeg_scan *scan)
{
    begin_segment(scan, 0, scan->first);
}

/* MCUs left in the segment, moving to the next at its end; 0: there is none. */
static uint32_t left_in_segment(stk_jpeg_scan *scan, uint32_t max)
{
    if (!scan->interval) return max;
    const uint64_t end = ((uint64_t)scan->segment + 1) * scan->interval;
    if (scan->mcu == end) {
        if (!go_to_segment(scan, scan->segment + 1)) return 0;
        return max < scan->interval ? max : scan->interval;
    }
    return max < end - scan->mcu ? max : (uint32_t)(end - scan->mcu);
}

/* How many of count MCUs can be taken at once; 0: there are no more bytes. */
static uint32_t next_batch(stk_jpeg_scan *scan, uint32_t count)
{
    const uint32_t max = STK_SCAN_BATCH / (uint32_t)scan->block_count;
    if (scan->next > scan->guard && !feed(scan)) return 0;
    count = left_in_segment(scan, count);
    return count < max ? count : max;
}

/* More bits than there are were taken. */
static bool overran(const stk_jpeg_scan *scan)
{
    return scan->finished && scan->next - ((scan->left & 63) >> 3) > scan->end;
}

/* Sums wrap: a stream in which they do is broken, but not for us to find. */
static int32_t predict(stk_jpeg_scan *scan, int component, int32_t difference)
{
    int32_t *sum = &scan->predicted[component];
    return *sum = (int32_t)((uint32_t)*sum + (uint32_t)difference);
}

static bool skip_batch(stk_jpeg_scan *scan, uint32_t mcus)
{
    int16_t differences[STK_SCAN_BATCH];
    int     at = 0;
    if (!scan->kernel->skip(scan, differences, (int)mcus * scan->block_count)) return false;
    for (uint32_t i = 0; i < mcus; i++)
        for (int k = 0; k < scan->block_count; k++)
            predict(scan, scan->blocks[k].component, differences[at++]);
    return !overran(scan);
}

bool stk_scan_seek(stk_jpeg_scan *scan, uint32_t mcu)
{
    if (scan->interval && mcu / scan->interval > scan->segment &&
        !go_to_segment(scan, mcu / scan->interval))
        return false;
    while (scan->mcu < mcu) {
        const uint32_t count = next_batch(scan, mcu - scan->mcu);
        if (!count || !skip_batch(scan, count)) return false;
        scan->mcu += count;
    }
    return true;
}

/* Adds up the DC differences of a batch. Apart from transforming: a number just written cannot be
 * loaded with its neighbours before it has left the processor's store queue. */
static void sum_differences(stk_jpeg_scan *scan, uint32_t mcus)
{
    int16_t(*at)[BLOCK] = scan->coefficients;
    for (uint32_t i = 0; i < mcus; i++)
        for (int k = 0; k < scan->block_count; k++, at++)
            (*at)[0] = (int16_t)predict(scan, scan->blocks[k].component, (*at)[0]);
}

/* Block k of the MCUs from column on. */
static void transform(stk_jpeg_scan *scan, int k, int32_t column, uint32_t mcus)
{
    const stk_scan_block *block = &scan->blocks[k];
    stk_idct_job          jobs[STK_SCAN_BATCH];
    int                   count = 0;
    for (uint32_t i = 0; i < mcus; i++, column++) {
        int16_t *coefficients = scan->coefficients[i * (uint32_t)scan->block_count + (uint32_t)k];
        const int32_t x = column * block->step + block->offset;
        if (block->row && x >= block->left && x < block->right)
            jobs[count++] =
                (stk_idct_job){block->row + (size_t)(x - block->left) * (size_t)block->side,
                               block->stride, coefficients, block->quant};
        else
            memset(coefficients, 0, BLOCK * sizeof *coefficients);
    }
    block->idct(jobs, count);
}

static bool decode_batch(stk_jpeg_scan *scan, int32_t column, uint32_t mcus)
{
    if (!scan->kernel->take(scan, scan->coefficients, (int)mcus * scan->block_count)) return false;
    sum_differences(scan, mcus);
    for (int k = 0; k < scan->block_count; k++)
        transform(scan, k, column, mcus);
    return !overran(scan);
}

bool stk_scan_decode(stk_jpeg_scan *scan, int32_t column, uint32_t count)
{
    while (count) {
        const uint32_t now = next_batch(scan, count);
        if (!now || !decode_batch(scan, column, now)) return false;
        scan->mcu += now;
        column += (int32_t)now;
        count -= now;
    }
    return true;
}

/* Counting levels. Neighbours are often equal, and counting the same level twice in a row waits for
 * the first count to be stored: so even and odd pixels have counts of their own. */
#include "image/ops/histogram.h"

#include "image/ops/area.h"

#include <string.h>

static void count_rgb(const uint8_t *data, size_t pixels, stk_histogram *even, stk_histogram *odd)
{
    size_t i = 0;
    for (; i + 2 <= pixels; i += 2, data += 6)
        for (int c = 0; c < 3; c++) {
            even->count[c][data[c]]++;
            odd->count[c][data[3 + c]]++;
        }
    for (int c = 0; c < 3 && i < pixels; c++)
        even->count[c][data[c]]++;
}

static void count_grey(const uint8_t *data, size_t pixels, stk_histogram *even, stk_histogram *odd)
{
    size_t i = 0;
    for (; i + 2 <= pixels; i += 2) {
        even->count[0][data[i]]++;
        odd->count[0][data[i + 1]]++;
    }
    if (i < pixels) even->count[0][data[i]]++;
}

void stk_histogram_of(const stk_pixels *pixels, stk_histogram *out)
{
    stk_histogram odd;
    memset(out, 0, sizeof *out);
    memset(&odd, 0, sizeof odd);
    (pixels->channels == 3 ? count_rgb : count_grey)(pixels->data, stk_area_pixels(pixels), out,
                                                     &odd);
    for (int c = 0; c < 3; c++)
        for (int level = 0; level < 256; level++)
            out->count[c][level] += odd.count[c][level];
}

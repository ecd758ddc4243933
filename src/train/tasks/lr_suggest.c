/* Suggests a rate from a curve. */
#include <math.h>
#include <stdlib.h>
#include <stoker/lr_finder.h>

enum { FIRST_POINTS = 5 }; /* before, the average is biased */

/* Slope of the smoothed loss over the logarithm of the rate. */
static double slope(const stk_lr_result *r, size_t i)
{
    return (r->points[i + 1].smoothed - r->points[i - 1].smoothed) /
           (log(r->points[i + 1].rate) - log(r->points[i - 1].rate));
}

static double find_steepest(const stk_lr_result *r, size_t end)
{
    double lowest = 0, rate = 0;
    for (size_t i = FIRST_POINTS; i + 1 < end; i++)
        if (slope(r, i) < lowest) {
            lowest = slope(r, i);
            rate = r->points[i].rate;
        }
    return rate;
}

/* Where the loss has fallen by a tenth of its total: the flat part before would win any longest
 * run. */
static size_t end_of_plateau(const stk_lr_result *r, size_t end)
{
    double top = r->points[0].smoothed, low = r->points[end - 1].smoothed;
    size_t i = 0;
    while (i + 1 < end && r->points[i].smoothed > top - 0.1 * (top - low))
        i++;
    return i;
}

/* The longest decreasing subsequence, and its midpoint: fast progress, well before the loss
 * rises. */
static double find_valley(const stk_lr_result *r, size_t end)
{
    size_t *length = calloc(end + 1, sizeof *length), *before = calloc(end + 1, sizeof *before);
    double  rate = 0;
    if (length && before) {
        size_t begin = end_of_plateau(r, end), best = begin;
        for (size_t i = begin; i < end; i++) {
            length[i] = 1;
            before[i] = i;
            for (size_t k = begin; k < i; k++)
                if (r->points[i].smoothed < r->points[k].smoothed && length[k] + 1 > length[i]) {
                    length[i] = length[k] + 1;
                    before[i] = k;
                }
            if (length[i] > length[best]) best = i;
        }
        size_t first = best;
        while (before[first] != first)
            first = before[first];
        if (best > first + 2) {
            size_t third = (best - first) / 3;
            rate = r->points[first + third + third / 2].rate;
        }
    }
    free(length);
    free(before);
    return rate;
}

void stk_lr_suggest(stk_lr_result *result)
{
    size_t end = result->count, lowest = 0;
    for (size_t i = 0; i < end; i++)
        if (result->points[i].smoothed < result->points[lowest].smoothed) lowest = i;
    end = end ? lowest + 1 : 0; /* past the lowest point the loss only rises */
    result->steepest = end > FIRST_POINTS + 2 ? find_steepest(result, end) : 0;
    result->valley = end > FIRST_POINTS ? find_valley(result, end) : 0;
    bool careful = result->steepest > 0 && result->steepest < result->valley;
    result->suggestion = careful || result->valley <= 0 ? result->steepest : result->valley;
}

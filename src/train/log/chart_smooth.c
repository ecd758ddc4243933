/* Smooths a line. */
#include <math.h>
#include <stoker/chart.h>

enum { PARTS = 25, FEWEST = 10 };

/* Divides by the sum of weights, which removes the bias towards 0 at the start. */
void stk_chart_smooth(const double *y, size_t count, double *out)
{
    const double span = (double)count / PARTS;
    const double keep = count < FEWEST || span <= 1 ? 0 : (span - 1) / (span + 1);
    double       sum = 0, weight = 0;
    for (size_t i = 0; i < count; i++) {
        const double value = y[i];
        out[i] = value;
        if (!isfinite(value)) continue;
        sum = sum * keep + value;
        weight = weight * keep + 1;
        out[i] = sum / weight;
    }
}

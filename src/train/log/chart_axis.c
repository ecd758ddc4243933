/* Ranges and ticks of an axis. */
#include "train/log/chart_axis.h"

#include "base/decimal.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { TICKS_MIN = 3 };

/* Beyond these, differences and quotients would overflow a double. */
static const double largest = 1e300, smallest = 1e-300;
/* A relatively narrower range has no digits left to distinguish ticks. */
static const double narrowest = 1e-9;

void stk_chart_axis_init(stk_chart_axis *axis, bool log)
{
    *axis = (stk_chart_axis){.log = log, .low = INFINITY, .high = -INFINITY};
}

static double scaled(const stk_chart_axis *axis, double value)
{
    if (!isfinite(value) || fabs(value) > largest) return NAN;
    if (axis->log) return value > smallest ? log10(value) : NAN;
    return fabs(value) < smallest ? 0 : value;
}

void stk_chart_axis_include(stk_chart_axis *axis, double value)
{
    const double at = scaled(axis, value);
    if (isnan(at)) return;
    axis->low = fmin(axis->low, at);
    axis->high = fmax(axis->high, at);
}

double stk_chart_axis_position(const stk_chart_axis *axis, double value)
{
    return (scaled(axis, value) - axis->low) / (axis->high - axis->low);
}

static void widen(stk_chart_axis *axis, double margin)
{
    if (axis->low > axis->high) axis->low = 0, axis->high = 1;
    const double size = fmax(fabs(axis->low), fabs(axis->high));
    if (axis->high - axis->low <= size * narrowest || axis->high - axis->low < smallest) {
        const double half = axis->log || size < smallest * 1000 ? 0.5 : size * 0.05;
        axis->low -= half;
        axis->high += half;
    }
    const double more = (axis->high - axis->low) * margin;
    axis->low -= more;
    axis->high += more;
}

/* "1e-05" becomes "1e-5", "1e+20" becomes "1e20". */
static void tidy_exponent(char *text)
{
    char *e = strchr(text, 'e');
    if (!e) return;
    char *from = e + 1, *to = e + 1;
    if (*from == '-') *to++ = '-';
    if (*from == '-' || *from == '+') from++;
    while (*from == '0' && from[1])
        from++;
    memmove(to, from, strlen(from) + 1);
}

char *stk_chart_axis_number(double value, int digits, char text[STK_CHART_AXIS_LABEL])
{
    char full[STK_DECIMAL_CAPACITY];
    stk_decimal_write(value, digits, full);
    tidy_exponent(full);
    snprintf(text, STK_CHART_AXIS_LABEL, "%s", full);
    return text;
}

/* A linear tick in units (1000 for "k"), all with the same number of decimals. */
static void write_fixed(double value, double unit, const char *suffix, int decimals,
                        char text[STK_CHART_AXIS_LABEL])
{
    int64_t power = 1;
    for (int i = 0; i < decimals; i++)
        power *= 10;
    const int64_t number = llround(value / unit * (double)power);
    const int64_t size = number < 0 ? -number : number;
    if (!number)
        snprintf(text, STK_CHART_AXIS_LABEL, "0");
    else if (!decimals)
        snprintf(text, STK_CHART_AXIS_LABEL, "%" PRId64 "%s", number, suffix);
    else
        snprintf(text, STK_CHART_AXIS_LABEL, "%s%" PRId64 ".%0*" PRId64 "%s", number < 0 ? "-" : "",
                 size / power, decimals, size % power, suffix);
}

static int decimals_of(double step)
{
    const double lowest = floor(log10(step) + narrowest);
    return lowest < 0 ? (int)-lowest : 0;
}

static void label_linear(stk_chart_axis *axis, double step)
{
    static const struct {
        double      unit;
        const char *suffix;
    } units[] = {{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e4, "k"}};
    double      size = 0, unit = 1;
    const char *suffix = "";
    for (int i = 0; i < axis->count; i++)
        size = fmax(size, fabs(axis->ticks[i]));
    for (size_t i = sizeof units / sizeof units[0]; i-- > 0;)
        if (size >= units[i].unit) unit = units[i].unit, suffix = units[i].suffix;
    if (unit == 1e4) unit = 1e3; /* four digits read as well as a suffix */
    const bool plain = size < 1e15 && size >= 1e-3;
    for (int i = 0; i < axis->count; i++)
        if (plain)
            write_fixed(axis->ticks[i], unit, suffix, decimals_of(step / unit), axis->labels[i]);
        else
            stk_chart_axis_number(fabs(axis->ticks[i]) < step / 2 ? 0 : axis->ticks[i],
                                  (int)(floor(log10(size)) - floor(log10(step))) + 2,
                                  axis->labels[i]);
}

/* The smallest of 1, 2 and 5 times a power of ten with at most `wanted` steps. */
static double round_step(double span, int wanted)
{
    const double raw = span / wanted, power = pow(10, floor(log10(raw)));
    const double factor = raw / power;
    return power * (factor <= 1 ? 1 : factor <= 2 ? 2 : factor <= 5 ? 5 : 10);
}

/* The margin may exceed the representable range. */
static void add_tick(stk_chart_axis *axis, double value)
{
    if (!isnan(scaled(axis, value)) && axis->count < STK_CHART_AXIS_TICKS)
        axis->ticks[axis->count++] = value;
}

/* At least three ticks, possibly more than wanted: two do not show what lies between. */
static void choose_linear(stk_chart_axis *axis, double low, double high, int wanted)
{
    double step;
    do {
        step = round_step(high - low, wanted);
        axis->count = 0;
        for (double i = ceil(low / step - narrowest); i <= floor(high / step + narrowest); i++)
            add_tick(axis, i * step);
    } while (axis->count < TICKS_MIN && wanted++ < STK_CHART_AXIS_TICKS - 2);
    label_linear(axis, step);
}

static void choose_log(stk_chart_axis *axis, int wanted)
{
    static const double within[] = {1, 2, 5};
    const double        first = floor(axis->low), last = ceil(axis->high);
    const double        decades = floor(axis->high) - ceil(axis->low);
    const double        stride = fmax(1, ceil(decades / wanted));
    const int           parts = decades * 3 <= wanted ? 3 : 1;
    for (double decade = first; decade <= last; decade++)
        for (int i = 0; i < parts; i++) {
            const double at = decade + log10(within[i]);
            if (at < axis->low - narrowest || at > axis->high + narrowest) continue;
            if (fmod(decade, stride) == 0) add_tick(axis, pow(10, decade) * within[i]);
        }
    for (int i = 0; i < axis->count; i++)
        stk_chart_axis_number(axis->ticks[i], 6, axis->labels[i]);
    if (axis->count < 2 && axis->high - axis->low < 2)
        choose_linear(axis, pow(10, axis->low), pow(10, axis->high), wanted);
}

void stk_chart_axis_finish(stk_chart_axis *axis, double margin, int wanted)
{
    if (wanted > STK_CHART_AXIS_TICKS - 2) wanted = STK_CHART_AXIS_TICKS - 2;
    if (wanted < 2) wanted = 2;
    widen(axis, margin);
    if (axis->log)
        choose_log(axis, wanted);
    else
        choose_linear(axis, axis->low, axis->high, wanted);
}

/* Formats numbers for reading. */
#include "format.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

char *cli_format_count(char *text, uint64_t value)
{
    char      digits[24];
    const int count = snprintf(digits, sizeof digits, "%" PRIu64, value);
    char     *out = text;
    for (int i = 0; i < count; i++) {
        if (i && (count - i) % 3 == 0) *out++ = ',';
        *out++ = digits[i];
    }
    *out = '\0';
    return text;
}

/* Three significant digits: 1.23, 12.3, 123. The thresholds are where rounding would add a fourth
 * digit. */
static void write_three_digits(char *text, double value, const char *unit)
{
    const int decimals = value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
    snprintf(text, CLI_FORMAT_CAPACITY, "%.*f %s", decimals, value, unit);
}

static void write_scaled(char *text, double bytes, const char *const units[7])
{
    int unit = 0;
    while (bytes >= 999.5 && unit < 6) {
        bytes /= 1000;
        unit++;
    }
    if (unit == 0)
        snprintf(text, CLI_FORMAT_CAPACITY, "%.0f %s", bytes, units[0]);
    else
        write_three_digits(text, bytes, units[unit]);
}

char *cli_format_bytes(char *text, uint64_t bytes)
{
    static const char *const units[] = {"bytes", "kB", "MB", "GB", "TB", "PB", "EB"};
    if (bytes == 1)
        snprintf(text, CLI_FORMAT_CAPACITY, "1 byte");
    else
        write_scaled(text, (double)bytes, units);
    return text;
}

char *cli_format_rate(char *text, uint64_t bytes, double seconds)
{
    static const char *const units[] = {"B/s", "kB/s", "MB/s", "GB/s", "TB/s", "PB/s", "EB/s"};
    write_scaled(text, (double)bytes / (seconds > 1e-6 ? seconds : 1e-6), units);
    return text;
}

char *cli_format_flops(char *text, double flops)
{
    static const char *const units[] = {"FLOP",  "kFLOP", "MFLOP", "GFLOP",
                                        "TFLOP", "PFLOP", "EFLOP"};
    write_scaled(text, flops, units);
    return text;
}

char *cli_format_duration(char *text, double seconds)
{
    if (!(seconds > 0)) seconds = 0;
    if (seconds < 59.95) {
        snprintf(text, CLI_FORMAT_CAPACITY, "%.*f s", seconds < 9.995 ? 2 : 1, seconds);
        return text;
    }
    if (seconds > 1e12) seconds = 1e12;
    const uint64_t whole = (uint64_t)(seconds + 0.5);
    if (whole < 3600)
        snprintf(text, CLI_FORMAT_CAPACITY, "%" PRIu64 "m %02" PRIu64 "s", whole / 60, whole % 60);
    else if (whole < 86400)
        snprintf(text, CLI_FORMAT_CAPACITY, "%" PRIu64 "h %02" PRIu64 "m", whole / 3600,
                 whole % 3600 / 60);
    else
        snprintf(text, CLI_FORMAT_CAPACITY, "%" PRIu64 "d %02" PRIu64 "h", whole / 86400,
                 whole % 86400 / 3600);
    return text;
}

char *cli_format_percent(char *text, uint64_t part, uint64_t whole)
{
    const double fraction = whole ? 100.0 * (double)part / (double)whole : 0;
    if (part && fraction < 1)
        snprintf(text, CLI_FORMAT_CAPACITY, "<1 %%");
    else if (part < whole && fraction > 99)
        snprintf(text, CLI_FORMAT_CAPACITY, ">99 %%");
    else
        snprintf(text, CLI_FORMAT_CAPACITY, "%.0f %%", fraction);
    return text;
}

/* An operation takes at least the larger of its two floors: arithmetic and memory. */
#include "roofline.h"

#include "format.h"

#include <math.h>
#include <stdio.h>

/* An operation within this many launch times is launch-bound, unless its work takes as long as a
 * launch. Clock resolution adds about a microsecond. */
static const double few_starts = 4, start_min_ns = 1000;

bool cli_peaks_are_known(const stk_machine_peaks *limits)
{
    return limits->flops > 0 && limits->memory_bytes > 0;
}

cli_roofline cli_roofline_of(const stk_machine_peaks *limits, double flops, double bytes, double ns)
{
    cli_roofline roofline = {.kind = CLI_ROOFLINE_UNKNOWN};
    if (!cli_peaks_are_known(limits) || !(ns > 0)) return roofline;
    const double math = fmax(0, flops) / limits->flops * 1e9;
    const double memory = fmax(0, bytes) / limits->memory_bytes * 1e9;
    roofline.floor_ns = fmax(math, memory);
    roofline.fraction = roofline.floor_ns / ns;
    const double start = fmax(start_min_ns, limits->launch_ns);
    if (roofline.floor_ns < start && ns <= few_starts * start)
        roofline.kind = CLI_ROOFLINE_LAUNCH;
    else if (roofline.floor_ns > 0)
        roofline.kind = math > memory ? CLI_ROOFLINE_MATH : CLI_ROOFLINE_MEMORY;
    return roofline;
}

const char *cli_roofline_name(cli_roofline_kind kind)
{
    static const char *const names[] = {[CLI_ROOFLINE_UNKNOWN] = "",
                                        [CLI_ROOFLINE_MATH] = "math",
                                        [CLI_ROOFLINE_MEMORY] = "memory",
                                        [CLI_ROOFLINE_LAUNCH] = "launch"};
    return names[kind];
}

bool cli_roofline_has_fraction(const cli_roofline *roofline)
{
    return roofline->kind == CLI_ROOFLINE_MATH || roofline->kind == CLI_ROOFLINE_MEMORY;
}

char *cli_roofline_format(char *text, const cli_roofline *roofline)
{
    const char *name = cli_roofline_name(roofline->kind);
    if (cli_roofline_has_fraction(roofline) && roofline->fraction < 0.005)
        snprintf(text, CLI_FORMAT_CAPACITY, "%s <1 %%", name);
    else if (cli_roofline_has_fraction(roofline))
        snprintf(text, CLI_FORMAT_CAPACITY, "%s %.0f %%", name, 100 * roofline->fraction);
    else
        snprintf(text, CLI_FORMAT_CAPACITY, "%s", name);
    return text;
}

char *cli_peaks_format(char *text, size_t capacity, const stk_machine_peaks *limits,
                       const char *precision)
{
    char      flops[CLI_FORMAT_CAPACITY], bytes[CLI_FORMAT_CAPACITY];
    const int length =
        snprintf(text, capacity, "%s/s%s%s, %s GB/s", cli_format_flops(flops, limits->flops),
                 *precision ? " in " : "", precision,
                 cli_format_count(bytes, (uint64_t)(fmin(limits->memory_bytes, 1e18) / 1e9 + 0.5)));
    if (limits->launch_ns > 0 && length >= 0 && (size_t)length < capacity)
        snprintf(text + length, capacity - (size_t)length, ", %.1f us to start an operation",
                 limits->launch_ns / 1e3);
    return text;
}

void cli_roofline_write(stk_json_writer *json, const cli_roofline *roofline)
{
    stk_json_key(json, "roof");
    if (roofline->kind)
        stk_json_string(json, cli_roofline_name(roofline->kind));
    else
        stk_json_null(json);
    stk_json_key(json, "roof_share");
    if (cli_roofline_has_fraction(roofline))
        stk_json_double(json, roofline->fraction);
    else
        stk_json_null(json);
}

void cli_peaks_write(stk_json_writer *json, const stk_machine_peaks *limits, const char *precision)
{
    stk_json_key(json, "roofs");
    if (!cli_peaks_are_known(limits)) {
        stk_json_null(json);
        return;
    }
    stk_json_object(json);
    stk_json_pair_double(json, "flops_per_s", limits->flops);
    stk_json_pair_double(json, "bytes_per_s", limits->memory_bytes);
    if (*precision) stk_json_pair_string(json, "precision", precision);
    if (limits->launch_ns > 0) stk_json_pair_double(json, "launch_ns", limits->launch_ns);
    stk_json_object_end(json);
}

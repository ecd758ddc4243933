/* Position of an operation under the roofline: arithmetic and memory. */
#ifndef CLI_TOOLS_ROOFLINE_H
#define CLI_TOOLS_ROOFLINE_H

#include <stdbool.h>
#include <stoker/json.h>
#include <stoker/profile.h>

typedef enum cli_roofline_kind {
    CLI_ROOFLINE_UNKNOWN, /* the peaks or the operation's work are not known */
    CLI_ROOFLINE_MATH,
    CLI_ROOFLINE_MEMORY,
    CLI_ROOFLINE_LAUNCH /* the time is about that of a launch, so neither peak matters */
} cli_roofline_kind;

typedef struct cli_roofline {
    cli_roofline_kind kind;
    double            floor_ns; /* minimum time at the roofline; 0: not known */
    double fraction; /* of the roofline, 0 to 1: floor by time; above 1 with caches or Winograd */
} cli_roofline;

/* Whether both peaks are known. */
bool cli_peaks_are_known(const stk_machine_peaks *limits);
/* For an operation that took ns. */
cli_roofline cli_roofline_of(const stk_machine_peaks *limits, double flops, double bytes,
                             double ns);
/* Whether fraction is meaningful: bound by math or memory. */
bool cli_roofline_has_fraction(const cli_roofline *roofline);
/* "math", "memory", "launch" or "". */
const char *cli_roofline_name(cli_roofline_kind kind);
/* Writes "memory 89 %", "launch" or "" to text, with capacity CLI_FORMAT_CAPACITY. Returns text. */
char *cli_roofline_format(char *text, const cli_roofline *roofline);
/* Writes "744 TFLOP/s in fp16, 4,100 GB/s, 2.1 us to start an operation". Returns text. precision
 * "": omitted. */
char *cli_peaks_format(char *text, size_t capacity, const stk_machine_peaks *limits,
                       const char *precision);
/* Writes members "roof" and "roof_share", null if not known. */
void cli_roofline_write(stk_json_writer *json, const cli_roofline *roofline);
/* Writes the member "roofs", null if not known. precision "": omitted. */
void cli_peaks_write(stk_json_writer *json, const stk_machine_peaks *limits, const char *precision);

#endif

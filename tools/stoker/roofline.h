/* Where an operation is under the two roofs of a machine, arithmetic and memory. */
#ifndef CLI_TOOLS_ROOFLINE_H
#define CLI_TOOLS_ROOFLINE_H

#include <stdbool.h>
#include <stoker/json.h>
#include <stoker/profile.h>

typedef enum cli_roofline_kind {
    CLI_ROOFLINE_UNKNOWN, /* no roofs, or the operation's work is not known */
    CLI_ROOFLINE_MATH,
    CLI_ROOFLINE_MEMORY,
    CLI_ROOFLINE_LAUNCH /* it takes about what starting it takes: neither of them matters */
} cli_roofline_kind;

typedef struct cli_roofline {
    cli_roofline_kind kind;
    double            floor_ns; /* the least time by both roofs; 0: not known */
    double            fraction; /* of the roof, 0 to 1: floor by time; more with caches, Winograd */
} cli_roofline;

/* Both roofs are known. */
bool cli_peaks_are_known(const stk_machine_peaks *limits);
/* Of an operation that took ns for so much work. */
cli_roofline cli_roofline_of(const stk_machine_peaks *limits, double flops, double bytes,
                             double ns);
/* It is under one of the two: share says something. */
bool cli_roofline_has_fraction(const cli_roofline *roofline);
/* "math", "memory", "launch" or "". */
const char *cli_roofline_name(cli_roofline_kind kind);
/* "memory 89 %", "launch" or "", into room for CLI_FORMAT_CAPACITY characters. Returns text. */
char *cli_roofline_format(char *text, const cli_roofline *roofline);
/* "744 TFLOP/s in fp16, 4,100 GB/s, 2.1 us to start an operation", into room characters. Returns
 * text. precision "": not told. */
char *cli_peaks_format(char *text, size_t capacity, const stk_machine_peaks *limits,
                       const char *precision);
/* Members of an object: "roof" and "roof_share", null where they are not known. */
void cli_roofline_write(stk_json_writer *json, const cli_roofline *roofline);
/* The member "roofs", null where they are not known. precision "": not told. */
void cli_peaks_write(stk_json_writer *json, const stk_machine_peaks *limits, const char *precision);

#endif

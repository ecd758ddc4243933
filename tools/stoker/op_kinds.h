/* Operations of a step by kind (convolutions, norms, updates) against the roofline. */
#ifndef CLI_TOOLS_OP_KINDS_H
#define CLI_TOOLS_OP_KINDS_H

#include "terminal.h"

#include <stoker/json.h>
#include <stoker/profile.h>
#include <stoker/program.h>

enum { CLI_OP_KINDS = 16 };

/* All operations of one kind. */
typedef struct cli_op_sum {
    const char *kind;
    size_t      operations;
    double      ns, floor_ns; /* per step; floor_ns: at the roofline, 0 if the peaks are unknown */
} cli_op_sum;

/* A literal; "other" for an unlisted operation. */
const char *cli_op_kind_of(const char *operation);
/* Sums the timed operations of a program, longest first; returns how many kinds. */
size_t cli_op_kinds_sum(cli_op_sum sums[CLI_OP_KINDS], const stk_program *program,
                        const stk_machine_peaks *limits);
/* Prints a line per kind and a total; with floors if the peaks are known. */
void cli_op_kinds_print(const cli_op_sum *sums, size_t count, bool floors, const cli_style *style);
/* Writes the member "kinds", an array. */
void cli_op_kinds_write(stk_json_writer *json, const cli_op_sum *sums, size_t count, bool floors);

#endif

/* Operations of a step by kind: convolutions, norms, updates, and what the roofs say of each. */
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
    double      ns, floor_ns; /* of a step; floor_ns: of what was timed, 0 without roofs */
} cli_op_sum;

/* A literal; "other" for an operation that no kind names. */
const char *cli_op_kind_of(const char *operation);
/* Of a program whose operations were timed: fills sums, the longest first, and returns how many. */
size_t cli_op_kinds_sum(cli_op_sum sums[CLI_OP_KINDS], const stk_program *program,
                        const stk_machine_peaks *limits);
/* A line each, and one for all; floors where the roofs are known. */
void cli_op_kinds_print(const cli_op_sum *sums, size_t count, bool floors, const cli_style *style);
/* The member "kinds", an array. */
void cli_op_kinds_write(stk_json_writer *json, const cli_op_sum *sums, size_t count, bool floors);

#endif

/* A JSON result, printed to stdout when complete. */
#ifndef CLI_TOOLS_JSON_OUT_H
#define CLI_TOOLS_JSON_OUT_H

#include "command.h"

#include <stoker/json.h>

typedef struct cli_json_out {
    stk_json_writer writer;
    stk_blob        text;
} cli_json_out;

void cli_json_out_begin(cli_json_out *out);
/* Prints the JSON, or the error that prevented it. Returns an exit code. */
int cli_json_out_end(cli_json_out *out, const cli_invocation *call);

#endif

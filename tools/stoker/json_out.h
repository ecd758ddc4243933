/* A result as JSON on stdout: printed when it is whole. */
#ifndef STK_TOOLS_JSON_OUT_H
#define STK_TOOLS_JSON_OUT_H

#include "command.h"

#include <stoker/json.h>

typedef struct stk_json_out {
    stk_json_writer writer;
    stk_blob        text;
} stk_json_out;

void stk_json_out_begin(stk_json_out *out);
/* Prints what was written, or says why it could not be. Gives an exit code. */
int stk_json_out_end(stk_json_out *out, const stk_invocation *call);

#endif

/* Files that the listing of a source skipped, as text and JSON. */
#ifndef CLI_TOOLS_LEFT_OUT_JSON_H
#define CLI_TOOLS_LEFT_OUT_JSON_H

#include <stoker/json.h>
#include <stoker/source.h>

/* Prints one line to stderr; nothing if none was skipped or source is NULL. */
void cli_left_out_print(const stk_source *source);

/* Writes "left_out": an array of objects with reason, ending, count and example. NULL: empty. */
void cli_left_out_write_json(stk_json_writer *json, const stk_source *source);

#endif

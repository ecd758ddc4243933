/* What the listing of a source passed over, for people and for --json. */
#ifndef CLI_TOOLS_LEFT_OUT_JSON_H
#define CLI_TOOLS_LEFT_OUT_JSON_H

#include <stoker/json.h>
#include <stoker/source.h>

/* One line on stderr; none where nothing was, or source is NULL. */
void cli_left_out_print(const stk_source *source);

/* "left_out": an array of objects with reason, ending, count and example. NULL
 * leaves nothing out. */
void cli_left_out_write_json(stk_json_writer *json, const stk_source *source);

#endif

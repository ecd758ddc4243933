/* Prints skipped files as a line and as JSON. */
#include "left_out_json.h"

#include "text.h"

#include <stdio.h>

void cli_left_out_print(const stk_source *source)
{
    char text[600] = "";
    if (source) stk_source_left_out_text(source, text, sizeof text);
    if (!*text) return;
    fprintf(stderr, "left out: ");
    cli_text_print(stderr, text);
    fprintf(stderr, "\n");
}

void cli_left_out_write_json(stk_json_writer *json, const stk_source *source)
{
    size_t                     count = 0;
    const stk_source_left_out *all = source ? stk_source_left_outs(source, &count) : NULL;
    stk_json_key(json, "left_out");
    stk_json_array(json);
    for (size_t i = 0; i < count; i++) {
        stk_json_object(json);
        stk_json_pair_string(json, "reason", stk_left_out_reason_name(all[i].reason));
        stk_json_pair_string(json, "ending", all[i].ending);
        stk_json_pair_uint(json, "count", all[i].count);
        stk_json_pair_string(json, "example", all[i].example);
        stk_json_object_end(json);
    }
    stk_json_array_end(json);
}

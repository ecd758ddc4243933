/* The list as an array of objects. */
#include "left_out_json.h"

void stk_left_out_write_json(stk_json_writer *json, const stk_source *source)
{
    size_t                     count;
    const stk_source_left_out *all = stk_source_left_outs(source, &count);
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

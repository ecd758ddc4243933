/* What --explain prints, as JSON. */
#ifndef CLI_TOOLS_EXPLAIN_JSON_H
#define CLI_TOOLS_EXPLAIN_JSON_H

#include <stoker/json.h>
#include <stoker/train.h>

/* "key": an array of the lines of text; empty ones are left out. */
void cli_explain_json_lines(stk_json_writer *json, const char *key, stk_bytes text);
/* "key": an array of plans, {"title": "after lower", "lines": [...]}, of a text in which a line
 * "after lower:" or "== graph" begins another. The first may have no title. */
void cli_explain_json_plans(stk_json_writer *json, const char *key, stk_bytes text);
/* "recipe": sections with their keys; what is open is "auto". */
void cli_explain_json_recipe(stk_json_writer *json, const stk_train_recipe *recipe);
/* An object: the decisions in reasons, the recipe, and the plans in text, as stk_train_explain
 * gives it. */
void cli_explain_json_train(stk_json_writer *json, const stk_train_recipe *recipe,
                            stk_bytes reasons, stk_bytes text);

#endif

/* Output of --explain, as JSON. */
#ifndef CLI_TOOLS_EXPLAIN_JSON_H
#define CLI_TOOLS_EXPLAIN_JSON_H

#include <stoker/json.h>
#include <stoker/train.h>

/* Writes "key": an array of text's lines without empty ones. */
void cli_explain_json_lines(stk_json_writer *json, const char *key, stk_bytes text);
/* Writes "key": an array of plans, {"title": "after lower", "lines": [...]}. A line "after lower:"
 * or "== graph" begins a plan; the first may lack a title. */
void cli_explain_json_plans(stk_json_writer *json, const char *key, stk_bytes text);
/* Writes "recipe": sections with their keys; open keys are "auto". */
void cli_explain_json_recipe(stk_json_writer *json, const stk_train_recipe *recipe);
/* Writes an object: decisions, the recipe, and the plans of stk_train_explain's text. */
void cli_explain_json_train(stk_json_writer *json, const stk_train_recipe *recipe,
                            stk_bytes reasons, stk_bytes text);

#endif

/* Writes lines, plans and the recipe as JSON. */
#include "explain_json.h"

#include <string.h>

/* Takes the next line off text; false: none. */
static bool next_line(stk_bytes *text, stk_bytes *line)
{
    if (!text->size) return false;
    const uint8_t *stop = memchr(text->data, '\n', text->size);
    const size_t   length = stop ? (size_t)(stop - text->data) : text->size;
    *line = (stk_bytes){text->data, length};
    text->data += length + (stop != NULL);
    text->size -= length + (stop != NULL);
    return true;
}

void cli_explain_json_lines(stk_json_writer *json, const char *key, stk_bytes text)
{
    stk_bytes line;
    stk_json_key(json, key);
    stk_json_array(json);
    while (next_line(&text, &line))
        if (line.size) stk_json_bytes(json, line);
    stk_json_array_end(json);
}

static bool begins(stk_bytes line, const char *word)
{
    return line.size > strlen(word) && memcmp(line.data, word, strlen(word)) == 0;
}

/* The title of a line that begins a plan; empty: the line belongs to one. */
static stk_bytes title_in(stk_bytes line)
{
    if (begins(line, "== ")) return (stk_bytes){line.data + 3, line.size - 3};
    if (begins(line, "after ") && line.data[line.size - 1] == ':')
        return (stk_bytes){line.data, line.size - 1};
    return (stk_bytes){NULL, 0};
}

static void begin_plan(stk_json_writer *json, stk_bytes title)
{
    stk_json_object(json);
    stk_json_key(json, "title");
    stk_json_bytes(json, title.size ? title : stk_bytes_of("", 0));
    stk_json_key(json, "lines");
    stk_json_array(json);
}

static void end_plan(stk_json_writer *json)
{
    stk_json_array_end(json);
    stk_json_object_end(json);
}

void cli_explain_json_plans(stk_json_writer *json, const char *key, stk_bytes text)
{
    bool      open = false;
    stk_bytes line;
    stk_json_key(json, key);
    stk_json_array(json);
    while (next_line(&text, &line)) {
        const stk_bytes title = title_in(line);
        if (!line.size) continue;
        if (open && title.size) end_plan(json);
        if (!open || title.size) begin_plan(json, title);
        open = true;
        if (!title.size) stk_json_bytes(json, line);
    }
    if (open) end_plan(json);
    stk_json_array_end(json);
}

static void put_value(stk_json_writer *json, const stk_train_recipe *recipe, const stk_param *key)
{
    const void *at = (const char *)recipe + key->offset;
    char        word[STK_PARAM_ITEM];
    if (stk_param_is_auto(key, recipe))
        stk_json_pair_string(json, key->name, "auto");
    else if (key->kind == STK_PARAM_BOOL)
        stk_json_pair_bool(json, key->name, *(const bool *)at);
    else if (key->kind == STK_PARAM_INT64)
        stk_json_pair_int(json, key->name, *(const int64_t *)at);
    else if (key->kind == STK_PARAM_DOUBLE)
        stk_json_pair_double(json, key->name, *(const double *)at);
    else if (key->kind == STK_PARAM_TEXT)
        stk_json_pair_string(json, key->name, at);
    else if (stk_param_print(key, recipe, word, sizeof word))
        stk_json_pair_string(json, key->name, word);
}

void cli_explain_json_recipe(stk_json_writer *json, const stk_train_recipe *recipe)
{
    const stk_param *key;
    const char      *section = "";
    stk_json_key(json, "recipe");
    stk_json_object(json);
    for (size_t i = 0; (key = stk_train_key_at(i)); i++) {
        if (strcmp(section, key->group) != 0) {
            if (*section) stk_json_object_end(json);
            section = key->group;
            stk_json_key(json, section);
            stk_json_object(json);
        }
        put_value(json, recipe, key);
    }
    if (*section) stk_json_object_end(json);
    stk_json_object_end(json);
}

/* The text between the lines begin and end (NULL: to its end). */
static stk_bytes between(stk_bytes text, const char *begin, const char *end)
{
    const uint8_t *from = memmem(text.data, text.size, begin, strlen(begin));
    if (!from) return (stk_bytes){text.data, 0};
    from += strlen(begin);
    const size_t   left = text.size - (size_t)(from - text.data);
    const uint8_t *to = end ? memmem(from, left, end, strlen(end)) : NULL;
    return (stk_bytes){from, to ? (size_t)(to - from) : left};
}

void cli_explain_json_train(stk_json_writer *json, const stk_train_recipe *recipe,
                            stk_bytes reasons, stk_bytes text)
{
    static const char memory[] = "\n# Memory of a step\n";
    stk_json_object(json);
    cli_explain_json_lines(json, "decisions", reasons);
    cli_explain_json_recipe(json, recipe);
    cli_explain_json_plans(json, "input", between(text, "\n# Input\n", "\n# A step\n"));
    cli_explain_json_plans(json, "step", between(text, "\n# A step\n", memory));
    cli_explain_json_lines(json, "memory", between(text, memory, NULL));
    stk_json_object_end(json);
}

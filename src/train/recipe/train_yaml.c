/* Training recipes as YAML: sections of keys. */
#include "base/base64.h"
#include "base/utf8.h"
#include "base/yaml.h"
#include "train/recipe/train_recipe_internal.h"
#include <stdio.h>
#include <string.h>

/* Weights by name, {cat: 2, dog: 0.5}: the same as the text cat=2,dog=0.5. */
static stk_status map_text(const stk_yaml_node *tree, const char *where, char *text,
                           size_t capacity, stk_error *err)
{
    size_t used = 0;
    for (const stk_yaml_node *part = tree->first; part; part = part->next) {
        if (part->kind != STK_YAML_SCALAR || strchr(part->key, ',') ||
            used + strlen(part->key) + part->length + 3 > capacity)
            return stk_fail(err, STK_E_INVALID, "recipe", where,
                            "%s is too long, or a name in it has a comma or more than one value",
                            tree->key);
        used += (size_t)snprintf(text + used, capacity - used, "%s%s=%s", used ? "," : "",
                                 part->key, part->text);
    }
    text[used] = 0;
    return STK_OK;
}

/* A list of numbers, as milestones, is written [30, 60]: the same as the text 30,60. */
static stk_status scalar_text(const stk_yaml_node *tree, bool map, const char *where, char *text,
                              size_t capacity, stk_error *err)
{
    size_t used = 0;
    if (tree->kind == STK_YAML_MAP && map) return map_text(tree, where, text, capacity, err);
    if (tree->kind == STK_YAML_MAP)
        return stk_fail(err, STK_E_INVALID, "recipe", where, "%s is a mapping; it takes one value",
                        tree->key);
    const stk_yaml_node *part = tree->kind == STK_YAML_LIST ? tree->first : tree;
    for (; part; part = tree->kind == STK_YAML_LIST ? part->next : NULL) {
        if (part->kind != STK_YAML_SCALAR || used + part->length + 2 > capacity)
            return stk_fail(err, STK_E_INVALID, "recipe", where,
                            "%s is too long or too deep; it takes values of one line", tree->key);
        used += (size_t)snprintf(text + used, capacity - used, "%s%s", used ? "," : "", part->text);
    }
    text[used] = 0;
    return STK_OK;
}

static bool is_path(const stk_param *key)
{
    return key->kind == STK_PARAM_TEXT && key->size == STK_TRAIN_PATH &&
           strcmp(key->group, "output") != 0;
}

/* A file on its way into a recipe. */
typedef struct reader {
    stk_train_recipe *recipe;
    const char       *path;
    stk_params_given  given;
    void (*note)(void *context, const char *text);
    void *context;
} reader;

/* name is the key as it is written. Relative paths begin at the recipe, so that it can be used from
 * anywhere. */
static stk_status set_value(reader *r, const stk_param *key, const char *name,
                            const stk_yaml_node *tree, const char *where, stk_error *err)
{
    char                    text[STK_TRAIN_LIST], joined[STK_TRAIN_PATH];
    const stk_params_source source = {.component = "recipe",
                                      .where = where,
                                      .given = &r->given,
                                      .note = r->note,
                                      .context = r->context};
    const bool              map = key->kind == STK_PARAM_TEXT && key->size == STK_TRAIN_LIST;
    const char             *slash = strrchr(r->path, '/'), *value = text;
    STK_TRY(scalar_text(tree, map, where, text, sizeof text, err));
    if (is_path(key) && *text && *text != '/' && slash && !strstr(text, "://")) {
        if (snprintf(joined, sizeof joined, "%.*s/%s", (int)(slash - r->path), r->path, text) >=
            (int)sizeof joined)
            return stk_fail(err, STK_E_LIMIT, "recipe", where, "the path %s is too long", text);
        value = joined;
    }
    return stk_train_key_set(r->recipe, name, value, &source, err);
}

static stk_status set_section(reader *r, const stk_yaml_node *section, stk_error *err)
{
    char where[STK_TRAIN_PATH + 64], name[STK_TRAIN_TEXT];
    snprintf(where, sizeof where, "%s:%d", r->path, section->line);
    if (section->kind == STK_YAML_LIST && strcmp(section->key, "data") == 0)
        return stk_train_recipe_set(r->recipe, "data.pipeline", r->path, where, err);
    if (section->kind != STK_YAML_MAP && !stk_train_section_known(section->key))
        return stk_train_key_unknown("", section->key, where, err);
    if (section->kind != STK_YAML_MAP)
        return stk_fail(err, STK_E_INVALID, "recipe", where,
                        "the section \"%s\" takes keys with values below it", section->key);
    if (!stk_train_section_known(section->key))
        return stk_train_key_unknown(section->key, "", where, err);
    for (const stk_yaml_node *value = section->first; value; value = value->next) {
        snprintf(name, sizeof name, "%s.%s", section->key, value->key);
        const stk_param *key = stk_params_find(&stk_train_keys, name);
        snprintf(where, sizeof where, "%s:%d", r->path, value->line);
        if (!key) return stk_train_key_unknown(section->key, value->key, where, err);
        STK_TRY(set_value(r, key, name, value, where, err));
    }
    return section->first ? STK_OK
                          : stk_fail(err, STK_E_INVALID, "recipe", where,
                                     "the section \"%s\" is empty", section->key);
}

static stk_status load_into(stk_train_recipe *recipe, stk_arena *arena, stk_bytes yaml,
                            const char *path, const stk_params_source *notes, stk_error *err)
{
    reader         r = {.recipe = recipe,
                        .path = path,
                        .note = notes ? notes->note : NULL,
                        .context = notes ? notes->context : NULL};
    stk_yaml_node *tree;
    STK_TRY(stk_yaml_read(&tree, arena, yaml, path, NULL, err));
    for (const stk_yaml_node *section = tree->first; section; section = section->next)
        STK_TRY(set_section(&r, section, err));
    return STK_OK;
}

static stk_status parse(stk_train_recipe *recipe, stk_bytes yaml, const char *path,
                        const stk_params_source *notes, stk_error *err)
{
    stk_arena        arena;
    stk_train_recipe before = *recipe;
    stk_arena_init(&arena, NULL, STK_MEMORY_INDEX);
    const stk_status st = load_into(recipe, &arena, yaml, path, notes, err);
    if (st) *recipe = before;
    stk_arena_release(&arena);
    return st;
}

stk_status stk_train_recipe_parse(stk_train_recipe *recipe, stk_bytes yaml, const char *path,
                                  stk_error *err)
{
    return parse(recipe, yaml, path, NULL, err);
}

stk_status stk_train_recipe_load(stk_train_recipe *recipe, const stk_filesystem *fs,
                                 const char *path, stk_error *err)
{
    return stk_train_recipe_load_from(recipe, fs, path, NULL, err);
}

stk_status stk_train_recipe_load_from(stk_train_recipe *recipe, const stk_filesystem *fs,
                                      const char *path, const stk_params_source *notes,
                                      stk_error *err)
{
    stk_blob yaml;
    stk_blob_init(&yaml, NULL, STK_MEMORY_INDEX);
    stk_status st = stk_file_read_all(fs, path, 0, STK_YAML_BYTES_MAX, &yaml, err);
    if (!st) st = parse(recipe, stk_blob_bytes(&yaml), path, notes, err);
    stk_blob_release(&yaml);
    return st;
}

static stk_status put(stk_blob *out, stk_error *err, const char *text)
{
    return stk_blob_append(out, text, strlen(text), err);
}

/* Whether YAML takes it as text: UTF-8 without control characters, but those that are escaped. */
static bool is_text(const char *text)
{
    if (!stk_utf8_is_valid(text)) return false;
    for (const unsigned char *t = (const unsigned char *)text; *t; t++) {
        const bool control = *t == 0x7f || (*t == 0xc2 && t[1] < 0xa0);
        if (control || (*t == 0xef && t[1] == 0xbf && t[2] >= 0xbe)) return false;
    }
    return true;
}

/* As YAML has bytes that are no text. */
static stk_status put_binary(stk_blob *out, const char *text, stk_error *err)
{
    STK_TRY(put(out, err, "!!binary \""));
    STK_TRY(stk_base64_append(out, stk_bytes_text(text), err));
    return put(out, err, "\"");
}

/* Text is quoted so that YAML reads it as text whatever it holds. */
static stk_status put_text(stk_blob *out, const char *text, stk_error *err)
{
    if (!is_text(text)) return put_binary(out, text, err);
    STK_TRY(put(out, err, "\""));
    for (; *text; text++) {
        char escaped[8] = {*text};
        if (*text == '"' || *text == '\\') snprintf(escaped, sizeof escaped, "\\%c", *text);
        if ((unsigned char)*text < 0x20)
            snprintf(escaped, sizeof escaped, "\\x%02x", (unsigned char)*text);
        STK_TRY(put(out, err, escaped));
    }
    return put(out, err, "\"");
}

stk_status stk_train_key_print(const stk_train_recipe *recipe, const stk_param *key, stk_blob *out,
                               stk_error *err)
{
    char       text[STK_TRAIN_LIST];
    const bool quoted = key->kind == STK_PARAM_TEXT || key->kind == STK_PARAM_ENUM;
    stk_param_print(key, recipe, text, sizeof text);
    return quoted ? put_text(out, text, err) : put(out, err, text);
}

static bool every(const stk_param *key)
{
    return key != NULL;
}

stk_status stk_train_recipe_print(const stk_train_recipe *recipe, stk_blob *out, stk_error *err)
{
    return stk_train_recipe_print_some(recipe, every, out, err);
}

stk_status stk_train_recipe_print_some(const stk_train_recipe *recipe,
                                       bool (*wanted)(const stk_param *key), stk_blob *out,
                                       stk_error *err)
{
    const stk_param *key;
    const char      *section = "";
    for (size_t i = 0; (key = stk_train_key_at(i)); i++) {
        if (!wanted(key)) continue;
        if (strcmp(section, key->group) != 0) {
            section = key->group;
            STK_TRY(put(out, err, section));
            STK_TRY(put(out, err, ":\n"));
        }
        STK_TRY(put(out, err, "  "));
        STK_TRY(put(out, err, key->name));
        STK_TRY(put(out, err, ": "));
        STK_TRY(stk_train_key_print(recipe, key, out, err));
        STK_TRY(put(out, err, "\n"));
    }
    return STK_OK;
}

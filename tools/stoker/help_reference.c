/* stoker help recipe, stoker help keys: references in Markdown, made of the tables that recipes are
 * read by. docs/ has them as pages (scripts/docs-generate). */
#include "command.h"

#include <stoker/recipe.h>
#include <stoker/train_recipe.h>
#include <string.h>

typedef struct heading {
    stk_recipe_role role;
    bool            functions;
    const char     *text;
} heading;

/* What stands in a cell of a table. */
static void print_cell(FILE *out, const char *text)
{
    for (const char *bar; (bar = strchr(text, '|')); text = bar + 1)
        fprintf(out, "%.*s\\|", (int)(bar - text), text);
    fprintf(out, "%s", text);
}

/* "`sgd`, `nesterov`". */
static void print_words(FILE *out, const char *const *words)
{
    for (size_t i = 0; words[i]; i++)
        fprintf(out, "%s`%s`", i ? ", " : "", words[i]);
}

static void print_parameter(FILE *out, const stk_recipe_parameter *p)
{
    fprintf(out, "| `%s` | ", p->name);
    if (p->kind != STK_RECIPE_CHOICE) fprintf(out, "%s", stk_recipe_kind_name(p->kind));
    if (p->words) {
        if (p->kind != STK_RECIPE_CHOICE) fprintf(out, " or ");
        print_words(out, p->words);
    }
    if (p->least > 0) fprintf(out, ", at least %lld", (long long)p->least);
    if (p->required)
        fprintf(out, " | required | ");
    else if (p->default_value)
        fprintf(out, " | `%s` | ", p->default_value);
    else
        fprintf(out, " | | ");
    print_cell(out, p->help ? p->help : "");
    fprintf(out, " |\n");
}

static void print_entry(FILE *out, const stk_recipe_entry *entry)
{
    fprintf(out, "\n### %s\n\n", entry->name);
    print_cell(out, entry->help);
    fprintf(out, "\n");
    if (!entry->parameter_count) return;
    fprintf(out, "\n| parameter | takes | default | |\n|---|---|---|---|\n");
    for (size_t i = 0; i < entry->parameter_count; i++)
        print_parameter(out, &entry->parameters[i]);
}

static const stk_recipe_entry *entry_at(bool functions, size_t index)
{
    return functions ? stk_recipe_function_at(index) : stk_recipe_operator_at(index);
}

static bool print_recipe_entries(FILE *out, const char *name)
{
    static const heading headings[] = {
        {STK_RECIPE_SOURCE, false, "Sources"},
        {STK_RECIPE_STAGE, false, "Operators"},
        {STK_RECIPE_EITHER, false, "Sources or operators"},
        {STK_RECIPE_MAP, true, "Functions of map"},
        {STK_RECIPE_KEY, true, "Keys"},
        {STK_RECIPE_EXPAND, true, "Functions of flat_map and interleave"},
        {STK_RECIPE_SCAN, true, "Functions of scan"},
    };
    const stk_recipe_entry *entry;
    bool                    found = false;
    for (size_t h = 0; h < sizeof headings / sizeof *headings; h++) {
        if (!name) fprintf(out, "\n## %s\n", headings[h].text);
        for (size_t i = 0; (entry = entry_at(headings[h].functions, i)); i++) {
            if (entry->role != headings[h].role) continue;
            if (name && strcmp(name, entry->name) != 0) continue;
            print_entry(out, entry);
            found = true;
        }
    }
    return found;
}

static const char *entry_name(const void *context, size_t index)
{
    (void)context;
    size_t operators = 0;
    while (stk_recipe_operator_at(operators))
        operators++;
    const stk_recipe_entry *entry =
        index < operators ? entry_at(false, index) : entry_at(true, index - operators);
    return entry ? entry->name : NULL;
}

static int refuse(const char *what, const char *word,
                  const char *(*words)(const void *context, size_t index))
{
    char message[CLI_OPTION_MESSAGE], advice[CLI_OPTION_MESSAGE] = "";
    snprintf(message, sizeof message, "there is no %s '%.100s'", what, word);
    cli_suggest(advice, sizeof advice, word, "", words, NULL);
    return cli_report_usage(NULL, message, advice);
}

static int help_recipe(FILE *out, const char *name)
{
    if (!name)
        fprintf(out, "# Pipelines in YAML: all operators and functions\n\n"
                     "[recipe.md](../recipe.md) explains how they are written. `stoker help "
                     "recipe` prints this "
                     "page, `stoker help recipe NAME` a part of it.\n");
    if (print_recipe_entries(out, name)) return CLI_EXIT_OK;
    return refuse("operator or function", name, entry_name);
}

static void print_key(FILE *out, const stk_param *key)
{
    const bool given = key->default_value && *key->default_value;
    fprintf(out, "| `%s.%s` | %s | ", key->group, key->name, given ? key->default_value : "none");
    if (key->choices) {
        fprintf(out, "one of ");
        print_words(out, key->choices);
        fprintf(out, ": ");
    }
    print_cell(out, key->help);
    fprintf(out, " |\n");
}

static const char *section_name(const void *context, size_t index)
{
    const stk_param *key, *before = NULL;
    (void)context;
    for (size_t i = 0; (key = stk_train_key_at(i)); before = key, i++)
        if ((!before || strcmp(before->group, key->group) != 0) && index-- == 0) return key->group;
    return NULL;
}

static int help_keys(FILE *out, const char *section)
{
    const stk_param *key, *before = NULL;
    if (!section)
        fprintf(out, "# Keys of training\n\n"
                     "The sections and keys of a training recipe, with their defaults. "
                     "[training.md](../training.md) "
                     "explains them. `--set SECTION.KEY=VALUE` sets one; `stoker help keys` prints "
                     "this page, "
                     "`stoker help keys SECTION` a part of it.\n");
    for (size_t i = 0; (key = stk_train_key_at(i)); i++) {
        if (section && strcmp(section, key->group) != 0) continue;
        if (!before || strcmp(before->group, key->group) != 0)
            fprintf(out, "\n## %s\n\n| key | default | |\n|---|---|---|\n", key->group);
        print_key(out, key);
        before = key;
    }
    return before ? CLI_EXIT_OK : refuse("section", section, section_name);
}

bool cli_help_reference(int argc, char **argv, int *code)
{
    const char *name = argc > 1 ? argv[1] : NULL;
    if (argc < 1 || argc > 2) return false;
    if (strcmp(argv[0], "recipe") == 0)
        *code = help_recipe(stdout, name);
    else if (strcmp(argv[0], "keys") == 0)
        *code = help_keys(stdout, name);
    else
        return false;
    return true;
}

/* A setting to copy: lines of a recipe, or assignments for a shell. */
#include "tune_setting.h"

#include "text.h"

#include <stoker/json.h>
#include <stoker/text.h>
#include <string.h>

static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./";

/* Whether YAML reads text as it stands here. */
static bool is_plain(const char *text)
{
    const size_t first = strspn(text, plain);
    return first > 0 && first + strspn(text + first, "+-_./0123456789abcdefghijklmnopqrstuvwxyz"
                                                     "ABCDEFGHIJKLMNOPQRSTUVWXYZ") ==
                            strlen(text);
}

/* A string of JSON is one of YAML, too. */
static void print_yaml(FILE *out, const char *value)
{
    stk_json_writer w;
    stk_blob        quoted;
    stk_blob_init(&quoted, NULL, STK_MEMORY_OUTPUT);
    stk_json_begin(&w, &quoted, 0);
    stk_json_string(&w, value);
    if (!is_plain(value) && !stk_json_end(&w, NULL))
        cli_text_print_bytes(out, (const char *)quoted.data, quoted.size);
    else
        cli_text_print(out, value);
    fprintf(out, "\n");
    stk_blob_release(&quoted);
}

/* "data.batch": the section is a line of its own, before the first of its keys. */
static void print_recipe_line(FILE *out, const stk_tune_setting *setting, size_t i)
{
    const stk_tune_assignment *one = &setting->list[i];
    const char                *dot = strchr(one->key, '.');
    const size_t               length = dot ? (size_t)(dot - one->key) + 1 : 0;
    if (dot && (!i || strncmp(one->key, setting->list[i - 1].key, length) != 0))
        fprintf(out, "  %.*s:\n", (int)length - 1, one->key);
    fprintf(out, "  %s%s: ", dot ? "  " : "", one->key + length);
    print_yaml(out, one->value);
}

/* No keys of recipes: they stand for a pack that the search made. */
static bool is_of_pack(const stk_tune_assignment *one)
{
    return strncmp(one->key, "pack.", 5) == 0;
}

static void print_pack(FILE *out, const stk_tune_setting *setting)
{
    const char *form = stk_tune_setting_get(setting, "pack.form");
    const char *resize = stk_tune_setting_get(setting, "pack.resize");
    if (!form) return;
    fprintf(out, "  and the pack tune-data/");
    cli_text_print(out, form);
    if (resize) fprintf(out, "-");
    if (resize) cli_text_print(out, resize);
    fprintf(out, ", beside it\n");
}

static void print_recipe(FILE *out, const stk_tune_setting *setting)
{
    for (size_t i = 0; i < setting->count; i++)
        if (!is_of_pack(&setting->list[i])) print_recipe_line(out, setting, i);
    print_pack(out, setting);
}

static void print_words(FILE *out, const stk_tune_setting *setting)
{
    char word[8 * STK_TUNE_VALUE];
    for (size_t i = 0; i < setting->count; i++) {
        stk_shell_word(word, sizeof word, setting->list[i].value);
        fprintf(out, "  %s=%s\n", setting->list[i].key, word);
    }
}

void cli_tune_setting_print(FILE *out, const stk_tune_setting *setting, bool recipe)
{
    if (recipe)
        print_recipe(out, setting);
    else
        print_words(out, setting);
}

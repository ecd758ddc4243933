/* Prints lint results. */
#include "lint_text.h"

#include "text.h"

enum { INDENT = 4 };

/* "at most +12 %: padding of all such layers" */
static void write_gain(const stk_lint *item, char *text, size_t capacity)
{
    char by[32];
    if (item->data)
        snprintf(text, capacity, "about the data, not its speed%s%s", *item->how ? ": " : "",
                 item->how);
    else if (item->gain < 0)
        snprintf(text, capacity, "gain not known%s%s", *item->how ? ": " : "", item->how);
    else
        snprintf(text, capacity, "at most %s: %s", stk_gain_text(by, sizeof by, item->gain),
                 item->how);
}

static void print_advice(FILE *out, const char *what, const char *text)
{
    if (!*text) return;
    fprintf(out, "%*s%-7s ", INDENT, "", what);
    cli_text_print(out, text);
    fprintf(out, "\n");
}

static void print_item(FILE *out, const stk_lint *item, const cli_style *style)
{
    char gain[2 * STK_LINT_TEXT], line[STK_LINT_LINE + STK_LINT_TEXT], shown[sizeof line * 2];
    snprintf(line, sizeof line, "%s: %s", item->where, item->message);
    cli_text_fit(shown, sizeof shown, line, (int)sizeof line);
    fprintf(out, "%s%s%s (%s)\n%*s", style->bold, item->rule, style->plain,
            stk_stage_name(item->stage), INDENT, "");
    cli_text_wrap(out, shown, INDENT, INDENT, style->width);
    write_gain(item, gain, sizeof gain);
    fprintf(out, "%*s%s%s%s%s\n", INDENT, "", style->dim, gain, style->plain,
            item->changes_training ? "; results will differ" : "");
    print_advice(out, "recipe", item->recipe);
    print_advice(out, "run", item->command);
}

void cli_lint_text_print(FILE *out, const stk_lint_list *list, const cli_style *style)
{
    for (size_t i = 0; i < list->count; i++)
        print_item(out, &list->items[i], style);
    if (list->left_out) fprintf(out, "%zu more are not shown\n", list->left_out);
    if (!list->count) fprintf(out, "nothing to say\n");
}

/* Flags from a table. */
#include "options.h"

#include <stdarg.h>
#include <stdio.h>
#include <stoker/params.h>
#include <string.h>

typedef struct parser {
    const cli_option *options;
    size_t            count;
    void             *values;
    int               argc;
    char            **argv;
    int               next;               /* argument to look at */
    uint64_t          by_name, by_former; /* options with a former name that were given */
    cli_parsed       *out;
} parser;

__attribute__((format(printf, 2, 3))) static cli_parse wrong(parser *p, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(p->out->message, sizeof p->out->message, format, args);
    va_end(args);
    return CLI_PARSE_WRONG;
}

void cli_suggest(char *text, size_t capacity, const char *word, const char *prefix,
                 const char *(*candidate)(const void *context, size_t index), const void *context)
{
    const char *best = stk_params_nearest(word, candidate, context);
    text[0] = 0;
    if (best) snprintf(text, capacity, "did you mean '%s%s'?", prefix, best);
}

static const char *option_name(const void *context, size_t index)
{
    const parser *p = context;
    return index < p->count ? p->options[index].name : index == p->count ? "help" : NULL;
}

static cli_parse wrong_flag(parser *p, const char *dashes, const char *name, size_t length)
{
    char word[64];
    snprintf(word, sizeof word, "%.*s", (int)(length < 60 ? length : 60), name);
    if (dashes[1]) cli_suggest(p->out->advice, CLI_OPTION_MESSAGE, word, dashes, option_name, p);
    return wrong(p, "unknown flag '%s%s'", dashes, word);
}

static const char *const messages[STK_PARAM_MESSAGES] = {
    [STK_PARAM_NOT_VALUE] = "{key}: '{text}' is not {kind}",
    [STK_PARAM_NOT_IN_RANGE] = "{key}: {text} is out of range, from {min} to {max}",
    [STK_PARAM_NOT_CHOICE] = "{key}: '{text}' is not one of: {list}",
    [STK_PARAM_EMPTY] = "{key}: the value is empty",
};

static const char *choice_name(const void *context, size_t index)
{
    return ((const cli_option *)context)->choice(index);
}

/* A value as a parameter of the library: each kind of flag is one of its kinds. */
static cli_parse store_value(parser *p, const cli_option *option, const char *text)
{
    static const stk_param_kind kinds[] = {
        [CLI_OPTION_TEXT] = STK_PARAM_STRING,   [CLI_OPTION_FILE] = STK_PARAM_STRING,
        [CLI_OPTION_INTEGER] = STK_PARAM_INT64, [CLI_OPTION_SIZE_MB] = STK_PARAM_UINT64,
        [CLI_OPTION_NUMBER] = STK_PARAM_DOUBLE, [CLI_OPTION_CHOICE] = STK_PARAM_CHOICE,
    };
    static const stk_param_unit megabytes[] = {{"", 1e6}, {NULL, 0}};
    const bool                  size = option->kind == CLI_OPTION_SIZE_MB;
    const stk_param             row = {.name = option->name,
                                       .kind = kinds[option->kind],
                                       .offset = option->target,
                                       .min = option->least * (size ? 1e6 : 1),
                                       .max = option->most * (size ? 1e6 : 1),
                                       .word = option->choice,
                                       .units = size ? megabytes : NULL};
    const stk_params            table = {.rows = &row, .count = 1, .messages = messages};
    const stk_params_source     source = {.component = "options", .prefix = "--"};
    stk_error                   err;
    if (!stk_params_set(&table, p->values, option->name, text, &source, &err)) return CLI_PARSE_OK;
    if (option->kind == CLI_OPTION_CHOICE)
        cli_suggest(p->out->advice, CLI_OPTION_MESSAGE, text, "", choice_name, option);
    return wrong(p, "%s", err.message);
}

static cli_parse store_item(parser *p, const cli_option *option, const char *text)
{
    cli_option_list *list = (void *)((char *)p->values + option->target);
    if (!text[0]) return wrong(p, "--%s: the value is empty", option->name);
    if (list->count == CLI_OPTION_LIST_MOST)
        return wrong(p, "--%s: given more than %d times", option->name, CLI_OPTION_LIST_MOST);
    list->items[list->count++] = text;
    return CLI_PARSE_OK;
}

static cli_parse store(parser *p, const cli_option *option, const char *text)
{
    if (option->kind == CLI_OPTION_LIST) return store_item(p, option, text);
    if (option->kind != CLI_OPTION_FLAG) return store_value(p, option, text);
    *(bool *)((char *)p->values + option->target) = true;
    return CLI_PARSE_OK;
}

static bool is_word(const char *word, const char *text, size_t length)
{
    return strlen(word) == length && !memcmp(word, text, length);
}

static const cli_option *find_long(const parser *p, const char *name, size_t length)
{
    for (size_t i = 0; i < p->count; i++)
        if (is_word(p->options[i].name, name, length)) return &p->options[i];
    for (size_t i = 0; i < p->count; i++)
        if (p->options[i].renamed_from && is_word(p->options[i].renamed_from, name, length))
            return &p->options[i];
    return NULL;
}

static const cli_option *find_letter(const parser *p, char letter)
{
    for (size_t i = 0; i < p->count; i++)
        if (p->options[i].letter == letter) return &p->options[i];
    return NULL;
}

/* The value of option: attached, or the usual one, or the next argument. A flag of ours in its
 * place is more likely a forgotten value than a value. */
static cli_parse take_value(parser *p, const cli_option *option, const char *attached)
{
    if (attached || option->usual) return store(p, option, attached ? attached : option->usual);
    const char *text = p->next < p->argc ? p->argv[p->next] : NULL;
    const bool  is_flag = text && text[0] == '-' && text[1] == '-' &&
                         (!text[2] || find_long(p, text + 2, strcspn(text + 2, "=")));
    if (!text || is_flag) {
        if (is_flag)
            snprintf(p->out->advice, CLI_OPTION_MESSAGE, "if '%s' is the value, write --%s=%s",
                     text, option->name, text);
        return wrong(p, "--%s needs a value, %s", option->name, option->metavar);
    }
    p->next++;
    return store(p, option, text);
}

/* By its name and by its former name; the bits count options that have one. */
static bool is_named_twice(parser *p, const cli_option *option, bool former)
{
    uint64_t bit = 1;
    for (const cli_option *o = p->options; o < option; o++)
        if (o->renamed_from) bit <<= 1;
    if (!option->renamed_from) return false;
    if (former)
        p->by_former |= bit;
    else
        p->by_name |= bit;
    return p->by_former & p->by_name & bit;
}

static cli_parse parse_long(parser *p, const char *name)
{
    const size_t length = strcspn(name, "=");
    const char  *attached = name[length] == '=' ? name + length + 1 : NULL;
    if (length == 4 && !memcmp(name, "help", 4) && !attached) return CLI_PARSE_HELP;
    const cli_option *option = find_long(p, name, length);
    if (!option) return wrong_flag(p, "--", name, length);
    const bool former = !is_word(option->name, name, length);
    if (is_named_twice(p, option, former))
        return wrong(p, "--%s is given twice; --%s is its former name", option->name,
                     option->renamed_from);
    if (former)
        snprintf(p->out->note, CLI_OPTION_MESSAGE, "--%s is now called --%s", option->renamed_from,
                 option->name);
    if (option->kind != CLI_OPTION_FLAG) return take_value(p, option, attached);
    if (attached)
        return wrong(p, "--%s takes no value, but '%s' was given", option->name, attached);
    return store(p, option, "");
}

/* One or more letters behind one dash; the first that wants a value takes the rest. */
static cli_parse parse_letters(parser *p, const char *letters)
{
    for (; *letters; letters++) {
        if (*letters == 'h') return CLI_PARSE_HELP;
        const cli_option *option = find_letter(p, *letters);
        if (!option) return wrong_flag(p, "-", letters, 1);
        if (option->kind != CLI_OPTION_FLAG)
            return take_value(p, option, letters[1] ? letters + 1 : NULL);
        const cli_parse result = store(p, option, "");
        if (result) return result;
    }
    return CLI_PARSE_OK;
}

cli_parse cli_options_parse(const cli_option *options, size_t count, void *values, int argc,
                            char **argv, cli_parsed *out)
{
    parser p = {.options = options,
                .count = count,
                .values = values,
                .argc = argc,
                .argv = argv,
                .out = out};
    bool   flags_ended = false;
    *out = (cli_parsed){.operands = argv};
    while (p.next < argc) {
        char     *argument = argv[p.next++];
        cli_parse result = CLI_PARSE_OK;
        if (!flags_ended && strcmp(argument, "--") == 0)
            flags_ended = true;
        else if (!flags_ended && argument[0] == '-' && argument[1] == '-')
            result = parse_long(&p, argument + 2);
        else if (!flags_ended && argument[0] == '-' && argument[1])
            result = parse_letters(&p, argument + 1);
        else
            argv[out->operand_count++] = argument;
        if (result) return result;
    }
    return CLI_PARSE_OK;
}

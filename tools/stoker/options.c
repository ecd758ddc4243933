/* Flags from a table. */
#include "options.h"

#include "text.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct parser {
    const cli_option *options;
    size_t            count;
    void             *values;
    int               argc;
    char            **argv;
    int               next; /* argument to look at */
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
    const char *best = NULL, *name;
    int         best_distance = 0;
    for (size_t i = 0; (name = candidate(context, i)) != NULL; i++) {
        int distance = cli_text_distance(word, name);
        /* A word left off half-way means the longer one, however much is missing. */
        if (strlen(word) >= 3 && strncmp(word, name, strlen(word)) == 0) distance = 1;
        if (!best || distance < best_distance) {
            best = name;
            best_distance = distance;
        }
    }
    const int limit = 1 + (int)strlen(word) / 3;
    if (best && best_distance <= limit)
        snprintf(text, capacity, "did you mean '%s%s'?", prefix, best);
    else
        text[0] = '\0';
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

static cli_parse store_number(parser *p, const cli_option *option, const char *text)
{
    char *end;
    errno = 0;
    const double value = strtod(text, &end);
    if (end == text || *end || !isfinite(value) || strpbrk(text, "xX \t"))
        return wrong(p, "--%s: '%s' is not a number", option->name, text);
    if (value < option->least || value > option->most)
        return wrong(p, "--%s: %s is out of range, from %.15g to %.15g", option->name, text,
                     option->least, option->most);
    char *target = (char *)p->values + option->target;
    if (option->kind == CLI_OPTION_SIZE_MB)
        *(uint64_t *)(void *)target = (uint64_t)(value * 1e6 + 0.5);
    else
        *(double *)(void *)target = value;
    return CLI_PARSE_OK;
}

static cli_parse store_integer(parser *p, const cli_option *option, const char *text)
{
    char *end;
    errno = 0;
    const long long value = strtoll(text, &end, 10);
    if (end == text || *end || text[0] == ' ')
        return wrong(p, "--%s: '%s' is not a whole number", option->name, text);
    /* Compared as integers: a double cannot tell the largest ones apart. */
    const long long least = (long long)option->least;
    const long long most = option->most >= 9.2e18 ? INT64_MAX : (long long)option->most;
    if (errno == ERANGE || value < least || value > most)
        return wrong(p, "--%s: %s is out of range, from %lld to %lld", option->name, text, least,
                     most);
    *(int64_t *)(void *)((char *)p->values + option->target) = value;
    return CLI_PARSE_OK;
}

static const char *choice_name(const void *context, size_t index)
{
    return ((const cli_option *)context)->choice(index);
}

static cli_parse store_choice(parser *p, const cli_option *option, const char *text)
{
    char        all[256] = "";
    size_t      used = 0;
    const char *choice;
    for (size_t i = 0; (choice = option->choice(i)) != NULL; i++) {
        if (strcmp(choice, text) == 0) {
            *(const char **)(void *)((char *)p->values + option->target) = choice;
            return CLI_PARSE_OK;
        }
        const int more = snprintf(all + used, sizeof all - used, "%s%s", i ? ", " : "", choice);
        if (more > 0 && used + (size_t)more < sizeof all) used += (size_t)more;
    }
    cli_suggest(p->out->advice, CLI_OPTION_MESSAGE, text, "", choice_name, option);
    return wrong(p, "--%s: '%s' is not one of: %s", option->name, text, all);
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
    switch (option->kind) {
    case CLI_OPTION_FLAG:
        break;
    case CLI_OPTION_TEXT:
    case CLI_OPTION_FILE:
        if (!text[0]) return wrong(p, "--%s: the value is empty", option->name);
        *(const char **)(void *)((char *)p->values + option->target) = text;
        return CLI_PARSE_OK;
    case CLI_OPTION_INTEGER:
        return store_integer(p, option, text);
    case CLI_OPTION_SIZE_MB:
    case CLI_OPTION_NUMBER:
        return store_number(p, option, text);
    case CLI_OPTION_CHOICE:
        return store_choice(p, option, text);
    case CLI_OPTION_LIST:
        return store_item(p, option, text);
    }
    *(bool *)((char *)p->values + option->target) = true;
    return CLI_PARSE_OK;
}

static const cli_option *find_long(const parser *p, const char *name, size_t length)
{
    for (size_t i = 0; i < p->count; i++)
        if (strlen(p->options[i].name) == length && !memcmp(p->options[i].name, name, length))
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

static cli_parse parse_long(parser *p, const char *name)
{
    const size_t length = strcspn(name, "=");
    const char  *attached = name[length] == '=' ? name + length + 1 : NULL;
    if (length == 4 && !memcmp(name, "help", 4) && !attached) return CLI_PARSE_HELP;
    const cli_option *option = find_long(p, name, length);
    if (!option) return wrong_flag(p, "--", name, length);
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
    parser p = {options, count, values, argc, argv, 0, out};
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

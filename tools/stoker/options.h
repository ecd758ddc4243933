/* Flags from a table. A command describes its flags once; parsing, --help and shell completion all
 * read that table. Values go into a struct of the command's, at the offset the table names. */
#ifndef CLI_TOOLS_OPTIONS_H
#define CLI_TOOLS_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum cli_option_kind {
    CLI_OPTION_FLAG,    /* bool */
    CLI_OPTION_TEXT,    /* const char * */
    CLI_OPTION_FILE,    /* const char *: the name of a file */
    CLI_OPTION_INTEGER, /* int64_t */
    CLI_OPTION_SIZE_MB, /* uint64_t bytes, given in MB of 10^6, with decimals if need be */
    CLI_OPTION_NUMBER,  /* double */
    CLI_OPTION_CHOICE,  /* const char *: one of the choices */
    CLI_OPTION_LIST     /* cli_option_list: may be given several times */
} cli_option_kind;

enum { CLI_OPTION_LIST_MOST = 16 };

typedef struct cli_option_list {
    const char *items[CLI_OPTION_LIST_MOST];
    size_t      count;
} cli_option_list;

typedef struct cli_option {
    const char     *name;   /* without the dashes */
    char            letter; /* the short form, or 0 */
    const char     *metavar;
    const char     *usual; /* the value of the flag alone: another one is given as --NAME=VALUE */
    cli_option_kind kind;
    size_t          target;              /* offset of the value */
    double          least, most;         /* of INTEGER, SIZE_MB (in MB) and NUMBER */
    const char *(*choice)(size_t index); /* CHOICE: NULL after the last; TEXT: what a shell offers,
                                            among other values, or NULL */
    const char *group;                   /* heading in --help */
    const char *help;
    const char *renamed_from; /* a former name, which is taken with a note; or NULL */
} cli_option;

/* A row's beginning: where its value goes, how it is called, what it takes. */
#define CLI_OPTION(type, member, name_, kind_, metavar_)                                           \
    .name = (name_), .metavar = (metavar_), .kind = CLI_OPTION_##kind_,                            \
    .target = offsetof(type, member)

typedef enum cli_parse {
    CLI_PARSE_OK,
    CLI_PARSE_HELP, /* --help or -h was met */
    CLI_PARSE_WRONG
} cli_parse;

enum { CLI_OPTION_MESSAGE = 400 };

/* The result of parsing beside the values. */
typedef struct cli_parsed {
    char **operands; /* what is no flag, in order: the front of argv */
    int    operand_count;
    char   message[CLI_OPTION_MESSAGE]; /* WRONG: what is, naming flag and value */
    char   advice[CLI_OPTION_MESSAGE];  /* WRONG: "" or what to do */
    char   note[CLI_OPTION_MESSAGE];    /* "" or that a former name was used */
} cli_parsed;

/* Parses argv[0..argc), which holds no command name, and moves the operands to its front. --NAME
 * VALUE, --NAME=VALUE, -x VALUE and -xVALUE are the same; "--" ends the flags. */
cli_parse cli_options_parse(const cli_option *options, size_t count, void *values, int argc,
                            char **argv, cli_parsed *out);

/* Writes "did you mean 'X'?" for the candidate nearest to word, or "" when none is near. candidate
 * gives NULL after the last. */
void cli_suggest(char *text, size_t capacity, const char *word, const char *prefix,
                 const char *(*candidate)(const void *context, size_t index), const void *context);

#endif

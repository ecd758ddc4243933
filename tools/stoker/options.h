/* Flags from a table. A command describes its flags once; parsing, --help and shell completion all
 * read that table. Values go into a struct of the command's, at the offset the table names. */
#ifndef STK_TOOLS_OPTIONS_H
#define STK_TOOLS_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum stk_option_kind {
    STK_OPTION_FLAG,    /* bool */
    STK_OPTION_TEXT,    /* const char * */
    STK_OPTION_FILE,    /* const char *: the name of a file */
    STK_OPTION_INTEGER, /* int64_t */
    STK_OPTION_SIZE_MB, /* uint64_t bytes, given in MB of 10^6, with decimals if need be */
    STK_OPTION_NUMBER,  /* double */
    STK_OPTION_CHOICE,  /* const char *: one of the choices */
    STK_OPTION_LIST     /* stk_option_list: may be given several times */
} stk_option_kind;

enum { STK_OPTION_LIST_MOST = 16 };

typedef struct stk_option_list {
    const char *items[STK_OPTION_LIST_MOST];
    size_t      count;
} stk_option_list;

typedef struct stk_option {
    const char     *name;   /* without the dashes */
    char            letter; /* the short form, or 0 */
    const char     *metavar;
    const char     *usual; /* the value of the flag alone: another one is given as --NAME=VALUE */
    stk_option_kind kind;
    size_t          target;              /* offset of the value */
    double          least, most;         /* of INTEGER, SIZE_MB (in MB) and NUMBER */
    const char *(*choice)(size_t index); /* CHOICE: NULL after the last; TEXT: what a shell offers,
                                            among other values, or NULL */
    const char *group;                   /* heading in --help */
    const char *help;
} stk_option;

typedef enum stk_parse {
    STK_PARSE_OK,
    STK_PARSE_HELP, /* --help or -h was met */
    STK_PARSE_WRONG
} stk_parse;

enum { STK_OPTION_MESSAGE = 400 };

/* The result of parsing beside the values. */
typedef struct stk_parsed {
    char **operands; /* what is no flag, in order: the front of argv */
    int    operand_count;
    char   message[STK_OPTION_MESSAGE]; /* WRONG: what is, naming flag and value */
    char   advice[STK_OPTION_MESSAGE];  /* WRONG: "" or what to do */
} stk_parsed;

/* Parses argv[0..argc), which holds no command name, and moves the operands to its front. --NAME
 * VALUE, --NAME=VALUE, -x VALUE and -xVALUE are the same; "--" ends the flags. */
stk_parse stk_options_parse(const stk_option *options, size_t count, void *values, int argc,
                            char **argv, stk_parsed *out);

/* Writes "did you mean 'X'?" for the candidate nearest to word, or "" when none is near. candidate
 * gives NULL after the last. */
void stk_suggest(char *text, size_t capacity, const char *word, const char *prefix,
                 const char *(*candidate)(const void *context, size_t index), const void *context);

#endif

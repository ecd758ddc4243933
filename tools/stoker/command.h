/* A subcommand: its flags and its function. main.c has the list. */
#ifndef CLI_TOOLS_COMMAND_H
#define CLI_TOOLS_COMMAND_H

#include "options.h"

#include <stdio.h>
#include <stoker/error.h>

typedef struct cli_command cli_command;

/* Parsed command line. */
typedef struct cli_invocation {
    const cli_command *command;
    const void        *values; /* the struct filled by the flags */
    char             **operands;
    int                operand_count;
} cli_invocation;

/* Exit codes of every command. */
enum {
    CLI_EXIT_OK = 0,
    CLI_EXIT_FAILED = 1, /* failed, or bad data was found */
    CLI_EXIT_USAGE = 2,
    CLI_EXIT_CANCELLED = 130
};

struct cli_command {
    const char       *name;
    const char       *summary;     /* one line */
    const char       *operands;    /* for the usage line: "SOURCE OUT" */
    const char       *description; /* for --help */
    const char       *examples;    /* lines, for --help */
    int               least_operands, most_operands;
    const cli_option *options;
    size_t            option_count;
    const void       *defaults; /* of the values, with value_bytes bytes */
    size_t            value_bytes;
    /* Subcommands chosen by the next word ("bench input"); NULL-terminated, or NULL. */
    const cli_command *const *parts;
    /* Choices of the first operand, for completion; NULL: files. */
    const char *(*operand_choice)(size_t index);
    /* Prints further --help; may be NULL. */
    void (*print_more_help)(FILE *out, int width);
    /* Returns an exit code. */
    int (*run)(const cli_invocation *call);
};

extern const cli_command cli_command_pack;
extern const cli_command cli_command_inspect;
extern const cli_command cli_command_train;
extern const cli_command cli_command_eval;
extern const cli_command cli_command_predict;
extern const cli_command cli_command_lr_find;
extern const cli_command cli_command_bench;
extern const cli_command cli_command_bench_input;
extern const cli_command cli_command_bench_compute;
extern const cli_command cli_command_bench_train;
extern const cli_command cli_command_bench_claims;
extern const cli_command cli_command_bench_cases;
extern const cli_command cli_command_trace;
extern const cli_command cli_command_trace_gaps;
extern const cli_command cli_command_trace_ask;
extern const cli_command cli_command_trace_ops;
extern const cli_command cli_command_trace_diff;
extern const cli_command cli_command_trace_merge;
extern const cli_command cli_command_trace_check;
extern const cli_command cli_command_trace_demo;
extern const cli_command cli_command_show;
extern const cli_command cli_command_replay;
extern const cli_command cli_command_lint;
extern const cli_command cli_command_profile;
extern const cli_command cli_command_diagnose;
extern const cli_command cli_command_compare;
extern const cli_command cli_command_models;
extern const cli_command cli_command_backends;
extern const cli_command cli_command_watch;
extern const cli_command cli_command_tune;
extern const cli_command cli_command_completion;

/* The commands; NULL after the last. */
const cli_command *cli_command_at(size_t index);
const cli_command *cli_command_find(const char *name);

/* The word that chooses a subcommand: "input". */
const char *cli_command_word(const cli_command *part);

/* Prints --help. */
void cli_help_print(FILE *out, const cli_command *command);
void cli_help_print_overview(FILE *out);
/* Prints the help of 'stoker help'. */
void cli_help_print_help(FILE *out);
/* Prints a reference that the words after 'stoker help' name: recipe [NAME], keys [SECTION]. False
 * where they name none; *code is then not set. */
bool cli_help_reference(int argc, char **argv, int *code);

/* Prints "stoker COMMAND: component: where: message" and below, indented, advice unless it is NULL
 * or
 * "". Returns the exit code for err's status. */
int cli_report_error(const cli_command *command, const stk_error *err, const char *advice);
/* The same for errors of a recipe or its flags; CLI_EXIT_USAGE if the recipe itself is wrong. */
int cli_report_recipe(const cli_command *command, const stk_error *err, const char *advice);
/* Prints a usage error; returns CLI_EXIT_USAGE. */
int cli_report_usage(const cli_command *command, const char *message, const char *advice);

/* Values shared by several commands, and their option rows. */
typedef struct cli_common_values {
    bool     json;
    bool     quiet;
    int64_t  threads;
    uint64_t memory_bytes;
} cli_common_values;

#define CLI_COMMON_OPTIONS(type, member)                                                           \
    {CLI_OPTION(type, member.threads, "threads", INTEGER, "N"), .least = 0, .most = 1024,          \
     .group = "Common",                                                                            \
     .help = "threads to use (default 0: one per core that this process may use)"},                \
        {CLI_OPTION(type, member.memory_bytes, "memory-mb", SIZE_MB, "N"), .least = 0,             \
         .most = 1e9, .group = "Common",                                                           \
         .help = "most memory for data, in MB (default 0: a quarter of what the machine or the "   \
                 "container allows)"},                                                             \
        {CLI_OPTION(type, member.json, "json", FLAG, NULL), .group = "Common",                     \
         .help = "print the result as JSON"},                                                      \
    {                                                                                              \
        CLI_OPTION(type, member.quiet, "quiet", FLAG, NULL),                                       \
            .letter = 'q', .group = "Common",                                                      \
            .help = "show no progress and no hints; results and errors only"                       \
    }

#endif

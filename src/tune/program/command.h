/* A program's command in one setting: arguments, environment and the text of its configuration. */
#ifndef STK_TUNE_PROGRAM_COMMAND_H
#define STK_TUNE_PROGRAM_COMMAND_H

#include "tune/program/template.h"

/* What a command is made of; all of it borrowed. */
typedef struct stk_tune_command_parts {
    char *const          *argv;
    const char *const    *environment;
    size_t                environment_count;
    const char           *config;      /* text of the template; NULL: none */
    const char           *config_name; /* for messages */
    const stk_tune_knobs *knobs;
} stk_tune_command_parts;

typedef struct stk_tune_command {
    char   **argv; /* NULL-terminated, and so is the environment */
    char   **environment;
    char   **own; /* what was set: "NAME=value"; the environment's last ones */
    size_t   own_count;
    stk_blob config; /* the filled template */
} stk_tune_command;

/* Fills out; config_path is what {config} becomes. The caller releases out even on failure. */
STK_NODISCARD stk_status stk_tune_command_fill(stk_tune_command             *out,
                                               const stk_tune_command_parts *parts,
                                               const stk_tune_setting       *setting,
                                               const char *config_path, stk_error *err);
void                     stk_tune_command_release(stk_tune_command *command);

#endif

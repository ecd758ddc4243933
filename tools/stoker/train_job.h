/* A resolved recipe with its data, as every training command needs. */
#ifndef CLI_TOOLS_TRAIN_JOB_H
#define CLI_TOOLS_TRAIN_JOB_H

#include "train_flags.h"

typedef struct cli_train_job {
    stk_train_recipe recipe;
    stk_train_data   data;
    stk_inject       inject;            /* from --inject; all zero: none */
    stk_blob         reasons;           /* of the decisions, one line each */
    double           read_s, resolve_s; /* duration of reading the data, of resolving */
    bool             resumed;           /* the recipe of an existing run */
    bool             names_folder;      /* the run folder's name was open */
} cli_train_job;

/* Sets every key to its default; no data yet. */
void cli_train_job_init(cli_train_job *job);
void cli_train_job_release(cli_train_job *job);

/* Applies flags, reads the data and resolves open keys. Returns an exit code; errors are
 * reported. */
int cli_train_job_prepare(cli_train_job *job, const cli_invocation *call,
                          const cli_train_values *values, const char *data);

/* The reason that begins with name ("threads"), without the name; "" if none. Returns text. */
char *cli_train_job_reason(const cli_train_job *job, const char *name, char *text, size_t capacity);
/* The full line of the decision about name ("epochs 4: ..."); "" if none. Returns text. */
char *cli_train_job_decision(const cli_train_job *job, const char *name, char *text,
                             size_t capacity);

/* Reports an error with advice. Returns an exit code. */
int cli_train_job_error(const cli_invocation *call, const stk_error *err);

#endif

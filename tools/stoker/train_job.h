/* A recipe with its data, settled: what every command of training begins with. */
#ifndef CLI_TOOLS_TRAIN_JOB_H
#define CLI_TOOLS_TRAIN_JOB_H

#include "train_flags.h"

typedef struct cli_train_job {
    stk_train_recipe recipe;
    stk_train_data   data;
    stk_inject       inject;            /* what --inject said; all zero: nothing */
    stk_blob         reasons;           /* of what was decided, one line each */
    double           read_s, resolve_s; /* that looking at the data and deciding took */
    bool             resumed;           /* the recipe is a run's own */
    bool             names_folder;      /* nobody said where the run goes */
} cli_train_job;

/* Every key at its fallback, no data yet. */
void cli_train_job_init(cli_train_job *job);
void cli_train_job_release(cli_train_job *job);

/* Flags, a look at the data, and what is still open decided. Gives an exit code, and has told why
 * when it is not CLI_EXIT_OK. */
int cli_train_job_prepare(cli_train_job *job, const cli_invocation *call,
                          const cli_train_values *values, const char *data);

/* The reason that begins with name ("threads"), without it; "" for none. Returns text. */
char *cli_train_job_reason(const cli_train_job *job, const char *name, char *text, size_t capacity);
/* The whole line of what was decided about name ("epochs 4: ..."); "" for none. Returns text. */
char *cli_train_job_decision(const cli_train_job *job, const char *name, char *text,
                             size_t capacity);

/* Tells an error of the library with what helps against it. Gives an exit code. */
int cli_train_job_error(const cli_invocation *call, const stk_error *err);

#endif

/* A recipe with its data, settled: what every command of training begins with. */
#ifndef STK_TOOLS_TRAIN_JOB_H
#define STK_TOOLS_TRAIN_JOB_H

#include "train_flags.h"

typedef struct stk_train_job {
    stk_train_recipe recipe;
    stk_train_data   data;
    stk_inject       inject;           /* what --inject said; all zero: nothing */
    stk_blob         reasons;          /* of what was decided, one line each */
    double           look_s, settle_s; /* that looking at the data and deciding took */
    bool             resumed;          /* the recipe is a run's own */
    bool             names_folder;     /* nobody said where the run goes */
} stk_train_job;

/* Every key at its fallback, no data yet. */
void stk_train_job_init(stk_train_job *job);
void stk_train_job_release(stk_train_job *job);

/* Flags, a look at the data, and what is still open decided. Gives an exit code, and has told why
 * when it is not STK_EXIT_OK. */
int stk_train_job_prepare(stk_train_job *job, const stk_invocation *call,
                          const stk_train_values *values, const char *data);

/* The reason that begins with name ("threads"), without it; "" for none. Returns text. */
char *stk_train_job_reason(const stk_train_job *job, const char *name, char *text, size_t capacity);
/* The whole line of what was decided about name ("epochs 4: ..."); "" for none. Returns text. */
char *stk_train_job_decision(const stk_train_job *job, const char *name, char *text,
                             size_t capacity);

/* Tells an error of the library with what helps against it. Gives an exit code. */
int stk_train_job_error(const stk_invocation *call, const stk_error *err);

#endif

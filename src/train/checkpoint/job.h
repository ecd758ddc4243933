/* A job of the writer's thread: a snapshot and the models to write from it. */
#ifndef STK_TRAIN_CHECKPOINT_JOB_H
#define STK_TRAIN_CHECKPOINT_JOB_H

#include "base/arena.h"
#include "train/checkpoint/checkpoint.h"

typedef struct stk_writer_job {
    stk_snapshot *snapshot;
    stk_arena     texts; /* storage of the three below */
    const char   *models[STK_WRITER_MODELS];
    int           model_count; /* 0: checkpoint only */
    const char   *prefix;
    const char  **metadata;
    uint64_t      ticket; /* of the files to sync before */
} stk_writer_job;

/* Must be released even on failure. */
STK_NODISCARD stk_status stk_writer_job_init(stk_writer_job *job, stk_ledger *ledger,
                                             stk_error *err);
void                     stk_writer_job_release(stk_writer_job *job);
/* Copies all arguments; on failure the job has no models. */
STK_NODISCARD stk_status stk_writer_job_fill(stk_writer_job *job, stk_variables *variables,
                                             const stk_run_state *state, const char *const *models,
                                             const char *prefix, const char *const *metadata,
                                             stk_error *err);
/* Payload bytes of checkpoint and models, without headers. */
uint64_t stk_writer_job_bytes(const stk_writer_job *job);
/* Drops the models that other writes too. */
void stk_writer_job_leave_to(stk_writer_job *job, const stk_writer_job *other);

#endif

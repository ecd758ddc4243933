/* What the writer's thread is given: a snapshot, and the models that are to be made of it. */
#ifndef STK_TRAIN_CHECKPOINT_JOB_H
#define STK_TRAIN_CHECKPOINT_JOB_H

#include "base/arena.h"
#include "train/checkpoint/checkpoint.h"

typedef struct stk_writer_job {
    stk_snapshot *snapshot;
    stk_arena     texts; /* what the three below lead to */
    const char   *models[STK_WRITER_MODELS];
    int           model_count; /* 0: only a checkpoint */
    const char   *prefix;
    const char  **metadata;
    uint64_t      ticket; /* of what must be on the disk before */
} stk_writer_job;

/* On failure the job is to be released, too. */
STK_NODISCARD stk_status stk_writer_job_init(stk_writer_job *job, stk_ledger *ledger,
                                             stk_error *err);
void                     stk_writer_job_release(stk_writer_job *job);
/* Copies all of it; on failure the job has no models. */
STK_NODISCARD stk_status stk_writer_job_fill(stk_writer_job *job, stk_variables *variables,
                                             const stk_run_state *state, const char *const *models,
                                             const char *prefix, const char *const *metadata,
                                             stk_error *err);
/* Bytes of checkpoint and models; content only: headers are small beside it. */
uint64_t stk_writer_job_bytes(const stk_writer_job *job);
/* Takes away the models that other writes as well. */
void stk_writer_job_leave_to(stk_writer_job *job, const stk_writer_job *other);

#endif

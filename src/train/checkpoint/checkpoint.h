/* Where a training run is, on disk: all variables and the state of everything that changes, in one
 * safetensors file. A checkpoint is whole or absent: it is written beside, synced and renamed. */
#ifndef STK_TRAIN_CHECKPOINT_CHECKPOINT_H
#define STK_TRAIN_CHECKPOINT_CHECKPOINT_H

#include <stoker/filesystem.h>
#include <stoker/program.h>

/* Numbers and bytes that are needed to go on exactly. Kept in the file's metadata (numbers, as text
 * that gives the same bits again) and as uint8 tensors (bytes). */
typedef struct stk_run_state {
    int64_t  step;       /* steps done */
    int64_t  group;      /* of progressive training */
    int64_t  group_step; /* steps done in it */
    int64_t  best_step;
    double   best_accuracy; /* -1: none yet */
    double   accuracy;      /* of the evaluation after this step; -1: none was made; NAN: unknown */
    double   seconds;       /* trained so far */
    int64_t  not_better;    /* evaluations since the best */
    uint64_t recipe;        /* fingerprint: another recipe must not go on here */
    stk_blob input;         /* the iterator's place */
    stk_blob schedule;      /* of schedules with a memory; else empty */
    stk_blob metrics;       /* sums since the last report */
} stk_run_state;

void stk_run_state_init(stk_run_state *state, stk_ledger *ledger);
void stk_run_state_release(stk_run_state *state);

/* A copy of all variables in host memory; the buffers are reused by the next snapshot. */
typedef struct stk_snapshot stk_snapshot;

STK_NODISCARD stk_status stk_snapshot_new(stk_snapshot **out, stk_ledger *ledger, stk_error *err);
void                     stk_snapshot_free(stk_snapshot *snapshot);
/* Copies variables (but METRIC ones) and state. On failure the snapshot is empty. */
STK_NODISCARD stk_status stk_snapshot_take(stk_snapshot *snapshot, stk_variables *variables,
                                           const stk_run_state *state, stk_error *err);

/* The same from a checkpoint, which must be of variables like these; they are not touched. */
STK_NODISCARD stk_status stk_snapshot_read(stk_snapshot *snapshot, const stk_filesystem *fs,
                                           const char *path, const stk_variables *variables,
                                           stk_error *err);

/* Writes FOLDER/step-000001200.safetensors (the folder is there) and removes all but the newest
 * keep, at least 1, up to that step. A failure to remove is an error; the file is written then. */
STK_NODISCARD stk_status stk_snapshot_write(const stk_snapshot *snapshot, const stk_filesystem *fs,
                                            const char *folder, int64_t keep, stk_error *err);
/* The model alone (parameters and statistics; of the average where prefix "ema." is given, whose
 * names lose it), as torchvision would name it. A prefix that no variable has is STK_E_NOTFOUND.
 * metadata: pairs of key and text, NULL at the end.
 */
STK_NODISCARD stk_status stk_snapshot_write_model(const stk_snapshot   *snapshot,
                                                  const stk_filesystem *fs, const char *path,
                                                  const char *prefix, const char *const *metadata,
                                                  stk_error *err);

/* The newest checkpoint in folder that is whole. Damaged ones are passed over; each is told to warn
 * (NULL is fine). STK_E_NOTFOUND when there is none. */
STK_NODISCARD stk_status stk_checkpoint_find(const stk_filesystem *fs, const char *folder,
                                             void (*warn)(void *context, const char *line),
                                             void *context, char *path, size_t capacity,
                                             stk_error *err);
/* Puts everything back but METRIC variables. A variable that is missing, left over, or of another
 * type or shape is an error naming the first such tensor and both shapes; so is damage. Nothing is
 * changed then; only where a device has no memory to change a format in, some variables are. */
STK_NODISCARD stk_status stk_checkpoint_load(const stk_filesystem *fs, const char *path,
                                             stk_variables *variables, stk_run_state *state,
                                             stk_error *err);

/* Weights to begin with, from a model file or a checkpoint of ours, or from torchvision. Variables
 * are found by name ("num_batches_tracked" is passed over, so are optimizer and ema variables). The
 * last layer (that of the last parameter) may be left as it is when its classes, the first
 * dimension, differ (told in *left_out, the tensors' number; NULL is fine). Everything else that
 * differs is an error with the first tensor and both shapes. */
STK_NODISCARD stk_status stk_weights_load(const stk_filesystem *fs, const char *path,
                                          stk_variables *variables, bool allow_other_head,
                                          int *left_out, stk_error *err);

/* The same for other classes: row i of the last layer, of count, is row rows[i] of the file's, and
 * stays as it is where that is negative. */
STK_NODISCARD stk_status stk_weights_load_rows(const stk_filesystem *fs, const char *path,
                                               stk_variables *variables, const int64_t *rows,
                                               int64_t count, stk_error *err);

enum { STK_WRITER_MODELS = 2 };

/* Writes snapshots behind the training's back: one thread, one at a time. */
typedef struct stk_checkpoint_writer stk_checkpoint_writer;

typedef struct stk_writer_options {
    const stk_filesystem *fs;
    const char           *folder; /* copied */
    int64_t               keep;
    stk_ledger           *ledger; /* for the snapshot; NULL is fine */
    /* From the writer's thread: a failure, which leaves the checkpoint before usable. */
    void (*failed)(void *context, const stk_error *why);
    /* What a checkpoint covers is to be on the disk before it. mark: in put, on its thread, once
     * the snapshot is taken; before: from the writer's thread, with what mark returned. Where it
     * fails the checkpoint is not written. NULL is fine. */
    uint64_t (*ticket)(void *context);
    stk_status (*before)(void *context, uint64_t ticket, stk_error *err);
    void      *context;
    stk_trace *trace; /* NULL is fine */
} stk_writer_options;

/* Removes what a killed process left of its checkpoints: the folder must be there, and no other
 * process may write to it. On failure *out is NULL. */
STK_NODISCARD stk_status stk_checkpoint_writer_start(stk_checkpoint_writer   **out,
                                                     const stk_writer_options *options,
                                                     stk_error                *err);
/* Snapshots now and hands it to the thread; waits for the one before. The files of models (up to
 * STK_WRITER_MODELS, NULL at the end; NULL: none) get the model alone, too. One that cannot be
 * written is tried again with what is put next and by flush; until then no checkpoint is written
 * from which it could not be made, and the one from which it can is not removed. */
STK_NODISCARD stk_status stk_checkpoint_writer_put(stk_checkpoint_writer *writer,
                                                   stk_variables         *variables,
                                                   const stk_run_state   *state,
                                                   const char *const *models, const char *prefix,
                                                   const char *const *metadata, stk_error *err);
/* Waits until all is written. The last failure since the flush before, if any, and how many there
 * were (NULL is fine) that were not made good. */
STK_NODISCARD stk_status stk_checkpoint_writer_flush(stk_checkpoint_writer *writer, int *failures,
                                                     stk_error *err);
/* The step of the last checkpoint that was written; -1: none was. From any thread. */
int64_t stk_checkpoint_writer_written(const stk_checkpoint_writer *writer);
/* So far; from any thread. */
typedef struct stk_writer_stats {
    uint64_t files, bytes, busy_ns; /* of its thread; files that could not be written, too */
    uint64_t waited_ns;             /* put waited for the one before */
} stk_writer_stats;

stk_writer_stats stk_checkpoint_writer_read(const stk_checkpoint_writer *writer);
/* Waits, then ends the thread. NULL is fine. */
void stk_checkpoint_writer_free(stk_checkpoint_writer *writer);

#endif

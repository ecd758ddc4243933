/* Checkpoints: all variables and the complete run state in one safetensors file. A file is complete
 * or absent: it is written under a temporary name, synced and renamed. */
#ifndef STK_TRAIN_CHECKPOINT_CHECKPOINT_H
#define STK_TRAIN_CHECKPOINT_CHECKPOINT_H

#include <stoker/filesystem.h>
#include <stoker/program.h>

/* State needed to resume exactly. Numbers are kept in the file's metadata, as text that reads back
 * to the same bits, and bytes as uint8 tensors. */
typedef struct stk_run_state {
    int64_t  step;       /* steps done */
    int64_t  group;      /* index of the epoch group */
    int64_t  group_step; /* steps done in the group */
    int64_t  best_step;
    double   best_accuracy; /* -1: none yet */
    double   accuracy;      /* of the evaluation after this step; -1: not evaluated; NAN: unknown */
    double   seconds;       /* of training so far */
    int64_t  not_better;    /* evaluations since the best one */
    uint64_t recipe;        /* fingerprint: only the same recipe may resume */
    stk_blob input;         /* the loader's position */
    stk_blob schedule;      /* state of the schedule; else empty */
    stk_blob metrics;       /* sums since the last report */
} stk_run_state;

void stk_run_state_init(stk_run_state *state, stk_ledger *ledger);
void stk_run_state_release(stk_run_state *state);

/* A host copy of all variables; the next snapshot reuses its buffers. */
typedef struct stk_snapshot stk_snapshot;

STK_NODISCARD stk_status stk_snapshot_new(stk_snapshot **out, stk_ledger *ledger, stk_error *err);
void                     stk_snapshot_free(stk_snapshot *snapshot);
/* Copies all variables but METRIC ones, and the state. On failure the snapshot is empty. */
STK_NODISCARD stk_status stk_snapshot_take(stk_snapshot *snapshot, stk_variables *variables,
                                           const stk_run_state *state, stk_error *err);

/* Reads a snapshot from a checkpoint with variables of the same names and types, which are not
 * changed. */
STK_NODISCARD stk_status stk_snapshot_read(stk_snapshot *snapshot, const stk_filesystem *fs,
                                           const char *path, const stk_variables *variables,
                                           stk_error *err);

/* Writes FOLDER/step-000001200.safetensors into an existing folder, then removes all but the newest
 * keep (at least 1) checkpoints up to that step. A failed removal is an error; the file is complete
 * then. */
STK_NODISCARD stk_status stk_snapshot_write(const stk_snapshot *snapshot, const stk_filesystem *fs,
                                            const char *folder, int64_t keep, stk_error *err);
/* Writes the model alone under torchvision's names: parameters and statistics, or their averages
 * with prefix "ema.", which the names lose. STK_E_NOTFOUND if no variable has the prefix. metadata:
 * pairs of key and text, NULL-terminated. */
STK_NODISCARD stk_status stk_snapshot_write_model(const stk_snapshot   *snapshot,
                                                  const stk_filesystem *fs, const char *path,
                                                  const char *prefix, const char *const *metadata,
                                                  stk_error *err);

/* Finds the newest valid checkpoint in folder. Damaged ones are skipped and reported to warn (may
 * be NULL). STK_E_NOTFOUND if there is none. */
STK_NODISCARD stk_status stk_checkpoint_find(const stk_filesystem *fs, const char *folder,
                                             void (*warn)(void *context, const char *line),
                                             void *context, char *path, size_t capacity,
                                             stk_error *err);
/* Restores all variables but METRIC ones. Damage, or a variable that is missing, extra, or of
 * another type or shape, is an error naming the first such tensor and both shapes. Nothing is
 * changed then, unless the device runs out of memory while converting a format. */
STK_NODISCARD stk_status stk_checkpoint_load(const stk_filesystem *fs, const char *path,
                                             stk_variables *variables, stk_run_state *state,
                                             stk_error *err);

/* Loads weights from a model file, a checkpoint or a torchvision file, by variable name. Optimiser
 * and average variables and "num_batches_tracked" are skipped. The last layer (of the last
 * parameter) may stay unchanged if its number of classes differs: *left_out (may be NULL) counts
 * its tensors. Any other difference is an error naming the first tensor and both shapes. */
STK_NODISCARD stk_status stk_weights_load(const stk_filesystem *fs, const char *path,
                                          stk_variables *variables, bool allow_other_head,
                                          int *left_out, stk_error *err);

/* The same for other classes: row i of the last layer, of count, is loaded from the file's row
 * rows[i]; a negative one leaves it unchanged. */
STK_NODISCARD stk_status stk_weights_load_rows(const stk_filesystem *fs, const char *path,
                                               stk_variables *variables, const int64_t *rows,
                                               int64_t count, stk_error *err);

enum { STK_WRITER_MODELS = 2 };

/* Writes snapshots asynchronously: one thread, one snapshot at a time. */
typedef struct stk_checkpoint_writer stk_checkpoint_writer;

typedef struct stk_writer_options {
    const stk_filesystem *fs;
    const char           *folder; /* copied */
    int64_t               keep;
    stk_ledger           *ledger; /* of the snapshot; NULL is fine */
    /* Called on the writer's thread after a failure. The previous checkpoint stays valid. */
    void (*failed)(void *context, const stk_error *why);
    /* Orders other files before the checkpoint. ticket is called in put, on its thread, after the
     * snapshot. before is called on the writer's thread with that ticket; if it fails, the
     * checkpoint is not written. Both may be NULL. */
    uint64_t (*ticket)(void *context);
    stk_status (*before)(void *context, uint64_t ticket, stk_error *err);
    void      *context;
    stk_trace *trace; /* NULL is fine */
} stk_writer_options;

/* Removes temporary files of killed processes. The folder must exist, and no other process may
 * write to it. On failure *out is NULL. */
STK_NODISCARD stk_status stk_checkpoint_writer_start(stk_checkpoint_writer   **out,
                                                     const stk_writer_options *options,
                                                     stk_error                *err);
/* Takes a snapshot and queues it; waits for the previous one. The model alone is also written to
 * the files of models (up to STK_WRITER_MODELS, NULL-terminated; or NULL). A model that fails is
 * retried by the next put and by flush. Until it succeeds, its source checkpoint is kept, and no
 * checkpoint that could not recreate it is written. */
STK_NODISCARD stk_status stk_checkpoint_writer_put(stk_checkpoint_writer *writer,
                                                   stk_variables         *variables,
                                                   const stk_run_state   *state,
                                                   const char *const *models, const char *prefix,
                                                   const char *const *metadata, stk_error *err);
/* Waits until all is written. Returns the last failure since the previous flush; *failures (may be
 * NULL) counts those without a successful retry. */
STK_NODISCARD stk_status stk_checkpoint_writer_flush(stk_checkpoint_writer *writer, int *failures,
                                                     stk_error *err);
/* Step of the last checkpoint written; -1: none. Callable from any thread. */
int64_t stk_checkpoint_writer_written(const stk_checkpoint_writer *writer);
/* Counters so far; callable from any thread. */
typedef struct stk_writer_stats {
    uint64_t files, bytes, busy_ns; /* of its thread; includes failed files */
    uint64_t waited_ns;             /* time that put waited for the previous snapshot */
} stk_writer_stats;

stk_writer_stats stk_checkpoint_writer_read(const stk_checkpoint_writer *writer);
/* Waits, then joins the thread. NULL is fine. */
void stk_checkpoint_writer_free(stk_checkpoint_writer *writer);

#endif

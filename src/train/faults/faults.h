/* The faults of one run, ready to happen. NULL is none everywhere. */
#ifndef STK_TRAIN_FAULTS_FAULTS_H
#define STK_TRAIN_FAULTS_FAULTS_H

#include "train/faults/slow_peer.h"
#include "train/faults/slow_reads.h"
#include "train/faults/slow_write.h"

#include <stoker/dataset.h>
#include <stoker/graph.h>
#include <stoker/inject.h>
#include <stoker/program.h>

typedef struct stk_faults {
    stk_inject     wanted;
    double         rounds_per_s; /* of stk_burn */
    stk_slow_reads reads;
    stk_slow_peer  peer;
    stk_slow_write write;
    const char    *folder; /* for what is written */
    uint8_t       *fetched;
    size_t         fetched_room;
} stk_faults;

/* *out is NULL where inject is NULL or has no fault. What is written goes into
 * folder, which must outlive it and be there at the first write. */
STK_NODISCARD stk_status stk_faults_open(stk_faults **out, const stk_inject *inject,
                                         const char *folder, stk_error *err);
void                     stk_faults_free(stk_faults *faults);

/* S1: what to read through; NULL: nothing special. Caches would hide it. */
const stk_filesystem *stk_faults_files(stk_faults *faults);
/* S1: the run is over, reads under way come at once. */
void stk_faults_hurry(stk_faults *faults);
/* S1, S2: the plan of the input is another one than without the fault. */
bool stk_faults_change_input(const stk_faults *faults);
/* S2: puts the stage on data, whose elements are samples. */
STK_NODISCARD stk_status stk_faults_prepare(const stk_faults *faults, stk_dataset **data,
                                            stk_error *err);
/* S3: how often more a batch is copied. */
int64_t stk_faults_copies(const stk_faults *faults);
/* S4: logits[N,K] of size x size images with the operation before them. */
stk_symbol stk_faults_logits(const stk_faults *faults, stk_graph *g, stk_symbol logits,
                             int64_t size);
/* S5: all parameters' gradients there and back; bytes is how much that was. */
bool                     stk_faults_shares(const stk_faults *faults);
STK_NODISCARD stk_status stk_faults_allreduce(stk_faults *faults, const stk_variables *variables,
                                              size_t *bytes, stk_error *err);
/* S6: reads variables until it is enough. */
STK_NODISCARD stk_status stk_faults_fetch(stk_faults *faults, stk_variables *variables,
                                          size_t *bytes, stk_error *err);
/* S7: what the callback does. */
bool stk_faults_call(const stk_faults *faults);
void stk_faults_work(const stk_faults *faults);
/* S8: whether something is written after this step, from 1; and writes it. */
bool                     stk_faults_write_due(const stk_faults *faults, int64_t step);
STK_NODISCARD stk_status stk_faults_write(stk_faults *faults, stk_error *err);

#endif

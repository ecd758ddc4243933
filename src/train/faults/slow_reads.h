/* A file system whose reads are slow. */
#ifndef STK_TRAIN_FAULTS_SLOW_READS_H
#define STK_TRAIN_FAULTS_SLOW_READS_H

#include <pthread.h>
#include <stdbool.h>
#include <stoker/filesystem.h>

typedef struct stk_slow_reads {
    stk_filesystem     fs; /* first: pass &it.fs */
    stk_filesystem_ops ops;
    double             bytes_per_s, latency_s;
    pthread_mutex_t    lock; /* of all below */
    pthread_cond_t     hurry;
    bool               hurried; /* nobody waits any more */
    uint64_t           free_ns; /* all that was asked for so far has come by then */
} stk_slow_reads;

/* Over the local disks. bytes_per_s 0: as fast as they are. Files that it opens must be closed
 * before its release. */
void stk_slow_reads_init(stk_slow_reads *reads, double bytes_per_s, double latency_s);
/* From now on reads do not wait, and those that do return: what is read ahead when a run ends would
 * hold it up for long. One that is all zero is fine. */
void stk_slow_reads_hurry(stk_slow_reads *reads);
/* One that is all zero is fine. */
void stk_slow_reads_release(stk_slow_reads *reads);

#endif

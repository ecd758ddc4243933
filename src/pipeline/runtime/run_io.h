/* Blocking work of a run: its I/O engines and read-ahead file systems. All start on first use, are
 * shared by all operators, and are freed with the run. */
#ifndef STK_PIPELINE_RUNTIME_RUN_IO_H
#define STK_PIPELINE_RUNTIME_RUN_IO_H

#include "pipeline/runtime/runtime.h"
#include "storage/file/io_engine.h"

/* Max blocking pulls in flight; further queues are pulled by threads that compute. */
enum { STK_RUN_PULLS_MAX = 512 };

/* Made and freed with the run. activity counts waits and bytes and must outlive it. */
STK_NODISCARD stk_status stk_run_io_new(stk_run_io **out, stk_thread_activity *activity,
                                        stk_error *err);
void                     stk_run_io_free(stk_run_io *io);

/* The engine of reads and blocking calls. A request must never wait for another one of this engine:
 * all slots could be waiting. */
STK_NODISCARD stk_status stk_run_engine(stk_run *run, stk_io **out, stk_error *err);

/* The engine of pulls, which wait for reads, calls and further pulls. Each holder has at most one
 * pull in flight and there are no more holders than slots, so all may wait at once. *out is NULL if
 * all slots are held. */
STK_NODISCARD stk_status stk_run_acquire_puller(stk_run *run, stk_io **out, stk_error *err);
void                     stk_run_return_puller(stk_run *run);

/* inner (NULL: the local disks) with read-ahead of sequential files on the run's engine. Returns
 * the same object for the same inner. Without memory or threads it logs that and returns inner. */
const stk_filesystem *stk_run_filesystem(stk_run *run, const stk_filesystem *inner);

/* Prefetches path of inner in the background: it is read next. */
void stk_run_hint(stk_run *run, const stk_filesystem *inner, const char *path);

/* Releases unused read-ahead. No node of the run may be open. */
void stk_run_io_quiesce(stk_run *run);

/* Time with reads or calls in flight; 0 before the engine started. */
uint64_t stk_run_io_busy_ns(stk_run *run);

/* Counters of the engine; "none" before it started. */
void stk_run_io_stats(stk_run *run, stk_iterator_io_stats *counters);

#endif

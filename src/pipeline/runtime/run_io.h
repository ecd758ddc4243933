/* What waits in a run: its engines and the file systems that read ahead. All are started when they
 * are first asked for, shared by all stages, and freed with the run. */
#ifndef STK_PIPELINE_RUNTIME_RUN_IO_H
#define STK_PIPELINE_RUNTIME_RUN_IO_H

#include "pipeline/runtime/runtime.h"
#include "storage/file/io_engine.h"

/* Most pulls that wait at a time; stages beyond that are pulled by those who compute. */
enum { STK_RUN_PULLS_MAX = 512 };

/* The run's own, made and freed with it. activity is told of waits and bytes; it must outlive it.
 */
STK_NODISCARD stk_status stk_run_io_new(stk_run_io **out, stk_thread_activity *activity,
                                        stk_error *err);
void                     stk_run_io_free(stk_run_io *io);

/* The engine of reads and of blocking calls. What it runs must never wait for another of its
 * requests: with all its turns taken by such there would be no turn left to wait for. */
STK_NODISCARD stk_status stk_run_engine(stk_run *run, stk_io **out, stk_error *err);

/* The engine of pulls, which do wait: for reads, calls and pulls further up. Each holder pulls at
 * most one at a time, and there are no more holders than turns, so that all may wait at once. *out
 * is NULL when there are as many already. */
STK_NODISCARD stk_status stk_run_acquire_puller(stk_run *run, stk_io **out, stk_error *err);
void                     stk_run_return_puller(stk_run *run);

/* inner (NULL: the local disks) through the run's engine: sequential files are read ahead. The same
 * one for the same inner. Without memory or threads for it, inner itself, and the log says so. */
const stk_filesystem *stk_run_filesystem(stk_run *run, const stk_filesystem *inner);

/* Begins to open and read path of inner in the background: it is the next to be read there. */
void stk_run_hint(stk_run *run, const stk_filesystem *inner, const char *path);

/* Gives back what was read ahead for nobody. No node of the run is open. */
void stk_run_io_quiesce(stk_run *run);

/* Time in which reads or calls were under way; 0 before the engine was needed. */
uint64_t stk_run_io_busy_ns(stk_run *run);

/* What the engine did so far; "none" before it was needed. */
void stk_run_io_stats(stk_run *run, stk_iterator_io_stats *counters);

#endif

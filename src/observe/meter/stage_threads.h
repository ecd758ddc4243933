/* CPU time of this process's threads by stage, from /proc/self/task. A reading opens some files per
 * thread, so it belongs at the ends of a measurement. */
#ifndef STK_OBSERVE_METER_STAGE_THREADS_H
#define STK_OBSERVE_METER_STAGE_THREADS_H

#include <stddef.h>
#include <stdint.h>
#include <stoker/trace.h>

enum { STK_STAGE_THREADS_MAX = 512 };

/* Since the thread's start; negative if the kernel does not count it. */
typedef struct stk_stage_thread {
    int       id;
    stk_stage stage;
    double    cpu_ns, runnable_ns, io_ns; /* on a core, waiting for a core, waiting for a disk */
} stk_stage_thread;

typedef struct stk_stage_threads {
    size_t           count; /* 0 without /proc; further threads are ignored */
    stk_stage_thread list[STK_STAGE_THREADS_MAX];
} stk_stage_threads;

typedef struct stk_stage_cpu {
    int    threads;
    double cpu_ns, runnable_ns, io_ns;
} stk_stage_cpu;

/* training: id of the training thread, 0: none. It and threads of the same name belong to S4:
 * OpenMP's threads inherit the name of their creator. */
void stk_stage_threads_read(stk_stage_threads *out, int training);

/* Differences since before; new threads count from their start, ended ones are not included.
 * Negative if no thread of the stage has a value. */
void stk_stage_threads_since(const stk_stage_threads *before, const stk_stage_threads *now,
                             stk_stage_cpu out[STK_STAGE_COUNT]);

#endif

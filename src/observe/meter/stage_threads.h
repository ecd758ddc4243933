/* What the threads of this process got of its cores, by the stage they work for: from
 * /proc/self/task. A look opens some files a thread: for the edges of a measurement. */
#ifndef STK_OBSERVE_METER_STAGE_THREADS_H
#define STK_OBSERVE_METER_STAGE_THREADS_H

#include <stddef.h>
#include <stdint.h>
#include <stoker/trace.h>

enum { STK_STAGE_THREADS_MAX = 512 };

/* Since it began; negative where the kernel does not tell. */
typedef struct stk_stage_thread {
    int       id;
    stk_stage stage;
    double    cpu_ns, runnable_ns, io_ns; /* on a core, waiting for one, waiting for a disk */
} stk_stage_thread;

typedef struct stk_stage_threads {
    size_t           count; /* 0 without /proc; threads beyond the most are left out */
    stk_stage_thread list[STK_STAGE_THREADS_MAX];
} stk_stage_threads;

typedef struct stk_stage_cpu {
    int    threads;
    double cpu_ns, runnable_ns, io_ns;
} stk_stage_cpu;

/* training: the id of the thread that trains, 0: none. It and those that have its name are S4's:
 * threads that OpenMP starts bear the name of who asked for them. */
void stk_stage_threads_read(stk_stage_threads *out, int training);

/* What those of now did since before; one that was not there then began since. Threads that ended
 * are not known any more. Negative where no thread of the stage tells. */
void stk_stage_threads_since(const stk_stage_threads *before, const stk_stage_threads *now,
                             stk_stage_cpu out[STK_STAGE_COUNT]);

#endif

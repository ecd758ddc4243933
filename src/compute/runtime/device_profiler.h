/* Device profiler: maps asynchronous device activity, by correlation tag, to program instructions
 * and trace rows. Owned by the device's thread. */
#ifndef STK_COMPUTE_RUNTIME_DEVICE_PROFILER_H
#define STK_COMPUTE_RUNTIME_DEVICE_PROFILER_H

#include "compute/runtime/program_internal.h"

/* Sets device->profiler, to NULL if the backend reports no activity. */
STK_NODISCARD stk_status stk_device_profiler_new(stk_device *device, stk_error *err);
/* The device must be idle. */
void stk_device_profiler_free(stk_device *device);

/* Mark begin and end of a run. begin_run reports activity of earlier runs. thread NULL: no
 * trace. */
void stk_device_profiler_begin_run(stk_program *program, stk_trace_thread *thread);
void stk_device_profiler_end_run(stk_program *program);

/* push_tag opens a tag for work of instruction, or of a whole run if it is NULL, and returns it.
 * pop_tag names the last instruction that the tag covers; their times are divided by the bytes they
 * move. */
uint64_t stk_device_profiler_push_tag(stk_program *program, stk_instruction *instruction);
void     stk_device_profiler_pop_tag(const stk_program *program, stk_instruction *last);

/* Records the host's span of a run that was launched under tag. */
void stk_device_profiler_record_launch(stk_program *program, stk_trace_thread *thread,
                                       uint64_t begin, uint64_t tag);

/* Reports activity so far; all: waits for enqueued work and reports it too. */
void stk_device_profiler_poll(stk_device *device, bool all);

/* Reports all activity of a program that is about to be freed. */
void stk_device_profiler_remove_program(stk_program *program);

/* Whether single kernels are reported. Captured runs stay captured then. */
bool stk_device_profiler_traces_kernels(const stk_device *device);

#endif

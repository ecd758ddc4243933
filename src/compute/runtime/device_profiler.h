/* What a device does behind the caller's back: told later, under tags, to the steps that began it
 * and to the rows of a trace. The thread that uses the device is the only one here. */
#ifndef STK_COMPUTE_RUNTIME_DEVICE_PROFILER_H
#define STK_COMPUTE_RUNTIME_DEVICE_PROFILER_H

#include "compute/runtime/program_internal.h"

/* NULL in device->watch where the backend tells nothing. */
STK_NODISCARD stk_status stk_watch_new(stk_device *device, stk_error *err);
/* After the device has settled. */
void stk_watch_free(stk_device *device);

/* A run begins, or is over: what was done before is told. thread NULL: no trace. */
void stk_watch_begin_run(stk_program *program, stk_trace_thread *thread);
void stk_watch_end_run(stk_program *program);

/* Around what is begun for a step of the program, NULL: for a whole run. Gives the tag. leave names
 * the last step that is part of it: of several, each has its share by the bytes it moves. */
uint64_t stk_watch_enter(stk_program *program, stk_step *step);
void     stk_watch_leave(const stk_program *program, stk_step *last);

/* The host's span of a run that began under tag. */
void stk_watch_record_launch(stk_program *program, stk_trace_thread *thread, uint64_t begin,
                             uint64_t tag);

/* What the device has done so far, or with all set, all that it was told to do. */
void stk_watch_tell(stk_device *device, bool all);

/* The program goes: all of it is told now. */
void stk_watch_forget(stk_program *program);

/* Whether kernels are told one by one: runs may be played as they were recorded. */
bool stk_watch_tells_kernels(const stk_device *device);

#endif

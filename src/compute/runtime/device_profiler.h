/* What a device does behind the caller's back: told later, under tags, to the steps that began it
 * and to the rows of a trace. The thread that uses the device is the only one here. */
#ifndef STK_COMPUTE_RUNTIME_DEVICE_PROFILER_H
#define STK_COMPUTE_RUNTIME_DEVICE_PROFILER_H

#include "compute/runtime/program_internal.h"

/* NULL in device->watch where the backend tells nothing. */
STK_NODISCARD stk_status stk_device_profiler_new(stk_device *device, stk_error *err);
/* After the device has settled. */
void stk_device_profiler_free(stk_device *device);

/* A run begins, or is over: what was done before is told. thread NULL: no trace. */
void stk_device_profiler_begin_run(stk_program *program, stk_trace_thread *thread);
void stk_device_profiler_end_run(stk_program *program);

/* Around what is begun for a step of the program, NULL: for a whole run. Gives the tag. leave names
 * the last step that is part of it: of several, each has its share by the bytes it moves. */
uint64_t stk_device_profiler_push_tag(stk_program *program, stk_instruction *instruction);
void     stk_device_profiler_pop_tag(const stk_program *program, stk_instruction *last);

/* The host's span of a run that began under tag. */
void stk_device_profiler_record_launch(stk_program *program, stk_trace_thread *thread,
                                       uint64_t begin, uint64_t tag);

/* What the device has done so far, or with all set, all that it was told to do. */
void stk_device_profiler_poll(stk_device *device, bool all);

/* The program goes: all of it is told now. */
void stk_device_profiler_forget(stk_program *program);

/* Whether kernels are told one by one: runs may be played as they were recorded. */
bool stk_device_profiler_traces_kernels(const stk_device *device);

#endif

/* stoker/monitor.h - samples resource usage on a thread during a run. Memory is bounded: when full,
 * neighbouring samples are averaged. Every function but start and free is thread-safe, and none
 * waits for a disk or a driver. */
#ifndef STOKER_MONITOR_H
#define STOKER_MONITOR_H

#include <stoker/resources.h>

STK_BEGIN_DECLS

typedef struct stk_monitor stk_monitor;

typedef struct stk_monitor_options {
    int    process;    /* watched with its children; 0: this one; -1: the machine only */
    double interval_s; /* between samples; 0: 0.5 */
    size_t samples;    /* capacity; 0: 2048 */
    size_t threads;    /* the busiest threads kept of the last sample; 0: none */
    /* Called on the monitor's thread after each sample; must be fast. May be NULL. */
    void (*sampled)(void *context, const stk_resource_sample *sample);
    void *context;
} stk_monitor_options;

/* options may be NULL. */
STK_API STK_NODISCARD stk_status stk_monitor_start(stk_monitor              **out,
                                                   const stk_monitor_options *options,
                                                   stk_error                 *err);
/* Takes a last sample and joins the thread; samples stay readable. Call it once; free does it
 * too. */
STK_API void stk_monitor_stop(stk_monitor *monitor);
/* NULL is fine. */
STK_API void stk_monitor_free(stk_monitor *monitor);

/* Counts training samples, for the rate. A NULL monitor counts nothing. */
STK_API void stk_monitor_count(stk_monitor *monitor, uint64_t samples);

/* Changes the interval between samples. */
STK_API void stk_monitor_set_interval(stk_monitor *monitor, double interval_s);

STK_API const stk_machine_info *stk_monitor_machine(const stk_monitor *monitor);
/* The last sample; false if there is none. */
STK_API bool stk_monitor_latest(stk_monitor *monitor, stk_resource_sample *out);
/* Copies the newest samples, oldest first, up to capacity; returns how many. */
STK_API size_t stk_monitor_series(stk_monitor *monitor, stk_resource_sample *out, size_t capacity);
/* The maximum of every value, before averaging. */
STK_API void   stk_monitor_peaks(stk_monitor *monitor, stk_resource_sample *out);
STK_API size_t stk_monitor_threads(stk_monitor *monitor, stk_thread_sample *out, size_t capacity);
STK_API size_t stk_monitor_cores(stk_monitor *monitor, double *out, size_t capacity);
/* Like stk_resources_note. */
STK_API void stk_monitor_note(stk_monitor *monitor, char *text, size_t capacity);

STK_END_DECLS
#endif

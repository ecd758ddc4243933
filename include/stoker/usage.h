/* stoker/usage.h - analyses resource samples of a run: medians and peaks, the probable bottleneck,
 * and anomalies. It needs no knowledge of the program. Unknown values are negative. */
#ifndef STOKER_USAGE_H
#define STOKER_USAGE_H

#include <stoker/json.h>
#include <stoker/resources.h>

STK_BEGIN_DECLS

enum { STK_USAGE_LINE = 256, STK_USAGE_FINDINGS = 16 };

/* One metric over the run. */
typedef struct stk_usage_row {
    double median, mean, peak;
} stk_usage_row;

typedef struct stk_usage_gpu {
    stk_usage_row utilisation, memory, watts, celsius, clock_mhz;
    double        median_nonzero; /* of utilisation: over samples above 0 */
    double        throttled;      /* fraction of the samples */
    bool          used;
} stk_usage_gpu;

/* The probable bottleneck. */
typedef enum stk_usage_bottleneck {
    STK_USAGE_UNKNOWN, /* too few samples */
    STK_USAGE_GPU,     /* the desired bottleneck */
    STK_USAGE_CORES,   /* with a GPU: preprocessing; without: computing */
    STK_USAGE_OTHERS,  /* other programs use the cores */
    STK_USAGE_DISK,
    STK_USAGE_NETWORK,
    STK_USAGE_THREAD,  /* one thread does all the work */
    STK_USAGE_LATENCY, /* nothing is saturated: waits, launches, small batches */
    STK_USAGE_LIMITS
} stk_usage_bottleneck;

STK_API const char *stk_usage_bottleneck_name(stk_usage_bottleneck limit); /* "cores": a literal */

typedef enum stk_finding_kind {
    STK_FINDING_GPU_DIPS,
    STK_FINDING_CPU_DIPS,
    STK_FINDING_LEAK,
    STK_FINDING_MEMORY_FULL,
    STK_FINDING_NETWORK_BURSTS,
    STK_FINDING_NETWORK_FULL,
    STK_FINDING_OUTPUT_GROWS,
    STK_FINDING_GPU_LATE,
    STK_FINDING_GPU_UNUSED,
    STK_FINDING_PERSISTENCE,
    STK_FINDING_THROTTLED,
    STK_FINDING_GAP, /* the machine was suspended, or sampling stalled */
    STK_FINDING_KINDS
} stk_finding_kind;

STK_API const char *stk_finding_name(stk_finding_kind kind); /* "leak": a literal */

typedef struct stk_finding {
    stk_finding_kind kind;
    double value; /* the quantity of the sentence: a fraction, bytes per second, seconds */
    char   sentence[STK_USAGE_LINE], advice[STK_USAGE_LINE];
} stk_finding;

typedef struct stk_usage {
    double        seconds;
    size_t        samples;
    stk_usage_row cpu, iowait, own_cores, own_memory, memory_used, page_cache, swap_used;
    stk_usage_row disk_read, disk_write, disk_reads, disk_writes, disk_busy, own_read, own_write;
    stk_usage_row net_in, net_out, switches, own_waiting, rate;
    int           gpu_count;
    stk_usage_gpu gpus[STK_RESOURCES_GPUS];

    stk_usage_bottleneck limit;
    char                 verdict[STK_USAGE_LINE], advice[STK_USAGE_LINE];
    size_t               finding_count;
    stk_finding          findings[STK_USAGE_FINDINGS];
} stk_usage;

/* Analyses samples, oldest first. peaks: maxima before averaging; NULL: of the samples. */
STK_API void stk_usage_analyze(stk_usage *out, const stk_machine_info *machine,
                               const stk_resource_sample *samples, size_t count,
                               const stk_resource_sample *peaks);
/* Writes its keys into the open object. */
STK_API void stk_usage_write(const stk_usage *usage, stk_json_writer *json);

STK_END_DECLS
#endif

/* stoker/profile.h - the record of an observed run, the input of diagnosis, report and live view.
 * Times are nanoseconds of the measured part, after warm-up; unknown values are negative or empty.
 * `stoker profile` writes it as JSON and `stoker diagnose` reads it. */
#ifndef STOKER_PROFILE_H
#define STOKER_PROFILE_H

#include <stoker/blob.h>
#include <stoker/ledger.h>
#include <stoker/meter.h>
#include <stoker/monitor.h>

STK_BEGIN_DECLS

enum {
    STK_PROFILE_TEXT = 96,
    STK_PROFILE_LINE = 512,
    STK_PROFILE_STAGES = 32, /* of the input */
    STK_PROFILE_INPUT_OPS = 64,
    STK_PROFILE_CALLBACKS = 32,
    STK_PROFILE_PARTS = 8,
    STK_PROFILE_LEVELS = 4,
    STK_PROFILE_SAMPLES = 2048 /* of resources, at most */
};

/* Description of a run. */
typedef struct stk_profile_run {
    char    command[STK_PROFILE_LINE], data[STK_PROFILE_LINE], version[STK_PROFILE_TEXT];
    char    source[STK_PROFILE_TEXT]; /* "stoker", or the tool that wrote the trace */
    char    model[STK_PROFILE_TEXT], backend[STK_PROFILE_TEXT], precision[STK_PROFILE_TEXT];
    char    inject[STK_PROFILE_LINE]; /* injected faults; "" */
    char    kind[32];                 /* of the data: "pack", "folder", ...; "": not known */
    char    cache[16];                /* "memory", "disk", "none"; "": not known */
    char    unit[16];                 /* of rates: "samples"; "steps" if a trace has no samples */
    int64_t batch, size, classes, parameters, seed;
    int64_t data_count;                  /* images per epoch; 0: not known */
    int64_t stored_width, stored_height; /* size of stored images; 0: not known */
    int     threads, input_threads;
    double  unix_time;
    double  startup_s; /* until the end of the first step */
} stk_profile_run;

/* An asynchronous compute device and its activity in the measured part. Times are -1 if the
 * training thread computes. */
typedef struct stk_profile_device {
    char   name[STK_PROFILE_TEXT]; /* such as "NVIDIA H200"; "": none */
    char   driver[32], runtime[32], libraries[64];
    int    processors;
    double memory;           /* bytes */
    double work_ns, copy_ns; /* computing; copying from the host */
    double launch_ns;        /* of the training thread, for launches */
    double runs;
} stk_profile_device;

/* Properties of another framework's program, from its trace. Negative or "": not known. Fractions
 * are 0 to 1 of the time of compute operations; times are sums over all steps. */
typedef struct stk_profile_program {
    char   framework[16]; /* "pytorch", "tensorflow", "jax"; "": Stoker or not known */
    double workers;       /* 0: the training thread prepares input; 1: other threads do */
    double prefetches, parallel_maps,
        caches; /* TensorFlow: 1: the input has such an operator; 0: none */
    double float64, float16, channels_first; /* fractions; the last one of image convolutions */
    double fixed_ns;                     /* of the optimiser, which is independent of the batch */
    double operations;                   /* launched, without the optimiser's */
    double pageable_ns;                  /* copies from pageable memory */
    double scalar_ns;                    /* synchronisations for single values: .item() */
    double pause_ns;                     /* long gaps between operations: code of the loop */
    char   slow_input[STK_PROFILE_TEXT]; /* the most expensive function of preparation; "" */
    char   slow_write[STK_PROFILE_TEXT]; /* the same of writing */
} stk_profile_program;

/* One of the eight stages. */
typedef struct stk_profile_stage {
    double exposed_ns;             /* exposed on the training thread */
    double busy_ns;                /* work summed over its threads */
    double starved_ns, blocked_ns; /* waits of its threads for input; for a consumer */
    double items, bytes;           /* samples and bytes that passed through */
    double servers;                /* parallel capacity; 0: the training thread does it */
    double cpu_ns, runnable_ns,
        io_ns; /* of its threads: on a core, waiting for a core, for a disk */
} stk_profile_stage;

/* One operator of the input pipeline, last one first, with its queue if it has one. */
typedef struct stk_profile_input {
    char      name[48];
    stk_stage stage;
    int       depth;
    bool      has_queue;
    double    items, bytes, busy_ns, starved_ns, blocked_ns;
    double    queue_mean, queue_capacity;
    double    queue_empty, queue_full; /* fractions of time, 0 to 1 */
    double    device_items;            /* items processed by a decode device */
} stk_profile_input;

/* One operation of a fused operator: a function, or a step of an image function. */
typedef struct stk_profile_input_op {
    char   name[64];
    int    depth; /* of its operator */
    double items, busy_ns;
} stk_profile_input_op;

/* One operation of a step. */
typedef struct stk_profile_op {
    char     operation[32], name[STK_PROFILE_TEXT], kernel[48], phase[16]; /* "forward", ... */
    double   flops, bytes;                                                 /* per run */
    uint64_t runs, ns;
} stk_profile_op;

typedef struct stk_profile_callback {
    char     name[STK_PROFILE_TEXT];
    uint64_t calls, ns;
    bool     on_training_thread, slow;
} stk_profile_callback;

typedef struct stk_profile_memory {
    char   name[32]; /* "parameters" */
    double bytes;
} stk_profile_memory;

/* Throughput of compute alone at another batch size, measured on generated data. */
typedef struct stk_profile_batch {
    int64_t batch;
    double  samples_per_s, bytes; /* bytes: memory needed */
} stk_profile_batch;

/* Overhead of observing at a level, relative to a step, from interleaved blocks. */
typedef struct stk_profile_overhead {
    bool   measured;
    double share, low, high; /* 95 % interval */
} stk_profile_overhead;

typedef struct stk_profile {
    stk_profile_run     run;
    stk_machine_info    machine;
    stk_machine_peaks   limits;
    stk_profile_device  device;
    stk_profile_program program;

    double            measured_ns; /* wall time of the steps */
    double            steps, samples;
    double            evaluation_ns;
    stk_profile_stage stages[STK_STAGE_COUNT]; /* [STK_STAGE_NONE]: the loop itself */

    /* Evaluations, which are outside steps: their number, and evaluation_ns by stage. */
    double   evaluations;
    uint64_t evaluation_stages_ns[STK_STAGE_COUNT];

    size_t               input_count;
    stk_profile_input    inputs[STK_PROFILE_STAGES];
    char                 input_limit[STK_PROFILE_LINE]; /* in the pipeline's words */
    size_t               input_op_count;
    stk_profile_input_op input_ops[STK_PROFILE_INPUT_OPS];

    size_t               callback_count;
    stk_profile_callback callbacks[STK_PROFILE_CALLBACKS];

    double             arena_bytes, variable_bytes;
    int64_t            largest_batch; /* that fits into memory; -1: not known */
    size_t             memory_count;
    stk_profile_memory memory[STK_PROFILE_PARTS];

    stk_profile_overhead overhead[STK_PROFILE_LEVELS];
    double               trace_events, trace_dropped;

    /* Owned; freed by release. */
    stk_step_record     *step_list;
    size_t               step_count;
    stk_meter_window    *windows;
    size_t               window_count;
    stk_profile_op      *ops;
    size_t               op_count;
    stk_resource_sample *resources;
    size_t               resource_count;
    stk_profile_batch   *batches;
    size_t               batch_count;
} stk_profile;

STK_API void stk_profile_init(stk_profile *profile);
STK_API void stk_profile_release(stk_profile *profile);
/* Appends a JSON object. */
STK_API STK_NODISCARD stk_status stk_profile_write(const stk_profile *profile, stk_blob *out,
                                                   stk_error *err);
/* Initialises out; the caller releases it even on failure. Unknown keys are ignored; invalid values
 * are STK_E_INVALID and name the key. */
STK_API STK_NODISCARD stk_status stk_profile_read(stk_profile *out, stk_bytes json, stk_error *err);

/* The same as a file. What is wrong inside of it is told with its path. */
STK_API STK_NODISCARD stk_status stk_profile_save(const stk_profile *profile, const char *path,
                                                  stk_error *err);
STK_API STK_NODISCARD stk_status stk_profile_load(stk_profile *out, const char *path,
                                                  stk_error *err);

/* Replaces machine and resources by those of a monitor, the samples until now. A NULL monitor
 * changes nothing. */
STK_API STK_NODISCARD stk_status stk_profile_take_resources(stk_profile *profile,
                                                            stk_monitor *monitor, stk_error *err);

/* Measures peak rates with threads threads in about a second: arithmetic, memory reads, copies, and
 * reads of the disk of data (a file or folder) past the page cache. Rates that cannot be measured
 * stay unchanged. Run it on an idle machine. */
STK_API void stk_profile_probe(stk_machine_peaks *limits, int threads, const char *data);

STK_END_DECLS
#endif

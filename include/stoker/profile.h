/* stoker/profile.h - what was observed of a run: the record that diagnosis, report and live view
 * are made from. Times are nanoseconds of the measured part, after warm-up; what is not known is
 * negative or empty. As JSON it is what `stoker profile` writes and `stoker diagnose` reads. */
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

/* The card of a run. */
typedef struct stk_profile_run {
    char    command[STK_PROFILE_LINE], data[STK_PROFILE_LINE], version[STK_PROFILE_TEXT];
    char    source[STK_PROFILE_TEXT]; /* "stoker", or the tool whose trace this was */
    char    model[STK_PROFILE_TEXT], backend[STK_PROFILE_TEXT], precision[STK_PROFILE_TEXT];
    char    inject[STK_PROFILE_LINE]; /* faults that were injected; "" */
    char    kind[32];                 /* of the data: "pack", "folder", ...; "": not known */
    char    cache[16];                /* "memory", "disk", "none"; "": not known */
    char    unit[16];                 /* of rates: "samples"; "steps" where a trace has no more */
    int64_t batch, size, classes, parameters, seed;
    int64_t data_count;                  /* images of an epoch; 0: not known */
    int64_t stored_width, stored_height; /* of images as they are stored; 0: not known */
    int     threads, input_threads;
    double  unix_time;
    double  startup_s; /* from the start to the end of the first step */
} stk_profile_run;

/* A device that computes behind the training thread's back: what it is, and what it did in the
 * measured part. Times are -1 where compute is the training thread's own work. */
typedef struct stk_profile_device {
    char   name[STK_PROFILE_TEXT]; /* "NVIDIA H200"; "": there is none */
    char   driver[32], runtime[32], libraries[64];
    int    processors;
    double memory;           /* bytes */
    double work_ns, copy_ns; /* it computed; it copied from the host */
    double launch_ns;        /* of the training thread: telling it what to do */
    double runs;
} stk_profile_device;

/* What a recording tells of how another program is written. Negative or "": not told. Shares are 0
 * to 1 of the time of compute's operations, times those of all steps. */
typedef struct stk_profile_program {
    char   framework[16]; /* "pytorch", "tensorflow", "jax"; "": this program, or not known */
    double workers;       /* 0: the training thread prepares input itself; 1: others do */
    double prefetches, parallel_maps,
        caches; /* TensorFlow: 1: the input has such a stage; 0: none */
    double float64, float16, channels_first; /* shares; the last of convolutions of images */
    double fixed_ns;                         /* of the optimizer: the same whatever the batch */
    double operations;                       /* that were started, the optimizer's not counted */
    double pageable_ns;                      /* copies from memory that is not pinned */
    double scalar_ns;                        /* waits for single numbers of the device: .item() */
    double pause_ns;                         /* long pauses between operations: code of the loop */
    char   slow_input[STK_PROFILE_TEXT];     /* the function that takes most of preparing; "" */
    char   slow_write[STK_PROFILE_TEXT];     /* ... of writing */
} stk_profile_program;

/* One of the eight stages. */
typedef struct stk_profile_stage {
    double exposed_ns;                 /* of the training thread's time */
    double busy_ns;                    /* work, summed over its threads */
    double starved_ns, blocked_ns;     /* its threads had no input; nobody took its results */
    double items, bytes;               /* samples, and bytes that went through */
    double servers;                    /* that can work at a time; 0: the training thread does it */
    double cpu_ns, runnable_ns, io_ns; /* of its threads: on a core, waiting for one, for a disk */
} stk_profile_stage;

/* One stage of the input pipeline, nearest to the consumer first; its queue if it has one. */
typedef struct stk_profile_input {
    char      name[48];
    stk_stage stage;
    int       depth;
    bool      has_queue;
    double    items, bytes, busy_ns, starved_ns, blocked_ns;
    double    queue_mean, queue_capacity;
    double    queue_empty, queue_full; /* shares of time, 0 to 1 */
    double    device_items;            /* items that a device worked on: decoded images */
} stk_profile_input;

/* One operation of a fused stage of the input: a function, or what an image function does in one
 * pass. */
typedef struct stk_profile_input_op {
    char   name[64];
    int    depth; /* of its stage */
    double items, busy_ns;
} stk_profile_input_op;

/* One operation of a step. */
typedef struct stk_profile_op {
    char     operation[32], name[STK_PROFILE_TEXT], kernel[48], phase[16]; /* "forward", ... */
    double   flops, bytes;                                                 /* of one run */
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

/* How fast compute alone is with other batches: measured on generated data. */
typedef struct stk_profile_batch {
    int64_t batch;
    double  samples_per_s, bytes; /* bytes: memory it takes */
} stk_profile_batch;

/* What observing costs at a level, as a share of a step: blocks with it and without in turn. */
typedef struct stk_profile_overhead {
    bool   measured;
    double share, low, high; /* 95 % */
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

    /* Evaluations, which belong to no step: how many, and what of evaluation_ns each stage took. */
    double   evaluations;
    uint64_t evaluation_stages_ns[STK_STAGE_COUNT];

    size_t               input_count;
    stk_profile_input    inputs[STK_PROFILE_STAGES];
    char                 input_limit[STK_PROFILE_LINE]; /* the pipeline's own words */
    size_t               input_op_count;
    stk_profile_input_op input_ops[STK_PROFILE_INPUT_OPS];

    size_t               callback_count;
    stk_profile_callback callbacks[STK_PROFILE_CALLBACKS];

    double             arena_bytes, variable_bytes;
    int64_t            largest_batch; /* that fits; -1: not known */
    size_t             memory_count;
    stk_profile_memory memory[STK_PROFILE_PARTS];

    stk_profile_overhead overhead[STK_PROFILE_LEVELS];
    double               trace_events, trace_dropped;

    /* Owned: freed by release. */
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
/* Appends it as a JSON object. */
STK_API STK_NODISCARD stk_status stk_profile_write(const stk_profile *profile, stk_blob *out,
                                                   stk_error *err);
/* *out is initialised, and to be released even on failure. Unknown keys are passed over; wrong ones
 * are STK_E_INVALID with their place. */
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

/* Measures what the machine gives with threads threads, in about a second: arithmetic, reading
 * memory, copying it, and reading the disk that data (a file or folder) lies on, past the page
 * cache. What cannot be measured stays as it was. Best while nothing else runs. */
STK_API void stk_profile_probe(stk_machine_peaks *limits, int threads, const char *data);

STK_END_DECLS
#endif

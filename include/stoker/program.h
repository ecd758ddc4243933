/* stoker/program.h - compile a graph for a backend and run it.
 * A stk_device is an open backend with its threads. stk_variables keep their values between runs.
 * Programs of one device share them by name: one to train, one to evaluate, one per image size. A
 * stk_program is a graph after all passes, with its memory. A device and all objects made with it
 * are used by one thread at a time. */
#ifndef STOKER_PROGRAM_H
#define STOKER_PROGRAM_H

#include <stoker/buffer.h>
#include <stoker/cancel.h>
#include <stoker/decode_device.h>
#include <stoker/graph.h>
#include <stoker/trace.h>

STK_BEGIN_DECLS

typedef struct stk_device stk_device;

typedef struct stk_device_options {
    int         threads;       /* compute threads; 0: one per core */
    stk_ledger *ledger;        /* counts all memory of the device; NULL: none */
    bool        deterministic; /* same bits for any number of threads, even if slower */
    bool        tf32; /* float32 GEMMs and convolutions on tensor cores, with 10-bit fractions */
    const stk_cancel *cancel; /* polled by compilation, which may time kernels for minutes */
} stk_device_options;

/* Opens "cuda", "cpu", "ref", or the fastest backend for NULL. options may be NULL. Returns
 * STK_E_UNSUPPORTED with a remedy if this build or machine does not have the backend. */
STK_API STK_NODISCARD stk_status stk_device_open(stk_device **out, const char *backend,
                                                 const stk_device_options *options, stk_error *err);
/* Free it after all objects that were made with it. NULL is fine. */
STK_API void        stk_device_free(stk_device *device);
STK_API const char *stk_device_name(const stk_device *device); /* of its backend */
STK_API int         stk_device_threads(const stk_device *device);
/* Writes backend and machine to text: "cuda: NVIDIA H200, 132 SMs, 141 GB", or "cpu". Returns
 * text. */
STK_API const char *stk_device_describe(const stk_device *device, char *text, size_t capacity);
/* Whether runs are only enqueued by the calls that start them. */
STK_API bool stk_device_is_asynchronous(const stk_device *device);
/* Whether convolutions and GEMMs can be computed in dtype. The error gives the reason. */
STK_API STK_NODISCARD stk_status stk_device_computes_in(const stk_device *device, stk_dtype dtype,
                                                        stk_error *err);
/* Allocator of pinned host memory for batches: copies to the device are fastest from it. Owned by
 * the device; free all its blocks before the device. NULL: any host memory is as fast. */
STK_API const stk_allocator *stk_device_host_memory(stk_device *device);

/* The device's image decoder, which runs asynchronously to compute. Owned by the device; any thread
 * may use it. Returns STK_E_UNSUPPORTED with a remedy if there is none or it cannot be used
 * here. */
STK_API STK_NODISCARD stk_status stk_device_decoder(stk_device               *device,
                                                    const stk_decode_device **out, stk_error *err);

/* Properties of a device. Unknown numbers are 0, unknown texts "". */
typedef struct stk_device_info {
    char     name[96]; /* "NVIDIA H200"; "" for the host's processor */
    int      processors;
    uint64_t memory;                                 /* bytes */
    char     driver[32], runtime[32], libraries[64]; /* "13.0"; "cuDNN 9.12.0, cuBLAS 13.0" */
} stk_device_info;

STK_API void stk_device_read_info(const stk_device *device, stk_device_info *info);

/* Times of asynchronous device activity since the device was opened, as far as reported so far. */
typedef struct stk_device_times {
    bool     known;     /* false: the device is synchronous */
    uint64_t work_ns;   /* compute */
    uint64_t copy_ns;   /* copies from the host on the copy stream */
    uint64_t launch_ns; /* host time of launches in stk_program_run */
    uint64_t runs;      /* runs of programs */
} stk_device_times;

STK_API stk_device_times stk_device_read_times(const stk_device *device);
/* Waits until the device is idle and records all its activity in traces and times. Call it before
 * reading them. */
STK_API void stk_device_synchronize(stk_device *device);
/* Takes a pending notice, each at most once: a trace level that the device cannot provide. Returns
 * false if there is none. */
STK_API bool stk_device_notice(stk_device *device, stk_error *out);
/* Names of this build's backends; NULL past the end. */
STK_API const char *stk_backend_name_at(size_t index);
/* Name of the fastest backend on this machine. */
STK_API const char *stk_backend_fastest(void);

typedef struct stk_variables stk_variables;

STK_API STK_NODISCARD stk_status stk_variables_new(stk_variables **out, stk_device *device,
                                                   uint64_t seed, stk_error *err);
/* Free them after the programs that use them. NULL is fine. */
STK_API void   stk_variables_free(stk_variables *variables);
STK_API size_t stk_variables_count(const stk_variables *variables);

typedef struct stk_variable_info {
    const char       *name;
    stk_dtype         dtype;
    stk_shape         shape;
    stk_variable_role role;
} stk_variable_info;

STK_API stk_variable_info stk_variables_at(const stk_variables *variables, size_t index);
/* SIZE_MAX if there is none. */
STK_API size_t stk_variables_find(const stk_variables *variables, const char *name);
/* Copies the value of variable index to or from data, row-major. STK_E_SHAPE if size differs. */
STK_API STK_NODISCARD stk_status stk_variables_read(stk_variables *variables, size_t index,
                                                    void *data, size_t size, stk_error *err);
STK_API STK_NODISCARD stk_status stk_variables_write(stk_variables *variables, size_t index,
                                                     const void *data, size_t size, stk_error *err);
/* Sets variable index to its initial value. */
STK_API STK_NODISCARD stk_status stk_variables_reset(stk_variables *variables, size_t index,
                                                     stk_error *err);
/* Enqueues zeroing of variable index and does not block. */
STK_API void stk_variables_clear(stk_variables *variables, size_t index);

typedef struct stk_program_options {
    const char *name;      /* for messages; NULL: "program" */
    stk_dtype   precision; /* of convolutions and GEMMs: F32 (or NONE), BF16, F16 */
    int64_t     batch;     /* rows of the inputs, for messages about memory; 0: unknown */
    unsigned    passes_off;
    bool      check; /* fail after the first operation with a non-finite result and name it; slow */
    bool      plan_only; /* plan the memory without allocating it; the program cannot run */
    stk_blob *explain;   /* receives the graph after each pass as text; may be NULL */
} stk_program_options;

typedef struct stk_program stk_program;

/* Compiles graph, which may be freed afterwards. Adds its variables to variables with their initial
 * values. Returns STK_E_SHAPE if a variable exists there with another type or shape. options may be
 * NULL. */
STK_API STK_NODISCARD stk_status stk_program_compile(stk_program **out, const stk_graph *graph,
                                                     stk_variables             *variables,
                                                     const stk_program_options *options,
                                                     stk_error                 *err);
/* NULL is fine. */
STK_API void stk_program_free(stk_program *program);

/* Copies data to an input or from an output, row-major. STK_E_SHAPE if size differs. An input keeps
 * its value until it is fed again. */
STK_API STK_NODISCARD stk_status stk_program_feed(stk_program *program, const char *input,
                                                  const void *data, size_t size, stk_error *err);
/* As stk_program_feed, but does not wait for the copy: data is borrowed until a run that starts
 * later has finished. */
STK_API STK_NODISCARD stk_status stk_program_feed_async(stk_program *program, const char *input,
                                                        const void *data, size_t size,
                                                        stk_error *err);
/* The index of an input or output, for the calls that take one: for those who feed and fetch each
 * step. SIZE_MAX for none. */
STK_API size_t stk_program_find_input(const stk_program *program, const char *name);
STK_API size_t stk_program_find_output(const stk_program *program, const char *name);
/* As stk_program_feed, or with async as stk_program_feed_async, of the input of that index. */
STK_API STK_NODISCARD stk_status stk_program_feed_at(stk_program *program, size_t input,
                                                     const void *data, size_t size, bool async,
                                                     stk_error *err);
STK_API STK_NODISCARD stk_status stk_program_fetch(stk_program *program, const char *output,
                                                   void *data, size_t size, stk_error *err);
/* Type of an input or output. STK_E_NOTFOUND if there is none of that name. */
STK_API STK_NODISCARD stk_status stk_program_input_type(const stk_program *program,
                                                        const char *input, stk_dtype *dtype,
                                                        stk_shape *shape, stk_error *err);
STK_API STK_NODISCARD stk_status stk_program_output_type(const stk_program *program,
                                                         const char *output, stk_dtype *dtype,
                                                         stk_shape *shape, stk_error *err);

/* Runs the program once. Allocates nothing. thread records at its trace's level, a span per
 * operation from STK_TRACE_OPS on; NULL: no trace. The first run with a thread adds a description
 * of the operations to the trace. */
STK_API STK_NODISCARD stk_status stk_program_run(stk_program *program, stk_trace_thread *thread,
                                                 stk_error *err);

/* Ring of asynchronous fetches: outputs are copied to the host after each run without blocking. On
 * a synchronous device they are ready at once. */
typedef struct stk_fetch_queue stk_fetch_queue;

enum { STK_FETCH_QUEUE_SLOTS_MAX = 8 };

/* Allocates slots of bytes each, at most STK_FETCH_QUEUE_SLOTS_MAX. On failure *out is NULL. */
STK_API STK_NODISCARD stk_status stk_fetch_queue_new(stk_fetch_queue **out, stk_device *device,
                                                     size_t slots, size_t bytes, stk_error *err);
/* Waits for copies in flight. NULL is fine. */
STK_API void stk_fetch_queue_free(stk_fetch_queue *queue);
/* Opens a slot. A slot that is open and not committed starts anew. STK_E_LIMIT: all slots are in
 * flight. */
STK_API STK_NODISCARD stk_status stk_fetch_queue_begin(stk_fetch_queue *queue, stk_error *err);
/* Enqueues a copy of an output of the last run, or of a variable, to offset in the open slot. */
STK_API STK_NODISCARD stk_status stk_fetch_queue_add(stk_fetch_queue *queue, stk_program *program,
                                                     const char *output, size_t offset, size_t size,
                                                     stk_error *err);
STK_API STK_NODISCARD stk_status stk_fetch_queue_add_at(stk_fetch_queue *queue,
                                                        stk_program *program, size_t output,
                                                        size_t offset, size_t size, stk_error *err);
STK_API STK_NODISCARD stk_status stk_fetch_queue_add_variable(stk_fetch_queue *queue,
                                                              stk_variables   *variables,
                                                              size_t index, size_t offset,
                                                              size_t size, stk_error *err);
STK_API STK_NODISCARD stk_status stk_fetch_queue_commit(stk_fetch_queue *queue, stk_error *err);
STK_API size_t
stk_fetch_queue_in_flight(const stk_fetch_queue *queue); /* committed and not popped */

typedef struct stk_fetch_queue_slot {
    const uint8_t *data;      /* borrowed until begin reuses the slot */
    uint64_t       device_ns; /* device time from begin to commit; 0: unknown */
} stk_fetch_queue_slot;

/* Pops the oldest committed slot. data is NULL if there is none, or if it is not ready and wait is
 * false. Returns errors of the device that occurred meanwhile. */
STK_API STK_NODISCARD stk_status stk_fetch_queue_pop(stk_fetch_queue *queue, bool wait,
                                                     stk_fetch_queue_slot *out, stk_error *err);

/* Purpose of memory. */
typedef enum stk_memory_class {
    STK_MEMORY_CLASS_PARAMETERS,
    STK_MEMORY_CLASS_OPTIMIZER,
    STK_MEMORY_CLASS_STATISTICS,
    STK_MEMORY_CLASS_INPUTS,
    STK_MEMORY_CLASS_ACTIVATIONS, /* results of the forward phase */
    STK_MEMORY_CLASS_GRADIENTS,   /* results of the backward phase */
    STK_MEMORY_CLASS_WORKSPACE,
    STK_MEMORY_CLASS_COUNT
} stk_memory_class;

typedef struct stk_memory_plan {
    uint64_t bytes[STK_MEMORY_CLASS_COUNT]; /* at the peak */
    uint64_t fixed;                         /* bytes of variables */
    uint64_t arena;         /* bytes of all other memory, which this program allocates */
    uint64_t without_reuse; /* size of the arena if each result had a buffer of its own */
    char     peak_at[96];   /* operation that runs at the peak */
} stk_memory_plan;

STK_API stk_memory_plan stk_program_memory(const stk_program *program);
STK_API const char     *stk_memory_class_name(stk_memory_class kind);
/* Largest batch whose variables and arena fit into limit bytes, extrapolated from the plans of two
 * batches, the smaller first. Returns STK_E_LIMIT with the bytes needed if a batch of 1 does not
 * fit. */
STK_API STK_NODISCARD stk_status stk_memory_largest_batch(const stk_memory_plan *small,
                                                          int64_t                small_batch,
                                                          const stk_memory_plan *large,
                                                          int64_t large_batch, uint64_t limit,
                                                          int64_t *batch, stk_error *err);

/* One instruction of a compiled program, for reports. */
typedef struct stk_program_instruction {
    const char *operation;       /* "conv2d" */
    const char *name;            /* "layer1.0.conv1" */
    const char *kernel, *detail; /* implementation: "onednn" and "jit:avx512_core", "reference" */
    const char *phase;           /* "forward", "backward", "update" */
    double      flops, bytes;
    uint64_t    runs, nanoseconds; /* measured while timing is on */
} stk_program_instruction;

STK_API size_t                  stk_program_instruction_count(const stk_program *program);
STK_API stk_program_instruction stk_program_instruction_at(const stk_program *program,
                                                           size_t             index);
/* Starts or stops timing every instruction, with two clock reads each or two device events. A
 * captured program is timed in its first runs only, which launch each kernel separately. */
STK_API void stk_program_time(stk_program *program, bool on);

STK_END_DECLS
#endif

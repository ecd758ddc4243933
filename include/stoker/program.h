/* stoker/program.h - compile a graph for a backend and run it.
 * A stk_device is where programs run: a backend with its threads. stk_variables keep their content
 * between runs and are shared by name between the programs of a device: one to train, one to
 * evaluate, one per image size. A stk_program is a graph after all passes, with all its memory.
 * One thread at a time uses a device and all that belongs to it. */
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
    int         threads;       /* that compute at a time; 0: one per core */
    stk_ledger *ledger;        /* for all memory of the device; NULL: none */
    bool        deterministic; /* the same bits on any number of threads, where that costs */
    bool        tf32; /* products of float32 on tensor cores, with 10 bits of their fractions */
    const stk_cancel *cancel; /* compiling, which may try kernels for minutes, looks at it */
} stk_device_options;

/* "cuda", "cpu", "ref", or NULL for the fastest there is. options may be NULL. A backend that this
 * build or machine does not have is STK_E_UNSUPPORTED with what to do. */
STK_API STK_NODISCARD stk_status stk_device_open(stk_device **out, const char *backend,
                                                 const stk_device_options *options, stk_error *err);
/* After everything that was made with it. NULL is fine. */
STK_API void        stk_device_free(stk_device *device);
STK_API const char *stk_device_name(const stk_device *device); /* of its backend */
STK_API int         stk_device_threads(const stk_device *device);
/* Backend and machine: "cuda: NVIDIA H200, 132 SMs, 141 GB", or "cpu". Returns text. */
STK_API const char *stk_device_describe(const stk_device *device, char *text, size_t capacity);
/* It works beside the caller: runs are only begun by the calls that ask for them. */
STK_API bool stk_device_is_asynchronous(const stk_device *device);
/* Whether convolutions and products can be computed in it; an error says why not. */
STK_API STK_NODISCARD stk_status stk_device_computes_in(const stk_device *device, stk_dtype dtype,
                                                        stk_error *err);
/* Memory of the host that is copied from fastest, for batches; lent by the device, which must
 * outlive what is made with it. NULL: any is as good. */
STK_API const stk_allocator *stk_device_host_memory(stk_device *device);

/* What of the device decodes images beside what it computes; lent by the device, and for any
 * thread. A device that has none, or cannot use it here, is STK_E_UNSUPPORTED with what to do. */
STK_API STK_NODISCARD stk_status stk_device_decoder(stk_device               *device,
                                                    const stk_decode_device **out, stk_error *err);

/* What a device is. Numbers that are not known are 0, texts "". */
typedef struct stk_device_info {
    char     name[96]; /* "NVIDIA H200"; of the machine's own processor: "" */
    int      processors;
    uint64_t memory;                                 /* bytes */
    char     driver[32], runtime[32], libraries[64]; /* "13.0"; "cuDNN 9.12.0, cuBLAS 13.0" */
} stk_device_info;

STK_API void stk_device_read_info(const stk_device *device, stk_device_info *info);

/* What a device did behind the caller's back since it was opened, as far as it is told by now. */
typedef struct stk_device_times {
    bool     known;     /* false: it computes while the caller waits */
    uint64_t work_ns;   /* computing */
    uint64_t copy_ns;   /* copying from the host, beside it */
    uint64_t launch_ns; /* the caller's, in stk_program_run: telling it what to do */
    uint64_t runs;      /* of programs */
} stk_device_times;

STK_API stk_device_times stk_device_read_times(const stk_device *device);
/* Waits for the device, and puts all it did into traces and times: before they are read. */
STK_API void stk_device_synchronize(stk_device *device);
/* Something that people should know of, each once: what a trace asked for and the device does not
 * tell. False: nothing. */
STK_API bool stk_device_notice(stk_device *device, stk_error *out);
/* Names of backends of this build; NULL past the end. */
STK_API const char *stk_backend_name_at(size_t index);
/* Of the fastest there is on this machine. */
STK_API const char *stk_backend_fastest(void);

typedef struct stk_variables stk_variables;

STK_API STK_NODISCARD stk_status stk_variables_new(stk_variables **out, stk_device *device,
                                                   uint64_t seed, stk_error *err);
/* After the programs that use them. NULL is fine. */
STK_API void   stk_variables_free(stk_variables *variables);
STK_API size_t stk_variables_count(const stk_variables *variables);

typedef struct stk_variable_info {
    const char       *name;
    stk_dtype         dtype;
    stk_shape         shape;
    stk_variable_role role;
} stk_variable_info;

STK_API stk_variable_info stk_variables_at(const stk_variables *variables, size_t index);
/* SIZE_MAX for none. */
STK_API size_t stk_variables_find(const stk_variables *variables, const char *name);
/* Copies the content, row-major, out of or into variable index; size is checked. */
STK_API STK_NODISCARD stk_status stk_variables_read(stk_variables *variables, size_t index,
                                                    void *data, size_t size, stk_error *err);
STK_API STK_NODISCARD stk_status stk_variables_write(stk_variables *variables, size_t index,
                                                     const void *data, size_t size, stk_error *err);
/* Gives variable index its first content again. */
STK_API STK_NODISCARD stk_status stk_variables_reset(stk_variables *variables, size_t index,
                                                     stk_error *err);
/* Makes it zeros after all that was begun before; waits for nothing. */
STK_API void stk_variables_clear(stk_variables *variables, size_t index);

typedef struct stk_program_options {
    const char *name;      /* for messages; NULL: "program" */
    stk_dtype   precision; /* NONE or F32, BF16, F16: of convolutions and matrix products */
    int64_t     batch;     /* rows of the inputs, for messages: what would fit; 0: not known */
    unsigned    passes_off;
    bool        check; /* after each operation: a result that is not finite is an error naming it */
    bool        plan_only; /* memory is planned and not taken: the program cannot be run */
    stk_blob   *explain;   /* gets the graph after each pass as text; NULL: not wanted */
} stk_program_options;

typedef struct stk_program stk_program;

/* The graph is not needed after. Adds its variables to variables, with their first content; one of
 * another type or shape there is an error naming both. options may be NULL. */
STK_API STK_NODISCARD stk_status stk_program_compile(stk_program **out, const stk_graph *graph,
                                                     stk_variables             *variables,
                                                     const stk_program_options *options,
                                                     stk_error                 *err);
/* NULL is fine. */
STK_API void stk_program_free(stk_program *program);

/* Copies data into an input, or a result out of an output, row-major; size is checked. What is fed
 * stays until it is fed again. */
STK_API STK_NODISCARD stk_status stk_program_feed(stk_program *program, const char *input,
                                                  const void *data, size_t size, stk_error *err);
/* The same, but data must stay as it is until a run that is begun later is done: nobody waits for
 * the copy. */
STK_API STK_NODISCARD stk_status stk_program_feed_async(stk_program *program, const char *input,
                                                        const void *data, size_t size,
                                                        stk_error *err);
STK_API STK_NODISCARD stk_status stk_program_fetch(stk_program *program, const char *output,
                                                   void *data, size_t size, stk_error *err);
/* STK_E_NOTFOUND for none. out: of the input (or output) of that name. */
STK_API STK_NODISCARD stk_status stk_program_input_type(const stk_program *program,
                                                        const char *input, stk_dtype *dtype,
                                                        stk_shape *shape, stk_error *err);
STK_API STK_NODISCARD stk_status stk_program_output_type(const stk_program *program,
                                                         const char *output, stk_dtype *dtype,
                                                         stk_shape *shape, stk_error *err);

/* One run. Allocates nothing. thread records what its trace's level asks for, a span per operation
 * from STK_TRACE_OPS on; NULL: nothing (the first run with one leaves a description of the
 * operations in the trace). */
STK_API STK_NODISCARD stk_status stk_program_run(stk_program *program, stk_trace_thread *thread,
                                                 stk_error *err);

/* Results on their way to the host, in a ring of slots: what runs give is copied out behind them,
 * and nobody waits. A device that is not asynchronous has them there at once. */
typedef struct stk_fetch_queue stk_fetch_queue;

enum { STK_FETCH_QUEUE_SLOTS_MAX = 8 };

/* slots of bytes each, at most STK_OUTBOX_SLOTS. On failure *out is NULL. */
STK_API STK_NODISCARD stk_status stk_fetch_queue_new(stk_fetch_queue **out, stk_device *device,
                                                     size_t slots, size_t bytes, stk_error *err);
/* What is still on its way is waited for. NULL is fine. */
STK_API void stk_fetch_queue_free(stk_fetch_queue *queue);
/* Opens a slot; one that was open and not sent begins anew. STK_E_LIMIT: all are on their way. */
STK_API STK_NODISCARD stk_status stk_fetch_queue_begin(stk_fetch_queue *queue, stk_error *err);
/* Copies an output as the last run leaves it, or a variable, to byte at of the open slot. */
STK_API STK_NODISCARD stk_status stk_fetch_queue_add(stk_fetch_queue *queue, stk_program *program,
                                                     const char *output, size_t offset, size_t size,
                                                     stk_error *err);
STK_API STK_NODISCARD stk_status stk_fetch_queue_add_variable(stk_fetch_queue *queue,
                                                              stk_variables   *variables,
                                                              size_t index, size_t offset,
                                                              size_t size, stk_error *err);
STK_API STK_NODISCARD stk_status stk_fetch_queue_commit(stk_fetch_queue *queue, stk_error *err);
STK_API size_t stk_fetch_queue_in_flight(const stk_fetch_queue *queue); /* sent and not taken */

typedef struct stk_fetch_queue_slot {
    const uint8_t *data;      /* lent until begin comes round to it */
    uint64_t       device_ns; /* that the device took from begin to send; 0: not known */
} stk_fetch_queue_slot;

/* The oldest that was sent. data is NULL where none was, or (unless wait) where it is not there
 * yet. What went wrong on the device meanwhile is told here. */
STK_API STK_NODISCARD stk_status stk_fetch_queue_pop(stk_fetch_queue *queue, bool wait,
                                                     stk_fetch_queue_slot *out, stk_error *err);

/* What the memory is for. */
typedef enum stk_memory_class {
    STK_MEMORY_CLASS_PARAMETERS,
    STK_MEMORY_CLASS_OPTIMIZER,
    STK_MEMORY_CLASS_STATISTICS,
    STK_MEMORY_CLASS_INPUTS,
    STK_MEMORY_CLASS_ACTIVATIONS, /* results of the forward part */
    STK_MEMORY_CLASS_GRADIENTS,   /* results of the backward part */
    STK_MEMORY_CLASS_WORKSPACE,
    STK_MEMORY_CLASS_COUNT
} stk_memory_class;

typedef struct stk_memory_plan {
    uint64_t bytes[STK_MEMORY_CLASS_COUNT]; /* bytes at the moment of the peak */
    uint64_t fixed;                         /* variables */
    uint64_t arena;                         /* all the rest: what this program allocates */
    uint64_t without_reuse;                 /* the arena if every result had its own place */
    char     peak_at[96];                   /* the operation that runs at the peak */
} stk_memory_plan;

STK_API stk_memory_plan stk_program_memory(const stk_program *program);
STK_API const char     *stk_memory_class_name(stk_memory_class kind);
/* The largest batch whose variables and arena fit into limit bytes, foretold from the plans of two
 * batches, the smaller first. Where not even one fits, STK_E_LIMIT says what it takes. */
STK_API STK_NODISCARD stk_status stk_memory_largest_batch(const stk_memory_plan *small,
                                                          int64_t                small_batch,
                                                          const stk_memory_plan *large,
                                                          int64_t large_batch, uint64_t limit,
                                                          int64_t *batch, stk_error *err);

/* One operation of a compiled program, for reports. */
typedef struct stk_program_instruction {
    const char *operation; /* "conv2d" */
    const char *name;      /* "layer1.0.conv1" */
    const char *kernel,
        *detail;       /* how it is computed: "onednn" and "jit:avx512_core", "reference" */
    const char *phase; /* of a step of training: "forward", "backward", "update" */
    double      flops, bytes;
    uint64_t    runs, nanoseconds; /* measured when timing is on */
} stk_program_instruction;

STK_API size_t                  stk_program_instruction_count(const stk_program *program);
STK_API stk_program_instruction stk_program_instruction_at(const stk_program *program,
                                                           size_t             index);
/* Times every operation from now on (two clock reads each, or two marks in the device's own order),
 * or stops to. A program that is recorded does so in some runs only: those call each kernel. */
STK_API void stk_program_time(stk_program *program, bool on);

STK_END_DECLS
#endif

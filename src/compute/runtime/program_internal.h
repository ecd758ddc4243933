/* Representation of a compiled program: a flat list of instructions. */
#ifndef STK_COMPUTE_RUNTIME_PROGRAM_INTERNAL_H
#define STK_COMPUTE_RUNTIME_PROGRAM_INTERNAL_H

#include "compute/runtime/buffer_assignment.h"

typedef struct stk_instruction {
    const stk_graph_op *op;
    const stk_kernel   *kernel;
    stk_kernel_call     call;
    bool                skip; /* a view that aliases its input: nothing to run */
    bool                prepared;
    stk_op_cost         cost;
    const char         *phase; /* "forward", "backward", "update" */
    uint64_t            runs, total_ns;
    uint32_t            capture_end; /* index after its last device operation in a captured run */
    const stk_trace_op *trace_op;    /* owned by the trace; NULL: not traced */
} stk_instruction;

/* An input or output of a program. */
typedef struct stk_program_port {
    const char *name; /* borrowed from the graph */
    stk_symbol  symbol;
    size_t      bytes;
} stk_program_port;

struct stk_program {
    char                 *name;
    stk_device           *device;
    stk_variables        *variables;
    stk_layout_assignment layout; /* graph after all passes, with formats */
    stk_buffer_assignment buffers;
    uint8_t              *arena;
    void                **constants; /* by symbol; NULL if it is no constant */
    stk_instruction      *instructions;
    uint32_t              instruction_count;
    stk_program_port     *inputs, *outputs; /* found once, in memory */
    size_t                input_count, output_count;
    stk_arena             memory; /* owns the arrays of instructions */
    bool                  check, timing;
    bool                  eager;          /* never captured */
    bool                  ran_once;       /* completed a run without capture */
    void                 *capture;        /* the backend's capture; NULL: none yet */
    bool                  capture_traced; /* it was captured while kernels were traced */
    uint64_t              trace_number;   /* of the trace that knows its instructions */
    stk_instruction      *deferred;       /* last instruction whose call is deferred; NULL: none */
    uint32_t              timed_runs;     /* runs without capture for timing */
};

/* Address of a symbol's buffer; NULL if it is never read. */
void *stk_program_address(const stk_program *program, stk_symbol symbol);
/* Address of an output, by name or by index. STK_E_SHAPE if size differs. */
STK_NODISCARD stk_status stk_program_output(const stk_program *program, const char *output,
                                            size_t size, const void **address, stk_error *err);
STK_NODISCARD stk_status stk_program_output_at(const stk_program *program, size_t output,
                                               size_t size, const void **address, stk_error *err);
/* Lists the inputs and outputs of the graph after all passes. */
STK_NODISCARD stk_status stk_program_bind_ports(stk_program *program, stk_error *err);
/* Sets the addresses of all instructions. */
void stk_program_bind(stk_program *program);

#endif

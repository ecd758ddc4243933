/* The inside of a program: a flat list of kernel calls. */
#ifndef STK_COMPUTE_RUNTIME_PROGRAM_INTERNAL_H
#define STK_COMPUTE_RUNTIME_PROGRAM_INTERNAL_H

#include "compute/runtime/buffer_assignment.h"

typedef struct stk_instruction {
    const stk_graph_op *op;
    const stk_kernel   *kernel;
    stk_kernel_call     call;
    bool                skip; /* a view that is where its input is */
    bool                prepared;
    stk_op_cost         cost;
    const char         *phase; /* a literal */
    uint64_t            runs, total_ns;
    uint32_t            capture_end; /* things the device does in a recorded run, up to here */
    const stk_trace_op *trace_op;    /* as the trace keeps it; NULL: not there */
} stk_instruction;

struct stk_program {
    char                 *name;
    stk_device           *device;
    stk_variables        *variables;
    stk_layout_assignment layout; /* after all passes */
    stk_buffer_assignment buffers;
    uint8_t              *arena;
    void                **constants; /* by symbol; NULL where none */
    stk_instruction      *instructions;
    uint32_t              instruction_count;
    stk_arena             memory; /* of what steps point to */
    bool                  check, timing;
    bool                  eager;          /* never recorded */
    bool                  ran_once;       /* it ran once, call by call */
    void                 *capture;        /* the backend's; NULL: not yet */
    bool                  capture_traced; /* it was recorded while kernels were told */
    uint64_t              trace_number;   /* the number of the trace that knows the steps */
    stk_instruction      *deferred; /* the last of those whose work is only noted; NULL: none is */
    uint32_t timed_runs;            /* runs that were timed one by one though they can be played */
};

/* Where a symbol is. */
void *stk_program_address(const stk_program *program, stk_symbol symbol);
/* Where an output is, which has this size. */
STK_NODISCARD stk_status stk_program_output(const stk_program *program, const char *output,
                                            size_t size, const void **address, stk_error *err);
/* Fills in the addresses of all steps. */
void stk_program_bind(stk_program *program);

#endif

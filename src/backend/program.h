/* The inside of a program: a flat list of kernel calls. */
#ifndef STK_BACKEND_PROGRAM_H
#define STK_BACKEND_PROGRAM_H

#include "backend/plan.h"

typedef struct stk_step {
    const stk_graph_op *op;
    const stk_kernel   *kernel;
    stk_kernel_call     call;
    bool                skip; /* a view that is where its input is */
    bool                prepared;
    stk_op_cost         cost;
    const char         *part; /* a literal */
    uint64_t            runs, ticks_ns;
    const stk_trace_op *traced; /* as the trace keeps it; NULL: not there */
} stk_step;

struct stk_program {
    char          *name;
    stk_device    *device;
    stk_variables *variables;
    stk_laid_out   laid_out; /* after all passes */
    stk_plan       plan;
    uint8_t       *arena;
    void         **constants; /* by symbol; NULL where none */
    stk_step      *steps;
    uint32_t       step_count;
    stk_arena      memory; /* of what steps point to */
    bool           check, timing;
    uint64_t       traced; /* the number of the trace that knows the steps */
};

/* Where a symbol is. */
void *stk_program_address(const stk_program *program, stk_symbol symbol);
/* Fills in the addresses of all steps. */
void stk_program_bind(stk_program *program);

#endif

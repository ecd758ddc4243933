/* The memory plan of a program: which results share memory, and where each lies in one arena. */
#ifndef STK_COMPUTE_RUNTIME_BUFFER_ASSIGNMENT_H
#define STK_COMPUTE_RUNTIME_BUFFER_ASSIGNMENT_H

#include "compute/runtime/layout_assignment.h"

enum { STK_ARENA_ALIGNMENT = 256 }; /* libraries of GPUs want as much */

/* Where a symbol is. */
typedef enum stk_allocation_kind {
    STK_ALLOCATION_NONE,     /* nobody reads it */
    STK_ALLOCATION_ARENA,    /* at offset in the arena */
    STK_ALLOCATION_VARIABLE, /* in variable index, which it is or becomes */
    STK_ALLOCATION_CONSTANT  /* its own memory, filled once */
} stk_allocation_kind;

typedef struct stk_allocation {
    stk_allocation_kind kind;
    size_t              offset; /* or the variable's index */
    size_t              bytes;
} stk_allocation;

/* A variable whose new content is not made in its own memory. */
typedef struct stk_buffer_assignment_copy {
    size_t     variable;
    stk_symbol from;
} stk_buffer_assignment_copy;

typedef struct stk_buffer_assignment {
    stk_allocation             *allocation; /* by symbol */
    size_t                     *scratch;    /* by node: offset in the arena */
    size_t                      arena;      /* bytes */
    stk_buffer_assignment_copy *copies;     /* at the end of a run, in order */
    size_t                      copy_count;
    stk_memory_plan             report;
} stk_buffer_assignment;

/* scratch_bytes: by node. On failure nothing is held. */
STK_NODISCARD stk_status stk_buffer_assignment_make(stk_buffer_assignment       *assignment,
                                                    const stk_layout_assignment *program,
                                                    const stk_variables         *variables,
                                                    const size_t *scratch_bytes, bool reuse,
                                                    stk_error *err);
void                     stk_buffer_assignment_release(stk_buffer_assignment *assignment);

#endif

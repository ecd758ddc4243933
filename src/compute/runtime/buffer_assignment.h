/* Buffer assignment: maps every symbol to an offset in one arena, or to a variable or constant. */
#ifndef STK_COMPUTE_RUNTIME_BUFFER_ASSIGNMENT_H
#define STK_COMPUTE_RUNTIME_BUFFER_ASSIGNMENT_H

#include "compute/runtime/layout_assignment.h"

enum { STK_ARENA_ALIGNMENT = 256 }; /* required by GPU libraries */

/* Where a symbol is stored. */
typedef enum stk_allocation_kind {
    STK_ALLOCATION_NONE,     /* never read */
    STK_ALLOCATION_ARENA,    /* at offset in the arena */
    STK_ALLOCATION_VARIABLE, /* is, or becomes, the value of variable offset */
    STK_ALLOCATION_CONSTANT  /* memory of its own, filled once */
} stk_allocation_kind;

typedef struct stk_allocation {
    stk_allocation_kind kind;
    size_t              offset; /* or the index of the variable */
    size_t              bytes;
} stk_allocation;

/* A variable whose new value is computed elsewhere and copied at the end of a run. */
typedef struct stk_buffer_assignment_copy {
    size_t     variable;
    stk_symbol from;
} stk_buffer_assignment_copy;

typedef struct stk_buffer_assignment {
    stk_allocation             *allocation; /* by symbol */
    size_t                     *scratch;    /* by node: its offset in the arena */
    size_t                      arena;      /* bytes */
    stk_buffer_assignment_copy *copies;     /* executed in order at the end of a run */
    size_t                      copy_count;
    stk_memory_plan             report;
} stk_buffer_assignment;

/* scratch_bytes is indexed by node. On failure *assignment is empty. */
STK_NODISCARD stk_status stk_buffer_assignment_make(stk_buffer_assignment       *assignment,
                                                    const stk_layout_assignment *program,
                                                    const stk_variables         *variables,
                                                    const size_t *scratch_bytes, bool reuse,
                                                    stk_error *err);
void                     stk_buffer_assignment_release(stk_buffer_assignment *assignment);

#endif

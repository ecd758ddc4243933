/* The memory plan of a program: which results share memory, and where each lies in one arena. */
#ifndef STK_COMPUTE_RUNTIME_BUFFER_ASSIGNMENT_H
#define STK_COMPUTE_RUNTIME_BUFFER_ASSIGNMENT_H

#include "compute/runtime/layout_assignment.h"

enum { STK_PLAN_ALIGNMENT = 256 }; /* libraries of GPUs want as much */

/* Where a symbol is. */
typedef enum stk_place_kind {
    STK_PLACE_NONE,     /* nobody reads it */
    STK_PLACE_ARENA,    /* at offset in the arena */
    STK_PLACE_VARIABLE, /* in variable index, which it is or becomes */
    STK_PLACE_CONSTANT  /* its own memory, filled once */
} stk_place_kind;

typedef struct stk_allocation {
    stk_place_kind kind;
    size_t         offset; /* or the variable's index */
    size_t         bytes;
} stk_allocation;

/* A variable whose new content is not made in its own memory. */
typedef struct stk_plan_copy {
    size_t     variable;
    stk_symbol from;
} stk_plan_copy;

typedef struct stk_plan {
    stk_allocation *place;   /* by symbol */
    size_t         *scratch; /* by node: offset in the arena */
    size_t          arena;   /* bytes */
    stk_plan_copy  *copies;  /* at the end of a run, in order */
    size_t          copy_count;
    stk_memory_plan report;
} stk_plan;

/* scratch_bytes: by node. On failure nothing is held. */
STK_NODISCARD stk_status stk_plan_make(stk_plan *plan, const stk_laid_out *program,
                                       const stk_variables *variables, const size_t *scratch_bytes,
                                       bool reuse, stk_error *err);
void                     stk_plan_release(stk_plan *plan);

#endif

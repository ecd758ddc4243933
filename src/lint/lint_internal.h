/* Interface of rules. A rule is one function; lint_program.c and lint_recipe.c list them. */
#ifndef STK_LINT_LINT_INTERNAL_H
#define STK_LINT_LINT_INTERNAL_H

#include "compute/runtime/program_internal.h"
#include <stoker/lint.h>

/* Adds an item with rule, stage and text "where: message", which the caller completes; NULL if the
 * list is full. */
stk_lint *stk_lint_add(stk_lint_list *list, const char *rule, stk_stage stage, const char *where);
void      stk_lint_print(char *text, size_t capacity, const char *format, ...) STK_PRINTF(3, 4);

/* A program, as input of operation rules. */
typedef struct stk_lint_program_context {
    stk_lint_list          *list;
    const stk_program      *program;
    const stk_lint_machine *machine;
    bool                    measured; /* costs are measured, not estimated */
    double                  seconds;  /* of all operations */
} stk_lint_program_context;

/* Seconds of one operation. */
double stk_lint_cost(const stk_lint_program_context *s, const stk_instruction *step);
/* "measured", or how costs were estimated. */
const char *stk_lint_basis(const stk_lint_program_context *s);
/* The node that an instruction runs. */
const stk_graph_node *stk_lint_node(const stk_lint_program_context *s, const stk_instruction *step);

void stk_lint_odd_channels(const stk_lint_program_context *s);
void stk_lint_large_dense(const stk_lint_program_context *s);
void stk_lint_big_convolution(const stk_lint_program_context *s);
void stk_lint_reference_kernels(const stk_lint_program_context *s);
void stk_lint_moved_layout(const stk_lint_program_context *s);
void stk_lint_float32(const stk_lint_program_context *s);

/* A recipe, as input of its rules. */
typedef struct stk_lint_subject {
    stk_lint_list          *list;
    const stk_train_recipe *recipe;
    const stk_train_data   *data;
    const stk_lint_machine *machine;
    const stk_lint_storage *storage; /* NULL: not known */
} stk_lint_subject;

void stk_lint_batch(const stk_lint_subject *s);
void stk_lint_threads(const stk_lint_subject *s);
void stk_lint_switches(const stk_lint_subject *s);
void stk_lint_output(const stk_lint_subject *s);
void stk_lint_images(const stk_lint_subject *s);
void stk_lint_files(const stk_lint_subject *s);
void stk_lint_cache(const stk_lint_subject *s);

#endif

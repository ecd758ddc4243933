/* A nested dataset: made from an element by an expand function, run as its own node, saved as that
 * element and the node's position. */
#ifndef STK_PIPELINE_SUPPORT_NESTED_H
#define STK_PIPELINE_SUPPORT_NESTED_H

#include "pipeline/runtime/node_queue.h"

/* Zeroed: not open. */
typedef struct stk_nested {
    const stk_function *function; /* borrowed */
    stk_element        *element;  /* made from this element; one reference */
    uint64_t            number;   /* index of the element, for the call and for seeds */
    stk_node           *node;     /* NULL: not open */
    stk_node_queue     *queue;    /* NULL: runs on demand */
} stk_nested;

/* Calls function on element, of which it takes ownership, and opens the dataset as instance number
 * of outer. capacity > 0: runs ahead by as many elements from now on. On failure inner is not open.
 */
STK_NODISCARD stk_status stk_nested_open(stk_nested *inner, stk_node *outer,
                                         const stk_function *function, stk_element *element,
                                         uint64_t number, uint64_t capacity, stk_error *err);
/* As stk_node_next. */
STK_NODISCARD stk_status stk_nested_next(stk_nested *inner, stk_element **out, stk_error *err);
/* Closes it if open. */
void stk_nested_close(stk_nested *inner);

/* Saves only element and number: for one that returned nothing yet. */
STK_NODISCARD stk_status stk_nested_save_fresh(const stk_nested *inner, stk_state_out *out,
                                               stk_error *err);
STK_NODISCARD stk_status stk_nested_save(const stk_nested *inner, stk_state_out *out,
                                         stk_error *err);
/* Both open it as above; the element must satisfy spec. */
STK_NODISCARD stk_status stk_nested_restore_fresh(stk_nested *inner, stk_node *outer,
                                                  const stk_function     *function,
                                                  const stk_element_spec *spec, uint64_t capacity,
                                                  stk_state_in *in, stk_error *err);
STK_NODISCARD stk_status stk_nested_restore(stk_nested *inner, stk_node *outer,
                                            const stk_function     *function,
                                            const stk_element_spec *spec, uint64_t capacity,
                                            stk_state_in *in, stk_error *err);

/* For check: checks that function is an expand function, and sets data's spec from its results for
 * elements of input. */
STK_NODISCARD stk_status stk_expand_check(stk_dataset *data, const stk_function *function,
                                          const stk_element_spec *input, stk_error *err);
/* Traits of an operator that calls function. */
unsigned stk_expand_traits(const stk_function *function);

#endif

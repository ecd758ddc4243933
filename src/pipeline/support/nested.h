/* A dataset that came up while running: made of an element by an expand function, run as a node of
 * its own, and saved as that element and the node's place. */
#ifndef STK_PIPELINE_SUPPORT_NESTED_H
#define STK_PIPELINE_SUPPORT_NESTED_H

#include "pipeline/runtime/node_queue.h"

/* All zero: not open. */
typedef struct stk_nested {
    const stk_function *function; /* lent */
    stk_element        *element;  /* what it was made of; one reference */
    uint64_t            number;   /* of the element, for the call and for seeds */
    stk_node           *node;     /* NULL: not open */
    stk_node_queue     *queue;    /* NULL: it runs when it is asked */
} stk_nested;

/* Calls function on element, which it takes over, and opens what it made as instance number of
 * outer. With a window it runs ahead by so many elements from now on. On failure inner is not open.
 */
STK_NODISCARD stk_status stk_nested_open(stk_nested *inner, stk_node *outer,
                                         const stk_function *function, stk_element *element,
                                         uint64_t number, uint64_t capacity, stk_error *err);
/* As stk_node_next. */
STK_NODISCARD stk_status stk_nested_next(stk_nested *inner, stk_element **out, stk_error *err);
/* Closes it if it is open. */
void stk_nested_close(stk_nested *inner);

/* Its element and number only: for one that has given nothing. */
STK_NODISCARD stk_status stk_nested_save_fresh(const stk_nested *inner, stk_state_out *out,
                                               stk_error *err);
STK_NODISCARD stk_status stk_nested_save(const stk_nested *inner, stk_state_out *out,
                                         stk_error *err);
/* Both open it as above; spec is what its element must keep to. */
STK_NODISCARD stk_status stk_nested_restore_fresh(stk_nested *inner, stk_node *outer,
                                                  const stk_function     *function,
                                                  const stk_element_spec *spec, uint64_t capacity,
                                                  stk_state_in *in, stk_error *err);
STK_NODISCARD stk_status stk_nested_restore(stk_nested *inner, stk_node *outer,
                                            const stk_function     *function,
                                            const stk_element_spec *spec, uint64_t capacity,
                                            stk_state_in *in, stk_error *err);

/* For check: that function is an expand function, and data's spec from what it says of its results
 * for elements of input. */
STK_NODISCARD stk_status stk_expand_check(stk_dataset *data, const stk_function *function,
                                          const stk_element_spec *input, stk_error *err);
/* Traits of a stage that calls function. */
unsigned stk_expand_traits(const stk_function *function);

#endif

/* Calling a person's function on an element: what is the same for map, filter and all others. */
#ifndef STK_PIPELINE_SUPPORT_INVOKE_H
#define STK_PIPELINE_SUPPORT_INVOKE_H

#include <stoker/function.h>

/* Maps *element. The result keeps the origin of the input unless it has one of its own. On failure
 * *element is NULL, and err names the function's element if the function did not. A function that
 * leaves no element is an error. */
STK_NODISCARD stk_status stk_call_map(const stk_function *function, const stk_call *call,
                                      stk_element **element, stk_error *err);
/* The same for many elements, of a function that has map_many. The status is the device's; each
 * item has its own. */
STK_NODISCARD stk_status stk_call_map_many(const stk_function      *function,
                                           const stk_decode_device *images, stk_many_item *items,
                                           size_t count, stk_error *err);
/* The same with a state. The state must keep the number, kinds and types of like's values
 * (STK_E_TYPE); shapes may change. On failure what *state holds is of no use but is still the
 * caller's, and *element is NULL. A function that leaves no element leaves NULL. */
STK_NODISCARD stk_status stk_call_scan(const stk_function *function, const stk_call *call,
                                       const stk_element *like, stk_element **state,
                                       stk_element **element, stk_error *err);
/* That state has the number, kinds and types of like's values. */
bool stk_call_same_types(const stk_element *like, const stk_element *state);
/* The element stays the caller's. */
STK_NODISCARD stk_status stk_call_predicate(const stk_function *function, const stk_call *call,
                                            const stk_element *element, bool *keep, stk_error *err);
STK_NODISCARD stk_status stk_call_key(const stk_function *function, const stk_call *call,
                                      const stk_element *element, int64_t *key, stk_error *err);
/* *out is never NULL on success. */
STK_NODISCARD stk_status stk_call_expand(const stk_function *function, const stk_call *call,
                                         const stk_element *element, stk_dataset **out,
                                         stk_error *err);

#endif

/* Calls user functions on elements, for all operators. */
#ifndef STK_PIPELINE_SUPPORT_INVOKE_H
#define STK_PIPELINE_SUPPORT_INVOKE_H

#include <stoker/function.h>

/* Maps *element. The result inherits the origin of the input unless it has its own. On failure
 * *element is NULL, and err names the element unless the function did. A function that leaves no
 * element is an error. */
STK_NODISCARD stk_status stk_call_map(const stk_function *function, const stk_call *call,
                                      stk_element **element, stk_error *err);
/* The same for many elements and a function with map_many. The status is the device's; each item
 * has its own. */
STK_NODISCARD stk_status stk_call_map_many(const stk_function      *function,
                                           const stk_decode_device *images, stk_many_item *items,
                                           size_t count, stk_error *err);
/* The same with a state, which must keep the number, kinds and types of like's values (STK_E_TYPE);
 * shapes may change. On failure the content of *state is undefined but owned by the caller, and
 * *element is NULL. A function that leaves no element leaves NULL. */
STK_NODISCARD stk_status stk_call_scan(const stk_function *function, const stk_call *call,
                                       const stk_element *like, stk_element **state,
                                       stk_element **element, stk_error *err);
/* Whether state has the number, kinds and types of like's values. */
bool stk_call_same_types(const stk_element *like, const stk_element *state);
/* The caller keeps owning the element. */
STK_NODISCARD stk_status stk_call_predicate(const stk_function *function, const stk_call *call,
                                            const stk_element *element, bool *keep, stk_error *err);
STK_NODISCARD stk_status stk_call_key(const stk_function *function, const stk_call *call,
                                      const stk_element *element, int64_t *key, stk_error *err);
/* *out is never NULL on success. */
STK_NODISCARD stk_status stk_call_expand(const stk_function *function, const stk_call *call,
                                         const stk_element *element, stk_dataset **out,
                                         stk_error *err);

#endif

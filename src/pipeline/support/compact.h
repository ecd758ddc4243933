/* Compacts elements that are kept for long: small views keep large buffers alive. */
#ifndef STK_PIPELINE_SUPPORT_COMPACT_H
#define STK_PIPELINE_SUPPORT_COMPACT_H

#include <stoker/element.h>

/* Copies *element into its own storage if it keeps more than four times its size alive, as a view
 * of a large file block does. On failure *element is unchanged. */
STK_NODISCARD stk_status stk_element_compact(stk_element **element, stk_ledger *ledger,
                                             stk_memory memory, stk_error *err);

#endif

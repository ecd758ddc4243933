/* Elements that are kept for long: what small views hold on to. */
#ifndef STK_PIPELINE_SUPPORT_COMPACT_H
#define STK_PIPELINE_SUPPORT_COMPACT_H

#include <stoker/element.h>

/* Gives *element storage of its own where it keeps alive more than four times what it uses, as a
 * record does that is a view of a large block read from a file. On failure *element is as before.
 */
STK_NODISCARD stk_status stk_element_compact(stk_element **element, stk_ledger *ledger,
                                             stk_memory memory, stk_error *err);

#endif
